"""What worlds say, as far as it means something.

Source: docs/reference/quoridor.md#what-worlds-send. Without the check of a move's shape, one world could crash the
others.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

from attrs import frozen

from gamed.games.quoridor.moves import HORIZONTAL, HORIZONTAL_WALLS, PAWN_MOVES, VERTICAL, VERTICAL_WALLS, Move
from gamed.games.quoridor.walls import SIZE, cell_at
from gamed.wire.datums import Datum, Symbol

NOTHING: Final = "()"
"""The move in a mail that tells of none."""

DUMMY: Final = "(wall 4 4 horizontal)"
"""The move in the mail that a world has left; it stands for nothing."""

_SHORTEST: Final = 4
"""Elements of the shortest move, `(move player X Y)`."""


class Word(StrEnum):
    """The messages of one word; what follows it in the list does not count."""

    PLAY = "play"
    WAIT = "wait"
    RESET = "reset"


@frozen
class Placed:
    """A move. `written`: what mails tell of it, the numbers as they came: `(wall 5.0 6.0 horizontal)`."""

    move: Move
    written: str


Message: TypeAlias = Word | Placed

_WORDS: Final = {word.value: word for word in Word}
_WALLS: Final = {HORIZONTAL: HORIZONTAL_WALLS, VERTICAL: VERTICAL_WALLS}


def understood(datum: Datum) -> Message | None:
    """Return what a datum means, or None if it means nothing."""
    if not isinstance(datum, tuple) or not datum or not isinstance(datum[0], Symbol):
        return None
    if datum[0].name == "move":
        return _placed(datum)
    return _WORDS.get(datum[0].name)


def _placed(datum: tuple[Datum, ...]) -> Placed | None:
    """Return a move. As in the original, its last element is the orientation: a pawn's is its Y once more."""
    if len(datum) < _SHORTEST or not isinstance(datum[1], Symbol):
        return None
    kind, x, y, last = datum[1].name, _number(datum[2]), _number(datum[3]), datum[-1]
    if x is None or y is None:
        return None
    cell = cell_at(x, y)
    walls = _WALLS.get(last.name) if isinstance(last, Symbol) else None
    if kind == "wall" and walls is not None:
        move: Move = walls[cell]
    # Whatever stood there would be told to the others, however long it is.
    elif kind == "player" and (walls is not None or _number(last) is not None):
        move = PAWN_MOVES[cell]
    else:
        return None
    # Python writes these numbers as Racket does.
    return Placed(move, f"({kind} {datum[2]!r} {datum[3]!r} {last.name if isinstance(last, Symbol) else repr(last)})")


def _number(datum: Datum) -> int | None:
    """Return a coordinate, exact or not, as an integer of 0 to 8."""
    # By type, for a boolean is an integer to Python.
    return _ON_BOARD.get(datum) if type(datum) in _REAL else None  # type: ignore[arg-type]


_REAL: Final = frozenset({int, float})
_ON_BOARD: Final = {float(number): number for number in range(SIZE)}
