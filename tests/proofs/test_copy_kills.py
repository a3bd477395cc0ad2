"""`gamed store copy`, killed half way, to PostgreSQL and back: the next run goes on, within bounded memory.

Source: docs/howto/operate.md#move-the-records-to-another-database.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import make_url
from twisted.trial.unittest import SynchronousTestCase

from gamed.store.database import Database
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.test_costly_files import MEASURED
from tests.store.examples import record, summary
from tests.store.test_postgres import server

RECORDS = amount(100_000, 2_000)
BODY = b"<body>%s</body>" % (b"<move>D4</move>" * 400)
"""As large as the record of a Go game."""

LARGE, LARGE_BODY = 200, b"<body>%s</body>" % (b"x" * 1_000_000)
"""So many megabytes in few records."""

MEMORY_KIB = 200_000
SECONDS = 600.0


def fill(file: Path, number: int, body: bytes) -> None:
    """Make a database with records of some size."""
    database = Database(f"sqlite:///{file}")
    database.thd_open()
    at_once = max(1, min(1_000, 10_000_000 // len(body)))
    for first in range(0, number, at_once):
        numbers = range(first, min(number, first + at_once))
        database.thd_keep([(record(n, body), summary(n)) for n in numbers])
    database.thd_close()


class CopyKillTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.first, self.second = self.folder / "first.db", self.folder / "second.db"
        self.server = server()
        self.postgres = self.server.database("")

    def started(self, source: object, target: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", MEASURED, "store", "copy", str(source), str(target), "--json"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def killed(self, source: object, target: object, is_half: Callable[[], bool]) -> None:
        """Start a copy, and kill it half way."""
        with self.started(source, target) as process:
            begun = time.monotonic()
            while not is_half():
                self.assertIsNone(process.poll(), "the copy ended before it was killed")
                self.assertLess(time.monotonic() - begun, SECONDS)
                time.sleep(0.01)
            process.kill()

    def copied(self, source: object, target: object) -> int:
        """Copy to the end; return how many records this run has stored."""
        begun = time.monotonic()
        with self.started(source, target) as process:
            output, errors = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 0, errors)
        peak = int(errors.splitlines()[-1].split()[1])
        facts = json.loads(output)
        self.assertTrue(facts["equal"])
        count = int(facts["copied"])
        print(f"\n{count} in {time.monotonic() - begun:.1f} s, {peak / 1024:.0f} MiB at most")
        self.assertLess(peak, MEMORY_KIB)
        return count

    def rows(self) -> int:
        """Return the number of games in PostgreSQL."""
        database = str(make_url(self.postgres).database)
        if self.server.run(database, "SELECT to_regclass('games')") == [(None,)]:
            return 0
        return int(self.server.run(database, "SELECT count(*) FROM games")[0][0])

    def test_there_and_back_killed_half_way(self) -> None:
        fill(self.first, RECORDS, BODY)
        self.killed(self.first, self.postgres, lambda: self.rows() > RECORDS // 2)
        there = self.rows()
        rest = self.copied(self.first, self.postgres)
        self.assertEqual(rest, RECORDS - there)
        self.assertTrue(RECORDS // 2 < there < RECORDS, there)
        log = self.second.with_name("second.db-wal")

        def is_half() -> bool:
            files = [file for file in (self.second, log) if file.exists()]
            return sum(file.stat().st_size for file in files) > self.first.stat().st_size // 2

        self.killed(self.postgres, self.second, is_half)
        rest = self.copied(self.postgres, self.second)
        self.assertTrue(0 < rest < RECORDS, rest)
        self.assertEqual(self.copied(self.first, self.second), 0)

    def test_few_large_records(self) -> None:
        fill(self.first, LARGE, LARGE_BODY)
        self.copied(self.first, self.postgres)
        self.copied(self.postgres, self.second)
