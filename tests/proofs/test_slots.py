"""One second after its game no process of a bot lives: the trials of tests/arena/slot_trials.py, again and again."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from twisted.trial.unittest import SynchronousTestCase

from tests.arena.slot_trials import TRIALS
from tests.arena.test_slots import NAMESPACE, why_not
from tests.daemon import ROOT
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)


class SlotProofs(SynchronousTestCase):
    def test_nothing_is_left_behind(self) -> None:
        if why_not():
            self.skipTest(why_not())
        for name in TRIALS:
            begun, times = time.monotonic(), amount(20, 1)
            for _ in range(times):
                command = [*NAMESPACE, sys.executable, "-m", "tests.arena.slot_trials", name]
                environment = {**os.environ, "PROVE": "1"}
                done = subprocess.run(
                    command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
                )
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            print(f"{name}: {times} times, {(time.monotonic() - begun) / times:.2f} s each")
