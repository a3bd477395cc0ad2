"""What the bot knows of Blokus: states read back from their XML, and whole games through the lobby."""

from __future__ import annotations

from random import Random
from xml.etree.ElementTree import fromstring, tostring

from hypothesis import given, settings
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import CHANCE
from gamed.games.softwarechallenge.client import Player
from gamed.games.softwarechallenge.seasons.blokus.client import BlokusBrain, data_of, player, read_state
from gamed.games.softwarechallenge.seasons.blokus.moves import SkipMove, StartPiece
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.games.softwarechallenge.seasons.blokus.shapes import ALL
from gamed.games.softwarechallenge.seasons.blokus.strategy import Uniform
from gamed.games.softwarechallenge.seasons.blokus.wire import memento, read
from tests.games.softwarechallenge.blokus.test_moves import actions
from tests.games.softwarechallenge.blokus.test_rules import State, games
from tests.games.softwarechallenge.blokus.test_sessions import PACKAGE
from tests.games.softwarechallenge.blokus.test_wire import NAMELESS, parsed
from tests.games.softwarechallenge.harness import SeasonHarness

START = Blokus().apply(Blokus().setup({}), CHANCE, StartPiece(9))


class ReadTests(SynchronousTestCase):
    @given(games())
    @settings(max_examples=30)
    def test_every_state_comes_back(self, states: list[State]) -> None:
        for state in states[-3:]:
            self.assertEqual(read_state(parsed(memento(state, NAMELESS, ""))), state)

    def test_the_official_name_of_a_colour(self) -> None:
        state = State(40, 9, left=(0, 0, 1, ALL), mono_last=(True, False, None, None))
        text = memento(state, NAMELESS, "")
        self.assertEqual(read_state(parsed(text)), state)
        self.assertEqual(read_state(parsed(text.replace("sc.plugin2027.Color", "color"))), state)

    @given(actions.filter(lambda move: not isinstance(move, StartPiece)))
    def test_moves_are_read_as_they_were_meant(self, move: SkipMove) -> None:
        self.assertEqual(read(fromstring(tostring(data_of(move)))).move, move)

    def test_what_is_refused(self) -> None:
        text = memento(START, NAMELESS, "")
        for old, new, code in (
            ("<board/>", '<board><field x="20" y="0" content="RED"/></board>', "unknown-value"),
            ("<board/>", '<board><field x="0" y="0" content="PINK"/></board>', "unknown-value"),
            ("<board/>", '<board><field x="" y="0" content="RED"/></board>', "not-a-number"),
            ("PENTO_X", "HEXO_X", "unknown-value"),
            ('startPiece="PENTO_L"', "", "unknown-value"),
            ('turn="0"', 'turn="-1"', "unknown-value"),
            ("<color>RED</color>", "<color/>", "unknown-value"),
        ):
            self.assertIn(old, text)
            error = self.assertRaises(RemoteProtocolError, read_state, parsed(text.replace(old, new)))
            self.assertEqual(error.code, code, new)

    def test_a_request_out_of_turn(self) -> None:
        brain = BlokusBrain(Uniform(), Random(1))
        error = self.assertRaises(RemoteProtocolError, brain.answer, parsed(memento(START, NAMELESS, "")), 1)
        self.assertEqual(error.code, "out-of-step")


def played(*players: Player) -> SeasonHarness:
    """Let two players play a game through the lobby; return it when the game is recorded."""
    harness = SeasonHarness(usual=PACKAGE)
    clients = [harness.connect() for _ in players]
    heard = [0 for _ in players]
    for client, one in zip(clients, players, strict=True):
        client._said = b""
        client.send(one.begin().decode())
    for _ in range(200):
        for number, (client, one) in enumerate(zip(clients, players, strict=True)):
            news, heard[number] = client.stream[heard[number] :], len(client.stream)
            if not one.is_done and news:
                client.send(one.receive_data(news).decode())
        harness.wait(0.01, 0.01)
        if all(one.is_done for one in players):
            harness.wait(1)
            return harness
    raise AssertionError("the game has no end")


class GameTests(SynchronousTestCase):
    def test_whole_games(self) -> None:
        one, two = player("greedy", Random(1)), player("random", Random(2))
        played(one, two)
        self.assertEqual((one.won, two.won, one.side, two.side), (True, False, "ONE", "TWO"))
        self.assertGreater(one.moves + two.moves, 40)

    def test_a_code_that_is_unknown(self) -> None:
        harness = SeasonHarness(usual=PACKAGE)
        client, one = harness.connect(), player("random", Random(1), "x")
        client._said = b""
        client.send(one.begin().decode())
        error = self.assertRaises(RemoteProtocolError, one.receive_data, client.stream)
        self.assertEqual(error.code, "refused")
        self.assertIn("no reservation with this code", str(error))
