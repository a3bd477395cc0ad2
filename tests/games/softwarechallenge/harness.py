"""A lobby of the Software-Challenge in memory, with clients that are sent messages and tell in short what they hear."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

from attrs import define, evolve, field
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from gamed.core.game import Options
from gamed.games.softwarechallenge import Settings
from gamed.games.softwarechallenge.reception import SoftwareChallengeReception
from gamed.games.softwarechallenge.seasons.hive import game_type
from gamed.games.softwarechallenge.server import hosted as hosted_of
from gamed.games.softwarechallenge.table import SeasonTable
from gamed.lobby.lobby import Lobby
from gamed.lobby.room import Room
from gamed.net.factory import SessionFactory
from gamed.net.limits import ConnectionLimits
from gamed.net.session import Session
from gamed.net.stall_clock import StallClock
from gamed.records.index import validate
from gamed.records.record import Record, document
from gamed.registry import GameType
from gamed.store.memory import MemoryJournal, MemoryStore
from tests.games.softwarechallenge.labels import labels

PASSWORD = "examplepassword"
HIVE = "swc_2020_hive"
HIVE_PACKAGE = "gamed.games.softwarechallenge.seasons.hive"

Cells = tuple[tuple[int, int], ...]
CORNERS: Cells = ((-5, 5), (0, -5), (5, -5))
"""Cells in corners: they are in nobody's way."""


class Lots(Random):
    """A generator that draws these cells."""

    def __init__(self, cells: Cells) -> None:
        super().__init__(0)
        self.cells = cells

    def sample(self, population: Any, k: int, **_: Any) -> list[Any]:  # noqa: ARG002 (Random's signature)
        """Return the cells."""
        return list(self.cells)


@define(eq=False)
class Client:
    """One connection."""

    harness: SeasonHarness
    session: Session
    transport: StringTransport
    _said: bytes = b"<protocol>"
    _shown: int = 0
    _is_shut: bool = False
    _is_gone: bool = False

    def send(self, *messages: str) -> None:
        """Send messages in one segment, and let a turn pass."""
        head, self._said = self._said, b""
        self.feed(head + "".join(messages).encode())
        self.harness.turn()

    def feed(self, data: bytes) -> None:
        """Send bytes, and nothing else happens yet."""
        if not self._is_shut:
            self.session.dataReceived(data)

    @property
    def stream(self) -> bytes:
        """All that was said to it."""
        data: bytes = self.transport.value()
        return data

    def heard(self) -> list[str]:
        """Return in short what was said to it since the last time; the document's first tag is left out."""
        found = [said for said in labels(self.stream) if said not in ("", "<protocol>")]
        news, self._shown = found[self._shown :], len(found)
        return news

    @property
    def room(self) -> str:
        """The room that it heard of last."""
        return re.findall(rb'roomId="([^"]+)"', self.stream)[-1].decode()

    @property
    def is_closed(self) -> bool:
        """Whether the server has closed or aborted the connection."""
        return bool(self.transport.disconnecting or self.transport.disconnected)

    def shut(self) -> None:
        """Close its side, and nothing else happens yet."""
        if not self._is_shut:
            self._is_shut = True
            self.session.readConnectionLost()

    def end(self) -> None:
        """Close its side, and lose the connection when the server has closed, too."""
        self.shut()
        self.harness.turn()
        self.reset()

    def reset(self) -> None:
        """Lose the connection."""
        self._is_shut = True
        if not self._is_gone:
            self._is_gone = True
            self.session.connectionLost(Failure(ConnectionDone()))
            self.harness.turn()

    # What clients say

    def join(self, game_type: str = HIVE) -> None:
        """Join any room."""
        self.send(f'<join gameType="{game_type}"/>')

    def take(self, code: str) -> None:
        """Join by a reservation."""
        self.send(f'<joinPrepared reservationCode="{code}"/>')

    def move(self, data: str, room: str | None = None) -> None:
        """Send a move, or other data, in a room."""
        self.send(f'<room roomId="{self.room if room is None else room}">{data}</room>')

    def authenticate(self, password: str = PASSWORD) -> None:
        """Become an administrator."""
        self.send(f'<authenticate password="{password}"/>')

    def prepare(self, *slots: str, game_type: str = HIVE) -> tuple[str, list[str]]:
        """Prepare a room, by default one of p1 and p2; return it with its reservation codes."""
        said = "".join(slots) or "".join(slot(name) for name in ("p1", "p2"))
        self.send(f'<prepare gameType="{game_type}">{said}</prepare>')
        return self.room, re.findall(r"<reservation>(.*?)<", self.stream.decode())[-2:]


def slot(name: str, *, can_timeout: bool = True, paused: bool = False) -> str:
    """Return a slot to prepare."""
    can, be = ("true" if value else "false" for value in (can_timeout, paused))
    return f'<slot displayName="{name}" canTimeout="{can}" shouldBePaused="{be}"/>'


def setmove(owner: str, kind: str, x: int, y: int, *more: str) -> str:
    """Return a piece's being set."""
    place = f'<destination x="{x}" y="{y}" z="{-x - y}"/>'
    return f'<data class="setmove"><piece owner="{owner}" type="{kind}"/>{place}{"".join(more)}</data>'


