"""Instant worlds at Quoridor tables over TCP: moves a second, how long a move takes to the next world, processor time.

The worlds play whole games that were played before by the strategy `path`, walls included, and reset. Their sockets are
as the system makes them, Nagle's algorithm included, as those of real worlds are.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import NamedTuple

from gamed.games.quoridor.follower import spoken
from gamed.games.quoridor.strategy import STRATEGIES
from gamed.games.quoridor.table import TableRules

SCRIPTS = 20


class Turn(NamedTuple):
    """A message of a seat, and whether it ends a game or begins one."""

    seat: int
    message: bytes
    kind: str


@cache
def script(seed: int) -> tuple[Turn, ...]:
    """Return two games, one begun by each seat and both won by who began; so they can follow each other for ever."""
    turns: list[Turn] = []
    for first in (0, 1):
        turns += [*_game(seed, first), Turn(first, b"(reset)\n", "reset")]
    return tuple(turns)


def _game(seed: int, first: int) -> list[Turn]:
    """Return a game that `first` begins and wins: the one after the winner begins the next."""
    rules, strategy = TableRules(), STRATEGIES["path"]()
    for attempt in range(1_000):
        random, turns = Random(1_000 * seed + attempt), []
        state = rules.setup({"first": first})
        while state.winner is None:
            seat = state.mover
            move = strategy.choose(state, seat, random)
            state = rules.apply(state, seat, move)
            turns.append(Turn(seat, spoken(move), "move" if state.winner is None else "win"))
        if state.winner == first:
            return turns
    raise AssertionError("the other one wins always")


class Table:
    """Two worlds that play a script again and again. `delays`: seconds from each move to the next world's mail."""

    def __init__(self, port: int, played: tuple[Turn, ...]) -> None:
        self.sockets = [self.world(port), self.world(port)]
        self.sockets[1].sendall(b"(play)\n")
        for client, lines in zip(self.sockets, (3, 2), strict=True):
            self.skip(client, lines)
        self.turns = self.forever(played)
        self.delays: list[float] = []
        self.moves = 0
        self.step()

    def world(self, port: int) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b'(REGISTER ((name "Quoridor")))\n')
        self.skip(client, 1)
        return client

    def skip(self, client: socket.socket, lines: int) -> None:
        """Read so many lines, one byte after the other: what follows stays."""
        while lines:
            lines -= client.recv(1) == b"\n"

    def forever(self, played: tuple[Turn, ...]) -> Iterator[Turn]:
        while True:
            yield from played

    def step(self) -> None:
        """Send what is next; both worlds are told of it."""
        self.turn = next(self.turns)
        self.awaited = [1, 1]
        self.sent = time.perf_counter()
        self.sockets[self.turn.seat].sendall(self.turn.message)

    def receive(self, seat: int) -> None:
        """Take what has come for a world; the next step follows when both have been told."""
        self.awaited[seat] -= self.sockets[seat].recv(4_096).count(b"\n")
        if self.turn.kind == "move" and seat != self.turn.seat:
            self.delays.append(time.perf_counter() - self.sent)
        if self.awaited == [0, 0]:
            self.moves += self.turn.kind != "reset"
            self.step()

    def close(self) -> None:
        for client in self.sockets:
            client.close()


class Figures(NamedTuple):
    """`moves` in `seconds`; `delays`: of each move but the last one of a game, in seconds, sorted."""

    moves: int
    seconds: float
    delays: list[float]

    def delay(self, share: float) -> float:
        """Return how many milliseconds this share of the moves took at most."""
        return self.delays[int(share * (len(self.delays) - 1))] * 1000


def play(port: int, tables: int, seconds: float) -> Figures:
    """Have so many tables play for some time."""
    playing = [Table(port, script(number % SCRIPTS)) for number in range(tables)]
    selector = selectors.DefaultSelector()
    for table in playing:
        for seat, client in enumerate(table.sockets):
            selector.register(client, selectors.EVENT_READ, (table, seat))
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        # Never asleep: what it costs a server to wake its clients is not what is measured.
        for key, _ in selector.select(timeout=0):
            table, seat = key.data
            table.receive(seat)
    taken = time.perf_counter() - begun
    for table in playing:
        table.close()
    selector.close()
    delays = sorted(delay for table in playing for delay in table.delays)
    return Figures(sum(table.moves for table in playing), taken, delays)
