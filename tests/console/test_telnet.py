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

from gamed.console.telnet import LOGIN_SECONDS, STUCK, TelnetFactory
from tests.console.desks import PASSWORD, DeskTestCase, everything
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


class TelnetTestCase(DeskTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.services.operators.remove(self.operator)
        self.factory = TelnetFactory(self.services, self.accounts, self.entrance)

    def connect(self, port: int = 4711) -> Any:
        address = IPv4Address("TCP", "192.0.2.1", port)
        door = self.factory.buildProtocol(address)
        if door is not None:
            door.makeConnection(Transport(peerAddress=address))
        return door

    def type(self, door: Any, data: bytes) -> bytes:
        """Send bytes, let the reactor turn, and return what comes back."""
        door.transport.clear()
        door.dataReceived(data)
        for _ in range(40):
            self.house.clock.advance(0.02)
        shown: bytes = door.transport.value()
        return shown

    def lose(self, door: Any) -> None:
        door.connectionLost(Failure(ConnectionDone()))

    def logged_in(self, *, keys: bool = False) -> Any:
        door = self.connect()
        if keys:
            self.type(door, AGREED)
        self.type(door, f"admin\r\n{PASSWORD}\r\n".encode())
        self.assertEqual(len(self.services.operators), 1)
        return door


class LoginTests(TelnetTestCase):
    def test_it_asks(self) -> None:
        self.assertEqual(self.connect().transport.value(), ASKED + b"user: ")

    def test_lines_of_a_client_that_does_not_negotiate(self) -> None:
        door = self.connect()
        self.assertEqual(self.type(door, b"admin\n"), b"password: ")
        shown = self.type(door, PASSWORD.encode() + b"\n")
        self.assertEqual(shown, b"This is gamed. `help` lists the commands.\r\ngamed> ")
        self.assertEqual(self.type(door, b"rooms\n"), b"No room is open.\r\ngamed> ")

    def test_keys_are_shown_and_the_password_is_not(self) -> None:
        door = self.connect()
        self.type(door, AGREED)
        self.assertEqual(self.type(door, b"adx\x7fmin"), b"adx\x1b[1D\x1b[1Pmin")
        self.assertIn(b"password: ", self.type(door, b"\r\0"))
        self.assertEqual(self.type(door, PASSWORD.encode() + b"x\x7f\x1b[A\x1b[D\t"), b"")
        self.assertIn(b"gamed> ", self.type(door, b"\r\0"))
        self.assertNotIn(PASSWORD.encode(), self.type(door, b"\x1b[A"))

    def test_three_wrong_ones_end_it(self) -> None:
        door = self.connect()
        for wrong in (1, 2, 3):
            self.type(door, b"admin\nwrong\n")
            self.house.clock.advance(2**wrong)
        self.assertTrue(door.transport.disconnecting)
        self.assertEqual(self.house.lobby.tally.wrong_passwords, {"console": 3})
        self.assertEqual(list(self.services.operators), [])

    def test_what_is_typed_while_the_answer_is_held_back_waits(self) -> None:
        door = self.connect()
        door.transport.clear()
        door.dataReceived(b"admin\nwrong\nadmin\n" + PASSWORD.encode() + b"\nrooms\n")
        self.house.clock.advance(0)
        self.house.clock.advance(0.5)
        self.assertEqual(door.transport.producerState, "paused")
        self.assertNotIn(b"wrong", door.transport.value())
        for _ in range(100):
            self.house.clock.advance(0.02)
        self.assertTrue(door.transport.value().endswith(b"No room is open.\r\ngamed> "))

    def test_who_does_not_log_in(self) -> None:
        door = self.connect()
        with capturedLogs() as logs:
            self.house.clock.advance(LOGIN_SECONDS)
        self.assertTrue(door.transport.disconnecting)
        self.assertEqual(sentences(logs), ["console: closed: nobody logged in: peer=telnet 192.0.2.1:4711"])

    def test_leaving_while_the_password_is_looked_at(self) -> None:
        door = self.connect()
        self.type(door, b"admin\nwrong\n")
        self.lose(door)
        self.house.clock.advance(5)
        self.assertEqual((self.factory.doors, self.services.limits.count), ({}, 0))

    def test_idle_connections_do_not_keep_an_administrator_out(self) -> None:
        doors = [self.connect(port) for port in range(4)]
        with capturedLogs() as logs:
            door = self.logged_in()
        self.assertEqual([other.transport.aborted for other in doors], [True, False, False, False])
        text = "console: closed: somebody else needs the place, and nobody had logged in: peer=telnet 192.0.2.1:0"
        self.assertIn(text, everything(logs))
        for other in (*doors, door):
            self.lose(other)
        self.assertEqual((self.factory.doors, self.services.limits.count), ({}, 0))

    def test_more_administrators_than_are_wanted(self) -> None:
        self.services.limits.total = 1
        door = self.logged_in()
        self.assertIsNone(self.connect())
        self.lose(door)
        self.assertIsNotNone(self.connect())

    def test_the_time_to_log_in_goes_on_while_nothing_is_read(self) -> None:
        door = self.connect()
        door.pauseProducing()
        door.resumeProducing()
        self.house.clock.advance(LOGIN_SECONDS)
        self.assertTrue(door.transport.disconnecting)

    def test_a_connection_that_was_displaced_leaves_no_timer_of_its_login(self) -> None:
        doors = [self.connect(port) for port in range(5)]
        self.lose(doors[0])
        for door in doors[1:]:
            self.lose(door)
        self.assertEqual(self.house.clock.getDelayedCalls(), [])

    def test_control_c_and_d_end_it(self) -> None:
        for key in (b"\x03", b"\x04", IAC + IP):
            for agreed in (b"", AGREED):
                door = self.connect()
                self.type(door, agreed + key)
                self.assertTrue(door.transport.disconnecting)
                self.lose(door)


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
        door = self.logged_in(keys=True)
        self.assertEqual(door.screen.width, 40)
        shown = self.type(door, b"help\r\0")
        self.assertLessEqual(max(map(len, shown.decode().splitlines())), 46)
        self.type(door, IAC + SB + NAWS + b"\x00\x78\x00\x18" + IAC + SE)
        self.assertEqual(door.screen.width, 120)

    def test_history_and_completion(self) -> None:
        door = self.logged_in(keys=True)
        self.assertIn(b"reservations ", self.type(door, b"reser\t"))
        self.assertIn(b"No seat is reserved", self.type(door, b"\r\0"))
        self.assertIn(b"reservations", self.type(door, b"\x1b[A"))
        self.assertIn(b"No seat is reserved", self.type(door, b"\r\0"))
        self.assertIn(
            b"resume  revoke  room  rooms", self.type(door, b"r\t").replace(b"records  reload  reservations  ", b"")
        )

    def test_ids_are_completed(self) -> None:
        self.match()
        door = self.logged_in(keys=True)
        self.assertIn(self.room.id[4:].encode(), self.type(door, f"pause {self.room.id[:4]}\t".encode()))

    def test_what_is_watched_stands_above_what_is_typed(self) -> None:
        _, attacker = self.match()
        door = self.logged_in(keys=True)
        self.type(door, f"watch {self.room.id}\r\0stat".encode())
        door.transport.clear()
        attacker.send(b"(1,[0,0]).\n")
        shown = door.transport.value()
        self.assertTrue(shown.startswith(b"\r\x1b[K" + self.room.id[:8].encode()), shown)
        self.assertTrue(shown.endswith(b"(1,[0,0]).\r\ngamed> stat"), shown)
        self.assertIn(b"^C", self.type(door, b"\x03"))
        self.assertEqual(self.room.watchers, [])

    def test_silence_ends_it_but_not_for_who_watches(self) -> None:
        self.match()
        door = self.logged_in()
        self.type(door, f"watch {self.room.id}\n".encode())
        idle = self.config.console.idle_seconds
        self.house.clock.advance(idle + 1)
        self.assertFalse(door.transport.disconnecting)
        self.type(door, b"watch\n")
        self.house.clock.advance(idle - 1)
        self.assertFalse(door.transport.disconnecting)
        self.house.clock.advance(2)
        self.assertTrue(door.transport.disconnecting)

    def test_who_does_not_read_is_dropped(self) -> None:
        door = self.logged_in()
        door.pauseProducing()
        self.assertEqual(door.transport.producerState, "paused")
        for _ in range(100):
            door._tell("x" * 10_000)
        self.assertLess(len(door.transport.value()), 400_000)
        door.resumeProducing()
        self.assertIn(b"texts were left out", door.transport.value())
        self.house.clock.advance(STUCK)
        self.assertFalse(door.transport.disconnecting)
        door.pauseProducing()
        self.house.clock.advance(STUCK)
        self.assertTrue(door.transport.aborted)

    def test_the_terminal_is_given_back(self) -> None:
        door = self.logged_in(keys=True)
        self.assertTrue(self.type(door, b"quit\r\0").endswith(b"\x1b[4l"))
        self.assertTrue(door.transport.disconnecting)


class StrangerTests(TelnetTestCase):
    def refused(self, data: bytes, why: str) -> None:
        door = self.connect()
        with capturedLogs() as logs:
            self.type(door, data)
        self.assertTrue(door.transport.disconnecting)
        self.assertEqual(sentences(logs), [f"console: closed: {why}: peer=telnet 192.0.2.1:4711"])
        self.lose(door)

    def test_a_request_for_a_page(self) -> None:
        self.refused(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "this is no HTTP server")

    def test_a_line_without_end(self) -> None:
        self.refused(b"x" * 100_000, "a line of more than 4096 bytes")

    def test_a_subnegotiation_without_end(self) -> None:
        self.refused(IAC + SB + NAWS + b"x" * 100_000, "a line of more than 4096 bytes")

    def test_an_escape_sequence_without_end(self) -> None:
        self.refused(AGREED + b"\x1b[" + b"1" * 100_000, "a line of more than 4096 bytes")

    def test_a_telnet_command_that_is_none(self) -> None:
        self.refused(IAC + b"\x01", "broken telnet: ValueError")

    def test_an_empty_subnegotiation(self) -> None:
        door = self.connect()
        self.type(door, IAC + SB + IAC + SE + b"admin\n")
        self.assertFalse(door.transport.disconnecting)

    def test_a_flood_of_negotiations_is_answered_at_its_pace(self) -> None:
        door = self.connect()
        door.transport.clear()
        door.dataReceived((IAC + DO + b"\x2a" + IAC + WILL + b"\x2b") * 10_000)
        self.assertLess(len(door.transport.value()), 1_000)
        self.assertEqual(door.transport.producerState, "paused")

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
        door = self.connect()
        if is_in:
            self.type(door, f"admin\n{PASSWORD}\n".encode())
        with capturedLogs() as logs:
            self.type(door, b"".join(parts))
        self.lose(door)
        self.house.clock.advance(60)
        self.assertLessEqual(len([text for text in sentences(logs) if "wrong user" not in text]), 1, sentences(logs))
        self.assertEqual(self.services.limits.count, 0)


class TLSTests(TelnetTestCase):
    def test_nothing_is_said_before_the_handshake(self) -> None:
        """What is written before it would have the transport paused, and the handshake never read."""
        address = IPv4Address("TCP", "192.0.2.1", 4711)
        door = self.factory.buildProtocol(address)
        transport = Transport(peerAddress=address)
        directlyProvides(transport, ISSLTransport)
        door.makeConnection(transport)
        self.assertEqual(transport.value(), b"")
        self.assertTrue(IHandshakeListener.providedBy(door))
        door.handshakeCompleted()
        self.assertIn(b"user: ", transport.value())
