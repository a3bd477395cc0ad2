"""A session: addresses, sending at once, back-pressure, the manners of closing, and what a lost connection leaves."""

from __future__ import annotations

import select
import socket
from math import inf
from typing import Any
from unittest.mock import Mock

from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IAddress
from twisted.internet.ssl import CertificateOptions
from twisted.logger import capturedLogs
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.events import Started
from gamed.games.battleship import Settings
from gamed.games.quoridor import Settings as UniverseSettings
from gamed.games.quoridor.wire import registration
from gamed.net.outbox import LINGER
from gamed.net.session import MUTE_BYTES, READ_BYTES, Session
from gamed.net.stall_clock import StallClock
from gamed.testing.harness import Harness
from tests.lobby.doubles import Turns
from tests.net.transports import Handle, TCPTransport
from tests.store.logs import sentences

LINE = b"(1,[0,0])."
LAST = b"(2,[0,0,4])."


class Client:
    """A session on a TCP transport in memory, and the client's end of the socketpair."""

    def __init__(self, harness: Harness, address: IAddress) -> None:
        near, self.end = socket.socketpair()
        self.end.setblocking(False)
        self.handle = Handle(near.detach())
        self.transport = TCPTransport(self.handle, address)
        session = harness.factory.buildProtocol(address)
        assert session is not None
        self.session = session
        self.clock = harness.clock
        session.makeConnection(self.transport)
        self.clock.advance(0)

    def send(self, data: bytes) -> None:
        self.session.dataReceived(data)
        self.clock.advance(0)

    def lose(self) -> None:
        self.session.connectionLost(Failure(ConnectionDone()))
        self.clock.advance(0)

    def received(self) -> bytes:
        """Return what has come through the socket since the last call."""
        try:
            return self.end.recv(65_536)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        self.handle.close()
        self.end.close()


class SessionTestCase(SynchronousTestCase):
    def open(self, **settings: object) -> None:
        self.harness = Harness("battleship", Settings(**settings))  # type: ignore[arg-type]

    def connect(self, host: str = "10.0.0.1") -> Client:
        client = Client(self.harness, IPv4Address("TCP", host, 4711))
        self.addCleanup(client.close)
        return client

    def pair(self, **settings: object) -> tuple[Client, Client]:
        """Return two clients that play each other and have read what they were told so far."""
        self.open(**settings)
        pair = self.connect(), self.connect()
        self.assertEqual([client.received() for client in pair], [b"(3,[]).\r(5,[]).\r", b"(4,[]).\r(5,[]).\r"])
        return pair


class AddressTests(SessionTestCase):
    def check(self, address: IAddress, name: str, host: str) -> None:
        self.open(connections_per_address=1)
        session = self.harness.factory.buildProtocol(address)
        assert isinstance(session, Session)
        self.assertEqual((session.name, session.address), (name, host))
        self.assertIsNone(self.harness.factory.buildProtocol(address))

    def test_ipv4(self) -> None:
        self.check(IPv4Address("TCP", "127.0.0.1", 4711), "127.0.0.1:4711", "127.0.0.1")

    def test_ipv6(self) -> None:
        self.check(IPv6Address("TCP", "2001:db8::1", 4711), "[2001:db8::1]:4711", "2001:db8::1")

    def test_ipv4_on_a_dual_stack(self) -> None:
        self.check(IPv6Address("TCP", "::ffff:10.0.0.7", 4711), "10.0.0.7:4711", "10.0.0.7")

    def test_a_transport_without_addresses(self) -> None:
        self.check(UNIXAddress("/run/gamed"), "local", "local")

    def test_the_name_stands_in_the_record(self) -> None:
        self.open()
        for host in ("::1", "::2"):
            client = Client(self.harness, IPv6Address("TCP", host, 4711))
            self.addCleanup(client.close)
        client.lose()
        self.harness.settle()
        (found,) = self.harness.store.summaries.values()
        self.assertEqual([seat.name for seat in found.seats], ["[::1]:4711", "[::2]:4711"])


