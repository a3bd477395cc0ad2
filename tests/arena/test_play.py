"""`gamed play` as a user runs it."""

from __future__ import annotations

from tests.arena.caged import CagedTestCase, add_tests
from tests.arena.play_trials import TRIALS


class PlayTests(CagedTestCase):
    """A test for each trial of tests/arena/play_trials.py."""


add_tests(PlayTests, "tests.arena.play_trials", TRIALS, {})
