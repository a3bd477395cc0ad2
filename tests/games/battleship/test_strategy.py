"""The open list move by move, the density's choices, and both strategies' strength."""

from __future__ import annotations

from random import Random
from statistics import mean

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.battleship.fleet import (
    BOARD,
    EDGE_NEIGHBOURS,
    FLEET,
    HIT,
    LAST_SUNK,
    PLACEMENTS,
    SUNK,
    WATER,
    cells,
    full_rim,
)
from gamed.games.battleship.placement import Defence, place_fleet
from gamed.games.battleship.strategy import AnyCell, Density, Greedy, OpenList, Strategy, strategies

Answers = list[tuple[int, int]]


def at(x: int, y: int) -> int:
    """Return the cell in column x and row y."""
    return x + 10 * y


def mask(*some: int) -> int:
    """Return the mask of some cells."""
    return sum(1 << cell for cell in some)


class OpenListTests(SynchronousTestCase):
    """Source: docs/specs/battleship.md#the-open-list-strategy."""

    def setUp(self) -> None:
        self.strategy = OpenList()
        self.random = Random(1)

    def told(self, *answers: tuple[int, int]) -> list[int]:
        """Tell the answers and return the open list."""
        for cell, code in answers:
            self.strategy.learn(cell, code)
        return list(self.strategy.queue)

    def test_water_leaves_the_list_as_it_is(self) -> None:
        before = self.told((at(4, 4), HIT))
        self.assertEqual(self.told((at(9, 9), WATER)), before)

    def test_a_hit_appends_west_east_north_south(self) -> None:
        self.assertEqual(self.told((at(4, 4), HIT)), [at(3, 4), at(5, 4), at(4, 3), at(4, 5)])

    def test_a_hit_in_a_corner_appends_what_is_on_the_board(self) -> None:
        self.assertEqual(self.told((at(0, 0), HIT)), [at(1, 0), at(0, 1)])

    def test_a_hit_in_the_last_corner_appends_what_is_on_the_board(self) -> None:
        self.assertEqual(self.told((at(9, 9), HIT)), [at(8, 9), at(9, 8)])

    def test_a_hit_appends_only_unknown_cells(self) -> None:
        self.assertEqual(self.told((at(3, 4), WATER), (at(4, 4), HIT)), [at(5, 4), at(4, 3), at(4, 5)])

    def test_new_neighbours_come_after_older_ones(self) -> None:
        queue = self.told((at(1, 1), HIT), (at(7, 7), HIT))
        self.assertEqual(queue[:4], [at(0, 1), at(2, 1), at(1, 0), at(1, 2)])
        self.assertEqual(queue[4:], [at(6, 7), at(8, 7), at(7, 6), at(7, 8)])

    def test_a_cell_may_stand_in_the_list_twice(self) -> None:
        self.assertEqual(self.told((at(3, 4), HIT), (at(5, 4), HIT)).count(at(4, 4)), 2)

    def test_a_ship_across_drops_the_rows_beside_it(self) -> None:
        # East of the second hit is a new entry; the older entry, the ship's other end, stays before it.
        self.assertEqual(self.told((at(4, 4), HIT), (at(5, 4), HIT)), [at(3, 4), at(5, 4), at(6, 4)])

    def test_a_ship_down_drops_the_columns_beside_it(self) -> None:
        self.assertEqual(self.told((at(4, 4), HIT), (at(4, 5), HIT)), [at(4, 3), at(4, 5), at(4, 6)])

    def test_a_ship_down_is_seen_from_its_northern_hit_too(self) -> None:
        self.assertEqual(self.told((at(4, 5), HIT), (at(4, 4), HIT)), [at(4, 4), at(4, 6), at(4, 3)])

    def test_what_lies_beside_the_ship_anywhere_is_dropped(self) -> None:
        # The original deletes by column alone, also the neighbours of another ship far away.
        far = (at(4, 0), HIT)
        self.assertEqual(
            self.told(far, (at(4, 6), HIT), (at(4, 7), HIT)),
            [at(4, 1), at(4, 5), at(4, 7), at(4, 8)],
        )

    def test_the_list_is_shot_from_its_head(self) -> None:
        self.told((at(4, 4), HIT))
        self.assertEqual(self.strategy.shoot(self.random), at(3, 4))
        self.assertEqual(self.strategy.shoot(self.random), at(5, 4))

    def test_stale_entries_are_skipped(self) -> None:
        self.told((at(4, 4), HIT), (at(3, 4), WATER), (at(5, 4), WATER))
        self.assertEqual(self.strategy.shoot(self.random), at(4, 3))

    def test_a_sunk_ship_clears_the_list(self) -> None:
        self.assertEqual(self.told((at(8, 1), HIT), (at(4, 4), HIT), (at(4, 5), SUNK)), [])

    def test_a_sunk_ship_s_edges_are_water_and_its_corners_unknown(self) -> None:
        self.told((at(4, 4), HIT), (at(4, 5), SUNK))
        ship = mask(at(4, 4), at(4, 5))
        edges = (EDGE_NEIGHBOURS[at(4, 4)] | EDGE_NEIGHBOURS[at(4, 5)]) & ~ship
        self.assertEqual(self.strategy.water, edges)
        self.assertEqual(self.strategy.hits, ship)

    def test_with_an_empty_list_every_unknown_cell_is_drawn(self) -> None:
        self.told(*((cell, WATER) for cell in range(95)))
        drawn = {self.strategy.shoot(self.random) for _ in range(200)}
        self.assertEqual(drawn, set(range(95, 100)))

    def test_with_stale_entries_only_an_unknown_cell_is_drawn(self) -> None:
        self.told((0, HIT), (1, WATER), (10, WATER), *((cell, WATER) for cell in range(11, 100)))
        self.assertIn(self.strategy.shoot(self.random), range(2, 10))

    def test_the_last_answer_is_learnt_like_any_sunk_ship(self) -> None:
        self.assertEqual(self.told((at(4, 4), HIT), (at(4, 5), LAST_SUNK)), [])


class DensityTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.strategy = Density()
        self.random = Random(1)

    def choices(self, *answers: tuple[int, int]) -> set[int]:
        """Tell the answers and return all cells that may be shot at next."""
        for cell, code in answers:
            self.strategy.learn(cell, code)
        return {self.strategy.shoot(self.random) for _ in range(60)}

    def test_the_first_shot_goes_to_the_middle(self) -> None:
        self.assertEqual(self.choices(), {at(4, 4), at(5, 4), at(4, 5), at(5, 5)})

    def test_a_hit_is_followed_by_a_neighbour(self) -> None:
        self.assertTrue(self.choices((at(4, 4), HIT)) <= set(cells(EDGE_NEIGHBOURS[at(4, 4)])))

    def test_two_hits_in_a_row_are_followed_by_an_end(self) -> None:
        self.assertTrue(self.choices((at(4, 4), HIT), (at(5, 4), HIT)) <= {at(3, 4), at(6, 4)})

    def test_a_hit_without_room_across_is_followed_downwards(self) -> None:
        walls = [(at(4, 4), HIT), (at(3, 4), WATER), (at(5, 4), WATER)]
        self.assertTrue(self.choices(*walls) <= {at(4, 3), at(4, 5)})

    def test_the_side_with_more_room_is_tried_first(self) -> None:
        walls = [(at(0, 3), WATER), (at(1, 2), WATER), (at(1, 4), WATER)]
        self.assertEqual(self.choices((at(1, 3), HIT), *walls), {at(2, 3)})

    def test_nothing_beside_a_sunk_ship_is_shot_at(self) -> None:
        self.choices((at(4, 4), HIT), (at(5, 4), SUNK))
        ship = mask(at(4, 4), at(5, 4))
        edges = (EDGE_NEIGHBOURS[at(4, 4)] | EDGE_NEIGHBOURS[at(5, 4)]) & ~ship
        self.assertEqual(self.strategy.known, ship | edges)
        self.assertTrue(full_rim(ship) & ~self.strategy.known)

    def test_a_sunk_ship_is_looked_for_no_more(self) -> None:
        self.choices((at(4, 4), HIT), (at(5, 4), SUNK))
        self.assertEqual(self.strategy.afloat, [5, 4, 3, 3])
        self.choices((at(0, 9), HIT), (at(1, 9), HIT), (at(2, 9), SUNK))
        self.assertEqual(self.strategy.afloat, [5, 4, 3])

    def test_a_sunk_ship_s_hits_are_open_no_more_and_others_are(self) -> None:
        self.choices((at(0, 9), HIT), (at(4, 4), HIT), (at(5, 4), SUNK))
        self.assertEqual(self.strategy.hits, mask(at(0, 9)))
        # No ship afloat is shorter than three, so that the second cell is as sure as the first.
        self.assertTrue(self.choices() <= {at(1, 9), at(2, 9), at(0, 8), at(0, 7)})

    def test_a_hole_too_small_for_the_ships_afloat_is_left_alone(self) -> None:
        # Only the five floats: it fits nowhere but in the last row; the rest of the board is striped with water.
        self.strategy.afloat = [5]
        water: Answers = [(at(x, y), WATER) for y in range(9) for x in range(10) if (x + y) % 3 == 0]
        self.assertTrue({cell // 10 for cell in self.choices(*water)} == {9})

    def test_an_end_that_only_an_impossible_ship_explains_is_not_tried(self) -> None:
        # Four hits in a row with the five sunk would be the four, sunk; so with three hits one end is enough.
        self.strategy.afloat = [4, 3, 2]
        row: Answers = [(at(x, 0), HIT) for x in (1, 2, 3)]
        self.assertEqual(self.choices(*row, (at(0, 0), WATER)), {at(4, 0)})

    def test_a_ship_that_would_be_sunk_already_explains_nothing(self) -> None:
        self.strategy.afloat = [2]
        self.choices((at(4, 4), HIT), (at(5, 4), HIT))
        self.assertEqual(self.strategy._scores(), [0.0] * 100)

    def test_the_only_place_of_a_ship_outweighs_many_of_another(self) -> None:
        self.strategy.afloat = [5, 2]
        room = mask(*(at(x, 9) for x in range(3, 8)), *(at(x, y) for x in range(3) for y in range(3)))
        water: Answers = [(cell, WATER) for cell in cells(BOARD & ~room)]
        self.assertEqual(self.choices(*water), {at(4, 9), at(5, 9), at(6, 9)})

    def test_places_shrink_with_every_miss(self) -> None:
        self.choices((at(0, 0), WATER))
        self.assertEqual(
            {length: len(places) for length, places in self.strategy.places.items()},
            {length: len(PLACEMENTS[length]) - 2 for length in FLEET},
        )

    def test_answers_that_no_fleet_gives_do_not_stop_it(self) -> None:
        for answers in (
            [(at(4, 4), HIT), *((cell, WATER) for cell in cells(EDGE_NEIGHBOURS[at(4, 4)]))],
            [(at(0, 0), SUNK), (at(9, 9), SUNK)],
            [(cell, HIT) for cell in range(0, 100, 2)],
        ):
            self.strategy = Density()
            known = {cell for cell, _ in answers}
            self.assertFalse(self.choices(*answers) & known)


def solo(strategy: Strategy, random: Random) -> int:
    """Sink a random fleet and return the number of shots; a shot at a known cell is an error."""
    defence = Defence(place_fleet(random))
    while not defence.lost:
        cell = strategy.shoot(random)
        if defence.shots >> cell & 1:
            raise AssertionError(f"shot at {cell} twice")
        strategy.learn(cell, defence.answer(cell))
    return defence.shots.bit_count()


class EveryStrategyTests(SynchronousTestCase):
    def test_there_are_four(self) -> None:
        found = {"open-list": OpenList, "density": Density, "greedy": Greedy, "random": AnyCell}
        self.assertEqual(strategies, found)

    def test_greedy_needs_fewer_shots_than_random_and_more_than_density(self) -> None:
        shots = [sum(solo(start(), Random(seed)) for seed in range(40)) / 40 for start in (Density, Greedy, AnyCell)]
        self.assertLess(shots[0] + 5, shots[1])
        self.assertLess(shots[1] + 20, shots[2])

    def test_greedy_shoots_next_to_a_ship_that_is_afloat_and_then_anywhere(self) -> None:
        strategy = Greedy()
        strategy.learn(at(4, 4), HIT)
        around = {strategy.shoot(Random(seed)) for seed in range(40)}
        self.assertEqual(around, set(cells(EDGE_NEIGHBOURS[at(4, 4)])))
        strategy.learn(at(4, 5), SUNK)
        self.assertGreater(len({strategy.shoot(Random(seed)) for seed in range(40)}), 20)

    def test_no_shot_of_those_that_think_goes_to_a_cell_that_is_known_to_be_water(self) -> None:
        for start in (OpenList, Density):
            random = Random(9)
            strategy = start()
            defence = Defence(place_fleet(random))
            dead = 0
            while not defence.lost:
                cell = strategy.shoot(random)
                self.assertFalse(dead >> cell & 1)
                strategy.learn(cell, defence.answer(cell))
                sunk = (ship for ship in defence.fleet if not ship & ~defence.shots)
                dead = sum(1 << cell for cell in range(100) if any(EDGE_NEIGHBOURS[cell] & ship for ship in sunk))

    def test_the_same_generator_shoots_the_same_shots(self) -> None:
        for start in strategies.values():
            self.assertEqual(solo(start(), Random(4)), solo(start(), Random(4)))

    def test_on_an_empty_sea_each_shoots_until_no_cell_is_left(self) -> None:
        for start in strategies.values():
            random, strategy, shots = Random(2), start(), 0
            for _ in range(100):
                cell = strategy.shoot(random)
                shots |= 1 << cell
                strategy.learn(cell, WATER)
            self.assertEqual(shots, BOARD)
            self.assertRaises(LookupError, strategy.shoot, random)

    def test_the_open_list_is_as_strong_as_the_original(self) -> None:
        # Mean 53.5 of 400 boards: docs/specs/battleship.md#the-open-list-strategy.
        random = Random(54321)
        shots = mean(solo(OpenList(), random) for _ in range(200))
        self.assertTrue(50.5 <= shots <= 56.5, shots)

    def test_the_density_is_clearly_stronger(self) -> None:
        random = Random(54321)
        shots = mean(solo(Density(), random) for _ in range(200))
        self.assertTrue(shots < 43, shots)
