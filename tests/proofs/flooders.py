"""Peers that flood one listener in all ways at once, in a separate process: `python -m tests.proofs.flooders JSON`.

The JSON object: `listener`, `port`, `addresses`, `slow`. From each address comes one peer of one of six kinds, and
again when it was thrown out: valid registrations and requests, senseless messages, a line that never ends, half a
message after another, requests whose answers are never read, and churn: a registration, and gone. Besides, there are
so many `slow` peers with half a word and a byte a second. The process runs at nice 19, because attackers have machines
of their own. It prints "ready", begins when a line comes on standard input, and when that ends, prints what it did.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import selectors
import socket
import struct
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from random import Random

from attrs import define, field

from tests.proofs import raise_own_descriptors
from tests.proofs.attackers import LINES, MIB, address
from tests.proofs.companion import Companion
from tests.proofs.guests import letters, make_player

REQUESTS = {
    "battleship": b"(1,[0,0]).\n" * 2_000,
    "quoridor": b"(move pawn 4 1)\n" * 2_000,
    "softwarechallenge": b"<join gameType='swc_2020_hive'/>" * 1_000,
    "roborally": b"GGS\nGSS\nGPL\n" * 2_000,
}
HALF = {"battleship": b"(1,[0", "quoridor": b"(move ", "softwarechallenge": b"<data ", "roborally": b"GSS("}
A_PASS = 5
"""Peers that connect in one pass of the loop."""


def kinds(listener: str) -> list[Callable[[Random], Iterator[bytes]]]:
    """Return the kinds of peers, each as the pieces that it sends."""

    def valid(random: Random) -> Iterator[bytes]:
        yield make_player(listener, random, letters()).begin()
        while True:
            yield REQUESTS[listener]

    def senseless(random: Random) -> Iterator[bytes]:
        while True:
            yield LINES[listener]
            yield random.randbytes(3_000) + b"\n"

    def endless(_random: Random) -> Iterator[bytes]:
        while True:
            yield b"x" * 65_536

    def half(_random: Random) -> Iterator[bytes]:
        while True:
            yield HALF[listener]

    def churn(random: Random) -> Iterator[bytes]:
        yield make_player(listener, random, letters()).begin() or b"(1,[0,0]).\n"

    return [valid, senseless, endless, half, valid, churn]


NEVER_READS = 4
"""The kind that does not read, by its place above."""


@define(eq=False)
class Peer:
    """A flooding peer. `reset`: it closes its connection by RST."""

    client: socket.socket
    kind: int
    pieces: Iterator[bytes]
    host: str
    data: bytes = b""

    def send(self) -> int:
        """Send more; return -1 when everything is sent."""
        while not self.data:
            piece = next(self.pieces, None)
            if piece is None:
                return -1
            self.data = piece
        sent = self.client.send(self.data[:65_536])
        self.data = self.data[sent:]
        return sent


@define(eq=False)
class Flood:
    """All flooding peers. `gone`: addresses that connect again, with the kinds of their peers."""

    listener: str
    port: int
    done: Counter[str] = field(factory=Counter)
    _random: Random = field(factory=lambda: Random(1))
    _selector: selectors.BaseSelector = field(factory=selectors.DefaultSelector)
    _gone: deque[tuple[str, int]] = field(factory=deque)
    _slow: deque[socket.socket] = field(factory=deque)

    def run(self, addresses: int, slow: int) -> None:
        """Flood until standard input ends."""
        self._gone += ((address(number), number % len(kinds(self.listener))) for number in range(addresses))
        missing, begun, bytes_due = slow, time.monotonic(), 0.0
        while not select.select([sys.stdin], [], [], 0)[0]:
            for _ in range(min(A_PASS, len(self._gone))):
                self._come(*self._gone.popleft())
            for _ in range(min(A_PASS, missing)):
                missing -= 1
                self._come_slowly(address(missing % addresses))
            for key, ready in self._selector.select(0.01):
                self._serve(key.data, ready)
            now = time.monotonic()
            bytes_due, begun = bytes_due + (now - begun) * len(self._slow), now
            while bytes_due >= 1 and self._slow:
                bytes_due -= 1
                self._drip()
            time.sleep(0.001)

    def _connected(self, host: str) -> socket.socket:
        client = socket.socket()
        client.setblocking(False)
        # What waits to be sent is memory of the attacker's machine, which is not this one in real life.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        client.bind((host, 0))
        with contextlib.suppress(BlockingIOError):
            client.connect(("127.0.0.1", self.port))
        self.done["connections"] += 1
        return client

    def _come(self, host: str, kind: int) -> None:
        peer = Peer(self._connected(host), kind, kinds(self.listener)[kind](self._random), host)
        events = selectors.EVENT_WRITE if kind == NEVER_READS else selectors.EVENT_READ | selectors.EVENT_WRITE
        self._selector.register(peer.client, events, peer)

    def _come_slowly(self, host: str) -> None:
        self._slow.append(self._connected(host))

    def _drip(self) -> None:
        client = self._slow.popleft()
        try:
            client.send(b"(")
        except BlockingIOError:
            pass
        except OSError:
            client.close()
            return
        self._slow.append(client)

    def _serve(self, peer: Peer, ready: int) -> None:
        try:
            if ready & selectors.EVENT_READ:
                came = len(peer.client.recv(MIB))
                self.done["came"] += came
                if not came:
                    self._leave(peer)
                    return
            if ready & selectors.EVENT_WRITE:
                sent = peer.send()
                self.done["went"] += max(0, sent)
                if sent < 0:
                    self._leave(peer)
        except BlockingIOError:
            return
        except OSError:
            self._leave(peer)

    def _leave(self, peer: Peer) -> None:
        self._selector.unregister(peer.client)
        if self._random.random() < 0.5:
            # By RST.
            peer.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.client.close()
        self._gone.append((peer.host, peer.kind))


def main(listener: str, port: int, addresses: int, slow: int) -> None:
    """Run the process that the module's docstring describes."""
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    raise_own_descriptors()
    print("ready", flush=True)
    sys.stdin.readline()
    flood = Flood(listener, port)
    flood.run(addresses, slow)
    done = flood.done
    text = f"{done['connections']} connections, {done['went'] / MIB:.1f} MiB went, {done['came'] / MIB:.1f} MiB came"
    print(f"{listener}: {text}", flush=True)


class Flooder(Companion):
    """Such a process. `go` starts the flood, and `finish` returns the report."""

    def __init__(self, listener: str, port: int, addresses: int, slow: int) -> None:
        super().__init__(__name__, {"listener": listener, "port": port, "addresses": addresses, "slow": slow})


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
