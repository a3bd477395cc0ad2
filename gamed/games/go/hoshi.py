"""Star points (hoshi), and the handicap stones on them.

Source: the Go Text Protocol's fixed handicap, which other programs use, too.
"""

from __future__ import annotations

from gamed.core.errors import InvalidMove
from gamed.games.go.board import BLACK
from gamed.games.go.tree import Point, Stone

_SMALLEST = 7
_FOURTH_LINE = 13
_CORNERS = 4


def hoshi(size: int) -> tuple[Point, ...]:
    """Return the star points: those in the corners, then, if the size is odd, those on the sides and in the centre."""
    if size < _SMALLEST:
        return ()
    low = 4 if size >= _FOURTH_LINE else 3
    high, middle = size + 1 - low, (size + 1) // 2
    corners = (Point(low, high), Point(high, low), Point(low, low), Point(high, high))
    if size % 2 == 0 or size == _SMALLEST:
        return corners
    sides = (Point(low, middle), Point(high, middle), Point(middle, high), Point(middle, low))
    return (*corners, *sides, Point(middle, middle))


def handicap(size: int, count: int) -> tuple[Stone, ...]:
    """Return black's handicap stones; none for 0 and 1. Raises InvalidMove ("handicap") if they do not fit."""
    stars = hoshi(size)
    if not 0 <= count <= max(1, len(stars)):
        raise InvalidMove(f"no handicap of {count} on a board of {size} lines", code="handicap")
    # Five or more stones: an odd number includes the centre, and the points on the sides are used in pairs.
    chosen = (*stars[: count - 1], stars[-1]) if count > _CORNERS and count % 2 else stars[:count]
    return tuple(Stone(point, BLACK) for point in chosen) if count > 1 else ()
