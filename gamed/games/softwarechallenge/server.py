"""What the daemon needs to host the Software-Challenge: the connection, the reception and the table of the season."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from gamed.core.game import OPENING_PLIES, Options
from gamed.core.match import Match, random_opening
from gamed.core.reception import LobbyServices
from gamed.games import HostedGame
from gamed.games.softwarechallenge.reception import SoftwareChallengeReception
from gamed.games.softwarechallenge.seasons.hive.wire import HiveSeason
from gamed.games.softwarechallenge.table import Limits, SeasonTable
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection
from gamed.wire.xmlstream import XmlStream

_SEASON = HiveSeason()


def connection(settings: Any) -> SoftwareChallengeConnection:
    """Return the server's side of the dialect."""
    return SoftwareChallengeConnection(XmlStream(settings.message_bytes))


def reception(settings: Any, services: LobbyServices) -> SoftwareChallengeReception:
    """Return what leads clients to rooms."""
    return SoftwareChallengeReception(_SEASON, services, settings.password, settings.paused, settings.waiting_seconds)


def table(_settings: Any, options: Options, random: Callable[[int], Random], now: float) -> SeasonTable:
    """Return a fresh match."""
    soft, hard = (int(options[f"{limit}_milliseconds"]) / 1000 for limit in ("soft", "hard"))
    made = SeasonTable(_SEASON, options, Match(_SEASON.game, options, random, now), Limits(soft, hard))
    if OPENING_PLIES in options:
        made.opening = random_opening(_SEASON.game, options, random, int(options[OPENING_PLIES]))
    return made


def hosted() -> HostedGame:
    """Return what hosts the game."""
    return HostedGame(connection, reception, {"hive": table})
