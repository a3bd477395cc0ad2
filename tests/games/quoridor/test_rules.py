"""The rules sentence by sentence, strictly and as an observer follows them.

Source: docs/specs/quoridor.md#the-end-of-a-game, docs/specs/quoridor.md#walls, docs/specs/quoridor.md#pawns.
"""

from __future__ import annotations

import json
from itertools import pairwise, product
from random import Random

from attrs import evolve
from attrs.exceptions import FrozenInstanceError
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn, RuleError
from gamed.core.game import Outcome, Termination
from gamed.games.quoridor.moves import HORIZONTAL, VERTICAL, Move, PawnMove, Wall, xy
from gamed.games.quoridor.rules import STARTS, State, destinations
from gamed.games.quoridor.walls import GOALS, Walls, bits, cell_at
from tests.games.quoridor.positions import RULES, as_slow, mask, random_game, read, written
from tests.games.quoridor.test_moves import MOVES

TWO = RULES.setup({"players": 2})
FOUR = RULES.setup({"players": 4})


def steps(text: str, seat: int = 0) -> str:
    """Return where a pawn may go, in writing."""
    return written(bits(destinations(read(text), seat)))


class SetupTests(SynchronousTestCase):
    def test_two_begin_with_ten_walls_each(self) -> None:
        self.assertEqual(TWO, read("40.48 - - 10.10 1"))
        self.assertEqual(TWO.players, 2)

    def test_four_begin_with_five_walls_each(self) -> None:
        self.assertEqual(FOUR, read("40.48.04.84 - - 5.5.5.5 1"))
        self.assertEqual(FOUR.players, 4)

    def test_each_begins_opposite_its_goal(self) -> None:
        self.assertEqual([xy(cell) for cell in STARTS], [(4, 0), (4, 8), (0, 4), (8, 4)])
        for start, goal in zip(STARTS, (1, 0, 3, 2), strict=True):
            self.assertTrue(GOALS[goal] >> start & 1)

    def test_no_other_number_plays(self) -> None:
        for players in (0, 1, 3, 5):
            error = self.assertRaises(InvalidMove, RULES.setup, {"players": players})
            self.assertEqual(error.code, "players")

    def test_states_are_values(self) -> None:
        self.assertEqual(hash(TWO), hash(RULES.setup({"players": 2})))
        self.assertRaises(FrozenInstanceError, setattr, TWO, "mover", 1)
        self.assertFalse(hasattr(TWO, "__dict__"))


class TurnTests(SynchronousTestCase):
    def test_the_turn_goes_by_the_ids(self) -> None:
        state, seats = FOUR, []
        for move in (PawnMove(4, 1), PawnMove(4, 7), PawnMove(1, 4), PawnMove(7, 4)):
            seats.append(set(RULES.to_move(state)))
            state = RULES.apply(state, state.mover, move)
        self.assertEqual(seats, [{0}, {1}, {2}, {3}])
        self.assertEqual(RULES.to_move(state), {0})

    def test_a_wall_passes_the_turn_too(self) -> None:
        self.assertEqual(RULES.to_move(RULES.apply(TWO, 0, Wall(4, 4, HORIZONTAL))), {1})

    def test_who_is_not_to_move_has_no_moves(self) -> None:
        self.assertEqual(list(RULES.legal_moves(TWO, 1)), [])

    def test_who_is_not_to_move_is_refused(self) -> None:
        for act in (RULES.apply, RULES.follow):
            for seat in (1, 2, -1):
                error = self.assertRaises(NotYourTurn, act, TWO, seat, PawnMove(4, 7))
                self.assertEqual((error.code, str(error)), ("out-of-turn", "another player is to move"))

    def test_at_the_end_nobody_is_to_move(self) -> None:
        state = evolve(TWO, winner=1)
        self.assertEqual(RULES.to_move(state), frozenset())
        self.assertEqual(list(RULES.legal_moves(state, 0)), [])
        for act in (RULES.apply, RULES.follow):
            error = self.assertRaises(NotYourTurn, act, state, 0, PawnMove(4, 1))
            self.assertEqual(str(error), "the game is over")

    def test_chance_has_no_move(self) -> None:
        self.assertRaises(IllegalMove, RULES.draw, TWO, Random(1))


