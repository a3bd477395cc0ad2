"""The notation, and what the official server calls a move."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import InvalidMove
from gamed.games.softwarechallenge.seasons.hive.board import CELLS
from gamed.games.softwarechallenge.seasons.hive.moves import (
    NOBODY,
    NOTHING,
    TYPES,
    Action,
    DragMove,
    DragNowhere,
    Obstructed,
    SetMove,
    SkipMove,
    described,
    parse,
    to_notation,
)
from tests.games.softwarechallenge.hive.recorded import plays

number = st.integers(-5, 5) | st.integers(-(2**31), 2**31 - 1)
plane = st.builds(lambda x, y: (x, y, -x - y), number, number)
triples = plane.filter(lambda triple: abs(triple[2]) < 2**32) | st.tuples(number, number, number)
sets = st.builds(
    lambda kind, owner, at: SetMove(kind, owner, *at), st.sampled_from("QSGBA"), st.integers(0, 1), triples
)
drags = st.builds(lambda start, end: DragMove(*start, *end), triples | st.just((None, None, None)), triples)
lots = st.builds(lambda cells: Obstructed(tuple(cells)), st.lists(st.sampled_from(CELLS), min_size=1, max_size=4))
actions = st.one_of(sets, drags, lots, st.just(SkipMove()))


class NotationTests(SynchronousTestCase):
    """Source: part D."""

    def check(self, text: str, move: Action) -> None:
        self.assertEqual(to_notation(move), text)
        self.assertEqual(parse(text), move)

    def test_a_set(self) -> None:
        self.check("S A 0,1", SetMove("A", 0, 0, 1, -1))

    def test_the_letter_tells_the_owner(self) -> None:
        self.check("S g -5,3", SetMove("G", 1, -5, 3, 2))

    def test_a_drag(self) -> None:
        self.check("D 2,-3 2,-2", DragMove(2, -3, 1, 2, -2, 0))

    def test_a_skip(self) -> None:
        self.check("P", SkipMove())

    def test_what_chance_does(self) -> None:
        self.check("O -3,2 0,0 1,0", Obstructed(((-3, 2), (0, 0), (1, 0))))

    def test_a_third_coordinate_that_does_not_follow_is_told(self) -> None:
        self.check("S A 0,1,5", SetMove("A", 0, 0, 1, 5))
        self.check("D 0,0,1 1,0", DragMove(0, 0, 1, 1, 0, -1))
        self.check("D 0,0 1,0,0", DragMove(0, 0, 0, 1, 0, 0))

    def test_a_third_coordinate_that_follows_may_be_told(self) -> None:
        self.assertEqual(parse("S A 0,1,-1"), parse("S A 0,1"))

    def test_a_drag_without_a_start(self) -> None:
        self.check("D - 0,0", DragMove(None, None, None, 0, 0, 0))

    @settings(deadline=None, max_examples=300)
    @given(actions)
    def test_what_is_spelled_is_parsed(self, move: Action) -> None:
        self.assertEqual(parse(to_notation(move)), move)

    def test_different_moves_are_spelled_differently(self) -> None:
        moves = {SetMove(kind, owner, x, y, z) for kind in "QA" for owner in (0, 1) for x, y, z in _NEAR}
        moves |= {DragMove(*start, *end) for start in _NEAR for end in _NEAR}
        self.assertEqual(len({to_notation(move) for move in moves}), len(moves))

    def test_what_is_no_move(self) -> None:
        wrong = (
            "",
            "p",
            "P ",
            "S",
            "S A",
            "S A 0",
            "S X 0,1",
            "S A 0,1 ",
            "S A 0,1,2,3",
            "S  A 0,1",
            "S AA 0,1",
            "D 0,0",
        )
        more = ("D 0,0 1", "D 0,0 1,1 2,2", "O", "O 1", "O 1,2,3", "S A 0x1,1", "S A +1,0", "S A 1.0,2", "S A 1,\u0661")
        for text in (*wrong, *more, "S A 12345678901,0", "P\n", "s A 0,1", "X 0,0", "D 1,1 -", "\x00"):
            with self.assertRaises(InvalidMove) as caught:
                parse(text)
            self.assertEqual(caught.exception.code, "notation", text)

    @settings(deadline=None, max_examples=300)
    @given(st.text(max_size=20) | st.text(alphabet="SDPO QAB-,0123", max_size=20))
    def test_any_text_is_a_move_or_no_move(self, text: str) -> None:
        try:
            move = parse(text)
        except InvalidMove:
            return
        self.assertEqual(parse(to_notation(move)), move)

    def test_a_long_text_is_quoted_in_part(self) -> None:
        with self.assertRaises(InvalidMove) as caught:
            parse("S A " + "1" * 10_000)
        self.assertLess(len(str(caught.exception)), 80)

    def test_the_recorded_moves_are_spelled_as_they_were(self) -> None:
        for play in plays():
            for scene in play.scenes:
                for text in scene.legal[:20]:
                    self.assertEqual(to_notation(parse(text)), text)


_NEAR = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]


class DescribedTests(SynchronousTestCase):
    """The examples are those of sessions 20, 21, 22, 26, 70 and 23."""

    def test_sets(self) -> None:
        self.assertEqual(described(SetMove("A", 0, 4, -1, -3)), "; move was Set RED ANT to (4,-1,-3)")
        self.assertEqual(described(SetMove("A", 1, 0, -4, 4)), "; move was Set BLUE ANT to (0,-4,4)")
        self.assertEqual(described(SetMove("A", 0, 9, 0, -9)), "; move was Set RED ANT to (9,0,-9)")

    def test_the_names_of_the_types(self) -> None:
        self.assertEqual(set(TYPES.values()), {"BEE", "SPIDER", "GRASSHOPPER", "BEETLE", "ANT"})
        for letter, name in TYPES.items():
            self.assertEqual(described(SetMove(letter, 0, 0, 0, 0)), f"; move was Set RED {name} to (0,0,0)")

    def test_a_drag(self) -> None:
        self.assertEqual(described(DragMove(2, -3, 1, 2, -2, 0)), "; move was Drag from (2,-3,1) to (2,-2,0)")

    def test_a_drag_without_a_start(self) -> None:
        self.assertEqual(described(DragMove(None, None, None, 0, 0, 0)), "; move was Drag from null to (0,0,0)")

    def test_parts_that_are_missing(self) -> None:
        self.assertEqual(described(SetMove(NOTHING, NOBODY, 0, 0, 0)), "; move was Set null null to (0,0,0)")
        self.assertEqual(described(DragNowhere((1, 0, -1))), "; move was Drag from (1,0,-1) to null")
        self.assertEqual(described(DragNowhere(None)), "; move was Drag from null to null")

    def test_coordinates_are_shown_as_they_were_sent(self) -> None:
        self.assertEqual(described(SetMove("Q", 1, 0, -4, 17)), "; move was Set BLUE BEE to (0,-4,17)")

    def test_a_skip_has_no_suffix(self) -> None:
        self.assertEqual(described(SkipMove()), "")
