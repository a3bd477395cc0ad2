"""Whole Battleship matches in memory: two players, two connections, one table."""

from __future__ import annotations

from random import Random

from gamed.games.battleship import game_type
from gamed.registry import Player
from gamed.table import Relay, Step
from gamed.wire import Connection


def play_match(strategies: tuple[str, str], seed: int, *, roles: str = "first-defends") -> Relay:
    """Play one match between two strategies and return its table, judged to the end."""
    random = Random(seed)
    settings = game_type.settings(roles=roles)
    table = game_type.table(settings, game_type.options(settings), lambda: random, 0.0)
    assert isinstance(table, Relay)
    players = [game_type.players[name](random) for name in strategies]
    wires = [game_type.connection(settings) for _ in players]
    steps = [table.join(name, 0.0) for name in ("a", "b")]
    while steps:
        steps += _answered(steps.pop(0), table, players, wires)
    while table.review().review:
        pass
    return table


def _answered(step: Step, table: Relay, players: list[Player], wires: list[Connection]) -> list[Step]:
    steps = []
    for mail in step.mails:
        reply = players[mail.seat].receive_data(wires[mail.seat].send(mail.event))
        if reply:
            wires[mail.seat].receive_data(reply)
            steps += [table.receive(mail.seat, event, 0.0) for event in wires[mail.seat].events()]
    return steps
