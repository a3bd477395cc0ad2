"""Positions: what they tell, and how they change."""

from __future__ import annotations

from attrs.exceptions import FrozenInstanceError
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.softwarechallenge.seasons.hive.board import BITS, INDEX, gathered
from gamed.games.softwarechallenge.seasons.hive.position import HAND, State, position
from tests.games.softwarechallenge.hive.recorded import fixtures, plays

START = position({}, (HAND, HAND), 0, ((0, 0), (1, 1), (-2, 3)))


def rebuilt(state: State) -> State:
    """Return the same position, made from what it tells."""
    return position(state.board(), (state.hand(0), state.hand(1)), state.turn, state.obstructed)


def same(test: SynchronousTestCase, one: State, other: State) -> None:
    """Compare what is derived, too."""
    test.assertEqual(one, other)
    test.assertEqual(hash(one), hash(other))
    for name in ("owned", "bees", "high", "occupied", "empty"):
        test.assertEqual(getattr(one, name), getattr(other, name), name)


class TellingTests(SynchronousTestCase):
    def setUp(self) -> None:
        board = {(0, 0): "QqBbB", (1, 0): "a", (2, 0): "b", (0, 1): "A"}
        self.state = position(board, ("SSSGG", "SSS"), 11, [(3, -1), (-4, 0), (2, 2)])

    def test_stacks_are_told_from_the_bottom_to_the_top(self) -> None:
        self.assertEqual(self.state.stack(0, 0), "QqBbB")
        self.assertEqual(self.state.stack(1, 0), "a")

    def test_a_cell_without_pieces_is_an_empty_stack(self) -> None:
        self.assertEqual(self.state.stack(-5, 5), "")
        self.assertEqual(self.state.stack(3, -1), "")

    def test_a_cell_off_the_board_is_refused(self) -> None:
        with self.assertRaises(KeyError):
            self.state.stack(5, 5)
        with self.assertRaises(KeyError):
            position({(6, 0): "A"}, (HAND, HAND), 0, ())
        with self.assertRaises(KeyError):
            position({}, (HAND, HAND), 0, ((5, 5),))

    def test_the_board_holds_what_is_occupied(self) -> None:
        self.assertEqual(self.state.board(), {(0, 0): "QqBbB", (1, 0): "a", (2, 0): "b", (0, 1): "A"})

    def test_obstructed_cells_are_sorted(self) -> None:
        self.assertEqual(self.state.obstructed, ((-4, 0), (2, 2), (3, -1)))

    def test_before_chance_drew_nothing_is_obstructed(self) -> None:
        self.assertEqual(position({}, (HAND, HAND), 0, ()).obstructed, ())

    def test_hands(self) -> None:
        self.assertEqual((self.state.hand(0), self.state.hand(1)), ("SSSGG", "SSS"))

    def test_red_moves_at_even_turns(self) -> None:
        self.assertEqual([position({}, (HAND, HAND), turn, ()).mover for turn in range(4)], [0, 1, 0, 1])

    def test_a_stack_belongs_to_its_top(self) -> None:
        self.assertEqual(self.state.owned, (gathered((0, 0), (0, 1)), gathered((1, 0), (2, 0))))

    def test_a_covered_bee_is_known(self) -> None:
        self.assertEqual(self.state.bees, (BITS[INDEX[0, 0]], BITS[INDEX[0, 0]]))

    def test_high_are_the_cells_with_several_pieces(self) -> None:
        self.assertEqual(self.state.high, gathered((0, 0)))

    def test_empty_cells_have_no_piece_and_are_not_obstructed(self) -> None:
        self.assertEqual(self.state.empty.bit_count(), 91 - 4 - 3)

    def test_a_state_is_frozen_and_hashable_and_has_slots(self) -> None:
        with self.assertRaises(FrozenInstanceError):
            self.state.turn = 3
        self.assertEqual(len({self.state, rebuilt(self.state)}), 1)
        self.assertFalse(hasattr(self.state, "__dict__"))

    def test_states_differ_by_turn_hands_board_and_obstructed_cells(self) -> None:
        board = {(0, 0): "A"}
        different = {
            position(board, (HAND, HAND), 1, ()),
            position(board, (HAND, HAND), 3, ()),
            position(board, (HAND, HAND[1:]), 1, ()),
            position({(0, 0): "a"}, (HAND, HAND), 1, ()),
            position(board, (HAND, HAND), 1, ((1, 1),)),
        }
        self.assertEqual(len(different), 5)


