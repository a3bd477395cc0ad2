"""What a board and its flags do to robots, as tables that are computed once for each course.

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
"""The phases 1..5, and 0 for "in no phase". Tables by phase have an entry for each."""

QUARTERS: Final[Mapping[Turn, int]] = {"R": 1, "L": 3}
"""The turns of gears and bends, as clockwise quarter turns."""

Places: TypeAlias = Mapping[Place, Place]
"""From a place to the place that something leads to."""


@frozen(cache_hash=True)
class Layout:
    """A board with its flags."""

    board: Board

    flags: tuple[Place, ...]
    """The places of the flags, in the order in which robots must touch them."""

    @cached_property
    def ways(self) -> tuple[Places, ...]:
        """Where a step in a direction leads from each place. A place is missing if a wall stops the step."""
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
        """The places on which a robot can stand. In any other place it is destroyed."""
        return frozenset(place for place, floor in self.board.floors.items() if not isinstance(floor, Pit))

    @cached_property
    def express(self) -> Mapping[Place, Direction]:
        """The directions of the express belts, by their places."""
        return {place: belt.direction for place, belt in self.board.express.items()}

    @cached_property
    def belts(self) -> Mapping[Place, Direction]:
        """The directions of all belts, express belts included, by their places."""
        return {place: belt.direction for place, belt in self.board.belts.items()}

    @cached_property
    def bends(self) -> tuple[Mapping[Place, int], ...]:
        """For each direction of being carried: a robot's quarter turns, by the place of the belt that it reaches."""

        def quarters(belt: Belt, direction: Direction) -> int:
            turn = belt.turn(direction.opposite)
            return QUARTERS[turn] if turn else 0

        return tuple(
            {place: turned for place, belt in self.board.belts.items() if (turned := quarters(belt, direction))}
            for direction in DIRECTIONS
        )

    @cached_property
    def pushers(self) -> tuple[Mapping[Place, Direction], ...]:
        """For each phase the directions of the active pushers, by their places.

        Two active pushers on one field cancel each other: docs/specs/roborally.md#411-decisions (D12).
        """

        def pushed(phase: int) -> Mapping[Place, Direction]:
            found = {
                place: [direction for direction, pusher in pushers if phase in pusher.phases]
                for place, pushers in self.board.pushers.items()
            }
            return {place: directions[0] for place, directions in found.items() if len(directions) == 1}

        return tuple(map(pushed, PHASES))

    @cached_property
    def gears(self) -> Mapping[Place, int]:
        """The quarter turns of the gears, by their places."""
        return {place: QUARTERS[gear.direction] for place, gear in self.board.gears.items()}

    @cached_property
    def crushers(self) -> tuple[frozenset[Place], ...]:
        """For each phase the places under active crushers."""
        belts = self.board.belts
        return tuple(frozenset(place for place, belt in belts.items() if phase in belt.crush) for phase in PHASES)

    @cached_property
    def moving(self) -> tuple[frozenset[Place], ...]:
        """For each phase the places with belts, gears, and active pushers and crushers."""
        always = {*self.belts, *self.gears}
        return tuple(
            frozenset(always.union(pushers, crushers))
            for pushers, crushers in zip(self.pushers, self.crushers, strict=True)
        )

    @cached_property
    def lit(self) -> Mapping[Place, tuple[tuple[int, int], ...]]:
        """The beams over each place: the index of each in `board.beams`, and the distance to its laser."""
        found: dict[Place, tuple[tuple[int, int], ...]] = {}
        for index, beam in enumerate(self.board.beams):
            for distance, place in enumerate(beam.path):
                found[place] = (*found.get(place, ()), (index, distance))
        return found

    @cached_property
    def strengths(self) -> tuple[int, ...]:
        """The points of damage of each beam in `board.beams`."""
        return tuple(beam.strength for beam in self.board.beams)

    @cached_property
    def numbers(self) -> Mapping[Place, int]:
        """The numbers of the flags, from 1, by their places."""
        return {place: number for number, place in enumerate(self.flags, 1)}

    @cached_property
    def repairs(self) -> Mapping[Place, int]:
        """The points that each place repairs at the end of a turn: a flag one, a site with a flag no more for it."""
        sites = {place: site.points for place, site in self.board.repairs.items()}
        return sites | {place: max(1, sites.get(place, 0)) for place in self.flags}

    @cached_property
    def archives(self) -> frozenset[Place]:
        """The flags and repair sites: a robot that ends a phase on one of them moves its archive there."""
        return frozenset(self.board.repairs).union(self.flags)
