"""Makes the sessions of a listener, holds them in an outage, and looks for messages that do not end.

Source: docs/topics/design.md#the-life-of-a-move-a-relayed-shot, docs/topics/design.md#floods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import Factory, define, field
from twisted.internet.interfaces import IAddress, IDelayedCall, ILoggingContext, IProtocolFactory, IReactorTime
from zope.interface import implementer

from gamed.core.errors import RemoteProtocolError
from gamed.core.reception import Reception
from gamed.core.stats import Stats, Traffic
from gamed.lobby.refusals import RefusalLog
from gamed.net.accept_throttle import AcceptThrottle
from gamed.net.addresses import address_text, host_of, port_of
from gamed.net.begun import UNFINISHED
from gamed.net.fair_queue import FairQueue
from gamed.net.limits import ConnectionLimits
from gamed.net.session import Session
from gamed.net.stall_clock import StallClock
from gamed.wire import Connection

LOOKED_AT_ONCE: Final = 200
"""Sessions of which one turn of the reactor looks for messages that have not ended."""


def _own_refusals(factory: SessionFactory) -> RefusalLog:
    return RefusalLog(factory.clock, Stats(), lambda _text: False)


@implementer(IProtocolFactory, ILoggingContext)
@define(eq=False)
class SessionFactory:
    """Makes a session for each transport that the limits admit."""

    limits: ConnectionLimits
    clock: IReactorTime
    unsent_bytes: int = field(kw_only=True)
    """How many bytes may wait for a peer that does not read. With more it is disconnected."""

    messages_per_second: float = field(default=0.0, kw_only=True)
    """How many rated messages of a peer are served in a second; more have to wait. 0: no limit."""

    message_seconds: float = field(default=0.0, kw_only=True)
    """How long a message may take from its beginning to its end. 0: no limit."""

    connect: Callable[[], Connection] | None = field(default=None, init=False)
    """Makes a dialect's connection; None: the game could not be loaded. It is set with the reception, see
    `GameListener`, before the first peer is let in."""

    reception: Reception = field(init=False)

    sessions: dict[Session, None] = field(factory=dict)
    """The sessions whose seats have not been emptied, in the order in which they connected."""

    traffic: Traffic = field(factory=Traffic)
    is_held: bool = False
    """Whether nothing is read and served, as in an outage of the disk."""

    accept_throttle: AcceptThrottle | None = None
    """What accepts and first reads the connections; None: the reactor does."""

    passes: StallClock | None = None
    """Counts the passes of the reactor. None: nothing does, and input counts as arrived when it is read."""

    fair_queue: FairQueue = field(default=Factory(lambda self: FairQueue(self.clock), takes_self=True))
    """Serves what exceeds a session's share. All listeners of a daemon have the same queue."""

    refusals: RefusalLog = field(default=Factory(_own_refusals, takes_self=True))
    """Keeps, for developers, the messages that had no effect."""

    _sweep: IDelayedCall | None = None
    """The next look for messages that do not end."""

    def hold(self, is_held: bool) -> None:  # noqa: FBT001 (what it is set to)
        """Stop reading and serving, or go on; see gamed/lobby/outage.py."""
        self.is_held = is_held
        self.fair_queue.hold(is_held)
        for session in list(self.sessions):
            session.hold()

    def logPrefix(self) -> str:
        """Return the listener's name, for logs."""
        return self.limits.listener

    def doStart(self) -> None:
        """Start to look for messages that do not end."""
        self._sweep = self.clock.callLater(self._interval, self._look, [])

    @property
    def _interval(self) -> float:
        return min(self.message_seconds or UNFINISHED, UNFINISHED) / 4

    def _look(self, left: list[Session]) -> None:
        """Look at some of the sessions that are `left` of this round; if none are, begin another round."""
        left = left or list(self.sessions)
        now = self.clock.seconds()
        for session in left[-LOOKED_AT_ONCE:]:
            session.look(now)
            if self._is_too_slow(session, now):
                text = f"a message was begun {self.message_seconds:g} seconds ago, and has not ended"
                session.refuse(
                    RemoteProtocolError(
                        text, code="message-too-slow", hint=session.connection.ending, text=session.unfinished
                    )
                )
        del left[-LOOKED_AT_ONCE:]
        self._sweep = self.clock.callLater(0 if left else self._interval, self._look, left)

    def _is_too_slow(self, session: Session, now: float) -> bool:
        """Return whether a message has not ended in its time, and its end is not in the socket, unread."""
        if not self.message_seconds or session.begun is None or session.begun.since is None:
            return False
        late = now - session.begun.since - self.message_seconds
        return late >= 0 and not session.has_unread((now if self.passes is None else self.passes.seconds()) - late)

    def doStop(self) -> None:
        """Stop looking."""
        if self._sweep is not None and self._sweep.active():
            self._sweep.cancel()

    def buildProtocol(self, address: IAddress, make: Callable[..., Session] = Session) -> Session | None:
        """Return a session. None closes the connection: the limits refuse it, or the game could not be loaded."""
        host = host_of(address)
        if self.connect is None:
            return None
        if not self.limits.admit(host):
            self.traffic.refused[self.limits.why] += 1
            return None
        self.traffic.accepted += 1
        return make(self.connect(), self, host, address_text(host, port_of(address)))
