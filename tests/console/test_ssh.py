"""SSH with a transport of strings: what comes before a login. Logging in is tests/interop/test_console.py's."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.logger import capturedLogs
from twisted.python.failure import Failure

from gamed.console.ssh import LOGIN_SECONDS, AuthorizedKeys, SSHConsoleFactory
from tests.console.desks import DeskTestCase
from tests.console.test_telnet import Transport
from tests.store.logs import sentences

VERSION = b"SSH-2.0-test\r\n"


class StrangerTests(DeskTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.factory = SSHConsoleFactory(self.services, self.accounts, self.entrance)
        self.factory.prepare()

    def connect(self, port: int = 4711) -> Any:
        address = IPv4Address("TCP", "192.0.2.1", port)
        door = self.factory.buildProtocol(address)
        if door is not None:
            door.makeConnection(Transport(peerAddress=address))
        return door

    def lose(self, door: Any) -> None:
        door.connectionLost(Failure(ConnectionDone()))

    def test_it_says_its_version(self) -> None:
        self.assertTrue(self.connect().transport.value().startswith(b"SSH-2.0-gamed\r\n"))

    def test_who_does_not_log_in(self) -> None:
        door = self.connect()
        with capturedLogs() as logs:
            self.house.clock.advance(LOGIN_SECONDS)
        self.assertTrue(door.transport.aborted)
        self.assertEqual(
            sentences(logs), ["console: closed: nobody logged in, or nothing was asked for: peer=ssh 192.0.2.1:4711"]
        )

    def test_connections_are_limited_and_counted_out(self) -> None:
        doors = [self.connect(port) for port in range(5)]
        self.assertEqual([door.transport.aborted for door in doors], [True, False, False, False, False])
        self.assertEqual(self.services.limits.count, 4)
        for door in doors:
            self.lose(door)
        self.assertEqual((self.services.limits.count, self.house.clock.getDelayedCalls()), (0, []))

    def test_a_message_that_is_none(self) -> None:
        door = self.connect()
        with capturedLogs() as logs:
            door.dispatchMessage(20, b"too short")
        (said,) = sentences(logs)
        self.assertTrue(said.startswith("console: closed: broken SSH: "), said)
        self.assertTrue(door.transport.disconnecting)

    @settings(deadline=None, max_examples=60)
    @given(st.sampled_from([b"", VERSION, VERSION + b"\0\0\0\x0c\x0a\x14"]), st.binary(max_size=200))
    def test_whatever_is_sent(self, begin: bytes, data: bytes) -> None:
        door = self.connect()
        door.dataReceived(begin + data)
        self.lose(door)
        self.assertEqual((self.services.limits.count, list(self.services.operators)), (0, [self.operator]))

    def test_keys_are_the_users_alone(self) -> None:
        keys = AuthorizedKeys(lambda: self.reloader.config.console.everybody)
        self.assertEqual(keys.getAuthorizedKeys(b"admin"), [])
        self.assertEqual(keys.getAuthorizedKeys(b"\xff"), [])
