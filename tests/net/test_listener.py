"""Listening on an endpoint string, and saying clearly why it cannot be."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Callable
from typing import Any

from attrs import frozen
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory
from twisted.internet.tcp import Port
from twisted.internet.testing import MemoryReactorClock, RaisingMemoryReactor
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import ConfigError
from gamed.net.listener import Listener, standard_endpoint
from gamed.net.sockets import HELD_BYTES


class StandardEndpointTests(SynchronousTestCase):
    def listens_on(self, endpoint: str) -> tuple[int, int, str]:
        """Return port, backlog and interface that an endpoint string means."""
        reactor = MemoryReactorClock()
        Listener("battleship", endpoint, Factory(), reactor).privilegedStartService()
        ((port, _, fair_queue, interface),) = reactor.tcpServers
        return port, fair_queue, interface

    def test_both_families_where_there_are_both(self) -> None:
        asked: list[int] = []

        def make(family: int) -> Closable:
            asked.append(family)
            return Closable()

        self.patch(socket, "socket", make)
        endpoint = standard_endpoint(54321)
        self.assertEqual(asked, [socket.AF_INET6])
        self.assertEqual(self.listens_on(endpoint), (54321, 4096, "::"))

    def test_ipv4_alone_where_there_is_no_ipv6(self) -> None:
        def refuse(_family: int) -> None:
            raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")

        self.patch(socket, "socket", refuse)
        endpoint = standard_endpoint(54321)
        self.assertEqual(self.listens_on(endpoint), (54321, 4096, ""))

    def test_a_string_that_is_written_has_the_same_backlog(self) -> None:
        for endpoint, backlog in (
            ("tcp:4711", 4096),
            ("tcp:4711:interface=127.0.0.1", 4096),
            ("tcp6:4711:interface=\\:\\:", 4096),
            ("tcp:4711:backlog=50", 50),
            ("tcp:interface=127.0.0.1:backlog=7:port=4711", 7),
        ):
            self.assertEqual(self.listens_on(endpoint)[1], backlog, endpoint)

    def test_so_have_unix_sockets(self) -> None:
        reactor = MemoryReactorClock()
        Listener("battleship", "unix:/run/gamed", Factory(), reactor).privilegedStartService()
        self.assertEqual(reactor.unixServers[0][2], 4096)


class Closable:
    def close(self) -> None:
        pass


@frozen
class Bound:
    """A port that is bound somewhere."""

    where: object

    def getHost(self) -> object:
        return self.where


@frozen
class Kept:
    """A door that tells what it is to keep."""

    keep: Callable[[Port], None]


class ListenerTests(SynchronousTestCase):
    def error(self, endpoint: str, reactor: Any) -> str:
        service = Listener("battleship", endpoint, Factory(), reactor)
        return str(self.assertRaises(ConfigError, service.privilegedStartService))

    def test_it_listens_before_privileges_are_dropped(self) -> None:
        reactor, factory = MemoryReactorClock(), Factory()
        service = Listener("battleship", "tcp:4711:interface=127.0.0.1", factory, reactor)
        self.assertEqual(reactor.tcpServers, [])
        service.privilegedStartService()
        self.assertEqual(reactor.tcpServers, [(4711, factory, 4096, "127.0.0.1")])
        port: Any = service.port
        self.assertEqual(port.getHost().port, 4711)
        service.startService()
        self.assertEqual(len(reactor.tcpServers), 1)

    def test_where_it_listens_is_told(self) -> None:
        service = Listener("battleship", "tcp:4711", Factory(), MemoryReactorClock())
        self.assertEqual(service.address, "None")
        for where, told in (
            (IPv4Address("TCP", "127.0.0.1", 4711), "127.0.0.1:4711"),
            (IPv6Address("TCP", "::", 4711), "[::]:4711"),
            (UNIXAddress("/run/gamed"), "UNIXAddress('/run/gamed')"),
        ):
            port: Any = Bound(where)
            service.port = port
            self.assertEqual(service.address, told)

    def test_a_string_that_is_no_endpoint_is_named_with_its_section(self) -> None:
        for endpoint in ("nonsense:1", "tcp", "tcp:port", "tcp:1:2:3:4:5:6", "ssl:443:privateKey=/no/such/key.pem"):
            said = self.error(endpoint, MemoryReactorClock())
            self.assertTrue(said.startswith(f'[battleship] endpoint "{endpoint}": '), said)

    def test_a_port_in_use_is_explained(self) -> None:
        taken = OSError(errno.EADDRINUSE, "Address already in use")
        reactor = RaisingMemoryReactor(CannotListenError("", 54321, taken))
        said = self.error("tcp:54321", reactor)
        self.assertEqual(
            said,
            '[battleship] cannot listen on "tcp:54321": Address already in use. If another gamed runs, stop '
            "it; if an outgoing connection holds the port, reserve it (etc/sysctl.d/gamed.conf); or choose another "
            "endpoint.",
        )

    def test_what_the_system_says_has_its_own_remedy(self) -> None:
        for number, remedy in (
            (errno.EADDRNOTAVAIL, "This machine has no such address"),
            (errno.EACCES, "Only root can open a port below 1024"),
        ):
            refused = OSError(number, "refused")
            said = self.error("tcp:54321", RaisingMemoryReactor(CannotListenError("", 54321, refused)))
            self.assertTrue(said.startswith(f'[battleship] cannot listen on "tcp:54321": refused. {remedy}'), said)

    def test_whatever_else_the_system_says_is_told(self) -> None:
        said = self.error("tcp:4711", RaisingMemoryReactor(OSError("no such thing")))
        self.assertTrue(said.startswith('[battleship] cannot listen on "tcp:4711": no such thing. '), said)

    def test_a_port_that_is_not_one_is_named(self) -> None:
        for port in ("99999", "abc", "-1", ""):
            self.assertEqual(
                self.error(f"tcp:{port}", MemoryReactorClock()),
                f'[battleship] endpoint "tcp:{port}": "{port}" is not a port: write a number from 1 to 65535',
            )

    def test_a_kind_that_there_is_not_is_named_with_those_that_there_are(self) -> None:
        self.assertEqual(
            self.error("tpc:28201", MemoryReactorClock()),
            '[battleship] endpoint "tpc:28201": there is no kind "tpc": write "tcp:PORT", "tcp6:PORT" or "ssl:PORT:…"',
        )

    def test_it_stops_listening(self) -> None:
        stopped: list[bool] = []
        service = Listener("battleship", "tcp:4711", Factory(), MemoryReactorClock())
        service.privilegedStartService()
        self.patch(type(service.port), "stopListening", lambda _port: stopped.append(True))
        self.successResultOf(service.stopService())
        self.assertEqual(stopped, [True])

    def test_a_port_is_kept_at_the_door(self) -> None:
        port, kept = Port(0, Factory()), []
        port.socket = socket.socket()
        self.addCleanup(port.socket.close)
        accept_throttle: Any = Kept(kept.append)
        Listener("battleship", "tcp:0", Factory(), MemoryReactorClock(), accept_throttle)._listening(port)
        Listener("battleship", "tcp:0", Factory(), MemoryReactorClock())._listening(port)
        self.assertEqual(kept, [port])

    def test_the_system_holds_little_of_what_peers_send(self) -> None:
        listener = Listener("battleship", "tcp:0", Factory(), MemoryReactorClock(), Kept(lambda _: None))  # type: ignore[arg-type]
        port = Port(0, Factory(), interface="127.0.0.1", reactor=MemoryReactorClock())
        port.socket = listening = socket.create_server(("127.0.0.1", 0))
        listener._listening(port)
        client = socket.create_connection(listening.getsockname())
        accepted = listening.accept()[0]
        for one in (listening, client, accepted):
            self.addCleanup(one.close)
        client.setblocking(False)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        sent = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                sent += client.send(b"x" * 1_000)
        self.assertLess(sent, 4 * HELD_BYTES)

    def test_what_never_listened_stops_all_the_same(self) -> None:
        self.successResultOf(Listener("battleship", "tcp:4711", Factory(), MemoryReactorClock()).stopService())
