"""The 21 shapes of the pieces, how they are turned and flipped, and where each fits on the board.

Source: docs/reference/blokus.md#shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from attrs import frozen

from gamed.games.softwarechallenge.seasons.blokus.board import SIZE, Fields, number

Shape: TypeAlias = int
"""A shape's index in `SHAPES`."""

Place: TypeAlias = tuple[int, int]

# The fields of each shape as it is written without a rotation, as digits x and y, in the official order.
_OFFICIAL: Final = {
    "MONO": "00",
    "DOMINO": "00 10",
    "TRIO_L": "00 01 11",
    "TRIO_I": "00 01 02",
    "TETRO_O": "00 10 01 11",
    "TETRO_T": "00 10 20 11",
    "TETRO_I": "00 01 02 03",
    "TETRO_L": "00 01 02 12",
    "TETRO_Z": "00 10 11 21",
    "PENTO_L": "00 01 02 03 13",
    "PENTO_T": "00 10 20 11 12",
    "PENTO_V": "00 01 02 12 22",
    "PENTO_S": "10 20 30 01 11",
    "PENTO_Z": "00 10 11 12 22",
    "PENTO_I": "00 01 02 03 04",
    "PENTO_P": "00 10 01 11 02",
    "PENTO_W": "00 01 11 12 22",
    "PENTO_U": "00 01 11 21 20",
    "PENTO_R": "01 11 12 21 20",
    "PENTO_X": "10 01 11 21 12",
    "PENTO_Y": "01 10 11 12 13",
}

SHAPES: Final = tuple(_OFFICIAL)
"""The names of the shapes."""

ALL: Final = (1 << len(SHAPES)) - 1
"""All shapes as a set: shape n is bit n."""

ROTATIONS: Final = ("NONE", "RIGHT", "MIRROR", "LEFT")
"""The names of the rotations: by as many quarters clockwise as their index."""

MONO: Final = 0
"""The shape of one field."""

FIELDS: Final = tuple(len(text.split()) for text in _OFFICIAL.values())
"""How many fields each shape has."""

PENTOMINOES: Final = tuple(shape for shape, size in enumerate(FIELDS) if size == max(FIELDS))
"""The shapes of five fields."""


@frozen(eq=False)
class Variant:
    """A shape as it lies: turned, then flipped."""

    shape: Shape
    rotation: int
    is_flipped: bool

    places: tuple[Place, ...]
    """Its fields from the upper left corner of the rectangle around them, in the order of the official server."""

    shifts: tuple[int, ...]
    """The numbers of the bits of its fields."""

    fields: Fields
    """Its fields in the upper left corner of the board."""

    corners: Fields
    """Where on the board the upper left corner of its rectangle can be."""


def hashed(places: Iterable[Place]) -> tuple[Place, ...]:
    """Return the order in which a `HashSet` of Java yields at most twelve places that were added one after the other.

    The official server checks the fields of a piece in this order, and names the first thing that is wrong.
    """

    def bucket(place: Place) -> int:
        code = (31 * place[0] + place[1]) & 0xFFFF_FFFF
        return (code ^ code >> 16) & 15

    return tuple(sorted(places, key=bucket))


def _aligned(places: Sequence[Place]) -> tuple[Place, ...]:
    left, top = min(x for x, _ in places), min(y for _, y in places)
    return hashed((x - left, y - top) for x, y in places)


_TURNS = (
    lambda x, y: (x, y),
    lambda x, y: (-y, x),
    lambda x, y: (-x, -y),
    lambda x, y: (y, -x),
)


def _variant(shape: Shape, rotation: int, is_flipped: bool) -> Variant:  # noqa: FBT001 (as in Variant)
    places = tuple((int(place[0]), int(place[1])) for place in _OFFICIAL[SHAPES[shape]].split())
    if rotation:
        places = _aligned(hashed(_TURNS[rotation](x, y) for x, y in places))
    if is_flipped:
        places = _aligned([(-x, y) for x, y in places])
    shifts = tuple(number(x, y) for x, y in places)
    right, low = max(x for x, _ in places), max(y for _, y in places)
    corners = sum(1 << number(x, y) for y in range(SIZE - low) for x in range(SIZE - right))
    return Variant(shape, rotation, is_flipped, places, shifts, sum(1 << shift for shift in shifts), corners)


SPELLINGS: Final = {
    (shape, rotation, is_flipped): _variant(shape, rotation, is_flipped)
    for shape in range(len(SHAPES))
    for rotation in range(len(ROTATIONS))
    for is_flipped in (False, True)
}
"""All that a client can write, by shape, rotation and whether it is flipped. Some lie in the same way."""


def _variants(shape: Shape) -> tuple[Variant, ...]:
    found: dict[Fields, Variant] = {}
    for (one, _, _), variant in SPELLINGS.items():
        if one == shape:
            found.setdefault(variant.fields, variant)
    return tuple(found.values())


VARIANTS: Final = tuple(_variants(shape) for shape in range(len(SHAPES)))
"""For each shape all ways in which it can lie, each once, by its first spelling."""
