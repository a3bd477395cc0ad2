"""A Blokus position as text: the board, and what each colour has left.

Source: docs/reference/blokus.md#board. Columns and rows are numbered as on the wire, from 0 at the upper left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gamed.core.game import Seat
from gamed.core.texts import printable
from gamed.games.softwarechallenge.seasons.blokus.board import SIZE
from gamed.games.softwarechallenge.seasons.blokus.moves import COLORS, LETTERS
from gamed.games.softwarechallenge.seasons.blokus.rules import EMPTY
from gamed.games.softwarechallenge.seasons.blokus.shapes import SHAPES

LEGEND: Final = ", ".join(f"{letter} {color}" for letter, color in zip(LETTERS, COLORS, strict=True))


def draw(board: Mapping[str, Any], moves: Sequence[Mapping[str, Any]], names: Mapping[Seat | None, str]) -> str:
    """Return the board, under a description of the last move."""
    seats = [_seat(seat, names.get(seat, ""), board) for seat in (0, 1)]
    left = [_left(color, board) for color in range(len(COLORS))]
    return "\n".join([_caption(moves), *seats, "", *rows(board), "", *left, "", LEGEND])


def _caption(moves: Sequence[Mapping[str, Any]]) -> str:
    if not moves:
        return "before the first move"
    letter, _, piece = moves[-1]["text"].partition(" ")
    color = COLORS[LETTERS.index(letter)]
    return f"{color} skips" if piece == "SKIP" else f"{color} sets {piece}"


def _seat(seat: Seat, name: str, board: Mapping[str, Any]) -> str:
    colors, points = f"{COLORS[seat]} and {COLORS[seat + 2]}", board["points"][seat] + board["points"][seat + 2]
    return "  ".join(filter(None, (f"{colors:<16}", printable(name)[:20], f"{points} points", _turn(seat, board))))


def _turn(seat: Seat, board: Mapping[str, Any]) -> str:
    if not board["over"]:
        return f"{COLORS[board['color']]} to move" if seat in board["to_move"] else ""
    return "drawn" if board["winner"] is None else "wins" if board["winner"] == seat else ""


def rows(board: Mapping[str, Any]) -> list[str]:
    """Return the rows of the board, each preceded by its y, under the columns' x."""
    head = "    " + " ".join(f"{x % 10}" for x in range(SIZE))
    return [head, *(f"{y:>2}  {' '.join(row).replace(EMPTY, '.')}" for y, row in enumerate(board["board"]))]


def _left(color: int, board: Mapping[str, Any]) -> str:
    names = " ".join(SHAPES[shape] for shape in board["left"][color]) or "nothing"
    out = "" if color in board["playing"] else "  (out)"
    return f"{COLORS[color]:<6} has left: {names}{out}"
