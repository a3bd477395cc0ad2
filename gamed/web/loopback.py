"""A connection inside the daemon: a client without I/O on one end, a real session on the other.

Source: docs/topics/design.md#a-person-in-the-browser. The session comes from the listener's factory, so limits, bans,
rates, logs and refusals are those of any peer. What one end says is handed to the other in a later turn of the reactor,
so that nothing calls itself, and each end may hold the other back.
"""

# ruff: noqa: N802 (where a Twisted interface is implemented, its names stand)

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, Final, Protocol

from attrs import define, field
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionAborted, ConnectionDone
from twisted.internet.interfaces import IAddress, IDelayedCall, IReactorTime, ITransport
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.core.errors import GamedError
from gamed.core.peer import Party
from gamed.net.factory import SessionFactory
from gamed.net.session import Session
from gamed.registry import PlaysOn
from gamed.web.answers import Refusal

log = Logger()

AT_ONCE: Final = 65_536
"""Bytes that are handed over at a time; more that waits for the client holds the session back."""

MOST_HELD: Final = 65_536
"""Bytes of the client that wait for the session; beyond, the client is told nothing, and may not act."""

_CAUSES: Final = {
    "banned": (403, "connections from your address are refused"),
    "all": (503, "the game's listener has as many connections as it takes"),
    "address": (429, "your address has as many connections as it may"),
    "rate": (429, "your address comes too often"),
}

_serials = count(1)


