"""RoboRally by the protocol of the SWP'99: the manager (Verwalter), its players and its output channels.

Source: docs/reference/roborally.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final

from attrs import Attribute, field, frozen, validators

from gamed.game import Options
from gamed.games.roborally.client import Player, random_name
from gamed.games.roborally.course_list import CourseList, course_options
from gamed.games.roborally.drawing import draw
from gamed.games.roborally.person import Person
from gamed.games.roborally.reception import KIND, ManagerReception
from gamed.games.roborally.rules.moves import Program, parse
from gamed.games.roborally.strategy import STRATEGIES
from gamed.games.roborally.table import Limits, Manager
from gamed.games.roborally.wire import RoboRallyConnection
from gamed.history import Entry
from gamed.reception import Host
from gamed.registry import GameType, everything

COURSES: Final = ("doppelhalle", "anlauf", "karussell", "treppe", "winkel", "mahlstrom", "archipel", "grossfabrik")
"""The courses of the default configuration: a plain one first."""


def _positive(_instance: object, attribute: Attribute[Any], value: float) -> None:
    if value <= 0:
        raise ValueError(f"{attribute.name} must be more than 0, not {value}")


def _not_negative(_instance: object, attribute: Attribute[Any], value: float) -> None:
    if value < 0:
        raise ValueError(f"{attribute.name} must not be less than 0, as {value} is")


def _within(least: int, most: int) -> Callable[[object, Attribute[Any], int], None]:
    def check(_instance: object, attribute: Attribute[Any], value: int) -> None:
        if not least <= value <= most:
            raise ValueError(f"{attribute.name} is {least} to {most}, not {value}")

    return check


def _not_empty(_instance: object, attribute: Attribute[Any], value: tuple[str, ...]) -> None:
    if not value:
        raise ValueError(f"{attribute.name} must name at least one")


@frozen
class Settings:
    """The section [roborally] of the configuration; etc/gamed.toml explains each key."""

    endpoint: str | None = None
    courses: tuple[str, ...] = field(default=COURSES, validator=_not_empty)
    order: str = field(default="listed", validator=validators.in_(("listed", "random")))
    seed: int = field(default=0, validator=_not_negative)
    move_timeout: int = field(default=60, validator=_within(0, 65_535))
    ack_timeout: float = field(default=10.0, validator=_positive)
    ack_budget: float = field(default=30.0, validator=_positive)
    start_delay: float = field(default=10.0, validator=_not_negative)
    linger: float = field(default=30.0, validator=_not_negative)
    idle_unregistered: float = field(default=60.0, validator=_positive)
    max_violations: int = field(default=5, validator=_positive)
    min_players: int = field(default=2, validator=_within(1, 8))
    max_players: int = field(default=8, validator=_within(1, 8))
    max_channels: int = field(default=8, validator=_not_negative)
    lives: int = field(default=3, validator=_within(1, 3))
    max_games: int = field(default=16, validator=_positive)
    max_turns: int = field(default=200, validator=_positive)
    messages_per_second: float = field(default=50.0, validator=_not_negative)
    stuck_seconds: float = field(default=30.0, validator=_positive)
    unsent_bytes: int = field(default=16_777_216, validator=_positive)
    connections: int = field(default=20_000, validator=_positive)
    connections_per_address: int = field(default=512, validator=_positive)
    connections_per_second: float = field(default=500.0, validator=_not_negative)

    def __attrs_post_init__(self) -> None:
        if self.min_players > self.max_players:
            raise ValueError(f"min_players is {self.min_players}, more than max_players, {self.max_players}")


def _options(settings: Settings) -> Options:
    return course_options(settings.courses[0], settings)


def _connection(_settings: Settings) -> RoboRallyConnection:
    return RoboRallyConnection()


def _reception(settings: Settings, host: Host) -> ManagerReception:
    courses = CourseList(settings, Random(settings.seed or None))  # noqa: S311 (a game's chance)
    return ManagerReception(host, settings, courses)


def _table(settings: Settings, options: Options, random: Callable[[], Random], now: float) -> Manager:
    limits = Limits(
        min_players=int(options["min_players"]),
        max_channels=settings.max_channels,
        move_timeout=settings.move_timeout,
        ack_timeout=settings.ack_timeout,
        ack_budget=settings.ack_budget,
        start_delay=settings.start_delay,
        linger=settings.linger,
        max_violations=settings.max_violations,
    )
    seed = int(options["seed"])
    return Manager(options, limits, partial(Random, seed) if seed else random, now)


def _player(strategy: str) -> Callable[..., Player]:
    def make(random: Random, name: str = "") -> Player:
        return Player(STRATEGIES[strategy], random, name or random_name(random))

    return make


def _told(entry: Entry) -> str | None:
    """Return what everybody may know of a move: of a program, nothing."""
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
    told=_told,
)
