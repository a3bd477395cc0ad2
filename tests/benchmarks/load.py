"""Pairs of clients that play whole honest games, prepared beforehand, as fast as the server answers."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count, islice
from typing import NamedTuple

from gamed.core.history import LINE
from tests.battleship_matches import play_history


class Script(NamedTuple):
    """What both seats send in a game: for each send, its seat and its lines."""

    sends: tuple[tuple[int, tuple[bytes, ...]], ...]

    @property
    def lines(self) -> int:
        """The number of lines that are relayed."""
        return sum(len(lines) for _, lines in self.sends)

    @property
    def shots(self) -> tuple[int, int]:
        """How often each seat shoots."""
        shot = [seat for seat, lines in self.sends for line in lines if line.startswith(b"(1,")]
        return shot.count(0), shot.count(1)


@cache
def script(seed: int) -> Script:
    """Return an honest game between the original's strategy and itself."""
    sends: list[tuple[int, tuple[bytes, ...]]] = []
    for entry in play_history(("open-list", "open-list"), seed).of_kind(LINE):
        if sends and sends[-1][0] == entry.seat:
            sends[-1] = (entry.seat, (*sends[-1][1], entry.body))
        else:
            sends.append((entry.seat, (entry.body,)))
    return Script(tuple(sends))


class Pair:
    """Two connections that play one script; the first connected has seat 0."""

    def __init__(self, port: int, played: Script, *, apart: bool) -> None:
        self.apart = apart
        self.steps: Iterator[tuple[int, tuple[bytes, ...]]] = iter(played.sends)
        self.sockets = [self.seat(port, b"(3,[]).\r"), self.seat(port, b"(4,[]).\r(5,[]).\r")]
        self.expect(self.sockets[0], b"(5,[]).\r")
        self.awaited = 0
        self.step()

    def seat(self, port: int, greeting: bytes) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", port))
        if not self.apart:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.expect(client, greeting)
        return client

    def expect(self, client: socket.socket, wanted: bytes) -> None:
        got = b""
        while got != wanted:
            more = client.recv(len(wanted) - len(got))
            if not more:
                raise AssertionError(f"closed after {got!r}, expected {wanted!r}")
            got += more

    def step(self) -> bool:
        """Send what is next; False after the last line."""
        try:
            seat, lines = next(self.steps)
        except StopIteration:
            return False
        for segment in [line + b"\n" for line in lines] if self.apart else [b"".join(line + b"\n" for line in lines)]:
            self.sockets[seat].sendall(segment)
        self.reader = self.sockets[1 - seat]
        self.awaited = sum(len(line) + 1 for line in lines)
        return True

    def receive(self) -> bool:
        """Take what has arrived for the reader; False when the game is over."""
        got = self.reader.recv(self.awaited)
        if not got:
            raise AssertionError("closed in the middle of a game")
        self.awaited -= len(got)
        return self.awaited > 0 or self.step()

    def close(self) -> None:
        for client in self.sockets:
            client.close()


@cache
def long_scripts(games: int, shots: int) -> tuple[Script, ...]:
    """Return so many honest games in which both seats shoot at least so often."""
    return tuple(islice((played for played in map(script, count()) if min(played.shots) >= shots), games))


def play(port: int, pairs: int, scripts: Sequence[Script], *, apart: bool) -> int:
    """Have so many pairs at once play these games; return the relayed lines."""
    selector = selectors.DefaultSelector()
    waiting = iter(scripts)

    def begin() -> None:
        played = next(waiting, None)
        if played is not None:
            pair = Pair(port, played, apart=apart)
            for client in pair.sockets:
                selector.register(client, selectors.EVENT_READ, pair)

    for _ in range(pairs):
        begin()
    while selector.get_map():
        # Never asleep: what it costs a server to wake its clients is not what is measured.
        for key, _ in selector.select(timeout=0):
            pair = key.data
            if key.fileobj is pair.reader and not pair.receive():
                for client in pair.sockets:
                    selector.unregister(client)
                pair.close()
                begin()
    return sum(played.lines for played in scripts)
