"""One transport: bytes in to its dialect, events on to its room, letters out.

Source: design.md, "A move's way"; battleship.md A1 (TCP_NODELAY, TCP_QUICKACK, the last line before a close) and B12.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.internet.interfaces import (
    IAddress,
    IDelayedCall,
    IHalfCloseableProtocol,
    IProtocol,
    IProtocolFactory,
    IPushProducer,
    IReactorTime,
    ISSLTransport,
    ITCPTransport,
)
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.errors import RemoteProtocolError, RoomError, StoreError
from gamed.events import Event
from gamed.game import Seat, Termination
from gamed.lobby.room import Room
from gamed.net.limits import ConnectionLimits
from gamed.reception import Reception
from gamed.table import OBSERVERS
from gamed.wire import Connection

log = Logger()

LINGER = 5.0
"""Seconds that a peer has to close its side after we have closed ours."""

_QUICKACK = getattr(socket, "TCP_QUICKACK", None)
_HANG_UP = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


@implementer(IProtocol, IHalfCloseableProtocol, IPushProducer)
@define(eq=False)
class Session:
    """A peer on a transport. It is the transport's protocol and, for back-pressure, its producer."""

    connection: Connection
    factory: SessionFactory
    address: str
    name: str
    transport: Any = None
    _place: tuple[Room, Seat] | None = None
    places: list[tuple[Room, Seat]] = field(factory=list)
    _socket: socket.socket | None = None
    _is_congested: bool = False
    _unsent: int = 0
    _has_ended: bool = False
    _letters: bytes = b""
    _deadline: IDelayedCall | None = None

    # IProtocol

    def makeConnection(self, transport: Any) -> None:
        """Take the transport."""
        self.transport = transport
        self.connectionMade()

    def connectionMade(self) -> None:
        """Look for a seat."""
        transport: Any = self.transport
        if ITCPTransport.providedBy(transport):
            transport.setTcpNoDelay(True)
            transport.setTcpKeepAlive(True)
        # TLS has a socket, too, but what is sent must go through the TLS.
        if ITCPTransport.providedBy(transport) and not ISSLTransport.providedBy(transport):
            self._socket = self.transport.getHandle()
        else:
            transport.registerProducer(self, streaming=True)
        self._attempt(self.factory.reception.arrive, self)

    def dataReceived(self, data: bytes) -> None:
        """Take bytes from the peer."""
        if _QUICKACK is not None and self._socket is not None:
            # The system forgets it; without it, real clients lose 44 ms a turn to delayed acknowledgements.
            self._socket.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)
        if self._deadline is None:
            self.connection.receive_data(data)
            self._receive()

    def _receive(self) -> None:
        try:
            for event in self.connection.events():
                if self._place is not None:
                    self._place[0].receive(self._place[1], event)
                else:
                    self._attempt(self.factory.reception.receive, self, event)
        except RemoteProtocolError as error:
            self._broke(error)

    def _broke(self, error: RemoteProtocolError) -> None:
        log.warn("{code}: {where}: {error}", code=error.code, where=self._where, error=error)
        self._attempt(self.factory.reception.refuse, self, error)
        self._leave_all(Termination.LIMIT)

    @property
    def _where(self) -> str:
        places = [f"room={room.id} seat={seat}" for room, seat in self.places]
        return " ".join([*places, f"peer={self.name}"])

    def _attempt(self, do: Callable[..., None], *arguments: Any) -> None:
        try:
            do(*arguments)
        except (StoreError, RoomError) as error:
            log.error("not seated: peer={peer}: {error}", peer=self.name, error=error)  # noqa: TRY400 (Twisted's logger)
            self.close()
        except RemoteProtocolError:
            raise
        except Exception:  # noqa: BLE001 (a fault of ours costs this peer its connection, and nobody else anything)
            log.failure("server fault: peer={peer}", peer=self.name)
            self.close()

    def _leave_all(self, why: Termination) -> None:
        places, self.places, self._place = self.places, [], None
        for room, seat in places:
            if seat == OBSERVERS:
                room.unobserve(self)
            else:
                room.leave(seat, why)

    # IHalfCloseableProtocol

    def readConnectionLost(self) -> None:
        """Take the end of what the peer says as its leaving, and say goodbye: half a peer is none."""
        self._end()
        self.close()
        if self.transport is not None:
            self.transport.loseConnection()

    def writeConnectionLost(self) -> None:
        """Nothing to do: our side was closed by `close`."""

    def connectionLost(self, reason: Failure) -> None:  # noqa: ARG002 (IProtocol's signature)
        """Empty the peer's seats."""
        self.factory.limits.release(self.address)
        self.transport = self._socket = None
        self._end()
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()

    def _end(self) -> None:
        """Hand on what the peer sent last, and empty its seats."""
        if self._has_ended:
            return
        self._has_ended = True
        if self._deadline is None:
            self.connection.receive_data(b"")
            self._receive()
        self.factory.reception.depart(self)
        self._leave_all(Termination.LEFT)

    # IPushProducer: the transport's word that the peer reads too slowly, or reads again

    def pauseProducing(self) -> None:
        """Have the room hold back what others send to this peer."""
        self._is_congested = True
        for room, seat in self.places:
            room.congested(seat)

    def resumeProducing(self) -> None:
        """Have the room go on."""
        if not self._is_congested:
            return
        self._is_congested = False
        self._unsent = 0
        if self._socket is not None:
            self.transport.unregisterProducer()
        for room, seat in self.places:
            room.relieved(seat)

    def stopProducing(self) -> None:
        """Nothing to stop: the transport says this when the connection is lost."""

    # Peer

    def introduce(self, name: str) -> None:
        """Take note of the name that the peer has given itself; what is not printable in it is spelled out."""
        self.name = f"{ascii(name)[1:-1]}@{self.name}"

    def entered(self, room: Room, seat: Seat) -> None:
        """Take note of a place in a room."""
        self.places.append((room, seat))
        if not self.factory.reception.routes:
            self._place = (room, seat)

    def released(self, room: Room) -> None:
        """Take note that a room is done with this peer."""
        if any(place[0] is room for place in self.places):
            self.places = [place for place in self.places if place[0] is not room]
            self._place = None
            self.factory.reception.released(self, room)

    @property
    def is_gone(self) -> bool:
        """Whether the peer has closed its side, read or not."""
        if self._socket is None:
            return self.transport is None
        poll = select.poll()
        poll.register(self._socket, _HANG_UP)
        return bool(poll.poll(0))

    def deliver(self, event: Event) -> None:
        """Put by what the dialect says for an event; a peer that is lost gets nothing any more."""
        if self.transport is not None:
            self._letters += self.connection.send(event)

    def flush(self) -> None:
        """Write what was put by."""
        letters, self._letters = self._letters, b""
        if letters and self.transport is not None:
            self._write(letters)

    def _write(self, data: bytes) -> None:
        """Send at once what the system takes; the rest waits in the transport.

        The transport alone would send all in a later turn of the reactor, at the price of that turn and of two more
        system calls a line.
        """
        if self._socket is not None and not self._is_congested:
            try:
                sent = self._socket.send(data)
            except OSError:
                # The transport meets the same error and knows what to do about it.
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
            # A pull producer is asked for more when all has left, which is what there is to know.
            self.transport.registerProducer(self, streaming=False)
            self.pauseProducing()
        if self._is_congested:
            self._unsent += len(data)
            if self._unsent > self.factory.unsent_bytes:
                log.warn("not reading: {where} unsent={unsent} bytes", where=self._where, unsent=self._unsent)
                self.transport.abortConnection()
                return
        self.transport.write(data)

    def close(self) -> None:
        """Close our side after the last line, and all when the peer has closed its own, or has had its time.

        Closing both at once would make the system reset the connection if anything of the peer's was still unread, and
        a reset can overtake the last line.
        """
        transport = self.transport
        if transport is None or self._deadline is not None:
            return
        self._letters += self.connection.close()
        self.flush()
        transport.resumeProducing()
        transport.unregisterProducer()
        if self._socket is None:
            transport.loseConnection()
        else:
            transport.loseWriteConnection()
        self._deadline = self.factory.clock.callLater(LINGER, transport.abortConnection)

    def pause(self) -> None:
        """Read nothing more until `resume`."""
        if self.transport is not None:
            self.transport.pauseProducing()

    def resume(self) -> None:
        """Read again."""
        if self.transport is not None:
            self.transport.resumeProducing()


@implementer(IProtocolFactory)
@define(eq=False)
class SessionFactory:
    """Makes a session for each connection that the limits admit. `connect` makes a connection.

    `unsent_bytes`: how much may wait for a peer that does not read before it is dropped.
    """

    connect: Callable[[], Connection]
    reception: Reception
    limits: ConnectionLimits
    clock: IReactorTime
    unsent_bytes: int

    def doStart(self) -> None:
        """Nothing to do when the listener starts."""

    def doStop(self) -> None:
        """Nothing to do when the listener stops."""

    def buildProtocol(self, address: IAddress) -> Session | None:
        """Return a session, or None: the connection is closed at once."""
        host = str(getattr(address, "host", "local")).removeprefix("::ffff:")
        if not self.limits.admit(host):
            return None
        port = getattr(address, "port", None)
        bare = host if port is None else f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        return Session(self.connect(), self, host, bare)
