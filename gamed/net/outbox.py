"""What is sent to a peer: it gathers events, sends them together, detects a peer that does not read, and half closes.

Source: docs/topics/design.md#back-pressure.
"""

from __future__ import annotations

import socket
from typing import Any, Final, Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IPushProducer, IReactorTime
from zope.interface import implementer

from gamed.core.stats import Traffic
from gamed.net.sockets import acknowledge

LINGER: Final = 5.0
"""Seconds that a peer has to close its side after we have closed ours."""


class Sender(Protocol):
    """The owner of an outbox."""

    def congested(self) -> None:
        """Take note that the peer reads too slowly."""

    def relieved(self) -> None:
        """Take note that the peer reads again."""

    def overrun(self, unsent: int) -> None:
        """Take note that more bytes wait for the peer than the limit allows; the connection is about to be dropped."""


@implementer(IPushProducer)
@define(eq=False, weakref_slot=False)
class Outbox:
    """The sending side of a connection.

    Events of one reactor turn are gathered in `outgoing`, and `flush` sends them with one system call, past the
    transport. The transport gets only what the kernel does not take. The outbox is then registered as its producer, so
    that the transport calls `pauseProducing` and `resumeProducing` when the peer reads too slowly, and again.

    With TLS all bytes must pass through the transport, and the outbox is its producer from the beginning.
    """

    sender: Sender | None
    """None once the connection is lost, so that the two are not part of a reference cycle."""

    transport: Any
    """None once the connection is lost."""

    handle: socket.socket | None
    """The socket; None with TLS, and where the transport has none."""

    clock: IReactorTime
    traffic: Traffic
    most: int
    """How many bytes may wait for a peer that does not read."""

    outgoing: bytes = b""
    """What the next `flush` sends."""

    is_answered: bool = False
    """Whether what was read of the peer needs no acknowledgement of its own.

    Something was sent since, or will be before the peer sends more, and that packet carries the acknowledgement.
    """

    _unsent: int | None = None
    """Bytes that were given to the transport because the peer reads too slowly; None: it does not."""

    _abort: IDelayedCall | None = field(default=None, init=False)
    """The timer that drops the connection if the peer does not close its side; None until our side is closed."""

    def __attrs_post_init__(self) -> None:
        if self.handle is None:
            self.transport.registerProducer(self, streaming=True)

    @property
    def is_congested(self) -> bool:
        """Whether the peer reads too slowly."""
        return self._unsent is not None

    @property
    def is_closed(self) -> bool:
        """Whether our side is closed."""
        return self._abort is not None

    def flush(self) -> None:
        """Send what the kernel takes, and leave the rest to the transport.

        `transport.write` would send everything in a later turn of the reactor, which costs that turn and two more
        system calls a line.
        """
        self.is_answered = True
        data, self.outgoing = self.outgoing, b""
        if not data or self.transport is None:
            return
        self.traffic.sent += len(data)
        if self.handle is not None and self._unsent is None:
            try:
                sent = self.handle.send(data)
            except OSError:
                # The transport's own attempt fails in the same way, and it handles the error.
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
            # A pull producer: its `resumeProducing` is called when the transport's buffer is empty, which means here
            # that the peer reads again.
            self.transport.registerProducer(self, streaming=False)
            self.pauseProducing()
        self._leave_to_transport(data)

    def acknowledge(self) -> None:
        """Acknowledge what was read, if nothing was sent since."""
        if not self.is_answered and self.handle is not None:
            acknowledge(self.handle)

    def _leave_to_transport(self, data: bytes) -> None:
        if self._unsent is not None:
            self._unsent += len(data)
            if self._unsent > self.most and self.sender is not None:
                self.sender.overrun(self._unsent)
                self.transport.abortConnection()
                return
        self.transport.write(data)

    def close(self, last: bytes) -> None:
        """Half close after the last bytes. The connection ends when the peer closes its side, or after `LINGER`.

        If we closed both sides while input of the peer is unread, the kernel would reset the connection, and the reset
        can overtake the last line.
        """
        self.outgoing += last
        self.flush()
        self.transport.resumeProducing()
        self.transport.unregisterProducer()
        if self.handle is None:
            self.transport.loseConnection()
        else:
            self.transport.loseWriteConnection()
        self._abort = self.clock.callLater(LINGER, self.transport.abortConnection)

    def lost(self) -> None:
        """Forget the transport: nothing is sent any longer."""
        self.sender = self.transport = self.handle = None
        if self._abort is not None and self._abort.active():
            self._abort.cancel()

    # IPushProducer: called by the transport when the peer reads too slowly, or reads again

    def pauseProducing(self) -> None:
        """Take note that the peer does not read."""
        self._unsent = self._unsent or 0
        if self.sender is not None:
            self.sender.congested()

    def resumeProducing(self) -> None:
        """Take note that the peer reads again."""
        if not self.is_congested:
            return
        self._unsent = None
        if self.handle is not None:
            self.transport.unregisterProducer()
        if self.sender is not None:
            self.sender.relieved()

    def stopProducing(self) -> None:
        """Do nothing: the transport calls this when the connection is lost."""
