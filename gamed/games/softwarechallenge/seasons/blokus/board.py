"""The board of 20 by 20 fields, and sets of fields as bits of an int.

Source: docs/reference/blokus.md#board. A field is named by x, from the left, and y, from the top, both from 0.

A set of fields is an int, so that the rules can handle all fields of a set at once: a shift moves them all in one
direction. A row has 21 bits: one for each field, and one that stays clear, so that a field that is shifted off the
board does not come back at the other side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

Fields: TypeAlias = int
"""A set of fields."""

SIZE: Final = 20
"""The number of rows and of columns."""

ROW: Final = SIZE + 1
"""The number of bits from a field to the one below it."""

_NUMBERS = range(SIZE)


def number(x: int, y: int) -> int:
    """Return the number of a field's bit."""
    return y * ROW + x


def is_inside(x: int, y: int) -> bool:
    """Whether a field is on the board."""
    return 0 <= x < SIZE and 0 <= y < SIZE


def fields(bits: Fields) -> Iterator[tuple[int, int]]:
    """Yield the fields of a set, row by row."""
    while bits:
        bit = bits & -bits
        y, x = divmod(bit.bit_length() - 1, ROW)
        yield x, y
        bits ^= bit


BOARD: Final[Fields] = sum(1 << number(x, y) for y in _NUMBERS for x in _NUMBERS)
"""All fields."""

RIM: Final[Fields] = sum(1 << number(x, y) for y in _NUMBERS for x in _NUMBERS if {x, y} & {0, SIZE - 1})
"""The fields at the edge of the board."""


def beside(bits: Fields) -> Fields:
    """Return the fields that share a side with a field of a set; they may be fields of the set, too."""
    return (bits << ROW | bits >> ROW | bits << 1 | bits >> 1) & BOARD


def at_corners(bits: Fields) -> Fields:
    """Return the fields that touch a field of a set at a corner; they may be fields of the set, too."""
    rows = bits << ROW | bits >> ROW
    return (rows << 1 | rows >> 1) & BOARD
