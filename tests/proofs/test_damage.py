"""Journals of real games with random damage: what is intact is used, and what is lost is logged.

A real daemon whose database is locked leaves hundreds of games in its journal, ended and running. Each damaged copy of
it is read as a start does; some are given to a real daemon, too.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
import urllib.request
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random

from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import History
from gamed.games.battleship import Settings
from gamed.lobby.recovery import recover
from gamed.records.own import to_history
from gamed.store.journal import FileJournal
from gamed.store.lines import Line, decode
from gamed.testing.harness import Harness
from tests.daemon import Daemon, free_port
from tests.lobby.doubles import Turns
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.clients import Crowd
from tests.proofs.evidence import open_rooms
from tests.store.pump import Pump

KINDS = ("flip", "cut", "end", "zeroes", "swap")
LEAST = 20
"""Ended games that the journal is to hold."""


def damaged(content: bytes, kind: str, random: Random) -> bytes:
    """Return a damaged file: a flipped bit, missing bytes, a missing end, zeroes, or two swapped lines."""
    at, size = random.randrange(len(content)), random.choice((1, 40, 512, 4096))
    if kind == "flip":
        return content[:at] + bytes([content[at] ^ (1 << random.randrange(8))]) + content[at + 1 :]
    if kind == "cut":
        return content[:at] + content[at + size :]
    if kind == "end":
        return content[:at]
    if kind == "zeroes":
        return (content[:at] + bytes(size) + content[at + size :])[: len(content)]
    lines = content.splitlines(keepends=True)
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def whole_lines(content: bytes) -> dict[str, dict[int, Line]]:
    """Return the intact lines, by room and number, without using the reader under test."""
    found: dict[str, dict[int, Line]] = {}
    for text in content.split(b"\n"):
        try:
            line = decode(text + b"\n")
        except ValueError:
            continue
        found.setdefault(line.room, {})[line.seq] = line
    return found


def is_whole(history: History, lines: Mapping[int, Line]) -> bool:
    """Whether all lines of a game are there."""
    return all(number in lines for number in range(1 + len(history.entries) + len(history.refused)))


class DamageTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.web = free_port()
        self.daemon = Daemon(self.folder, more=f'[web]\nendpoint = "tcp:{self.web}:interface=127.0.0.1"\n')
        self.addCleanup(lambda: self.daemon.process.poll() is None and self.daemon.kill())

    def played(self) -> bytes:
        """Return the one segment of a daemon that was killed while its database was locked."""
        self.daemon.start()
        crowd = Crowd(self.daemon.port, 40, Random(1))
        with closing(crowd), closing(sqlite3.connect(self.folder / "gamed.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            begun = time.monotonic()
            while self.daemon.text().count("] ended: ") < amount(60, LEAST):
                self.assertLess(time.monotonic() - begun, 120)
                crowd.run(0.2)
            self.daemon.kill()
        (segment,) = (self.folder / "journal").glob("*.journal")
        return segment.read_bytes()

    def test_no_result_that_is_whole_is_lost_and_what_is_lost_is_said(self) -> None:
        content, truth = self.played(), open_rooms(self.folder)
        ended = [room for room, history in truth.items() if history.outcome is not None]
        self.assertGreaterEqual(len(ended), LEAST)
        random, stats = Random(300), Counter[str]()
        times = amount(300, 25)
        for number in range(times):
            kind = KINDS[number % len(KINDS)]
            self.check(truth, damaged(content, kind, random), content, kind, stats)
        twice = sum(len(line) for line in content.splitlines(keepends=True)) - sum(
            len(set_) for set_ in set(content.splitlines(keepends=True))
        )
        print(
            f"\n{times} damaged journals of {len(content)} bytes, {len(truth)} games, {len(ended)} ended: "
            f"{dict(stats)}; what stands twice: {twice // len(ended)} bytes a game of {len(content) // len(truth)}"
        )
        self.assertGreater(stats["results lost and said"], 0)

    def check(
        self, truth: Mapping[str, History], content: bytes, before: bytes, kind: str, stats: Counter[str]
    ) -> None:
        directory = Path(self.mktemp())
        directory.mkdir()
        (directory / "00000001.journal").write_bytes(content)
        journal = FileJournal(directory, durability="process", reactor=Pump())
        with capturedLogs() as logs:
            journal.start()
            harness = Harness("battleship", Settings(), Turns(), journal)  # type: ignore[arg-type]
            recover(harness.lobby)
            journal.stop()
        self.assertEqual(self.flushLoggedErrors(), [])
        said = "\n".join(formatEvent(log) for log in logs)
        lines, lost = whole_lines(content), 0
        for room, history in truth.items():
            record = harness.store.records.get(room)
            found = None if record is None else to_history(record)
            if is_whole(history, lines.get(room, {})) and history.outcome is not None:
                self.assertEqual(found, history)
            elif history.outcome is not None and (found is None or found.outcome != history.outcome):
                lost += 1
                # The log must name each lost game of which at least one line is left.
                self.assertTrue(room in said or room not in lines, f"{kind}: {room} is not in {said}")
            if found is not None:
                kept = found.entries[:-1]
                self.assertEqual(kept, history.entries[: len(kept)])
        stats[f"results of {kind} lost"] += lost
        stats["results lost and said"] += lost
        aside = directory / "00000001.damaged"
        if aside.exists():
            stats[f"{kind} kept aside"] += 1
            self.assertEqual(aside.read_bytes(), content)
            self.assertEqual(journal.damaged, [aside])
        else:
            # The order of lines of different rooms means nothing, and a cut between two lines cannot be seen.
            self.assertTrue(kind == "swap" or before.startswith(content), kind)
            stats[f"{kind} harmless"] += 1
            self.assertEqual(lost, 0 if kind == "swap" else lost)
        shutil.rmtree(directory)

    def test_a_daemon_says_it_until_the_segment_is_removed(self) -> None:
        content = self.played()
        # On a busy machine the database is locked for so long that the daemon says so.
        said = len(self.daemon.unexpected())
        (segment,) = (self.folder / "journal").glob("*.journal")
        lines = content.splitlines(keepends=True)
        lines[len(lines) // 2] = b"X" + lines[len(lines) // 2][1:]
        segment.write_bytes(b"".join(lines))
        self.daemon.start()
        aside = segment.with_suffix(".damaged")
        self.assertIn(f"{aside.name}", self.get("/readyz"))
        self.assertIn('"ok": true', self.get("/readyz"))
        self.assertIn('gamed_warning{part="journal"} 1.0', self.get("/metrics"))
        self.assertIn(f"{aside} is damaged; it is kept until you remove it", self.daemon.text())
        self.assertIn(f"{aside} is damaged", self.daemon.gamed("doctor").stdout.replace("\n", " "))
        aside.unlink()
        self.assertIn('"warnings": {}', self.get("/readyz"))
        self.daemon.stop()
        self.assertEqual([line for line in self.daemon.unexpected()[said:] if "until you remove it" not in line], [])

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.web}{path}", timeout=10) as answer:
            text: str = answer.read().decode()
        return text
