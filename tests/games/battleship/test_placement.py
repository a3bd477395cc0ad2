"""Placing fleets within the quotas, and answering shots truthfully."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, repeat
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import GamedError
from gamed.games.battleship.fleet import (
    BOARD,
    FLEET,
    HIT,
    LAST_SUNK,
    PLACEMENTS,
    SUNK,
    WATER,
    cells,
    full_rim,
)
from gamed.games.battleship.placement import (
    FAILED_BOARDS,
    FAILED_TRIES,
    Defence,
    PlacementError,
    place_fleet,
)

Try = tuple[int, int]

WEST, EAST, NORTH, SOUTH = range(4)

# A ship that starts in the last column and runs east has no room, wherever its fleet stands.
FAILURE: Try = (9, EAST)
GOOD: tuple[Try, ...] = tuple((20 * lane, EAST) for lane in range(5))
GOOD_FLEET = (0b11111, 0b1111 << 20, 0b111 << 40, 0b111 << 60, 0b11 << 80)


class ScriptedRandom(Random):
    """Draws the tries it is given, in order; `drawn` counts them."""

    def __init__(self, tries: Iterator[Try]) -> None:
        super().__init__(0)
        self.drawn = 0
        self._tries = tries
        self._direction: int | None = None

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """Return the next cell of 100, then its direction of 4."""
        assert (stop, step) == (None, 1)
        if start == 4:
            assert self._direction is not None
            direction, self._direction = self._direction, None
            return direction
        assert start == 100
        cell, self._direction = next(self._tries)
        self.drawn += 1
        return cell


def scripted(*parts: tuple[Try, ...]) -> ScriptedRandom:
    """Return a generator that draws the parts, one after the other."""
    return ScriptedRandom(chain.from_iterable(parts))


class QuotaTests(SynchronousTestCase):
    def test_the_first_try_of_each_ship_may_do(self) -> None:
        random = scripted(GOOD)
        self.assertEqual(place_fleet(random), GOOD_FLEET)
        self.assertEqual(random.drawn, 5)

    def test_a_hundred_failed_tries_of_a_ship_are_allowed(self) -> None:
        random = scripted((FAILURE,) * 100, GOOD)
        self.assertEqual(place_fleet(random), GOOD_FLEET)

    def test_the_tries_are_refilled_after_each_ship(self) -> None:
        random = scripted(*(((FAILURE,) * 100 + (good,)) for good in GOOD))
        self.assertEqual(place_fleet(random), GOOD_FLEET)
        self.assertEqual(random.drawn, 5 * 101)

    def test_the_101st_failure_gives_up_the_board(self) -> None:
        # The two ships that stood on the first board are not in the way on the second.
        random = scripted(GOOD[:2], (FAILURE,) * 101, GOOD)
        self.assertEqual(place_fleet(random), GOOD_FLEET)
        self.assertEqual(random.drawn, 2 + 101 + 5)

    def test_fifteen_boards_may_be_given_up(self) -> None:
        random = scripted((FAILURE,) * 101 * 15, GOOD)
        self.assertEqual(place_fleet(random), GOOD_FLEET)

    def test_the_sixteenth_board_given_up_is_an_error_and_no_empty_board(self) -> None:
        random = ScriptedRandom(repeat(FAILURE))
        error = self.assertRaises(PlacementError, place_fleet, random)
        self.assertEqual(random.drawn, 16 * 101)
        self.assertIn("16 boards", str(error))
        self.assertIn("100 failed tries", str(error))

    def test_the_quotas_are_those_of_the_text(self) -> None:
        self.assertEqual((FAILED_TRIES, FAILED_BOARDS), (100, 15))
        self.assertTrue(issubclass(PlacementError, GamedError))


class TryTests(SynchronousTestCase):
    """Single tries: each test gives a first ship, one try, and then tries that are sure to succeed."""

    def second(self, attempt: Try) -> int:
        """Return the ship of length 4 after a 5 in row 4, columns 2 to 6, having tried `attempt` first."""
        random = scripted(((42, EAST), attempt), tuple((cell, EAST) for cell in range(100)))
        return place_fleet(random)[1]

    def test_a_ship_runs_in_each_of_the_four_directions(self) -> None:
        self.assertEqual(self.second((89, WEST)), 0b1111 << 86)
        self.assertEqual(self.second((85, EAST)), 0b1111 << 85)
        self.assertEqual(self.second((88, NORTH)), sum(1 << cell for cell in (58, 68, 78, 88)))
        self.assertEqual(self.second((58, SOUTH)), sum(1 << cell for cell in (58, 68, 78, 88)))

    def test_a_ship_that_would_leave_the_board_is_a_failed_try(self) -> None:
        for attempt in ((82, WEST), (87, EAST), (29, NORTH), (79, SOUTH)):
            self.assertEqual(self.second(attempt), 0b1111)

    def test_a_ship_that_crosses_another_is_a_failed_try(self) -> None:
        self.assertEqual(self.second((24, SOUTH)), 0b1111)

    def test_a_ship_at_the_edge_of_another_is_a_failed_try(self) -> None:
        for attempt in ((52, EAST), (36, WEST), (47, SOUTH), (41, NORTH)):
            self.assertEqual(self.second(attempt), 0b1111)

    def test_a_ship_at_the_corner_of_another_is_a_failed_try(self) -> None:
        self.assertEqual(self.second((57, SOUTH)), 0b1111)


class FleetTests(SynchronousTestCase):
    @given(seed=st.integers(0, 2**32))
    @settings(deadline=None, max_examples=60)
    def test_every_fleet_is_legal(self, seed: int) -> None:
        fleet = place_fleet(Random(seed))
        self.assertEqual(tuple(ship.bit_count() for ship in fleet), FLEET)
        taken = 0
        for ship in fleet:
            self.assertIn(ship, PLACEMENTS[ship.bit_count()])
            self.assertFalse(ship & taken)
            taken |= ship | full_rim(ship)

    def test_the_same_generator_places_the_same_fleet(self) -> None:
        self.assertEqual(place_fleet(Random(7)), place_fleet(Random(7)))
        self.assertNotEqual(place_fleet(Random(7)), place_fleet(Random(8)))

    def test_ships_lie_across_as_often_as_down(self) -> None:
        random = Random(5)
        fleets = [place_fleet(random) for _ in range(1_000)]
        across = sum(ship in PLACEMENTS[5][:60] for ship, *_ in fleets)
        self.assertTrue(440 < across < 560, across)

    def test_every_place_of_the_first_ship_is_drawn(self) -> None:
        random = Random(6)
        drawn = Counter(place_fleet(random)[0] for _ in range(3_000))
        self.assertEqual(set(drawn), set(PLACEMENTS[5]))


class DefenceTests(SynchronousTestCase):
    """Source: docs/reference/battleship.md#messages."""

    def setUp(self) -> None:
        self.defence = Defence(GOOD_FLEET)

    def answers(self, *shots: int) -> list[int]:
        return [self.defence.answer(cell) for cell in shots]

    def test_a_miss_is_water(self) -> None:
        self.assertEqual(self.answers(5, 10, 99), [WATER] * 3)

    def test_a_ship_is_sunk_with_its_last_cell_in_any_order(self) -> None:
        self.assertEqual(self.answers(2, 0, 4, 1, 3), [HIT, HIT, HIT, HIT, SUNK])

    def test_ships_do_not_share_hits(self) -> None:
        self.assertEqual(self.answers(80, 40, 41, 81, 42), [HIT, HIT, HIT, SUNK, SUNK])

    def test_the_last_ship_is_answered_with_4_and_not_3(self) -> None:
        answers = self.answers(*cells(sum(GOOD_FLEET)))
        self.assertEqual(Counter(answers), {HIT: 12, SUNK: 4, LAST_SUNK: 1})
        self.assertEqual(answers[-1], LAST_SUNK)

    def test_a_fleet_is_lost_with_its_last_cell(self) -> None:
        *shots, last = cells(sum(GOOD_FLEET))
        self.answers(*shots)
        self.assertFalse(self.defence.lost)
        self.answers(last)
        self.assertTrue(self.defence.lost)

    def test_a_fleet_is_not_lost_before_the_first_shot(self) -> None:
        self.assertFalse(self.defence.lost)

    def test_a_repeated_shot_is_answered_as_water_hit_or_sunk_again(self) -> None:
        self.assertEqual(self.answers(99, 99), [WATER, WATER])
        self.assertEqual(self.answers(80, 80), [HIT, HIT])
        self.assertEqual(self.answers(81, 81, 80), [SUNK, SUNK, SUNK])

    def test_a_repeated_shot_does_not_lose_the_fleet_twice(self) -> None:
        shots = list(cells(sum(GOOD_FLEET)))
        self.answers(*shots)
        self.assertEqual(self.answers(shots[-1], shots[0]), [SUNK, SUNK])

    def test_the_shots_are_kept(self) -> None:
        self.answers(0, 99, 99)
        self.assertEqual(self.defence.shots, 1 | 1 << 99)

    @given(st.permutations(range(100)), st.integers(0, 2**32))
    @settings(deadline=None, max_examples=30)
    def test_any_order_of_shots_sinks_five_ships(self, order: list[int], seed: int) -> None:
        defence = Defence(place_fleet(Random(seed)))
        codes = Counter(defence.answer(cell) for cell in order)
        self.assertEqual(codes, {WATER: 83, HIT: 12, SUNK: 4, LAST_SUNK: 1})
        self.assertEqual(defence.shots, BOARD)
