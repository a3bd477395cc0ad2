"""The players: their moves are legal, and the better ones win."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import CHANCE
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus, leader
from gamed.games.softwarechallenge.seasons.blokus.strategy import STRATEGIES, Ahead, Greedy, Strategy, Uniform, valued
from tests.games.softwarechallenge.blokus.test_rules import State, games

BLOKUS = Blokus()


def match(first: Strategy, second: Strategy, seed: int) -> int | None:
    """Return the seat that wins."""
    random = Random(seed)
    state = BLOKUS.apply(BLOKUS.setup({}), CHANCE, BLOKUS.draw(BLOKUS.setup({}), random))
    while BLOKUS.outcome(state) is None:
        state = BLOKUS.apply(state, state.mover, (first, second)[state.mover].choose(state, random))
    return leader(state)


def won(better: Strategy, other: Strategy, count: int) -> int:
    """Return how many matches the first strategy wins, with alternating seats."""
    return sum(
        match(*((better, other) if seed % 2 == 0 else (other, better)), seed) == seed % 2 for seed in range(count)
    )


class StrategyTests(SynchronousTestCase):
    @given(games(), st.sampled_from(sorted(STRATEGIES)), st.integers(0, 2**32))
    @settings(max_examples=20)
    def test_their_moves_are_legal(self, states: list[State], name: str, seed: int) -> None:
        state = states[-1]
        if BLOKUS.outcome(state) is None:
            move = STRATEGIES[name]().choose(state, Random(seed))
            BLOKUS.apply(state, state.mover, move)
            self.assertEqual(STRATEGIES[name]().choose(state, Random(seed)), move, "the same numbers, the same move")

    @given(games())
    @settings(max_examples=10)
    def test_all_placements_are_valued(self, states: list[State]) -> None:
        state = states[-1]
        if BLOKUS.outcome(state) is None:
            self.assertEqual(len(valued(state)), len(BLOKUS.legal_moves(state, state.mover)))

    def test_greed_beats_chance(self) -> None:
        self.assertEqual(won(Greedy(), Uniform(), 4), 4)

    def test_looking_ahead_beats_greed(self) -> None:
        self.assertGreaterEqual(won(Ahead(), Greedy(), 6), 4)
