"""Clients of all four listeners that connect again for a new game when they finish, some of them harmful."""

from __future__ import annotations

import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from attrs import define, field

from tests.proofs.clients import Client, Crowd
from tests.proofs.guests import LISTENERS, Guest

EACH = 5
"""Guests of each listener at any time: two games, and one guest that waits."""


def close(client: socket.socket) -> None:
    """Close as usual."""
    client.close()


def reset(client: socket.socket) -> None:
    """Close by RST."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def half_close(client: socket.socket) -> None:
    """Close the sending side."""
    client.shutdown(socket.SHUT_WR)


def junk(client: socket.socket) -> None:
    """Send as much garbage as possible at once."""
    client.send(Random(id(client)).randbytes(3_000) + b"\n(((<x><!DOCTYPE a>\r\n" * 50)


FAULTS: tuple[Callable[[socket.socket], None], ...] = (close, reset, half_close, junk)


@define(eq=False)
class MixedCrowd(Crowd):
    """A crowd at all listeners; `at_once` counts those at Battleship, `each` those at each of the others.

    `faults`: which share of the guests does something of FAULTS after a while. `pause`: seconds between two looks at
    what has arrived. `guests`: those at the other listeners, all that came where `keeps`, and otherwise those that
    are there.
    """

    ports: Mapping[str, int] = field(factory=dict, kw_only=True)
    each: int = field(default=EACH, kw_only=True)
    faults: float = field(default=0.0, kw_only=True)
    pause: float = field(default=0.0, kw_only=True)
    keeps: bool = field(default=True, kw_only=True)
    guests: list[Guest] = field(factory=list)
    done: Counter[str] = field(factory=Counter)
    _harm: dict[Guest, tuple[int, Callable[[socket.socket], None]]] = field(factory=dict)

    def fill(self) -> None:
        """Connect the missing clients."""
        present = Counter(_listener(key.data) for key in self._selector.get_map().values())
        for listener in LISTENERS:
            if listener == "battleship" and self.keeps:
                continue
            for _ in range(self.each - present[listener]):
                self._admit(Guest.come(listener, self.ports[listener], self.random))
        if self.keeps:
            # What Battleship's clients see is noted to the byte.
            self.at_once += len(self._selector.get_map()) - present["battleship"]
            super().fill()
            self.at_once -= sum(_listener(key.data) != "battleship" for key in self._selector.get_map().values())

    def _admit(self, guest: Guest) -> None:
        self.guests.append(guest)
        guest.socket.setblocking(False)
        self._selector.register(guest.socket, 1, guest)
        if self.random.random() < self.faults:
            self._harm[guest] = (self.random.randrange(1, 30), self.random.choice(FAULTS))

    def run(self, seconds: float) -> None:
        """Play for so long."""
        until = time.monotonic() + seconds
        self.fill()
        while (left := until - time.monotonic()) > 0:
            for client in self._turn([key.data for key, _ in self._selector.select(left)]):
                self._play(client)
                self._dismiss(client)
            self.fill()
            time.sleep(self.pause)

    def _turn(self, ready: list[Any]) -> list[Any]:
        """Return the clients to serve now: a message of Hive takes as long as a hundred of Battleship."""
        quick = [client for client in ready if _listener(client) != "softwarechallenge"]
        slow = [client for client in ready if client not in quick]
        return quick + self.random.sample(slow, min(1, len(slow)))

    def _play(self, client: Any) -> None:
        client.play()
        after, harm = self._harm.get(client, (0, close))
        if after and client.heard >= after and not client.ended:
            del self._harm[client]
            self.done[harm.__name__] += 1
            try:
                harm(client.socket)
            except OSError:
                client.ended = True
            # Clients that half close or send junk stay connected to see what happens.
            client.ended |= harm in (close, reset)

    def _dismiss(self, client: Any) -> None:
        super()._dismiss(client)
        if client.ended and isinstance(client, Guest):
            client.socket.close()
            self._harm.pop(client, None)
            self.done[f"{client.listener}: {'broken off' if client.player.won is None else 'a result'}"] += 1
            if not self.keeps:
                self.guests.remove(client)

    def close(self) -> None:
        """Close everything."""
        for guest in self.guests:
            guest.socket.close()
        super().close()


def _listener(client: Client | Guest) -> str:
    return client.listener if isinstance(client, Guest) else "battleship"
