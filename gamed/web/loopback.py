"""A connection inside the daemon, with a client without I/O at one end and a `Session` of a listener at the other.

Source: docs/topics/design.md#a-person-in-the-browser. The session comes from the listener's factory, so limits, bans,
rates, logs and refusals are those of any peer. Bytes are passed on in a later turn of the reactor, so that calls do not
recurse. Each end can pause the other: the session by the producer interface, the client by not being read.
"""

# ruff: noqa: N802 (where a Twisted interface is implemented, its names stand)

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, auto
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

from gamed.core.clients import PlaysOn
from gamed.core.errors import GamedError
from gamed.core.peer import Party
from gamed.net.factory import SessionFactory
from gamed.net.session import Session
from gamed.web.answers import Refusal

log = Logger()

AT_ONCE: Final = 65_536
"""How many bytes are passed on at a time. If more are waiting for the client, the session is paused."""

MOST_HELD: Final = 65_536
"""If more bytes than this are waiting for the session, the client gets nothing, and the human may not act."""

_CAUSES: Final = {
    "banned": (403, "your address is banned"),
    "all": (503, "the game's listener has reached its limit of connections"),
    "address": (429, "your address has reached its limit of connections"),
    "rate": (429, "your address opens too many connections in a short time"),
}
"""The HTTP status and the text for each cause of `ConnectionLimits`."""

_serials = count(1)


