"""A TCP transport in memory over one end of a real socketpair: no network; the system takes what a test lets it."""

from __future__ import annotations

import socket
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IPullProducer, ITCPTransport
from twisted.internet.testing import StringTransport
from zope.interface import implementer


class Handle(socket.socket):
    """One end of a socketpair. `takes`: how many bytes a send takes (None: all); `error`: what it raises instead."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptor)
        self.takes: int | None = None
        self.error: OSError | None = None
        self.options: list[tuple[int, ...]] = []
        self.sends: list[bytes] = []

    def send(self, data: bytes, flags: int = 0) -> int:  # type: ignore[override]
        self.sends.append(data)
        if self.error is not None:
            raise self.error
        return super().send(data[: self.takes], flags)

    def setsockopt(self, *args: int) -> None:  # type: ignore[override]
        self.options.append(args)


@implementer(ITCPTransport)
class TCPTransport(StringTransport):  # type: ignore[misc]
    """Does what Twisted's TCP transport does, as far as a session can tell.

    `value()` is what was left to the transport to send; `drain` sends it.
    """

    def __init__(self, handle: Handle, peer: Any = None) -> None:
        super().__init__(peerAddress=peer or IPv4Address("TCP", "10.0.0.1", 4711))
        self.handle = handle
        self.asked: list[tuple[str, bool]] = []
        self.is_half_closed = False

    def getHandle(self) -> Handle:
        return self.handle

    def setTcpNoDelay(self, enabled: bool) -> None:
        self.asked.append(("nodelay", enabled))

    def setTcpKeepAlive(self, enabled: bool) -> None:
        self.asked.append(("keepalive", enabled))

    def registerProducer(self, producer: IPullProducer, streaming: bool) -> None:
        super().registerProducer(producer, streaming)
        if not streaming:
            producer.resumeProducing()

    def unregisterProducer(self) -> None:
        self.producer = None

    def pauseProducing(self) -> None:
        self.producerState = "paused"

    def resumeProducing(self) -> None:
        self.producerState = "producing"

    def write(self, data: bytes) -> None:
        if not self.is_half_closed:
            super().write(data)

    def loseWriteConnection(self) -> None:
        self.is_half_closed = True

    def drain(self) -> bytes:
        """Let all leave that waits here, ask the producer for more, and return what has left."""
        data: bytes = self.value()
        self.clear()
        if self.producer is not None:
            self.producer.resumeProducing()
        return data
