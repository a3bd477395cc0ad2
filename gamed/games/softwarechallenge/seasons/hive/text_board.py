"""A Hive position as text: the hexagon with its stacks, and the hands.

Source: docs/specs/software-challenge.md#board. A row has equal z, from -5 at the top, and x grows to the right. So
the six neighbours of a cell are the two next to it in its row, the nearest two above, and the nearest two below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gamed.core.game import Seat
from gamed.core.texts import printable
from gamed.games.softwarechallenge.seasons.hive.board import CELLS, RADIUS
from gamed.games.softwarechallenge.seasons.hive.moves import COLORS

EMPTY, BARRED = ".", "#"
LEGEND: Final = (
    f"upper case {COLORS[0]}, lower case {COLORS[1]}: Q bee, S spider, G grasshopper, B beetle, A ant",
    f"A2: an ant on top of one other piece   {EMPTY} free   {BARRED} obstructed",
)

_STEP: Final = 4
"""The distance between two cells of a row, in characters. Each row is shifted by half of it."""


def draw(board: Mapping[str, Any], moves: Sequence[Mapping[str, Any]], names: Mapping[Seat | None, str]) -> str:
    """Return the board, under a description of the last move."""
    last = moves[-1] if moves else None
    caption = f"{COLORS[last['seat']]}: {_in_words(last['text'])}" if last else "before the first move"
    seats = [_seat(seat, names.get(seat, ""), board) for seat in (0, 1)]
    return "\n".join([caption, *seats, "", *rows(board), "", *_stacks(board), *LEGEND])


_WORDS: Final = {"S": "sets {}", "D": "drags {}", "P": "passes"}


def _in_words(move: str) -> str:
    kind, _, rest = move.partition(" ")
    return _WORDS[kind].format(rest.replace(" ", " to ") if kind == "D" else rest.replace(" ", " on "))


def _seat(seat: Seat, name: str, board: Mapping[str, Any]) -> str:
    hand, free = "".join(board["hands"][seat]), board["free"][seat]
    bee = "bee not placed" if free < 0 else f"{free} free around the bee"
    facts = (f"{COLORS[seat]:<4}", printable(name)[:20], f"hand {hand or 'empty'}", bee, _turn(seat, board))
    return "  ".join(filter(None, facts))


def _turn(seat: Seat, board: Mapping[str, Any]) -> str:
    if board["reason"] is None:
        return "to move" if seat in board["to_move"] else ""
    return "drawn" if board["winner"] is None else "wins" if board["winner"] == seat else ""


def rows(board: Mapping[str, Any]) -> list[str]:
    """Return the rows of the hexagon, each preceded by its z and followed by its first and last cell."""
    signs = {f"{x},{y}": BARRED for x, y in board["obstructed"]}
    signs |= {at: stack[-1] + str(len(stack))[: len(stack) - 1] for at, stack in board["board"].items()}
    return [_row(signs, z) for z in range(-RADIUS, RADIUS + 1)]


def _row(signs: Mapping[str, str], z: int) -> str:
    cells = [f"{x},{y}" for x, y in CELLS if x + y + z == 0]
    shift = " " * (abs(z) * _STEP // 2)
    row = shift + "".join(f"{signs.get(cell, EMPTY):<{_STEP}}" for cell in cells).rstrip()
    return f"z {z:>2}  {row:<{_STEP * (2 * RADIUS + 1)}}{cells[0]} .. {cells[-1]}"


def _stacks(board: Mapping[str, Any]) -> list[str]:
    """Return one line with all stacks of several pieces, and an empty one; nothing if there are none."""
    high = [f"{at} {stack}" for at, stack in board["board"].items() if len(stack) > 1]
    return [f"stacks, bottom to top: {'  '.join(high)}", ""] if high else []
