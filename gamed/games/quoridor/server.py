"""What the daemon needs to host Quoridor: the connection, the reception and the table."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from gamed.core.clocks import MoveClock
from gamed.core.game import Options, move_seconds
from gamed.core.reception import LobbyServices
from gamed.games import HostedGame
from gamed.games.quoridor.reception import UniverseReception
from gamed.games.quoridor.table import Universe
from gamed.games.quoridor.wire import UniverseConnection
from gamed.wire.sexpr import DatumReader


def connection(settings: Any) -> UniverseConnection:
    """Return the server's side of the dialect."""
    return UniverseConnection(DatumReader(settings.datum_bytes, settings.datum_depth))


def reception(settings: Any, services: LobbyServices) -> UniverseReception:
    """Return what leads worlds to tables."""
    return UniverseReception(services, settings)


def table(settings: Any, options: Options, random: Callable[[int], Random], now: float) -> Universe:
    """Return a fresh universe."""
    limit = move_seconds(options)
    clock = MoveClock(limit, limit) if limit else None
    return Universe(options, random, now, settings.pace, settings.game_moves, clock)


def hosted() -> HostedGame:
    """Return what hosts the game."""
    return HostedGame(connection, reception, {"quoridor": table})
