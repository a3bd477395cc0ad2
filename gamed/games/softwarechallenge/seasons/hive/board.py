"""The hexagon of 91 cells, and sets of cells as bits of an int.

Source: docs/specs/software-challenge.md#board. A cell (x, y, z) with x + y + z = 0 is named by x and y.

A set of cells is an int, so that the rules can handle all cells of a set at once: a shift moves them all to their
neighbours in one direction. Twelve bits are a row of equal x: eleven for the cells, and one that stays clear. There is
a clear row before the first and after the last one, too. So a cell that is shifted off the board falls on a clear bit,
and not on a cell at the other side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

Cell: TypeAlias = tuple[int, int]
"""A cell's x and y."""

Cells: TypeAlias = int
"""A set of cells."""

RADIUS: Final = 5
"""The largest coordinate."""

_ROW = 2 * RADIUS + 2

CELLS: Final[tuple[Cell, ...]] = tuple(
    (x, y) for x in range(-RADIUS, RADIUS + 1) for y in range(max(-RADIUS, -RADIUS - x), min(RADIUS, RADIUS - x) + 1)
)
"""The cells, by x, then y: the order of the official server."""

INDEX: Final[dict[Cell, int]] = {cell: index for index, cell in enumerate(CELLS)}
"""A cell's index in `CELLS`."""

BITS: Final[tuple[Cells, ...]] = tuple(1 << (x + RADIUS + 1) * _ROW + y + RADIUS + 1 for x, y in CELLS)
"""The bit of each of `CELLS`. A lower bit is an earlier cell."""

BOARD: Final[Cells] = sum(BITS)
"""All cells."""

PLANE: Final[Cells] = (1 << (2 * RADIUS + 3) * _ROW) - 1
"""All cells, and the places beyond the rim that are next to them."""

_INDEX_OF = {bit: index for index, bit in enumerate(BITS)}

_EMPTY: Final[Cells] = 0


def indices(cells: Cells) -> Iterator[int]:
    """Yield the indices in `CELLS` of a set's cells, in order."""
    while cells:
        bit = cells & -cells
        yield _INDEX_OF[bit]
        cells ^= bit


def gathered(*some: Cell) -> Cells:
    """Return a set of cells. Raises KeyError for a cell that is off the board."""
    cells = _EMPTY
    for cell in some:
        cells |= BITS[INDEX[cell]]
    return cells


def around(cells: Cells) -> Cells:
    """Return the cells next to those of a set, which may be cells of the set, too."""
    # Shifts of long integers are most of the cost. A cell and its neighbour at 1 are shifted together, which saves two.
    pairs = cells | cells << 1
    return (pairs << 11 | pairs >> 12 | cells << 1 | cells >> 1) & BOARD


def connected(cells: Cells) -> bool:
    """Whether each cell of a set can be reached from each other one within the set. The empty set is connected."""
    before, reached = 0, cells & -cells
    while reached != cells:
        if reached == before:
            return False
        before = reached
        # As in `around`, but the pairs are also part of the result: a cell that was reached stays reached.
        pairs = before | before << 1
        reached = (pairs << 11 | pairs >> 12 | pairs | before >> 1) & cells
    return True


def facing(cells: Cells) -> tuple[Cells, Cells, Cells, Cells, Cells, Cells]:
    """Return for each of the six directions the places whose neighbour in this direction is a cell of the set.

    The directions (x, y), one after the other around a cell: (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1). Some
    of the places may be beyond the rim.
    """
    return cells >> 12, cells >> 1, cells << 11, cells << 12, cells << 1, cells >> 11