class PawnTests(SynchronousTestCase):
    def test_it_steps_in_four_directions(self) -> None:
        self.assertEqual(steps("44.48 - - 0.0 1"), "43.34.54.45")

    def test_it_stays_on_the_board(self) -> None:
        self.assertEqual(steps("00.48 - - 0.0 1"), "10.01")
        self.assertEqual(steps("88.48 - - 0.0 1"), "87.78")

    def test_walls_stop_it_on_both_sides(self) -> None:
        self.assertEqual(steps("44.48 44.35 - 0.0 1"), "34.54")
        self.assertEqual(steps("44.48 - 43.54 0.0 1"), "43.45")

    def test_it_jumps_over_another_one_in_each_direction(self) -> None:
        self.assertEqual(steps("44.43 - - 0.0 1"), "42.34.54.45")
        self.assertEqual(steps("44.45 - - 0.0 1"), "43.34.54.46")
        self.assertEqual(steps("44.34 - - 0.0 1"), "43.24.54.45")
        self.assertEqual(steps("44.54 - - 0.0 1"), "43.34.64.45")

    def test_with_a_wall_behind_the_other_one_it_goes_to_the_sides(self) -> None:
        self.assertEqual(steps("44.43 43 - 0.0 1"), "33.53.34.54.45")
        self.assertEqual(steps("44.54 - 64 0.0 1"), "43.53.34.45.55")

    def test_with_the_border_behind_the_other_one_it_goes_to_the_sides(self) -> None:
        self.assertEqual(steps("41.40 - - 0.0 1"), "30.50.31.51.42")
        self.assertEqual(steps("14.04 - - 0.0 1"), "03.13.24.05.15")

    def test_with_a_third_one_behind_the_other_one_it_goes_to_the_sides(self) -> None:
        self.assertEqual(steps("44.43.42.00 - - 0.0.0.0 1"), "33.53.34.54.45")

    def test_a_wall_beside_the_other_one_stops_it(self) -> None:
        self.assertEqual(steps("44.43 43 43 0.0 1"), "53.54.45")
        self.assertEqual(steps("44.43 43 53 0.0 1"), "33.34.45")

    def test_a_pawn_beside_the_other_one_stops_it(self) -> None:
        self.assertEqual(steps("44.43.33.00 43 - 0.0.0.0 1"), "53.34.54.45")

    def test_a_wall_before_the_other_one_stops_it(self) -> None:
        self.assertEqual(steps("44.43 44 - 0.0 1"), "34.54.45")

    def test_it_never_goes_to_the_sides_where_it_can_jump(self) -> None:
        self.assertEqual(steps("44.43 - - 0.0 1"), "42.34.54.45")

    def test_it_never_goes_over_two(self) -> None:
        self.assertEqual(steps("44.43.42.00 - - 0.0.0.0 1"), "33.53.34.54.45")

    def test_every_seat_s_steps_are_known_whoever_is_to_move(self) -> None:
        self.assertEqual(steps("44.43 - - 0.0 1", 1), "42.33.53.45")

    def test_a_move_puts_it_there_and_changes_nothing_else(self) -> None:
        self.assertEqual(RULES.apply(TWO, 0, PawnMove(5, 0)), read("50.48 - - 10.10 2"))

    def test_other_cells_are_refused(self) -> None:
        allowed = {(4, 1), (3, 0), (5, 0)}
        for cell in set(product(range(9), range(9))) - allowed:
            error = self.assertRaises(IllegalMove, RULES.apply, TWO, 0, PawnMove(*cell))
            self.assertEqual(error.code, "pawn-unreachable")

    def test_the_error_says_from_where_to_where(self) -> None:
        error = self.assertRaises(IllegalMove, RULES.apply, TWO, 0, PawnMove(4, 2))
        self.assertEqual(str(error), "the pawn at (4, 0) cannot go to (4, 2)")


