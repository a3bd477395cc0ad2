"""Who reads a stream: a request that is answered bit by bit, as server-sent events.

Source: issue 8; the WHATWG's "Server-sent events". As a `Session` does, it writes to a bare socket itself, because a
transport would send in a later turn of the reactor, at the price of that turn and of two more system calls an event;
the transport takes what the system does not.
"""

# ruff: noqa: N802 (where a Twisted interface is implemented, its names stand)

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any, Final

from attrs import define, field
from twisted.internet.interfaces import IPullProducer, IReactorTime, ISSLTransport, ITCPTransport
from zope.interface import implementer

from gamed.web.feed import Stream

FIRST: Final = b"retry: 1000\n\n"
"""What a stream begins with: how many milliseconds a browser waits before it comes again."""

UNANSWERED: Final = 30_000
"""Milliseconds after which the system gives a connection up whose other end does not answer at all."""

BUFFERED: Final = 131_072
"""Bytes that the system holds for one reader: who does not read is noticed sooner, and costs less."""

_USER_TIMEOUT: Final = getattr(socket, "TCP_USER_TIMEOUT", None)


@implementer(IPullProducer)
@define(eq=False)
class EventReader:
    """A `Reader` (gamed/web/feed.py) on a request."""

    stream: Stream
    clock: IReactorTime
    number: tuple[str, int] | None
    is_congested: bool = False
    congested_since: float = 0.0
    _transport: Any = field(init=False)
    _socket: socket.socket | None = None
    _is_chunked: bool = False

    def open(self, request: Any) -> None:
        """Begin the answer, and read the stream from then on."""
        request.setHeader(b"content-type", b"text/event-stream; charset=utf-8")
        request.setHeader(b"x-accel-buffering", b"no")
        request.notifyFinish().addBoth(self._lost)
        self._transport = transport = request.channel.transport
        transport.unregisterProducer()
        if ITCPTransport.providedBy(transport):
            transport.setTcpKeepAlive(True)
            if not ISSLTransport.providedBy(transport):
                self._socket = self._transport.getHandle()
        if self._socket is None:
            transport.registerProducer(self, streaming=True)
            request.write(FIRST)
        else:
            with suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFERED)
                if _USER_TIMEOUT is not None:
                    self._socket.setsockopt(socket.IPPROTO_TCP, _USER_TIMEOUT, UNANSWERED)
            # The headers leave by the transport; until they have, so does all else.
            self._fill()
            request.write(FIRST)
        self._is_chunked = bool(request.chunked)
        self.stream.join(self)

    # Reader

    def send(self, data: bytes) -> None:
        """Send bytes of the stream."""
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

    def end(self) -> None:
        """End the answer."""
        if self._is_chunked:
            self._transport.write(b"0\r\n\r\n")
        self._transport.unregisterProducer()
        self._transport.loseConnection()

    def drop(self) -> None:
        """Cut the connection."""
        self._transport.abortConnection()

    # The transport's word that the peer reads too slowly, or reads again

    def pauseProducing(self) -> None:
        """Send nothing for a while."""
        if not self.is_congested:
            self.is_congested, self.congested_since = True, self.clock.seconds()

    def resumeProducing(self) -> None:
        """Send again, first of all what was missed."""
        if not self.is_congested:
            return
        self.is_congested = False
        if self._socket is not None:
            self._transport.unregisterProducer()
        self.stream.catch_up(self)

    def stopProducing(self) -> None:
        """Nothing to stop: the request says when its connection is lost."""

    def _lost(self, _result: object) -> None:
        self.stream.leave(self)


def last_event(text: str | None) -> tuple[str, int] | None:
    """Return the event that a Last-Event-ID names, None if it names none."""
    generation, dash, number = (text or "").partition("-")
    if not dash or not number.isascii() or not number.isdigit() or len(number) > 15:  # noqa: PLR2004 (no stream has more)
        return None
    return generation, int(number)
