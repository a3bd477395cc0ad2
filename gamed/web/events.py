"""Who reads streams: requests that are answered bit by bit, as server-sent events.

Source: the WHATWG's "Server-sent events". A `Line` is a connection on which events are read; an `EventReader` is one
stream of it. A line may have several streams: a browser has few connections to a host, and all its windows share one.
As a `Session` does, a line writes to a bare socket itself, because a transport would send in a later turn of the
reactor, at the price of that turn and of two more system calls an event; the transport takes what the system does not.
"""

# ruff: noqa: N802 (where a Twisted interface is implemented, its names stand)

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IPullProducer, IReactorTime, ISSLTransport, ITCPTransport
from zope.interface import implementer

from gamed.web.feed import Stream
from gamed.web.turn_cooperator import TurnCooperator

FIRST: Final = b"retry: 1000\n\n"
"""What a stream begins with: how many milliseconds a browser waits before it comes again."""

PING_SECONDS: Final = 5.0
"""Seconds between two pings. A browser that gets nothing for more than two of them gives the connection up."""

PING: Final = b"event: ping\ndata: {}\n\n"

STUCK: Final = 20.0
"""Seconds that a reader may leave unread what was sent to it."""

SILENT: Final = 12.0
"""Seconds without an acknowledgement after which a connection counts as lost: two pings and a little more."""

BUFFERED: Final = 131_072
"""Bytes that the system holds for one reader: who does not read is noticed sooner, and costs less."""

_TCP_INFO: Final = getattr(socket, "TCP_INFO", None)

_LAST_ACK: Final = 56
"""Where `struct tcp_info` has the milliseconds since the last acknowledgement (tcpi_last_ack_recv)."""


@define(eq=False)
class EventReader:
    """A `Reader` (gamed/web/feed.py): one stream of a line."""

    stream: Stream
    line: Line
    number: tuple[str, int] | None
    # What is sent before each piece of the stream; it says which stream of the line that is.
    prefix: bytes

    @property
    def is_congested(self) -> bool:
        """Whether the line takes nothing just now."""
        return self.line.is_congested

    def send(self, data: bytes) -> None:
        """Send bytes of the stream."""
        self.line.send(self.prefix + data)

    def end(self) -> None:
        """End the stream after what was sent."""
        self.line.ended(self)