class WallTests(SynchronousTestCase):
    def refused(self, text: str, move: Wall) -> str:
        """Return the code of the error; the wall is not among the legal moves either."""
        state = read(text)
        self.assertNotIn(move, set(RULES.legal_moves(state, state.mover)))
        return self.assertRaises(IllegalMove, RULES.apply, state, state.mover, move).code

    def test_it_is_put_and_paid_by_the_mover(self) -> None:
        state = RULES.apply(TWO, 0, Wall(3, 4, HORIZONTAL))
        self.assertEqual(state, read("40.48 34 - 9.10 2"))
        self.assertEqual(RULES.apply(state, 1, Wall(3, 4, VERTICAL)), read("40.48 34 34 9.9 1"))

    def test_the_last_one_can_be_put_and_no_more(self) -> None:
        state = RULES.apply(read("40.48 - - 1.1 1"), 0, Wall(3, 4, HORIZONTAL))
        self.assertEqual(state.left, (0, 1))
        self.assertEqual(self.refused("40.48 - - 0.1 1", Wall(3, 4, HORIZONTAL)), "no-walls-left")

    def test_it_has_its_places(self) -> None:
        for x, y in product(range(9), range(9)):
            for orientation, fine in ((HORIZONTAL, x < 8 and y > 0), (VERTICAL, x > 0 and y < 8)):
                move = Wall(x, y, orientation)
                if fine:
                    RULES.apply(TWO, 0, move)
                else:
                    self.assertEqual(self.refused("40.48 - - 10.10 1", move), "wall-out-of-range")

    def test_an_equal_one_is_refused(self) -> None:
        self.assertEqual(self.refused("40.48 34 - 9.9 1", Wall(3, 4, HORIZONTAL)), "wall-overlaps")

    def test_one_that_overlaps_by_half_is_refused(self) -> None:
        for move in (Wall(2, 4, HORIZONTAL), Wall(4, 4, HORIZONTAL)):
            self.assertEqual(self.refused("40.48 34 - 9.9 1", move), "wall-overlaps")
        for move in (Wall(3, 3, VERTICAL), Wall(3, 5, VERTICAL)):
            self.assertEqual(self.refused("40.48 - 34 9.9 1", move), "wall-overlaps")

    def test_one_that_crosses_is_refused(self) -> None:
        self.assertEqual(self.refused("40.48 34 - 9.9 1", Wall(4, 3, VERTICAL)), "wall-crosses")
        self.assertEqual(self.refused("40.48 - 43 9.9 1", Wall(3, 4, HORIZONTAL)), "wall-crosses")

    def test_walls_may_touch(self) -> None:
        # End to end, corner to corner, and in the shape of a T.
        state = read("40.48 34 - 9.9 1")
        for move in (
            Wall(1, 4, HORIZONTAL),
            Wall(5, 4, HORIZONTAL),
            Wall(3, 4, VERTICAL),
            Wall(3, 2, VERTICAL),
            Wall(5, 3, VERTICAL),
            Wall(4, 4, VERTICAL),
            Wall(4, 2, VERTICAL),
        ):
            RULES.apply(state, 0, move)

    def test_one_that_encloses_the_mover_is_refused(self) -> None:
        self.assertEqual(self.refused("00.48 - 20 9.9 1", Wall(0, 2, HORIZONTAL)), "wall-encloses")

    def test_one_that_encloses_another_player_is_refused(self) -> None:
        self.assertEqual(self.refused("40.88 - 77 9.9 1", Wall(7, 7, HORIZONTAL)), "wall-encloses")
        self.assertEqual(self.refused("40.88 77 - 9.9 1", Wall(8, 7, VERTICAL)), "wall-encloses")

    def test_one_that_encloses_only_the_fourth_player_is_refused(self) -> None:
        self.assertEqual(self.refused("40.48.04.80 72 - 5.5.5.5 1", Wall(7, 0, VERTICAL)), "wall-encloses")

    def test_one_that_encloses_nobody_may_be_put(self) -> None:
        RULES.apply(read("40.48 - 20 9.9 1"), 0, Wall(0, 2, HORIZONTAL))

    def test_pawns_block_no_way(self) -> None:
        # The only way out of the corner is where the other pawn stands.
        RULES.apply(read("00.20 02 - 9.9 1"), 0, Wall(5, 5, HORIZONTAL))
        RULES.apply(read("00.02 - 20 9.9 1"), 0, Wall(1, 2, HORIZONTAL))

    def test_no_wall_has_another_orientation(self) -> None:
        for act in (RULES.apply, RULES.follow):
            error = self.assertRaises(InvalidMove, act, TWO, 0, Wall(1, 1, "oblique"))
            self.assertEqual(error.code, "orientation")

    def test_nothing_is_off_the_board(self) -> None:
        for act in (RULES.apply, RULES.follow):
            for move in (PawnMove(4, 9), PawnMove(-1, 0), Wall(9, 1, HORIZONTAL)):
                self.assertEqual(self.assertRaises(InvalidMove, act, TWO, 0, move).code, "off-board")


