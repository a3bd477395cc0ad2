"""Draw a board as text, with the usual coordinates: letters without I, and lines numbered from the bottom.

Source: docs/reference/records.md#commands (`gamed show`). Black is X and white is O; other colours are letters that are
explained below the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gamed.games.go.board import BLACK, WHITE, Board
from gamed.games.go.hoshi import hoshi
from gamed.games.go.rules import Position
from gamed.games.go.tree import Point, column

# Without o and x, which look like white and black.
_FREE = "abcdefghijklmnpqrstuvwyz"
_SIGNS = {BLACK: "X", WHITE: "O"}


def draw(board: Board | Position, last: Point | None = None) -> str:
    """Return the board as lines of text. The stone on `last` is in parentheses."""
    stones, size = board.stones, board.size
    signs = _signs(stones.values())
    stars = frozenset(hoshi(size))
    wide = len(column(size)) + 1
    letters = "   " + "".join(column(x).rjust(wide) for x in range(1, size + 1))
    lines = [letters]
    for y in range(1, size + 1):
        row = [Point(x, y) for x in range(1, size + 1)]
        shown = [signs[stones[point]] if point in stones else "+" if point in stars else "." for point in row]
        number = size + 1 - y
        lines.append(f"{number:3d}{_row(shown, wide, last.x if last is not None and last.y == y else None)}{number}")
    legend = [f"{sign} {color}" for color, sign in signs.items() if color not in _SIGNS]
    return "\n".join([*lines, letters, *legend])


def _row(shown: Iterable[str], wide: int, marked: int | None) -> str:
    cells = "".join(sign.rjust(wide) for sign in shown) + " "
    if marked is None:
        return cells
    at = marked * wide - 1
    return f"{cells[: at - 1]}({cells[at]}){cells[at + 2 :]}"


def _signs(colors: Iterable[str]) -> dict[str, str]:
    """Return a sign for each colour: a letter of its name if one is free."""
    signs = dict(_SIGNS)
    for color in sorted(set(colors) - set(signs)):
        signs[color] = next(_free(color, signs), "?")
    return signs


def _free(color: str, signs: dict[str, str]) -> Iterator[str]:
    return (letter for letter in color + _FREE if letter in _FREE and letter not in signs.values())
