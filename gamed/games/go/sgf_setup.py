"""The stones that an SGF file sets up before the first move.

A few bytes can name all points of the board, and a hostile file can do so again and again. So the points of a colour
are the bits of one integer, and setting a rectangle takes a few operations, however large it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from attrs import define, field

from gamed.games.go.sgf_values import corners
from gamed.games.go.tree import Point, Stone


@define
class Setup:
    """The setup after some nodes. The point x, y is bit (x - 1) * size + (y - 1) of a mask."""

    size: int

    masks: dict[str, int] = field(factory=dict)
    """The points of each colour."""

    named: int = 0
    """The points that any node has named, as a mask."""

    order: list[int] = field(factory=list)
    """The bits of `named`, in the order in which they were named first."""

    twice: int = 0
    """The points that one node sets up in two colours, as a mask."""

    def change(self, stones: Mapping[str, Sequence[bytes]], cleared: Sequence[bytes]) -> None:
        """Apply a node: the raw values of the points of each colour, and of the points to clear. Raises SgfError."""
        self._clear(self._mask(cleared))
        taken = 0
        for color, values in stones.items():
            mask = self._mask(values)
            self.twice |= mask & taken
            mask &= ~taken
            taken |= mask
            self._clear(mask)
            self.masks[color] = self.masks.get(color, 0) | mask

    def stones(self) -> tuple[Stone, ...]:
        """Return the stones on the board, in the order of `order`."""
        return tuple(self._stones())

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each point that one node sets up twice."""
        for bit in _bits(self.twice):
            point = _points(self.size)[bit]
            yield f"the setup has two stones on {point.x}, {point.y}; the second is left out"

    def _stones(self) -> Iterator[Stone]:
        points = _points(self.size)
        for bit in self.order:
            for color, mask in self.masks.items():
                if mask >> bit & 1:
                    yield Stone(points[bit], color)

    def _clear(self, mask: int) -> None:
        for color in self.masks:
            self.masks[color] &= ~mask

    def _mask(self, values: Sequence[bytes]) -> int:
        mask = 0
        for value in values:
            points = self._rectangle(*corners(value, self.size))
            self.order += _bits(points & ~self.named)
            self.named |= points
            mask |= points
        return mask

    def _rectangle(self, one: Point, other: Point) -> int:
        left, top = min(one.x, other.x) - 1, min(one.y, other.y) - 1
        height, width = abs(one.y - other.y) + 1, abs(one.x - other.x) + 1
        column = (1 << height) - 1
        # Multiplying by the first point of each column repeats the column in all of them.
        return (column * _columns(width, self.size)) << (left * self.size + top)


@lru_cache(8)
def _points(size: int) -> tuple[Point, ...]:
    """Return the points of a board by their bits."""
    return tuple(Point(x, y) for x in range(1, size + 1) for y in range(1, size + 1))


@cache
def _columns(number: int, size: int) -> int:
    """Return the mask of the first point of each of the first `number` columns."""
    return sum(1 << size * column for column in range(number))


def _bits(mask: int) -> Iterator[int]:
    """Yield the bits of a mask, the lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