class LegalMovesTests(SynchronousTestCase):
    def test_pawn_moves_come_first(self) -> None:
        kinds = [type(move) for move in RULES.legal_moves(TWO, 0)]
        self.assertEqual(kinds, [PawnMove] * 3 + [Wall] * 128)

    def test_without_walls_in_stock_there_are_pawn_moves_only(self) -> None:
        self.assertEqual(len(list(RULES.legal_moves(read("44.48 - - 0.9 1"), 0))), 4)

    def test_apply_takes_the_legal_moves_and_no_other(self) -> None:
        every = [PawnMove(x, y) for x, y in product(range(9), range(9))]
        every += [Wall(x, y, name) for name in (HORIZONTAL, VERTICAL) for x, y in product(range(9), range(9))]
        random = Random(3)
        for number in range(4):
            for state, _, _ in list(random_game(2 + number % 2 * 2, random))[::10]:
                taken = [move for move in every if is_taken(state, move)]
                self.assertEqual(set(taken), set(RULES.legal_moves(state, state.mover)))

    def test_of_four_one_may_have_no_move_and_waits(self) -> None:
        # Between two pawns, with walls behind them and a wall and a third pawn beside them.
        state = read("40.51.30.50 31 30.60 0.5.5.5 1")
        self.assertTrue(as_slow(state).all_have_a_way())
        self.assertEqual(RULES.to_move(state), {0})
        self.assertEqual(list(RULES.legal_moves(state, 0)), [])
        self.assertIsNone(RULES.outcome(state))


def is_taken(state: State, move: Move) -> bool:
    try:
        RULES.apply(state, state.mover, move)
    except IllegalMove:
        return False
    return True


class EndTests(SynchronousTestCase):
    def test_a_game_goes_on_until_a_pawn_is_at_its_goal(self) -> None:
        self.assertIsNone(RULES.outcome(TWO))

    def test_each_seat_wins_on_its_own_side(self) -> None:
        pawns = "47.41.74.14"
        goals = (PawnMove(4, 8), PawnMove(4, 0), PawnMove(8, 4), PawnMove(0, 4))
        for seat, move in enumerate(goals):
            state = RULES.apply(read(f"{pawns} - - 5.5.5.5 {seat + 1}"), seat, move)
            self.assertEqual(RULES.outcome(state), Outcome(Termination.VICTORY, seat))
            self.assertEqual(RULES.to_move(state), frozenset())

    def test_another_one_s_goal_wins_nothing(self) -> None:
        state = RULES.apply(read("07.41 - - 9.9 1"), 0, PawnMove(0, 6))
        self.assertIsNone(RULES.outcome(state))
        self.assertIsNone(RULES.outcome(RULES.apply(read("47.41 - - 9.9 2"), 1, PawnMove(4, 2))))

    def test_a_jump_wins_too(self) -> None:
        state = RULES.apply(read("46.47 - - 9.9 1"), 0, PawnMove(4, 8))
        self.assertEqual(state.winner, 0)

    def test_the_turn_has_passed_all_the_same(self) -> None:
        # The next game begins with the one after the winner.
        self.assertEqual(RULES.apply(read("47.41 - - 9.9 1"), 0, PawnMove(4, 8)).mover, 1)
        self.assertEqual(RULES.apply(read("00.00.00.14 - - 5.5.5.5 4"), 3, PawnMove(0, 4)).mover, 0)


