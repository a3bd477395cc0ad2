"""Imports that are killed at random moments, again and again, until everything is there.

Source: docs/reference/records.md#the-import ("nothing half-stored").
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.records.index import validate
from gamed.records.record import document
from gamed.store.database import Database
from gamed.store.query import Query
from tests.benchmarks.imports import made
from tests.daemon import SCRIPTS
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)

GAMES = 1_000


class ImportKillTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        (self.folder / "games").mkdir(parents=True)
        made(self.folder / "games", GAMES)
        self.config = self.folder / "gamed.toml"
        self.config.write_text('[store]\nurl = "sqlite:///games.db"\n')
        self.command = [SCRIPTS / "gamed", "import", self.folder / "games", "--config", self.config]

    def forget(self) -> None:
        for file in self.folder.glob("games.db*"):
            file.unlink()

    def stored(self) -> set[str]:
        """Return the ids that are stored, after a look at each record."""
        database = Database(f"sqlite:///{self.folder / 'games.db'}")
        database.thd_open()
        try:
            records = list(database.thd_records())
            for record in records:
                validate(document(record))
            searched = {summary.id for summary in database.thd_find(Query(limit=GAMES))}
            self.assertEqual({record.id for record in records}, searched)
        finally:
            database.thd_close()
        self.assertEqual(len(records), len(searched))
        return searched

    def test_killed_at_random_moments(self) -> None:
        random = Random(3)
        start = time.monotonic()
        subprocess.run(self.command, stdout=subprocess.DEVNULL, check=True)
        whole = time.monotonic() - start
        self.forget()
        before: set[str] = set()
        kills, within = amount(60, 4), 0
        for _ in range(kills):
            with subprocess.Popen(self.command, stdout=subprocess.DEVNULL) as process:
                time.sleep(random.uniform(0, whole))
                process.kill()
            now = self.stored() if (self.folder / "games.db").exists() else set()
            self.assertLessEqual(before, now)
            within += len(before) < len(now) < GAMES
            before = now
            if len(now) == GAMES:
                self.forget()
                before = set()
        done = subprocess.run(self.command, capture_output=True, text=True, check=True)
        documents, _, outcomes = done.stdout.splitlines()[-1].partition(": ")
        counts = {outcome: int(count) for count, outcome in map(str.split, outcomes.split(", "))}
        print(f"\n{kills} imports killed, {within} of them between two records; the last run: {outcomes}")
        self.assertEqual(documents, f"{GAMES} documents")
        found = {"duplicate": len(before), "imported": GAMES - len(before)}
        self.assertEqual(counts, {outcome: count for outcome, count in found.items() if count})
        self.assertEqual(len(self.stored()), GAMES)
