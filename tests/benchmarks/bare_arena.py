"""The yardstick: a bare Twisted loop that starts two clients a game, and relays their lines.

Run as `python bare_arena.py fresh|kept GAMES CONCURRENCY COMMAND...`; prints how many games a second it has played.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.protocol import Factory, ProcessProtocol
from twisted.internet.task import react
from twisted.protocols.basic import LineReceiver

KIND, GAMES, CONCURRENCY, *COMMAND = sys.argv[1:]


class Client(ProcessProtocol):
    """A client's process."""

    def __init__(self) -> None:
        self.ended: Deferred[None] = Deferred()

    def processEnded(self, _reason: Any) -> None:
        self.ended.callback(None)


class Seat(LineReceiver):
    """One connection."""

    delimiter = b"\n"
    partner: Seat

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)
        self.factory.lane.connected(self)

    def send(self, line: bytes) -> None:
        self.transport.write(line + b"\r")

    def lineReceived(self, line: bytes) -> None:
        self.partner.send(line)
        if line.startswith(b"(2,") and line.endswith(b",4])."):
            self.transport.loseConnection()
            self.partner.transport.loseConnection()

    def connectionLost(self, _reason: Any) -> None:
        self.factory.lane.disconnected()


class Lane:
    """One game at a time: the first client that connects defends."""

    def __init__(self) -> None:
        self.seats: list[Seat] = []
        self.left = 0
        self.over: Deferred[None] = Deferred()
        factory = Factory.forProtocol(Seat)
        factory.lane = self
        self.port = reactor.listenTCP(0, factory, interface="127.0.0.1").getHost().port
        self.clients: list[Client] = []

    def start(self) -> None:
        for _ in range(2):
            client = Client()
            command = [word.replace("{port}", str(self.port)) for word in COMMAND]
            reactor.spawnProcess(client, command[0], command, os.environ)
            self.clients.append(client)

    def connected(self, seat: Seat) -> None:
        self.seats.append(seat)
        if len(self.seats) == 2:
            first, second = self.seats
            first.partner, second.partner = second, first
            first.send(b"(3,[]).")
            second.send(b"(4,[]).")
            first.send(b"(5,[]).")
            second.send(b"(5,[]).")

    def disconnected(self) -> None:
        self.left += 1
        if self.left == 2:
            self.seats, self.left = [], 0
            over, self.over = self.over, Deferred()
            over.callback(None)

    async def work(self, games: list[int]) -> None:
        while games:
            games.pop()
            if not self.clients:
                self.start()
            over = self.over
            await over
            if KIND == "fresh":
                await DeferredList([client.ended for client in self.clients])
                self.clients = []
        for client in self.clients:
            client.transport.signalProcess("KILL")
            await client.ended


async def main(_reactor: Any) -> None:
    begun = time.monotonic()
    games = list(range(int(GAMES)))
    await DeferredList([Deferred.fromCoroutine(Lane().work(games)) for _ in range(int(CONCURRENCY))])
    print(int(GAMES) / (time.monotonic() - begun))


react(lambda reactor: Deferred.fromCoroutine(main(reactor)))
