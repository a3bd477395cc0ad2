"""What the bot knows of Hive: states read back from their XML, moves that the server reads as they were meant."""

from __future__ import annotations

from random import Random
from xml.etree.ElementTree import fromstring, tostring

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.games.softwarechallenge.seasons.hive.client import HiveBrain, data_of, read_state
from gamed.games.softwarechallenge.seasons.hive.moves import DragMove, Move, SetMove, SkipMove
from gamed.games.softwarechallenge.seasons.hive.position import HAND, State, position
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from gamed.games.softwarechallenge.seasons.hive.strategy import Uniform, legal
from gamed.games.softwarechallenge.seasons.hive.wire import echo, memento, read
from gamed.wire.xmlstream import Element
from tests.games.softwarechallenge.hive.recorded import Scene, named, plays

BARRED = ((0, 0), (1, 1), (2, 2))
START = position({}, (HAND, HAND), 0, BARRED)


def element(state: State, last: Move | None = None) -> Element:
    """Return the `state` element of a position."""
    return fromstring(memento(state, ("a", "b"), "" if last is None else echo(last)))


def scenes() -> list[Scene]:
    return [scene for play in plays() for scene in play.scenes]


class StateTests(SynchronousTestCase):
    def test_every_recorded_position_comes_back(self) -> None:
        found = scenes()
        self.assertGreater(len(found), 100)
        for scene in found[:: max(1, len(found) // 400)]:
            self.assertEqual(read_state(element(scene.state)), scene.state, scene.name)

    def test_what_is_kept_beside_the_stacks_comes_back(self) -> None:
        for scene in scenes()[::50]:
            state, again = scene.state, read_state(element(scene.state))
            self.assertEqual((again.owned, again.bees, again.high), (state.owned, state.bees, state.high))

    def test_the_last_move_does_not_matter(self) -> None:
        self.assertEqual(read_state(element(START, SkipMove())), START)

    def test_empty_hands_may_be_left_out(self) -> None:
        state = position({(0, 1): "Q"}, ("", HAND), 2, BARRED)
        found = element(state)
        (empty,) = found.findall("undeployedRedPieces")
        found.remove(empty)
        self.assertEqual(read_state(found), state)

    def refused(self, old: str, new: str) -> str:
        """Return the code by which the start, with a part of its text changed, is refused."""
        text = tostring(element(position({(0, 1): "Q"}, (HAND, HAND), 0, BARRED)), encoding="unicode")
        self.assertIn(old, text)
        error = self.assertRaises(RemoteProtocolError, read_state, fromstring(text.replace(old, new, 1)))
        return str(error.code)

    def test_what_is_no_state(self) -> None:
        self.assertEqual(self.refused('turn="0"', ""), "not-a-number")
        self.assertEqual(self.refused('turn="0"', 'turn="61"'), "unknown-value")
        self.assertEqual(self.refused('turn="0"', 'turn="-1"'), "unknown-value")
        self.assertEqual(self.refused('x="5"', 'x="6"'), "unknown-value")
        self.assertEqual(self.refused('y="5"', 'y="five"'), "not-a-number")
        self.assertEqual(self.refused('owner="RED"', 'owner="GREEN"'), "unknown-value")
        self.assertEqual(self.refused('type="BEE"', 'type="WASP"'), "unknown-value")
        self.assertEqual(self.refused('type="ANT"', ""), "unknown-value")


class MoveTests(SynchronousTestCase):
    def test_the_server_reads_what_was_meant(self) -> None:
        for move in (
            SetMove("A", 0, 1, -2, 1),
            SetMove("Q", 1, -5, 5, 0),
            DragMove(1, 2, -3, -1, -2, 3),
            SkipMove(),
        ):
            self.assertEqual(read(data_of(move)).move, move)

    def test_all_legal_moves_of_recorded_positions(self) -> None:
        for scene in scenes()[::40]:
            for move in legal(scene.state):
                self.assertEqual(read(data_of(move)).move, move)


class BrainTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=40)
    @given(st.integers(0, 2**32))
    def test_its_moves_are_legal(self, seed: int) -> None:
        brain, game = HiveBrain(Uniform(), Random(seed)), Hive()
        state = START
        while game.outcome(state) is None:
            data = brain.answer(element(state), state.mover)
            state = game.apply(state, state.mover, read(data).move)

    def test_it_passes_where_it_must(self) -> None:
        for name in ("second move, red in corner", "all own pieces covered, bee in hand"):
            state = named(name).state
            brain = HiveBrain(Uniform(), Random(1))
            self.assertEqual(read(brain.answer(element(state), state.mover)).move, SkipMove())

    def test_it_does_not_move_out_of_turn(self) -> None:
        brain = HiveBrain(Uniform(), Random(1))
        for state, seat in ((START, 1), (position({}, (HAND, HAND), 0, ()), 0)):
            error = self.assertRaises(RemoteProtocolError, brain.answer, element(state), seat)
            self.assertEqual(error.code, "out-of-step")
