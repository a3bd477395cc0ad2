"""The conversations with real Racket worlds again and again: none may hang.

Source: docs/specs/quoridor.md. CI wants each ten times, so the short run has no fewer.
"""

from __future__ import annotations

from tests.interop import test_racket
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)


class RacketRoundsTests(test_racket.RacketTests):
    rounds = amount(50, 10)
    timeout = 3_600
