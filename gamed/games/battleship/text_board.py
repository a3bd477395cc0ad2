"""Both Battleship boards as text, as far as the answers reveal them.

The labels are those of the protocol's text: columns 1 to 10, rows A to J.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gamed.core.game import Seat
from gamed.core.texts import printable
from gamed.games.battleship.fleet import SIZE
from gamed.games.battleship.wire import Code, Opcode, decode

UNKNOWN, WATER, HIT, SUNK = ".", "~", "x", "#"
LEGEND = f"{UNKNOWN} unknown   {WATER} water   {HIT} hit   {SUNK} sunk"
_GAP = "     "

Marks = dict[int, str]


def draw(_board: Any, moves: Sequence[Mapping[str, Any]], names: Mapping[Seat | None, str]) -> str:
    """Return both boards below the last line.

    The lines say what is known, not the referee's board: it ends with the first line that breaks the rules.
    """
    marks: tuple[Marks, Marks] = ({}, {})
    for move in moves:
        _mark(marks[move["seat"]], move["text"].encode())
    blocks = [_lines(f"seat {seat}  {printable(names.get(seat, ''))}", marks[seat]) for seat in (0, 1)]
    rows = [f"{left:<{_WIDTH}}{_GAP}{right}".rstrip() for left, right in zip(*blocks, strict=True)]
    caption = f"seat {moves[-1]['seat']}: {printable(moves[-1]['text'])}" if moves else "before the first line"
    return "\n".join([caption, *rows, LEGEND])


def _mark(board: Marks, body: bytes) -> None:
    command = decode(body)
    match command:
        case (Opcode.ANSWER, (x, y, code)) if 0 <= x < SIZE and 0 <= y < SIZE:
            cell = x + SIZE * y
            if code == Code.WATER:
                board.setdefault(cell, WATER)
            elif code == Code.HIT:
                board[cell] = SUNK if board.get(cell) == SUNK else HIT
            elif code in (Code.SUNK, Code.LAST_SUNK):
                board[cell] = HIT
                _sink(board, cell)


def _sink(board: Marks, cell: int) -> None:
    if board.get(cell) != HIT:
        return
    board[cell] = SUNK
    x = cell % SIZE
    near = [cell - SIZE, cell + SIZE, *([cell - 1] if x else []), *([cell + 1] if x < SIZE - 1 else [])]
    for neighbour in near:
        _sink(board, neighbour)


_WIDTH = 3 + 3 * SIZE


def _lines(title: str, marks: Marks) -> list[str]:
    head = "   " + "".join(f"{column:>3}" for column in range(1, SIZE + 1))
    rows = [
        f"  {'ABCDEFGHIJ'[y]}" + "".join(f"  {marks.get(x + SIZE * y, UNKNOWN)}" for x in range(SIZE))
        for y in range(SIZE)
    ]
    return [title[:_WIDTH], head, *rows]