class Client(Protocol):
    """A person or a player (gamed/registry.py)."""

    def begin(self) -> bytes:
        """Return what is sent first."""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer. Empty bytes mean that the server has closed."""

    @property
    def is_done(self) -> bool:
        """Whether the match is over."""


Call = Callable[..., Deferred[bytes]]
"""Calls a function, for example in a thread. The Deferred fires with its result."""


class State(Enum):
    """Which ends of the connection are closed."""

    OPEN = auto()
    LEAVING = auto()
    """The client has closed; the session still gets what was sent before."""
    LEFT = auto()
    """The session has been told so, and is about to close."""
    CLOSING = auto()
    """The session has closed; the client still gets what was sent before."""
    OVER = auto()
    """Both have closed."""
    LOST = auto()
    """The session knows that the connection has ended."""


_TO_CLIENT: Final = (State.OPEN, State.CLOSING)
"""The states in which the client gets bytes."""

_TO_SESSION: Final = (State.OPEN, State.LEAVING, State.LEFT)
"""The states in which the session gets bytes, and may send them."""


@implementer(ITransport)
@define(eq=False)
class Loopback:
    """The transport of a session, whose peer is a client inside the daemon."""

    client: Client
    clock: IReactorTime

    on_change: Callable[[], None]
    """Called after bytes were passed to either end, and when the connection has ended."""

    elsewhere: Call | None = None
    """Runs a client that needs long, for example in a thread; None: it runs in the reactor."""

    leaves: bool = False
    """Whether the client closes the connection when its match is over, as bots do."""

    session: Session = field(init=False)

    error: str = ""
    """Why the client closed the connection, if it could not understand the server."""

    _down: bytearray = field(factory=bytearray)
    """Bytes that wait for the client."""

    _up: bytearray = field(factory=bytearray)
    """Bytes that wait for the session."""

    _producer: Any = None
    """The session, if it wants to be paused while too much waits for the client."""

    _is_full: bool = False
    """Whether the producer is paused."""

    _is_read: bool = True
    """Whether the session reads: it may pause its transport."""

    _is_thinking: bool = False
    """Whether a call of `elsewhere` is running."""

    _state: State = State.OPEN

    browser: str = ""
    """That of the `Peer`."""

    _turn: IDelayedCall | None = None
    """Passes bytes on in a later turn of the reactor."""

    _stay: IDelayedCall | None = None
    """Ends the time for which a bot waits for another match."""

    def join(
        self,
        factory: SessionFactory,
        host: str,
        name: str = "",
        party: Party | None = None,
        wanted: str | None = None,
    ) -> None:
        """Connect. Raises Refusal if the listener's limits do not admit the connection.

        `host` is the browser's address, for limits and logs. The logs also contain the `name`. `party` and `wanted` are
        those of `Peer`.
        """
        serial = next(_serials)
        session = factory.buildProtocol(_address(host, serial))
        if session is None:
            status, text = _CAUSES[factory.limits.why]
            raise Refusal(status, factory.limits.why, text)
        self.session = session
        session.party, session.wanted, session.is_person = party, wanted, not self.leaves
        session.browser = self.browser
        session.name = f"web:[{host}]:{serial}" if ":" in host else f"web:{host}:{serial}"
        if name:
            session.introduce(name)
        self._up += self.client.begin()
        session.makeConnection(self)
        self._go_on()

    # What the client's side does

    @property
    def is_lost(self) -> bool:
        """Whether the connection has ended."""
        return self._state is State.LOST

    @property
    def is_busy(self) -> bool:
        """Whether bytes of the client are waiting, or the connection is ending."""
        return self._state is not State.OPEN or bool(self._up)

    def plays_with_others(self, own: set[Session]) -> bool:
        """Whether the client is in a running match with a session that is not its own."""
        return any(
            room.history.was_started and room.table.outcome is None and not own.issuperset(room.peers.values())
            for room, _ in self.session.places
        )

    def check(self) -> None:
        """Raise Refusal if the client cannot send: the connection has ended, or too many bytes are waiting."""
        if self._state is not State.OPEN:
            raise Refusal(409, "over", "the connection to the game has ended")
        if len(self._up) > MOST_HELD:
            raise Refusal(429, "too-fast", "the game has not handled your last actions yet", "try again later")

    def send(self, data: bytes) -> None:
        """Send bytes of the client."""
        self._up += data
        self._go_on()

    def leave(self) -> None:
        """Close the connection from the client's side, after what it has sent."""
        self._close_client_end()
        self._go_on()

    def _close_client_end(self) -> None:
        self._state = {State.OPEN: State.LEAVING, State.CLOSING: State.OVER}.get(self._state, self._state)

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
        if self._state is State.CLOSING and not self._down and not self._is_thinking:
            self._notify_client(b"")
            self._lose(Failure(ConnectionDone()))
        elif self._state is State.OVER and not self._is_thinking:
            self._lose(Failure(ConnectionDone()))
        elif self._state is State.LEAVING and not self._up:
            # As a socket reports that its peer has closed. The session then closes its own side.
            self._state = State.LEFT
            self.session.readConnectionLost()
        elif self._client_takes or self._session_takes:
            self._go_on()

    @property
    def _client_takes(self) -> bool:
        takes = self._state in _TO_CLIENT and not self._is_thinking and len(self._up) < MOST_HELD
        return takes and bool(self._down)

    @property
    def _session_takes(self) -> bool:
        return bool(self._up) and self._is_read and self._state in _TO_SESSION

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
        except Exception:  # noqa: BLE001 (a fault in one client ends its own connection only)
            self._erred(Failure())
        else:
            self._answered(answered)
        self.on_change()

    def _answered(self, answer: bytes) -> None:
        self._up += answer
        if self.leaves:
            self._stay_or_leave()

    def _stay_or_leave(self) -> None:
        """Leave when the match is over. A client that plays on waits for another match first, for its `stay`."""
        if not self.client.is_done:
            self._stay_on()
        elif not isinstance(self.client, PlaysOn) or not self.client.stay:
            self._close_client_end()
        elif self._stay is None:
            self._stay = self.clock.callLater(self.client.stay, self.leave)

    def _stay_on(self) -> None:
        if self._stay is not None and self._stay.active():
            self._stay.cancel()
        self._stay = None

    def _erred(self, failure: Failure) -> None:
        if not failure.check(GamedError):
            log.failure("server fault: peer={peer}", failure=failure, peer=self.session.name)
        if self._state in _TO_SESSION:
            log.info(
                "web: a client could not understand the server: peer={peer}: {error}",
                peer=self.session.name,
                error=failure.value,
            )
            self.error = str(failure.value)
        self._close_client_end()

    def _thought(self, _result: object) -> None:
        self._is_thinking = False
        self.on_change()
        self._go_on()

    def _notify_session(self, data: bytes) -> None:
        try:
            self.session.dataReceived(data)
        except Exception:  # noqa: BLE001 (as if the connection broke)
            log.failure("server fault: peer={peer}", peer=self.session.name)
            self._lose(Failure(ConnectionAborted()))
        self.on_change()

    def _lose(self, reason: Failure) -> None:
        if self.is_lost:
            return
        self._state = State.LOST
        self._down.clear()
        self._up.clear()
        self._producer = None
        self._stay_on()
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
        self.session.connectionLost(reason)
        self.on_change()

    # ITransport and IConsumer, which the session calls

    def write(self, data: bytes) -> None:
        """Take bytes for the client."""
        if self._state not in _TO_SESSION:
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
        """Set the producer that is paused while too much waits for the client."""
        self._producer = producer

    def unregisterProducer(self) -> None:
        """Remove the producer."""
        self._producer, self._is_full = None, False

    def loseConnection(self) -> None:
        """Close when the client has read everything."""
        if self._state in _TO_SESSION:
            self._state = State.CLOSING if self._state is State.OPEN else State.OVER
        self._go_on()

    def abortConnection(self) -> None:
        """Close at once, in the next turn of the reactor."""
        self._down.clear()
        self.loseConnection()

    def pauseProducing(self) -> None:
        """Pass nothing more from the client to the session."""
        self._is_read = False

    def resumeProducing(self) -> None:
        """Pass bytes from the client to the session again."""
        self._is_read = True
        self._go_on()

    def stopProducing(self) -> None:
        """Close the connection."""
        self.loseConnection()

    def getPeer(self) -> IAddress:
        """Return the browser's address."""
        return _address(self.session.address, 0)

    def getHost(self) -> IAddress:
        """Return the browser's address: a connection inside the daemon has no other."""
        return self.getPeer()


def _address(host: str, serial: int) -> IPv4Address:
    # Limits and bans use only the host, so an IPv6 address may be in an IPv4Address, too.
    return IPv4Address("TCP", host, serial)
