"""SSH with a transport of strings: what comes before a login. Logging in is tests/interop/test_console.py's."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.logger import capturedLogs
from twisted.python.failure import Failure

from gamed.console import entrance
from gamed.console.ssh import LOGIN_SECONDS, SSHConsoleFactory
from gamed.console.ssh_keys import AuthorizedKeys
from tests.console.sessions import ConsoleTestCase
from tests.console.test_telnet import Transport
from tests.store.logs import sentences

VERSION = b"SSH-2.0-test\r\n"


class StrangerTests(ConsoleTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.factory = SSHConsoleFactory(self.services, self.accounts, self.entrance)
        self.factory.prepare()

    def connect(self, port: int = 4711) -> Any:
        address = IPv4Address("TCP", "192.0.2.1", port)
        console_transport = self.factory.buildProtocol(address)
        if console_transport is not None:
            console_transport.makeConnection(Transport(peerAddress=address))
        return console_transport

    def lose(self, console_transport: Any) -> None:
        console_transport.connectionLost(Failure(ConnectionDone()))

    def test_it_says_its_version(self) -> None:
        self.assertTrue(self.connect().transport.value().startswith(b"SSH-2.0-gamed\r\n"))

    def test_who_does_not_log_in(self) -> None:
        console_transport = self.connect()
        with capturedLogs() as logs:
            self.harness.clock.advance(LOGIN_SECONDS)
        self.assertTrue(console_transport.transport.aborted)
        self.assertEqual(
            sentences(logs), ["console: closed: nobody logged in, or no session was opened: peer=ssh 192.0.2.1:4711"]
        )

    def test_connections_are_limited_and_counted_out(self) -> None:
        self.patch(entrance, "PLACES", 4)
        console_transports = [self.connect(port) for port in range(5)]
        self.assertEqual(
            [console_transport.transport.aborted for console_transport in console_transports],
            [True, False, False, False, False],
        )
        self.assertEqual(self.services.limits.count, 4)
        for console_transport in console_transports:
            self.lose(console_transport)
        self.assertEqual((self.services.limits.count, self.harness.clock.getDelayedCalls()), (0, []))

    def test_a_message_that_is_none(self) -> None:
        console_transport = self.connect()
        with capturedLogs() as logs:
            console_transport.dispatchMessage(20, b"too short")
        (said,) = sentences(logs)
        self.assertTrue(said.startswith("console: closed: broken SSH: "), said)
        self.assertTrue(console_transport.transport.disconnecting)

    @settings(deadline=None, max_examples=60)
    @given(st.sampled_from([b"", VERSION, VERSION + b"\0\0\0\x0c\x0a\x14"]), st.binary(max_size=200))
    def test_whatever_is_sent(self, begin: bytes, data: bytes) -> None:
        console_transport = self.connect()
        console_transport.dataReceived(begin + data)
        self.lose(console_transport)
        self.harness.clock.advance(1.0)
        self.assertEqual((self.services.limits.count, list(self.services.operators)), (0, [self.operator]))

    def test_keys_are_the_users_alone(self) -> None:
        keys = AuthorizedKeys(lambda: self.reloader.config.console.everybody)
        self.assertEqual(keys.getAuthorizedKeys(b"admin"), [])
        self.assertEqual(keys.getAuthorizedKeys(b"\xff"), [])
