"""The service manager is told, where there is one."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.net.systemd import notify
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
            ["the service manager is not told STOPPING=1: [Errno 2] No such file or directory"],
        )
