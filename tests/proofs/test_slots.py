"""One second after its game no process of a bot lives: the trials of tests/arena/slot_trials.py, again and again."""

from __future__ import annotations

import time

from tests.arena.caged import CagedTestCase
from tests.arena.slot_trials import TRIALS
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)


class SlotProofs(CagedTestCase):
    def test_nothing_is_left_behind(self) -> None:
        for name in TRIALS:
            begun, times = time.monotonic(), amount(20, 1)
            for _ in range(times):
                self.run_trial("tests.arena.slot_trials", name, PROVE="1")
            print(f"{name}: {times} times, {(time.monotonic() - begun) / times:.2f} s each")
