"""Games of Hive between gamed's bots, each with an observer: `hive_bots.py PORT PASSWORD GAMES AT_ONCE [SEED]`.

Every second game is one of two plain joins; for the others an administrator prepares a room. Prints a JSON list with a
report for each game: how it was joined, its room, what each side says of it, and what the observer saw.
"""

from __future__ import annotations

import json
import sys
from random import Random
from typing import Any, TypeVar

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredLock, DeferredQueue, DeferredSemaphore, gatherResults
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.protocol import Protocol
from twisted.internet.task import react

from gamed.bots.play import Played, play
from gamed.core.events import Event
from gamed.games.softwarechallenge.client_wire import ClientConnection
from gamed.games.softwarechallenge.messages import (
    Authenticate,
    JoinedGameRoom,
    Left,
    Memento,
    Observe,
    Observed,
    Prepare,
    Prepared,
    Result,
    Slot,
)
from gamed.games.softwarechallenge.seasons.hive import game_type
from gamed.games.softwarechallenge.seasons.hive.client import read_state
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from gamed.games.softwarechallenge.seasons.hive.wire import GAME_TYPES
from gamed.wire.xmlstream import XmlStream

STRATEGIES = ("random", "greedy", "random")
HOST = "127.0.0.1"
HIVE = Hive()

E = TypeVar("E", bound=Event)


@define(eq=False)
class Administrator(Protocol):
    """A connection of an administrator, with a queue of received events."""

    password: str
    connection: ClientConnection = field(factory=lambda: ClientConnection(XmlStream(1 << 20)))
    heard: DeferredQueue[Event] = field(factory=DeferredQueue)

    def connectionMade(self) -> None:
        self.say(Authenticate(self.password))

    def say(self, event: Event) -> None:
        self.transport.write(self.connection.send(event))

    def dataReceived(self, data: bytes) -> None:
        self.connection.receive_data(data)
        for event in self.connection.events():
            self.heard.put(event)

    async def hear(self, kind: type[E]) -> E:
        """Return the next event of a kind, and drop those before it."""
        while not isinstance(event := await self.heard.get(), kind):
            pass
        return event


@define(eq=False)
class SeasonHarness:
    """The server, with an administrator that prepares rooms."""

    reactor: Any
    port: int
    password: str
    seed: int
    lock: DeferredLock = field(factory=DeferredLock)
    seated_client: Administrator = field(init=False)

    async def enter(self) -> Administrator:
        """Return a new administrator."""
        endpoint = HostnameEndpoint(self.reactor, HOST.encode(), self.port)
        return await connectProtocol(endpoint, Administrator(self.password))

    def sit(self, number: int, seat: int, code: str | None) -> tuple[Any, Deferred[Played]]:
        """Let a bot play; return it and the Deferred of its result."""
        strategy = STRATEGIES[(number + seat) % len(STRATEGIES)]
        player = game_type.players[strategy](Random(self.seed + 2 * number + seat), reservation=code)
        return player, Deferred.fromCoroutine(play(self.reactor, HOST, self.port, player))

    async def game(self, number: int) -> dict[str, object]:
        """Play a game and report it."""
        observer = await self.enter()
        begin = self.joined if number % 2 else self.prepared
        await self.lock.acquire()
        try:
            room, sides = await begin(number, observer)
        finally:
            self.lock.release()
        seen = await watched(observer)
        played = [await done for _, done in sides]
        observer.transport.loseConnection()
        return {
            "number": number,
            "room": room,
            "seats": [player.seat for player, _ in sides],
            "won": [one.won for one in played],
            "moves": [one.moves for one in played],
            "seconds": max(one.seconds for one in played),
            **seen,
        }

    async def joined(self, number: int, observer: Administrator) -> tuple[str, list[tuple[Any, Deferred[Played]]]]:
        red = self.sit(number, 0, None)
        room = (await self.heard(existing=False)).room
        await self.observe(observer, room)
        sides = [red, self.sit(number, 1, None)]
        if (await self.heard(existing=True)).room != room:
            raise AssertionError("two rooms for two who joined")
        return room, sides

    async def heard(self, *, existing: bool) -> JoinedGameRoom:
        found = await self.seated_client.hear(JoinedGameRoom)
        if found.existing is not existing:
            raise AssertionError(f"{found} where existing should be {existing}")
        return found

    async def prepared(self, number: int, observer: Administrator) -> tuple[str, list[tuple[Any, Deferred[Played]]]]:
        slots = tuple(Slot(f"{side} {number}", True, False) for side in ("r", "b"))
        self.seated_client.say(Prepare(GAME_TYPES[0], slots))
        prepared = await self.seated_client.hear(Prepared)
        await self.observe(observer, prepared.room)
        # BLUE connects first in every other one.
        order = (0, 1) if number % 4 else (1, 0)
        return prepared.room, [self.sit(number, seat, prepared.codes[seat]) for seat in order]

    async def observe(self, observer: Administrator, room: str) -> None:
        observer.say(Observe(room))
        await observer.hear(Observed)


async def watched(observer: Administrator) -> dict[str, object]:
    """Return what an observer sees of a game: the turn of each state, the last position, the winner."""
    turns, last, winner = [], None, None
    while not isinstance(event := await observer.heard.get(), Left):
        if isinstance(event, Memento):
            last = read_state(event.element)
            turns.append(last.turn)
        elif isinstance(event, Result):
            found = event.element.find("winner")
            winner = None if found is None else found.get("color")
            causes = [score.get("cause") for score in event.element.iterfind("score")]
    return {"turns": turns, "view": HIVE.view(last, None), "winner": winner, "causes": causes}


async def all_games(harness: SeasonHarness, games: int, at_once: int) -> None:
    """Play the games, some at a time, and print the reports."""
    harness.seated_client = await harness.enter()
    slots = DeferredSemaphore(at_once)
    running = [slots.run(lambda number=number: Deferred.fromCoroutine(harness.game(number))) for number in range(games)]
    print(json.dumps(await gatherResults(running, consumeErrors=True)))
    harness.seated_client.transport.loseConnection()


def main(reactor: object, *arguments: str) -> Deferred[None]:
    """Play the games."""
    port, password, games, at_once, seed = (*arguments, "0")[:5]
    return Deferred.fromCoroutine(
        all_games(SeasonHarness(reactor, int(port), password, int(seed)), int(games), int(at_once))
    )


if __name__ == "__main__":
    react(main, sys.argv[1:])
