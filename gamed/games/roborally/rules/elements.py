"""What a board consists of: directions, floors, walls, and the devices on the walls.

Source: docs/specs/roborally.md#24-tiles-and-plans, docs/specs/roborally.md#51-geometry. Places are (x, y): the column
counted from the west and the row counted from the south, both from 1.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Literal, TypeAlias

from attrs import frozen

Place: TypeAlias = tuple[int, int]
"""(x, y), east coordinate first."""

Turn: TypeAlias = Literal["L", "R"]
"""Counter-clockwise or clockwise, by 90 degrees."""


class Direction(IntEnum):
    """A direction or a side of a field. The value counts quarter turns clockwise from north."""

    N = 0
    E = 1
    S = 2
    W = 3

    @property
    def left(self) -> Direction:
        """The direction 90 degrees counter-clockwise from here."""
        return _LEFT[self]

    @property
    def right(self) -> Direction:
        """The direction 90 degrees clockwise from here."""
        return _RIGHT[self]

    @property
    def opposite(self) -> Direction:
        """The direction 180 degrees from here."""
        return _OPPOSITE[self]

    def turned(self, turn: Turn) -> Direction:
        """Return the direction after a turn."""
        return _LEFT[self] if turn == "L" else _RIGHT[self]


DIRECTIONS: Final = tuple(Direction)
LETTERS: Final = "NESW"
"""How the protocol spells the directions, indexed by Direction."""

DX: Final = (0, 1, 0, -1)
"""What one step adds to x, indexed by Direction."""

DY: Final = (1, 0, -1, 0)
"""What one step adds to y, indexed by Direction."""

_LEFT: Final = tuple(Direction((direction + 3) % 4) for direction in range(4))
_RIGHT: Final = tuple(Direction((direction + 1) % 4) for direction in range(4))
_OPPOSITE: Final = tuple(Direction((direction + 2) % 4) for direction in range(4))


@frozen
class Laser:
    """A laser on a wall. It shoots away from the wall."""

    strength: int
    """Points of damage, 0..255."""


@frozen
class Pusher:
    """A pusher (Schieber) on a wall. It pushes away from the wall."""

    phases: tuple[int, ...]
    """The register phases in which it pushes, in the order of its notation."""


Device: TypeAlias = Laser | Pusher


@frozen
class Wall:
    """The border between two fields, which share it: a wall or none, and the devices on it."""

    left: Device | None
    """The device in the western or northern field."""

    is_wall: bool

    right: Device | None
    """The device in the eastern or southern field."""


Walls: TypeAlias = tuple[Wall, Wall, Wall, Wall]
"""The walls around a place, indexed by Direction."""

OPEN: Final = Wall(None, is_wall=False, right=None)
"""A border without a wall and without devices."""


@frozen
class Plain:
    """A floor without an element (Boden)."""


@frozen
class Pit:
    """A pit (Grube); so is every place outside the tiles."""


@frozen
class Gear:
    """A gear (Drehelement)."""

    direction: Turn
    """How it turns robots."""


@frozen
class Repair:
    """A repair site (Reparaturfeld)."""

    points: int
    """Points of damage that it repairs at the end of a turn, 0..255."""


@frozen
class Belt:
    """A conveyor belt (Fließband)."""

    direction: Direction
    """The direction in which it carries."""

    speed: int
    """1, or 2 for an express belt."""

    turns: tuple[tuple[Direction, Turn], ...] = ()
    """How it turns a robot that another belt carried onto it, by the side of the field over which the robot came."""

    crush: tuple[int, ...] = ()
    """The register phases of the crusher (Stampfer) above it; empty: there is none."""

    def turn(self, side: Direction) -> Turn | None:
        """Return how the belt turns a robot that another belt carried over this side; None: not at all."""
        for entry, turn in self.turns:
            if entry is side:
                return turn
        return None


Floor: TypeAlias = Plain | Pit | Gear | Repair | Belt

PIT: Final = Pit()
PLAIN: Final = Plain()
