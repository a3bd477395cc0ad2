"""What a person's client knows of Hive: moves as actions and back, the last move of a state."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn, RemoteProtocolError
from gamed.games.softwarechallenge.seasons.hive.moves import DragMove, Move, SetMove, SkipMove, parse
from gamed.games.softwarechallenge.seasons.hive.person import HiveGuide, action_of, move_of
from gamed.games.softwarechallenge.seasons.hive.position import HAND, State, position
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from gamed.games.softwarechallenge.seasons.hive.wire import echo, memento, read
from gamed.wire.xmlstream import Element
from tests.games.softwarechallenge.hive.recorded import named, plays

GUIDE, HIVE = HiveGuide(), Hive()
START = position({}, (HAND, HAND), 0, ((0, 0), (1, 1), (2, 2)))


def element(state: State, said: str = "") -> Element:
    """Return the `state` element of a position."""
    return fromstring(memento(state, ("a", "b"), said))


class ActionTests(SynchronousTestCase):
    def test_moves_as_actions(self) -> None:
        for move, action in (
            (SetMove("Q", 0, 1, -2, 1), {"do": "set", "piece": "BEE", "to": [1, -2, 1]}),
            (SetMove("G", 1, 0, 0, 0), {"do": "set", "piece": "GRASSHOPPER", "to": [0, 0, 0]}),
            (DragMove(0, 1, -1, 2, 1, -3), {"do": "move", "from": [0, 1, -1], "to": [2, 1, -3]}),
            (SkipMove(), {"do": "skip"}),
        ):
            self.assertEqual(action_of(move), action)
            self.assertEqual(move_of(action, getattr(move, "owner", 0)), move)

    def test_a_piece_is_of_who_acts(self) -> None:
        action = {"do": "set", "piece": "ANT", "to": [0, 0, 0]}
        self.assertEqual([move_of(action, seat).owner for seat in (0, 1)], [0, 1])

    def test_all_legal_moves_of_recorded_positions(self) -> None:
        scenes = [scene for play in plays() for scene in play.scenes][::40]
        self.assertGreater(len(scenes), 20)
        for scene in scenes:
            state = scene.state
            if HIVE.outcome(state) is not None:
                self.assertEqual(GUIDE.legal(state, state.mover), [])
                continue
            actions = GUIDE.legal(state, state.mover)
            moves = [move_of(action, state.mover) for action in actions]
            self.assertEqual(moves, HIVE.legal_moves(state, state.mover))
            for action, move in zip(actions, moves, strict=True):
                self.assertEqual(read(GUIDE.answer(state, state.mover, action)).move, move)

    def test_who_is_not_to_move_has_none(self) -> None:
        self.assertEqual(GUIDE.legal(START, 1), [])
        action = {"do": "set", "piece": "ANT", "to": [3, 0, -3]}
        self.assertRaises(NotYourTurn, GUIDE.answer, START, 1, action)

    def test_a_pass_where_there_is_nothing_else(self) -> None:
        state = named("all own pieces covered, bee in hand").state
        self.assertEqual(GUIDE.legal(state, 0), [{"do": "skip"}])
        self.assertEqual(read(GUIDE.answer(state, 0, {"do": "skip"})).move, SkipMove())

    def test_the_rules_say_why_not(self) -> None:
        state = named("beetle on top may step down anywhere around").state
        for action, code in (
            ({"do": "skip"}, "skip"),
            ({"do": "set", "piece": "BEE", "to": [4, 0, -4]}, "not-in-hand"),
            ({"do": "set", "piece": "ANT", "to": [5, -5, 0]}, "no-contact"),
            ({"do": "move", "from": [0, 0, 0], "to": [5, -5, 0]}, "not-next"),
            ({"do": "move", "from": [5, -5, 0], "to": [0, 0, 0]}, "no-piece"),
            ({"do": "move", "from": [0, 0, 0], "to": [0, 0, 0]}, "same-cell"),
        ):
            self.assertEqual(self.assertRaises(IllegalMove, GUIDE.answer, state, 0, action).code, code)

    @settings(deadline=None, max_examples=200)
    @given(st.integers(), st.integers(), st.integers())
    def test_a_field_is_one_of_the_board(self, x: int, y: int, z: int) -> None:
        for place in ([x % 13 - 6, y % 13 - 6, z % 13 - 6], [x, y, z]):
            action = {"do": "move", "from": [0, 0, 0], "to": place}
            if max(map(abs, place)) <= 5 and sum(place) == 0:
                self.assertEqual(move_of(action, 0), DragMove(0, 0, 0, *place))
            else:
                self.assertEqual(self.assertRaises(InvalidMove, move_of, action, 0).code, "action")


class StateTests(SynchronousTestCase):
    def test_a_position_is_shown_as_the_game_shows_it(self) -> None:
        state = named("stack of five").state
        self.assertEqual(GUIDE.view(GUIDE.read(element(state))), HIVE.view(state, None))

    def last(self, move: Move, turn: int = 1, said: str = "") -> object:
        state = position({}, (HAND, HAND), turn, ((0, 0), (1, 1), (2, 2)))
        return GUIDE.last(element(state, said or echo(move)), state)

    def test_the_last_move_is_spelled(self) -> None:
        for text in ("S A 0,1", "S q -3,2", "D 0,1 1,1", "P", "S A 1,1,1"):
            move = parse(text)
            self.assertEqual(self.last(move), {"seat": 0, "text": text})
            self.assertEqual(self.last(move, 2), {"seat": 1, "text": text})

    def test_there_is_none_at_the_start(self) -> None:
        self.assertIsNone(GUIDE.last(element(START), START))

    def test_a_hint_does_not_matter(self) -> None:
        said = '<lastMove class="skipmove"><hint>thinking</hint></lastMove>'
        self.assertEqual(self.last(SkipMove(), said=said), {"seat": 0, "text": "P"})

    def test_what_is_no_move(self) -> None:
        for said, code in (
            ('<lastMove class="wasp"/>', "unknown-class"),
            ('<lastMove class="setmove"/>', "missing-part"),
            ('<lastMove class="dragmove"><destination x="a"/></lastMove>', "not-a-number"),
        ):
            self.assertEqual(self.assertRaises(RemoteProtocolError, self.last, SkipMove(), 1, said).code, code)
