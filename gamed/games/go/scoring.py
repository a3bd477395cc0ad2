"""Count the points of a position.

Source: docs/reference/records.md#gofans. Life and death is not considered: dead stones that are still on the board
count as alive, the empty points around them count for nobody, and eyes in seki count as territory. Therefore the
`points` in a record are never replaced by these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gamed.games.go.board import FIRST_COLORS, WHITE, Ruleset, neighbours, points
from gamed.games.go.replay import positions
from gamed.games.go.tree import GoGame, Point


def territory(size: int, stones: Mapping[Point, str]) -> Counter[str]:
    """Return the number of empty points that are surrounded by only one colour, by colour."""
    near, names = neighbours(size), points(size)
    counts: Counter[str] = Counter()
    met: set[int] = set()
    for start, point in enumerate(names):
        if point in stones or start in met:
            continue
        region, colors = [start], set()
        met.add(start)
        # The list grows during the iteration.
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
    """Return the number of stones and surrounded empty points of each colour."""
    return territory(size, stones) + Counter(stones.values())


def count(
    size: int, stones: Mapping[Point, str], prisoners: Mapping[str, int], rules: Ruleset, komi: float
) -> dict[str, float]:
    """Return the points of each colour; black and white are always included.

    `prisoners`: the number of stones that each colour has captured, used only in territory scoring. White gets `komi`,
    but nothing for a handicap, because rule sets differ in that.
    """
    points_of: Counter[str] = area(size, stones) if rules.area else territory(size, stones) + Counter(prisoners)
    colors = sorted({*FIRST_COLORS, *stones.values()})
    return {color: points_of[color] + (komi if color == WHITE else 0.0) for color in colors}


def score(game: GoGame) -> dict[str, float]:
    """Return the points of each colour at the end of the main line. Raises RuleError as `positions` does."""
    board = positions(game)
    return count(game.size, board.stones, board.prisoners, board.rules, game.komi or 0.0)
