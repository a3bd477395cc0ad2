"""Go: rules, game trees, and their formats GoFans and SGF. There is no listener; games come from records.

Source: docs/reference/records.md#gofans.
"""

from pathlib import Path

from gamed.registry import WrittenGame

written_game = WrittenGame("go", "GoFans", Path(__file__).parent, sides=("black", "white"), by_points=True)
