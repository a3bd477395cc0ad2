"""New connections are accepted by `AcceptThrottle`, which limits their share of a reactor turn.

Twisted's reactor serves all ready descriptors in each turn, so a thousand new connections would make one long turn. The
throttle is an epoll set of its own, and the reactor has only that set as one descriptor: an epoll descriptor is itself
readable while one of its members is. When the reactor reads it, the throttle polls its members and serves them for
`ACCEPT_SLICE`; those that are left are still ready in the next turn.

A new connection stays in the set until it has sent a complete message. Then `let_in` moves it to the reactor, with the
players. A peer that is muted moves back (`put_out`). So ten thousand peers that connect at once, send half a word,
disconnect, or go on sending after they were refused, take no more of a turn than that slice.

Source: docs/topics/design.md#floods.
"""

from __future__ import annotations

import select
from typing import Any

from twisted.internet.interfaces import IReactorFDSet, IReadDescriptor
from twisted.internet.tcp import Connection, Port
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.net.twisted_private import PolledReader, accept_with
from gamed.process.fairness import ACCEPT_DESCRIPTORS, ACCEPT_SLICE, TurnBudget


@implementer(IReactorFDSet, IReadDescriptor)
class AcceptThrottle(PolledReader):
    """A set of descriptors, and their reactor: it reads them itself, and delegates everything else to the real one."""

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
        """Read a connection here again, if the reactor reads it: its input is discarded, within the throttle's slice.

        It is read to its end. Otherwise the kernel would reset the connection when it is closed, and the reset could
        overtake the last line to the peer.
        """
        if getattr(connection, "reactor", None) is not self._reactor:
            return
        connection.stopReading()
        connection.reactor = self
        connection.resumeProducing()

    # IReactorFDSet

    def addReader(self, reader: Any) -> None:
        """Read a descriptor from now on."""
        fd = reader.fileno()
        if fd in self._reads:
            return
        self._poller.register(fd, self._POLL_IN)
        if not self._reads:
            self._reactor.addReader(self)
        self._reads[fd] = reader

    def removeReader(self, reader: Any) -> None:
        """Read it no longer."""
        fd = reader.fileno()
        if self._reads.get(fd) is not reader:
            return
        del self._reads[fd]
        self._poller.unregister(fd)
        if not self._reads:
            self._reactor.removeReader(self)

    # IReadDescriptor

    def fileno(self) -> int:
        """Return the set's own descriptor."""
        return self._poller.fileno()

    def doRead(self) -> None:
        """Read those that are ready until the slice is over, and each once at most, as a reactor does in a turn."""
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
        """Do nothing: the set is not a connection."""

    def logPrefix(self) -> str:
        """Return the name of the set in logs."""
        return "accept throttle"


def accept_throttle_of(reactor: Any, budget: TurnBudget) -> AcceptThrottle | None:
    """Return a throttle, or None where the system has no epoll, whose sets can be polled like a descriptor."""
    return AcceptThrottle(reactor, budget) if hasattr(select, "epoll") else None
