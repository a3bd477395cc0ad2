"""What a session takes at once, what waits, and what may not take for ever."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, ClassVar

from attrs import define, field, frozen
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.logger import capturedLogs
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.events import Event, Moved
from gamed.core.peer import Peer
from gamed.lobby.room import Room
from gamed.net.factory import SessionFactory
from gamed.net.inbox import LEFT_BEHIND
from gamed.net.limits import ConnectionLimits
from gamed.net.session import Session
from gamed.process.fairness import MESSAGES_AT_ONCE as AT_ONCE
from gamed.process.fairness import QUEUE_SLICE as SLICE
from gamed.process.fairness import SHARE, STORE
from tests.lobby.doubles import Turns
from tests.net.transports import Handle, TCPTransport
from tests.store.logs import sentences

COST = SLICE / 9.5
"""So many seconds a message: ten fit in a slice, as the last one may end after it."""

ADDRESS = IPv4Address("TCP", "10.0.0.1", 4711)


class Slow(Turns):
    """A clock by which work takes time."""

    def pass_by(self, seconds: float) -> None:
        self.rightNow += seconds


@define(eq=False)
class Lines:
    """A dialect of lines, in which a begun line must end."""

    text: bytes = b""
    ending: ClassVar[str] = "a line feed"
    is_answered: ClassVar[bool] = True

    @property
    def unfinished(self) -> bytes:
        return self.text

    @property
    def begun(self) -> bool:
        return b"\n" not in self.text and bool(self.text)

    def receive_data(self, data: bytes) -> None:
        self.text += data

    def events(self) -> Iterator[Event]:
        while b"\n" in self.text:
            line, self.text = self.text.split(b"\n", 1)
            yield Moved(line)

    def send(self, event: Event) -> bytes:
        return repr(event).encode()

    def close(self) -> bytes:
        return b"bye"


@define(eq=False)
class Listening:
    """A reception that writes down what it hears, and lets a peer go that says `stop`."""

    work: Callable[[], None]
    routes: bool = True
    heard: list[bytes] = field(factory=list)

    def arrive(self, peer: Peer) -> None:
        pass

    def receive(self, peer: Peer, event: Event) -> None:
        assert isinstance(event, Moved)
        self.work()
        self.heard.append(event.body)
        if event.body == b"stop":
            peer.mute()
        if event.body == b"fault":
            raise ZeroDivisionError

    def refuse(self, peer: Peer, error: RemoteProtocolError) -> None:
        self.heard.append(error.code.encode())
        peer.close()

    def released(self, peer: Peer, room: Room) -> None:
        pass

    def depart(self, peer: Peer) -> None:  # noqa: ARG002 (Reception's signature)
        self.heard.append(b"departed")


@frozen
class Entry:
    """A door that tells whom it is to let in."""

    let_in: Callable[[object], None]


@define(eq=False)
class Seats:
    """A room that writes down which seats are emptied."""

    emptied: list[int] = field(factory=list)
    id: str = "room"

    def leave(self, seat: int, _why: object, refusal: object = None) -> None:  # noqa: ARG002 (of a room)
        self.emptied.append(seat)

    def relieved(self, seat: int) -> None:
        pass


class FloodTests(SynchronousTestCase):
    def open(self, *, rate: float = 0.0, seconds: float = 0.0, cost: float = 0.0) -> None:
        self.clock = Slow()
        self.reception = Listening(lambda: self.clock.pass_by(cost))
        limits = ConnectionLimits("lines", 10, 10)
        given = {"unsent_bytes": 1_000, "messages_per_second": rate, "message_seconds": seconds}
        self.factory = SessionFactory(limits, self.clock, **given)
        self.factory.connect, self.factory.reception = Lines, self.reception  # type: ignore[assignment]
        self.factory.doStart()
        self.addCleanup(self.factory.doStop)
        self.session, self.transport = self.connect()

    def connect(self) -> tuple[Session, StringTransport]:
        session = self.factory.buildProtocol(ADDRESS)
        assert session is not None
        transport = StringTransport(peerAddress=ADDRESS)
        session.makeConnection(transport)
        # Its share fills.
        self.clock.turn(STORE / SHARE)
        return session, transport

    @property
    def paused(self) -> bool:
        return bool(self.transport.producerState == "paused")

    def test_who_has_said_something_whole_comes_in_from_the_door_once(self) -> None:
        self.open()
        let_in: list[object] = []
        accept_throttle: Any = Entry(let_in.append)
        self.factory.accept_throttle = accept_throttle
        near, far = socket.socketpair()
        handle = Handle(near.detach())
        self.addCleanup(handle.close)
        self.addCleanup(far.close)
        transport = TCPTransport(handle)
        session = self.factory.buildProtocol(ADDRESS)
        assert session is not None
        session.makeConnection(transport)
        session.dataReceived(b"half")
        self.assertEqual(let_in, [])
        session.dataReceived(b"\nwhole\n")
        session.dataReceived(b"more\n")
        self.assertEqual(let_in, [transport])
        # What is no connection of TCP stands at no door.
        self.session.dataReceived(b"whole\n")
        self.assertEqual(let_in, [transport])

    def test_a_flood_is_taken_a_part_a_turn(self) -> None:
        self.open(cost=COST)
        lines = [b"%d" % number for number in range(40)]
        self.session.dataReceived(b"\n".join(lines) + b"\n")
        counts = [len(self.reception.heard)]
        while len(self.factory.fair_queue):
            self.clock.turn()
            counts.append(len(self.reception.heard))
        # Four within the share, ten in the slice that is in store, and ten a turn.
        self.assertEqual(counts, [14, 24, 34, 40])
        self.assertEqual(self.reception.heard, lines)

    def test_who_keeps_to_its_share_is_served_at_once_while_others_wait(self) -> None:
        self.open(cost=COST)
        self.session.dataReceived(b"flood\n" * 5_000)
        other, _ = self.connect()
        for number in range(100):
            self.clock.turn(1 / SHARE)
            other.dataReceived(b"%d\n" % number)
            self.assertEqual(self.reception.heard[-1], b"%d" % number)
        self.assertTrue(len(self.factory.fair_queue))

    def test_all_who_flood_have_one_slice_together(self) -> None:
        self.open(cost=COST)
        others = [self.connect()[0] for _ in range(5)]
        for number, session in enumerate(others):
            session.dataReceived(b"%d\n" % number * 1_000)
        self.clock.turn()
        before = len(self.reception.heard)
        for _ in range(100):
            self.clock.turn()
        heard = self.reception.heard[before:]
        self.assertEqual(len(heard), 1_000)
        self.assertLessEqual(max(map(heard.count, set(heard))) - min(map(heard.count, set(heard))), 4)

    def test_what_ends_no_message_costs_a_part_of_the_share_too(self) -> None:
        self.open(cost=COST)
        other, _ = self.connect()
        other.dataReceived(b"flood\n" * 1_000)
        for _ in range(int(STORE)):
            self.session.dataReceived(b"never ends")
        self.assertEqual(len(self.factory.fair_queue), 1)
        self.session.dataReceived(b"never ends")
        self.assertEqual(len(self.factory.fair_queue), 2)

    def test_nothing_is_read_while_enough_waits(self) -> None:
        self.open(cost=COST)
        self.session.dataReceived(b"x\n" * 100)
        self.assertFalse(self.paused)
        self.session.dataReceived(b"x\n" * 100)
        self.assertTrue(self.paused)
        while len(self.factory.fair_queue):
            self.assertTrue(self.paused)
            self.clock.turn()
        self.assertFalse(self.paused)
        self.assertEqual(self.reception.heard, [b"x"] * 200)

    def test_while_the_disk_takes_nothing_all_waits_in_its_order(self) -> None:
        self.open()
        self.factory.hold(True)
        self.session.dataReceived(b"a\nb\n")
        self.session.connectionLost(Failure(ConnectionDone()))
        self.clock.turn(10.0)
        self.assertEqual(self.reception.heard, [])
        self.factory.hold(False)
        self.clock.turn()
        self.assertEqual(self.reception.heard, [b"a", b"b", b"departed"])

    def test_a_fault_in_the_queue_costs_this_peer_its_connection(self) -> None:
        self.open(cost=COST)
        self.session.dataReceived(b"x\n" * 30)

        def broken() -> Iterator[Event]:
            raise ZeroDivisionError
            yield

        self.patch(Lines, "events", lambda _: broken())
        self.clock.turn()
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertTrue(self.transport.disconnected or self.transport.disconnecting or self.transport.aborting)
        self.session.connectionLost(Failure(ConnectionDone()))
        self.clock.turn()
        self.assertEqual(self.reception.heard[-1], b"departed")
        self.assertEqual(len(self.factory.fair_queue), 0)

    def test_many_who_leave_take_their_turns(self) -> None:
        self.open(cost=COST)
        self.session.dataReceived(b"x\n" * 1_000)
        others = [self.connect()[0] for _ in range(5)]
        for other in others:
            other.connectionLost(Failure(ConnectionDone()))
        self.assertNotIn(b"departed", self.reception.heard)
        self.assertEqual(self.factory.limits.count, 1)
        for _ in range(4):
            self.clock.turn()
        self.assertEqual(self.reception.heard.count(b"departed"), 5)
        self.assertEqual(list(self.factory.sessions), [self.session])

    def test_a_room_that_pauses_is_not_overruled(self) -> None:
        self.open()
        self.session.dataReceived(b"x\n" * (AT_ONCE + 1))
        self.session.pause()
        self.assertTrue(self.paused)
        self.clock.turn()
        self.assertTrue(self.paused)
        self.session.resume()
        self.assertFalse(self.paused)

    def test_what_waits_is_taken_before_the_seats_are_emptied(self) -> None:
        self.open()
        self.session.dataReceived(b"x\n" * (2 * AT_ONCE))
        self.session.connectionLost(Failure(ConnectionDone()))
        self.assertEqual(self.reception.heard, [b"x"] * (2 * AT_ONCE) + [b"departed"])
        self.factory.doStop()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def left(self, text: bytes, **options: float) -> float:
        """Have a seated peer send something and end; return how many seconds later its seat was empty."""
        self.open(**options)
        room: Any = Seats()
        self.session.places += ((room, 0),)
        self.session.dataReceived(text)
        self.session.connectionLost(Failure(ConnectionDone()))
        began = self.clock.seconds()
        while not room.emptied and self.clock.seconds() - began < 2 * LEFT_BEHIND:
            self.clock.turn(0.01)
        self.assertEqual((room.emptied, self.reception.heard.count(b"departed")), ([0], 1))
        self.assertEqual(self.clock.seconds() - began < LEFT_BEHIND, self.reception.heard.count(b"x") == len(text) // 2)
        return self.clock.seconds() - began

    def test_what_a_peer_left_behind_costs_no_table_more_than_a_second(self) -> None:
        self.assertLess(self.left(b"x\n" * 100_000, cost=COST), LEFT_BEHIND + 0.1)

    def test_what_can_be_served_in_time_is_served(self) -> None:
        self.assertLess(self.left(b"x\n" * 500, cost=COST), LEFT_BEHIND)

    def test_who_has_ended_is_found_out_before_all_is_read(self) -> None:
        """The end of a peer is read after what it sent; until then the kernel knows of it."""
        for rate in (0.0, 10.0):
            self.open(cost=COST, rate=rate)
            near, far = socket.socketpair()
            handle = Handle(near.detach())
            self.addCleanup(handle.close)
            session = self.factory.buildProtocol(ADDRESS)
            assert session is not None
            session.makeConnection(TCPTransport(handle))
            room: Any = Seats()
            session.places += ((room, 0),)
            far.close()
            session.dataReceived(b"x\n" * 50_000)
            for _ in range(300):
                self.clock.turn(0.01)
            self.assertEqual((room.emptied, len(self.factory.sessions)), ([0], 1))
            self.assertLess(self.reception.heard.count(b"x"), 2_000)

    def test_who_has_no_seat_is_served_to_the_end(self) -> None:
        self.open(rate=10.0)
        self.session.dataReceived(b"x\n" * 100)
        for _ in range(20):
            self.clock.turn(1.0)
        self.assertEqual(len(self.reception.heard), 100)

    def test_a_rate_lets_a_second_s_worth_through_at_once(self) -> None:
        self.open(rate=10.0)
        self.session.dataReceived(b"x\n" * 25)
        self.assertEqual(len(self.reception.heard), 10)
        self.session.dataReceived(b"x\n")
        self.assertTrue(self.paused)

    def test_what_is_not_rated_does_not_count(self) -> None:
        self.open(rate=10.0)
        self.patch(Moved, "is_rated", False)
        self.session.dataReceived(b"x\n" * 25)
        self.assertEqual(len(self.reception.heard), 25)
        self.assertFalse(self.paused)

    def test_the_rest_comes_at_the_rate_and_nothing_is_lost(self) -> None:
        self.open(rate=10.0)
        self.session.dataReceived(b"x\n" * 25)
        counts = []
        for _ in range(20):
            self.clock.turn(0.1)
            counts.append(len(self.reception.heard))
        self.assertEqual(counts, sorted(counts))
        self.assertTrue(all(later - earlier <= 2 for earlier, later in pairwise(counts)))
        self.assertEqual(counts[-1], 25)
        self.assertFalse(self.paused)

    def test_who_is_slower_than_the_rate_never_waits(self) -> None:
        self.open(rate=10.0)
        for number in range(1, 50):
            self.clock.turn(0.101)
            self.session.dataReceived(b"x\n")
            self.assertEqual(len(self.reception.heard), number)

    def test_a_message_that_does_not_end_is_refused(self) -> None:
        self.open(seconds=8.0)
        self.session.dataReceived(b"never ends")
        with capturedLogs() as logs:
            for _ in range(6):
                self.clock.turn(2.0)
        why = 'a message was begun 8 seconds ago, and has not ended; expected: a line feed; message: "never ends"'
        self.assertEqual(self.reception.heard, [b"message-too-slow"])
        self.assertTrue(self.transport.disconnecting)
        self.assertEqual(
            sentences(logs),
            [f"refused message-too-slow: listener=lines peer=10.0.0.1:4711: {why}"],
        )

    def test_where_a_message_may_take_any_time_its_developer_learns_once_that_it_has_not_ended(self) -> None:
        self.open()
        self.session.dataReceived(b"never ends")
        with capturedLogs() as logs:
            for _ in range(20):
                self.clock.turn(2.5)
        why = 'a message was begun 10 seconds ago and has not ended; expected: a line feed; message: "never ends"'
        self.assertEqual(sentences(logs), [f"refused unfinished: listener=lines peer=10.0.0.1:4711: {why}"])
        self.session.dataReceived(b" but did\n")
        self.assertEqual(self.reception.heard, [b"never ends but did"])

    def test_messages_that_end_take_any_number_of_seconds(self) -> None:
        self.open(seconds=8.0)
        for _ in range(20):
            self.session.dataReceived(b"begun")
            self.clock.turn(2.0)
            self.session.dataReceived(b" and ended\n")
            self.clock.turn(2.0)
        self.assertEqual(self.reception.heard, [b"begun and ended"] * 20)

    def test_a_mute_peer_is_not_heard_any_more(self) -> None:
        self.open()
        self.session.dataReceived(b"a\nstop\nb\n")
        self.session.dataReceived(b"c\n")
        self.assertEqual(self.reception.heard, [b"a", b"stop"])

    def test_a_fault_of_ours_costs_this_peer_its_connection(self) -> None:
        self.open()
        self.session.dataReceived(b"a\nfault\nb\n")
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(self.reception.heard, [b"a", b"fault"])
        self.assertEqual((self.transport.value(), self.transport.disconnecting), (b"bye", True))

    def test_half_a_peer_is_none(self) -> None:
        self.open()
        self.session.dataReceived(b"a\nlast")
        self.session.readConnectionLost()
        self.session.connectionLost(Failure(ConnectionDone()))
        self.assertEqual(self.reception.heard, [b"a", b"departed"])
        self.assertEqual(self.transport.value(), b"bye")

    def test_the_listener_knows_its_sessions(self) -> None:
        self.open()
        self.assertEqual(list(self.factory.sessions), [self.session])
        self.session.connectionLost(Failure(ConnectionDone()))
        self.assertEqual(list(self.factory.sessions), [])
