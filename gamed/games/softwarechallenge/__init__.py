"""The Software-Challenge: a lobby with administrators and reservations, and Hive, the game of the season 2020.

Source: docs/reference/software-challenge.md.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from attrs import Attribute, evolve, field, frozen
from attrs.validators import gt

from gamed.core.game import Options
from gamed.core.match import Match
from gamed.core.reception import LobbyServices
from gamed.games.softwarechallenge.client import Player
from gamed.games.softwarechallenge.person import Person
from gamed.games.softwarechallenge.reception import SoftwareChallengeReception
from gamed.games.softwarechallenge.seasons.hive import replays
from gamed.games.softwarechallenge.seasons.hive.client import HiveBrain
from gamed.games.softwarechallenge.seasons.hive.person import HiveGuide
from gamed.games.softwarechallenge.seasons.hive.strategy import STRATEGIES
from gamed.games.softwarechallenge.seasons.hive.text_board import draw
from gamed.games.softwarechallenge.seasons.hive.wire import KIND, HiveSeason
from gamed.games.softwarechallenge.table import Limits, SeasonTable
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection
from gamed.registry import GameType, ListenerSettings, ReplayFormat
from gamed.wire.xmlstream import XmlStream


def _not_sooner(settings: Settings, attribute: Attribute[Any], value: float) -> None:
    if value < settings.soft_seconds:
        raise ValueError(f"{attribute.name} must not be less than soft_seconds, {settings.soft_seconds:g}")


@frozen
class Settings(ListenerSettings):
    """The section [softwarechallenge] of the configuration. etc/gamed.toml explains each key."""

    password: str = field(default="", repr=False)
    replays: str = ""
    paused: bool = False
    soft_seconds: float = field(default=2.0, validator=gt(0))
    hard_seconds: float = field(default=10.0, validator=[gt(0), _not_sooner])
    waiting_seconds: float = field(default=3600.0, validator=gt(0))
    message_bytes: int = field(default=65_536, validator=gt(0))
    message_seconds: float = field(default=10.0, validator=gt(0))
    messages_per_second: float = field(default=50.0, validator=gt(0))

    def below(self, directory: Path) -> Settings:
        """Return these settings with relative paths made absolute, below `directory`."""
        return evolve(self, replays=str(directory / self.replays) if self.replays else "")


def _options(settings: Settings) -> Options:
    return {
        "soft_milliseconds": round(settings.soft_seconds * 1000),
        "hard_milliseconds": round(settings.hard_seconds * 1000),
    }


def _connection(settings: Settings) -> SoftwareChallengeConnection:
    return SoftwareChallengeConnection(XmlStream(settings.message_bytes))


def _reception(settings: Settings, services: LobbyServices) -> SoftwareChallengeReception:
    return SoftwareChallengeReception(_SEASON, services, settings.password, settings.paused, settings.waiting_seconds)


def _table(_settings: Settings, options: Options, random: Callable[[], Random], now: float) -> SeasonTable:
    soft, hard = (int(options[f"{limit}_milliseconds"]) / 1000 for limit in ("soft", "hard"))
    return SeasonTable(_SEASON, options, Match(_SEASON.game, options, random, now), Limits(soft, hard))


def _player(strategy: str) -> Callable[..., Player]:
    def make(random: Random, reservation: str | None = None) -> Player:
        return Player(HiveBrain(STRATEGIES[strategy](), random), reservation)

    return make


def _person(random: Random, name: str, reservation: str | None = None) -> Person:  # noqa: ARG001 (neither is needed)
    return Person(HiveGuide(), reservation)


_SEASON = HiveSeason()

game_type = GameType(
    kind=KIND,
    publisher="gamed-hive",
    version="1.0",
    settings=Settings,
    options=_options,
    connection=_connection,
    reception=_reception,
    table=_table,
    draw=draw,
    players={name: _player(name) for name in ("search", "greedy", "random")},
    person=_person,
    player_options=("reservation",),
    replays=(ReplayFormat("software-challenge", "protocol", replays.write, replays.read_replay, replays.file_name),),
    scores=replays.scores,
)
