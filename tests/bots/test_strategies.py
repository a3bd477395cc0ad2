"""What the strategies of all games have in common."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.registry import game_types
from tests.records.test_every_end import SETTINGS


class StrategyTests(SynchronousTestCase):
    def test_each_hosted_game_has_a_bot_that_is_greedy_and_one_that_plays_at_random(self) -> None:
        for kind in SETTINGS:
            players = game_types()[kind].players
            self.assertLessEqual({"greedy", "random"}, set(players), kind)
            self.assertNotEqual(next(iter(players)), "random", kind)
            for make in players.values():
                self.assertFalse(make(Random(1)).is_done, kind)
