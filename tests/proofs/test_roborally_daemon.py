"""Eight bots and two output channels over TCP, many games at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from gamed.core.table import replay
from gamed.games.roborally import game_type
from gamed.records.index import validate
from gamed.records.own import judgement, to_history
from gamed.records.record import document
from tests.daemon import ROOT, Daemon, free_port, running
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.evidence import look, settle

PLAYERS, CHANNELS = 8, 2
KEYS = 'courses = ["doppelhalle"]\nstart_delay = 3600.0\nmessages_per_second = 0.0\nlinger = 1.0\n'
"""All on a course for eight, and a lobby waits for them. The channels acknowledge faster than people would watch."""


class RobotsTests(SynchronousTestCase):
    def test_all_games_come_to_their_ends(self) -> None:
        games, port = amount(10, 2), free_port()
        section = f'[roborally]\nendpoint = "tcp:{port}:interface=127.0.0.1"\n{KEYS}'
        with running(Path(self.mktemp()).resolve(), more=section) as daemon:
            told = self.play(port, games)
            daemon.settled(games)
            settle(daemon.directory)
            self.check_records(daemon, games)
            self.assertEqual(daemon.unexpected(), [])
            self.assertNotIn("finding", daemon.text())
        self.assertEqual((told["won"], told["ends"]), (games, games * CHANNELS))
        self.assertGreater(told["frames"], games * CHANNELS * 6)
        print(f"\n{games} games of {PLAYERS} robots and {CHANNELS} channels in {told['seconds']:.1f} s")

    def play(self, port: int, games: int) -> dict[str, float]:
        command = [sys.executable, "-m", "tests.proofs.robots", *map(str, (port, games, PLAYERS, CHANNELS))]
        done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False, cwd=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found: dict[str, float] = json.loads(done.stdout)
        return found

    def check_records(self, daemon: Daemon, games: int) -> None:
        evidence = look(daemon.directory, "")
        self.assertEqual((len(evidence.stored), dict(evidence.open)), (games, {}))
        for record in evidence.stored.values():
            validate(document(record))
            self.assertEqual(judgement(record).findings, ())
            history = to_history(record)
            table = game_type.table(game_type.settings(), history.options, lambda _draw: Random(0), 0.0)
            for _ in replay(table, history):
                pass
            self.assertEqual(history.outcome, table.game.outcome(table.state))
            self.assertEqual(history.outcome.termination, Termination.VICTORY)
