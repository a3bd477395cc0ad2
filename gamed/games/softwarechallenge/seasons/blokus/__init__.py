"""The season 2027: Blokus. Source: docs/reference/blokus.md."""

from gamed.games.softwarechallenge import season_type

# By the rules, a game has at most 24 rounds of four colours.
game_type = season_type(__name__, "1.0", ("search", "greedy", "random"), most_moves=100, mark=b"startPiece=")