class SocketTests(SessionTestCase):
    def test_the_socket_is_made_quick_and_watched(self) -> None:
        self.open()
        self.assertEqual(self.connect().transport.asked, [("nodelay", True), ("keepalive", True)])

    def test_without_a_tcp_socket_all_goes_through_the_transport(self) -> None:
        self.open()
        wire = self.harness.connect()
        self.assertEqual(wire.received, b"(3,[]).\r")
        self.assertIs(wire.transport.producer, wire.session.outbox)
        self.assertTrue(wire.transport.streaming)
        wire.send(LINE + b"\n")

    def test_what_is_sent_by_tls_is_not_sent_past_it(self) -> None:
        self.open()
        near, far = socket.socketpair()
        handle = Handle(near.detach())
        self.addCleanup(handle.close)
        self.addCleanup(far.close)
        tls = TLSMemoryBIOFactory(CertificateOptions(), isClient=False, wrappedFactory=self.harness.factory)
        transport = TCPTransport(handle)
        wrapped = tls.buildProtocol(transport.getPeer())
        wrapped.makeConnection(transport)
        session: Any = wrapped.wrappedProtocol
        self.harness.clock.advance(0)
        session.dataReceived(LINE + b"\n")
        self.assertEqual((transport.asked, handle.options), ([("nodelay", True), ("keepalive", True)], []))
        self.assertFalse(session.is_gone)
        far.setblocking(False)
        self.assertRaises(BlockingIOError, far.recv, 1)
        session.close()
        self.assertTrue(wrapped.disconnecting)
        self.harness.clock.advance(LINGER)
        self.assertTrue(transport.disconnected)

    def test_by_tls_all_is_read_until_hands_were_shaken(self) -> None:
        self.open()
        made = [self.wrapped() for _ in range(2)]
        for _ in range(3):
            self.harness.clock.advance(0)
        # Both have been told that the game begins, which waits for the handshakes; so each waits for the other one.
        sessions: list[Any] = [wrapped.wrappedProtocol for wrapped, _ in made]
        self.assertEqual([session.outbox.is_congested for session in sessions], [True, True])
        self.assertEqual([transport.producerState for _, transport in made], ["producing", "producing"])
        sessions[0].handshakeCompleted()
        self.assertEqual([transport.producerState for _, transport in made], ["paused", "producing"])
        sessions[1].outbox.resumeProducing()
        self.assertEqual([transport.producerState for _, transport in made], ["producing", "producing"])

    def wrapped(self) -> tuple[Any, TCPTransport]:
        """Return the TLS of a connection on which nothing was said yet, and what is below it."""
        near, far = socket.socketpair()
        handle = Handle(near.detach())
        self.addCleanup(handle.close)
        self.addCleanup(far.close)
        clock = self.harness.clock
        factory = TLSMemoryBIOFactory(CertificateOptions(), False, self.harness.factory, clock=clock)
        transport = TCPTransport(handle)
        wrapped = factory.buildProtocol(transport.getPeer())
        wrapped.makeConnection(transport)
        return wrapped, transport


class SendingTests(SessionTestCase):
    def test_at_once(self) -> None:
        first, second = self.pair()
        second.send(LINE + b"\n")
        self.assertEqual((first.received(), first.transport.value()), (LINE + b"\r", b""))
        self.assertIsNone(first.transport.producer)

    def test_what_a_turn_has_for_a_peer_leaves_as_one(self) -> None:
        first, second = self.pair()
        before = len(first.handle.sends)
        second.send(b"one\ntwo\n")
        self.assertEqual(first.handle.sends[before:], [b"one\rtwo\r"])

    def test_what_the_system_does_not_take_waits_in_the_transport(self) -> None:
        first, second = self.pair()
        first.handle.takes = 3
        second.send(LINE + b"\n")
        self.assertEqual((first.received(), first.transport.value()), (b"(1,", b"[0,0]).\r"))

    def test_meanwhile_the_sender_is_paused(self) -> None:
        first, second = self.pair()
        first.handle.takes = 0
        second.send(LINE + b"\n")
        self.assertEqual(second.transport.producerState, "paused")
        self.assertEqual(first.transport.producerState, "producing")
        self.assertEqual(first.transport.drain(), LINE + b"\r")
        self.assertEqual(second.transport.producerState, "producing")
        self.assertIsNone(first.transport.producer)

    def test_meanwhile_nothing_overtakes(self) -> None:
        first, second = self.pair()
        first.handle.takes = 1
        second.send(b"one\ntwo\n")
        first.handle.takes = None
        second.send(b"three\n")
        self.assertEqual((first.received(), first.transport.drain()), (b"o", b"ne\rtwo\rthree\r"))
        second.send(b"four\n")
        self.assertEqual((first.received(), first.transport.value()), (b"four\r", b""))

    def test_it_may_be_slow_again(self) -> None:
        first, second = self.pair()
        for _ in range(3):
            first.handle.takes = 2
            second.send(b"line\n")
            self.assertEqual((first.received(), second.transport.producerState), (b"li", "paused"))
            self.assertEqual(first.transport.drain(), b"ne\r")
            self.assertEqual(second.transport.producerState, "producing")

    def test_an_error_is_left_to_the_transport(self) -> None:
        for error in (BlockingIOError(), BrokenPipeError(), ConnectionResetError()):
            first, second = self.pair()
            first.handle.error = error
            second.send(LINE + b"\n")
            self.assertEqual((first.received(), first.transport.value()), (b"", LINE + b"\r"))

    def test_who_never_reads_is_dropped_in_time(self) -> None:
        first, second = self.pair(stuck_seconds=30.0)
        first.handle.takes = 0
        second.send(LINE + b"\n")
        self.harness.clock.advance(29.9)
        self.assertFalse(first.transport.is_half_closed)
        self.harness.clock.advance(0.1)
        self.assertTrue(first.transport.is_half_closed and second.transport.is_half_closed)
        self.harness.settle()
        (found,) = self.harness.store.summaries.values()
        self.assertEqual((found.termination, found.winner), ("limit", 1))

    def test_a_transport_may_pause_again_and_again(self) -> None:
        self.open(stuck_seconds=30.0)
        first, second = self.harness.connect(), self.harness.connect()
        first.session.outbox.pauseProducing()
        first.session.outbox.pauseProducing()
        self.assertEqual(second.transport.producerState, "paused")
        first.session.outbox.resumeProducing()
        first.session.outbox.resumeProducing()
        self.assertEqual(second.transport.producerState, "producing")
        self.harness.clock.advance(100)
        self.assertFalse(first.is_closed)


