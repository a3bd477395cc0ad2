"""What a session takes at once, what waits, and what may not take for ever."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from attrs import define, field
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.logger import capturedLogs
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamed.errors import RemoteProtocolError
from gamed.events import Event, Moved
from gamed.lobby.room import Room
from gamed.net.limits import ConnectionLimits
from gamed.net.session import AT_ONCE, Session, SessionFactory
from gamed.peer import Peer
from tests.lobby.doubles import Turns
from tests.store.logs import sentences

ADDRESS = IPv4Address("TCP", "10.0.0.1", 4711)


@define(eq=False)
class Lines:
    """A dialect of lines, in which a begun line must end."""

    text: bytes = b""

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

    routes: bool = True
    heard: list[bytes] = field(factory=list)

    def arrive(self, peer: Peer) -> None:
        pass

    def receive(self, peer: Peer, event: Event) -> None:
        assert isinstance(event, Moved)
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


class FloodTests(SynchronousTestCase):
    def open(self, *, rate: float = 0.0, seconds: float = 0.0) -> None:
        self.clock = Turns()
        self.reception = Listening()
        limits = ConnectionLimits("lines", 10, 10)
        self.factory = SessionFactory(Lines, self.reception, limits, self.clock, 1_000, rate, seconds)
        self.factory.doStart()
        self.addCleanup(self.factory.doStop)
        session = self.factory.buildProtocol(ADDRESS)
        assert session is not None
        self.session: Session = session
        self.transport = StringTransport(peerAddress=ADDRESS)
        session.makeConnection(self.transport)

    @property
    def paused(self) -> bool:
        return bool(self.transport.producerState == "paused")

    def test_a_flood_is_taken_a_part_a_turn(self) -> None:
        self.open()
        lines = [b"%d" % number for number in range(3 * AT_ONCE + 1)]
        self.session.dataReceived(b"\n".join(lines) + b"\n")
        counts = [len(self.reception.heard)]
        while self.paused:
            self.clock.turn()
            counts.append(len(self.reception.heard))
        self.assertEqual(counts, [AT_ONCE, 2 * AT_ONCE, 3 * AT_ONCE, 3 * AT_ONCE + 1])
        self.assertEqual(self.reception.heard, lines)

    def test_nothing_is_read_while_something_waits(self) -> None:
        self.open()
        self.session.dataReceived(b"x\n" * (AT_ONCE - 1))
        self.assertFalse(self.paused)
        self.session.dataReceived(b"x\n" * 2)
        self.clock.turn()
        self.session.dataReceived(b"x\n" * (AT_ONCE + 1))
        self.assertTrue(self.paused)

    def test_a_room_that_pauses_is_not_overruled(self) -> None:
        self.open()
        self.session.dataReceived(b"x\n" * (AT_ONCE + 1))
        self.session.pause()
        self.clock.turn()
        self.assertTrue(self.paused)
        self.session.resume()
        self.assertFalse(self.paused)

    def test_what_waits_is_taken_before_the_seats_are_emptied(self) -> None:
        self.open()
        self.session.dataReceived(b"x\n" * (2 * AT_ONCE))
        self.session.connectionLost(Failure(ConnectionDone()))
        self.assertEqual(self.reception.heard, [b"x"] * (2 * AT_ONCE) + [b"departed"])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_rate_lets_a_second_s_worth_through_at_once(self) -> None:
        self.open(rate=10.0)
        self.session.dataReceived(b"x\n" * 25)
        self.assertEqual(len(self.reception.heard), 10)
        self.assertTrue(self.paused)

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
        self.assertEqual(self.reception.heard, [b"message-too-slow"])
        self.assertTrue(self.transport.disconnecting)
        self.assertEqual(
            sentences(logs),
            ["message-too-slow: peer=10.0.0.1:4711: a message was begun 8 seconds ago, and has not ended"],
        )

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
