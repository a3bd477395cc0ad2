"""Battleship ("Schiffe versenken"): a relay with a referee beside it. Source: docs/reference/battleship.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random

from attrs import field, frozen
from attrs.validators import gt, in_

from gamed.core.game import Options
from gamed.core.reception import FirstCome, LobbyServices
from gamed.core.relay import Relay, RelaySettings
from gamed.games.battleship.client import Player
from gamed.games.battleship.person import Person
from gamed.games.battleship.rules import Battleship
from gamed.games.battleship.strategy import strategies
from gamed.games.battleship.text_board import draw
from gamed.games.battleship.wire import BattleshipConnection
from gamed.registry import GameType, ListenerSettings
from gamed.wire.lines import LineReader


@frozen
class Settings(ListenerSettings):
    """The section [battleship] of the configuration; etc/gamed.toml explains each key."""

    roles: str = field(default="first-defends", validator=in_(("first-defends", "random")))
    referee: str = field(default="observe", validator=in_(("observe", "warn", "enforce")))
    corner_contact: bool = True
    line_bytes: int = field(default=4_096, validator=gt(0))
    early_bytes: int = field(default=16_384, validator=gt(0))
    game_lines: int = field(default=5_000, validator=gt(0))
    game_bytes: int = field(default=1_048_576, validator=gt(0))
    waiting_seconds: float = field(default=3_600.0, validator=gt(0))
    idle_seconds: float = field(default=900.0, validator=gt(0))


# One mapping for all rooms of a listener.
@lru_cache(4)
def _options(settings: Settings) -> Options:
    options: dict[str, str | bool] = {
        "roles": settings.roles,
        "referee": settings.referee,
        "corner_contact": settings.corner_contact,
    }
    # Recorded, because earlier versions enforced the rules without this one.
    return {**options, "repeated_shots": "lose"} if settings.referee == "enforce" else options


def _connection(settings: Settings) -> BattleshipConnection:
    return BattleshipConnection(LineReader(settings.line_bytes))


def _reception(_settings: Settings, services: LobbyServices) -> FirstCome:
    return FirstCome("battleship", services)


def _table(settings: Settings, options: Options, random: Callable[[], Random], now: float) -> Relay:
    return Relay(_RULES, options, _limits(settings, enforce=options["referee"] == "enforce"), random, now)


@lru_cache(4)
def _limits(settings: Settings, *, enforce: bool) -> RelaySettings:
    """Return a relay's limits. All rooms of a listener share them."""
    return RelaySettings(
        enforce=enforce,
        early_bytes=settings.early_bytes,
        game_lines=settings.game_lines,
        game_bytes=settings.game_bytes,
        waiting_seconds=settings.waiting_seconds,
        idle_seconds=settings.idle_seconds,
    )


def _player(strategy: str) -> Callable[[Random], Player]:
    return lambda random: Player(strategies[strategy](), random)


def _person(random: Random, name: str, reservation: str | None = None) -> Person:  # noqa: ARG001 (no words for them)
    return Person(random)


_RULES = Battleship()

game_type = GameType(
    kind="battleship",
    publisher="gamed-battleship",
    version="1.0",
    settings=Settings,
    options=_options,
    connection=_connection,
    reception=_reception,
    table=_table,
    draw=draw,
    players={name: _player(name) for name in strategies},
    person=_person,
)