class ClosingTests(SessionTestCase):
    def test_our_side_is_closed_after_the_last_line(self) -> None:
        first, second = self.pair()
        first.send(LAST + b"\n")
        self.assertEqual(second.received(), LAST + b"\r")
        for client in (first, second):
            self.assertTrue(client.transport.is_half_closed)
            self.assertFalse(client.transport.disconnecting)

    def test_the_rest_leaves_first_and_nobody_is_asked_for_more(self) -> None:
        first, second = self.pair()
        second.handle.takes = 0
        first.send(LAST + b"\n")
        self.assertIsNone(second.transport.producer)
        self.assertEqual(second.transport.drain(), LAST + b"\r")
        self.assertEqual(first.transport.producerState, "producing")

    def test_who_was_paused_is_read_again(self) -> None:
        first, second = self.pair()
        first.handle.takes = 0
        second.send(LINE + b"\n")
        self.assertEqual(second.transport.producerState, "paused")
        first.lose()
        self.assertEqual(second.transport.producerState, "producing")
        self.assertTrue(second.transport.is_half_closed)

    def test_the_peer_has_its_time_to_close(self) -> None:
        first, second = self.pair()
        first.send(LAST + b"\n")
        first.lose()
        self.harness.clock.advance(LINGER - 0.1)
        self.assertFalse(second.transport.disconnected)
        self.harness.clock.advance(0.1)
        self.assertTrue(second.transport.disconnected)
        self.assertFalse(first.transport.disconnected)

    def test_what_comes_after_that_is_read_and_dropped(self) -> None:
        first, second = self.pair()
        first.send(LAST + b"\n")
        second.received()
        first.send(LINE + b"\n")
        self.assertEqual((second.received(), second.transport.value()), (b"", b""))

    def test_closing_twice_is_closing_once(self) -> None:
        first, _ = self.pair()
        first.session.close()
        first.session.close()
        self.assertEqual(len([call for call in self.harness.clock.getDelayedCalls() if call.getTime() == LINGER]), 1)

    def test_another_transport_is_closed_whole(self) -> None:
        self.open()
        first, second = self.harness.connect(), self.harness.connect()
        first.leave()
        self.assertTrue(second.transport.disconnecting)
        self.assertFalse(second.transport.disconnected)
        self.harness.clock.advance(LINGER)
        self.assertTrue(second.transport.disconnected)


