"""A real daemon in a separate process, for interop tests, proofs and benchmarks."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from itertools import cycle
from pathlib import Path

from gamed.registry import games

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(sys.executable).parent
UNEXPECTED = ("Traceback", "Unhandled", "#critical", "#error")

PATIENT = "soft_seconds = 600.0\nhard_seconds = 600.0"
"""Keys of Hive's listener: no client loses by time, however busy the machine is."""

BLOCK = 200
"""So many ports are this process's own: tests run in several processes at a time."""


@cache
def _ports() -> Iterator[int]:
    """Yield the ports of a block that no other test process uses, repeatedly.

    They are below Linux's range for outgoing connections: inside it a client could take a port while a daemon restarts.
    The name that marks the block is gone with the process.
    """
    for start in random.sample(range(20_000, 32_000, BLOCK), 12_000 // BLOCK):
        mark = socket.socket(socket.AF_UNIX)
        try:
            mark.bind(f"\0gamed-tests-{start}")
        except OSError:
            mark.close()
        else:
            atexit.register(mark.close)
            return cycle(range(start, start + BLOCK))
    raise AssertionError("all ports for tests are in use")


def free_port() -> int:
    """Return a free TCP port that no other test gets soon."""
    for port in _ports():
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError


def section(name: str, port: int, keys: str) -> str:
    """Return the configuration section of a listener."""
    return f'[{name}]\nendpoint = "tcp6:{port}:interface=\\\\:\\\\::backlog=4096"\n{keys}\n'


class Daemon:
    """`twistd -n gamed` in a directory, on a port of its own. `battleship`: keys of that section, as TOML.

    `quoridor`: the same for that listener, which has a port of its own, too; None: there is no such section. Listeners
    that have no section in the file of the configuration are off, so that many daemons can run at a time. `store`:
    further keys of that section. `more`: further sections. `scripts`: the directory with the `twistd` that is run.
    """

    def __init__(  # noqa: PLR0913 (what a configuration can have)
        self,
        directory: Path,
        *,
        battleship: str = "",
        quoridor: str | None = None,
        durability: str = "process",
        store: str = "",
        more: str = "",
        scripts: Path = SCRIPTS,
    ) -> None:
        self.directory = directory = directory.resolve()
        directory.mkdir(parents=True, exist_ok=True)
        self.port, self.quoridor_port = free_port(), free_port()
        self.config = directory / "gamed.toml"
        text = f'[store]\ndurability = "{durability}"\n{store}{section("battleship", self.port, battleship)}'
        if quoridor is not None:
            text += section("quoridor", self.quoridor_port, quoridor)
        self.config.write_text(text + more)
        self.log = directory / "daemon.log"
        self.program = [scripts / "twistd"]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, timeout: float = 60.0) -> float:
        """Start, wait for `ready`, and return the seconds that it took."""
        begun = time.monotonic()
        already = self.log.stat().st_size if self.log.exists() else 0
        self.launch()
        while b"#info] ready" not in self.log.read_bytes()[already:]:
            if self.process.poll() is not None or time.monotonic() - begun > timeout:
                # Nobody else knows about the process yet, and could end it.
                self.kill()
                raise AssertionError(f"not ready, exit status {self.process.returncode}: {self.text()[-2000:]}")
            time.sleep(0.01)
        return time.monotonic() - begun

    def load(self, port: int) -> None:
        """Connect once and leave: what serves a port is imported and made for its first connection only.

        A test whose figures the tenths of a second that this takes would spoil calls it.
        """
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            client.shutdown(socket.SHUT_WR)
            while client.recv(4096):
                pass

    def launch(self) -> None:
        """Start without waiting."""
        text = self.config.read_text()
        off = [f"--{name}=" for name in (*games(), "console", "web") if f"[{name}]" not in text]
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*self.program, "-n", "--pidfile=", "gamed", "--config", self.config, *off],
                cwd=self.directory,
                stdout=out,
                stderr=subprocess.STDOUT,
            )

    def stop(self) -> float:
        """Send SIGTERM, check that the process ends as expected, and return the seconds that it took."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=20)
        if status not in (0, -signal.SIGTERM):
            raise AssertionError(f"exit status {status}: {self.text()[-2000:]}")
        return time.monotonic() - begun

    def kill(self) -> None:
        """Kill the process without warning."""
        self.process.kill()
        self.process.wait()

    def text(self) -> str:
        """Return the log."""
        return self.log.read_text(errors="replace")

    def unexpected(self) -> list[str]:
        """Return the unexpected lines of the log."""
        return [line for line in self.text().splitlines() if any(word in line for word in UNEXPECTED)]

    def gamed(self, *arguments: str, timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
        """Run a `gamed` command with this daemon's configuration, and return its output."""
        command = [SCRIPTS / "gamed", *arguments, "--config", self.config]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)

    def records(self) -> list[dict[str, object]]:
        """Return the records as `gamed records list --json` prints them."""
        done = self.gamed("records", "list", "--json", "--limit", "100000")
        if done.returncode:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)

    def settled(self, games: int, timeout: float = 10.0) -> None:
        """Wait until so many games are recorded."""
        self.logs("#info] recorded: ", games, timeout)

    def logs(self, text: str, times: int = 1, timeout: float = 60.0) -> None:
        """Wait until the log has a text so many times: a daemon says some things only when it has time for that."""
        begun = time.monotonic()
        while self.text().count(text) < times:
            if time.monotonic() - begun > timeout:
                raise AssertionError(f"not in the log: {text}, {times} times: {self.text()[-2000:]}")
            time.sleep(0.02)

    def export(self, record: str) -> bytes:
        """Return a record's XML document."""
        done = self.gamed("records", "export", record)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout.encode()

    def cpu_seconds(self) -> float:
        """Return the CPU time of the process so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self) -> int:
        """Return the memory of the process."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def running(directory: Path, **options: str) -> Iterator[Daemon]:
    """Run a daemon during a with-block: stop it cleanly at the end, kill it after a failure."""
    daemon = Daemon(directory, **options)
    daemon.start()
    try:
        yield daemon
        daemon.stop()
    finally:
        if daemon.process.poll() is None:
            daemon.kill()
