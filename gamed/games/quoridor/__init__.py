"""Quoridor: the universe of the authors' worlds, and a referee. Source: docs/reference/quoridor.md."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from attrs import field, frozen
from attrs.validators import ge, gt, in_

from gamed.core.game import Options
from gamed.core.reception import LobbyServices
from gamed.games.quoridor.client import Player
from gamed.games.quoridor.person import Person
from gamed.games.quoridor.reception import KIND, UniverseReception
from gamed.games.quoridor.strategy import STRATEGIES
from gamed.games.quoridor.table import Universe
from gamed.games.quoridor.text_board import draw
from gamed.games.quoridor.wire import UniverseConnection
from gamed.registry import GameType, ListenerSettings
from gamed.wire.sexpr import DatumReader


@frozen
class Settings(ListenerSettings):
    """The section [quoridor] of the configuration; etc/gamed.toml explains each key."""

    tables: int = field(default=1, validator=ge(0))
    referee: str = field(default="observe", validator=in_(("observe", "strict")))
    pace: float = field(default=0.0, validator=ge(0))
    reseat: bool = False
    register_seconds: float = field(default=30.0, validator=gt(0))
    datum_bytes: int = field(default=65_536, validator=gt(0))
    datum_depth: int = field(default=100, validator=gt(0))
    game_moves: int = field(default=10_000, validator=gt(0))
    unsent_bytes: int = field(default=262_144, validator=gt(0))


def _options(settings: Settings) -> Options:
    return {"referee": settings.referee}


def _connection(settings: Settings) -> UniverseConnection:
    return UniverseConnection(DatumReader(settings.datum_bytes, settings.datum_depth))


def _reception(settings: Settings, services: LobbyServices) -> UniverseReception:
    return UniverseReception(services, settings)


def _table(settings: Settings, options: Options, random: Callable[[], Random], now: float) -> Universe:
    return Universe(options, random, now, settings.pace, settings.game_moves)


def _player(strategy: str) -> Callable[..., Player]:
    def make(random: Random, players: str = "2", name: str = "gamed", stay: float = 0.0, pace: float = 0.0) -> Player:
        return Player(STRATEGIES[strategy](), random, int(players), name, stay, pace)

    return make


def _person(random: Random, name: str, reservation: str | None = None) -> Person:  # noqa: ARG001 (GameType's signature)
    """Return a person. A person needs no random numbers, and a universe has no reservations."""
    return Person(name)


game_type = GameType(
    kind=KIND,
    publisher="gamed-quoridor",
    version="1.0",
    settings=Settings,
    options=_options,
    connection=_connection,
    reception=_reception,
    table=_table,
    draw=draw,
    players={name: _player(name) for name in ("search", "path", "random")},
    person=_person,
    player_options=("players", "name", "stay", "pace"),
    opponents=lambda _: (1, 3),
)
