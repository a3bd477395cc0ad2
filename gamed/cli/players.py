"""What plays records: a function for each publisher whose formats gamed knows.

This stands in the shell because the games that gamed hosts are Twisted plugins; the core takes what it returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random

from gamed.game import Options
from gamed.records.gofans import PUBLISHER
from gamed.records.importer import Player
from gamed.records.played import play_gofans, play_own
from gamed.registry import GameType, game_types
from gamed.table import Table


def players() -> Mapping[str, Player]:
    """Return what plays records, by publisher: the games that are installed, and GoFans."""
    own = {made.publisher: partial(play_own, table=partial(_table, made)) for made in game_types().values()}
    return {**own, PUBLISHER: play_gofans}


def _table(made: GameType, options: Options) -> Table:
    return made.table(made.settings(), options, Random, 0.0)