def dragmove(start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return a piece's being moved."""
    places = (f'x="{x}" y="{y}" z="{-x - y}"' for x, y in (start, end))
    return '<data class="dragmove"><start {}/><destination {}/></data>'.format(*places)


SKIP = '<data class="skipmove"/>'

_KINDS = ("BEE", "ANT", "ANT", "ANT", "SPIDER", "SPIDER")
ROW = tuple(
    setmove("RED", _KINDS[number // 2], -(number // 2), 0)
    if number % 2 == 0
    else setmove("BLUE", _KINDS[number // 2], number // 2 + 1, 0)
    for number in range(11)
)
"""Moves of a legal game: the pieces stand in one row, RED's to the left and BLUE's to the right."""


def described(kind: str) -> GameType:
    """Return the game type of a season, which the season need not have yet."""
    if kind == game_type.kind:
        return game_type
    return evolve(game_type, kind=kind, publisher=f"gamed-{kind}", version="1.0", replays=())


@define(eq=False)
class SeasonHarness:
    """A lobby with its listener, a journal and a store in memory.

    `cells`: what chance obstructs, by the number of the room; `passes`: of the reactor, where they are noted; `others`:
    the packages of further seasons besides Hive; `usual`: the one for clients that name none.
    """

    settings: Settings = field(factory=lambda: Settings(password=PASSWORD))
    cells: Callable[[int], Cells] = field(default=lambda _room: CORNERS)
    others: tuple[str, ...] = ()
    usual: str = HIVE_PACKAGE
    clock: Clock = field(factory=Clock)
    passes: StallClock | None = None
    journal: MemoryJournal = field(factory=MemoryJournal)
    store: MemoryStore = field(factory=MemoryStore)
    lobby: Lobby = field(init=False)
    reception: SoftwareChallengeReception = field(init=False)
    factory: SessionFactory = field(init=False)
    tables: list[SeasonTable] = field(factory=list)
    _ports: int = 40_000

    def __attrs_post_init__(self) -> None:
        packages = tuple(dict.fromkeys((self.usual, HIVE_PACKAGE, *self.others)))
        hosted = hosted_of(packages)
        hosted = evolve(hosted, tables={**hosted.tables, game_type.kind: self._table})
        types = {kind: evolve(described(kind), hosted=lambda: hosted) for kind in hosted.tables}
        self.lobby = Lobby(
            types,
            dict.fromkeys(types, self.settings),
            self.journal,
            self.store,
            self.clock,
            *((self.clock.seconds,) if self.passes is None else (self.passes.seconds, self.passes.held)),
        )
        reception = hosted.reception(self.settings, self.lobby)
        assert isinstance(reception, SoftwareChallengeReception)
        self.reception = reception
        self.factory = SessionFactory(
            ConnectionLimits(game_type.kind, self.settings.connections, self.settings.connections_per_address),
            self.clock,
            unsent_bytes=self.settings.unsent_bytes,
            messages_per_second=self.settings.messages_per_second,
            message_seconds=self.settings.message_seconds,
            passes=self.passes,
            refusals=self.lobby.refusals,
        )
        self.factory.connect, self.factory.reception = lambda: hosted.connection(self.settings), reception
        self.lobby.startService()

    def _table(self, settings: Settings, options: Options, _random: Callable[[], Random], now: float) -> SeasonTable:
        cells = self.cells(len(self.tables))
        table = game_type.table(settings, options, lambda _draw: Lots(cells), now)
        assert isinstance(table, SeasonTable)
        self.tables.append(table)
        return table

    def turn(self) -> None:
        """Let everything happen that is due."""
        self.clock.advance(0)
        while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
            self.clock.advance(0)

    def wait(self, seconds: float, step: float = 60.0) -> None:
        """Let time pass, a step at a time."""
        until = self.clock.seconds() + seconds
        while self.clock.seconds() < until:
            self.clock.advance(min(step, until - self.clock.seconds()))
            self.turn()

    def connect(self, host: str = "127.0.0.1", transport: StringTransport | None = None) -> Client:
        """Return a new client. `transport`: what its session is on."""
        self._ports += 1
        address = IPv4Address("TCP", host, self._ports)
        session = self.factory.buildProtocol(address)
        assert session is not None
        if transport is None:
            transport = StringTransport(peerAddress=address)
        session.makeConnection(transport)
        return Client(self, session, transport)

    def admin(self) -> Client:
        """Return a client that is an administrator."""
        client = self.connect()
        client.authenticate()
        return client

    def pair(self) -> tuple[Client, Client]:
        """Return two clients that play: RED and BLUE."""
        red, blue = self.connect(), self.connect()
        for client in (red, blue):
            client.join()
        for client in (red, blue):
            client.heard()
        return red, blue

    @property
    def rooms(self) -> list[Room]:
        """The rooms that are open."""
        return [room for room in self.lobby.rooms.values() if not room.is_closed]

    def records(self) -> list[Record]:
        """Return all records, once those of the games that have ended are kept; each is valid."""
        self.wait(1)
        records = list(self.store.records.values())
        for record in records:
            validate(document(record))
        return records
