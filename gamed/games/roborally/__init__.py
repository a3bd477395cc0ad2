"""RoboRally, played by the protocol of the SWP'99, a software course at a German university in 1999.

Source: docs/reference/roborally.md. gamed is the protocol's manager (Verwalter): players (Spieler) and output channels
(Ausgabekanäle) connect to it. This module joins the parts of the game to the `GameType` that the registry loads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final

from attrs import field, frozen
from attrs.validators import ge, gt, in_, le, min_len

from gamed.core.game import Options
from gamed.core.history import Entry
from gamed.core.reception import LobbyServices
from gamed.games.roborally.client import Player, random_name
from gamed.games.roborally.course_list import CourseList, course_options
from gamed.games.roborally.limits import TableLimits
from gamed.games.roborally.person import Person
from gamed.games.roborally.reception import KIND, ManagerReception
from gamed.games.roborally.rules.moves import Program, parse
from gamed.games.roborally.strategy import STRATEGIES
from gamed.games.roborally.table import Manager
from gamed.games.roborally.text_board import draw
from gamed.games.roborally.wire import RoboRallyConnection
from gamed.registry import GameType, ListenerSettings, everything

COURSES: Final = ("doppelhalle", "anlauf", "karussell", "treppe", "winkel", "mahlstrom", "archipel", "grossfabrik")
"""The courses of the default configuration. The first one is plain: new players begin on it."""


@frozen
class Settings(ListenerSettings):
    """The section [roborally] of the configuration. etc/gamed.toml explains each key for administrators."""

    courses: tuple[str, ...] = field(default=COURSES, validator=min_len(1))
    order: str = field(default="listed", validator=in_(("listed", "random")))
    seed: int = field(default=0, validator=ge(0))
    move_timeout: int = field(default=60, validator=[ge(0), le(65_535)])
    ack_timeout: float = field(default=10.0, validator=gt(0))
    ack_budget: float = field(default=30.0, validator=gt(0))
    start_delay: float = field(default=10.0, validator=ge(0))
    linger: float = field(default=30.0, validator=ge(0))
    idle_unregistered: float = field(default=60.0, validator=gt(0))
    max_violations: int = field(default=5, validator=gt(0))
    min_players: int = field(default=2, validator=[ge(1), le(8)])
    max_players: int = field(default=8, validator=[ge(1), le(8)])
    max_channels: int = field(default=8, validator=ge(0))
    lives: int = field(default=3, validator=[ge(1), le(3)])
    max_games: int = field(default=16, validator=gt(0))
    max_turns: int = field(default=200, validator=gt(0))
    messages_per_second: float = field(default=50.0, validator=ge(0))
    unsent_bytes: int = field(default=16_777_216, validator=gt(0))

    def __attrs_post_init__(self) -> None:
        if self.min_players > self.max_players:
            raise ValueError(f"min_players is {self.min_players}, more than max_players, {self.max_players}")


def _options(settings: Settings) -> Options:
    return course_options(settings.courses[0], settings)


def _connection(_settings: Settings) -> RoboRallyConnection:
    return RoboRallyConnection()


def _reception(settings: Settings, services: LobbyServices) -> ManagerReception:
    courses = CourseList(settings, Random(settings.seed or None))  # noqa: S311 (shuffling, not a secret)
    return ManagerReception(services, settings, courses)


def _table(settings: Settings, options: Options, random: Callable[[], Random], now: float) -> Manager:
    limits = TableLimits(
        min_players=int(options["min_players"]),
        max_channels=settings.max_channels,
        move_timeout=settings.move_timeout,
        ack_timeout=settings.ack_timeout,
        ack_budget=settings.ack_budget,
        start_delay=settings.start_delay,
        linger=settings.linger,
        max_violations=settings.max_violations,
    )
    # With a seed in the settings, each match shuffles in the same way.
    seed = int(options["seed"])
    return Manager(options, limits, partial(Random, seed) if seed else random, now)


def _player(strategy: str) -> Callable[..., Player]:
    def make(random: Random, name: str = "") -> Player:
        return Player(STRATEGIES[strategy], random, name or random_name(random))

    return make


def _public_text(entry: Entry) -> str | None:
    """Return the public notation of a move; None for a program, which stays hidden until its cards are revealed."""
    move = everything(entry)
    return None if move is not None and isinstance(parse(move), Program) else move


game_type = GameType(
    kind=KIND,
    publisher="gamed-roborally",
    version="1.0",
    title="RoboRally",
    settings=Settings,
    options=_options,
    connection=_connection,
    reception=_reception,
    table=_table,
    draw=draw,
    players={name: _player(name) for name in STRATEGIES},
    person=Person,
    player_options=("name",),
    opponents=lambda settings: range(1, settings.max_players),
    public_text=_public_text,
)
