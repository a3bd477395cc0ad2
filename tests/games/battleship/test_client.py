"""The Battleship player: manners, defence, and whole honest games through a table without a finding."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Outcome, Termination
from gamed.games.battleship.client import Player
from gamed.games.battleship.states import Phase
from gamed.games.battleship.strategy import OpenList, strategies
from tests.battleship_matches import play_match


def player(seed: int = 1) -> Player:
    return Player(OpenList(), Random(seed))


class MannersTests(SynchronousTestCase):
    def test_it_defends_first_when_told_so(self) -> None:
        client = player()
        self.assertEqual(client.receive_data(b"(3,[]).\r"), b"")
        self.assertEqual(client.receive_data(b"(5,[]).\r"), b"")
        self.assertIs(client.phase, Phase.DEFENCE)

    def test_it_shoots_first_when_told_so(self) -> None:
        client = player()
        shot = client.receive_data(b"(4,[]).\r(5,[]).\r")
        self.assertRegex(shot, rb"^\(1,\[[0-9],[0-9]\]\)\.\n$")
        self.assertEqual((client.phase, client.moves), (Phase.AWAIT, 1))

    def test_it_answers_and_shoots_in_one_turn(self) -> None:
        client = player()
        client.receive_data(b"(3,[]).\r(5,[]).\r")
        reply = client.receive_data(b"(1,[3,4]).\r")
        self.assertRegex(reply, rb"^\(2,\[3,4,[12]\]\)\.\n\(1,\[[0-9],[0-9]\]\)\.\n$")

    def test_it_understands_the_older_form_and_bytes_one_by_one(self) -> None:
        client = player()
        client.receive_data(b"(3,[]).\r(5,[]).\r")
        replies = [client.receive_data(bytes([byte])) for byte in b"1,[3,4]\n"]
        self.assertEqual(len([reply for reply in replies if reply]), 1)

    def test_it_wins_by_a_four(self) -> None:
        client = player()
        x, y = client.receive_data(b"(4,[]).\r(5,[]).\r")[4:7].split(b",")
        client.receive_data(b"(2,[%s,%s,4]).\r" % (x, y))
        self.assertTrue(client.won)

    def test_what_it_does_not_accept(self) -> None:
        begun = b"(3,[]).\r(5,[]).\r"
        for lines in (
            b"(5,[]).\r",
            b"(3,[]).\r(4,[]).\r",
            b"(1,[0,0]).\r",
            begun + b"(1,[10,0]).\r",
            begun + b"(2,[0,0,1]).\r",
            begun + b"hello\r",
            begun + b"(1,[0]).\r",
            begun + begun,
        ):
            error = self.assertRaises(RemoteProtocolError, player().receive_data, lines)
            self.assertIn(error.code, ("out-of-phase", "no-command"), lines)

    def test_an_answer_for_another_cell_or_with_an_unknown_code(self) -> None:
        client = player()
        x, y = client.receive_data(b"(4,[]).\r(5,[]).\r")[4:7].split(b",")
        self.assertRaises(RemoteProtocolError, client.receive_data, b"(2,[%s,%s,9]).\r" % (x, y))
        other = player()
        other.receive_data(b"(4,[]).\r(5,[]).\r")
        self.assertRaises(RemoteProtocolError, other.receive_data, b"(2,[%d,%s,1]).\r" % ((int(x) + 1) % 10, y))

    def test_a_close_before_the_end_is_an_error(self) -> None:
        error = self.assertRaises(RemoteProtocolError, player().receive_data, b"")
        self.assertEqual(error.code, "closed")


class WholeGameTests(SynchronousTestCase):
    def test_honest_games_give_no_finding(self) -> None:
        names = list(strategies)
        for seed in range(60):
            pair = (names[seed % len(names)], names[seed // len(names) % len(names)])
            table = play_match(pair, seed, roles=("first-defends", "random")[seed % 2])
            self.assertEqual((table.match.findings, table.match.unjudged), ([], None), f"seed {seed}")
            self.assertIs(table.outcome.termination, Termination.VICTORY)
            self.assertEqual(table.game.outcome(table.state), table.outcome)

    def test_the_winner_is_who_sank_the_fleet(self) -> None:
        table = play_match(("density", "open-list"), 5)
        self.assertEqual(table.outcome, Outcome(Termination.VICTORY, table.state.winner))
