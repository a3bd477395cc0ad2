"""The long proofs: kills, floods, thousands of games. PROVE=whole runs them whole, otherwise a short sample of each."""

from __future__ import annotations

import os


def whole() -> bool:
    """Whether the proofs are to run whole: the environment says PROVE=whole."""
    return os.environ.get("PROVE", "short") == "whole"


def amount(in_whole: int, in_short: int) -> int:
    """Return how often something is to be done."""
    return in_whole if whole() else in_short
