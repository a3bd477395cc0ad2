"""Ways to the goal against the slow search, and the tricks that spare floods against doing without them."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.quoridor.moves import HORIZONTAL
from gamed.games.quoridor.paths import (
    across_path,
    distance,
    encloses,
    layers,
    legal_places,
    reaches,
    spread,
)
from gamed.games.quoridor.rules import State, walls_at
from gamed.games.quoridor.walls import BOARD, GOALS, Walls, bits, cell_at, fitting, open_ways
from tests.games.quoridor.positions import as_slow, mask, random_game, read, written

EMPTY = open_ways(Walls())
# Three walls around the corner (0,0), (1,0), (0,1), (1,1): one more shuts it.
CORNER = open_ways(Walls(mask("02"), mask("20")))


def positions(seed: int, games: int) -> list[State]:
    """Return every fifth position of some games at random, for two and for four."""
    random = Random(seed)
    found = [list(random_game(2 + 2 * (number % 2), random)) for number in range(games)]
    return [state for game in found for state, _, _ in game[::5]]


class FloodTests(SynchronousTestCase):
    def test_a_step_goes_in_four_directions(self) -> None:
        self.assertEqual(written(bits(spread(mask("44"), EMPTY))), "43.34.44.54.45")

    def test_a_step_does_not_wrap_around_the_border(self) -> None:
        self.assertEqual(written(bits(spread(mask("84"), EMPTY))), "83.74.84.85")
        self.assertEqual(written(bits(spread(mask("04"), EMPTY))), "03.04.14.05")
        self.assertEqual(written(bits(spread(mask("00"), EMPTY))), "00.10.01")
        self.assertEqual(written(bits(spread(mask("88"), EMPTY))), "87.78.88")

    def test_a_step_stops_at_a_wall_from_both_sides(self) -> None:
        ways = open_ways(Walls(mask("44"), 0))
        self.assertEqual(written(bits(spread(mask("44"), ways))), "34.44.54.45")
        self.assertEqual(written(bits(spread(mask("53"), ways))), "52.43.53.63")
        ways = open_ways(Walls(0, mask("44")))
        self.assertEqual(written(bits(spread(mask("44"), ways))), "43.44.54.45")
        self.assertEqual(written(bits(spread(mask("35"), ways))), "34.25.35.36")

    def test_a_closed_corner_is_left_by_no_way(self) -> None:
        for text in ("00", "10", "01", "11"):
            self.assertFalse(reaches(cell_at(int(text[0]), int(text[1])), GOALS[0], CORNER))
        self.assertTrue(reaches(cell_at(2, 0), GOALS[0], CORNER))

    def test_a_goal_inside_the_corner_is_reached(self) -> None:
        self.assertTrue(reaches(cell_at(1, 1), GOALS[1], CORNER))
        self.assertTrue(reaches(cell_at(1, 1), GOALS[3], CORNER))

    def test_who_is_there_has_no_step_to_go(self) -> None:
        self.assertEqual(distance(cell_at(3, 8), GOALS[0], EMPTY), 0)

    def test_on_an_empty_board_it_is_eight_steps(self) -> None:
        starts = (cell_at(4, 0), cell_at(4, 8), cell_at(0, 4), cell_at(8, 4))
        self.assertEqual([distance(*pair, EMPTY) for pair in zip(starts, GOALS, strict=True)], [8, 8, 8, 8])

    def test_without_a_way_there_is_no_distance(self) -> None:
        self.assertIsNone(distance(cell_at(0, 1), GOALS[0], CORNER))

    def test_distances_are_those_of_the_slow_search(self) -> None:
        for state in positions(1, 8):
            ways, slow = open_ways(state.walls), as_slow(state)
            for seat, cell in enumerate(state.pawns):
                self.assertEqual(distance(cell, GOALS[seat], ways), slow.distance(seat + 1), state)

    def test_layers_hold_the_cells_by_their_distance(self) -> None:
        for state in positions(2, 4):
            ways = open_ways(state.walls)
            found = layers(GOALS[0], ways)
            for cell in bits(BOARD):
                steps = next((number for number, cells in enumerate(found) if cells >> cell & 1), None)
                self.assertEqual(steps, distance(cell, GOALS[0], ways))

    def test_layers_leave_out_cells_without_a_way(self) -> None:
        self.assertEqual(written(bits(BOARD & ~layers(GOALS[0], CORNER)[-1])), "00.10.01.11")


class AcrossTests(SynchronousTestCase):
    def test_a_straight_path_is_crossed_by_two_walls_a_step(self) -> None:
        across = across_path(cell_at(4, 6), GOALS[0], EMPTY)
        assert across is not None
        self.assertEqual(written(bits(across.horizontal)), "37.47.38.48")
        self.assertEqual(across.vertical, 0)

    def test_each_direction_is_traced_back(self) -> None:
        for start, goal, horizontal, vertical in (
            (cell_at(4, 2), GOALS[1], "31.41.32.42", "-"),
            (cell_at(6, 4), GOALS[2], "-", "73.83.74.84"),
            (cell_at(2, 4), GOALS[3], "-", "13.23.14.24"),
        ):
            across = across_path(start, goal, EMPTY)
            assert across is not None
            self.assertEqual((written(bits(across.horizontal)), written(bits(across.vertical))), (horizontal, vertical))

    def test_of_two_equal_paths_only_one_is_told(self) -> None:
        # Both (2,8) and (6,8) are six steps away.
        across = across_path(cell_at(4, 4), GOALS[0], open_ways(Walls(mask("38.48"))))
        assert across is not None
        self.assertEqual(written(bits(across.horizontal)), "15.25.16.26.17.27.18.28")
        self.assertEqual(written(bits(across.vertical)), "33.43.34.44")

    def test_at_the_goal_there_is_nothing_to_cross(self) -> None:
        self.assertEqual(across_path(cell_at(4, 8), GOALS[0], EMPTY), Walls())

    def test_without_a_way_there_is_none(self) -> None:
        self.assertIsNone(across_path(cell_at(0, 0), GOALS[0], CORNER))

    def test_only_walls_across_the_path_make_the_way_longer(self) -> None:
        longer = 0
        for state in positions(3, 8):
            for seat, cell in enumerate(state.pawns):
                across = across_path(cell, GOALS[seat], open_ways(state.walls))
                before = distance(cell, GOALS[seat], open_ways(state.walls))
                assert across is not None
                for wall in walls_at(fitting(state.walls)):
                    one = 1 << cell_at(wall.x, wall.y)
                    lies = wall.orientation == HORIZONTAL
                    if one & (across.horizontal if lies else across.vertical):
                        continue
                    then = Walls(state.walls.horizontal | one * lies, state.walls.vertical | one * (not lies))
                    self.assertEqual(distance(cell, GOALS[seat], open_ways(then)), before)
                    longer += 1
        self.assertGreater(longer, 1_000)


class LegalPlacesTests(SynchronousTestCase):
    def test_on_an_empty_board_all_are_legal(self) -> None:
        self.assertEqual(legal_places(Walls(), (cell_at(4, 0), cell_at(4, 8))), fitting(Walls()))

    def test_the_wall_that_shuts_the_corner_is_not(self) -> None:
        state = read("00.48 - 20 10.9 1")
        self.assertFalse(legal_places(state.walls, state.pawns).horizontal & mask("02"))
        self.assertTrue(legal_places(state.walls, (cell_at(2, 0), state.pawns[1])).horizontal & mask("02"))

    def test_they_are_those_that_enclose_nobody(self) -> None:
        refused = 0
        for state in positions(4, 4):
            legal = set(walls_at(legal_places(state.walls, state.pawns)))
            slow = as_slow(state)
            for wall in walls_at(fitting(state.walls)):
                fine = slow.with_wall((wall.x, wall.y, wall.orientation[0])).all_have_a_way()
                self.assertEqual(wall in legal, fine, (state, wall))
                refused += not fine
        self.assertGreater(refused, 20)

    def test_where_somebody_is_enclosed_already_no_wall_is_legal(self) -> None:
        state = read("00.48 02 20 9.9 1")
        self.assertEqual(legal_places(state.walls, state.pawns), Walls())


class EnclosesTests(SynchronousTestCase):
    def test_a_board_without_walls_encloses_nobody(self) -> None:
        self.assertFalse(encloses(Walls(), (cell_at(4, 0), cell_at(4, 8), cell_at(0, 4), cell_at(8, 4))))

    def test_each_player_counts(self) -> None:
        walls = Walls(mask("02"), mask("20"))
        inside, outside = cell_at(1, 1), cell_at(5, 5)
        self.assertTrue(encloses(walls, (inside, outside)))
        # The top row and the left column are in the corner: it keeps these two from nothing.
        self.assertFalse(encloses(walls, (outside, inside)))
        self.assertTrue(encloses(walls, (outside, outside, inside, outside)))
        self.assertFalse(encloses(walls, (outside, outside, outside, inside)))
