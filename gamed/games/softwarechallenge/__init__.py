"""The Software-Challenge: a lobby with administrators and reservations, and Hive, the game of the season 2020.

Source: software-challenge.md.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from attrs import Attribute, field, frozen

from gamed.game import Options
from gamed.games.softwarechallenge.reception import SoftwareChallengeReception
from gamed.games.softwarechallenge.seasons.hive.wire import KIND, HiveSeason
from gamed.games.softwarechallenge.table import Limits, SeasonTable
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection
from gamed.match import Match
from gamed.reception import Host
from gamed.registry import GameType
from gamed.wire.xmlstream import XmlStream


def _positive(_instance: object, attribute: Attribute[Any], value: float) -> None:
    if value <= 0:
        raise ValueError(f"{attribute.name} must be more than 0, not {value}")


@frozen
class Settings:
    """The section [softwarechallenge] of the configuration; etc/gamed.toml explains each key."""

    endpoint: str | None = None
    password: str = field(default="", repr=False)
    paused: bool = False
    soft_seconds: float = field(default=2.0, validator=_positive)
    hard_seconds: float = field(default=10.0, validator=_positive)
    message_bytes: int = field(default=65_536, validator=_positive)
    stuck_seconds: float = field(default=30.0, validator=_positive)
    unsent_bytes: int = field(default=4_194_304, validator=_positive)
    connections: int = field(default=20_000, validator=_positive)
    connections_per_address: int = field(default=512, validator=_positive)


def _options(settings: Settings) -> Options:
    return {
        "soft_milliseconds": round(settings.soft_seconds * 1000),
        "hard_milliseconds": round(settings.hard_seconds * 1000),
    }


def _connection(settings: Settings) -> SoftwareChallengeConnection:
    return SoftwareChallengeConnection(XmlStream(settings.message_bytes))


def _reception(settings: Settings, host: Host) -> SoftwareChallengeReception:
    password = host.password("softwarechallenge", settings.password)
    return SoftwareChallengeReception(_SEASON, host, password, settings.paused)


def _table(_settings: Settings, options: Options, random: Callable[[], Random], now: float) -> SeasonTable:
    soft, hard = (int(options[f"{limit}_milliseconds"]) / 1000 for limit in ("soft", "hard"))
    return SeasonTable(_SEASON, options, Match(_SEASON.game, options, random, now), Limits(soft, hard))


_SEASON = HiveSeason()
