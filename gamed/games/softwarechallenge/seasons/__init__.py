"""The seasons of the Software-Challenge: different games with the same lobby messages, on one listener."""

from importlib import import_module
from typing import Final

SEASONS: Final = {
    2020: "gamed.games.softwarechallenge.seasons.hive",
    2027: "gamed.games.softwarechallenge.seasons.blokus",
}
"""The packages of the seasons, by the years in which they end."""

game_types = tuple(import_module(name).game_type for name in SEASONS.values())
