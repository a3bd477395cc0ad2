"""A Quoridor board as text, with its walls.

Source: docs/specs/quoridor.md#walls. As on the wire, columns are numbered from the left and rows from the top, from 0.
"""

from __future__ import annotations

from gamed.core.game import Seat
from gamed.core.history import JOINED, MOVE, STARTED, History
from gamed.games.quoridor.moves import HORIZONTAL, parse, xy
from gamed.games.quoridor.rules import STARTS, State, TableRules, after, walls_at
from gamed.games.quoridor.walls import SIZE

CELL, ACROSS, DOWN = ".", "=", "|"
LEGEND = f"1 to {len(STARTS)}: pawns, by the worlds' ids   {ACROSS * 7} horizontal wall   {DOWN} vertical wall"
GOALS = ("bottom", "top", "right", "left")

_LEFT, _STEP = 6, 4
"""The offset of the first column, and the distance between columns, in characters."""


def draw(history: History, moves: int | None = None) -> str:
    """Return the board after so many moves (None: all of them), under a caption with the last move."""
    state = _start(history)
    caption = "before the first move"
    for entry in list(history.of_kind(MOVE))[:moves]:
        assert entry.seat is not None
        assert entry.body is not None
        caption = f"world {entry.seat + 1}: {entry.body.decode()}"
        state = after(state, parse(entry.body.decode()))
    names = [str(entry.data["name"]) for entry in history.of_kind(JOINED)]
    seats = [_seat(seat, name, state) for seat, name in enumerate(names)]
    return "\n".join([caption, *seats, "", *board(state), "", LEGEND])


def _start(history: History) -> State:
    players = sum(1 for _ in history.of_kind(JOINED))
    first = next((int(entry.data["first"]) for entry in history.of_kind(STARTED)), 0)
    return TableRules().setup({"players": players, "first": first})


def _seat(seat: Seat, name: str, state: State) -> str:
    shown = name if name.isprintable() else repr(name)
    turn = "wins" if state.winner == seat else "to move" if state.winner is None and state.mover == seat else ""
    return f"{seat + 1}  {shown[:40]}  to the {GOALS[seat]}, {state.left[seat]} walls left  {turn}".rstrip()


def board(state: State) -> list[str]:
    """Return the rows of the board, and between them lines with the horizontal walls."""
    width = _LEFT + _STEP * SIZE
    lines = [[" "] * width for _ in range(2 * SIZE)]
    for y in range(SIZE):
        lines[2 * y + 1][2] = str(y)
        for x in range(SIZE):
            lines[2 * y + 1][_LEFT + _STEP * x] = CELL
    for seat, cell in enumerate(state.pawns):
        x, y = xy(cell)
        lines[2 * y + 1][_LEFT + _STEP * x] = str(seat + 1)
    for wall in walls_at(state.walls):
        column, line = _LEFT + _STEP * wall.x, 2 * wall.y
        if wall.orientation == HORIZONTAL:
            lines[line][column - 1 : column + 6] = ACROSS * 7
        else:
            for below in range(line + 1, min(line + 4, 2 * SIZE)):
                lines[below][column - 2] = DOWN
    head = " " * _LEFT + (" " * (_STEP - 1)).join(map(str, range(SIZE)))
    return [head, *("".join(line[:width]).rstrip() for line in lines)]
