"""Two seasons on one port at once: 100 games, half of them Hive and half of them Blokus, four at a time."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import PATIENT, SCRIPTS, Daemon, free_port, section
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)

GAMES = amount(25, 2)
"""Of each pair of bots."""

SEASONS = ("hive", "blokus")


class SeasonsTests(SynchronousTestCase):
    def test_games_of_both_at_once(self) -> None:
        port = free_port()
        daemon = Daemon(Path(self.mktemp()), more=section("softwarechallenge", port, PATIENT))
        daemon.start()
        self.addCleanup(daemon.kill)
        common = ["--port", str(port), "--games", str(GAMES), "--strategy", "random"]
        bots = [
            subprocess.Popen([SCRIPTS / "gamed", "bot", kind, *common], stdout=subprocess.PIPE, text=True)
            for _ in range(4)
            for kind in SEASONS
        ]
        for bot in bots:
            said, _ = bot.communicate(timeout=600)
            self.assertEqual(bot.returncode, 0, said)
        daemon.settled(4 * GAMES, timeout=60.0)
        records = daemon.records()
        self.assertEqual(Counter(record["kind"] for record in records), dict.fromkeys(SEASONS, 2 * GAMES))
        self.assertLessEqual({record["termination"] for record in records}, {"victory", "draw"})
        self.assertEqual(daemon.unexpected(), [])
        checked = daemon.gamed("export", "--all", str(daemon.directory / "records"))
        self.assertEqual(checked.returncode, 0, checked.stderr)
        files = list((daemon.directory / "records").iterdir())
        outcome = daemon.gamed("check", *map(str, files))
        self.assertEqual((outcome.returncode, len(files)), (0, 4 * GAMES), outcome.stdout[-2000:])
        print(f"\n{4 * GAMES} games of {len(SEASONS)} seasons on one port")
