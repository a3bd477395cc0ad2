"""A second implementation of the rules for the tests: slow, whole boards at a time, as the rules are worded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from gamed.games.go.tree import Point

Stones: TypeAlias = Mapping[Point, str]


def beside(point: Point, size: int) -> list[Point]:
    x, y = point
    around = (Point(x, y - 1), Point(x - 1, y), Point(x + 1, y), Point(x, y + 1))
    return [there for there in around if 1 <= there.x <= size and 1 <= there.y <= size]


def groups(stones: Stones, size: int) -> Iterator[tuple[str, set[Point], set[Point]]]:
    """Yield colour, stones and liberties of each group."""
    left = set(stones)
    while left:
        first = left.pop()
        group, edge, liberties = {first}, {first}, set()
        while edge:
            around = {there for point in edge for there in beside(point, size)}
            liberties |= around - set(stones)
            edge = {there for there in around & left if stones[there] == stones[first]}
            group |= edge
            left -= edge
        yield stones[first], group, liberties


def dead(stones: Stones, size: int, *, but: str | None = None, only: str | None = None) -> set[Point]:
    """Return the stones without liberties, of all colours but one or of one only."""
    found: set[Point] = set()
    for color, group, liberties in groups(stones, size):
        if not liberties and color != but and only in {None, color}:
            found |= group
    return found


class Slow:
    """A line of moves: every position it had is kept."""

    def __init__(self, size: int, setup: Stones, *, suicide: bool, superko: bool) -> None:
        self.size = size
        self.suicide = suicide
        self.superko = superko
        self.line: list[dict[Point, str]] = [dict(setup)]

    def play(self, point: Point | None, color: str) -> set[Point] | str:
        """Play, or return the code of the reason why not."""
        stones = dict(self.line[-1])
        if point is None:
            self.line.append(stones)
            return set()
        if point in stones:
            return "occupied"
        stones[point] = color
        taken = dead(stones, self.size, but=color)
        if not taken:
            taken = dead(stones, self.size, only=color)
            if taken and not self.suicide:
                return "suicide"
        after = {there: its for there, its in stones.items() if there not in taken}
        if taken and point in after and self.line[-2:-1] == [after]:
            return "ko"
        if self.superko and after in self.line:
            return "superko"
        self.line.append(after)
        return taken

    def undo(self) -> None:
        self.line.pop()
