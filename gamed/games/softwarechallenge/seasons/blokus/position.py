"""A position: the fields of each colour, the pieces that are left, and the colours that are still in the game.

Source: docs/reference/blokus.md#turns, docs/reference/blokus.md#legal-moves, docs/reference/blokus.md#the-end.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final, TypeAlias

from attrs import frozen

from gamed.core.game import Seat
from gamed.games.softwarechallenge.seasons.blokus.board import BOARD, RIM, Fields, at_corners, beside
from gamed.games.softwarechallenge.seasons.blokus.moves import COLORS, Color
from gamed.games.softwarechallenge.seasons.blokus.shapes import ALL, FIELDS, MONO, SHAPES, VARIANTS, Shape, Variant

MOST: Final = sum(FIELDS)
"""The points for all pieces of a colour: one for each field."""

ALL_PLACED: Final = 15
"""The points for a colour that has placed all of its pieces."""

MONO_LAST: Final = 5
"""The points beyond these if the last piece was the smallest one."""

Placement: TypeAlias = tuple[Variant, Fields]
"""How a piece may lie, and the fields where the upper left corner of its rectangle may be; these are never none."""

_COLORS = range(len(COLORS))


@frozen
class State:
    """A position."""

    turn: int = 0
    """The number of the turn. The turns of colours that are out are counted, too."""

    start: Shape | None = None
    """The shape with which each colour begins; None before chance has drawn it."""

    covered: tuple[Fields, ...] = (0,) * len(COLORS)
    """By colour, the fields of its pieces."""

    left: tuple[int, ...] = (ALL,) * len(COLORS)
    """By colour, the set of the shapes that it has not placed."""

    playing: tuple[Color, ...] = tuple(_COLORS)
    """The colours that are still in the game. A colour without a move drops out only when its turn comes."""

    mono_last: tuple[bool | None, ...] = (None,) * len(COLORS)
    """By colour, whether its last piece was the smallest one; None: it has not placed all."""

    @property
    def color(self) -> Color:
        """The colour whose turn it is."""
        return self.turn % len(COLORS)

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return 1 + self.turn // len(COLORS)

    @property
    def mover(self) -> Seat:
        """The seat whose turn it is: 0 has BLUE and RED, 1 has YELLOW and GREEN."""
        return self.turn & 1

    @property
    def is_first(self) -> bool:
        """Whether the colour whose turn it is has not placed a piece yet."""
        return self.left[self.color] == ALL

    @property
    def occupied(self) -> Fields:
        """The fields that are covered by a piece."""
        blue, yellow, red, green = self.covered
        return blue | yellow | red | green

    def points(self, color: Color) -> int:
        """Return the points of a colour."""
        left = self.left[color]
        if left:
            return MOST - sum(FIELDS[shape] for shape in shapes(left))
        return MOST + ALL_PLACED + (MONO_LAST if self.mono_last[color] else 0)

    def team_points(self, seat: Seat) -> int:
        """Return the points of a seat's two colours."""
        return self.points(seat) + self.points(seat + 2)

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """How the colour whose turn it is may place each of its pieces."""
        return tuple(self.placements_of(self.color))

    def placements_of(self, color: Color) -> Iterator[Placement]:
        """Yield how a colour may place each of its pieces, as if it were its turn."""
        own = self.covered[color]
        barred = self.occupied | beside(own)
        if self.left[color] == ALL:
            aims, left = RIM & ~barred, 0 if self.start is None else 1 << self.start
        else:
            aims, left = at_corners(own) & ~barred, self.left[color]
        if not aims:
            return
        free = BOARD & ~barred
        for shape in shapes(left):
            for variant in VARIANTS[shape]:
                fits, reaches = variant.corners, 0
                for shift in variant.shifts:
                    fits &= free >> shift
                    reaches |= aims >> shift
                if fits & reaches:
                    yield variant, fits & reaches

    def placed(self, shape: Shape, fields: Fields) -> State:
        """Return the state after the colour whose turn it is has put a piece on fields."""
        color = self.color
        left = self.left[color] & ~(1 << shape)
        mono = self.mono_last if left else _with(self.mono_last, color, value=shape == MONO)
        covered = _with(self.covered, color, self.covered[color] | fields)
        return self._advanced(covered, _with(self.left, color, left), mono)

    def skipped(self) -> State:
        """Return the state after a pass."""
        return self._advanced(self.covered, self.left, self.mono_last)

    def _advanced(self, covered: tuple[Fields, ...], left: tuple[int, ...], mono: tuple[bool | None, ...]) -> State:
        """Return the state at the turn of the next colour that has a move, without the colours before it."""
        turn, playing = self.turn, self.playing
        while playing:
            turn += 1
            if turn % len(COLORS) not in playing:
                continue
            state = State(turn, self.start, covered, left, playing, mono)
            if state.placements:
                return state
            playing = tuple(color for color in playing if color != state.color)
        return State(turn, self.start, covered, left, playing, mono)


def _with(values: tuple, color: Color, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:color], value, *values[color + 1 :])


def shapes(some: int) -> Iterator[Shape]:
    """Yield the shapes of a set, in the official order."""
    for shape in range(len(SHAPES)):
        if some >> shape & 1:
            yield shape
