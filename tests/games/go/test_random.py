"""Random games: the engine against the slow implementation, and what holds after every move."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RuleError
from gamed.games.go.board import Board, points, ruleset
from gamed.games.go.rules import Position
from gamed.games.go.tree import Point
from tests.games.go.slow import Slow, dead

RULES = ("japanese", "chinese", "new-zealand", "tromp-taylor", "goe")
PALETTE = ("black", "white", "red", "green")


@st.composite
def lines(draw: st.DrawFn) -> tuple[int, str, list[tuple[Point | None, str]]]:
    """Draw a board size, rules, and moves of two to four colours, most of them in turn, some of them illegal."""
    size = draw(st.integers(1, 5))
    colors = PALETTE[: draw(st.integers(2, 4))]
    one = st.sampled_from((None, *points(size), *points(size), *points(size)))
    chosen = draw(st.lists(one, max_size=90))
    strays = draw(st.sets(st.integers(0, 89), max_size=5))
    turn = [colors[(number + (number in strays)) % len(colors)] for number in range(len(chosen))]
    return size, draw(st.sampled_from(RULES)), list(zip(chosen, turn, strict=True))


def played(of: Board, point: Point | None, color: str) -> set[Point] | str:
    try:
        return set(of.play(point, color))
    except RuleError as error:
        return error.code


class RandomTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=300)
    @given(lines())
    def test_the_engine_is_as_the_slow_implementation(self, line) -> None:
        size, name, moves = line
        rules = ruleset(name)
        slow = Slow(size, {}, suicide=rules.suicide, superko=rules.superko)
        of = Board.start(size, rules=rules)
        for point, color in moves:
            self.assertEqual(played(of, point, color), slow.play(point, color))
            self.assertEqual(of.stones, slow.line[-1])
        for before in reversed(slow.line[:-1]):
            of.undo()
            self.assertEqual(of.stones, before)
        self.assertEqual((of.moves, of.ko, of.prisoners), (0, None, {}))

    @settings(deadline=None)
    @given(lines())
    def test_what_holds_after_every_move(self, line) -> None:
        size, name, moves = line
        of = Board.start(size, rules=ruleset(name))
        for point, color in moves:
            before = of.stones
            removed = played(of, point, color)
            if isinstance(removed, str):
                self.assertEqual(of.stones, before)
                continue
            self.assertEqual(dead(of.stones, size), set())
            self.assertLessEqual(removed - {point}, set(before))
            if point not in removed:
                self.assertNotIn(color, {before[there] for there in removed})
            self.assertEqual(dead({**before, **({point: color} if point else {})}, size) & removed, removed)

    @settings(deadline=None)
    @given(lines())
    def test_going_on_after_taking_back_is_as_if_nothing_was(self, line) -> None:
        size, name, moves = line
        straight, zigzag = (Board.start(size, rules=ruleset(name)) for _ in range(2))
        for number, (point, color) in enumerate(moves):
            for other, its in moves[number : number + 3]:
                count = zigzag.moves
                played(zigzag, other, its)
                while zigzag.moves > count:
                    zigzag.undo()
            self.assertEqual(played(zigzag, point, color), played(straight, point, color))
            self.assertEqual((zigzag.cells, zigzag.ko), (straight.cells, straight.ko))
            self.assertEqual(zigzag.prisoners, straight.prisoners)

    @settings(deadline=None)
    @given(lines())
    def test_positions_are_as_boards(self, line) -> None:
        size, name, moves = line
        rules = ruleset(name)
        of, position = Board.start(size, rules=rules), Position.start(size)
        for point, color in moves:
            removed = played(of, point, color)
            if isinstance(removed, str):
                error = self.assertRaises(RuleError, position.play, point, color, rules)
                self.assertEqual(error.code, removed)
                continue
            before = position
            position = position.play(point, color, rules)
            self.assertEqual((position.stones, set(position.removed)), (of.stones, removed))
            placed = before.place(point, color, position.removed)
            self.assertEqual((placed.stones, placed.removed), (position.stones, position.removed))