class LosingTests(SessionTestCase):
    def test_the_last_text_reaches_the_peer_before_it_is_closed(self) -> None:
        first, second = self.pair()
        second.send(b"one\ntw")
        self.assertEqual(first.received(), b"one\r")
        second.lose()
        self.assertEqual(first.received(), b"tw\r")
        self.assertTrue(first.transport.is_half_closed)
        self.harness.settle()
        (found,) = self.harness.store.summaries.values()
        self.assertEqual((found.termination, found.winner, found.length), ("left", 0, 2))

    def test_a_last_text_may_win(self) -> None:
        first, second = self.pair()
        first.send(LAST)
        first.lose()
        self.assertEqual(second.received(), LAST + b"\r")
        self.harness.settle()
        (found,) = self.harness.store.summaries.values()
        self.assertEqual((found.termination, found.winner), ("victory", 1))

    def test_a_line_that_is_too_long_ends_the_match(self) -> None:
        first, second = self.pair(line_bytes=20)
        with capturedLogs() as logs:
            second.send(LINE + b"\n" + b"x" * 21)
        self.assertEqual(first.received(), LINE + b"\r")
        self.assertTrue(first.transport.is_half_closed and second.transport.is_half_closed)
        (room,) = self.harness.lobby.rooms
        why = (
            'a line is longer than 20 bytes; expected: a line feed after each message; message: "xxxxxxxxxxxxxxxxxxxxx"'
        )
        self.assertEqual(
            sentences(logs),
            [f"refused line-too-long: listener=battleship room={room} seat=1 peer=10.0.0.1:4711: {why}"],
        )
        self.harness.settle()
        (found,) = self.harness.store.summaries.values()
        self.assertEqual((found.termination, found.winner, found.length), ("removed", 0, 1))

    def test_nothing_is_done_to_a_lost_connection(self) -> None:
        self.open()
        client = self.connect()
        client.lose()
        client.received()
        transport = client.transport
        client.session.pause()
        client.session.resume()
        client.session.close()
        client.session.outbox.resumeProducing()
        client.session.outbox.stopProducing()
        client.session.deliver(Started())
        self.assertEqual((client.received(), transport.value(), transport.producerState), (b"", b"", "producing"))
        self.assertFalse(transport.is_half_closed)
        self.assertTrue(client.session.is_gone)

    def test_a_lost_connection_is_counted_out_whatever_happens(self) -> None:
        self.open(connections_per_address=1)
        client = self.connect()

        def broken(_connection: object, _data: bytes) -> None:
            raise ZeroDivisionError

        self.patch(type(client.session.connection), "receive_data", broken)
        client.lose()
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(list(self.harness.factory.sessions), [])
        self.assertIsNotNone(self.harness.factory.buildProtocol(IPv4Address("TCP", "10.0.0.1", 4712)))

    def test_who_is_refused_gets_no_session(self) -> None:
        self.open(connections_per_address=1)
        self.connect("10.0.0.1")
        self.assertIsNone(self.harness.factory.buildProtocol(IPv4Address("TCP", "10.0.0.1", 1)))
        self.connect("10.0.0.2")

    def test_starting_and_stopping_the_listener_needs_nothing(self) -> None:
        self.open()
        self.harness.factory.doStart()
        self.harness.factory.doStop()
        self.assertEqual(self.harness.lobby.rooms, {})


class IsGoneTests(SessionTestCase):
    def setUp(self) -> None:
        self.open()
        self.client = self.connect()

    def test_who_is_there_is_not_gone(self) -> None:
        self.assertFalse(self.client.session.is_gone)
        self.client.end.send(b"early")
        self.assertFalse(self.client.session.is_gone)

    def test_who_has_closed_is_gone_before_it_is_told(self) -> None:
        self.client.end.close()
        self.assertTrue(self.client.session.is_gone)

    def test_with_unread_data_too(self) -> None:
        self.client.end.send(LINE)
        self.client.end.close()
        self.assertTrue(self.client.session.is_gone)

    def test_who_has_half_closed_is_gone(self) -> None:
        self.assertTrue(hasattr(select, "POLLRDHUP"))
        self.client.end.shutdown(socket.SHUT_WR)
        self.assertTrue(self.client.session.is_gone)

    def test_who_has_gone_is_not_paired(self) -> None:
        self.client.end.close()
        second, third = self.connect(), self.connect()
        self.assertEqual(second.received(), b"(3,[]).\r(5,[]).\r")
        self.assertEqual(third.received(), b"(4,[]).\r(5,[]).\r")
        self.assertTrue(self.client.transport.is_half_closed)

    def test_without_a_socket_it_is_not_known(self) -> None:
        wire = self.harness.connect()
        self.assertFalse(wire.session.is_gone)
        wire.leave()
        self.assertTrue(wire.session.is_gone)


