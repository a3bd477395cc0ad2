"""What a board and its flags do to robots, computed once for each course: where a step leads, what carries where.

Source: docs/specs/roborally.md#4-the-game, docs/specs/roborally.md#56-flags.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final, TypeAlias

from attrs import frozen

from gamed.games.roborally.rules.board import Board
from gamed.games.roborally.rules.elements import DIRECTIONS, DX, DY, Belt, Direction, Pit, Place, Turn
from gamed.games.roborally.rules.robots import REGISTERS

PHASES: Final = range(REGISTERS + 1)
"""The phases 1..5, and 0 for none, so that a phase is an index."""

QUARTERS: Final[Mapping[Turn, int]] = {"R": 1, "L": 3}
"""Clockwise quarter turns of what gears and bends do."""

Places: TypeAlias = Mapping[Place, Place]
"""Where something leads from each place."""


@frozen(cache_hash=True)
class Layout:
    """A board with its flags, in the order in which they are to be touched."""

    board: Board
    flags: tuple[Place, ...]

    @cached_property
    def ways(self) -> tuple[Places, ...]:
        """Where a step leads, by direction and place; a place is missing where a wall stops the step."""
        return tuple(
            {
                (x, y): (x + DX[direction], y + DY[direction])
                for x, y in self.board.floors
                if not self.board.is_walled(x, y, direction)
            }
            for direction in DIRECTIONS
        )

    @cached_property
    def ground(self) -> frozenset[Place]:
        """The places on which a robot can stand: in any other it is destroyed."""
        return frozenset(place for place, floor in self.board.floors.items() if not isinstance(floor, Pit))

    @cached_property
    def express(self) -> Mapping[Place, Direction]:
        """Where the belts of speed 2 carry to."""
        return {place: belt.direction for place, belt in self.board.express.items()}

    @cached_property
    def belts(self) -> Mapping[Place, Direction]:
        """Where the belts of both speeds carry to."""
        return {place: belt.direction for place, belt in self.board.belts.items()}

    @cached_property
    def bends(self) -> tuple[Mapping[Place, int], ...]:
        """Clockwise quarter turns of a robot carried in a direction, by direction and the belt reached."""

        def quarters(belt: Belt, direction: Direction) -> int:
            turn = belt.turn(direction.opposite)
            return QUARTERS[turn] if turn else 0

        return tuple(
            {place: turned for place, belt in self.board.belts.items() if (turned := quarters(belt, direction))}
            for direction in DIRECTIONS
        )

    @cached_property
    def pushers(self) -> tuple[Mapping[Place, Direction], ...]:
        """Where pushers push, by phase; two on one field cancel: docs/specs/roborally.md#411-decisions (D12)."""

        def pushed(phase: int) -> Mapping[Place, Direction]:
            found = {
                place: [direction for direction, pusher in pushers if phase in pusher.phases]
                for place, pushers in self.board.pushers.items()
            }
            return {place: directions[0] for place, directions in found.items() if len(directions) == 1}

        return tuple(map(pushed, PHASES))

    @cached_property
    def gears(self) -> Mapping[Place, int]:
        """Clockwise quarter turns of the gears."""
        return {place: QUARTERS[gear.direction] for place, gear in self.board.gears.items()}

    @cached_property
    def crushers(self) -> tuple[frozenset[Place], ...]:
        """The places under crushers, by phase."""
        belts = self.board.belts
        return tuple(frozenset(place for place, belt in belts.items() if phase in belt.crush) for phase in PHASES)

    @cached_property
    def lit(self) -> Mapping[Place, tuple[tuple[int, int], ...]]:
        """The beams of board lasers over each place: each one's index in `board.beams`, and how far its laser is."""
        found: dict[Place, tuple[tuple[int, int], ...]] = {}
        for index, beam in enumerate(self.board.beams):
            for distance, place in enumerate(beam.path):
                found[place] = (*found.get(place, ()), (index, distance))
        return found

    @cached_property
    def strengths(self) -> tuple[int, ...]:
        """Points of damage of each beam in `board.beams`."""
        return tuple(beam.strength for beam in self.board.beams)

    @cached_property
    def numbers(self) -> Mapping[Place, int]:
        """The number of the flag on a place, from 1."""
        return {place: number for number, place in enumerate(self.flags, 1)}

    @cached_property
    def repairs(self) -> Mapping[Place, int]:
        """Points that are repaired at the end of a turn: a flag repairs one, but adds none to a site."""
        sites = {place: site.points for place, site in self.board.repairs.items()}
        return sites | {place: max(1, sites.get(place, 0)) for place in self.flags}

    @cached_property
    def archives(self) -> frozenset[Place]:
        """The places to which the archive of a robot moves that stands there after a phase."""
        return frozenset(self.board.repairs).union(self.flags)
