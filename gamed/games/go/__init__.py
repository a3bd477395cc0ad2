"""Go: rules, game trees, and their formats GoFans and SGF. There is no listener; games come from records.

Source: docs/reference/records.md#gofans.
"""

from pathlib import Path

from gamed.registry import Fact, WrittenGame

written_game = WrittenGame(
    "go",
    "GoFans",
    Path(__file__).parent,
    f"{__name__}.formats",
    ("gofans-1.1", "gofans-1.2", "gofans-2.1", "gofans-2.2", "sgf"),
    ("sgf", "gofans"),
    # 1.2 holds variations, and does not require the name of the rules.
    {".sgf": "sgf", ".xml": "gofans-1.2"},
    recorded_as="gofans-2.2",
    new_facts=(
        Fact("size", "The number of lines of the board.", int, 19, 1, 52),
        Fact("handicap", "Handicap stones.", int, 0, 0, 9),
        Fact("komi", "The points that white gets.", float),
        Fact("rules", "japanese, chinese, aga, new-zealand and others."),
        Fact("black", "The name of the black player."),
        Fact("white", "The name of the white player."),
    ),
    sides=("black", "white"),
    by_points=True,
)
