"""What is to be played: mirrored pairs with equal chance, each game once, and again only where it was nobody's."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from gamed.tournament.results import Result
from gamed.tournament.schedule import Fixture, Plan, derived, distinct, due, pairs, played

ID = "6f0c1f0e-0000-4000-8000-000000000001"
PLANS = st.builds(Plan, st.just(ID), st.integers(0, 2**63 - 1), st.integers(2, 5), st.integers(1, 9))


def result(
    plan: Plan, fixture: Fixture, termination: str = "victory", winner: int | None = 0, digest: str = ""
) -> Result:
    return Result(plan.id_of(fixture), Termination(termination), winner, 10, 1.0, digest or plan.id_of(fixture))


class PlanTests(SynchronousTestCase):
    @given(PLANS)
    def test_everybody_plays_everybody_on_both_seats(self, plan: Plan) -> None:
        games = list(plan.fixtures())
        meetings = Counter(game.seats for game in games)
        both = len(plan.pairings)
        self.assertEqual(len(games), both * plan.games)
        for first, second in plan.pairings:
            self.assertEqual(meetings[first, second], (plan.games + 1) // 2)
            self.assertEqual(meetings[second, first], plan.games // 2)

    @given(PLANS)
    def test_the_legs_of_a_pair_have_one_seed_and_follow_each_other(self, plan: Plan) -> None:
        games = list(plan.fixtures())
        seeds = {(game.pairing, game.pair): plan.seed_of(game) for game in games}
        self.assertEqual(len(set(seeds.values())), len(seeds))
        for game, following in pairwise(games):
            self.assertEqual(plan.seed_of(game), seeds[game.pairing, game.pair])
            if following.leg:
                self.assertEqual((game.pairing, game.pair), (following.pairing, following.pair))
                self.assertEqual(game.seats, following.seats[::-1])

    @given(PLANS)
    def test_no_two_games_have_an_id_and_no_two_programs_a_number(self, plan: Plan) -> None:
        games = list(plan.fixtures())
        self.assertEqual(len({plan.id_of(game) for game in games}), len(games))
        numbers = {plan.bot_seed(game, seat) for game in games for seat in (0, 1)}
        self.assertEqual(len(numbers), 2 * len(games))
        self.assertFalse(numbers & {plan.seed_of(game) for game in games})

    def test_ids_and_seeds_stay_as_they_are(self) -> None:
        """A match that an older gamed began goes on."""
        plan = Plan(ID, 7, 2, 2)
        first = next(plan.fixtures())
        self.assertEqual(plan.id_of(first), "aac67319-4f95-5a8e-8eaa-b88be9142c4f")
        self.assertEqual(plan.seed_of(first), 4158237006578707784)

    @given(st.integers(0, 2**63 - 1), st.integers())
    def test_derived_seeds_are_the_lobbys(self, seed: int, number: int) -> None:
        self.assertTrue(0 <= derived(seed, "x", number) < 2**63)


class DueTests(SynchronousTestCase):
    @given(PLANS, st.randoms(use_true_random=False))
    def test_any_order_of_results_ends_in_the_same_games(self, plan: Plan, random: object) -> None:
        choose = random.choice  # type: ignore[attr-defined]
        results: dict[str, Result] = {}
        number = 0
        while waiting := list(due(plan, results)):
            number += 1
            game = choose(waiting)
            end = choose(["victory", "server-fault"]) if game.attempt < 2 else "draw"
            made = result(plan, game, end, 0 if end == "victory" else None)
            self.assertNotIn(made.id, results)
            results[made.id] = made
        counted = [evolve(game.fixture, attempt=0) for game in played(plan, results)]
        self.assertEqual(counted, list(plan.fixtures()))
        self.assertEqual(number, len(results))

    def test_a_game_that_is_nobodys_is_due_again_with_the_same_chance(self) -> None:
        plan = Plan(ID, 7, 2, 1)
        results: dict[str, Result] = {}
        for attempt in range(5):
            (game,) = due(plan, results)
            self.assertEqual((game.attempt, plan.seed_of(game)), (attempt, plan.seed_of(next(plan.fixtures()))))
            self.assertEqual(plan.bot_seed(game, 0), plan.bot_seed(next(plan.fixtures()), 0))
            made = result(plan, game, "cancelled", None)
            results[made.id] = made
        self.assertEqual(played(plan, results), [])


class PairTests(SynchronousTestCase):
    def test_scores_are_the_first_entrants(self) -> None:
        plan = Plan(ID, 7, 2, 6)
        # Seat 0 always wins, then seat 1, then the first entrant.
        winners = (0, 0, 1, 1, 0, 1)
        results = {
            plan.id_of(game): result(plan, game, winner=won) for game, won in zip(plan.fixtures(), winners, strict=True)
        }
        whole = pairs(plan, played(plan, results))
        self.assertEqual([pair.score for pair in whole], [0.5, 0.5, 1.0])
        self.assertEqual([pair.first_seat for pair in whole], [1.0, 0.0, 0.5])

    def test_a_pair_without_its_second_leg_is_none(self) -> None:
        plan = Plan(ID, 7, 2, 3)
        results = {plan.id_of(game): result(plan, game) for game in plan.fixtures()}
        self.assertEqual([pair.number for pair in pairs(plan, played(plan, results))], [0])

    def test_of_three_entrants_each_two_have_their_own(self) -> None:
        plan = Plan(ID, 7, 3, 4)
        results = {plan.id_of(game): result(plan, game) for game in plan.fixtures()}
        for pairing in range(3):
            self.assertEqual([pair.number for pair in pairs(plan, played(plan, results), pairing)], [0, 1])

    def test_repeated_pairs_count_once(self) -> None:
        plan = Plan(ID, 7, 2, 8)
        digests = ("a", "b", "a", "b", "a", "c", "b", "a")
        results = {
            plan.id_of(game): result(plan, game, digest=digest)
            for game, digest in zip(plan.fixtures(), digests, strict=True)
        }
        whole = pairs(plan, played(plan, results))
        self.assertEqual([pair.number for pair in distinct(whole)], [0, 2, 3])
        # What repeats an earlier pair changes nothing about those before it.
        self.assertEqual(distinct([*whole, evolve(whole[0], number=4)]), distinct(whole))
