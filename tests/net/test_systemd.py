"""The service manager is told, where there is one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, _SystemdParser, connectProtocol
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactor
from twisted.logger import capturedLogs
from twisted.python.failure import Failure
from twisted.python.systemd import ListenFDs
from twisted.trial.unittest import SkipTest, SynchronousTestCase, TestCase

from gamed.config import structure
from gamed.core.errors import ConfigError
from gamed.net import systemd
from gamed.net.systemd import UnusedSocket, Watchdog, activated, credential, notify, port_of, watchdog_seconds
from gamed.registry import games
from gamed.tap import _endpoints, with_credentials
from tests.store.logs import sentences


class NotifyTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.patch(os, "environ", {})

    def manager(self, address: str) -> socket.socket:
        """Return a socket that stands for the service manager."""
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.addCleanup(channel.close)
        channel.bind(address)
        return channel

    def test_a_path(self) -> None:
        # Relative and short: the system allows a name 107 bytes.
        path = Path(self.mktemp())
        path.parent.mkdir(parents=True, exist_ok=True)
        name = os.path.relpath(path)
        channel = self.manager(name)
        os.environ["NOTIFY_SOCKET"] = name
        for state in ("READY=1", "STOPPING=1"):
            notify(state)
            self.assertEqual(channel.recv(100), state.encode())

    def test_an_abstract_name(self) -> None:
        name = f"gamed-test-{os.getpid()}@x"
        channel = self.manager(f"\0{name}")
        os.environ["NOTIFY_SOCKET"] = f"@{name}"
        notify("READY=1")
        self.assertEqual(channel.recv(100), b"READY=1")

    def test_nobody_is_told_where_there_is_nobody(self) -> None:
        def refuse(*_args: object) -> None:
            raise AssertionError("a socket was made")

        self.patch(socket, "socket", refuse)
        notify("READY=1")
        os.environ["NOTIFY_SOCKET"] = ""
        notify("READY=1")
        os.environ["NOTIFY_SOCKET"] = "/somewhere"
        self.assertRaises(AssertionError, notify, "READY=1")

    def test_a_manager_that_does_not_listen_is_no_reason_to_fail(self) -> None:
        os.environ["NOTIFY_SOCKET"] = "/no/such/socket"
        with capturedLogs() as logs:
            notify("STOPPING=1")
        self.assertEqual(
            sentences(logs),
            ["the service manager was not notified of STOPPING=1: [Errno 2] No such file or directory"],
        )


class WatchdogTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.patch(os, "environ", {})
        self.notified: list[str] = []
        self.patch(systemd, "notify", self.notified.append)
        self.clock = Clock()
        self.dog = Watchdog(self.clock)

    def test_it_is_fed_twice_in_its_time(self) -> None:
        os.environ["WATCHDOG_USEC"] = "3000000"
        self.dog.start()
        self.clock.pump([0.5] * 7)
        self.assertEqual(self.notified, ["WATCHDOG=1"] * 3)
        self.dog.stop()
        self.clock.pump([1.0] * 5)
        self.assertEqual(len(self.notified), 3)

    def test_where_there_is_none_nobody_is_fed(self) -> None:
        for environ in (
            {},
            {"WATCHDOG_USEC": "0"},
            {"WATCHDOG_USEC": "x"},
            {"WATCHDOG_USEC": "9", "WATCHDOG_PID": "1"},
        ):
            self.patch(os, "environ", environ)
            self.assertIsNone(watchdog_seconds())
            self.dog.start()
            self.dog.stop()
        self.assertEqual(self.notified, [])

    def test_ours_may_be_named(self) -> None:
        self.patch(os, "environ", {"WATCHDOG_USEC": "500000", "WATCHDOG_PID": str(os.getpid())})
        self.assertEqual(watchdog_seconds(), 0.5)


class HandedOverTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.patch(os, "environ", {})

    def test_sockets_by_name(self) -> None:
        given = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "2", "LISTEN_FDNAMES": "quoridor:battleship"}
        self.patch(_SystemdParser, "_sddaemon", ListenFDs.fromEnvironment(given))
        self.assertEqual(activated("battleship", MemoryReactor()), "systemd:domain=INET6:name=battleship")
        self.assertIsNone(activated("hive", MemoryReactor()))

    def hand_over(self, name: str) -> int:
        """Hand a listening socket over, as systemd does, and return its port."""
        held = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(held.close)
        daemon = ListenFDs([held.fileno()], [name])
        self.patch(_SystemdParser, "_sddaemon", daemon)
        port: int = held.getsockname()[1]
        return port

    def test_the_port_of_a_socket(self) -> None:
        port = self.hand_over("battleship")
        self.assertEqual(port_of(str(activated("battleship", MemoryReactor())), MemoryReactor()), port)
        # Nothing was closed.
        socket.create_connection(("127.0.0.1", port)).close()

    def test_a_listener_has_the_socket_or_its_own_endpoint(self) -> None:
        port = self.hand_over("battleship")
        held = "systemd:domain=INET6:name=battleship"
        for given, found in ((None, [held]), ("", ["", held]), ("tcp:1", ["tcp:1", held])):
            self.assertEqual(_endpoints("battleship", given, 54_321, MemoryReactor()), found)
        self.assertEqual(_endpoints("quoridor", "tcp:1", 4_567, MemoryReactor()), ["tcp:1"])
        error = self.assertRaises(ConfigError, _endpoints, "battleship", f"tcp:{port}", 54_321, MemoryReactor())
        for word in (f'[battleship] endpoint "tcp:{port}"', f"systemd holds port {port}", "systemctl mask --now"):
            self.assertIn(word, str(error))

    def test_no_sockets(self) -> None:
        self.assertIsNone(activated("battleship", MemoryReactor()))

    def test_secrets(self) -> None:
        self.assertEqual(credential("console.password"), "")
        folder = Path(self.mktemp())
        folder.mkdir()
        os.environ["CREDENTIALS_DIRECTORY"] = str(folder)
        self.assertEqual(credential("console.password"), "")
        (folder / "console.password").write_text("open sesame\n")
        self.assertEqual(credential("console.password"), "open sesame")
        (folder / "console.password").write_bytes(b"\xff")
        self.assertRaises(ConfigError, credential, "console.password")

    def test_secrets_stand_in_for_what_the_configuration_does_not_give(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        os.environ["CREDENTIALS_DIRECTORY"] = str(folder)
        for name in ("console", "softwarechallenge"):
            (folder / f"{name}.password").write_text(f"{name}'s")
        config = with_credentials(structure({}, folder))
        self.assertEqual(config.console.password, "console's")
        self.assertEqual(config.listeners["softwarechallenge"].password, "softwarechallenge's")
        config = with_credentials(structure({"console": {"password": "mine"}}, folder))
        self.assertEqual(config.console.password, "mine")


class UnusedSocketTests(TestCase):
    async def test_who_connects_is_closed_and_the_administrator_is_warned(self) -> None:
        held = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(held.close)
        self.patch(_SystemdParser, "_sddaemon", ListenFDs([os.dup(held.fileno())], ["battleship"]))
        unused = UnusedSocket("battleship", "systemd:domain=INET:name=battleship", reactor)
        with capturedLogs() as logs:
            unused.privilegedStartService()
        self.addCleanup(unused.stopService)
        (line,) = sentences(logs)
        self.assertTrue(line.startswith("[battleship] systemd holds a socket for this listener"), line)
        lost: Deferred[bool] = Deferred()

        class Client(Protocol):
            def connectionLost(self, reason: Failure = connectionDone) -> None:
                lost.callback(bool(reason.check(ConnectionDone, ConnectionLost)))

        await connectProtocol(TCP4ClientEndpoint(reactor, *held.getsockname()), Client())
        self.assertTrue(await lost)


class UnitTests(SynchronousTestCase):
    """The shipped units fit each other, and the program."""

    folder = Path(__file__).resolve().parent.parent.parent / "etc" / "systemd"

    def keys(self, name: str) -> dict[str, str]:
        lines = (self.folder / name).read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))

    def test_each_listener_has_its_socket(self) -> None:
        sockets = {self.keys(path.name)["FileDescriptorName"]: path.name for path in self.folder.glob("*.socket")}
        self.assertEqual(set(sockets), set(games()))
        for name, maker in games().items():
            keys = self.keys(sockets[name])
            self.assertEqual(keys["ListenStream"], f"[::]:{maker.port}")
            self.assertEqual((keys["Service"], keys["BindIPv6Only"]), ("gamed.service", "both"))
        self.assertEqual(set(self.keys("gamed.service")["Sockets"].split()), set(sockets.values()))

    def test_the_daemon_is_watched_and_told_ready(self) -> None:
        keys = self.keys("gamed.service")
        self.assertEqual((keys["Type"], keys["WatchdogSec"]), ("notify", "30"))

    def test_a_configuration_that_cannot_be_used_fails_the_reload(self) -> None:
        lines = (self.folder / "gamed.service").read_text().splitlines()
        reload = [line.partition("=")[2] for line in lines if line.startswith("ExecReload=")]
        (start,) = [line for line in lines if line.startswith("ExecStart=")]
        config = start.rpartition(" ")[2]
        self.assertEqual(reload, [f"/opt/gamed/bin/gamed doctor --quick --config {config}", "kill -HUP $MAINPID"])

    def test_its_user_is_made(self) -> None:
        keys = self.keys("gamed.service")
        made = (self.folder.parent / "sysusers.d" / "gamed.conf").read_text().splitlines()[-1].split()
        self.assertEqual((made[:2], keys["User"]), (["u", "gamed"], "gamed"))
        self.assertIn("/var/lib/gamed", made)
        self.assertNotIn("DynamicUser", keys)

    def test_tls_can_be_used_under_it(self) -> None:
        # pyOpenSSL makes its callbacks in memory that is written and executed: seen under systemd 252.
        self.assertNotIn("MemoryDenyWriteExecute", self.keys("gamed.service"))

    def test_it_is_started_again_for_as_long_as_the_database_is_away(self) -> None:
        keys = self.keys("gamed.service")
        self.assertEqual((keys["Restart"], keys["RestartSec"], keys["StartLimitIntervalSec"]), ("on-failure", "5", "0"))

    def test_to_restore_the_service_and_all_its_sockets_are_stopped(self) -> None:
        page = (self.folder.parent.parent / "docs" / "howto" / "install.md").read_text()
        stops = [line.split()[2:] for line in page.splitlines() if line.startswith("systemctl stop")]
        units = {"gamed.service", *self.keys("gamed.service")["Sockets"].split()}
        self.assertEqual([set(stop) for stop in stops], [units, units])

    def test_it_is_exposed_to_little(self) -> None:
        analyze = shutil.which("systemd-analyze")
        if analyze is None:
            raise SkipTest("there is no systemd-analyze")
        command = [analyze, "security", "--offline=true", "--threshold=15", str(self.folder / "gamed.service")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-300:] + done.stderr)
