"""One transport: bytes in to its dialect, events on to its room, answers out.

Source: docs/topics/design.md#a-moves-way-a-relayed-shot, docs/topics/design.md#floods,
docs/reference/battleship.md#ends (the last line before a close),
docs/reference/battleship.md#what-the-original-does-differently (TCP_NODELAY, TCP_QUICKACK).

`inbox.py` holds what the peer has sent, `outbox.py` what it is sent, and `phase.py` says in one table what is done with
its messages. This module joins them: it moves from phase to phase, and tells the transport whether to read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IDelayedCall, IHalfCloseableProtocol, IHandshakeListener, IProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.core.errors import RemoteProtocolError, RoomError, StoreError
from gamed.core.events import Event
from gamed.core.game import Seat, Termination
from gamed.core.peer import Party
from gamed.core.refusals import Refusal, Refusals
from gamed.core.table import OBSERVERS
from gamed.fairness import MESSAGES_AT_ONCE
from gamed.lobby.room import Room
from gamed.net.arrivals import Arrivals
from gamed.net.begun import BegunMessage
from gamed.net.inbox import Inbox
from gamed.net.outbox import Outbox
from gamed.net.phase import (
    CAUGHT_UP,
    CLOSED,
    DEAF,
    HANDS_SHAKEN,
    LEFT,
    LOOKED_AT,
    PEER_ENDED,
    RATE_EXCEEDED,
    RATE_REFILLED,
    SEATS_EMPTIED,
    SERVED,
    SHARE_EXCEEDED,
    SILENCED,
    Occasion,
    Phase,
)
from gamed.net.sockets import acknowledge, below, has_bytes, has_hung_up, is_tcp, is_tls, read_at_most, tune
from gamed.wire import Connection

if TYPE_CHECKING:
    from gamed.net.factory import SessionFactory

log = Logger()

READ_BYTES = 512
"""Bytes that are read of a peer at a time, at most. A dialect parses what it is given at once: that many bytes of short
messages take 0.1 ms, and what waits of a flood takes little memory."""

LEFT_BEHIND = 1.0
"""Seconds after its end in which a seated peer is still served: tables do not wait longer for what it left behind."""

MUTE_BYTES = 4_096
"""Bytes that are read at a time of a peer that is not heard any longer, and thrown away."""

_OPEN: Final = Phase.OPEN
"""Looked up once: to look up a member of an enum is a call in Python 3.11, and this is on each move's way."""


