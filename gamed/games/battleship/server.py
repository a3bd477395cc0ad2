"""The parts with which the daemon hosts Battleship: the connection, the reception and the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any

from gamed.core.game import Options, max_moves, move_seconds
from gamed.core.reception import FirstCome, LobbyServices
from gamed.core.relay import Relay, RelaySettings
from gamed.games import HostedGame
from gamed.games.battleship.rules import Battleship
from gamed.games.battleship.wire import BattleshipConnection
from gamed.wire.lines import LineReader

_RULES = Battleship()


def connection(settings: Any) -> BattleshipConnection:
    """Return the server's side of the dialect."""
    return BattleshipConnection(LineReader(settings.line_bytes))


def reception(_settings: Any, services: LobbyServices) -> FirstCome:
    """Return the reception of a listener."""
    return FirstCome("battleship", services)


def table(settings: Any, options: Options, random: Callable[[int], Random], now: float) -> Relay:
    """Return the table of a new match."""
    enforce = options["referee"] == "enforce"
    limits = _limits(settings, enforce=enforce, seconds=move_seconds(options), moves=max_moves(options))
    return Relay(_RULES, options, limits, random, now)


def hosted() -> HostedGame:
    """Return what hosts the game."""
    return HostedGame(connection, reception, {"battleship": table})


@lru_cache(4)
def _limits(settings: Any, *, enforce: bool, seconds: float, moves: int) -> RelaySettings:
    """Return a relay's limits. All rooms of a listener with equal options share them."""
    return RelaySettings(
        enforce=enforce,
        early_bytes=settings.early_bytes,
        game_lines=settings.game_lines,
        game_bytes=settings.game_bytes,
        waiting_seconds=settings.waiting_seconds,
        idle_seconds=settings.idle_seconds,
        move_seconds=seconds,
        max_moves=moves,
    )
