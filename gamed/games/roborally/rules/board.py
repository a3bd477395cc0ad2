"""A board: the fields of a rectangle, and the walls and devices between them.

Source: docs/specs/roborally.md#51-geometry. A *field* is a square of the board; (1, 1) is the one in the south-west.
Every field that is not covered by a tile is a pit, inside the rectangle and outside, and has only the walls of covered
neighbours. The module also exports the parts that boards consist of, so that users of boards need one import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import product
from typing import Final

from attrs import field, frozen

from gamed.games.roborally.rules.elements import (
    DIRECTIONS,
    DX,
    DY,
    LETTERS,
    OPEN,
    PIT,
    PLAIN,
    Belt,
    Device,
    Direction,
    Floor,
    Gear,
    Laser,
    Pit,
    Place,
    Plain,
    Pusher,
    Repair,
    Turn,
    Wall,
    Walls,
)
from gamed.games.roborally.rules.notation import (
    NotationError,
    floor_to_notation,
    read_field_row,
    read_wall_row,
    rows_of,
    wall_to_notation,
)

__all__ = [
    "DIRECTIONS",
    "DX",
    "DY",
    "LETTERS",
    "OPEN",
    "PIT",
    "PLAIN",
    "Beam",
    "Belt",
    "Board",
    "Device",
    "Direction",
    "Floor",
    "Gear",
    "Laser",
    "NotationError",
    "Pit",
    "Place",
    "Plain",
    "Pusher",
    "Repair",
    "Turn",
    "Wall",
    "Walls",
    "parse_plan",
]

LARGEST: Final = 255
"""Fields in a column or row of a plan, at most."""

_NO_WALLS: Final = (OPEN, OPEN, OPEN, OPEN)
_FREE: Final = (False, False, False, False)


@frozen
class Beam:
    """The beam of a board laser."""

    strength: int
    """Points of damage."""

    direction: Direction

    path: tuple[Place, ...]
    """The fields that it can reach: from the laser's own to the next wall, or to the edge of the board."""


