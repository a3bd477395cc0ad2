"""Clients that play several honest games at a time, and record every byte that they receive."""

from __future__ import annotations

import itertools
import selectors
import socket
import time
from math import inf
from random import Random

from attrs import define, field

from gamed.core.clients import Player
from gamed.games.battleship import game_type
from gamed.games.battleship.wire import ATTACK_FIRST, DEFEND_FIRST, START

ROLES = (DEFEND_FIRST, ATTACK_FIRST)
_addresses = itertools.count(1)


def own_address() -> str:
    """Return a loopback address that was not used before, so that it identifies one client in records."""
    number = next(_addresses)
    return f"127.{1 + number // 62_500}.{number // 250 % 250}.{number % 250 + 1}"


def connection(port: int, host: str | None = None) -> socket.socket:
    """Return a connection to the daemon from a new address, or from `host`."""
    client = socket.create_connection(("127.0.0.1", port), 20.0, (own_address() if host is None else host, 0))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def named(client: socket.socket) -> str:
    """Return the daemon's name for a client."""
    host, port = client.getsockname()
    return f"{host}:{port}"


@define(eq=False)
class Client:
    """One player on one connection. `received`, `sent`: all bytes. `leaves_after`: it disconnects after so many lines.

    `closes`: it closes its side as soon as it knows the result, as the originals do, and does not wait for the server.
    """

    socket: socket.socket
    player: Player
    leaves_after: int | None
    closes: bool
    received: bytearray = field(factory=bytearray)
    sent: bytearray = field(factory=bytearray)
    ended: bool = False
    left: bool = False
    was_closed: bool = False
    name: str = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.name = named(self.socket)

    @property
    def lines(self) -> list[bytes]:
        """The complete lines that were received."""
        return bytes(self.received).split(b"\r")[:-1]

    @property
    def relayed(self) -> list[bytes]:
        """The lines that were received from the other side."""
        return self.lines[2:]

    @property
    def is_started(self) -> bool:
        """Whether the client has got the start of its game."""
        return self.lines[1:2] == [START]

    def read(self) -> bytes:
        """Read what has arrived, including the end of the connection."""
        try:
            data = self.socket.recv(65_536)
        except ConnectionError:
            data = b""
        self.received += data
        if not data:
            self.was_closed = True
            self.end()
        return data

    def play(self) -> None:
        """Read what has arrived and answer it."""
        data = self.read()
        if not data:
            return
        answer = self.player.receive_data(data)
        if self.leaves_after is not None and len(self.lines) >= self.leaves_after:
            self.left = True
            self.end()
        elif answer:
            self.sent += answer
            self.send(answer)
        if self.closes and self.player.won is not None:
            self.end()

    def send(self, data: bytes) -> None:
        """Send; an end of the connection is noticed when reading."""
        try:
            self.socket.sendall(data)
        except ConnectionError:
            return

    def end(self) -> None:
        """Close the connection."""
        self.ended = True
        self.socket.close()


@define(eq=False)
class Crowd:
    """Clients that connect again for a new game when they finish. `at_once`: how many are connected at any time."""

    port: int
    at_once: int
    random: Random
    clients: list[Client] = field(factory=list)
    _selector: selectors.BaseSelector = field(factory=selectors.DefaultSelector)

    def fill(self) -> None:
        """Connect the missing clients."""
        while len(self._selector.get_map()) < self.at_once:
            strategy = self.random.choice(("open-list", "open-list", "open-list", "density"))
            leaves = self.random.randrange(1, 120) if self.random.random() < 0.08 else None
            player = game_type.players[strategy](self.random)
            client = Client(connection(self.port), player, leaves, closes=self.random.random() < 0.5)
            client.socket.setblocking(False)
            self.clients.append(client)
            self._selector.register(client.socket, selectors.EVENT_READ, client)

    def run(self, seconds: float, answers: float = inf) -> None:
        """Play for so long, or until so much that arrived was answered."""
        until = time.monotonic() + seconds
        self.fill()
        while answers > 0 and (left := until - time.monotonic()) > 0:
            for key, _ in self._selector.select(left):
                key.data.play()
                answers -= 1
                self._dismiss(key.data)
            self.fill()

    def drain(self, seconds: float = 10.0) -> None:
        """Read what still arrives without answering, until all connections have ended."""
        until = time.monotonic() + seconds
        while self._selector.get_map():
            if time.monotonic() > until:
                raise AssertionError(f"{len(self._selector.get_map())} connections do not end")
            for key, _ in self._selector.select(0.1):
                key.data.read()
                self._dismiss(key.data)

    def _dismiss(self, client: Client) -> None:
        if client.ended:
            self._selector.unregister(client.socket)

    def close(self) -> None:
        """Close everything."""
        for client in self.clients:
            client.socket.close()
        self._selector.close()
