"""Go: rules, game trees, and their formats GoFans and SGF. There is no listener; games come from records.

Source: docs/reference/records.md#gofans.
"""

from pathlib import Path

from gamed.registry import Option, WrittenGame

written_game = WrittenGame(
    "go",
    "GoFans",
    Path(__file__).parent,
    f"{__name__}.formats",
    ("gofans-1.1", "gofans-1.2", "gofans-2.1", "gofans-2.2", "sgf"),
    {"sgf": "SGF", "gofans": "GoFans"},
    # 1.2 holds variations, and does not require the name of the rules.
    {".sgf": "sgf", ".xml": "gofans-1.2"},
    recorded_as="gofans-2.2",
    new_facts={
        "size": Option("The number of lines of the board.", int, 19, 1, 52),
        "handicap": Option("Handicap stones.", int, 0, 0, 9),
        "komi": Option("The points that white gets.", float),
        "rules": Option("japanese, chinese, aga, new-zealand and others.", metavar="NAME"),
        "black": Option("The name of the black player.", metavar="NAME"),
        "white": Option("The name of the white player.", metavar="NAME"),
    },
    sides=("black", "white"),
    by_points=True,
)
