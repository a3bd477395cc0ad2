"""Honest paced games while all four listeners are flooded at once, from 400 addresses and in all ways."""

from __future__ import annotations

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.benchmarks.floods import MOST, run
from tests.benchmarks.measuring import Programs
from tests.proofs import amount, raise_descriptors, skip, whole  # noqa: F401 (trial looks for `skip`)

TIMES = 2.0
"""How many times longer than in the quiet time a move may take, at the 99th percentile."""


class FloodTests(SynchronousTestCase):
    def test_no_turn_is_long_and_honest_games_go_on(self) -> None:
        raise_descriptors(self)
        found = run(Path(self.mktemp()), amount(10, 3), Programs())
        print()
        found.report()
        self.assertEqual(found.unexpected, [])
        self.assertGreater(len(found.flooded), len(found.quiet))
        if whole():
            self.assertGreater(len(found.flooded), 0.9 * 2 * len(found.quiet))
            # The processor time of the reactor's thread counts, because the machine has other work.
            self.assertEqual([used for used in found.turns.used if used > MOST], [])
            self.assertLess(found.ratio, TIMES)
