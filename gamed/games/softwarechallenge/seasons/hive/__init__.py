"""The season 2020: Hive. Source: docs/specs/software-challenge.md."""

from gamed.games.softwarechallenge import season_type

# By the rules, a game has at most 60 moves.
game_type = season_type(__name__, "1.1", ("search", "greedy", "random"), most_moves=100, mark=b"startPlayerColor=")