class FollowTests(SynchronousTestCase):
    def test_a_pawn_goes_where_it_says(self) -> None:
        self.assertEqual(RULES.follow(TWO, 0, PawnMove(7, 6)), read("76.48 - - 10.10 2"))

    def test_it_may_go_onto_another_one(self) -> None:
        state = RULES.follow(TWO, 0, PawnMove(4, 7))
        state = RULES.follow(state, 1, PawnMove(4, 7))
        self.assertEqual(state, read("47.47 - - 10.10 1"))
        self.assertEqual(steps("47.47 - - 10.10 1"), "46.37.57.48")

    def test_it_wins_however_it_got_there(self) -> None:
        self.assertEqual(RULES.follow(TWO, 0, PawnMove(4, 8)).winner, 0)
        self.assertEqual(RULES.follow(FOUR, 0, PawnMove(0, 8)).winner, 0)

    def test_it_wins_on_its_own_goal_only(self) -> None:
        for cell in ((4, 0), (0, 4), (8, 4)):
            self.assertIsNone(RULES.follow(FOUR, 0, PawnMove(*cell)).winner)

    def test_a_wall_is_put_wherever_it_says(self) -> None:
        state = read("40.48 34 - 9.9 1")
        self.assertEqual(RULES.follow(state, 0, Wall(4, 4, HORIZONTAL)), read("40.48 34.44 - 8.9 2"))
        self.assertEqual(RULES.follow(state, 0, Wall(4, 3, VERTICAL)), read("40.48 34 43 8.9 2"))
        self.assertEqual(RULES.follow(state, 0, Wall(8, 4, HORIZONTAL)), read("40.48 34.84 - 8.9 2"))

    def test_an_equal_one_is_paid_and_changes_nothing(self) -> None:
        self.assertEqual(RULES.follow(read("40.48 34 - 9.9 1"), 0, Wall(3, 4, HORIZONTAL)), read("40.48 34 - 8.9 2"))

    def test_the_stock_is_never_below_nought(self) -> None:
        self.assertEqual(RULES.follow(read("40.48 - - 0.9 1"), 0, Wall(3, 4, HORIZONTAL)).left, (0, 9))

    def test_legal_moves_can_be_asked_for_in_any_position_that_comes_of_it(self) -> None:
        random = Random(5)
        for number in range(30):
            state = RULES.setup({"players": 2 + number % 2 * 2})
            for _ in range(40):
                kind = random.choice((HORIZONTAL, VERTICAL, "player"))
                cell = random.randrange(9), random.randrange(1, 8)
                move = PawnMove(*cell) if kind == "player" else Wall(*cell, kind)
                state = evolve(RULES.follow(state, state.mover, move), winner=None)
                for legal in list(RULES.legal_moves(state, state.mover))[::7]:
                    RULES.apply(state, state.mover, legal)

    @settings(deadline=None, max_examples=100)
    @given(st.lists(MOVES, max_size=30), st.sampled_from((2, 4)))
    def test_where_a_move_is_legal_both_go_to_the_same_position(self, moves: list[Move], players: int) -> None:
        state = RULES.setup({"players": players})
        for move in moves:
            if not RULES.to_move(state):
                break
            then = RULES.follow(state, state.mover, move)
            try:
                self.assertEqual(RULES.apply(state, state.mover, move), then)
            except RuleError:
                self.assertNotIn(move, set(RULES.legal_moves(state, state.mover)))
            else:
                self.assertIn(move, set(RULES.legal_moves(state, state.mover)))
            state = then


