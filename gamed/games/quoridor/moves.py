"""The moves of Quoridor and their notation: `player 4 1`, `wall 5 6 horizontal`.

Source: docs/reference/quoridor.md#what-worlds-send, docs/specs/quoridor.md#walls, docs/specs/quoridor.md#pawns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from attrs import frozen

from gamed.core.errors import InvalidMove
from gamed.games.quoridor.walls import ROW, SIZE, Cell, cell_at

HORIZONTAL: Final = "horizontal"
VERTICAL: Final = "vertical"


@frozen
class PawnMove:
    """A move of the pawn to column `x` and row `y`, both 0..8 from the upper left."""

    x: int
    y: int


@frozen
class Wall:
    """A new wall, two cells long.

    It runs from the upper left corner of the cell in column `x` and row `y` to the right ("horizontal") or downwards
    ("vertical").
    """

    x: int
    y: int
    orientation: str


Move: TypeAlias = PawnMove | Wall

_CELLS: Final = [(x, y) for y in range(SIZE) for x in range(SIZE)]

# All moves are created once, because the legal moves of positions are listed often.
PAWN_MOVES: Final[Mapping[Cell, PawnMove]] = {cell_at(x, y): PawnMove(x, y) for x, y in _CELLS}
"""The moves of the pawn by cell."""
HORIZONTAL_WALLS: Final[Mapping[Cell, Wall]] = {cell_at(x, y): Wall(x, y, HORIZONTAL) for x, y in _CELLS}
"""The horizontal walls by cell, including those that stick out of the board."""
VERTICAL_WALLS: Final[Mapping[Cell, Wall]] = {cell_at(x, y): Wall(x, y, VERTICAL) for x, y in _CELLS}
"""The vertical walls by cell, including those that stick out of the board."""

_WRITTEN: Final = re.compile(r"player ([0-8]) ([0-8])|wall ([0-8]) ([0-8]) (horizontal|vertical)")


def xy(cell: Cell) -> tuple[int, int]:
    """Return column and row of a cell."""
    return cell % ROW, cell // ROW


def cell_of(move: Move) -> Cell:
    """Return the cell of a move. Raises InvalidMove ("off-board", "orientation")."""
    if move.x not in range(SIZE) or move.y not in range(SIZE):
        raise InvalidMove(f"({move.x},{move.y}) is off the board", code="off-board")
    if isinstance(move, Wall) and move.orientation not in {HORIZONTAL, VERTICAL}:
        raise InvalidMove(f"a wall is horizontal or vertical, not {move.orientation!r}", code="orientation")
    return cell_at(move.x, move.y)


def to_notation(move: Move) -> str:
    """Return a move's notation: what worlds write, with integers."""
    if isinstance(move, PawnMove):
        return f"player {move.x} {move.y}"
    return f"wall {move.x} {move.y} {move.orientation}"


def parse(text: str) -> Move:
    """Return the move that a notation means. Raises InvalidMove ("notation") for other text."""
    written = _WRITTEN.fullmatch(text)
    if written is None:
        raise InvalidMove(f"not a move of a pawn or a wall: {text[:40]!r}", code="notation")
    pawn_x, pawn_y, x, y, orientation = written.groups()
    if orientation is None:
        return PAWN_MOVES[cell_at(int(pawn_x), int(pawn_y))]
    walls = HORIZONTAL_WALLS if orientation == HORIZONTAL else VERTICAL_WALLS
    return walls[cell_at(int(x), int(y))]
