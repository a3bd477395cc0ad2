"""Moves, their notation, and how the official server's texts name them.

Source: docs/specs/software-challenge.md#texts-of-errors, docs/specs/software-challenge.md#malformed-coordinates,
docs/specs/software-challenge.md#recorded-data (the notation). Coordinates are kept as they were sent, even if
z is wrong: a cell is found by x and y alone, but some checks use z (`checks.py`).
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
"""The owner of a piece if the client has named none."""

NOTHING: Final = ""
"""The type of a piece if the client has named none."""


@frozen
class SetMove:
    """Puts a piece from a hand on a cell."""

    type: str
    """A letter of `TYPES`, or `NOTHING`."""
    owner: int
    """The seat that is said to own the piece, or `NOBODY`."""
    x: int
    y: int
    z: int


@frozen
class DragMove:
    """Moves the piece on top of a cell to another cell. The start is None if the client sent none (session 70)."""

    start_x: int | None
    start_y: int | None
    start_z: int | None
    x: int
    y: int
    z: int


@frozen
class DragNowhere:
    """A drag without a destination. It is never legal, but the message can be read, and is answered as a move."""

    start: tuple[int, int, int] | None


@frozen
class SkipMove:
    """A pass."""


@frozen
class Obstructed:
    """Chance's move: it obstructs cells, so that no piece can enter them."""

    cells: tuple[Cell, ...]


Move: TypeAlias = SetMove | DragMove | SkipMove
"""A player's move."""

Action: TypeAlias = Move | Obstructed
"""What changes a state: a player's move, or chance's."""


def named(owner: int, type: str) -> tuple[str, str]:  # noqa: A002 (as in SetMove)
    """Return the official names of a piece's owner and type. A missing one is `null`, as Java prints it."""
    return "null" if owner == NOBODY else COLORS[owner], TYPES.get(type, "null")


def described(move: Move | DragNowhere) -> str:
    """Return what the official server appends to an error's text; "" for a skip."""
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
    """Return a move in the notation of records: `S A 0,1`, `D 0,1 1,1`, `P`, and `O 0,0 1,1 2,2` for chance's.

    The letter of a type is upper case for RED's piece and lower case for BLUE's. The third coordinate is written only
    if it is wrong. A start that was not sent is `-`.
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
    """Return the move of a notation, as `to_notation` writes it. Raises InvalidMove (`notation`)."""
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
    raise InvalidMove(f"{text[:40]!r} is not a move", code="notation")


def _triple(x: str, y: str, z: str | None) -> tuple[int, int, int]:
    return int(x), int(y), -int(x) - int(y) if z is None else int(z)
