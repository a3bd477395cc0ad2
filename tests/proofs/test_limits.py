"""Time limits of a real daemon: on a busy machine, and when it is stopped while a limit runs out.

Source: docs/topics/design.md#time.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import define
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import LEFT, MOVE, Entry
from tests.daemon import Daemon, free_port, section
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.evidence import look, settle
from tests.proofs.test_season_time import Slow

GAMES = 20
BUSY = 4
"""Programs that keep each core busy: with one, the daemon is not late often enough."""

LATE = amount(1, 10) * 0.3
"""Seconds after the limit by which the loser must know. In the short form, the machine may have even more to do."""


@define(eq=False)
class Timed(Slow):
    """A client that notes when its game began and when it got the result, by the system clock."""

    began_at: float = 0.0
    """Before the second of the two joined: this process may be late in reading the request, but not in this."""

    heard_at: float = 0.0

    def read(self) -> None:
        super().read()
        if self.is_over and not self.heard_at:
            self.heard_at = time.monotonic()

    @property
    def asked_at(self) -> float:
        return self._asked

    @property
    def is_asked(self) -> bool:
        return bool(self._asked)


def listen(clients: Sequence[Timed], until: float) -> None:
    """Read what arrives until a time."""
    by_socket = {client.socket: client for client in clients}
    while (left := until - time.monotonic()) > 0:
        for ready in select.select(list(by_socket), [], [], left)[0]:
            by_socket[ready].read()
            if by_socket[ready].heard_at:
                del by_socket[ready]
        if not by_socket:
            return


class LimitTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.limit = amount(60, 10)
        self.port = free_port()
        keys = f'password = "x"\nsoft_seconds = {self.limit}\nhard_seconds = {self.limit}'
        self.daemon = Daemon(Path(self.mktemp()), more=section("softwarechallenge", self.port, keys))
        self.daemon.start()
        self.addCleanup(lambda: self.daemon.process.poll() is None and self.daemon.kill())
        self.daemon.load(self.port)

    def games(self) -> list[Timed]:
        """Begin games. Return the clients, which all have got their first messages."""
        clients: list[Timed] = []
        for number in range(1, GAMES + 1):
            clients.append(Timed(self.port, []))
            began_at = time.monotonic()
            clients.append(Timed(self.port, []))
            clients[-1].began_at = clients[-2].began_at = began_at
            while sum(client.is_asked for client in clients) < number:
                listen(clients, time.monotonic() + 0.001)
        return clients

    def entries(self, clients: Sequence[Timed], kind: str) -> list[Entry]:
        """End all, and return the entries of a kind in the records."""
        for client in clients:
            client.socket.close()
        self.daemon.settled(GAMES)
        settle(self.daemon.directory)
        self.assertEqual(self.daemon.unexpected(), [])
        self.daemon.stop()
        stored = look(self.daemon.directory, "").histories()
        return [entry for history in stored.values() for entry in history.of_kind(kind)]

    def test_a_busy_machine_stretches_no_limit(self) -> None:
        busy = [
            subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY * (os.cpu_count() or 1))
        ]
        for process in busy:
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
        time.sleep(1)
        clients = self.games()
        movers = [client for client in clients if client.is_asked]
        listen(clients, time.monotonic() + self.limit + 5)
        took = sorted(mover.heard_at - mover.began_at for mover in movers)
        print(f"\nlimit {self.limit} s, both cores busy, by the wall: {' '.join(f'{seconds:.3f}' for seconds in took)}")
        self.assertEqual(len(took), GAMES)
        self.assertGreaterEqual(took[0], self.limit)
        self.assertLessEqual(took[-1], self.limit + LATE)
        left = self.entries(clients, LEFT)
        print(f"taken {[entry.data['taken'] for entry in left]}, gap {[entry.data['gap'] for entry in left]}")
        self.assertEqual([(entry.data["why"], entry.data["limit"]) for entry in left], [("time", "hard")] * GAMES)
        for entry in left:
            self.assertIn(int(entry.data["taken"]) - int(entry.data["gap"]) - self.limit * 1000, (-1, 0, 1))
            self.assertLessEqual(int(entry.data["gap"]), LATE * 1000)

    def test_who_answers_while_the_daemon_is_stopped_is_in_time(self) -> None:
        clients = self.games()
        movers = [client for client in clients if client.is_asked]
        stop = amount(10, 6)
        limit = min(mover.asked_at for mover in movers) + self.limit
        listen(clients, limit - stop / 2)
        self.daemon.process.send_signal(signal.SIGSTOP)
        time.sleep(stop / 4)
        for mover in movers:
            mover.answer()
        sent = time.monotonic()
        self.assertLess(sent, limit)
        time.sleep(stop * 3 / 4)
        self.daemon.process.send_signal(signal.SIGCONT)
        ends = time.monotonic() + 60
        while not all(client.is_asked for client in clients) and time.monotonic() < ends:
            listen(clients, time.monotonic() + 0.1)
        self.assertFalse(any(client.is_over for client in clients))
        # All have been answered: the other side is asked.
        self.assertTrue(all(client.is_asked for client in clients))
        moved = self.entries(clients, MOVE)
        print(f"\nlimit {self.limit} s, stopped for {stop} s: {len(moved)} of {GAMES} in time")
        print(f"taken {[entry.data['taken'] for entry in moved]}, gap {[entry.data.get('gap') for entry in moved]}")
        self.assertEqual(len(moved), GAMES)
        for entry in moved:
            self.assertGreater(int(entry.data["taken"]), self.limit * 1000)
            self.assertLessEqual(int(entry.data["taken"]) - int(entry.data["gap"]), self.limit * 1000)
