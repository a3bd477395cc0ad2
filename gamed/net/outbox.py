"""What is on its way to a peer: events that leave together, what the system has not taken, and the end of it all.

Source: docs/topics/design.md#back-pressure, docs/reference/battleship.md#ends (the last line before a close).
"""

from __future__ import annotations

import socket
from typing import Any, Final, Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IPushProducer, IReactorTime
from zope.interface import implementer

from gamed.core.stats import Traffic

LINGER: Final = 5.0
"""Seconds that a peer has to close its side after we have closed ours."""


class Sender(Protocol):
    """Whose outbox it is."""

    def congested(self) -> None:
        """Take note that the peer reads too slowly."""

    def relieved(self) -> None:
        """Take note that it reads again."""

    def overrun(self, unsent: int) -> None:
        """Take note that so many bytes wait for the peer, more than may."""


@implementer(IPushProducer)
@define(eq=False, weakref_slot=False)
class Outbox:
    """The way to a peer. It is the transport's producer: so the transport says when the peer reads too slowly."""

    sender: Sender | None
    """None once the connection is lost: the two must not be part of a reference cycle then."""

    transport: Any
    """None once the connection is lost."""

    handle: socket.socket | None
    """What bytes are sent through: None with TLS, and where there is none."""

    clock: IReactorTime
    traffic: Traffic
    most: int
    """Bytes that may wait for a peer that does not read."""

    outgoing: bytes = b""
    """What leaves at the next `flush`."""

    is_congested: bool = False
    """Whether the peer reads too slowly."""

    _unsent: int = 0
    """Bytes that were left to the transport since then."""

    _abort: IDelayedCall | None = field(default=None, init=False)
    """What closes the connection if the peer does not; None until our side is closed."""

    def __attrs_post_init__(self) -> None:
        if self.handle is None:
            self.transport.registerProducer(self, streaming=True)

    @property
    def is_closed(self) -> bool:
        """Whether our side is closed."""
        return self._abort is not None

    def flush(self) -> None:
        """Send the events: at once what the system takes; the rest waits in the transport.

        The transport alone would send all in a later turn of the reactor, at the price of that turn and of two more
        system calls a line.
        """
        data, self.outgoing = self.outgoing, b""
        if not data or self.transport is None:
            return
        self.traffic.sent += len(data)
        if self.handle is not None and not self.is_congested:
            try:
                sent = self.handle.send(data)
            except OSError:
                # The transport meets the same error and knows what to do about it.
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
            # A pull producer is asked for more when all has left, which is what there is to know.
            self.transport.registerProducer(self, streaming=False)
            self.pauseProducing()
        self._leave_to_transport(data)

    def _leave_to_transport(self, data: bytes) -> None:
        if self.is_congested:
            self._unsent += len(data)
            if self._unsent > self.most and self.sender is not None:
                self.sender.overrun(self._unsent)
                self.transport.abortConnection()
                return
        self.transport.write(data)

    def close(self, last: bytes) -> None:
        """Close our side after the last bytes, and all when the peer has closed its own, or has had its time.

        Closing both at once would make the system reset the connection if anything of the peer's was still unread, and
        a reset can overtake the last line.
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

    # IPushProducer: the transport's word that the peer reads too slowly, or reads again

    def pauseProducing(self) -> None:
        """Take note that the peer does not read."""
        self.is_congested = True
        if self.sender is not None:
            self.sender.congested()

    def resumeProducing(self) -> None:
        """Take note that it reads again."""
        if not self.is_congested:
            return
        self.is_congested = False
        self._unsent = 0
        if self.handle is not None:
            self.transport.unregisterProducer()
        if self.sender is not None:
            self.sender.relieved()

    def stopProducing(self) -> None:
        """Nothing to stop: the transport says this when the connection is lost."""
