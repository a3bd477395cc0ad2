"""The notation of floors, walls and rows: reading and writing it.

Source: docs/specs/roborally.md#24-tiles-and-plans, with the protocol's grammar taken literally
(docs/specs/roborally.md#22-lists, docs/specs/roborally.md#23-repairs-of-the-text): each phase is followed by a comma,
the last one, too; `[` comes before a left device, and `]` after a right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, cast

from gamed.core.errors import GamedError
from gamed.games.roborally.rules import elements

NUMBER: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
"""A number 0..255 without leading zeros, as a pattern."""

_PHASES = r"(?:[1-5],)*"
_DEVICE = rf"(?:L\({NUMBER}\)|S\({_PHASES}\))"
WALL: Final = rf"(?:\[{_DEVICE})?[#_](?:{_DEVICE}\])?"
"""A wall with its devices, as a pattern without groups."""

_TURNS = r"(?:\([NESW],D\([LR]\)\))*"


def _floor_pattern(between: str) -> str:
    return rf"(?:B|G|D\([LR]\)|R\({NUMBER}\)|F\([NESW],[12],\({_TURNS}\){between}\({_PHASES}\)\))"


FLOOR: Final = _floor_pattern("")
"""A floor, as a pattern without groups."""

FIELD: Final = rf"\(({_floor_pattern(',?')}),({WALL})({WALL})({WALL})({WALL})\)"
"""A field with the walls N E S W around it, as a pattern with five groups.

It is for clients: other managers may write a comma between the two lists of a belt.
"""

_WALL = re.compile(WALL)
_WALL_PARTS = re.compile(rf"(?:\[({_DEVICE}))?([#_])(?:({_DEVICE})\])?")
_BELT_PARTS = re.compile(rf"F\(([NESW]),([12]),\(({_TURNS})\)\(({_PHASES})\)\)")
_SPACE = re.compile(r"[ \t\r\n]+")
_FLOOR_AND_WALL = re.compile(rf"({FLOOR})({WALL})")


class NotationError(GamedError):
    """A text is not in the notation. The message says where, and what was expected."""


@lru_cache(4096)
def read_floor(text: str) -> elements.Floor:
    """Return the floor of a text that matches FLOOR."""
    belt = _BELT_PARTS.fullmatch(text)
    if belt is not None:
        return elements.Belt(elements.Direction[belt[1]], int(belt[2]), _read_turns(belt[3]), _read_phases(belt[4]))
    if text[0] == "D":
        return elements.Gear(cast("elements.Turn", text[2]))
    if text[0] == "R":
        return elements.Repair(int(text[2:-1]))
    return elements.PLAIN if text == "B" else elements.PIT


def _read_turns(text: str) -> tuple[tuple[elements.Direction, elements.Turn], ...]:
    # Each entry is as long as "(N,D(L))".
    return tuple(
        (elements.Direction[text[at + 1]], cast("elements.Turn", text[at + 5])) for at in range(0, len(text), 8)
    )


def _read_phases(text: str) -> tuple[int, ...]:
    return tuple(map(int, text[::2]))


@lru_cache(4096)
def read_wall(text: str) -> elements.Wall:
    """Return the wall of a text that matches WALL. Raises NotationError."""
    parts = _WALL_PARTS.fullmatch(text)
    if parts is None:
        raise NotationError(f"{text!r} is not a wall")
    left, sign, right = parts.groups()
    return elements.Wall(_read_device(left), sign == "#", _read_device(right))


def _read_device(text: str | None) -> elements.Device | None:
    if text is None:
        return None
    return elements.Laser(int(text[2:-1])) if text[0] == "L" else elements.Pusher(_read_phases(text[2:-1]))


def read_wall_row(text: str) -> list[elements.Wall]:
    """Return a row of horizontal walls, from west to east. Raises NotationError with the column in the text."""
    walls: list[elements.Wall] = []
    at = 0
    while at < len(text):
        found = _WALL.match(text, at)
        if found is None:
            raise _unreadable(text, at, "a wall (# or _, with [ before and ] after a device)")
        walls.append(read_wall(found[0]))
        at = found.end()
    return walls


def read_field_row(text: str) -> tuple[list[elements.Floor], list[elements.Wall]]:
    """Return the floors of a row, from west to east, and the walls between and around them: one more than floors.

    Raises NotationError with the column in the text.
    """
    first = _WALL.match(text)
    if first is None:
        raise _unreadable(text, 0, "a wall (# or _, with [ before and ] after a device)")
    floors: list[elements.Floor] = []
    walls = [read_wall(first[0])]
    at = first.end()
    while at < len(text):
        found = _FLOOR_AND_WALL.match(text, at)
        if found is None:
            raise _unreadable(text, at, "a floor (B, G, D(L), R(1), F(N,1,()())) and the wall east of it")
        floors.append(read_floor(found[1]))
        walls.append(read_wall(found[2]))
        at = found.end()
    return floors, walls


def _unreadable(text: str, at: int, expected: str) -> NotationError:
    rest = text[at : at + 20]
    return NotationError(f"character {at + 1}: expected {expected}, found {rest!r}")


def rows_of(text: str) -> list[str]:
    """Return the rows of a plan or a tile, without the full stop at the end of a plan."""
    rows = _SPACE.split(text.strip(" \t\r\n"))
    if rows[-1] == ".":
        rows.pop()
    return rows


@lru_cache(4096)
def floor_to_notation(floor: elements.Floor) -> str:
    """Return a floor's notation."""
    match floor:
        case elements.Plain():
            return "B"
        case elements.Pit():
            return "G"
        case elements.Gear(direction):
            return f"D({direction})"
        case elements.Repair(points):
            return f"R({points})"
        case elements.Belt(direction, speed, turns, crush):
            entries = "".join(f"({elements.LETTERS[side]},D({turn}))" for side, turn in turns)
            return f"F({elements.LETTERS[direction]},{speed},({entries})({_phases_to_notation(crush)}))"


@lru_cache(4096)
def wall_to_notation(wall: elements.Wall) -> str:
    """Return a wall's notation, with the devices on both sides."""
    left = f"[{_device_to_notation(wall.left)}" if wall.left is not None else ""
    right = f"{_device_to_notation(wall.right)}]" if wall.right is not None else ""
    return f"{left}{'#' if wall.is_wall else '_'}{right}"


def field_to_notation(floor: elements.Floor, walls: elements.Walls) -> str:
    """Return the notation of a field with the walls around it: the answer to SFI."""
    return f"({floor_to_notation(floor)},{''.join(map(wall_to_notation, walls))})"


def _device_to_notation(device: elements.Device) -> str:
    if isinstance(device, elements.Laser):
        return f"L({device.strength})"
    return f"S({_phases_to_notation(device.phases)})"


def _phases_to_notation(phases: Iterable[int]) -> str:
    return "".join(f"{phase}," for phase in phases)
