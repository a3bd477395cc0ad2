"""Instant worlds at Quoridor tables over TCP: moves a second, how long a move takes to the next world, processor time.

The worlds play whole games that were played before by the strategy `path`, walls included, and reset. Their sockets are
as the system makes them, Nagle's algorithm included, as those of real worlds are.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from gamed.games.quoridor.follower import spoken
from gamed.games.quoridor.rules import TableRules
from gamed.games.quoridor.strategy import STRATEGIES
from tests.daemon import free_port

UNIVERSE = Path(__file__).with_name("universe.rkt")
QUIET = Path(__file__).with_name("quiet_universe.rkt")
SCRIPTS = 20
SETTLE = 1.5
"""Seconds after which the records of the last games are stored."""

IDLE = 0.02
"""The share of a processor that a server uses at most when it has nothing more to do."""

PATIENCE = 60.0
"""Seconds that Racket may take to start."""


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

    def __init__(self, port: int, played: tuple[Turn, ...], *, quick: bool = False) -> None:
        self.quick = quick
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
        if self.quick:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.acknowledge(client)
        client.sendall(b'(REGISTER ((name "Quoridor")))\n')
        self.skip(client, 1)
        return client

    def acknowledge(self, client: socket.socket) -> None:
        """Have the system acknowledge what comes at once: a server with Nagle's algorithm waits for that."""
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def skip(self, client: socket.socket, lines: int) -> None:
        """Read so many lines, one byte after the other: what follows stays."""
        while lines:
            octet = client.recv(1)
            if not octet:
                raise AssertionError("the server has closed the connection")
            lines -= octet == b"\n"
            if self.quick:
                self.acknowledge(client)

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
        if self.quick:
            self.acknowledge(self.sockets[seat])
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
    begun = time.perf_counter()
    _run(playing, lambda: time.perf_counter() - begun >= seconds)
    taken = time.perf_counter() - begun
    for table in playing:
        table.close()
    delays = sorted(delay for table in playing for delay in table.delays)
    return Figures(sum(table.moves for table in playing), taken, delays)


def _run(playing: list[Table], is_enough: Callable[[], bool]) -> None:
    """Let tables play until it is enough."""
    with selectors.DefaultSelector() as selector:
        for table in playing:
            for seat, client in enumerate(table.sockets):
                selector.register(client, selectors.EVENT_READ, (table, seat))
        while not is_enough():
            # Never asleep: what it costs a server to wake its clients is not what is measured.
            for key, _ in selector.select(timeout=0):
                table, seat = key.data
                table.receive(seat)


def per_move(port: int, used: Callable[[], float], moves: int) -> float:
    """Return the processor time of a move in seconds, at one table of worlds that acknowledge at once.

    `used` is the time that the server has used so far. What it does after the last move is included: records are
    stored, and a window is drawn.
    """
    table = Table(port, script(0), quick=True)
    time.sleep(SETTLE)
    before = used()
    _run([table], lambda: table.moves >= moves)
    after, seen = used(), 0.0
    while after > seen + SETTLE * IDLE:
        time.sleep(SETTLE)
        seen, after = after, used()
    played = table.moves
    table.close()
    return (after - before) / played


def racket_is_installed() -> bool:
    """Return whether `universe` can run: it needs Debian's racket and xvfb."""
    return all(map(shutil.which, ("racket", "Xvfb")))


@contextlib.contextmanager
def universe(program: Path) -> Iterator[tuple[int, int]]:
    """Run a yardstick, UNIVERSE or QUIET, for the time of a with-block; gives its port and process."""
    port = free_port()
    with (
        subprocess.Popen(["Xvfb", "-displayfd", "1", "-nolisten", "tcp"], stdout=subprocess.PIPE, text=True) as display,
        contextlib.ExitStack() as ending,
    ):
        ending.callback(display.kill)
        assert display.stdout is not None
        environment = {"DISPLAY": f":{display.stdout.readline().strip()}", "PATH": os.environ["PATH"]}
        command = ["racket", program, str(port)]
        process = ending.enter_context(subprocess.Popen(command, env=environment))
        ending.callback(process.kill)
        _await_listener(port)
        yield port, process.pid


def _await_listener(port: int) -> None:
    """Wait until somebody listens, without a connection, which a universe would take for a world."""
    begun, wanted = time.monotonic(), f":{port:04X} "
    while not any(wanted in line and " 0A " in line for line in _sockets()):
        if time.monotonic() - begun > PATIENCE:
            raise AssertionError("the universe does not start")
        time.sleep(0.1)


def _sockets() -> list[str]:
    return [line for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()]
