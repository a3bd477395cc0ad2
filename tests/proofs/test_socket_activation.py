"""A restart under socket activation refuses nobody, and a daemon whose reactor hangs does not notify the watchdog.

This process plays systemd: it holds the socket, hands it over as descriptor 3, and listens on the notify socket. Both
are what sd_listen_fds(3) and sd_notify(3) describe.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.registry import games
from tests.daemon import SCRIPTS
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)

LAUNCH = (
    "import os, sys\n"
    "os.dup2(int(sys.argv[1]), 3)\n"
    "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1', LISTEN_FDNAMES='battleship')\n"
    "os.execv(sys.argv[2], sys.argv[2:])\n"
)


@define(eq=False)
class Caller:
    """Connects all the time; counts what is refused or reset before a word was said."""

    port: int
    asked: int = 0
    served: int = 0
    refused: list[str] = field(factory=list)
    stopped: threading.Event = field(factory=threading.Event)

    def run(self) -> None:
        while not self.stopped.is_set():
            self.asked += 1
            try:
                with socket.create_connection(("127.0.0.1", self.port), 20.0) as client:
                    # A client that connects during a restart waits in the kernel's queue, and is served by the next
                    # daemon. One that has a seat already sees its room closed.
                    self.served += client.recv(3) != b""
                    time.sleep(0.02)
            except OSError as error:
                self.refused.append(repr(error))


class ActivationTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.held = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True, backlog=4096)
        self.addCleanup(self.held.close)
        self.port = self.held.getsockname()[1]
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.name = f"gamed-test-{os.getpid()}-{self.port}"
        self.manager.bind(f"\0{self.name}")
        self.manager.settimeout(30)

    def start(self, **environ: str) -> subprocess.Popen[bytes]:
        off = [f"--{name}=" for name in (*games(), "web", "console") if name != "battleship"]
        options = ["-n", "--pidfile=", "gamed", *off]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", LAUNCH, str(self.held.fileno()), SCRIPTS / "twistd", *options],
                cwd=self.folder,
                pass_fds=[self.held.fileno()],
                stdout=log,
                stderr=log,
                env={**os.environ, "NOTIFY_SOCKET": f"@{self.name}", **environ},
            )
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.wait()))
        try:
            while self.manager.recv(100) != b"READY=1":
                pass
        except TimeoutError:
            raise AssertionError((self.folder / "log").read_text()[-3000:]) from None
        return process

    def end(self, process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGTERM)
        process.wait(20)

    def test_restarts_refuse_nobody(self) -> None:
        times = amount(20, 2)
        process = self.start()
        callers = [Caller(self.port) for _ in range(4)]
        threads = [threading.Thread(target=caller.run) for caller in callers]
        for thread in threads:
            thread.start()
        try:
            for _ in range(times):
                time.sleep(0.3)
                self.end(process)
                process = self.start()
        finally:
            for caller in callers:
                caller.stopped.set()
            for thread in threads:
                thread.join(20)
        self.end(process)
        asked, served = sum(caller.asked for caller in callers), sum(caller.served for caller in callers)
        self.assertEqual([error for caller in callers for error in caller.refused], [])
        self.assertGreater(asked, 5 * times)
        self.assertEqual(served, asked)
        print(f"\n{times} restarts under socket activation, {asked} connections, all served")

    def test_the_watchdog_is_fed_by_the_reactor_alone(self) -> None:
        process = self.start(WATCHDOG_USEC="400000")
        for _ in range(5):
            self.assertEqual(self.manager.recv(100), b"WATCHDOG=1")
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        self.manager.settimeout(0.0)
        try:
            while True:
                self.manager.recv(100)
        except BlockingIOError:
            pass
        self.manager.settimeout(1.0)
        self.assertRaises(TimeoutError, self.manager.recv, 100)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(self.manager.recv(100), b"WATCHDOG=1")
        self.end(process)
