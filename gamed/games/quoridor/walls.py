"""The board as bit sets: cells, walls, and the open ways between cells.

Source: docs/specs/quoridor.md#walls, docs/specs/quoridor.md#pawns. A cell (x, y) is the bit x + 10 y: a tenth column,
which is not on the board, keeps a step to the side from wrapping into the next row. A wall is the bit of the cell
from whose upper left corner it is drawn, in one set for each orientation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

Cell: TypeAlias = int
"""The number of a cell's bit, x + 10 y."""

SIZE: Final = 9
ROW: Final = SIZE + 1
"""How many bits a row takes."""


def cell_at(x: int, y: int) -> Cell:
    """Return the cell in column x, from the left, and row y, from the top; both 0..8."""
    return x + ROW * y


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _box(columns: range, rows: range) -> int:
    return sum(1 << cell_at(x, y) for x in columns for y in rows)


BOARD: Final = _box(range(SIZE), range(SIZE))
HORIZONTAL_PLACES: Final = _box(range(SIZE - 1), range(1, SIZE))
VERTICAL_PLACES: Final = _box(range(1, SIZE), range(SIZE - 1))
GOALS: Final = (
    _box(range(SIZE), range(SIZE - 1, SIZE)),
    _box(range(SIZE), range(1)),
    _box(range(SIZE - 1, SIZE), range(SIZE)),
    _box(range(1), range(SIZE)),
)
"""The goal cells of each seat: the bottom row, the top row, the right column, the left column."""

_NOT_TOP: Final = BOARD & ~GOALS[1]
_NOT_LEFT: Final = BOARD & ~GOALS[3]
# The corners of cells, numbered as the cell to the lower right is; a tenth column and row of corners has its bits.
_RIM: Final = _box(range(ROW), range(ROW)) & ~_box(range(1, SIZE), range(1, SIZE))


class Walls(NamedTuple):
    """The walls on a board: the bit sets of the horizontal ones and of the vertical ones."""

    horizontal: int = 0
    vertical: int = 0


class Open(NamedTuple):
    """The open ways: the cells with a way to the north, and the cells with a way to the west.

    A cell has a way to the south if its southern neighbour has one to the north. The same holds for east and west.
    """

    north: int
    west: int


def open_ways(walls: Walls) -> Open:
    """Return the ways between neighbouring cells. A wall that sticks out of the board counts with the part on it."""
    horizontal, vertical = walls
    return Open(_NOT_TOP & ~(horizontal | horizontal << 1), _NOT_LEFT & ~(vertical | vertical << ROW))


def overlapped(walls: Walls) -> Walls:
    """Return the places where a wall would lie on another one, completely or by half."""
    horizontal, vertical = walls
    return Walls(horizontal | horizontal << 1 | horizontal >> 1, vertical | vertical << ROW | vertical >> ROW)


def crossed(walls: Walls) -> Walls:
    """Return the places where a wall would cross another one in the middle of both."""
    return Walls(walls.vertical << ROW - 1, walls.horizontal >> ROW - 1)


def fitting(walls: Walls) -> Walls:
    """Return the places where a wall would neither lie on another one nor cross one."""
    (lying_h, lying_v), (crossing_h, crossing_v) = overlapped(walls), crossed(walls)
    return Walls(HORIZONTAL_PLACES & ~(lying_h | crossing_h), VERTICAL_PLACES & ~(lying_v | crossing_v))


def joining(walls: Walls) -> Walls:
    """Return the places where a wall would touch the border or other walls at two or three of its three corners.

    A wall at any other place closes no ring, so it cannot cut the board in two.
    """
    horizontal, vertical = walls
    touched = _RIM | horizontal | horizontal << 1 | horizontal << 2 | vertical | vertical << ROW | vertical << 2 * ROW
    right, far_right = touched >> 1, touched >> 2
    below, far_below = touched >> ROW, touched >> 2 * ROW
    return Walls(
        touched & (right | far_right) | right & far_right,
        touched & (below | far_below) | below & far_below,
    )
