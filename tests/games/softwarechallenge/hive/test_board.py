"""The hexagon and its sets of cells."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.softwarechallenge.seasons.hive.board import (
    BITS,
    BOARD,
    CELLS,
    INDEX,
    PLANE,
    Cell,
    around,
    connected,
    facing,
    gathered,
    indices,
)
from tests.games.softwarechallenge.hive.slow import HEXAGON, beside

some_cells = st.sets(st.sampled_from(CELLS), max_size=40)


def listed(cells: int) -> set[Cell]:
    return {CELLS[index] for index in indices(cells)}


class BoardTests(SynchronousTestCase):
    def test_the_cells_are_those_of_a_hexagon_of_side_six(self) -> None:
        self.assertEqual(list(CELLS), HEXAGON)
        self.assertEqual(len(CELLS), 91)

    def test_the_cells_come_by_x_then_y(self) -> None:
        self.assertEqual(list(CELLS), sorted(CELLS))

    def test_an_index_is_the_place_among_the_cells(self) -> None:
        self.assertEqual([INDEX[cell] for cell in CELLS], list(range(91)))

    def test_each_cell_has_a_bit_of_its_own_and_they_rise(self) -> None:
        self.assertEqual(list(BITS), sorted(set(BITS)))
        self.assertEqual(BOARD.bit_count(), 91)
        self.assertTrue(all(bit.bit_count() == 1 for bit in BITS))

    def test_the_plane_holds_the_board_and_all_that_is_next_to_it(self) -> None:
        self.assertEqual(BOARD & ~PLANE, 0)
        for shifted in facing(BOARD):
            self.assertEqual(shifted & ~PLANE, 0)

    def test_neighbours(self) -> None:
        for cell in CELLS:
            self.assertEqual(listed(around(gathered(cell))), beside(cell), cell)

    def test_the_rim_and_the_corners_have_fewer_neighbours(self) -> None:
        numbers = [around(bit).bit_count() for bit in BITS]
        self.assertEqual({number: numbers.count(number) for number in set(numbers)}, {3: 6, 4: 24, 6: 61})

    def test_a_cell_off_the_board_is_in_no_set(self) -> None:
        with self.assertRaises(KeyError):
            gathered((5, 5))

    def test_facing_names_who_has_a_neighbour_in_each_direction(self) -> None:
        directions = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
        for cells, (x, y) in zip(facing(gathered((0, 0))), directions, strict=True):
            self.assertEqual(listed(cells), {(-x, -y)})

    def test_the_directions_go_round_the_clock(self) -> None:
        found = [listed(cells).pop() for cells in facing(gathered((0, 0)))]
        for one, next_one in zip(found, [*found[1:], found[0]], strict=True):
            self.assertIn(next_one, beside(one))

    @settings(deadline=None, max_examples=100)
    @given(some_cells)
    def test_a_set_gives_back_its_cells_in_order(self, cells: set[Cell]) -> None:
        self.assertEqual([CELLS[index] for index in indices(gathered(*cells))], sorted(cells))

    @settings(deadline=None, max_examples=100)
    @given(some_cells)
    def test_around_many_cells(self, cells: set[Cell]) -> None:
        self.assertEqual(listed(around(gathered(*cells))), {there for cell in cells for there in beside(cell)})

    @settings(deadline=None, max_examples=200)
    @given(st.lists(st.sampled_from(HEXAGON), max_size=60, unique=True))
    def test_connected_is_whether_one_can_walk_everywhere(self, cells: list[Cell]) -> None:
        left = set(cells)
        edge = {left.pop()} if left else set()
        while edge:
            edge = {there for cell in edge for there in beside(cell)} & left
            left -= edge
        self.assertEqual(connected(gathered(*cells)), not left)

    def test_nothing_wraps_around_the_rim(self) -> None:
        for one in CELLS:
            for other in set(CELLS) - {one}:
                self.assertEqual(connected(gathered(one, other)), other in beside(one), (one, other))
