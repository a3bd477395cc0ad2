"""The season 2027: Blokus. Source: docs/reference/blokus.md."""

from gamed.games.softwarechallenge import season_type

_COLUMNS = {"victory": "Siegpunkte", "points": "Punkte"}
game_type = season_type(__name__, "1.0", ("search", "greedy", "random"), b"startPiece=", _COLUMNS)
