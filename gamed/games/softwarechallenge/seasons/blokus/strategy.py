"""Players of Blokus: random, greedy (looks at what a piece covers), and looking ahead. They do not use a clock.

The one that looks ahead is limited by a number of positions and not by time, so that it gives the same move on every
machine for the same position and the same random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isqrt
from random import Random
from typing import Final, Protocol

from attrs import field, frozen

from gamed.games.softwarechallenge.seasons.blokus.board import Fields, at_corners, beside, fields
from gamed.games.softwarechallenge.seasons.blokus.moves import COLORS, SetMove
from gamed.games.softwarechallenge.seasons.blokus.position import State
from gamed.games.softwarechallenge.seasons.blokus.rules import is_over
from gamed.games.softwarechallenge.seasons.blokus.shapes import FIELDS, Variant

FIELD: Final = 8
"""The value of a covered field."""

AIM: Final = 3
"""The value of a field at a corner of the own pieces, where the next one can begin."""

BLOCKED: Final = 4
"""The value of a covered field at a corner of the other side's pieces."""

Placed = tuple[int, Variant, int, Fields]
"""The value of a placement, the piece as it lies, the number of the field of its upper left corner, and its fields."""


class Strategy(Protocol):
    """A way to play."""

    def choose(self, state: State, random: Random) -> SetMove:
        """Return a legal move of the colour whose turn it is. The game has not ended."""


def aims(state: State, color: int) -> Fields:
    """Return the free fields at the corners of a colour's pieces, which do not touch one of its sides."""
    own = state.covered[color]
    return at_corners(own) & ~(state.occupied | beside(own))


def valued(state: State) -> list[Placed]:
    """Return all placements of the colour whose turn it is, with their values, in the order of the list of moves."""
    color, occupied = state.color, state.occupied
    own = state.covered[color]
    foes = aims(state, (color + 1) % len(COLORS)) | aims(state, (color + 3) % len(COLORS))
    found: list[Placed] = []
    for variant, corners in state.placements:
        worth = FIELD * FIELDS[variant.shape]
        rest = corners
        while rest:
            bit = rest & -rest
            rest ^= bit
            corner = bit.bit_length() - 1
            covered = variant.fields << corner
            mine = own | covered
            free = at_corners(mine) & ~(occupied | covered | beside(mine))
            value = worth + AIM * free.bit_count() + BLOCKED * (covered & foes).bit_count()
            found.append((value, variant, corner, covered))
    return found


def move_of(state: State, placed: Placed) -> SetMove:
    """Return the move that makes a placement."""
    _, variant, corner, _ = placed
    ((x, y),) = fields(1 << corner)
    return SetMove(state.color, variant.shape, variant.rotation, variant.is_flipped, x, y)


def _value_of(placed: Placed) -> int:
    return placed[0]


@frozen
class Uniform:
    """Any legal move, all equally likely."""

    def choose(self, state: State, random: Random) -> SetMove:
        """Return a legal move."""
        count = sum(corners.bit_count() for _, corners in state.placements)
        wanted = random.randrange(count)
        for variant, corners in state.placements:
            if wanted < corners.bit_count():
                x, y = list(fields(corners))[wanted]
                return SetMove(state.color, variant.shape, variant.rotation, variant.is_flipped, x, y)
            wanted -= corners.bit_count()
        raise AssertionError("a colour without a move never has a turn")


@frozen
class Greedy:
    """One of the placements with the greatest value."""

    def choose(self, state: State, random: Random) -> SetMove:
        """Return a legal move."""
        found = valued(state)
        best = max(map(_value_of, found))
        return move_of(state, random.choice([placed for placed in found if placed[0] == best]))


@frozen
class Ahead:
    """Tries the best placements, lets the other side answer greedily, and takes the one with the best position then."""

    width: int = field(default=10)
    """How many placements are tried."""

    def choose(self, state: State, random: Random) -> SetMove:
        """Return a legal move."""
        found = sorted(valued(state), key=_value_of, reverse=True)[: self.width]
        worths = [(self._worth(state, placed), random.random(), placed) for placed in found]
        return move_of(state, max(worths, key=lambda worth: worth[:2])[2])

    def _worth(self, state: State, placed: Placed) -> int:
        after = state.placed(placed[1].shape, placed[3])
        if not is_over(after) and after.mover != state.mover:
            _, variant, _, covered = max(valued(after), key=_value_of)
            after = after.placed(variant.shape, covered)
        return _balance(after, state.mover)


def _balance(state: State, seat: int) -> int:
    """Return the value of a position to a seat: points, and how many placements each colour has left."""
    total = 0
    for color in range(len(COLORS)):
        worth = FIELD * state.points(color)
        if color in state.playing and not is_over(state):
            # The hundredth placement is worth less than the first one.
            worth += 4 * isqrt(
                sum(corners.bit_count() * FIELDS[variant.shape] for variant, corners in state.placements_of(color))
            )
        total += worth if color % 2 == seat else -worth
    return total


STRATEGIES: Final[Mapping[str, Callable[[], Strategy]]] = {"search": Ahead, "greedy": Greedy, "random": Uniform}
"""The players by name; the last is the easiest."""
