"""The hexagon of 91 cells, and sets of cells as bits of an int.

Source: docs/specs/software-challenge.md#board. A cell (x, y, z) with x + y + z = 0 is named by x and y. In a set the
cell has the bit of `BITS`; twelve bits make a row of equal x. The bits beyond the board stay clear, so a set that is
shifted by one step in a direction wraps around into nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

Cell: TypeAlias = tuple[int, int]
"""A cell's x and y."""

Cells: TypeAlias = int
"""A set of cells."""

RADIUS: Final = 5
"""The greatest coordinate."""

_ROW = 2 * RADIUS + 2

CELLS: Final[tuple[Cell, ...]] = tuple(
    (x, y) for x in range(-RADIUS, RADIUS + 1) for y in range(max(-RADIUS, -RADIUS - x), min(RADIUS, RADIUS - x) + 1)
)
"""The cells, by x, then y: the order of the official server."""

INDEX: Final[dict[Cell, int]] = {cell: index for index, cell in enumerate(CELLS)}
"""A cell's place in `CELLS`."""

BITS: Final[tuple[Cells, ...]] = tuple(1 << (x + RADIUS + 1) * _ROW + y + RADIUS + 1 for x, y in CELLS)
"""The bit of each of `CELLS`. A lower bit is an earlier cell."""

BOARD: Final[Cells] = sum(BITS)
"""All cells."""

PLANE: Final[Cells] = (1 << (2 * RADIUS + 3) * _ROW) - 1
"""All cells and what lies around them."""

_INDEX_OF = {bit: index for index, bit in enumerate(BITS)}

_EMPTY: Final[Cells] = 0


def indices(cells: Cells) -> Iterator[int]:
    """Yield the places in `CELLS` of a set's cells, in order."""
    while cells:
        bit = cells & -cells
        yield _INDEX_OF[bit]
        cells ^= bit


def gathered(*some: Cell) -> Cells:
    """Return a set of cells. Raises KeyError for one that is off the board."""
    cells = _EMPTY
    for cell in some:
        cells |= BITS[INDEX[cell]]
    return cells


def around(cells: Cells) -> Cells:
    """Return the cells that have a neighbour in a set."""
    # Two shifts of pairs of neighbours are four of cells: shifts of long integers are most of what this costs.
    pairs = cells | cells << 1
    return (pairs << 11 | pairs >> 12 | cells << 1 | cells >> 1) & BOARD


def connected(cells: Cells) -> bool:
    """Whether one can go from each cell of a set to each other within it; the empty set counts as connected."""
    before, reached = 0, cells & -cells
    while reached != before:
        before = reached
        # As in `around`; and what was reached stays reached.
        pairs = before | before << 1
        reached = (pairs << 11 | pairs >> 12 | pairs | before >> 1) & cells
    return reached == cells


def facing(cells: Cells) -> tuple[Cells, Cells, Cells, Cells, Cells, Cells]:
    """Return for each of the six directions, in turn round the clock, what has a cell of a set as neighbour there.

    The directions (x, y): (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1). There may be bits beyond the board.
    """
    return cells >> 12, cells >> 1, cells << 11, cells << 12, cells << 1, cells >> 11
