"""New connections are accepted by `AcceptThrottle`, which limits their share of a reactor turn.

It reads what they send first, too. A peer that has sent a whole message is read by the reactor itself from then on, as
all who play are, until it is not heard any longer. So ten thousand peers that connect at once, send half a word, or
leave, cost the players no more than that share, and nor do those that go on sending when they were refused. Source: docs/topics/design.md#floods.
"""

from __future__ import annotations

import select
from typing import Any

from twisted.internet.interfaces import IReactorFDSet, IReadDescriptor
from twisted.internet.tcp import Connection, Port
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.fairness import ACCEPT_DESCRIPTORS, ACCEPT_SLICE, TurnBudget
from gamed.net.twisted_private import PolledReader, accept_with


@implementer(IReactorFDSet, IReadDescriptor)
class AcceptThrottle(PolledReader):
    """A set of descriptors within the reactor's. To them it is their reactor: what is not about reading it hands on."""

    def __init__(self, reactor: Any, budget: TurnBudget) -> None:
        self._reactor = reactor
        self._budget = budget
        self._poller = select.epoll()
        self._reads: dict[int, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def keep(self, port: Port) -> None:
        """Accept and read the connections of a port here; accept one connection at a time."""
        accept_with(port, self)

    def let_in(self, connection: Connection) -> None:
        """Have the reactor read a connection from now on, if it was read here."""
        if getattr(connection, "reactor", None) is not self:
            return
        is_reading = connection.fileno() in self._reads
        if is_reading:
            connection.stopReading()
        connection.reactor = self._reactor
        if is_reading:
            connection.startReading()

    def put_out(self, connection: Connection) -> None:
        """Read a connection here again, if the reactor read it: what comes is thrown away, and costs the players this.

        The peer is read until it ends: if any of it were unread, the system would reset the connection, and the reset
        could overtake the last line.
        """
        if getattr(connection, "reactor", None) is not self._reactor:
            return
        connection.stopReading()
        connection.reactor = self
        connection.resumeProducing()

    # IReactorFDSet

    def addReader(self, reader: Any) -> None:
        """Read of a descriptor when there is time."""
        fd = reader.fileno()
        if fd in self._reads:
            return
        self._poller.register(fd, self._POLL_IN)
        if not self._reads:
            self._reactor.addReader(self)
        self._reads[fd] = reader

    def removeReader(self, reader: Any) -> None:
        """Do not."""
        fd = reader.fileno()
        if self._reads.get(fd) is not reader:
            return
        del self._reads[fd]
        self._poller.unregister(fd)
        if not self._reads:
            self._reactor.removeReader(self)

    # IReadDescriptor

    def fileno(self) -> int:
        """Return the number of the set."""
        return self._poller.fileno()

    def doRead(self) -> None:
        """See to those who are ready, while the slice lasts: once to each, as a reactor does in a turn."""
        seconds, seen = self._reactor.seconds, set[int]()
        until = self._budget.until(ACCEPT_SLICE)
        while ready := self._poller.poll(0, ACCEPT_DESCRIPTORS):
            for fd, event in ready:
                if fd in seen:
                    return
                seen.add(fd)
                reader = self._reads.get(fd)
                if reader is not None:
                    self.read(reader, fd, event)
            if seconds() >= until:
                return

    def connectionLost(self, reason: Failure) -> None:
        """Nothing to do: there is no connection."""

    def logPrefix(self) -> str:
        """Return the log's name for the set."""
        return "accept throttle"


def accept_throttle_of(reactor: Any, budget: TurnBudget) -> AcceptThrottle | None:
    """Return one, or None where the system has no epoll: a set that can be looked at like a descriptor."""
    return AcceptThrottle(reactor, budget) if hasattr(select, "epoll") else None
