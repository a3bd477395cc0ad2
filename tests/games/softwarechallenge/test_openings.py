"""Matches that begin with random moves."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import CHANCE, OPENING_PLIES
from gamed.core.lots import Seeded
from gamed.core.match import Opening
from gamed.games.softwarechallenge.seasons.hive import game_type
from gamed.games.softwarechallenge.table import SeasonTable


def table(seed: int, plies: int) -> SeasonTable:
    """Return the table of a fixture, as the lobby makes it."""
    settings = game_type.settings()
    options = {**game_type.options(settings), OPENING_PLIES: plies}
    made = game_type.table(settings, options, Seeded(seed), 0.0)
    assert isinstance(made, SeasonTable)
    made.prepare("room", (), paused=False)
    return made


class OpeningTests(SynchronousTestCase):
    def opening(self, seed: int, plies: int) -> Opening:
        return table(seed, plies).opening

    @given(st.integers(0, 2**63 - 1), st.integers(1, 8))
    @example(5883, 4)
    def test_it_follows_from_the_seed(self, seed: int, plies: int) -> None:
        found = self.opening(seed, plies)
        seats = [CHANCE, *(number % 2 for number in range(plies))]
        self.assertEqual([seat for seat, _ in found], seats[: len(found)])
        if len(found) < len(seats):
            # One more move would have ended the match.
            self.assertEqual(self.opening(seed, plies + 1), found)
        self.assertEqual(self.opening(seed, plies), found)
        # Chance makes the moves that it makes without an opening, so that the pairs' obstacles do not depend on it.
        self.assertEqual(self.opening(seed, 1)[:2], found[:2])
        self.assertNotEqual(self.opening(seed + 1, 8), self.opening(seed, 8))

    @given(st.integers(0, 2**63 - 1))
    def test_a_match_begins_with_it_and_is_not_over(self, seed: int) -> None:
        made = table(seed, 100)
        made.join("", 0.0)
        step = made.join("", 0.0)
        played = [entry.body for entry in step.journal if entry.body is not None]
        self.assertEqual([text.encode() for _, text in made.opening], played)
        self.assertTrue(played)
        self.assertIsNone(made.outcome)
        self.assertTrue(made.is_requested)

    def test_another_opening_replaces_it(self) -> None:
        made = table(7, 4)
        recorded = [(CHANCE, "O -5,5 0,-5 5,-5")]
        made.prepare("room", (), paused=False, opening=recorded)
        self.assertEqual(made.opening, recorded)