class Client(Protocol):
    """A person or a player (gamed/registry.py)."""

    def begin(self) -> bytes:
        """Return what is sent first."""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer; empty bytes: the server has closed."""

    @property
    def is_done(self) -> bool:
        """Whether the match is over."""


Call = Callable[..., Deferred[bytes]]
"""Calls something elsewhere, such as in a thread, and fires with its result."""


@implementer(ITransport)
@define(eq=False)
class Loopback:
    """The session's transport, and the client's connection.

    `told`: called after either end has been told something, and after the end. `elsewhere`: where the client thinks,
    if it thinks long; None: here. `leaves`: whether the client closes when its match is over. `error`: why the client
    closed, if the server erred.
    """

    client: Client
    clock: IReactorTime
    on_change: Callable[[], None]
    elsewhere: Call | None = None
    leaves: bool = False
    session: Session = field(init=False)
    is_lost: bool = False
    error: str = ""
    _down: bytearray = field(factory=bytearray)
    _up: bytearray = field(factory=bytearray)
    _producer: Any = None
    _is_full: bool = False
    _is_read: bool = True
    _is_thinking: bool = False
    _is_closing: bool = False
    _is_leaving: bool = False
    _has_left: bool = False
    _turn: IDelayedCall | None = None
    _stay: IDelayedCall | None = None
    """The end of the client's stay after a match."""

    def join(
        self,
        factory: SessionFactory,
        host: str,
        name: str = "",
        party: Party | None = None,
        wanted: str | None = None,
    ) -> None:
        """Connect. `host`: the browser's address; `name`: goes before it in logs. Raises Refusal: the limits say no.

        `party`, `wanted`: as `Peer` has them.
        """
        serial = next(_serials)
        session = factory.buildProtocol(_address(host, serial))
        if session is None:
            status, text = _CAUSES[factory.limits.why]
            raise Refusal(status, factory.limits.why, text)
        self.session = session
        session.party, session.wanted = party, wanted
        session.name = f"web:[{host}]:{serial}" if ":" in host else f"web:{host}:{serial}"
        if name:
            session.introduce(name)
        self._up += self.client.begin()
        session.makeConnection(self)
        self._go_on()

    # What the client's side does

    @property
    def is_busy(self) -> bool:
        """Whether something of the client's waits, or the connection has ended."""
        return self.is_lost or self._is_closing or self._is_leaving or bool(self._up)

    def check(self) -> None:
        """Raise Refusal if nothing can be sent: the connection has ended, or too much waits to be read."""
        if self.is_lost or self._is_closing or self._is_leaving:
            raise Refusal(409, "over", "the connection to the game has ended")
        if len(self._up) > MOST_HELD:
            raise Refusal(429, "too-fast", "too much of yours waits to be read", "try again in a while")

    def send(self, data: bytes) -> None:
        """Send what the client says."""
        self._up += data
        self._go_on()

    def leave(self) -> None:
        """Close from the client's side, after what it has said."""
        self._is_leaving = True
        self._go_on()

    # Handing over

    def _go_on(self) -> None:
        if self._turn is None and not self.is_lost:
            self._turn = self.clock.callLater(0, self._hand_over)

    def _hand_over(self) -> None:
        self._turn = None
        if self._client_takes:
            self._notify_client(self._taken(self._down))
        if self._session_takes:
            self._notify_session(self._taken(self._up))
        if self._is_full and not self._down:
            self._is_full = False
            self._producer.resumeProducing()
        self._end_or_go_on()

    def _end_or_go_on(self) -> None:
        if self.is_lost:
            return
        if self._is_closing and (not self._down or self._is_leaving) and not self._is_thinking:
            if not self._is_leaving:
                self._notify_client(b"")
            self._lose(Failure(ConnectionDone()))
        elif self._is_leaving and not self._up and not self._has_left:
            # As a socket says it when its peer has closed; the session closes its own side then.
            self._has_left = True
            self.session.readConnectionLost()
        elif self._client_takes or self._session_takes:
            self._go_on()

    @property
    def _client_takes(self) -> bool:
        return bool(self._down) and not self._is_leaving and not self._is_thinking and len(self._up) < MOST_HELD

    @property
    def _session_takes(self) -> bool:
        return bool(self._up) and self._is_read and not self._is_closing

    @staticmethod
    def _taken(buffer: bytearray) -> bytes:
        data = bytes(buffer[:AT_ONCE])
        del buffer[:AT_ONCE]
        return data

    def _notify_client(self, data: bytes) -> None:
        if self.elsewhere is not None and data:
            self._is_thinking = True
            answer = self.elsewhere(self.client.receive_data, data)
            answer.addCallbacks(self._answered, self._erred).addBoth(self._thought)
            return
        try:
            answered = self.client.receive_data(data)
        except Exception:  # noqa: BLE001 (a fault in one client costs it its connection, and nobody else anything)
            self._erred(Failure())
        else:
            self._answered(answered)
        self.on_change()

    def _answered(self, answer: bytes) -> None:
        self._up += answer
        if self.leaves:
            self._stay_or_leave()

    def _stay_or_leave(self) -> None:
        """Leave when the match is over, or after the client's stay if no other match has begun by then."""
        if not self.client.is_done:
            self._stay_on()
        elif not isinstance(self.client, PlaysOn) or not self.client.stay:
            self._is_leaving = True
        elif self._stay is None:
            self._stay = self.clock.callLater(self.client.stay, self.leave)

    def _stay_on(self) -> None:
        if self._stay is not None and self._stay.active():
            self._stay.cancel()
        self._stay = None

    def _erred(self, failure: Failure) -> None:
        if not failure.check(GamedError):
            log.failure("server fault: peer={peer}", failure=failure, peer=self.session.name)
        if not self._is_closing:
            log.info("the client gives up: peer={peer}: {error}", peer=self.session.name, error=failure.value)
            self.error = str(failure.value)
        self._is_leaving = True

    def _thought(self, _result: object) -> None:
        self._is_thinking = False
        self.on_change()
        self._go_on()

    def _notify_session(self, data: bytes) -> None:
        try:
            self.session.dataReceived(data)
        except Exception:  # noqa: BLE001 (as a socket that breaks)
            log.failure("server fault: peer={peer}", peer=self.session.name)
            self._lose(Failure(ConnectionAborted()))
        self.on_change()

    def _lose(self, reason: Failure) -> None:
        if self.is_lost:
            return
        self.is_lost = True
        self._down.clear()
        self._up.clear()
        self._producer = None
        self._stay_on()
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
        self.session.connectionLost(reason)
        self.on_change()

    # ITransport and IConsumer: what the session says

    def write(self, data: bytes) -> None:
        """Take bytes for the client."""
        if self.is_lost or self._is_closing:
            return
        self._down += data
        if self._producer is not None and not self._is_full and len(self._down) > AT_ONCE:
            self._is_full = True
            self._producer.pauseProducing()
        self._go_on()

    def writeSequence(self, data: Iterable[bytes]) -> None:
        """Take bytes for the client."""
        self.write(b"".join(data))

    def registerProducer(self, producer: Any, streaming: bool) -> None:  # noqa: ARG002, FBT001 (IConsumer's signature)
        """Take note of whom to pause while the client does not read."""
        self._producer = producer

    def unregisterProducer(self) -> None:
        """Pause nobody any more."""
        self._producer, self._is_full = None, False

    def loseConnection(self) -> None:
        """Close when the client has read all."""
        self._is_closing = True
        self._go_on()

    def abortConnection(self) -> None:
        """Close at once, in the next turn of the reactor."""
        self._down.clear()
        self._is_closing = True
        self._go_on()

    def pauseProducing(self) -> None:
        """Hand nothing on of what the client says."""
        self._is_read = False

    def resumeProducing(self) -> None:
        """Hand on what the client says."""
        self._is_read = True
        self._go_on()

    def stopProducing(self) -> None:
        """Close: nothing is taken any more."""
        self.loseConnection()

    def getPeer(self) -> IAddress:
        """Return where the browser is."""
        return _address(self.session.address, 0)

    def getHost(self) -> IAddress:
        """Return where the browser is: there is no other end."""
        return self.getPeer()


def _address(host: str, serial: int) -> IPv4Address:
    # Limits and bans look at the host alone; the family does not matter to them.
    return IPv4Address("TCP", host, serial)
