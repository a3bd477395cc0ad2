"""Connections on which browsers read event streams (server-sent events).

Source: the WHATWG's "Server-sent events". A `Line` is such a connection; an `EventReader` is one stream on it. A line
may have several streams: a browser opens only six connections to a host, and all its windows share one.

A line writes directly to the socket, as a `Session` does. Twisted's transport would send in a later reactor turn, which
costs that turn and two more system calls an event. Only what the socket does not accept at once goes to the transport.
Then the line is congested: its readers get nothing until the transport has sent everything, and afterwards one event
with all they have missed. TLS connections have no socket for plain bytes, and always write to the transport.
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
"""The beginning of a stream: after a lost connection, the browser waits 1,000 ms before it reconnects."""

PING_SECONDS: Final = 5.0
"""Seconds between two pings. The pages' script (hub.js) reconnects if it gets nothing for 12 seconds."""

PING: Final = b"event: ping\ndata: {}\n\n"

STUCK: Final = 20.0
"""Seconds after which a congested line is aborted: its browser does not read."""

SILENT: Final = 12.0
"""Seconds without a TCP acknowledgement after which a line is aborted; a little more than two pings."""

BUFFERED: Final = 131_072
"""The size of the kernel's send buffer. With a small one, slow readers are noticed sooner and use less memory."""

_TCP_INFO: Final = getattr(socket, "TCP_INFO", None)

_LAST_ACK: Final = 56
"""The offset of tcpi_last_ack_recv in `struct tcp_info`: the milliseconds since the last acknowledgement."""


@define(eq=False)
class EventReader:
    """One stream on a line; a `Reader` (gamed/web/feed.py)."""

    stream: Stream
    line: Line

    number: tuple[str, int] | None
    """The id of the last event that the browser has: the stream's generation and a number."""

    prefix: bytes
    """Sent before each piece of the stream: on a line of several streams, it names the stream."""

    @property
    def is_congested(self) -> bool:
        """Whether the line cannot send at the moment."""
        return self.line.is_congested

    def send(self, data: bytes) -> None:
        """Send events of the stream."""
        self.line.send(self.prefix + data)

    def end(self) -> None:
        """End the stream."""
        self.line.ended(self)


@implementer(IPullProducer)
@define(eq=False)
class Line:
    """A connection on which one or more streams are read."""

    lines: Lines

    is_shared: bool
    """Whether several streams may be read here. Such a connection stays open when its streams have ended."""

    readers: list[EventReader] = field(factory=list)

    is_congested: bool = False
    """Whether the transport still has bytes to send; until it has sent them, nothing else is sent."""

    congested_since: float = 0.0

    _transport: Any = field(init=False)

    _wire: socket.socket | None = None
    """The TCP socket, also of a TLS connection; None if the transport is not TCP."""

    _socket: socket.socket | None = None
    """The same socket if events can be written to it directly, without TLS."""

    _is_chunked: bool = False
    """Whether the answer has HTTP's chunked encoding."""

    def open(self, request: Any) -> None:
        """Begin the answer to a request."""
        request.setHeader(b"content-type", b"text/event-stream; charset=utf-8")
        # nginx would buffer the stream.
        request.setHeader(b"x-accel-buffering", b"no")
        request.notifyFinish().addBoth(self._lost)
        self._transport = transport = request.channel.transport
        # The HTTP channel is registered as a producer; a line pauses and resumes by itself.
        transport.unregisterProducer()
        if ITCPTransport.providedBy(transport):
            # A TLS transport passes `socket` on from the TCP transport below it, although no interface declares it.
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
            # Twisted writes the headers to the transport. Nothing may overtake them on the socket.
            self._congest()
        request.write(FIRST)
        self._is_chunked = bool(request.chunked)

    def read(self, stream: Stream, number: tuple[str, int] | None, prefix: bytes = b"") -> None:
        """Read a stream from now on. `number` is the id of the last event that the browser has."""
        reader = EventReader(stream, self, number, prefix)
        self.readers.append(reader)
        stream.join(reader)

    def send(self, data: bytes) -> None:
        """Send bytes. If the socket does not accept all of them, the line is congested until they are sent."""
        if self._is_chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        if self._socket is not None and not self.is_congested:
            try:
                sent = self._socket.send(data)
            except OSError:
                # The transport will get the same error, and handles it.
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
            self._congest()
        self._transport.write(data)

    def _congest(self) -> None:
        # The transport calls a pull producer's `resumeProducing` when its buffer is empty.
        self._transport.registerProducer(self, streaming=False)
        self.pauseProducing()

    def ended(self, reader: EventReader) -> None:
        """Remove a reader whose stream has ended. A line that is not shared ends with it."""
        self.readers.remove(reader)
        if self.is_shared:
            return
        if self._is_chunked:
            self._transport.write(b"0\r\n\r\n")
        self._transport.unregisterProducer()
        self._transport.loseConnection()

    def beat(self, now: float) -> None:
        """Send a ping. Abort the connection if its browser does not read, or cannot be reached."""
        if self._silence() > SILENT or (self.is_congested and now - self.congested_since > STUCK):
            self._transport.abortConnection()
        elif not self.is_congested:
            self.send(PING)

    def _silence(self) -> float:
        """Return the seconds since the peer's kernel last acknowledged something.

        When a network silently drops all packets, nothing resets the connection. A peer that does not read still
        acknowledges; that case is covered by `STUCK`.
        """
        if self._wire is None or _TCP_INFO is None:
            return 0.0
        try:
            info = self._wire.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _LAST_ACK + 4)
        except OSError:
            return 0.0
        return int.from_bytes(info[_LAST_ACK:], sys.byteorder) / 1_000

    # Flow control, called by the transport

    def pauseProducing(self) -> None:
        """Stop sending: the transport's buffer is not empty."""
        if not self.is_congested:
            self.is_congested, self.congested_since = True, self.lines.clock.seconds()

    def resumeProducing(self) -> None:
        """Send again, beginning with what the readers have missed."""
        if not self.is_congested:
            return
        self.is_congested = False
        if self._socket is not None:
            self._transport.unregisterProducer()
        for reader in self.readers:
            reader.stream.catch_up(reader)

    def stopProducing(self) -> None:
        """Do nothing: `_lost` is called when the connection is lost."""

    def _lost(self, _result: object) -> None:
        self.lines.forget(self)
        readers, self.readers = self.readers, []
        for reader in readers:
            reader.stream.leave(reader)


@define(eq=False)
class Lines:
    """All lines, and the timer that pings them."""

    clock: IReactorTime

    work: TurnCooperator
    """Sends the pings, in slices."""

    _lines: dict[Line, None] = field(factory=dict)
    """A dict for its order."""

    _beat: IDelayedCall | None = None

    def open(self, request: Any, *, is_shared: bool = False) -> Line:
        """Answer a request with a new line, and return it."""
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
        """Stop pinging."""
        if self._beat is not None:
            self._beat.cancel()
            self._beat = None


def last_event(text: str | None) -> tuple[str, int] | None:
    """Return the generation and the number of a Last-Event-ID, None if it is not an id of ours."""
    generation, dash, number = (text or "").partition("-")
    if not dash or not number.isascii() or not number.isdigit() or len(number) > 15:  # noqa: PLR2004 (longer than any)
        return None
    return generation, int(number)