class GameTests(SynchronousTestCase):
    def test_a_random_game_keeps_what_must_hold(self) -> None:
        random = Random(7)
        for number in range(30):
            check_game(self, 2 + number % 2 * 2, random)


def check_game(case: SynchronousTestCase, players: int, random: Random) -> None:
    """Play a strict game at random and check each position: ways, walls, stocks, cells and the turn."""
    played = list(random_game(players, random))
    positions = [played[0][0], *(then for _, _, then in played)]
    for before, then in pairwise(positions):
        case.assertEqual(then.mover, (before.mover + 1) % players)
        case.assertEqual(len(set(then.pawns)), players)
        case.assertEqual(sum(then.left) + wall_count(then), 20)
        if before.walls != then.walls:
            check_walls(case, then)
    case.assertEqual([state.winner for state in positions[:-1]], [None] * len(played))


def wall_count(state: State) -> int:
    return state.walls.horizontal.bit_count() + state.walls.vertical.bit_count()


def check_walls(case: SynchronousTestCase, state: State) -> None:
    slow = as_slow(state)
    case.assertTrue(slow.all_have_a_way(), state)
    for wall in slow.walls:
        case.assertTrue(evolve(slow, walls=slow.walls - {wall}).fits(wall), state)


class ViewTests(SynchronousTestCase):
    def test_it_shows_the_position(self) -> None:
        view = RULES.view(read("44.48 35 21.77 7.10 1"), None)
        assert isinstance(view, dict)
        goals = view.pop("goals")
        self.assertEqual(goals, [[[x, 8] for x in range(9)], [[x, 0] for x in range(9)]])
        self.assertEqual(
            view,
            {
                "pawns": [[4, 4], [4, 8]],
                "walls": [[3, 5, "horizontal"], [2, 1, "vertical"], [7, 7, "vertical"]],
                "left": [7, 10],
                "to_move": [0],
                "reach": [[4, 3], [3, 4], [5, 4]],
                "moves": [],
                "places": [],
                "winner": None,
            },
        )

    def test_who_is_to_move_sees_what_is_legal(self) -> None:
        view = RULES.view(TWO, 0)
        assert isinstance(view, dict)
        self.assertEqual(view["moves"], [[3, 0], [5, 0], [4, 1]])
        self.assertEqual(len(view["places"]), 128)
        self.assertEqual(view["places"][0], [0, 1, "horizontal"])

    def test_who_waits_sees_no_moves(self) -> None:
        view = RULES.view(TWO, 1)
        assert isinstance(view, dict)
        self.assertEqual((view["moves"], view["places"]), ([], []))

    def test_four_have_four_goals(self) -> None:
        view = RULES.view(FOUR, None)
        assert isinstance(view, dict)
        self.assertEqual(view["goals"][2:], [[[8, y] for y in range(9)], [[0, y] for y in range(9)]])

    def test_it_shows_the_winner(self) -> None:
        view = RULES.view(RULES.follow(TWO, 0, PawnMove(4, 8)), 1)
        assert isinstance(view, dict)
        self.assertEqual((view["winner"], view["to_move"], view["moves"]), (0, [], []))

    def test_it_is_json_for_everybody(self) -> None:
        for state in (TWO, FOUR, read("44.48 35 21.77 7.10 2")):
            for seat in (None, *range(state.players)):
                view = RULES.view(state, seat)
                self.assertEqual(json.loads(json.dumps(view)), view)


class CellTests(SynchronousTestCase):
    def test_written_positions_are_read_as_they_are(self) -> None:
        state = read("44.48 35 21.77 7.10 2")
        self.assertEqual(state.pawns, (cell_at(4, 4), cell_at(4, 8)))
        self.assertEqual(state.walls, Walls(mask("35"), mask("21.77")))
        self.assertEqual((state.left, state.mover, state.winner), ((7, 10), 1, None))
