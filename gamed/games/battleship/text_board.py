"""Both Battleship boards as text, as far as the answers reveal them.

The labels are those of the protocol's text: columns 1 to 10, rows A to J.
"""

from __future__ import annotations

from gamed.core.game import Seat
from gamed.core.history import JOINED, LINE, History
from gamed.games.battleship.fleet import SIZE
from gamed.games.battleship.wire import Code, Opcode, decode

UNKNOWN, WATER, HIT, SUNK = ".", "~", "x", "#"
LEGEND = f"{UNKNOWN} unknown   {WATER} water   {HIT} hit   {SUNK} sunk"
_GAP = "     "

Marks = dict[int, str]


def draw(history: History, moves: int | None = None) -> str:
    """Return both boards after so many lines (None: all), below the last line."""
    lines = list(history.of_kind(LINE))[:moves]
    marks: tuple[Marks, Marks] = ({}, {})
    for entry in lines:
        assert entry.seat in (0, 1)
        assert entry.body is not None
        _mark(marks[entry.seat], entry.body)
    names = {entry.seat: _harmless(str(entry.data.get("name", ""))) for entry in history.of_kind(JOINED)}
    blocks = [_board(f"seat {seat}  {names.get(seat, '')}", marks[seat]) for seat in (0, 1)]
    rows = [f"{left:<{_WIDTH}}{_GAP}{right}".rstrip() for left, right in zip(*blocks, strict=True)]
    return "\n".join([_caption(lines[-1].seat, lines[-1].body) if lines else "before the first line", *rows, LEGEND])


def _caption(seat: Seat | None, body: bytes | None) -> str:
    return f"seat {seat}: {_harmless((body or b'').decode('utf-8', 'backslashreplace'))}"


def _harmless(text: str) -> str:
    """Return a text without control characters, which could change the terminal."""
    return text if text.isprintable() else repr(text)


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


def _board(title: str, marks: Marks) -> list[str]:
    head = "   " + "".join(f"{column:>3}" for column in range(1, SIZE + 1))
    rows = [
        f"  {'ABCDEFGHIJ'[y]}" + "".join(f"  {marks.get(x + SIZE * y, UNKNOWN)}" for x in range(SIZE))
        for y in range(SIZE)
    ]
    return [title[:_WIDTH], head, *rows]
