"""One transport: bytes in to its dialect, events on to its room, letters out.

Source: design.md, "A move's way"; battleship.md A1 (TCP_NODELAY, TCP_QUICKACK, the last line before a close) and B12.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from typing import Any

from attrs import define
from twisted.internet.interfaces import (
    IAddress,
    IDelayedCall,
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

from gamed.errors import RemoteProtocolError, StoreError
from gamed.events import Event
from gamed.game import Seat, Termination
from gamed.lobby.lobby import Lobby
from gamed.lobby.room import Room
from gamed.net.limits import ConnectionLimits
from gamed.wire import Connection

log = Logger()

LINGER = 5.0
"""Seconds that a peer has to close its side after we have closed ours."""

_QUICKACK = getattr(socket, "TCP_QUICKACK", None)
_HANG_UP = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


@implementer(IProtocol, IPushProducer)
@define(eq=False)
class Session:
    """A peer on a transport. It is the transport's protocol and, for back-pressure, its producer."""

    connection: Connection
    factory: SessionFactory
    address: str
    name: str
    transport: Any = None
    _room: Room | None = None
    _seat: Seat = -1
    _socket: socket.socket | None = None
    _is_congested: bool = False
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
        try:
            self._room, self._seat = self.factory.lobby.arrive(self.factory.kind, self)
        except StoreError as error:
            log.error("not seated: peer={peer}: {error}", peer=self.name, error=error)  # noqa: TRY400 (Twisted's logger)
            self.close()

    def dataReceived(self, data: bytes) -> None:
        """Take bytes from the peer."""
        if _QUICKACK is not None and self._socket is not None:
            # The system forgets it; without it, real clients lose 44 ms a turn to delayed acknowledgements.
            self._socket.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)
        room = self._room
        if room is not None:
            self.connection.receive_data(data)
            self._receive(room)

    def _receive(self, room: Room) -> None:
        try:
            for event in self.connection.events():
                room.receive(self._seat, event)
        except RemoteProtocolError as error:
            log.warn(
                "{code}: room={room} seat={seat} peer={peer}: {error}",
                code=error.code,
                room=room.id,
                seat=self._seat,
                peer=self.name,
                error=error,
            )
            room.leave(self._seat, Termination.LIMIT)

    def connectionLost(self, reason: Failure) -> None:  # noqa: ARG002 (IProtocol's signature)
        """Hand on what the peer sent last, and empty its seat."""
        self.factory.limits.release(self.address)
        room, self._room = self._room, None
        self.transport = self._socket = None
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        if room is not None:
            self.connection.receive_data(b"")
            self._receive(room)
            room.leave(self._seat)

    # IPushProducer: the transport's word that the peer reads too slowly, or reads again

    def pauseProducing(self) -> None:
        """Have the room hold back what others send to this peer."""
        self._is_congested = True
        if self._room is not None:
            self._room.congested(self._seat)

    def resumeProducing(self) -> None:
        """Have the room go on."""
        if not self._is_congested:
            return
        self._is_congested = False
        if self._socket is not None:
            self.transport.unregisterProducer()
        if self._room is not None:
            self._room.relieved(self._seat)

    def stopProducing(self) -> None:
        """Nothing to stop: the transport says this when the connection is lost."""

    # Peer

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
        self.transport.write(data)

    def close(self) -> None:
        """Close our side after the last line, and all when the peer has closed its own, or has had its time.

        Closing both at once would make the system reset the connection if anything of the peer's was still unread, and
        a reset can overtake the last line.
        """
        self._room = None
        transport = self.transport
        if transport is None or self._deadline is not None:
            return
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
    """Makes a session for each connection that the limits admit. `kind`: the game; `connect` makes a connection."""

    kind: str
    connect: Callable[[], Connection]
    lobby: Lobby
    limits: ConnectionLimits
    clock: IReactorTime

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
