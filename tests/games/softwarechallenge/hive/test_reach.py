"""Where pieces go, one case each. Source: docs/specs/software-challenge.md#drags."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.softwarechallenge.seasons.hive.board import BITS, CELLS, INDEX, Cell, connected, gathered, indices
from gamed.games.softwarechallenge.seasons.hive.generator import reach
from gamed.games.softwarechallenge.seasons.hive.position import position
from gamed.games.softwarechallenge.seasons.hive.reach import gaps, loose
from tests.games.softwarechallenge.hive.slow import beside


def listed(cells: int) -> set[Cell]:
    return {CELLS[index] for index in indices(cells)}


def goes(start: Cell, stack: str, others: Iterable[Cell] = (), walls: Iterable[Cell] = ()) -> set[Cell]:
    """Return where the top of a stack can go among single ants."""
    board = {start: stack, **dict.fromkeys(others, "a")}
    return listed(reach(position(board, ("", ""), 10, walls), INDEX[start]))


class SlideTests(SynchronousTestCase):
    def test_a_bee_goes_one_step_in_contact(self) -> None:
        self.assertEqual(goes((0, 0), "Q", [(1, 0)]), {(0, 1), (1, -1)})

    def test_being_adjacent_before_and_after_is_no_contact(self) -> None:
        # From (0, 0) to (1, -1) no common neighbour is occupied, though both cells touch a piece.
        self.assertEqual(goes((0, 0), "Q", [(-1, 0), (2, -2)]), {(-1, 1), (0, -1)})

    def test_a_gate_of_two_pieces_is_closed(self) -> None:
        self.assertEqual(goes((0, 0), "Q", [(1, -1), (0, 1)]), {(-1, 1), (0, -1)})

    def test_a_gate_of_a_piece_and_a_wall_is_closed(self) -> None:
        self.assertEqual(goes((0, 0), "Q", [(1, -1)], [(0, 1)]), {(0, -1)})

    def test_two_walls_give_no_contact(self) -> None:
        self.assertEqual(goes((0, 0), "Q", [], [(1, -1), (0, 1)]), set())

    def test_one_wall_gives_no_contact(self) -> None:
        self.assertEqual(goes((0, 0), "Q", [], [(1, -1)]), set())

    def test_the_rim_is_open(self) -> None:
        # (5, -5) and (5, -4) share (4, -4) only, for the other cell would be off the board.
        self.assertEqual(goes((5, -5), "Q", [(4, -4)]), {(5, -4), (4, -5)})

    def test_nothing_is_entered_that_is_occupied_or_obstructed(self) -> None:
        self.assertEqual(goes((0, 0), "Q", [(1, 0)], [(0, 1)]), {(1, -1)})

    def test_an_ant_goes_round_everything(self) -> None:
        ring = beside((0, 0)) | beside((1, 0)) - {(0, 0), (1, 0)}
        self.assertEqual(goes((-1, 0), "A", [(0, 0), (1, 0)]), ring - {(0, 0), (1, 0), (-1, 0)})

    def test_an_ant_does_not_enter_a_closed_pocket(self) -> None:
        ring = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)]
        reached = goes((3, -1), "A", [*ring, (2, -1)], [])
        self.assertEqual(
            reached, set().union(*(beside(one) for one in (*ring, (2, -1)))) - {*ring, (2, -1), (3, -1), (0, 0)}
        )

    def test_an_ant_is_stopped_by_a_wall(self) -> None:
        # A wall and a piece make a closed gate, so the two sides of a line of pieces are parted by two walls.
        reached = goes((0, 0), "A", [(1, 0), (2, 0)], [(3, -1), (1, -1)])
        self.assertEqual(reached, {(0, 1), (1, 1), (2, 1), (3, 0)})

    def test_a_spider_goes_three_steps(self) -> None:
        self.assertEqual(goes((0, 0), "S", [(1, 0), (2, 0), (3, 0)]), {(2, 1), (3, -1)})

    def test_a_spider_that_can_turn_back_only_goes_nowhere(self) -> None:
        # In the corner one cell is within reach, and the way goes no farther.
        self.assertEqual(goes((5, -5), "S", [(4, -4)], [(3, -4), (5, -3), (4, -3)]), set())

    def test_a_spider_may_end_next_to_its_start(self) -> None:
        reached = goes((0, 0), "S", [(1, -1), (2, -1), (2, 0), (1, 1), (0, 1)])
        self.assertEqual(reached & {(0, 0)}, set())
        self.assertTrue(reached)


class BeetleTests(SynchronousTestCase):
    def test_on_the_ground_it_keeps_contact(self) -> None:
        self.assertEqual(goes((0, 0), "B", [(1, 0)]), {(1, 0), (0, 1), (1, -1)})

    def test_no_gate_stops_it(self) -> None:
        self.assertIn((1, 0), goes((0, 0), "B", [(1, -1), (0, 1)]))

    def test_from_a_stack_it_goes_anywhere_around(self) -> None:
        self.assertEqual(goes((0, 0), "qB", [(1, 0)]), beside((0, 0)))

    def test_a_wall_is_not_entered(self) -> None:
        self.assertEqual(goes((0, 0), "qB", [(1, 0)], [(0, 1)]), beside((0, 0)) - {(0, 1)})

    def test_walls_give_no_contact(self) -> None:
        self.assertEqual(goes((0, 0), "B", [], [(1, -1), (0, 1)]), set())

    def test_it_climbs_at_the_rim(self) -> None:
        self.assertEqual(goes((5, -5), "B", [(5, -4)]), {(5, -4), (4, -4)})


class GrasshopperTests(SynchronousTestCase):
    def test_it_jumps_over_an_unbroken_row(self) -> None:
        self.assertEqual(goes((0, 0), "G", [(1, 0), (2, 0)]), {(3, 0)})

    def test_in_all_six_directions(self) -> None:
        self.assertEqual(goes((0, 0), "G", beside((0, 0))), {(2 * x, 2 * y) for x, y in beside((0, 0))})

    def test_it_needs_something_to_jump_over(self) -> None:
        self.assertEqual(goes((0, 0), "G", [(2, 0)]), set())

    def test_a_wall_in_the_row_or_behind_it(self) -> None:
        self.assertEqual(goes((0, 0), "G", [(1, 0), (3, 0)], [(2, 0)]), set())

    def test_it_does_not_leave_the_board(self) -> None:
        self.assertEqual(goes((3, 0), "G", [(4, 0), (5, 0)]), set())
        self.assertEqual(goes((-5, 1), "G", [(-5, 0)]), set())

    def test_a_row_does_not_wrap_around_the_rim(self) -> None:
        for start in CELLS:
            for there in goes(start, "G", set(CELLS) - {start, (0, 0)}):
                self.assertEqual(there, (0, 0))
                self.assertTrue(0 in start or sum(start) == 0, start)


class LooseTests(SynchronousTestCase):
    """One hive: docs/specs/software-challenge.md#drags."""

    def test_the_middle_of_a_line_is_not_loose(self) -> None:
        line = gathered((0, 0), (1, 0), (2, 0))
        self.assertEqual(listed(loose(line, line, 0)), {(0, 0), (2, 0)})

    def test_a_ring_is_loose_everywhere(self) -> None:
        ring = gathered(*beside((0, 0)))
        self.assertEqual(loose(ring, ring, 0), ring)

    def test_a_stack_is_loose(self) -> None:
        line = gathered((0, 0), (1, 0), (2, 0))
        self.assertEqual(loose(line, line, BITS[INDEX[1, 0]]), line)

    def test_the_last_piece_is_loose(self) -> None:
        self.assertEqual(loose(gathered((0, 0)), gathered((0, 0)), 0), gathered((0, 0)))

    def test_in_a_parted_swarm_only_what_joins_it_is_loose(self) -> None:
        parted = gathered((0, 0), (2, 0), (3, 0))
        self.assertEqual(listed(loose(parted, parted, 0)), {(0, 0)})
        self.assertEqual(listed(loose(parted, parted, gathered((0, 0)))), set())

    def test_gaps_have_parted_neighbours(self) -> None:
        cells = [(1, 0), (-1, 0), (0, 1)]
        self.assertEqual(gaps(gathered(*cells)) & BITS[INDEX[0, 0]], BITS[INDEX[0, 0]])
        self.assertEqual(gaps(gathered((1, 0), (0, 1), (-1, 1))) & BITS[INDEX[0, 0]], 0)
        self.assertEqual(gaps(gathered(*beside((0, 0)))) & BITS[INDEX[0, 0]], 0)

    @settings(deadline=None, max_examples=300)
    @given(
        st.lists(st.sampled_from([cell for cell in CELLS if max(map(abs, cell)) < 3]), max_size=18, unique=True),
        st.sets(st.sampled_from(CELLS), max_size=20),
    )
    def test_loose_is_what_leaves_the_others_connected(self, cells: list[Cell], high: set[Cell]) -> None:
        occupied, stacks = gathered(*cells), gathered(*high) & gathered(*cells)
        expected = {
            cell for cell in cells if connected(occupied if gathered(cell) & stacks else occupied ^ gathered(cell))
        }
        self.assertEqual(listed(loose(occupied, occupied, stacks)), expected)
