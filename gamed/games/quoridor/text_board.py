"""A Quoridor board as text, with its walls.

Source: docs/specs/quoridor.md#walls. As on the wire, columns are numbered from the left and rows from the top, from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gamed.core.game import Seat
from gamed.core.texts import printable
from gamed.games.quoridor.moves import HORIZONTAL
from gamed.games.quoridor.rules import STARTS
from gamed.games.quoridor.walls import SIZE

CELL, ACROSS, DOWN = ".", "=", "|"
LEGEND = f"1 to {len(STARTS)}: pawns, by the worlds' ids   {ACROSS * 7} horizontal wall   {DOWN} vertical wall"
GOALS = ("bottom", "top", "right", "left")

_LEFT, _STEP = 6, 4
"""The offset of the first column, and the distance between columns, in characters."""


def draw(board: Mapping[str, Any], moves: Sequence[Mapping[str, Any]], names: Mapping[Seat | None, str]) -> str:
    """Return the board, under a caption with the last move."""
    caption = f"world {moves[-1]['seat'] + 1}: {moves[-1]['text']}" if moves else "before the first move"
    seats = [_seat(seat, names.get(seat, ""), board) for seat in range(len(board["pawns"]))]
    return "\n".join([caption, *seats, "", *rows(board), "", LEGEND])


def _seat(seat: Seat, name: str, board: Mapping[str, Any]) -> str:
    turn = "wins" if board["winner"] == seat else "to move" if seat in board["to_move"] else ""
    facts = f"to the {GOALS[seat]}, {board['left'][seat]} walls left"
    return f"{seat + 1}  {printable(name)[:40]}  {facts}  {turn}".rstrip()


def rows(board: Mapping[str, Any]) -> list[str]:
    """Return the rows of the board, and between them lines with the horizontal walls."""
    width = _LEFT + _STEP * SIZE
    lines = [[" "] * width for _ in range(2 * SIZE)]
    for y in range(SIZE):
        lines[2 * y + 1][2] = str(y)
        for x in range(SIZE):
            lines[2 * y + 1][_LEFT + _STEP * x] = CELL
    for seat, (x, y) in enumerate(board["pawns"]):
        lines[2 * y + 1][_LEFT + _STEP * x] = str(seat + 1)
    for x, y, orientation in board["walls"]:
        column, line = _LEFT + _STEP * x, 2 * y
        if orientation == HORIZONTAL:
            lines[line][column - 1 : column + 6] = ACROSS * 7
        else:
            for below in range(line + 1, min(line + 4, 2 * SIZE)):
                lines[below][column - 2] = DOWN
    head = " " * _LEFT + (" " * (_STEP - 1)).join(map(str, range(SIZE)))
    return [head, *("".join(line[:width]).rstrip() for line in lines)]
