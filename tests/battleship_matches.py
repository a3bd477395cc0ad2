"""Play whole Battleship matches in memory: two players, two connections, one table."""

from __future__ import annotations

from random import Random
from uuid import NAMESPACE_OID, uuid5

from gamed.core.clients import Player
from gamed.core.history import History
from gamed.core.relay import Relay
from gamed.core.table import Step
from gamed.games.battleship import Settings, game_type
from gamed.wire import Connection

STARTED_AT = "2026-11-21T09:00:00.000Z"


def play_match(strategies: tuple[str, str], seed: int, *, roles: str = "first-defends") -> Relay:
    """Play a match between two strategies, and return its table after the referee has judged all moves."""
    return _play(strategies, seed, roles)[0]


def play_history(strategies: tuple[str, str], seed: int, *, roles: str = "first-defends") -> History:
    """Play a match, and return its history."""
    return _play(strategies, seed, roles)[1]


def _play(strategies: tuple[str, str], seed: int, roles: str) -> tuple[Relay, History]:
    random = Random(seed)
    settings = Settings(roles=roles)
    options = game_type.options(settings)
    history = History(str(uuid5(NAMESPACE_OID, f"{seed}")), game_type.kind, STARTED_AT, seed, options)
    table = game_type.table(settings, options, lambda _draw: random, 0.0)
    assert isinstance(table, Relay)
    players = [game_type.players[name](random) for name in strategies]
    wires = [game_type.hosted().connection(settings) for _ in players]
    steps = [table.join(name, 0.0) for name in ("a", "b")]
    while steps:
        step = steps.pop(0)
        history.entries += step.journal
        steps += _answered(step, table, players, wires)
    while table.review().review:
        pass
    return table, history


def _answered(step: Step, table: Relay, players: list[Player], wires: list[Connection]) -> list[Step]:
    steps = []
    for addressed in step.events:
        reply = players[addressed.seat].receive_data(wires[addressed.seat].send(addressed.event))
        if reply:
            wires[addressed.seat].receive_data(reply)
            steps += [table.receive(addressed.seat, event, 0.0) for event in wires[addressed.seat].events()]
    return steps