@frozen
class Board:
    """A board. Only its size is hashed, because mappings cannot be; equality compares all but `covered`."""

    width: int
    """Columns, 1..255."""

    height: int
    """Rows, 1..255."""

    floors: Mapping[Place, Floor] = field(hash=False, repr=False)
    """The floor of each field in the rectangle."""

    vertical: Mapping[Place, Wall] = field(hash=False, repr=False)
    """The wall west of each field. Column width + 1 has the walls of the eastern edge."""

    horizontal: Mapping[Place, Wall] = field(hash=False, repr=False)
    """The wall south of each field. Row height + 1 has the walls of the northern edge."""

    covered: frozenset[Place] = field(eq=False, repr=False)
    """The fields that lie on tiles. Boards are compared without it, because a plan (GPL) does not contain it."""

    def floor(self, x: int, y: int) -> Floor:
        """Return the floor of a place; outside of the rectangle it is a pit."""
        return self.floors.get((x, y), PIT)

    def wall(self, x: int, y: int, side: Direction) -> Wall:
        """Return the whole wall on this side of a place, which may lie outside."""
        return self.walls(x, y)[side]

    def walls(self, x: int, y: int) -> Walls:
        """Return the walls around a place, which may lie outside, in the order N E S W."""
        return self._sides.get((x, y), _NO_WALLS)

    def is_walled(self, x: int, y: int, side: Direction) -> bool:
        """Return whether a wall (#) closes this side of a place."""
        return self._blocked.get((x, y), _FREE)[side]

    def device(self, x: int, y: int, side: Direction) -> Device | None:
        """Return the device on this side of a place, if it hangs inside the place and not behind the wall."""
        wall = self.wall(x, y, side)
        return wall.left if side in (Direction.E, Direction.S) else wall.right

    @cached_property
    def _sides(self) -> Mapping[Place, Walls]:
        return {place: self._walls_around(*place) for place in _margin(self.width, self.height)}

    def _walls_around(self, x: int, y: int) -> Walls:
        vertical, horizontal = self.vertical, self.horizontal
        return (
            horizontal.get((x, y + 1), OPEN),
            vertical.get((x + 1, y), OPEN),
            horizontal.get((x, y), OPEN),
            vertical.get((x, y), OPEN),
        )

    @cached_property
    def _blocked(self) -> Mapping[Place, tuple[bool, bool, bool, bool]]:
        return {
            place: (north.is_wall, east.is_wall, south.is_wall, west.is_wall)
            for place, (north, east, south, west) in self._sides.items()
            if north.is_wall or east.is_wall or south.is_wall or west.is_wall
        }

    @cached_property
    def belts(self) -> Mapping[Place, Belt]:
        """The belts by place."""
        return {place: floor for place, floor in self.floors.items() if isinstance(floor, Belt)}

    @cached_property
    def express(self) -> Mapping[Place, Belt]:
        """The belts of speed 2 by place."""
        return {place: belt for place, belt in self.belts.items() if belt.speed > 1}

    @cached_property
    def gears(self) -> Mapping[Place, Gear]:
        """The gears by place."""
        return {place: floor for place, floor in self.floors.items() if isinstance(floor, Gear)}

    @cached_property
    def repairs(self) -> Mapping[Place, Repair]:
        """The repair sites by place."""
        return {place: floor for place, floor in self.floors.items() if isinstance(floor, Repair)}

    @cached_property
    def pushers(self) -> Mapping[Place, tuple[tuple[Direction, Pusher], ...]]:
        """The pushers by their places, each with the direction in which it pushes."""
        found: dict[Place, tuple[tuple[Direction, Pusher], ...]] = {}
        for place, side, device in self.devices:
            if isinstance(device, Pusher):
                found[place] = (*found.get(place, ()), (side.opposite, device))
        return found

    @cached_property
    def beams(self) -> tuple[Beam, ...]:
        """The board lasers, each with the fields on its way."""
        return tuple(
            Beam(device.strength, side.opposite, self._path(place, side.opposite))
            for place, side, device in self.devices
            if isinstance(device, Laser)
        )

    @cached_property
    def devices(self) -> tuple[tuple[Place, Direction, Device], ...]:
        """The devices inside the rectangle: the place, the side of the place on which the device hangs, the device."""
        sides = product(self.floors, DIRECTIONS)
        found = ((place, side, self.device(*place, side)) for place, side in sides)
        return tuple((place, side, device) for place, side, device in found if device is not None)

    def _path(self, place: Place, direction: Direction) -> tuple[Place, ...]:
        path = [place]
        x, y = place
        while not self.is_walled(x, y, direction):
            x, y = x + DX[direction], y + DY[direction]
            if (x, y) not in self.floors:
                break
            path.append((x, y))
        return tuple(path)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The rows of walls and fields, northern ones first, in the notation of 2.4."""
        rows = [self._wall_row(self.height + 1)]
        for y in range(self.height, 0, -1):
            rows += [self._field_row(y), self._wall_row(y)]
        return tuple(rows)

    def _wall_row(self, y: int) -> str:
        return "".join(wall_to_notation(self.horizontal[x, y]) for x in range(1, self.width + 1))

    def _field_row(self, y: int) -> str:
        west = wall_to_notation(self.vertical[1, y])
        return west + "".join(
            floor_to_notation(self.floors[x, y]) + wall_to_notation(self.vertical[x + 1, y])
            for x in range(1, self.width + 1)
        )

    @cached_property
    def plan(self) -> str:
        """The answer to GPL: all rows, with one space between rows and before the full stop."""
        return " ".join(self.rows) + " ."


def _margin(width: int, height: int) -> Iterable[Place]:
    return product(range(width + 2), range(height + 2))


def parse_plan(text: str) -> Board:
    """Return the board of a plan, a tile or a scenario: rows separated by white space, with or without a full stop.

    All fields count as covered. Raises NotationError, which names the row, counted from 1.
    """
    rows = rows_of(text)
    width, height = _size(rows)
    floors: dict[Place, Floor] = {}
    vertical: dict[Place, Wall] = {}
    horizontal: dict[Place, Wall] = {}
    for number, row in enumerate(rows):
        y = height + 1 - (number + 1) // 2
        try:
            if number % 2:
                _add_fields(floors, vertical, row, width, y)
            else:
                _add_walls(horizontal, row, width, y)
        except NotationError as error:
            raise NotationError(f"row {number + 1}, {error}") from error
    return Board(width, height, floors, vertical, horizontal, frozenset(floors))


def _size(rows: list[str]) -> tuple[int, int]:
    height = len(rows) // 2
    if not 1 <= height <= LARGEST or len(rows) % 2 == 0:
        raise NotationError(f"{len(rows)} rows: expected 1 row of walls, then pairs of a field row and a wall row")
    try:
        width = len(read_wall_row(rows[0]))
    except NotationError as error:
        raise NotationError(f"row 1, {error}") from error
    if width > LARGEST:
        raise NotationError(f"row 1 has {width} walls: a plan has at most {LARGEST} columns")
    return width, height


def _add_walls(horizontal: dict[Place, Wall], row: str, width: int, y: int) -> None:
    walls = read_wall_row(row)
    if len(walls) != width:
        raise NotationError(f"{len(walls)} walls: expected {width}, as in row 1")
    horizontal.update(((x, y), wall) for x, wall in enumerate(walls, 1))


def _add_fields(floors: dict[Place, Floor], vertical: dict[Place, Wall], row: str, width: int, y: int) -> None:
    found, walls = read_field_row(row)
    if len(found) != width:
        raise NotationError(f"{len(found)} fields: expected {width}, as row 1 has walls")
    floors.update(((x, y), floor) for x, floor in enumerate(found, 1))
    vertical.update(((x, y), wall) for x, wall in enumerate(walls, 1))
