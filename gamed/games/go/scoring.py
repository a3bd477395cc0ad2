"""Counting a position with its stones as they stand.

Source: docs/reference/records.md#gofans. Nothing here judges life and death: dead stones that were left on the board
count as living, the points between them and their captors count for nobody, and eyes in seki count as territory. A
record's own `points` are therefore kept as they are and never replaced by these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gamed.games.go.board import FIRST_COLORS, WHITE, Ruleset, neighbours, points
from gamed.games.go.replay import positions
from gamed.games.go.tree import GoGame, Point


def territory(size: int, stones: Mapping[Point, str]) -> Counter[str]:
    """Return how many empty points each colour alone surrounds."""
    near, names = neighbours(size), points(size)
    counts: Counter[str] = Counter()
    met: set[int] = set()
    for start, point in enumerate(names):
        if point in stones or start in met:
            continue
        region, colors = [start], set()
        met.add(start)
        # The list grows while it is walked.
        for cell in region:
            for there in near[cell]:
                if names[there] in stones:
                    colors.add(stones[names[there]])
                elif there not in met:
                    met.add(there)
                    region.append(there)
        if len(colors) == 1:
            counts[colors.pop()] += len(region)
    return counts


def area(size: int, stones: Mapping[Point, str]) -> Counter[str]:
    """Return how many points each colour has: its stones, and the empty points that it alone surrounds."""
    return territory(size, stones) + Counter(stones.values())


def count(
    size: int, stones: Mapping[Point, str], prisoners: Mapping[str, int], rules: Ruleset, komi: float
) -> dict[str, float]:
    """Return each colour's points; black and white are always among them.

    `prisoners`: the stones that each colour took, which count with territory only. `komi` is white's; handicap is not
    made good, because the rules differ in how.
    """
    points_of: Counter[str] = area(size, stones) if rules.area else territory(size, stones) + Counter(prisoners)
    colors = sorted({*FIRST_COLORS, *stones.values()})
    return {color: points_of[color] + (komi if color == WHITE else 0.0) for color in colors}


def score(game: GoGame) -> dict[str, float]:
    """Return each colour's points at the end of the main line. Raises RuleError as `positions` does."""
    board = positions(game)
    return count(game.size, board.stones, board.prisoners, board.rules, game.komi or 0.0)