class UnreadTests(SessionTestCase):
    """Whether something that may have come in time is still to be served."""

    def setUp(self) -> None:
        self.open()
        self.clock = self.harness.clock
        self.passes = StallClock(self.clock, self.clock.seconds)
        self.harness.factory.passes = self.passes
        self.go_on()
        self.client, self.other = self.connect(), self.connect()
        for client in (self.client, self.other):
            client.send(LINE + b"\n")
        self.session = self.client.session
        self.go_on()

    def go_on(self) -> None:
        """Let three seconds pass, and as many passes of the reactor."""
        for _ in range(3):
            self.clock.advance(1)
            self.passes.note_pass()

    def test_what_lies_in_the_kernel(self) -> None:
        self.assertFalse(self.session.has_unread(inf))
        self.client.end.send(LINE)
        self.assertTrue(self.session.has_unread(self.passes.before))
        self.assertFalse(self.session.has_unread(self.passes.before - 0.001))

    def test_what_was_read_and_waits_for_its_turn(self) -> None:
        self.client.send((LINE + b"\n") * 50)
        self.harness.factory.fair_queue.hold(True)
        self.client.send((LINE + b"\n") * 50)
        arrived = self.session.arrived
        self.assertTrue(self.session.has_unread(arrived))
        self.assertFalse(self.session.has_unread(arrived - 0.001))
        self.go_on()
        # What is read meanwhile is served with it.
        self.client.send(LINE + b"\n")
        self.assertEqual(self.session.arrived, arrived)

    def test_nothing_is_expected_of_who_is_not_heard(self) -> None:
        self.client.end.send(LINE)
        self.session.pause()
        self.assertFalse(self.session.has_unread(inf))
        self.session.resume()
        self.assertTrue(self.session.has_unread(inf))
        self.session.mute()
        self.assertFalse(self.session.has_unread(inf))

    def test_who_is_gone_has_nothing(self) -> None:
        self.client.lose()
        self.assertFalse(self.session.has_unread(inf))

    def test_inside_the_daemon_it_has_arrived_when_it_is_read(self) -> None:
        wire = self.harness.connect()
        wire.send(LINE)
        self.assertEqual(wire.session.arrived, self.clock.seconds())
        self.assertFalse(wire.session.has_unread(inf))

    def test_a_registration_that_lies_in_the_kernel_is_in_time(self) -> None:
        clock = Turns()
        harness = self.harness = Harness("quoridor", UniverseSettings(register_seconds=30.0), clock)
        harness.factory.passes = StallClock(clock, clock.seconds)
        silent, late = self.connect(), self.connect()
        data = registration("Anna")
        late.end.send(data)
        for _ in range(3):
            clock.turn(10)
        clock.turn()
        self.assertEqual([client.transport.is_half_closed for client in (silent, late)], [True, False])
        late.session.dataReceived(late.handle.recv(READ_BYTES))
        for _ in range(3):
            clock.turn(10)
        self.assertFalse(late.transport.is_half_closed)

    def test_so_is_the_end_of_a_message_that_must_end_in_time(self) -> None:
        factory = self.harness.factory
        factory.message_seconds = 4.0
        self.session.connection = Mock(
            self.session.connection, begun=True, unfinished=b"", ending="", **{"close.return_value": b""}
        )
        factory.doStart()
        self.addCleanup(factory.doStop)
        self.clock.advance(1)
        self.client.end.send(LINE)
        for _ in range(6):
            self.clock.advance(1)
        self.assertEqual(self.closed(), [False, False])
        # Later passes have found nothing in the socket: so what is in it now has come later.
        self.go_on()
        with capturedLogs():
            self.clock.advance(1)
        self.assertEqual(self.closed(), [True, True])

    def closed(self) -> list[bool]:
        return [client.transport.is_half_closed for client in (self.client, self.other)]


class MuteTests(SessionTestCase):
    """What is read of a peer that is not heard any more: all, so that no reset overtakes the last line, but slowly."""

    def test_little_is_read_at_a_time(self) -> None:
        self.open()
        self.assertEqual(self.connect().transport.bufferSize, READ_BYTES)

    def test_it_is_read_by_the_accept_throttle_until_its_end(self) -> None:
        self.open()
        put_out: list[object] = []
        accept_throttle: Any = Mock(put_out=put_out.append)
        self.harness.factory.accept_throttle = accept_throttle
        client = self.connect()
        client.session.close()
        self.assertEqual((put_out, client.transport.bufferSize), ([client.transport], MUTE_BYTES))
        for _ in range(3):
            client.send(b"flood" * 1_000)
            self.assertEqual(client.transport.producerState, "producing")
        client.session.readConnectionLost()
        self.assertTrue(client.transport.disconnecting)
        client.lose()
        self.harness.settle()
        self.assertEqual(client.clock.getDelayedCalls(), [])

    def test_a_flood_that_waited_is_read_on_when_its_peer_is_let_go(self) -> None:
        self.open()
        client = self.connect()
        client.session.pause()
        self.assertEqual(client.transport.producerState, "paused")
        client.session.close()
        self.assertEqual(client.transport.producerState, "producing")
