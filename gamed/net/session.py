"""One transport: bytes in to its dialect, events on to its room, answers out.

Source: docs/topics/design.md#the-life-of-a-move-a-relayed-shot, docs/topics/design.md#floods.

`inbox.py` holds what the peer has sent, `outbox.py` what is sent to it, and `phase.py` says in one table what is done
with its messages. This module joins them: it changes the phase, and pauses or resumes the transport's reading.

The way of a message. The reactor calls `dataReceived` with at most `READ_BYTES`. In phase OPEN, `_take` serves at once
as many messages as the peer's share allows, which is all of them for an ordinary player. What exceeds the share moves
the session to phase QUEUED: the fair queue calls `serve`, a few messages at a time, and the transport is paused as soon
as more bytes come, so that the kernel's buffer and then TCP's window hold the flood back. What exceeds the listener's
`messages_per_second` moves it to phase RATED: a timer calls `_go_on`.

The way out. When the peer closes its side, its last messages may still wait, so seats are emptied by the last call that
the fair queue makes (`_depart`). If megabytes were sent before the end, that would be late: `_is_overdue` looks for the
end in the socket instead. When we close first, `close` half closes the connection; what still comes is read and thrown
away, because unread input would make the kernel send a reset, which can overtake our last line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IHalfCloseableProtocol, IHandshakeListener, IProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.core.errors import RemoteProtocolError, RoomError, StoreError
from gamed.core.events import Event
from gamed.core.game import Seat, Termination
from gamed.core.peer import Party
from gamed.core.reception import Reservation
from gamed.core.refusals import LEFT_EARLY, Refusal, Refusals
from gamed.core.table import OBSERVERS
from gamed.lobby.room import Room
from gamed.net import phase
from gamed.net.arrivals import Arrivals
from gamed.net.begun import BegunMessage
from gamed.net.inbox import Inbox, empty_inbox
from gamed.net.outbox import Outbox
from gamed.net.phase import DEAF, LEFT, LOOKED_AT, SERVED, Occasion, Phase
from gamed.net.sockets import acknowledge, below, has_bytes, has_hung_up, is_tcp, is_tls, read_at_most, tune
from gamed.net.tls import failed_handshake
from gamed.process.fairness import MESSAGES_AT_ONCE
from gamed.wire import Connection

if TYPE_CHECKING:
    from gamed.net.factory import SessionFactory

log = Logger()

READ_BYTES = 512
"""The most bytes that are read from a peer at a time. A dialect parses all of them at once, which takes 0.1 ms if the
messages are short. A small buffer also keeps the unserved part of a flood out of the daemon's memory."""

MUTE_BYTES = 4_096
"""Bytes that are read at a time from a muted peer, and discarded."""

_OPEN: Final = Phase.OPEN
"""A global name, because reading a member of an enum is a function call in Python 3.11, once a move."""