@implementer(IProtocol, IHandshakeListener, IHalfCloseableProtocol)
@define(eq=False)
class Session:
    """A peer on a transport, whose protocol it is."""

    connection: Connection
    factory: SessionFactory
    address: str
    name: str
    transport: Any = None
    """None once the connection is lost."""

    own_name: str | None = None
    """What the peer calls itself, if it has said that."""

    party: Party | None = None
    """Whom the peer came with."""

    wanted: str | None = None
    """The id of the room that it asks for; None: any."""

    places: tuple[tuple[Room, Seat], ...] = ()
    """The peer's rooms, and its seats in them."""

    inbox: Inbox = field(init=False)
    """What the peer has sent and its rooms have not seen."""

    outbox: Outbox = field(init=False)
    """What is on its way to the peer."""

    begun: BegunMessage | None = None
    """What looks at an unfinished message have found; None: there was none at the last look."""

    arrived: float = inf
    """When what is served now counts as arrived; where more than one read is served together, the first of them."""

    phase: Phase = Phase.OPEN
    """What is done with the peer's messages. Only `_go` changes it."""

    _place: tuple[Room, Seat] | None = None
    """The place to which the peer's events go, where the reception does not route them."""

    _refusals: Refusals | None = None
    """What it sent in vain; None: nothing yet."""

    _rest: IDelayedCall | None = None
    """The call with which a session goes on that is RATED."""

    _is_paused: bool = False
    """Whether a room wants nothing read of the peer."""

    _is_inside: bool = False
    """Whether the peer has said something whole, and is read by the reactor itself, not by the accept throttle."""

    _is_answered: bool = False
    """Whether what was read of the peer needs no acknowledgement of its own.

    Something was sent since, or the peer says nothing more before that, and what is sent acknowledges.
    """

    _arrivals: Arrivals | None = None
    """None: there is no socket, or no pass of the reactor is noted."""

    _ended_at: float | None = None
    """When a seated peer of which more waits was first seen to have ended."""

    # IProtocol

    def makeConnection(self, transport: Any) -> None:
        """Take the transport."""
        self.transport = transport
        self.connectionMade()

    def connectionMade(self) -> None:
        """Prepare the transport, and have the reception receive the peer."""
        factory, transport = self.factory, self.transport
        factory.sessions[self] = None
        tune(transport)
        self.phase = Phase.HANDSHAKING if is_tls(transport) else Phase.OPEN
        # TLS has a socket, too, but what is sent must go through the TLS.
        handle = transport.getHandle() if is_tcp(transport) and not is_tls(transport) else None
        self.inbox = Inbox(self.connection, factory.clock, factory.messages_per_second)
        self.outbox = Outbox(self, transport, handle, factory.clock, factory.traffic, factory.unsent_bytes)
        if is_tcp(transport) and factory.passes is not None:
            self._arrivals = Arrivals(factory.passes)
        read_at_most(transport, READ_BYTES)
        self._attempt(factory.reception.arrive, self)
        if factory.is_held:
            self._read_or_not()

    def dataReceived(self, data: bytes) -> None:
        """Take bytes from the peer: at once what is within its share, and the rest when its turn comes."""
        self.factory.traffic.received += len(data)
        if self.phase is not _OPEN and self.phase in DEAF:
            return
        self.inbox.put(data)
        self.inbox.is_behind = len(data) >= READ_BYTES
        self._is_answered = False
        handle = self.outbox.handle
        if self._arrivals is not None:
            # By TLS it is not known how much was read of the socket.
            arrived = self._arrivals.read(is_emptied=handle is not None and len(data) < READ_BYTES)
        else:
            arrived = inf if self.factory.passes is None else self.factory.passes.seconds()
        if self.phase is _OPEN:
            self.arrived = arrived
            self._take()
        else:
            self.inbox.is_full = True
            self._read_or_not()
        if not self._is_answered and handle is not None:
            if self._place is None and self.factory.passes is not None:
                # Whether a reception answers is known when this pass has read: the answer acknowledges, too.
                self.factory.passes.after_reads(self._acknowledge)
            else:
                acknowledge(handle)

    def _acknowledge(self) -> None:
        """Acknowledge what was read, if nothing was sent since."""
        if not self._is_answered and self.outbox.handle is not None:
            acknowledge(self.outbox.handle)

    def _go(self, occasion: Occasion) -> None:
        """Go to the phase that follows."""
        self.phase = occasion.then.get(self.phase, self.phase)

    def _take(self) -> None:
        """Take what is within the share; the rest goes to the fair queue, which may be done with it at once."""
        factory = self.factory
        share = 0 if factory.is_held else self.inbox.share.level(factory.clock.seconds())
        if not share or self._serve(min(share, MESSAGES_AT_ONCE)):
            self._go(SHARE_EXCEEDED)
            factory.fair_queue.enter(self)

    def _serve(self, most: int, until: float = inf) -> bool:
        """Serve a batch: so many messages at most, and no second one after a moment. Return whether there may be more.

        What waits for the listener's rate is not part of that: `_rest` goes on with it.
        """
        inbox = self.inbox
        rated = inf if inbox.rate is None else inbox.rate.level(self.factory.clock.seconds())
        if inbox.rate is not None and not rated:
            self._go(RATE_EXCEEDED)
            self._rest = self.factory.clock.callLater(inbox.rate.wait, self._go_on)
            return False
        try:
            self._hand_on(inbox.batch(most, rated, until))
        except RemoteProtocolError as error:
            self.refuse(error)
        found, inbox.error = inbox.error, None
        if isinstance(found, RemoteProtocolError):
            self.refuse(found)
        elif found is not None:
            raise found
        if inbox.taken and not self._is_inside:
            self._come_in()
        return inbox.charge() and self.phase not in DEAF

    def _hand_on(self, events: Iterator[Event]) -> None:
        """Hand a batch to the reception, or to the room: from the message on that has given the peer its place."""
        if self._place is None:
            for event in events:
                self._attempt(self.factory.reception.receive, self, event)
                if self._place is not None:
                    break
        if self._place is not None:
            room, seat = self._place
            before = self.inbox.taken
            room.receive(seat, events)
            if self.inbox.taken > before:
                self._is_answered = room.table.is_next_elsewhere and not self.connection.unfinished

    def _come_in(self) -> None:
        """Be read like those who play: the peer has said something whole."""
        self._is_inside = True
        if self.factory.accept_throttle is not None and is_tcp(self.transport):
            self.factory.accept_throttle.let_in(below(self.transport))
        self._watch()

    def _go_on(self) -> None:
        """Go on at the listener's rate."""
        self._rest = None
        if self._is_overdue:
            self.mute()
            self._leave()
            return
        self._go(RATE_REFILLED)
        self._take()
        self._read_again()

    @property
    def _is_overdue(self) -> bool:
        """Whether the peer's seats are to be emptied although not all is served that it sent before its end.

        What lies in the kernel may be a flood of megabytes, and the end of it is read last.
        """
        if not self.places or not self.is_gone:
            return False
        now = self.factory.clock.seconds()
        if self._ended_at is None:
            self._ended_at = now
        return now - self._ended_at >= LEFT_BEHIND

    def serve(self, until: float) -> bool:
        """Serve a batch when it is our turn in the fair queue, and at last the peer's leaving.

        Return whether more waits for another turn. A session that was muted in the fair queue, and then left, is there
        twice: at its second turn it is gone.
        """
        try:
            if self.phase in SERVED:
                has_more = self._serve(MESSAGES_AT_ONCE, until)
                # Looking at the socket costs two system calls. If all was read that had come, its end is read next.
                if (has_more or self.inbox.is_behind) and self._is_overdue:
                    self.mute()
                    self._go(PEER_ENDED)
                elif has_more:
                    return True
        except Exception:  # noqa: BLE001 (as in `_attempt`)
            log.failure("server fault: peer={peer}", peer=self.name)
            self.mute()
            if self.transport is not None:
                self.transport.abortConnection()
        if self.phase in LEFT:
            self._depart()
        else:
            self._go(CAUGHT_UP)
            self._read_again()
        return False

    # Reading

    def _read_again(self) -> None:
        """Read on if all was served that had come."""
        if self.inbox.is_full and self.phase not in {Phase.QUEUED, Phase.RATED}:
            self.inbox.is_full = False
            self._read_or_not()

    def _read_or_not(self) -> None:
        # By TLS all is read until hands are shaken: what is said to the peer waits for that. When our side is closed,
        # all is read that the peer may close its own.
        if self.transport is None or self.outbox.is_closed or self.phase is Phase.HANDSHAKING:
            return
        if self._is_read:
            self.transport.resumeProducing()
        else:
            self.transport.pauseProducing()
        self._watch()

    @property
    def _is_read(self) -> bool:
        return not (self._is_paused or self.inbox.is_full or self.factory.is_held)

    def _watch(self) -> None:
        """Take note whether the reactor itself looks at the socket in each pass."""
        if self._arrivals is not None:
            self._arrivals.watch(is_watched=self._is_inside and self._is_read)

    def look(self, now: float) -> None:
        """Note whether a message was begun and not ended, and it is the peer who keeps us waiting."""
        connection = self.connection
        if self.phase not in LOOKED_AT or self.factory.is_held or not (connection.begun or connection.unfinished):
            self.begun = None
            return
        if self.begun is None:
            self.begun = BegunMessage()
        refusal = self.begun.look(connection, now)
        if refusal is not None:
            self.refused(refusal)

    # Refusals

    def expel(self) -> None:
        """Empty the peer's seats as if it had left, because an operator lets it go."""
        self._leave_all(Termination.LEFT)

    def refuse(self, error: RemoteProtocolError) -> None:
        """Have the reception refuse the peer for what it did, and empty its seats."""
        self.refused(Refusal(error.code, str(error), error.hint, error.text))
        self._attempt(self.factory.reception.refuse, self, error)
        self._leave_all(Termination.LIMIT)

    def refused(self, refusal: Refusal) -> None:
        """Have developers learn why something that the peer did had no effect, or cost it its connection."""
        self.factory.refusals.note(self, refusal)

    @property
    def refusals(self) -> Refusals:
        """What the peer sent in vain; made when it is asked for, because most peers have none."""
        if self._refusals is None:
            self._refusals = Refusals()
        return self._refusals

    @property
    def listener(self) -> str:
        """The name of the listener that the peer came by."""
        return self.factory.limits.listener

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that the peer has begun and not ended."""
        return self.connection.unfinished

    def _attempt(self, do: Callable[..., None], *arguments: Any) -> None:
        try:
            do(*arguments)
        except RoomError as error:
            self.refused(Refusal("not-seated", str(error)))
            self.close()
        except StoreError as error:
            # The cause is told once: in an outage each newcomer comes here.
            log.info("not seated: peer={peer}: {error}", peer=self.name, error=error)
            self.close()
        except RemoteProtocolError:
            raise
        except Exception:  # noqa: BLE001 (a fault of ours costs this peer its connection, and nobody else anything)
            log.failure("server fault: peer={peer}", peer=self.name)
            self.close()

    def _leave_all(self, why: Termination) -> None:
        places, self.places, self._place = self.places, (), None
        for room, seat in places:
            if seat == OBSERVERS:
                room.unobserve(self)
            else:
                room.leave(seat, why)

    # IHandshakeListener

    def handshakeCompleted(self) -> None:
        """Read, or do not: what is said to a peer waits until now, and whoever waits for that would not shake hands."""
        self._go(HANDS_SHAKEN)
        self._read_or_not()

    # IHalfCloseableProtocol

    def readConnectionLost(self) -> None:
        """Take the end of what the peer says as its leaving: half a peer is none."""
        self._leave()

    def writeConnectionLost(self) -> None:
        """Nothing to do: our side was closed by `close`."""

    def connectionLost(self, reason: Failure) -> None:
        """Forget the transport, and have the peer leave."""
        if self.phase is Phase.HANDSHAKING and not reason.check(ConnectionDone, ConnectionLost):
            text = "this port speaks TLS, and the peer did not, or not in time, or trusts no certificate of ours"
            self.refused(Refusal("no-tls", text, "a client with TLS, such as `gamed bot --tls`"))
        self.factory.limits.release(self.address)
        self.transport = None
        self.outbox.lost()
        self._leave()

    def _leave(self) -> None:
        """Have the fair queue hand on what the peer sent last, and then empty its seats: many who leave take turns."""
        self._stop_rest()
        if self.phase in LEFT:
            return
        was_queued = self.phase is Phase.QUEUED
        self._go(PEER_ENDED)
        if self.phase is Phase.LEAVING:
            self.inbox.end()
        if not was_queued:
            self.factory.fair_queue.enter(self)

    def _stop_rest(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

    def _depart(self) -> None:
        """Empty the seats, and close what is still open."""
        if self.phase is Phase.GONE:
            return
        self._go(SEATS_EMPTIED)
        self.factory.sessions.pop(self, None)
        if self._refusals is not None:
            self.factory.refusals.ended(self)
        self._attempt(self.factory.reception.depart, self)
        self._leave_all(Termination.LEFT)
        self.close()
        if self.transport is not None:
            self.transport.loseConnection()

    # Sender: what the outbox says

    def congested(self) -> None:
        """Tell the rooms that the peer does not read."""
        for room, seat in self.places:
            room.congested(seat)

    def relieved(self) -> None:
        """Tell the rooms that it reads again."""
        for room, seat in self.places:
            room.relieved(seat)

    def overrun(self, unsent: int) -> None:
        """Have developers learn why the connection is dropped."""
        reason = f"did not read: {unsent} bytes waited for it"
        self.refused(Refusal("not-reading", reason, "a client that reads all the time"))

    # Peer

    @property
    def called(self) -> str:
        """The name that the peer has given itself, or else its address."""
        return self.name if self.own_name is None else self.own_name

    def introduce(self, name: str) -> None:
        """Take note of the name that the peer has given itself; in logs, what is not printable in it is spelled out."""
        self.own_name = name
        self.name = f"{ascii(name)[1:-1]}@{self.name.rpartition('@')[2]}"

    def entered(self, room: Room, seat: Seat) -> None:
        """Take note of a place in a room, where words of the peer go if the reception does not route them."""
        # It has what it asked for; after this match, any room will do.
        self.wanted = None
        place = (room, seat)
        self.places += (place,)
        if not self.factory.reception.routes:
            self._place = place

    def released(self, room: Room) -> None:
        """Take note that a room is done with this peer."""
        if any(place[0] is room for place in self.places):
            self.places = tuple(place for place in self.places if place[0] is not room)
            self._place = None
            self.factory.reception.released(self, room)

    @property
    def is_gone(self) -> bool:
        """Whether the peer has closed its side, read or not."""
        handle = self.outbox.handle
        return self.transport is None if handle is None else has_hung_up(handle)

    def has_unread(self, limit: float) -> bool:
        """Whether something that may have arrived by a moment is still to be served."""
        if self.phase in DEAF:
            return False
        if self.phase in {Phase.QUEUED, Phase.RATED, Phase.LEAVING}:
            return self.arrived <= limit
        if self._arrivals is None or self.transport is None or self._is_paused or self._arrivals.last > limit:
            return False
        return has_bytes(below(self.transport).getHandle())

    def allow(self, messages_per_second: float) -> None:
        """Raise the peer's rate, if the listener has one and it is lower."""
        self.inbox.allow(messages_per_second)

    def deliver(self, event: Event) -> None:
        """Put by what the dialect says for an event; a peer that is lost gets nothing any longer."""
        if self.transport is not None:
            self.outbox.outgoing += self.connection.send(event)

    def flush(self) -> None:
        """Send what was put by."""
        self._is_answered = True
        self.outbox.flush()

    @property
    def is_closing(self) -> bool:
        """Whether our side is closed, and the peer's is not yet."""
        return self.outbox.is_closed

    def close(self) -> None:
        """Close our side after the last line, and all when the peer has closed its own, or has had its time."""
        if self.transport is None or self.outbox.is_closed:
            return
        self.mute()
        self._go(CLOSED)
        self.outbox.close(self.connection.close())

    def mute(self) -> None:
        """Take nothing more from the peer, ever, not even what waits."""
        self._go(SILENCED)
        self.inbox.clear()
        self._stop_rest()
        throttle, transport = self.factory.accept_throttle, self.transport
        if throttle is not None and is_tcp(transport):
            # A flood that nobody hears is read when there is time.
            read_at_most(transport, MUTE_BYTES)
            throttle.put_out(below(transport))

    def hold(self) -> None:
        """Read nothing if the factory is held now, or else read again."""
        self._read_or_not()

    def pause(self) -> None:
        """Read nothing more until `resume`."""
        self._is_paused = True
        self._read_or_not()

    def resume(self) -> None:
        """Read again."""
        self._is_paused = False
        self._read_or_not()
