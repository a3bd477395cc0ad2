"""One transport: bytes in to its dialect, events on to its room, letters out.

Source: design.md, "A move's way" and "Floods"; battleship.md A1 (TCP_NODELAY, TCP_QUICKACK, the last line before a
close) and B12.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any

from attrs import define, field
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import (
    IDelayedCall,
    IHalfCloseableProtocol,
    IHandshakeListener,
    IProtocol,
    IPushProducer,
)
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.errors import RemoteProtocolError, RoomError, StoreError
from gamed.events import Event
from gamed.fairness import MESSAGES_AT_ONCE, SHARE, STORE
from gamed.game import Seat, Termination
from gamed.lobby.room import Room
from gamed.net.arrivals import Arrivals
from gamed.net.begun import BegunMessage
from gamed.net.limits import Bucket
from gamed.net.sockets import acknowledge, below, has_bytes, has_hung_up, is_tcp, is_tls, read_at_most, tune
from gamed.peer import Party
from gamed.refusals import Refusal, Refusals
from gamed.table import OBSERVERS
from gamed.wire import Connection

if TYPE_CHECKING:
    from gamed.net.factory import SessionFactory

log = Logger()

LINGER = 5.0
"""Seconds that a peer has to close its side after we have closed ours."""

READ_BYTES = 4_096
"""Bytes that are read of a peer at a time, at most: what waits of a flood takes little time and memory."""

BREATH = 0.01
"""Seconds from one read to the next where a peer is not heard any more."""

LEFT_BEHIND = 1.0
"""Seconds after its end in which a seated peer is still served: tables do not wait longer for what it left behind."""

MUTE_BYTES = 65_536
"""Bytes that are then read and thrown away at a time."""


@implementer(IProtocol, IHandshakeListener, IHalfCloseableProtocol, IPushProducer)
@define(eq=False)
class Session:
    """A peer on a transport. It is the transport's protocol and, for back-pressure, its producer.

    `own_name`: what it calls itself, if it has said that. `party`: whom it came with. `places`: its rooms and its seats
    in them; `_place`: the one to which its words go, where the reception does not route them. `_socket`: None with TLS,
    and where there is none.

    What comes: `_pending` bytes, which the connection has not been given. While `_is_waiting` the session stands in the
    backlog, and `_rest` is the call with which it goes on at the listener's rate, or reads on when it is mute. What
    comes meanwhile makes it `_is_full`: nothing is read until then. `_is_paused`: a room wants nothing read.
    `_is_answered`: see `_receive`. `_is_mute`: nothing is heard any more. `_is_leaving`: the peer has ended, and its
    seats are emptied after what it said last; `_has_ended`: the connection knows of it.
    `_is_inside`: it has come in from the factory's door. `_shakes_hands`: TLS has not begun; all is read until then.

    What goes: `_letters` leave at the next `flush`. `_is_congested`: the peer reads too slowly, and since then
    `_unsent` bytes were left to the transport. `_deadline`: when all is closed whose own side `close` has closed.
    """

    connection: Connection
    factory: SessionFactory
    address: str
    name: str
    transport: Any = None
    own_name: str | None = None
    party: Party | None = None
    wanted: str | None = None
    """The id of the room that it asks for; None: any."""
    _refusals: Refusals | None = None
    _place: tuple[Room, Seat] | None = None
    places: list[tuple[Room, Seat]] = field(factory=list)
    _socket: socket.socket | None = None
    _is_congested: bool = False
    _unsent: int = 0
    _has_ended: bool = False
    _letters: bytes = b""
    _deadline: IDelayedCall | None = None
    _is_mute: bool = False
    _is_paused: bool = False
    _rest: IDelayedCall | None = None
    _pending: bytes = b""
    _is_waiting: bool = False
    _is_full: bool = False
    _is_leaving: bool = False
    _is_answered: bool = False
    _share: Bucket = field(init=False)
    _rate: Bucket | None = None
    begun: BegunMessage = field(factory=BegunMessage)
    _ended_at: float | None = None
    """When a seated peer of which more waits was first seen to have ended."""

    _is_inside: bool = False
    _shakes_hands: bool = False
    arrived: float = inf
    """When what is served now counts as arrived; where more than one read is served together, the first of them."""
    _arrivals: Arrivals | None = None
    """None: there is no socket, or no pass of the reactor is noted."""

    # IProtocol

    def makeConnection(self, transport: Any) -> None:
        """Take the transport."""
        self.transport = transport
        self.connectionMade()

    def connectionMade(self) -> None:
        """Prepare the transport, and have the reception receive the peer."""
        rate, now = self.factory.messages_per_second, self.factory.clock.seconds()
        self._share = Bucket(SHARE, STORE, now)
        self._rate = Bucket(rate, rate, now, rate) if rate else None
        self.factory.sessions[self] = None
        transport: Any = self.transport
        tune(transport)
        self._shakes_hands = is_tls(transport)
        # TLS has a socket, too, but what is sent must go through the TLS.
        if is_tcp(transport) and not is_tls(transport):
            self._socket = transport.getHandle()
        else:
            transport.registerProducer(self, streaming=True)
        if is_tcp(transport) and self.factory.passes is not None:
            self._arrivals = Arrivals(self.factory.passes)
        read_at_most(transport, READ_BYTES)
        self._attempt(self.factory.reception.arrive, self)
        if self.factory.is_held:
            self._read_or_not()

    def dataReceived(self, data: bytes) -> None:
        """Take bytes from the peer: at once what is within its share, and the rest when its turn comes."""
        self.factory.traffic.received += len(data)
        if self._is_mute:
            self._breathe()
            return
        self._pending += data
        self._is_answered = False
        if self._arrivals is not None:
            # By TLS it is not known how much was read of the socket.
            arrived = self._arrivals.read(is_emptied=self._socket is not None and len(data) < READ_BYTES)
        else:
            arrived = inf if self.factory.passes is None else self.factory.passes.seconds()
        if self._is_waiting or self._rest is not None:
            self._is_full = True
            self._read_or_not()
        else:
            self.arrived = arrived
            self._take()
        if not self._is_answered and self._socket is not None:
            acknowledge(self._socket)

    def _take(self) -> None:
        """Take what is within the share; the rest goes to the backlog, which may be done with it at once."""
        clock = self.factory.clock
        level = 0 if self.factory.is_held else self._share.level(clock.seconds())
        if not level or self._receive(min(level, MESSAGES_AT_ONCE)):
            self._is_waiting = True
            self.factory.backlog.enter(self)

    def _receive(self, limit: int, until: float = inf) -> bool:
        """Take what has come: so many messages, and no second one after a moment. Return whether there may be more.

        What waits for the listener's rate is no more of it: `_rest` goes on with that. `_is_answered` is set where an
        answer is to be expected in this turn, which acknowledges what has come as well: a table that does not forward
        has been told something.
        """
        self._understand()
        rated: float = inf
        if self._rate is not None and not self._is_leaving:
            rated = self._rate.level(self.factory.clock.seconds())
            if not rated:
                self._rest = self.factory.clock.callLater(self._rate.wait, self._go_on)
                return False
        taken = counted = 0
        seconds = self.factory.clock.seconds
        has_more = False
        try:
            for event in self.connection.events():
                self._hand_on(event)
                taken += 1
                counted += event.is_rated
                has_more = taken == limit or counted >= rated or seconds() >= until
                if has_more or self._is_mute:
                    break
        except RemoteProtocolError as error:
            self.refuse(error)
        if taken and not self._is_inside:
            self._come_in()
        # What does not end a message costs no less than one.
        self._share.take(taken or 1)
        if self._rate is not None:
            self._rate.take(counted)
        return has_more and not self._is_mute

    def _come_in(self) -> None:
        """Be read like those who play: the peer has said something whole."""
        self._is_inside = True
        if self.factory.door is not None and is_tcp(self.transport):
            self.factory.door.let_in(below(self.transport))
        self._watch()

    def _understand(self) -> None:
        pending, self._pending = self._pending, b""
        if pending:
            self.connection.receive_data(pending)
        if self._is_leaving and not self._has_ended:
            self._has_ended = True
            self.connection.receive_data(b"")

    def _hand_on(self, event: Event) -> None:
        if self._place is not None:
            room, seat = self._place
            room.receive(seat, event)
            self._is_answered = not room.table.forwards
        else:
            self._attempt(self.factory.reception.receive, self, event)

    def _go_on(self) -> None:
        """Go on at the listener's rate."""
        self._rest = None
        if self._is_overdue:
            self.mute()
            self._leave()
            return
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
        """Take a few of the messages that wait, when it is our turn in the backlog, and at last the peer's leaving.

        Return whether more waits for another turn.
        """
        try:
            if not self._is_mute:
                has_more = self._receive(MESSAGES_AT_ONCE, until)
                if self._is_overdue:
                    self.mute()
                    self._is_leaving = True
                elif has_more:
                    return True
        except Exception:  # noqa: BLE001 (as in `_attempt`)
            log.failure("server fault: peer={peer}", peer=self.name)
            self.mute()
            if self.transport is not None:
                self.transport.abortConnection()
        self._is_waiting = False
        if self._is_leaving:
            self._depart()
        else:
            self._read_again()
        return False

    def _read_again(self) -> None:
        if self._is_full and not self._is_waiting and self._rest is None:
            self._is_full = False
            self._read_or_not()

    def _breathe(self) -> None:
        """Throw away what came, and read on after a while: a flood is not read at its speed."""
        if self._rest is None and is_tcp(self.transport):
            read_at_most(self.transport, MUTE_BYTES)
            self.transport.pauseProducing()
            self._rest = self.factory.clock.callLater(BREATH, self._look_on)

    def _look_on(self) -> None:
        self._rest = None
        if self.transport is not None:
            self.transport.resumeProducing()

    def _read_or_not(self) -> None:
        if self.transport is None or self._deadline is not None or self._shakes_hands:
            return
        if self._is_read:
            self.transport.resumeProducing()
        else:
            self.transport.pauseProducing()
        self._watch()

    @property
    def _is_read(self) -> bool:
        return not (self._is_paused or self._is_full or self.factory.is_held)

    def _watch(self) -> None:
        """Take note whether the reactor itself looks at the socket in each pass."""
        if self._arrivals is not None:
            self._arrivals.watch(is_watched=self._is_inside and self._is_read)

    def look(self, now: float) -> None:
        """Note whether a message was begun and not ended, and it is the peer who keeps us waiting."""
        if self._is_mute or self._is_waiting or self.factory.is_held:
            self.begun.forget()
        elif (refusal := self.begun.look(self.connection, now)) is not None:
            self.refused(refusal)

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
        places, self.places, self._place = self.places, [], None
        for room, seat in places:
            if seat == OBSERVERS:
                room.unobserve(self)
            else:
                room.leave(seat, why)

    # IHandshakeListener

    def handshakeCompleted(self) -> None:
        """Read, or do not: what is said to a peer waits until now, and whoever waits for that would not shake hands."""
        self._shakes_hands = False
        self._read_or_not()

    # IHalfCloseableProtocol

    def readConnectionLost(self) -> None:
        """Take the end of what the peer says as its leaving: half a peer is none."""
        self._leave()

    def writeConnectionLost(self) -> None:
        """Nothing to do: our side was closed by `close`."""

    def connectionLost(self, reason: Failure) -> None:
        """Forget the transport, and have the peer leave."""
        if self._shakes_hands and not reason.check(ConnectionDone, ConnectionLost):
            text = "this port speaks TLS, and the peer did not, or not in time, or trusts no certificate of ours"
            self.refused(Refusal("no-tls", text, "a client with TLS, such as `gamed bot --tls`"))
        self.factory.limits.release(self.address)
        self.transport = self._socket = None
        self._leave()
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()

    def _leave(self) -> None:
        """Have the backlog hand on what the peer sent last, and then empty its seats: many who leave take turns."""
        self._wait_no_more()
        if self._is_leaving:
            return
        self._is_leaving = True
        if not self._is_waiting:
            self._is_waiting = True
            self.factory.backlog.enter(self)

    def _wait_no_more(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

    def _depart(self) -> None:
        """Empty the seats, and close what is still open."""
        self.factory.sessions.pop(self, None)
        if self._refusals is not None:
            self.factory.refusals.ended(self)
        self._attempt(self.factory.reception.depart, self)
        self._leave_all(Termination.LEFT)
        self.close()
        if self.transport is not None:
            self.transport.loseConnection()

    # IPushProducer: the transport's word that the peer reads too slowly, or reads again

    def pauseProducing(self) -> None:
        """Tell the rooms that the peer does not read."""
        self._is_congested = True
        for room, seat in self.places:
            room.congested(seat)

    def resumeProducing(self) -> None:
        """Tell the rooms that it reads again."""
        if not self._is_congested:
            return
        self._is_congested = False
        self._unsent = 0
        if self._socket is not None:
            self.transport.unregisterProducer()
        for room, seat in self.places:
            room.relieved(seat)

    def stopProducing(self) -> None:
        """Nothing to stop: the transport says this when the connection is lost."""

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
        self.places.append((room, seat))
        if not self.factory.reception.routes:
            self._place = (room, seat)

    def released(self, room: Room) -> None:
        """Take note that a room is done with this peer."""
        if any(place[0] is room for place in self.places):
            self.places = [place for place in self.places if place[0] is not room]
            self._place = None
            self.factory.reception.released(self, room)

    @property
    def is_gone(self) -> bool:
        """Whether the peer has closed its side, read or not."""
        if self._socket is None:
            return self.transport is None
        return has_hung_up(self._socket)

    def has_unread(self, limit: float) -> bool:
        """Whether something that may have arrived by a moment is still to be served."""
        if self._is_mute:
            return False
        if self._is_waiting or self._rest is not None:
            return self.arrived <= limit
        if self._arrivals is None or self.transport is None or self._is_paused or self._arrivals.last > limit:
            return False
        return has_bytes(below(self.transport).getHandle())

    def allow(self, messages_per_second: float) -> None:
        """Raise the peer's rate, if the listener has one and it is lower; a second's worth is in store."""
        if self._rate is not None and self._rate.rate < messages_per_second:
            now = self.factory.clock.seconds()
            self._rate = Bucket(messages_per_second, messages_per_second, now, messages_per_second)

    def deliver(self, event: Event) -> None:
        """Put by what the dialect says for an event; a peer that is lost gets nothing any more."""
        if self.transport is not None:
            self._letters += self.connection.send(event)

    def flush(self) -> None:
        """Send what was put by."""
        letters, self._letters = self._letters, b""
        if letters and self.transport is not None:
            self.factory.traffic.sent += len(letters)
            self._write(letters)

    def _write(self, data: bytes) -> None:
        """Send at once what the system takes; the rest waits in the transport.

        The transport alone would send all in a later turn of the reactor, at the price of that turn and of two more
        system calls a line.
        """
        if self._socket is not None and not self._is_congested:
            try:
                sent = self._socket.send(data)
            except OSError:
                # The transport meets the same error and knows what to do about it.
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
            # A pull producer is asked for more when all has left, which is what there is to know.
            self.transport.registerProducer(self, streaming=False)
            self.pauseProducing()
        if self._is_congested:
            self._unsent += len(data)
            if self._unsent > self.factory.unsent_bytes:
                reason = f"did not read: {self._unsent} bytes waited for it"
                self.refused(Refusal("not-reading", reason, "a client that reads all the time"))
                self.transport.abortConnection()
                return
        self.transport.write(data)

    @property
    def is_closing(self) -> bool:
        """Whether our side is closed, and the peer's is not yet."""
        return self._deadline is not None

    def close(self) -> None:
        """Close our side after the last line, and all when the peer has closed its own, or has had its time.

        Closing both at once would make the system reset the connection if anything of the peer's was still unread, and
        a reset can overtake the last line.
        """
        transport = self.transport
        if transport is None or self._deadline is not None:
            return
        self.mute()
        self._letters += self.connection.close()
        self.flush()
        transport.resumeProducing()
        transport.unregisterProducer()
        if self._socket is None:
            transport.loseConnection()
        else:
            transport.loseWriteConnection()
        self._deadline = self.factory.clock.callLater(LINGER, transport.abortConnection)

    def mute(self) -> None:
        """Take nothing more from the peer, ever, not even what waits."""
        self._is_mute = True
        self._pending = b""
        self._wait_no_more()

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
