"""Telnet with a transport of strings: negotiation, login, the line editor, and what strangers send."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.conch.telnet import DO, DONT, ECHO, IAC, IP, NAWS, SB, SE, SGA, WILL, WONT
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IHandshakeListener, ISSLTransport
from twisted.internet.testing import StringTransport
from twisted.logger import capturedLogs
from twisted.python.failure import Failure
from zope.interface import directlyProvides

from gamed.console import entrance
from gamed.console.telnet import LOGIN_SECONDS, STUCK, TelnetFactory
from tests.console.sessions import PASSWORD, ConsoleTestCase, everything
from tests.store.logs import sentences

ASKED = IAC + WILL + ECHO + IAC + WILL + SGA + IAC + DO + NAWS
AGREED = IAC + DO + ECHO + IAC + DO + SGA + IAC + WILL + NAWS + IAC + SB + NAWS + b"\x00\x28\x00\x18" + IAC + SE


class Transport(StringTransport):
    """Has what a TCP transport has beside."""

    aborted = False

    def abortConnection(self) -> None:
        self.aborted = True

    def unregisterProducer(self) -> None:
        self.producer = None

    def resumeProducing(self) -> None:
        self.producerState = "producing"


class TelnetTestCase(ConsoleTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.services.operators.remove(self.operator)
        self.factory = TelnetFactory(self.services, self.accounts, self.entrance)

    def connect(self, port: int = 4711) -> Any:
        address = IPv4Address("TCP", "192.0.2.1", port)
        console_transport = self.factory.buildProtocol(address)
        if console_transport is not None:
            console_transport.makeConnection(Transport(peerAddress=address))
        return console_transport

    def type(self, console_transport: Any, data: bytes) -> bytes:
        """Send bytes, let the reactor turn, and return what comes back."""
        console_transport.transport.clear()
        console_transport.dataReceived(data)
        for _ in range(40):
            self.harness.clock.advance(0.02)
        shown: bytes = console_transport.transport.value()
        return shown

    def lose(self, console_transport: Any) -> None:
        console_transport.connectionLost(Failure(ConnectionDone()))

    def logged_in(self, *, keys: bool = False) -> Any:
        console_transport = self.connect()
        if keys:
            self.type(console_transport, AGREED)
        self.type(console_transport, f"admin\r\n{PASSWORD}\r\n".encode())
        self.assertEqual(len(self.services.operators), 1)
        return console_transport


class LoginTests(TelnetTestCase):
    def test_it_asks(self) -> None:
        self.assertEqual(self.connect().transport.value(), ASKED + b"user: ")

    def test_lines_of_a_client_that_does_not_negotiate(self) -> None:
        console_transport = self.connect()
        self.assertEqual(self.type(console_transport, b"admin\n"), b"password: ")
        shown = self.type(console_transport, PASSWORD.encode() + b"\n")
        self.assertEqual(shown, b"This is gamed. `help` lists the commands.\r\ngamed> ")
        self.assertEqual(self.type(console_transport, b"rooms\n"), b"No room is open.\r\ngamed> ")

    def test_keys_are_shown_and_the_password_is_not(self) -> None:
        console_transport = self.connect()
        self.type(console_transport, AGREED)
        self.assertEqual(self.type(console_transport, b"adx\x7fmin"), b"adx\x1b[1D\x1b[1Pmin")
        self.assertIn(b"password: ", self.type(console_transport, b"\r\0"))
        self.assertEqual(self.type(console_transport, PASSWORD.encode() + b"x\x7f\x1b[A\x1b[D\t"), b"")
        self.assertIn(b"gamed> ", self.type(console_transport, b"\r\0"))
        self.assertNotIn(PASSWORD.encode(), self.type(console_transport, b"\x1b[A"))

    def test_three_wrong_ones_end_it(self) -> None:
        console_transport = self.connect()
        for wrong in (1, 2, 3):
            self.type(console_transport, b"admin\nwrong\n")
            self.harness.clock.advance(2**wrong)
        self.assertTrue(console_transport.transport.disconnecting)
        self.assertEqual(self.harness.lobby.stats.wrong_passwords, {"console": 3})
        self.assertEqual(list(self.services.operators), [])

    def test_what_is_typed_while_the_answer_is_held_back_waits(self) -> None:
        console_transport = self.connect()
        console_transport.transport.clear()
        console_transport.dataReceived(b"admin\nwrong\nadmin\n" + PASSWORD.encode() + b"\nrooms\n")
        self.harness.clock.advance(0)
        self.harness.clock.advance(0.5)
        self.assertEqual(console_transport.transport.producerState, "paused")
        self.assertNotIn(b"wrong", console_transport.transport.value())
        for _ in range(100):
            self.harness.clock.advance(0.02)
        self.assertTrue(console_transport.transport.value().endswith(b"No room is open.\r\ngamed> "))

    def test_who_does_not_log_in(self) -> None:
        console_transport = self.connect()
        with capturedLogs() as logs:
            self.harness.clock.advance(LOGIN_SECONDS)
        self.assertTrue(console_transport.transport.disconnecting)
        self.assertEqual(sentences(logs), ["console: closed: nobody logged in: peer=telnet 192.0.2.1:4711"])

    def test_leaving_while_the_password_is_looked_at(self) -> None:
        console_transport = self.connect()
        self.type(console_transport, b"admin\nwrong\n")
        self.lose(console_transport)
        self.harness.clock.advance(5)
        self.assertEqual((self.factory.console_transports, self.services.limits.count), ({}, 0))

    def test_idle_connections_do_not_keep_an_administrator_out(self) -> None:
        self.patch(entrance, "PLACES", 4)
        console_transports = [self.connect(port) for port in range(4)]
        with capturedLogs() as logs:
            console_transport = self.logged_in()
        self.assertEqual([other.transport.aborted for other in console_transports], [True, False, False, False])
        text = "console: closed: another connection needs its place, and nobody had logged in: peer=telnet 192.0.2.1:0"
        self.assertIn(text, everything(logs))
        for other in (*console_transports, console_transport):
            self.lose(other)
        self.assertEqual((self.factory.console_transports, self.services.limits.count), ({}, 0))

    def test_more_administrators_than_are_wanted(self) -> None:
        self.entrance.open_to(1)
        first, second = self.logged_in(), self.connect()
        said = self.type(second, f"admin\n{PASSWORD}\n".encode())
        self.assertIn(b"all places of operators are taken", said)
        self.assertTrue(second.is_over)
        self.lose(second)
        self.lose(first)
        self.assertFalse(self.logged_in().is_over)

    def test_the_time_to_log_in_goes_on_while_nothing_is_read(self) -> None:
        console_transport = self.connect()
        console_transport.pauseProducing()
        console_transport.resumeProducing()
        self.harness.clock.advance(LOGIN_SECONDS)
        self.assertTrue(console_transport.transport.disconnecting)

    def test_a_connection_that_was_displaced_leaves_no_timer_of_its_login(self) -> None:
        console_transports = [self.connect(port) for port in range(5)]
        self.lose(console_transports[0])
        for console_transport in console_transports[1:]:
            self.lose(console_transport)
        self.assertEqual(self.harness.clock.getDelayedCalls(), [])

    def test_control_c_and_d_end_it(self) -> None:
        for key in (b"\x03", b"\x04", IAC + IP):
            for agreed in (b"", AGREED):
                console_transport = self.connect()
                self.type(console_transport, agreed + key)
                self.assertTrue(console_transport.transport.disconnecting)
                self.lose(console_transport)


class SessionTests(TelnetTestCase):
    def test_logging_in_and_out_is_logged(self) -> None:
        with capturedLogs() as logs:
            self.lose(self.logged_in())
        said = [text for text in everything(logs) if text.startswith("console: ")]
        self.assertEqual(
            said, [f"console: logged {way}: user=admin from=telnet 192.0.2.1:4711" for way in ("in", "out")]
        )
        self.assertEqual(list(self.services.operators), [])

    def test_the_windows_width(self) -> None:
        console_transport = self.logged_in(keys=True)
        self.assertEqual(console_transport.screen.width, 40)
        shown = self.type(console_transport, b"help\r\0")
        self.assertLessEqual(max(map(len, shown.decode().splitlines())), 46)
        self.type(console_transport, IAC + SB + NAWS + b"\x00\x78\x00\x18" + IAC + SE)
        self.assertEqual(console_transport.screen.width, 120)

    def test_history_and_completion(self) -> None:
        console_transport = self.logged_in(keys=True)
        self.assertIn(b"reservations ", self.type(console_transport, b"reser\t"))
        self.assertIn(b"No seat is reserved", self.type(console_transport, b"\r\0"))
        self.assertIn(b"reservations", self.type(console_transport, b"\x1b[A"))
        self.assertIn(b"No seat is reserved", self.type(console_transport, b"\r\0"))
        self.assertIn(
            b"resume  revoke  room  rooms",
            self.type(console_transport, b"r\t").replace(b"records  reload  reservations  ", b""),
        )

    def test_ids_are_completed(self) -> None:
        self.match()
        console_transport = self.logged_in(keys=True)
        self.assertIn(self.room.id[4:].encode(), self.type(console_transport, f"pause {self.room.id[:4]}\t".encode()))

    def test_what_is_watched_stands_above_what_is_typed(self) -> None:
        _, attacker = self.match()
        console_transport = self.logged_in(keys=True)
        self.type(console_transport, f"watch {self.room.id}\r\0stat".encode())
        console_transport.transport.clear()
        attacker.send(b"(1,[0,0]).\n")
        shown = console_transport.transport.value()
        self.assertTrue(shown.startswith(b"\r\x1b[K" + self.room.id[:8].encode()), shown)
        self.assertTrue(shown.endswith(b"(1,[0,0]).\r\ngamed> stat"), shown)
        self.assertIn(b"^C", self.type(console_transport, b"\x03"))
        self.assertEqual(self.room.watchers, ())

    def test_silence_ends_it_but_not_for_who_watches(self) -> None:
        self.match()
        console_transport = self.logged_in()
        self.type(console_transport, f"watch {self.room.id}\n".encode())
        idle = self.config.console.idle_seconds
        self.harness.clock.advance(idle + 1)
        self.assertFalse(console_transport.transport.disconnecting)
        self.type(console_transport, b"watch\n")
        self.harness.clock.advance(idle - 1)
        self.assertFalse(console_transport.transport.disconnecting)
        self.harness.clock.advance(2)
        self.assertTrue(console_transport.transport.disconnecting)

    def test_who_does_not_read_is_dropped(self) -> None:
        console_transport = self.logged_in()
        console_transport.pauseProducing()
        self.assertEqual(console_transport.transport.producerState, "paused")
        for _ in range(100):
            console_transport._notify("x" * 10_000)
        self.assertLess(len(console_transport.transport.value()), 400_000)
        console_transport.resumeProducing()
        self.assertIn(b"messages were discarded", console_transport.transport.value())
        self.harness.clock.advance(STUCK)
        self.assertFalse(console_transport.transport.disconnecting)
        console_transport.pauseProducing()
        self.harness.clock.advance(STUCK)
        self.assertTrue(console_transport.transport.aborted)

    def test_the_terminal_is_given_back(self) -> None:
        console_transport = self.logged_in(keys=True)
        self.assertTrue(self.type(console_transport, b"quit\r\0").endswith(b"\x1b[4l"))
        self.assertTrue(console_transport.transport.disconnecting)


class StrangerTests(TelnetTestCase):
    def refused(self, data: bytes, why: str) -> None:
        console_transport = self.connect()
        with capturedLogs() as logs:
            self.type(console_transport, data)
        self.assertTrue(console_transport.transport.disconnecting)
        self.assertEqual(sentences(logs), [f"console: closed: {why}: peer=telnet 192.0.2.1:4711"])
        self.lose(console_transport)

    def test_a_request_for_a_page(self) -> None:
        self.refused(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "this is not an HTTP server")

    def test_a_line_without_end(self) -> None:
        self.refused(b"x" * 100_000, "a line of more than 4096 bytes")

    def test_a_subnegotiation_without_end(self) -> None:
        self.refused(IAC + SB + NAWS + b"x" * 100_000, "a line of more than 4096 bytes")

    def test_an_escape_sequence_without_end(self) -> None:
        self.refused(AGREED + b"\x1b[" + b"1" * 100_000, "a line of more than 4096 bytes")

    def test_a_telnet_command_that_is_none(self) -> None:
        self.refused(IAC + b"\x01", "broken telnet: ValueError")

    def test_an_empty_subnegotiation(self) -> None:
        console_transport = self.connect()
        self.type(console_transport, IAC + SB + IAC + SE + b"admin\n")
        self.assertFalse(console_transport.transport.disconnecting)

    def test_a_flood_of_negotiations_is_answered_at_its_pace(self) -> None:
        console_transport = self.connect()
        console_transport.transport.clear()
        console_transport.dataReceived((IAC + DO + b"\x2a" + IAC + WILL + b"\x2b") * 10_000)
        self.assertLess(len(console_transport.transport.value()), 1_000)
        self.assertEqual(console_transport.transport.producerState, "paused")

    @settings(deadline=None, max_examples=150)
    @given(
        st.lists(
            st.sampled_from(
                [
                    IAC,
                    WILL,
                    WONT,
                    DO,
                    DONT,
                    SB,
                    SE,
                    ECHO,
                    SGA,
                    NAWS,
                    b"\r",
                    b"\n",
                    b"\0",
                    b"\x1b[",
                    b"\x1bO",
                    b"A",
                    b"\t",
                    b"x",
                ]
            )
            | st.binary(max_size=3),
            max_size=60,
        ),
        st.booleans(),
    )
    def test_whatever_is_sent(self, parts: list[bytes], is_in: bool) -> None:
        """Nothing but a close comes of it; what is wrong with it is one line of the log."""
        console_transport = self.connect()
        if is_in:
            self.type(console_transport, f"admin\n{PASSWORD}\n".encode())
        with capturedLogs() as logs:
            self.type(console_transport, b"".join(parts))
        self.lose(console_transport)
        self.harness.clock.advance(60)
        self.assertLessEqual(len([text for text in sentences(logs) if "wrong user" not in text]), 1, sentences(logs))
        self.assertEqual(self.services.limits.count, 0)


class TLSTests(TelnetTestCase):
    def test_nothing_is_said_before_the_handshake(self) -> None:
        """What is written before it would have the transport paused, and the handshake never read."""
        address = IPv4Address("TCP", "192.0.2.1", 4711)
        console_transport = self.factory.buildProtocol(address)
        transport = Transport(peerAddress=address)
        directlyProvides(transport, ISSLTransport)
        console_transport.makeConnection(transport)
        self.assertEqual(transport.value(), b"")
        self.assertTrue(IHandshakeListener.providedBy(console_transport))
        console_transport.handshakeCompleted()
        self.assertIn(b"user: ", transport.value())