@implementer(IProtocol, IHandshakeListener, IHalfCloseableProtocol)
@define(eq=False)
class Session:
    """The Twisted protocol of a transport, and the `Peer` that rooms see."""

    connection: Connection
    factory: SessionFactory
    address: str
    name: str
    transport: Any = None
    """None once the connection is lost."""

    own_name: str | None = None
    """What the peer calls itself, if it has said that."""

    party: Party | None = None
    """The party that the peer belongs to; None: it plays with anybody."""

    wanted: str | None = None
    """The id of the room that the peer asks for; None: any."""

    reservation: Reservation | None = None
    """The seat that the peer has by where it came in; None: its reception's rule says where it sits."""

    is_person: bool = False
    """Whether somebody plays in a browser."""

    browser: str = ""
    """The key of that browser."""

    places: tuple[tuple[Room, Seat], ...] = ()
    """The peer's rooms, and its seats in them."""

    inbox: Inbox = field(init=False)
    """What the peer has sent and its rooms have not seen."""

    outbox: Outbox = field(init=False)
    """What is on its way to the peer."""

    begun: BegunMessage | None = None
    """The unfinished message that regular looks have found; None: there was none at the last look."""

    arrived: float = inf
    """When the messages that are being served count as arrived: the first of several reads that are served together."""

    phase: Phase = Phase.OPEN
    """What is done with the peer's messages. Only `_go` changes it."""

    _place: tuple[Room, Seat] | None = None
    """The room and seat that get the peer's events; None: the reception gets them."""

    _refusals: Refusals | None = None
    """The peer's messages that had no effect; None: none so far."""

    _rest: IDelayedCall | None = None
    """The timer of phase RATED."""

    _is_paused: bool = False
    """Whether a room has paused the peer."""

    _is_inside: bool = False
    """Whether the peer has sent a complete message. From then on the reactor reads it, not the accept throttle."""

    _arrivals: Arrivals | None = None
    """When the socket's bytes arrived; None: there is no socket, or the reactor's passes are not counted."""

    # IProtocol

    def makeConnection(self, transport: Any) -> None:
        """Take the transport."""
        self.transport = transport
        self.connectionMade()

    def connectionMade(self) -> None:
        """Prepare the transport, and announce the peer to the reception."""
        factory, transport = self.factory, self.transport
        factory.sessions[self] = None
        tune(transport)
        self.phase = Phase.HANDSHAKING if is_tls(transport) else Phase.OPEN
        # TLS has a socket, too, but bytes that are sent must pass through the TLS layer.
        handle = transport.getHandle() if is_tcp(transport) and not is_tls(transport) else None
        self.inbox = empty_inbox(self.connection, factory.clock, factory.messages_per_second)
        self.outbox = Outbox(self, transport, handle, factory.clock, factory.traffic, factory.unsent_bytes)
        if is_tcp(transport) and factory.passes is not None:
            self._arrivals = Arrivals(factory.passes)
        read_at_most(transport, READ_BYTES)
        self._attempt(factory.reception.arrive, self)
        if factory.is_held:
            self._read_or_not()

    def dataReceived(self, data: bytes) -> None:
        """Serve what is within the peer's share now, and the rest when its turn comes."""
        self.factory.traffic.received += len(data)
        if self.phase is not _OPEN and self.phase in DEAF:
            return
        self.inbox.put(data)
        self.inbox.is_behind = len(data) >= READ_BYTES
        outbox = self.outbox
        outbox.is_answered = False
        if self._arrivals is not None:
            # With TLS it is not known how much was read from the socket.
            arrived = self._arrivals.read(is_emptied=outbox.handle is not None and len(data) < READ_BYTES)
        else:
            arrived = inf if self.factory.passes is None else self.factory.passes.seconds()
        if self.phase is _OPEN:
            self.arrived = arrived
            self._take()
        else:
            self.inbox.is_full = True
            self._read_or_not()
        if outbox.is_answered or outbox.handle is None:
            return
        if self._place is None and self.factory.passes is not None:
            # Whether a reception answers is known when this pass has read. The answer's packet acknowledges, too.
            self.factory.passes.after_reads(outbox.acknowledge)
        else:
            acknowledge(outbox.handle)

    def _go(self, occasion: Occasion) -> None:
        """Change to the phase that follows. Raises KeyError if the occasion cannot be in this phase: our defect."""
        self.phase = occasion.then[self.phase]

    def _take(self) -> None:
        """Serve what is within the share, and leave the rest to the fair queue, which may serve it at once."""
        factory = self.factory
        share = 0 if factory.is_held else self.inbox.share.level(factory.clock.seconds())
        if not share or self._serve(min(share, MESSAGES_AT_ONCE)):
            self._go(phase.SHARE_EXCEEDED)
            factory.fair_queue.enter(self)

    def _serve(self, most: int, until: float = inf) -> bool:
        """Serve at most `most` messages, and after the time `until` no second one. Return whether there may be more.

        Messages held back by the rate limit do not count as more: the timer `_rest` resumes them.
        """
        inbox = self.inbox
        rated = inf if inbox.rate is None else inbox.rate.level(self.factory.clock.seconds())
        if inbox.rate is not None and not rated:
            self._go(phase.RATE_EXCEEDED)
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
        """Hand a batch to the room, or to the reception until one of the messages has given the peer its place.

        Where the reception `routes`, no message ever does: it gets all of them, and hands moves to their rooms.
        """
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
                self.outbox.is_answered = self.connection.is_answered and not self.connection.unfinished

    def _come_in(self) -> None:
        """Have the reactor read the peer from now on: it has sent a complete message."""
        self._is_inside = True
        if self.factory.accept_throttle is not None and is_tcp(self.transport):
            self.factory.accept_throttle.let_in(below(self.transport))
        self._watch()

    def _go_on(self) -> None:
        """Serve on after a pause that the listener's rate demanded."""
        self._rest = None
        if self._is_overdue:
            self.mute()
            self._leave()
            return
        self._go(phase.RATE_REFILLED)
        self._take()
        self._read_again()

    @property
    def _is_overdue(self) -> bool:
        """Whether to empty the peer's seats although not everything is served that it sent before it closed.

        The kernel's buffer may hold a flood of megabytes, and the end of the stream is read last.
        """
        return bool(self.places) and self.is_gone and self.inbox.is_late

    def serve(self, until: float) -> bool:
        """Serve a batch, or depart if the peer has left and nothing waits. Return whether more waits for another turn.

        A session that was muted while it was queued, and then left, is queued twice: its second turn does nothing.
        """
        try:
            if self.phase in SERVED:
                has_more = self._serve(MESSAGES_AT_ONCE, until)
                # `_is_overdue` costs two system calls. They are saved where the last read has emptied the socket: then
                # the end of the stream is read next.
                if (has_more or self.inbox.is_behind) and self._is_overdue:
                    self.mute()
                    self._go(phase.PEER_ENDED)
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
            self._go(phase.CAUGHT_UP)
            self._read_again()
        return False

    # Reading

    def _read_again(self) -> None:
        """Resume reading if everything that had come is served."""
        if self.inbox.is_full and self.phase not in {Phase.QUEUED, Phase.RATED}:
            self.inbox.is_full = False
            self._read_or_not()

    def _read_or_not(self) -> None:
        # Two phases always read. During a TLS handshake, because nothing can be sent to the peer before its end. And
        # when our side is closed, because the peer's end of the stream comes after the rest of its data.
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
        """Take note whether the reactor polls the socket in each pass."""
        if self._arrivals is not None:
            self._arrivals.watch(is_watched=self._is_inside and self._is_read)

    def look(self, now: float) -> None:
        """Look for a message that was begun and has not ended, where the peer, not our limits, delays its end."""
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
        """Empty the peer's seats, because an operator disconnects it."""
        self._leave_all(Termination.REMOVED)

    def refuse(self, error: RemoteProtocolError) -> None:
        """Have the reception refuse the peer for a broken protocol, and empty its seats."""
        self.refused(Refusal(error.code, str(error), error.hint, error.text))
        self._attempt(self.factory.reception.refuse, self, error)
        self._leave_all(Termination.REMOVED)

    def refused(self, refusal: Refusal) -> None:
        """Have developers learn why something that the peer did had no effect, or cost it its connection."""
        self.factory.refusals.note(self, refusal)

    @property
    def refusals(self) -> Refusals:
        """The peer's messages that had no effect. Created on first use, because most peers have none."""
        if self._refusals is None:
            self._refusals = Refusals()
        return self._refusals

    @property
    def listener(self) -> str:
        """The name of the listener that the peer is connected to."""
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
            # No traceback and no warning: in an outage this happens to each new peer, and its cause is logged once.
            log.info("not seated: peer={peer}: {error}", peer=self.name, error=error)
            self.close(Termination.SERVER_FAULT)
        except RemoteProtocolError:
            raise
        except Exception:  # noqa: BLE001 (a fault of ours costs this peer its connection, and nobody else anything)
            log.failure("server fault: peer={peer}", peer=self.name)
            self.close(Termination.SERVER_FAULT)

    def _leave_all(self, why: Termination, refusal: Refusal | None = None) -> None:
        places, self.places, self._place = self.places, (), None
        for room, seat in places:
            if seat == OBSERVERS:
                room.unobserve(self)
            else:
                room.leave(seat, why, refusal=refusal)

    # IHandshakeListener

    def handshakeCompleted(self) -> None:
        """Pause reading if something else wants that. It could not be paused earlier, or TLS would never be done."""
        self._go(phase.HANDS_SHAKEN)
        self._read_or_not()

    # IHalfCloseableProtocol

    def readConnectionLost(self) -> None:
        """Take the end of the peer's stream as its leaving, although it might still read."""
        self._leave()

    def writeConnectionLost(self) -> None:
        """Do nothing: our side was closed by `close`."""

    def connectionLost(self, reason: Failure) -> None:
        """Forget the transport, and have the peer leave."""
        if self.phase is Phase.HANDSHAKING and (failed := failed_handshake(reason)) is not None:
            text = f"this port speaks TLS, and the handshake failed: {failed}"
            self.refused(Refusal("no-tls", text, "a client with TLS, such as `gamed bot --tls`"))
        self.factory.limits.release(self.address)
        self.transport = None
        self.outbox.lost()
        self._leave()

    def _leave(self) -> None:
        """Have the fair queue serve what the peer sent last, and then empty its seats.

        The queue also spreads the work over several turns of the reactor when many peers leave at once.
        """
        self._stop_rest()
        if self.phase in LEFT:
            return
        was_queued = self.phase is Phase.QUEUED
        self._go(phase.PEER_ENDED)
        if self.phase is Phase.LEAVING:
            self.inbox.end()
        if not was_queued:
            self.factory.fair_queue.enter(self)

    def _stop_rest(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

    def _depart(self) -> None:
        """Empty the peer's seats, and close what is still open."""
        if self.phase is Phase.GONE:
            return
        self._go(phase.SEATS_EMPTIED)
        self.factory.sessions.pop(self, None)
        if self._refusals is not None:
            self.factory.refusals.ended(self)
        self._attempt(self.factory.reception.depart, self)
        self._leave_all(Termination.LEFT, LEFT_EARLY if self._is_inside else None)
        self.close()
        if self.transport is not None:
            self.transport.loseConnection()

    # Sender: called by the outbox

    def congested(self) -> None:
        """Tell the rooms that the peer does not read."""
        for room, seat in self.places:
            room.congested(seat)

    def relieved(self) -> None:
        """Tell the rooms that it reads again."""
        for room, seat in self.places:
            room.relieved(seat)

    def overrun(self, unsent: int) -> None:
        """Note for developers why the connection is dropped."""
        reason = f"did not read: {unsent} bytes waited for it"
        self.refused(Refusal("not-reading", reason, "a client that reads all the time"))

    # Peer

    @property
    def called(self) -> str:
        """The name that the peer has given itself, or its address."""
        return self.name if self.own_name is None else self.own_name

    def introduce(self, name: str) -> None:
        """Take note of the name that the peer has given itself. In logs, unprintable characters are escaped."""
        self.own_name = name
        self.name = f"{ascii(name)[1:-1]}@{self.name.rpartition('@')[2]}"

    def entered(self, room: Room, seat: Seat) -> None:
        """Take note of a place in a room. It gets the peer's messages, unless the reception routes them."""
        # The wish is fulfilled. After this match, any room will do.
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
        """Whether the peer has closed its side, even if its last bytes have not been read."""
        handle = self.outbox.handle
        return self.transport is None if handle is None else has_hung_up(handle)

    def has_unread(self, limit: float) -> bool:
        """Whether the peer has unserved input that may have arrived by the time `limit`."""
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
        """Encode an event for the next `flush`; a lost connection drops it."""
        if self.transport is not None:
            self.outbox.outgoing += self.connection.send(event)

    def flush(self) -> None:
        """Send what was delivered since the last call."""
        self.outbox.flush()

    @property
    def is_closing(self) -> bool:
        """Whether we have closed our side."""
        return self.outbox.is_closed

    def close(self, why: Termination = Termination.REMOVED) -> None:
        """Half close after the last line. The end is the peer's, or comes after `LINGER`. `why`: if it has no seat."""
        if self.transport is None or self.outbox.is_closed:
            return
        if self.reservation is not None and self.phase is not Phase.GONE:
            self.reservation.room.turned_away(self.reservation.seat, why)
        self.mute()
        self._go(phase.CLOSED)
        self.outbox.close(self.connection.close())

    def mute(self) -> None:
        """Discard what waits, and all that the peer will send."""
        self._go(phase.SILENCED)
        self.inbox.clear()
        self._stop_rest()
        throttle, transport = self.factory.accept_throttle, self.transport
        if throttle is not None and is_tcp(transport):
            # Discarding a flood must not cost the players time: the accept throttle reads it within its slice.
            read_at_most(transport, MUTE_BYTES)
            throttle.put_out(below(transport))

    def hold(self) -> None:
        """Pause or resume reading because the factory was held or released."""
        self._read_or_not()

    def pause(self) -> None:
        """Stop reading until `resume`."""
        self._is_paused = True
        self._read_or_not()

    def resume(self) -> None:
        """Resume reading."""
        self._is_paused = False
        self._read_or_not()
