"""A database that hangs while games run: PostgreSQL that is stopped, killed and started again, SQLite that is locked.

The clients run in this process and note every byte.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

from sqlalchemy import make_url
from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import Daemon, free_port
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.clients import Crowd
from tests.proofs.evidence import settle
from tests.store.test_postgres import BACKENDS, server

WITHIN = 5.0
"""Seconds within which the failure is reported everywhere, and the daemon stops."""


class SilentTests(SynchronousTestCase):
    def begin(self, store: str = "") -> None:
        self.web = free_port()
        more = f'[web]\nendpoint = "tcp:{self.web}:interface=127.0.0.1"\n'
        self.daemon = Daemon(Path(self.mktemp()).resolve(), store=store, more=more)
        self.addCleanup(lambda: self.daemon.process.poll() is None and self.daemon.kill())
        self.daemon.start()
        self.crowd = Crowd(self.daemon.port, 20, Random(5))
        self.addCleanup(lambda: self.crowd.close())  # noqa: PLW0108 (the one of the time)

    def asked(self, path: str) -> tuple[int, dict[str, object]]:
        """Return status and body of the answer, which must come in time."""
        begun = time.monotonic()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.web}{path}", timeout=20) as answer:
                found = answer.status, json.load(answer)
        except urllib.error.HTTPError as answer:
            found = answer.code, json.load(answer)
        self.assertLess(time.monotonic() - begun, WITHIN)
        return found

    def until(self, done: Callable[[], object], within: float) -> float:
        """Continue playing until a condition holds; return the seconds."""
        begun = time.monotonic()
        while not done():
            self.crowd.run(0.1)
            if time.monotonic() - begun > within:
                raise AssertionError(f"not within {within} seconds: {self.daemon.text()[-3000:]}")
        return time.monotonic() - begun

    def is_said(self, before: int) -> bool:
        """Whether the log, `/readyz` and the metrics report it."""
        status, body = self.asked("/readyz")
        metrics = urllib.request.urlopen(f"http://127.0.0.1:{self.web}/metrics", timeout=20).read().decode()
        timeouts = float(re.findall(r"^gamed_store_timeouts_total (\S+)$", metrics, re.MULTILINE)[0])
        said = self.daemon.text().count("has not answered for")
        return status == 503 and "store" in body["problems"] and timeouts > before and said > 0

    def is_ready(self) -> bool:
        return self.asked("/readyz")[0] == 200

    def stopped(self) -> float:
        """Stop the daemon; return the seconds that it took."""
        took = self.daemon.stop()
        self.assertLess(took, WITHIN)
        known = ("not recorded: ", "has not answered for")
        self.assertEqual([line for line in self.daemon.unexpected() if not any(word in line for word in known)], [])
        self.assertEqual([line for line in self.daemon.text().splitlines() if "journal: " in line], [])
        return took

    def check_records(self) -> int:
        """Have what is in the journal stored; each game that ended is there, once."""
        self.crowd.close()
        self.daemon.start()
        settle(self.daemon.directory)
        # With two peers, because one that waited for a partner leaves no record.
        ended = set(re.findall(r"\] ended: room=\S+ record=(\S+) .* peers=\S+,\S+$", self.daemon.text(), re.MULTILINE))
        self.assertGreater(len(ended), 5)
        records = [str(record["id"]) for record in self.daemon.records()]
        self.daemon.stop()
        self.assertEqual(len(records), len(set(records)))
        lost = ended - set(records)
        self.assertEqual([line for line in self.daemon.text().splitlines() if any(one in line for one in lost)], [])
        return len(records)


class PostgresTests(SilentTests):
    def setUp(self) -> None:
        self.server = server()
        self.url = self.server.database()
        self.addCleanup(self.server.start_again)

    def backend(self) -> int:
        rows = self.server.run(str(make_url(self.url).database), f"{BACKENDS} AND pid != pg_backend_pid()")
        return rows[0][0]

    def stop_between_transactions(self, backend: int) -> None:
        """Stop a backend that holds no locks: with some, it would also block the one that replaces it."""
        query = f"SELECT 1 FROM pg_stat_activity WHERE pid = {backend} AND state = 'idle'"
        os.kill(backend, signal.SIGSTOP)
        while not self.server.run(str(make_url(self.url).database), query):
            os.kill(backend, signal.SIGCONT)
            self.crowd.run(0.05)
            os.kill(backend, signal.SIGSTOP)

    @contextmanager
    def hanging(self, *, between_transactions: bool = False) -> Iterator[None]:
        """Have the backend hang that the daemon is connected to."""
        backend = self.backend()
        try:
            if between_transactions:
                self.stop_between_transactions(backend)
            else:
                os.kill(backend, signal.SIGSTOP)
            yield
        finally:
            os.kill(backend, signal.SIGCONT)

    def test_a_backend_that_hangs(self) -> None:
        self.begin(f'url = "{self.url}"\n')
        said, again = [], []
        for number in range(amount(5, 1)):
            self.crowd.run(1.0)
            with self.hanging():
                said.append(self.until(lambda n=number: self.is_said(n), WITHIN))
                self.assertEqual(self.asked("/api/v1/records")[0], 503)
                self.crowd.run(2.0)
            again.append(self.until(self.is_ready, 15.0))
            self.assertEqual(self.asked("/api/v1/records")[0], 200)
        with self.hanging():
            self.until(lambda: self.is_said(len(said)), WITHIN)
            took = self.stopped()
        with self.subTest("just before the stop"):
            self.daemon.start()
            self.crowd.close()
            self.crowd = Crowd(self.daemon.port, 20, Random(6))
            self.crowd.run(1.0)
            with self.hanging():
                self.crowd.run(1.0)
                at_once = self.stopped()
        print(
            f"\nhanging {len(said)} times: said within {max(said):.1f} s, ready {max(again):.1f} s after its end, "
            f"SIGTERM {took:.1f} s and {at_once:.1f} s, {self.check_records()} records"
        )

    def test_a_backend_that_hangs_for_good_is_replaced(self) -> None:
        self.begin(f'url = "{self.url}"\n')
        self.crowd.run(1.0)
        with self.hanging(between_transactions=True):
            self.until(lambda: self.is_said(0), WITHIN)
            took = self.until(self.is_ready, 60.0)
        print(f"\nready after {took:.0f} s with another backend, {self.stopped() and self.check_records()} records")

    def test_a_server_that_is_killed_and_started_under_load(self) -> None:
        self.begin(f'url = "{self.url}"\n')
        for _ in range(amount(5, 1)):
            self.crowd.run(1.0)
            self.server.stop()
            self.until(lambda: not self.is_ready(), WITHIN)
            self.crowd.run(2.0)
            self.server.start()
            self.until(self.is_ready, 15.0)
        self.server.stop()
        self.crowd.run(1.0)
        took = self.stopped()
        self.server.start()
        print(f"\nkilled {amount(5, 1) + 1} times: SIGTERM without it {took:.1f} s, {self.check_records()} records")


class SqliteTests(SilentTests):
    def test_a_file_that_another_process_locks(self) -> None:
        self.begin()
        self.crowd.run(1.0)
        with closing(sqlite3.connect(self.daemon.directory / "gamed.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            said = self.until(lambda: self.is_said(0), WITHIN)
            took = self.stopped()
        print(f"\nlocked: said within {said:.1f} s, SIGTERM {took:.1f} s, {self.check_records()} records")
