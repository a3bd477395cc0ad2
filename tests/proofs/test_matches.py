"""Long matches: of all kinds of programs, killed at any time, and of programs that misbehave.

Source: docs/reference/play.md. Each runs in a PID namespace of its own (tests/proofs/match_proofs.py).
"""

from __future__ import annotations

import os

from tests.arena.caged import CagedTestCase
from tests.proofs import skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.match_proofs import TRIALS, nothing_is_left

LONGEST = 1_750.0
"""Seconds; no proof takes half an hour."""


class MatchProofs(CagedTestCase):
    def test_they_end_as_they_should(self) -> None:
        self.need("swipl", "racket", "Xvfb")
        for name in (*TRIALS, nothing_is_left.__name__):
            print(self.run_trial("tests.proofs.match_proofs", name, LONGEST, PROVE=os.environ["PROVE"]))

    def test_nobody_loses_unfairly(self) -> None:
        print(self.run_trial("tests.proofs.fair_match", "", LONGEST, PROVE=os.environ["PROVE"]))
