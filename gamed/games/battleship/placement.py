"""A defender's side of Battleship: placing a fleet at random, and answering shots truthfully."""

from __future__ import annotations

from random import Random

from attrs import define

from gamed.core.errors import GamedError
from gamed.games.battleship.fleet import (
    FLEET,
    HIT,
    LAST_SUNK,
    PLACEMENTS_THROUGH,
    SIZE,
    SUNK,
    WATER,
    Cell,
    full_rim,
)

FAILED_TRIES = 100
"""Failed tries of a ship after which its board is given up. Source: docs/specs/battleship.md#ship-placement."""

FAILED_BOARDS = 15
"""Boards that may be given up before placing fails. Source: docs/specs/battleship.md#ship-placement."""


class PlacementError(GamedError):
    """No fleet was found within the permitted tries."""


def place_fleet(random: Random) -> tuple[int, ...]:
    """Return five ship masks of the lengths 5, 4, 3, 3, 2 that do not touch, not even at corners.

    A try is a random start cell with one of four directions. The 101st failed try of a ship gives up the board, and the
    16th board given up raises PlacementError. Source: docs/specs/battleship.md#gameds-players,
    docs/specs/battleship.md#ship-placement.
    """
    for _ in range(FAILED_BOARDS + 1):
        fleet = _board(random)
        if fleet:
            return fleet
    raise PlacementError(f"no fleet found: {FAILED_BOARDS + 1} boards given up, {FAILED_TRIES} failed tries a ship")


def _board(random: Random) -> tuple[int, ...]:
    """Return one fleet, or () once a ship has used up its tries."""
    fleet: tuple[int, ...] = ()
    taken = 0
    for length in FLEET:
        ship = _ship(random, length, taken)
        if not ship:
            return ()
        fleet += (ship,)
        taken |= ship | full_rim(ship)
    return fleet


def _ship(random: Random, length: int, taken: int) -> int:
    """Return a ship that avoids `taken`, or 0 if its tries are used up."""
    for _ in range(FAILED_TRIES + 1):
        ship = _FROM[length][random.randrange(SIZE * SIZE)][random.randrange(4)]
        if ship and not ship & taken:
            return ship
    return 0


def _from(length: int, cell: Cell) -> tuple[int, ...]:
    """Return the ships from `cell` to the west, east, north and south; 0 for one that leaves the board."""
    through = PLACEMENTS_THROUGH[length][cell]
    ends = (cell - length + 1, cell + length - 1, cell - SIZE * (length - 1), cell + SIZE * (length - 1))
    # Ends must be on the board, because a negative shift is an error. A ship that wraps into the next row is not in
    # `through`.
    wanted = [(1 << cell | 1 << end) if 0 <= end < SIZE * SIZE else -1 for end in ends]
    return tuple(next((ship for ship in through if ship & both == both), 0) for both in wanted)


_FROM = {length: tuple(_from(length, cell) for cell in range(SIZE * SIZE)) for length in set(FLEET)}


@define
class Defence:
    """A fleet, and the shots at it."""

    fleet: tuple[int, ...]
    """The masks of its ships."""

    shots: int = 0
    """The mask of the cells that were shot at."""

    @property
    def lost(self) -> bool:
        """Whether every ship is sunk."""
        return not sum(self.fleet) & ~self.shots

    def answer(self, cell: Cell) -> int:
        """Take a shot at `cell`, and return its result, 1 to 4.

        A repeated shot is answered as water, hit or sunk again, and never with 4. Source:
        docs/reference/battleship.md#messages.
        """
        bit = 1 << cell
        repeated = self.shots & bit
        self.shots |= bit
        ship = next((ship for ship in self.fleet if ship & bit), 0)
        if not ship:
            return WATER
        if ship & ~self.shots:
            return HIT
        return LAST_SUNK if self.lost and not repeated else SUNK
