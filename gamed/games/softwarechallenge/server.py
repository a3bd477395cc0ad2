"""What the daemon needs to host the Software-Challenge: the connection, the reception and the tables of the seasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from random import Random
from typing import Any

from gamed.core.game import OPENING_PLIES, Options
from gamed.core.match import Match, random_opening
from gamed.core.reception import LobbyServices
from gamed.games import HostedGame
from gamed.games.softwarechallenge.reception import SoftwareChallengeReception
from gamed.games.softwarechallenge.rooms import SeasonRooms
from gamed.games.softwarechallenge.season import Season
from gamed.games.softwarechallenge.seasons import SEASONS
from gamed.games.softwarechallenge.table import Limits, SeasonTable
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection
from gamed.wire.xmlstream import XmlStream


def connection(settings: Any) -> SoftwareChallengeConnection:
    """Return the server's side of the dialect."""
    return SoftwareChallengeConnection(XmlStream(settings.message_bytes))


@cache
def hosted(packages: tuple[str, ...] = tuple(SEASONS.values())) -> HostedGame:
    """Return what hosts seasons. `packages`: the names of their packages; each has its season as `wire.SEASON`."""
    seasons: Sequence[Season] = [import_module(f"{package}.wire").SEASON for package in packages]
    return HostedGame(connection, partial(_reception, seasons), {one.kind: partial(_table, one) for one in seasons})


def _reception(seasons: Sequence[Season], settings: Any, services: LobbyServices) -> SoftwareChallengeReception:
    """Return what leads clients to rooms."""
    rooms = SeasonRooms({one.kind: one for one in seasons}, services, settings.waiting_seconds, settings.season)
    return SoftwareChallengeReception(rooms, services, settings.password, settings.paused)


def _table(
    season: Season, _settings: Any, options: Options, random: Callable[[int], Random], now: float
) -> SeasonTable:
    """Return a fresh match."""
    soft, hard = (int(options[f"{limit}_milliseconds"]) / 1000 for limit in ("soft", "hard"))
    made = SeasonTable(season, options, Match(season.game, options, random, now), Limits(soft, hard))
    if OPENING_PLIES in options:
        made.opening = random_opening(season.game, options, random, int(options[OPENING_PLIES]))
    return made
