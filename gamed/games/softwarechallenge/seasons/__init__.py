"""The seasons of the Software-Challenge: different games with the same lobby messages, on one listener."""

from importlib import import_module
from typing import Final

SEASONS: Final = ("gamed.games.softwarechallenge.seasons.hive",)
"""The packages of the seasons. The first is for clients that name none."""

game_types = tuple(import_module(name).game_type for name in SEASONS)
