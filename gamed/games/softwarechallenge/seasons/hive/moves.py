"""Moves: what they are, their notation, and how the official server names them in its texts.

Source: docs/specs/software-challenge.md#texts-of-errors, docs/specs/software-challenge.md#malformed-coordinates,
docs/specs/software-challenge.md#recorded-data (the notation). Coordinates are kept as they were sent, the third one
too: a cell is found by x and y alone, but z takes part in some checks.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from attrs import frozen

from gamed.core.errors import InvalidMove
from gamed.games.softwarechallenge.seasons.hive.board import Cell

TYPES: Final[dict[str, str]] = {"Q": "BEE", "S": "SPIDER", "G": "GRASSHOPPER", "B": "BEETLE", "A": "ANT"}
"""The official names of the piece types, by letter, in the order of a hand."""

LETTERS: Final = {name: letter for letter, name in TYPES.items()}
"""The letters, by official name."""

COLORS: Final = ("RED", "BLUE")
"""The official names of the seats."""


NOBODY: Final = -1
"""The owner of a piece where the client named none."""

NOTHING: Final = ""
"""The type of a piece where the client named none."""


@frozen
class SetMove:
    """A piece from a hand is put on a cell."""

    type: str
    """A letter of `TYPES`, or `NOTHING`."""
    owner: int
    """The seat whose piece it is to be, or `NOBODY`."""
    x: int
    y: int
    z: int


@frozen
class DragMove:
    """The piece on top of a cell goes to another one. The start is None where the client sent none (session 70)."""

    start_x: int | None
    start_y: int | None
    start_z: int | None
    x: int
    y: int
    z: int


@frozen
class DragNowhere:
    """A drag whose destination the client left out. It is never legal, and a message that can be read all the same."""

    start: tuple[int, int, int] | None


@frozen
class SkipMove:
    """A pass."""


@frozen
class Obstructed:
    """Chance's move: the cells that no piece enters."""

    cells: tuple[Cell, ...]


Move: TypeAlias = SetMove | DragMove | SkipMove
"""What a player sends."""

Action: TypeAlias = Move | Obstructed
"""What changes a state."""


def named(owner: int, type: str) -> tuple[str, str]:  # noqa: A002 (as in SetMove)
    """Return the official names of a piece's owner and type; what is missing is `null`, as Java prints it."""
    return "null" if owner == NOBODY else COLORS[owner], TYPES.get(type, "null")


def described(move: Move | DragNowhere) -> str:
    """Return what the official server appends to the text of an error; nothing for a skip."""
    match move:
        case SetMove(type, owner, x, y, z):
            return f"; move was Set {' '.join(named(owner, type))} to ({x},{y},{z})"
        case DragNowhere(start):
            return f"; move was Drag from {'null' if start is None else '({},{},{})'.format(*start)} to null"
        case DragMove(None, _, _, x, y, z):
            return f"; move was Drag from null to ({x},{y},{z})"
        case DragMove(start_x, start_y, start_z, x, y, z):
            return f"; move was Drag from ({start_x},{start_y},{start_z}) to ({x},{y},{z})"
        case _:
            return ""


def to_notation(move: Action) -> str:
    """Return a move in the notation of part D: `S A 0,1`, `D 0,1 1,1`, `P`, and `O 0,0 1,1 2,2` for chance's.

    A type is its letter, upper case for RED's piece and lower case for BLUE's. A third coordinate follows where it is
    not the one that x and y give; a start that was not sent is `-`.
    """
    if isinstance(move, SetMove):
        return f"S {move.type.lower() if move.owner else move.type} {_cell_text(move.x, move.y, move.z)}"
    if isinstance(move, DragMove):
        end = _cell_text(move.x, move.y, move.z)
        if move.start_x is None or move.start_y is None or move.start_z is None:
            return f"D - {end}"
        return f"D {_cell_text(move.start_x, move.start_y, move.start_z)} {end}"
    if isinstance(move, Obstructed):
        return " ".join(["O", *(f"{x},{y}" for x, y in move.cells)])
    return "P"


def _cell_text(x: int, y: int, z: int) -> str:
    return f"{x},{y}" if x + y + z == 0 else f"{x},{y},{z}"


_NUMBER = r"-?[0-9]{1,10}"
_COORDINATES = rf"({_NUMBER}),({_NUMBER})(?:,({_NUMBER}))?"
_SET = re.compile(rf"S ([QSGBAqsgba]) {_COORDINATES}")
_DRAG = re.compile(rf"D (?:-|{_COORDINATES}) {_COORDINATES}")
_OBSTRUCTED = re.compile(rf"O(?: {_NUMBER},{_NUMBER})+")


def parse(text: str) -> Action:
    """Return the move that `to_notation` writes so. Raises InvalidMove (`notation`)."""
    if found := _SET.fullmatch(text):
        letter, *end = found.groups()
        return SetMove(letter.upper(), int(letter.islower()), *_triple(*end))
    if found := _DRAG.fullmatch(text):
        start_x, start_y, start_z, *end = found.groups()
        if start_x is None:
            return DragMove(None, None, None, *_triple(*end))
        return DragMove(*_triple(start_x, start_y, start_z), *_triple(*end))
    if _OBSTRUCTED.fullmatch(text):
        pairs = (cell.split(",") for cell in text[2:].split())
        return Obstructed(tuple((int(x), int(y)) for x, y in pairs))
    if text == "P":
        return SkipMove()
    raise InvalidMove(f"{text[:40]!r} is no move", code="notation")


def _triple(x: str, y: str, z: str | None) -> tuple[int, int, int]:
    return int(x), int(y), -int(x) - int(y) if z is None else int(z)
