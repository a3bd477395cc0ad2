"""Many simultaneous games by gamed's bots: each becomes the right record.

The limit of connections from one address is 512.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.core.history import History
from gamed.games.battleship.fleet import FLEET
from gamed.records.index import validate
from gamed.records.own import judgement, to_history
from gamed.records.record import document
from tests.daemon import ROOT, Daemon, running
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.evidence import bodies, is_last, look, settle

SHORTEST = 2 * (2 * sum(FLEET) - 1)
"""Lines of the shortest game, two for each shot: each shot of the first attacker hits."""


class ManyTests(SynchronousTestCase):
    def test_many_games_at_once(self) -> None:
        games = amount(100, 30)
        with running(Path(self.mktemp()).resolve()) as daemon:
            reports = self.play(daemon, 2 * games)
            settle(daemon.directory)
            histories = self.histories(daemon)
            self.assertEqual(daemon.unexpected(), [])
            self.assertNotIn("finding", daemon.text())
            self.assertEqual(daemon.text().count("recorded: "), games)
            together = self.most_at_once(daemon.text())
        self.assertEqual(len(histories), games)
        self.assertEqual(sorted(self.claims(histories)), sorted(self.claimed(reports)))
        for history in histories:
            self.check_length(history)
        # All connect before the first game is over, or this proof proves little.
        self.assertGreater(together, games // 2)
        seconds = statistics.median(report["seconds"] for report in reports)
        print(f"\n{games} games by our bots, up to {together} at once, median {seconds:.2f} s a game")

    def play(self, daemon: Daemon, bots: int) -> list[dict[str, Any]]:
        command = [sys.executable, "-m", "tests.proofs.bots", "battleship", str(daemon.port), str(bots)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        reports: list[dict[str, Any]] = json.loads(done.stdout)
        return reports

    def histories(self, daemon: Daemon) -> list[History]:
        evidence = look(daemon.directory, "")
        self.assertEqual(evidence.open, {})
        for record in evidence.stored.values():
            validate(document(record))
            self.assertEqual((judgement(record).findings, judgement(record).unjudged), ((), None))
        return [to_history(record) for record in evidence.stored.values()]

    def claims(self, histories: list[History]) -> list[tuple[list[str], bool]]:
        """Return for each seat what it sent and whether it won, by the records."""
        return [
            ([body.decode() for body in bodies(history, seat)], history.outcome == Outcome(Termination.VICTORY, seat))
            for history in histories
            for seat in (0, 1)
        ]

    def claimed(self, reports: list[dict[str, Any]]) -> list[tuple[list[str], bool]]:
        """Return the same by the bots; each says how many shots that were, too."""
        for report in reports:
            self.assertEqual(report["moves"], sum(line.startswith("(1,") for line in report["sent"]))
        return [(report["sent"], report["won"]) for report in reports]

    def check_length(self, history: History) -> None:
        """One line each for every shot and every answer, alternating, of which the last and no other is a 4."""
        lines = [(entry.seat, entry.body or b"") for entry in history.of_kind("line")]
        self.assertEqual(len(lines) % 2, 0)
        self.assertGreaterEqual(len(lines), SHORTEST)
        self.assertLessEqual(len(lines), 400)
        self.assertEqual([seat for seat, _ in lines], [(number + 3) // 2 % 2 for number in range(len(lines))])
        self.assertEqual([is_last(body) for _, body in lines], [False] * (len(lines) - 1) + [True])

    def most_at_once(self, log: str) -> int:
        """Return how many games ran at the same time at most, by the log."""
        running_now, most = 0, 0
        for line in log.splitlines():
            running_now += ("joined: " in line and "seat=1" in line) - ("closed: " in line)
            most = max(most, running_now)
        return most
