"""Attacks on a daemon, each in its own process: `python -m tests.proofs.attackers JSON`.

The processes run at nice 19: real attackers use other machines, and here they would take the processor away
from the daemon and from the honest players. The JSON object: `attack`, a name of ATTACKS; `ports` by listener;
`console`, the console's port; `amount`, how many connections; `seconds`, how long a flood lasts. A process takes its
seats, prints "ready", begins when a line comes on standard input, prints a line about what it did, and closes all its
connections when standard input ends.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import resource
import selectors
import socket
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from random import Random

from attrs import define, field

from tests.proofs.clients import connection
from tests.proofs.companion import Companion
from tests.proofs.guests import LISTENERS, Guest

MIB = 1 << 20

BOMB = (
    b"<?xml version='1.0'?><!DOCTYPE protocol [<!ENTITY a 'aaaaaaaaaa'>"
    + b"".join(b"<!ENTITY %c '%s'>" % (98 + number, b"&%c;" % (97 + number) * 10) for number in range(9))
    + b"]><protocol>&j;"
)
ENDLESS = (b"<protocol><join gameType='", b"<protocol>" + b"<a>" * 10_000, b"<protocol><!--", b"<protocol><![CDATA[")
FILLING = b"x" * 65_536
LINES = {
    "battleship": b"(1,[0,0]).\n" * 6_000,
    "quoridor": b"(hello)\n(move wall 1 1 vertical)\n" * 2_000,
    "softwarechallenge": b"<room roomId='no'><data class='nothing'/></room>" * 1_500,
    "roborally": b"GGS\nGPH\nGPL\nGFL\n" * 4_000,
}
REQUESTS = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1_000
COMMANDS = b"rooms\r\n" * 1_000_000


def address(number: int) -> str:
    """Return a loopback address, a different one for each few connections, because of the limits per address."""
    return f"127.{77 + number // 62_500}.{number // 250 % 250}.{number % 250 + 1}"


def pushed(clients: Iterable[tuple[socket.socket, bytes]], seconds: float) -> tuple[int, int]:
    """Repeatedly send on all connections as much as possible, and read; return the bytes sent and received."""
    until, sent, received = time.monotonic() + seconds, 0, 0
    selector = selectors.DefaultSelector()
    for client, data in clients:
        client.setblocking(False)
        selector.register(client, selectors.EVENT_READ | selectors.EVENT_WRITE, [data, 0])
    while selector.get_map() and time.monotonic() < until:
        for key, ready in selector.select(0.1):
            client: socket.socket = key.fileobj
            data, at = key.data
            try:
                if ready & selectors.EVENT_READ:
                    received += len(client.recv(MIB))
                if ready & selectors.EVENT_WRITE:
                    went = client.send(data[at : at + MIB])
                    sent += went
                    key.data[1] = (at + went) % len(data)
            except BlockingIOError:
                continue
            except OSError:
                selector.unregister(client)
        time.sleep(0.001)
    return sent, received


@define(eq=False)
class Attacker:
    """The attacks. Each returns a report."""

    ports: Mapping[str, int]
    console: int
    web: int
    amount: int
    seconds: float
    clients: list[socket.socket] = field(factory=list)
    guests: list[Guest] = field(factory=list)

    def take_seats(self, listener: str) -> None:
        """Seat two attackers at a listener before honest players come, so that nobody is paired with them."""
        for _ in range(2):
            guest = Guest.come(listener, self.ports[listener], Random(1), "127.0.0.66")
            guest.socket.settimeout(10.0)
            self.guests.append(guest)
            guest.send(guest.read())
        time.sleep(0.3)
        for guest in self.guests:
            # Quoridor's second votes after one more mail.
            guest.send(guest.read())

    def dial(self, listener: str, number: int) -> socket.socket:
        """Return a connection that is closed at the end."""
        client = connection(self.ports[listener], address(number))
        self.clients.append(client)
        return client

    def slow(self) -> str:
        """Open connections that send half a message each, and then single bytes."""
        refused, began = 0, time.monotonic()
        for number in range(self.amount):
            # In half of the time: connecting takes processor time that attackers have on machines of their own.
            while time.monotonic() < began + self.seconds / 2 * number / self.amount:
                time.sleep(0.005)
            client = self.dial(LISTENERS[number % len(LISTENERS)], number // 8)
            with contextlib.suppress(OSError):
                client.send(b"(")
        opened = time.monotonic() - began
        until = time.monotonic() + self.seconds
        for number, client in enumerate(itertools.cycle(self.clients)):
            if time.monotonic() > until:
                break
            if number % 100 == 0:
                # Each of them a byte a second.
                time.sleep(100 / len(self.clients))
            try:
                client.send(b"x")
            except OSError:
                refused += 1
        return f"{self.amount} in {opened:.1f} s, {refused} times one was closed by then"

    def bombs(self) -> str:
        """Send XML that would expand to a gigabyte, several times a second."""
        clients, count, began = [], 0, time.monotonic()
        while (passed := time.monotonic() - began) < self.seconds:
            if count >= passed * self.amount:
                time.sleep(0.002)
                continue
            count += 1
            clients.append(connection(self.ports["softwarechallenge"], address(count)))
            with contextlib.suppress(OSError):
                clients[-1].sendall(BOMB)
        closed = self.closed(clients)
        for client in clients:
            client.close()
        return f"{count}, {closed} closed"

    def endless(self) -> str:
        """Start messages that never end."""
        clients = [(self.dial("softwarechallenge", number), ENDLESS[number % 4]) for number in range(self.amount)]
        for client, begin in clients:
            client.sendall(begin)
        sent, _ = pushed([(client, FILLING) for client, _ in clients], self.seconds)
        return f"{sent / MIB:.1f} MiB went; {self.closed([client for client, _ in clients])} closed of {len(clients)}"

    def closed(self, clients: list[socket.socket], seconds: float = 10.0) -> int:
        """Return how many the daemon closes within a time."""
        until, count = time.monotonic() + seconds, 0
        for client in clients:
            client.settimeout(max(0.01, until - time.monotonic()))
            try:
                while client.recv(MIB):
                    pass
                count += 1
            except TimeoutError:
                continue
            except OSError:
                count += 1
        return count

    def flood(self, listener: str) -> str:
        """Flood a listener, from two seated peers and from strangers."""
        clients = [(guest.socket, LINES[listener]) for guest in self.guests]
        if listener != "battleship":
            # A stranger is a partner there at once.
            clients += [(self.dial(listener, number), LINES[listener]) for number in range(self.amount)]
        return self.told(*pushed(clients, self.seconds))

    def told(self, sent: int, received: int) -> str:
        """Return how many bytes were sent and received."""
        return f"{sent / MIB:.2f} MiB went, {received / MIB:.2f} MiB came"

    def requests(self) -> str:
        """Flood the web listener with requests for all metrics, many in one segment."""
        for number in range(self.amount):
            self.clients.append(connection(self.web, address(number)))
        return self.told(*pushed([(client, REQUESTS) for client in self.clients], self.seconds))

    def log_in(self) -> None:
        """Connect to the console and log in."""
        client = connection(self.console, "127.0.0.1")
        self.clients.append(client)
        for line in (b"admin\r\n", b"x\r\n"):
            time.sleep(0.5)
            client.sendall(line)
        time.sleep(1.0)
        greeting = client.recv(MIB)
        if b"wrong" in greeting:
            raise AssertionError(greeting)

    def commands(self) -> str:
        """Send a million commands at once, and read the answers."""
        return self.told(*pushed([(self.clients[0], COMMANDS)], self.seconds))

    def end(self) -> None:
        """Close everything."""
        for client in self.clients:
            client.close()
        for guest in self.guests:
            guest.end()


ATTACKS: dict[str, Callable[[Attacker], str]] = {
    "slow connections": Attacker.slow,
    "entity bombs": Attacker.bombs,
    "endless messages": Attacker.endless,
    **{f"flood of {name}": partial(Attacker.flood, listener=name) for name in LINES},
    "flood of requests": Attacker.requests,
    "a million console commands": Attacker.commands,
}


def main(attack: str, **options: object) -> None:
    """Run the process that the module's docstring describes."""
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    attacker = Attacker(**options)
    if attack.startswith("flood of ") and attack != "flood of requests":
        attacker.take_seats(attack.removeprefix("flood of "))
    elif attack == "a million console commands":
        attacker.log_in()
    print("ready", flush=True)
    if sys.stdin.readline():
        print(ATTACKS[attack](attacker), flush=True)
        sys.stdin.read()
    attacker.end()


class Attack(Companion):
    """Such a process."""

    def __init__(self, name: str, options: Mapping[str, object]) -> None:
        super().__init__(__name__, {"attack": name, **options})

    def run(self) -> str:
        """Attack; return the report."""
        self.go()
        return self.expect()

    def end(self) -> None:
        """Close all connections, and wait for that."""
        if self.process.poll() is None:
            self.process.communicate(timeout=60.0)


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
