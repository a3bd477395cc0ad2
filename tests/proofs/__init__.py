"""The long proofs: kills, floods, thousands of games.

`make prove` runs them: PROVE=whole as they are, PROVE=short a short sample of each. Without PROVE they are skipped:
each module takes over `skip`, which trial's test cases look for.
"""

from __future__ import annotations

import os
import resource
from unittest import TestCase

skip = None if os.environ.get("PROVE") else "the proofs run by `make prove`"


def whole() -> bool:
    """Whether the proofs are to run whole: the environment says PROVE=whole."""
    return os.environ.get("PROVE") == "whole"


def amount(in_whole: int, in_short: int) -> int:
    """Return how often something is to be done."""
    return in_whole if whole() else in_short


def raise_descriptors(case: TestCase, most: int | None = None) -> None:
    """Raise the soft limit of file descriptors for one test, to the hard one or `most`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if most is None else min(most, hard), hard))
    case.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))


def raise_own_descriptors() -> None:
    """Raise the soft limit of file descriptors for this process, for good."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
