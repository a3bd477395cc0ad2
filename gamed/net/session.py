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
from gamed.tally import Traffic
from gamed.wire import Connection

log = Logger()

LINGER = 5.0
"""Seconds that a peer has to close its side after we have closed ours."""

AT_ONCE = 64
"""How many messages of one peer are taken in a turn of the reactor, so that a flood does not stall the others."""

HELD = 0.25
"""Seconds between two looks whether messages that have come already may be taken."""

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
    _is_mute: bool = False
    _is_paused: bool = False
    _rest: IDelayedCall | None = None
    _allowed: float = 0.0
    _allowed_at: float = 0.0
    _begun_at: float | None = None

    # IProtocol

    def makeConnection(self, transport: Any) -> None:
        """Take the transport."""
        self.transport = transport
        self.connectionMade()

    def connectionMade(self) -> None:
        """Look for a seat."""
        self._allowed, self._allowed_at = self.factory.messages_per_second, self.factory.clock.seconds()
        self.factory.sessions[self] = None
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
        if self.factory.is_held:
            self._read_or_not()

    def dataReceived(self, data: bytes) -> None:
        """Take bytes from the peer."""
        self.factory.traffic.received += len(data)
        is_answered = False
        if not self._is_mute:
            self.connection.receive_data(data)
            if self._rest is None:
                is_answered = self._receive(self._allowance())
        if not is_answered and _QUICKACK is not None and self._socket is not None:
            # The system forgets it; without it, real clients lose 44 ms a turn to delayed acknowledgements.
            self._socket.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)

    def _receive(self, limit: int) -> bool:
        """Take what has come: so many messages at most, and the rest in a later turn.

        Return whether an answer is to be expected in this turn, which acknowledges what has come as well: a table that
        does not forward has been told something.
        """
        is_answered = False
        try:
            for event in self.connection.events() if limit else ():
                if self._place is not None:
                    room, seat = self._place
                    room.receive(seat, event)
                    is_answered = not room.table.forwards
                else:
                    self._attempt(self.factory.reception.receive, self, event)
                limit -= 1
                self._allowed -= 1
                if self._is_mute or not limit:
                    break
        except RemoteProtocolError as error:
            self._broke(error)
        if not limit and not self._is_mute:
            self._receive_later()
        return is_answered

    def _allowance(self) -> int:
        """Return how many messages are taken now: at the listener's rate, with a second's worth in store."""
        rate = self.factory.messages_per_second
        if not rate:
            return AT_ONCE
        now = self.factory.clock.seconds()
        self._allowed = min(rate, self._allowed + (now - self._allowed_at) * rate)
        self._allowed_at = now
        return min(AT_ONCE, int(self._allowed))

    def _receive_later(self) -> None:
        rate = self.factory.messages_per_second
        delay = 0.0 if self._allowance() else 1 / rate
        self._rest = self.factory.clock.callLater(delay, self._receive_rest)
        self._read_or_not()

    def _receive_rest(self) -> None:
        if self.factory.is_held:
            self._rest = self.factory.clock.callLater(HELD, self._receive_rest)
            return
        self._rest = None
        if not self._is_mute:
            self._receive(self._allowance())
        self._read_or_not()

    def _read_or_not(self) -> None:
        if self.transport is None or self._deadline is not None:
            return
        if self._is_paused or self._rest is not None or self.factory.is_held:
            self.transport.pauseProducing()
        else:
            self.transport.resumeProducing()

    @property
    def waits_since(self) -> float | None:
        """Since when a message that was begun has not ended, as of the last `look`."""
        return self._begun_at

    def look(self, now: float) -> None:
        """Note whether a message was begun and not ended."""
        if self._is_mute or self.factory.is_held or not self.connection.begun:
            self._begun_at = None
        elif self._begun_at is None:
            self._begun_at = now

    def refuse(self, error: RemoteProtocolError) -> None:
        """Let the peer go for what it did."""
        self._broke(error)

    def expel(self) -> None:
        """Empty the peer's seats as if it had left: an operator lets it go, or its listener does."""
        self._leave_all(Termination.LEFT)

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
        except RoomError as error:
            log.warn("not seated: peer={peer}: {error}", peer=self.name, error=error)
            self.close()
        except StoreError as error:
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
        self.factory.sessions.pop(self, None)
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        if not self._is_mute:
            self.connection.receive_data(b"")
            self._receive(-1)
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
            self.factory.traffic.sent += len(letters)
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
        self._is_mute = True
        self._letters += self.connection.close()
        self.flush()
        transport.resumeProducing()
        transport.unregisterProducer()
        if self._socket is None:
            transport.loseConnection()
        else:
            transport.loseWriteConnection()
        self._deadline = self.factory.clock.callLater(LINGER, transport.abortConnection)

    def mute(self) -> None:
        """Take nothing more from the peer, ever."""
        self._is_mute = True

    def hold(self) -> None:
        """Read nothing while the factory is held, or read again."""
        self._read_or_not()

    def pause(self) -> None:
        """Read nothing more until `resume`."""
        self._is_paused = True
        self._read_or_not()

    def resume(self) -> None:
        """Read again."""
        self._is_paused = False
        self._read_or_not()


@implementer(IProtocolFactory)
@define(eq=False)
class SessionFactory:
    """Makes a session for each connection that the limits admit. `connect` makes a connection.

    `unsent_bytes`: how much may wait for a peer that does not read before it is dropped. `messages_per_second`: further
    messages of a peer wait; 0: no limit. `message_seconds`: how long a message may take that was begun; 0: no limit.
    """

    connect: Callable[[], Connection]
    reception: Reception
    limits: ConnectionLimits
    clock: IReactorTime
    unsent_bytes: int
    messages_per_second: float = 0.0
    message_seconds: float = 0.0
    sessions: dict[Session, None] = field(factory=dict)
    traffic: Traffic = field(factory=Traffic)
    is_held: bool = False
    _sweep: IDelayedCall | None = None

    def hold(self, is_held: bool) -> None:  # noqa: FBT001 (what it is set to)
        """Read nothing from anybody, or read again; see gamed/lobby/outage.py."""
        self.is_held = is_held
        for session in list(self.sessions):
            session.hold()

    def doStart(self) -> None:
        """Begin to look for messages that do not end."""
        if self.message_seconds:
            self._sweep = self.clock.callLater(self.message_seconds / 4, self._look)

    def _look(self) -> None:
        self._sweep = self.clock.callLater(self.message_seconds / 4, self._look)
        now = self.clock.seconds()
        for session in list(self.sessions):
            session.look(now)
            if session.waits_since is not None and now - session.waits_since >= self.message_seconds:
                text = f"a message was begun {self.message_seconds:g} seconds ago, and has not ended"
                session.refuse(RemoteProtocolError(text, code="message-too-slow"))

    def doStop(self) -> None:
        """Look no more."""
        if self._sweep is not None and self._sweep.active():
            self._sweep.cancel()

    def buildProtocol(self, address: IAddress) -> Session | None:
        """Return a session, or None: the connection is closed at once."""
        host = str(getattr(address, "host", "local")).removeprefix("::ffff:")
        if not self.limits.admit(host):
            self.traffic.refused[self.limits.why] += 1
            return None
        self.traffic.accepted += 1
        port = getattr(address, "port", None)
        bare = host if port is None else f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        return Session(self.connect(), self, host, bare)
