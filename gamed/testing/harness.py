"""A complete lobby in memory, without network and files, and with a `Clock` as its reactor."""

from __future__ import annotations

from typing import Any

from attrs import define, field
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IProtocolFactory
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from gamed.lobby.lobby import Lobby
from gamed.lobby.match_recorder import AFTERWARDS
from gamed.net.factory import SessionFactory
from gamed.net.game_listeners import GameListener
from gamed.net.limits import ConnectionLimits
from gamed.net.session import Session
from gamed.registry import game_types
from gamed.store.memory import MemoryJournal, MemoryStore


@define(eq=False)
class Wire:
    """A client of a harness: its session, and the transport that collects what the client would receive."""

    session: Session
    transport: StringTransport
    clock: Clock

    def send(self, data: bytes) -> None:
        """Let the session receive bytes, and send the events that result."""
        self.session.dataReceived(data)
        self.clock.advance(0)

    def leave(self) -> None:
        """Close the connection from the client's side."""
        self.session.connectionLost(Failure(ConnectionDone()))
        self.clock.advance(0)

    @property
    def received(self) -> bytes:
        """All bytes that the client has been sent."""
        data: bytes = self.transport.value()
        return data

    @property
    def is_closed(self) -> bool:
        """Whether the server has closed or aborted the connection."""
        return self.transport.disconnecting or self.transport.disconnected


@define(eq=False)
class Harness:
    """A lobby with a listener for one game, and a journal and a store in memory."""

    kind: str
    """The game."""

    settings: Any
    """The settings of the listener."""

    clock: Clock = field(factory=Clock)
    journal: MemoryJournal = field(factory=MemoryJournal)
    store: MemoryStore = field(factory=MemoryStore)
    lobby: Lobby = field(init=False)
    factory: SessionFactory = field(init=False)
    listener: GameListener = field(init=False)
    _ports: int = 40_000

    def __attrs_post_init__(self) -> None:
        types = game_types()
        # A listener may have several games, with one class of settings.
        hosted = {kind: made for kind, made in types.items() if made.settings is types[self.kind].settings}
        settings = dict.fromkeys(hosted, self.settings)
        self.lobby = Lobby(types, settings, self.journal, self.store, self.clock, self.clock.seconds)
        limits = ConnectionLimits(self.kind, self.settings.connections, self.settings.connections_per_address)
        self.factory = SessionFactory(
            limits, self.clock, unsent_bytes=self.settings.unsent_bytes, refusals=self.lobby.refusals
        )
        self.listener = GameListener(tuple(hosted.values()), self.settings, self.lobby, self.factory, self.factory)
        self.listener.load()
        self.lobby.delivery.outage.on_hold.append(self.factory.hold)
        self.lobby.startService()  # type: ignore[no-untyped-call]

    def connect(self, host: str = "127.0.0.1", entrance: IProtocolFactory | None = None) -> Wire:
        """Connect a new client, by an entrance if one is given. Raises AssertionError if it is not let in."""
        self._ports += 1
        address = IPv4Address("TCP", host, self._ports)
        session = (self.factory if entrance is None else entrance).buildProtocol(address)
        if not isinstance(session, Session):
            raise AssertionError("the connection was rejected")  # noqa: TRY004 (not a wrong type of an argument)
        transport = StringTransport(peerAddress=address)
        session.makeConnection(transport)
        self.clock.advance(0)
        return Wire(session, transport, self.clock)

    def settle(self) -> None:
        """Let the reactor run until finished games are recorded, and forwarded moves are judged."""
        self.clock.advance(AFTERWARDS)
        while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
            self.clock.advance(0)
