"""The messages of worlds.

Source: docs/reference/quoridor.md#what-worlds-send. The shape of a move is checked, because the authors' worlds crash
on a move of another shape.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

from attrs import frozen

from gamed.games.quoridor.moves import HORIZONTAL, HORIZONTAL_WALLS, PAWN_MOVES, VERTICAL, VERTICAL_WALLS, Move
from gamed.games.quoridor.walls import SIZE, cell_at
from gamed.wire.datums import Datum, Symbol

NOTHING: Final = "()"
"""The move in a mail that is not about a move."""

DUMMY: Final = "(wall 4 4 horizontal)"
"""The move in the mail `disconnect`. It has no meaning."""

_SHORTEST: Final = 4
"""Elements of the shortest move, `(move player X Y)`."""


class Word(StrEnum):
    """The messages of one word. Further elements of the list are ignored."""

    PLAY = "play"
    WAIT = "wait"
    RESET = "reset"


@frozen
class Placed:
    """A move."""

    move: Move
    written: str
    """The move as mails show it, with the numbers as the world wrote them: `(wall 5.0 6.0 horizontal)`."""


Message: TypeAlias = Word | Placed

_WORDS: Final = {word.value: word for word in Word}
_WALLS: Final = {HORIZONTAL: HORIZONTAL_WALLS, VERTICAL: VERTICAL_WALLS}


def understood(datum: Datum) -> Message | None:
    """Return the message that a datum is, or None if it is none."""
    if not isinstance(datum, tuple) or not datum or not isinstance(datum[0], Symbol):
        return None
    if datum[0].name == "move":
        return _placed(datum)
    return _WORDS.get(datum[0].name)


def _placed(datum: tuple[Datum, ...]) -> Placed | None:
    """Return a move. As in the original, its last element is sent on as the orientation: of a pawn, that is its Y."""
    if len(datum) < _SHORTEST or not isinstance(datum[1], Symbol):
        return None
    kind, x, y, last = datum[1].name, _number(datum[2]), _number(datum[3]), datum[-1]
    if x is None or y is None:
        return None
    cell = cell_at(x, y)
    walls = _WALLS.get(last.name) if isinstance(last, Symbol) else None
    if kind == "wall" and walls is not None:
        move: Move = walls[cell]
    # The last element of a pawn's move goes to the other worlds, so it is checked, too.
    elif kind == "player" and (walls is not None or _number(last) is not None):
        move = PAWN_MOVES[cell]
    else:
        return None
    # Python writes these numbers as Racket does.
    return Placed(move, f"({kind} {datum[2]!r} {datum[3]!r} {last.name if isinstance(last, Symbol) else repr(last)})")


def _number(datum: Datum) -> int | None:
    """Return a coordinate as an integer of 0 to 8, or None. Floats such as 4.0 are accepted."""
    # A check by type, because a boolean is an integer in Python.
    return _ON_BOARD.get(datum) if type(datum) in _REAL else None  # type: ignore[arg-type]


_REAL: Final = frozenset({int, float})
_ON_BOARD: Final = {float(number): number for number in range(SIZE)}