@implementer(IPullProducer)
@define(eq=False)
class Line:
    """A connection on which events are read."""

    lines: Lines
    # Whether more streams than one may be read here: the connection then stays when they have ended.
    is_shared: bool
    readers: list[EventReader] = field(factory=list)
    is_congested: bool = False
    congested_since: float = 0.0
    _transport: Any = field(init=False)
    # The socket of the connection, also where TLS is in between.
    _wire: socket.socket | None = None
    # The same, if events can be written to it as they are.
    _socket: socket.socket | None = None
    _is_chunked: bool = False

    def open(self, request: Any) -> None:
        """Begin the answer."""
        request.setHeader(b"content-type", b"text/event-stream; charset=utf-8")
        request.setHeader(b"x-accel-buffering", b"no")
        request.notifyFinish().addBoth(self._lost)
        self._transport = transport = request.channel.transport
        transport.unregisterProducer()
        if ITCPTransport.providedBy(transport):
            # A TLS transport has this of the TCP transport below it; the interface does not name it.
            wire: socket.socket = self._transport.socket
            transport.setTcpKeepAlive(True)
            with suppress(OSError):
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFERED)
            self._wire = wire
            if not ISSLTransport.providedBy(transport):
                self._socket = wire
        if self._socket is None:
            transport.registerProducer(self, streaming=True)
        else:
            # The headers leave by the transport; until they have, so does all else.
            self._fill()
        request.write(FIRST)
        self._is_chunked = bool(request.chunked)

    def read(self, stream: Stream, number: tuple[str, int] | None, prefix: bytes = b"") -> None:
        """Read a stream from now on. `number`: the last event of it that the browser has."""
        reader = EventReader(stream, self, number, prefix)
        self.readers.append(reader)
        stream.join(reader)

    def send(self, data: bytes) -> None:
        """Send bytes; `is_congested` is set until they have left."""
        if self._is_chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        if self._socket is not None and not self.is_congested:
            try:
                sent = self._socket.send(data)
            except OSError:
                # The transport meets the same error and knows what to do about it.
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
            self._fill()
        self._transport.write(data)

    def _fill(self) -> None:
        # A pull producer is asked for more when all has left, which is what there is to know.
        self._transport.registerProducer(self, streaming=False)
        self.pauseProducing()

    def ended(self, reader: EventReader) -> None:
        """Take note that a stream has ended."""
        self.readers.remove(reader)
        if self.is_shared:
            return
        if self._is_chunked:
            self._transport.write(b"0\r\n\r\n")
        self._transport.unregisterProducer()
        self._transport.loseConnection()

    def beat(self, now: float) -> None:
        """Show that the connection holds; cut it if its browser does not read, or is out of reach."""
        if self._silence() > SILENT or (self.is_congested and now - self.congested_since > STUCK):
            self._transport.abortConnection()
        elif not self.is_congested:
            self.send(PING)

    def _silence(self) -> float:
        """Return the seconds for which the other end's system has acknowledged nothing.

        A network that swallows everything resets no connection. An end that does not read acknowledges all the same.
        """
        if self._wire is None or _TCP_INFO is None:
            return 0.0
        try:
            info = self._wire.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _LAST_ACK + 4)
        except OSError:
            return 0.0
        return int.from_bytes(info[_LAST_ACK:], sys.byteorder) / 1_000

    # The transport's word that the peer reads too slowly, or reads again

    def pauseProducing(self) -> None:
        """Send nothing for a while."""
        if not self.is_congested:
            self.is_congested, self.congested_since = True, self.lines.clock.seconds()

    def resumeProducing(self) -> None:
        """Send again, first of all what was missed."""
        if not self.is_congested:
            return
        self.is_congested = False
        if self._socket is not None:
            self._transport.unregisterProducer()
        for reader in self.readers:
            reader.stream.catch_up(reader)

    def stopProducing(self) -> None:
        """Nothing to stop: the request says when its connection is lost."""

    def _lost(self, _result: object) -> None:
        self.lines.forget(self)
        readers, self.readers = self.readers, []
        for reader in readers:
            reader.stream.leave(reader)


@define(eq=False)
class Lines:
    """All connections on which events are read, and the clock that keeps them awake."""

    clock: IReactorTime
    work: TurnCooperator
    _lines: dict[Line, None] = field(factory=dict)
    _beat: IDelayedCall | None = None

    def open(self, request: Any, *, is_shared: bool = False) -> Line:
        """Return a new line, which answers a request."""
        line = Line(self, is_shared)
        self._lines[line] = None
        line.open(request)
        if self._beat is None:
            self._beat = self.clock.callLater(PING_SECONDS, self._beat_all)
        return line

    def forget(self, line: Line) -> None:
        """Forget a line whose connection is lost."""
        self._lines.pop(line, None)

    def _beat_all(self) -> None:
        self._beat = None
        if self._lines:
            self.work.add(self._beats())
            self._beat = self.clock.callLater(PING_SECONDS, self._beat_all)

    def _beats(self) -> Iterator[None]:
        now = self.clock.seconds()
        for line in list(self._lines):
            if line in self._lines:
                line.beat(now)
            yield

    def stop(self) -> None:
        """Keep nothing awake any longer."""
        if self._beat is not None:
            self._beat.cancel()
            self._beat = None


def last_event(text: str | None) -> tuple[str, int] | None:
    """Return the event that a Last-Event-ID names, None if it names none."""
    generation, dash, number = (text or "").partition("-")
    if not dash or not number.isascii() or not number.isdigit() or len(number) > 15:  # noqa: PLR2004 (no stream has more)
        return None
    return generation, int(number)
