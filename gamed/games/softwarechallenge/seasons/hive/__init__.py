"""The season 2020: Hive. Source: docs/specs/software-challenge.md."""

from gamed.games.softwarechallenge import season_type

_COLUMNS = {"points": "Siegpunkte", "free": "freie Felder"}
game_type = season_type(__name__, "1.1", ("search", "greedy", "random"), b"startPlayerColor=", _COLUMNS)
