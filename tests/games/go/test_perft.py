"""Lines of moves counted by the engine and by a slow second implementation, and numbers that are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attrs import frozen
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RuleError
from gamed.games.go.board import FIRST_COLORS, Board, ruleset
from gamed.games.go.rules import Position
from gamed.games.go.tree import Point
from tests.games.go.slow import Slow
from tests.games.go.test_board import stones

FILES = sorted((Path(__file__).parent / "perft").glob("*.txt"))


@frozen
class Case:
    rules: str
    rows: tuple[str, ...]
    depths: dict[int, int]


def cases(text: str) -> list[Case]:
    found = []
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for block in plain.strip().split("\n\n"):
        words = [line.split() for line in block.splitlines() if line]
        (rules,) = [rest[0] for word, *rest in words if word == "rules"]
        rows = tuple(rest[0] for word, *rest in words if word == "row")
        depths = {int(rest[0]): int(rest[1]) for word, *rest in words if word == "depth"}
        found.append(Case(rules, rows, depths))
    return found


def perft(play: Callable[[Point | None, str], bool], undo: Callable[[], None], size: int, depth: int) -> int:
    """Count lines; `play` says whether a move was legal. Goes down by recursion, which tests may."""
    moves = [None, *(Point(x, y) for y in range(1, size + 1) for x in range(1, size + 1))]

    def down(left: int, color: int, passes: int) -> int:
        if passes == 2:
            return left == 0
        if left == 0:
            return 1
        total = 0
        for move in moves:
            if play(move, FIRST_COLORS[color]):
                total += down(left - 1, 1 - color, passes + 1 if move is None else 0)
                undo()
        return total

    return down(depth, 0, 0)


def by_engine(case: Case, depth: int) -> int:
    of = Board.start(len(case.rows), stones(*case.rows), ruleset(case.rules))

    def play(point: Point | None, color: str) -> bool:
        try:
            of.play(point, color)
        except RuleError:
            return False
        return True

    return perft(play, of.undo, of.size, depth)


def by_slow(case: Case, depth: int) -> int:
    rules = ruleset(case.rules)
    setup = {stone.point: stone.color for stone in stones(*case.rows)}
    of = Slow(len(case.rows), setup, suicide=rules.suicide, superko=rules.superko)
    return perft(lambda point, color: not isinstance(of.play(point, color), str), of.undo, of.size, depth)


class PerftTests(SynchronousTestCase):
    def test_there_are_files(self) -> None:
        self.assertGreaterEqual(sum(len(cases(path.read_text())) for path in FILES), 14)

    def test_the_engine_counts_what_the_files_say(self) -> None:
        for path in FILES:
            for case in cases(path.read_text()):
                counted = {depth: by_engine(case, depth) for depth in case.depths}
                self.assertEqual(counted, case.depths, case)

    def test_the_slow_implementation_counts_the_same(self) -> None:
        for path in FILES:
            for case in cases(path.read_text()):
                depths = {depth: lines for depth, lines in case.depths.items() if lines <= 6000}
                self.assertEqual({depth: by_slow(case, depth) for depth in depths}, depths, case)


class KnownNumberTests(SynchronousTestCase):
    def reached(self, size: int) -> int:
        """Count the positions that can be reached, whoever moves, as bytes of cells."""
        rules = ruleset(None)
        start = Position.start(size)
        seen = {start.cells}
        edge = [start.cells]
        while edge:
            of = Board(size, rules, bytearray(edge.pop()))
            for color in FIRST_COLORS:
                for point in of.legal(color):
                    of.play(point, color)
                    cells = bytes(of.cells)
                    of.undo()
                    if cells not in seen:
                        seen.add(cells)
                        edge.append(cells)
        return len(seen)

    def test_legal_positions(self) -> None:
        """Legal positions on square boards: OEIS A094777."""
        self.assertEqual([self.reached(size) for size in (1, 2, 3)], [1, 57, 12675])