class FreeTests(SynchronousTestCase):
    """docs/specs/software-challenge.md#the-end."""

    def free(self, board: dict[tuple[int, int], str], *obstructed: tuple[int, int]) -> tuple[int, int]:
        state = position(board, ("", ""), 10, obstructed)
        return state.free(0), state.free(1)

    def test_a_bee_that_was_never_placed(self) -> None:
        self.assertEqual(self.free({(0, 0): "A"}), (-1, -1))

    def test_neighbours_of_any_colour_and_walls_count_as_blocked(self) -> None:
        self.assertEqual(self.free({(0, 0): "Q", (1, 0): "a", (0, 1): "A"}, (1, -1)), (3, -1))

    def test_off_board_neighbours_count_as_blocked(self) -> None:
        self.assertEqual(self.free({(5, -5): "q", (0, 5): "Q"}), (3, 3))
        self.assertEqual(self.free({(5, -2): "q", (0, 0): "Q"}), (6, 4))

    def test_a_covered_bee_counts(self) -> None:
        self.assertEqual(self.free({(0, 0): "Qb", (1, 0): "q"}), (5, 5))

    def test_of_two_bees_the_first_counts(self) -> None:
        self.assertEqual(self.free({(0, 0): "Q", (0, 1): "Q", (0, 2): "q", (5, -5): "Q"}), (5, 5))

    def test_recorded(self) -> None:
        for scene in fixtures():
            self.assertEqual((scene.state.free(0), scene.state.free(1)), scene.free, scene.name)


class ChangeTests(SynchronousTestCase):
    def test_a_set_takes_the_piece_from_the_hand(self) -> None:
        state = START.placed("S", INDEX[0, 1])
        self.assertEqual((state.turn, state.stack(0, 1), state.hand(0), state.hand(1)), (1, "S", "QSSGGBBAAA", HAND))
        same(self, state, rebuilt(state))

    def test_blue_sets_lower_case(self) -> None:
        state = START.placed("S", INDEX[0, 1]).placed("Q", INDEX[0, 2])
        self.assertEqual((state.turn, state.stack(0, 2), state.hand(1)), (2, "q", "SSSGGBBAAA"))
        same(self, state, rebuilt(state))

    def test_a_piece_that_is_not_in_the_hand_leaves_it_as_it_is(self) -> None:
        state = position({(0, 0): "Ab"}, ("SS", "AAA"), 10, ()).placed("A", INDEX[0, 1])
        self.assertEqual((state.hand(0), state.stack(0, 1)), ("SS", "A"))

    def test_a_drag_moves_the_top(self) -> None:
        before = position({(0, 0): "qB", (1, 0): "Q"}, (HAND, HAND), 10, ())
        state = before.dragged(INDEX[0, 0], INDEX[1, 0])
        self.assertEqual((state.turn, state.board()), (11, {(0, 0): "q", (1, 0): "QB"}))
        same(self, state, rebuilt(state))

    def test_a_drag_can_leave_a_cell_empty(self) -> None:
        state = position({(0, 0): "Q", (1, 0): "q"}, (HAND, HAND), 10, ()).dragged(INDEX[0, 0], INDEX[0, 1])
        self.assertEqual(state.board(), {(0, 1): "Q", (1, 0): "q"})
        same(self, state, rebuilt(state))

    def test_a_skip_changes_the_turn_alone(self) -> None:
        state = START.skipped()
        self.assertEqual((state.turn, state.board(), state.obstructed), (1, {}, START.obstructed))
        same(self, state, rebuilt(state))

    def test_nothing_happens_to_the_state_before(self) -> None:
        before = rebuilt(START)
        START.placed("A", INDEX[3, 0])
        same(self, START, before)

    def test_a_bee_in_a_stack_stays_known_while_others_come_and_go(self) -> None:
        state = position({(0, 0): "Qb", (1, 0): "B", (2, 0): "q"}, ("", ""), 10, ())
        for start, end in (((1, 0), (0, 0)), ((2, 0), (1, 0)), ((0, 0), (1, 0)), ((0, 0), (0, 1))):
            state = state.dragged(INDEX[start], INDEX[end])
            same(self, state, rebuilt(state))

    def test_recorded_positions_are_rebuilt(self) -> None:
        for play in plays():
            for scene in play.scenes[::10]:
                same(self, scene.state, rebuilt(scene.state))


class BeeTests(SynchronousTestCase):
    def test_where_a_bee_is_and_what_is_free_around_it(self) -> None:
        state = position({(5, 0): "Qb", (4, 0): "q"}, ("", ""), 10, ((5, -1),))
        self.assertEqual((state.bee(0), state.bee(1)), ((5, 0), (4, 0)))
        self.assertEqual(state.gaps(0), ((4, 1),))
        self.assertEqual(state.gaps(1), ((3, 0), (3, 1), (4, -1), (4, 1)))

    def test_a_bee_in_the_hand_is_nowhere(self) -> None:
        state = position({(0, 0): "A"}, ("Q", "Q"), 2, ())
        self.assertEqual(
            [(state.bee(seat), state.gaps(seat), state.free(seat)) for seat in (0, 1)], [(None, (), -1)] * 2
        )

    def test_of_several_bees_the_first_one_counts(self) -> None:
        state = position({(0, 0): "Q", (3, 0): "Q"}, ("", ""), 10, ())
        self.assertEqual((state.bee(0), len(state.gaps(0)), state.free(0)), ((0, 0), 6, 6))
