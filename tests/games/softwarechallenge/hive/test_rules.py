"""The game as a room hosts it: chance, turns, ends."""

from __future__ import annotations

from collections import Counter
from json import dumps, loads
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.core.game import CHANCE, Outcome, Termination
from gamed.games.softwarechallenge.seasons.hive.board import CELLS, Cell, around, gathered
from gamed.games.softwarechallenge.seasons.hive.moves import Obstructed, SetMove, SkipMove
from gamed.games.softwarechallenge.seasons.hive.position import HAND, State, position
from gamed.games.softwarechallenge.seasons.hive.rules import Hive, Reason
from tests.games.softwarechallenge.hive.recorded import fixtures, named

HIVE = Hive()
WALLS = Obstructed(((-2, 3), (0, 0), (1, 1)))
OPEN = HIVE.apply(HIVE.setup({}), CHANCE, WALLS)


class ChanceTests(SynchronousTestCase):
    def test_chance_moves_first(self) -> None:
        start = HIVE.setup({})
        self.assertEqual(HIVE.to_move(start), {CHANCE})
        self.assertEqual((start.turn, start.obstructed, start.board()), (0, (), {}))
        self.assertEqual((start.hand(0), start.hand(1)), (HAND, HAND))
        self.assertEqual([list(HIVE.legal_moves(start, seat)) for seat in (CHANCE, 0, 1)], [[], [], []])

    def test_what_it_drew_is_obstructed(self) -> None:
        self.assertEqual(OPEN.obstructed, WALLS.cells)
        self.assertEqual(OPEN.turn, 0)
        self.assertEqual(HIVE.to_move(OPEN), {0})

    def test_it_draws_three_different_cells(self) -> None:
        random = Random(1)
        for _ in range(200):
            move = HIVE.draw(HIVE.setup({}), random)
            self.assertEqual(len(set(move.cells)), 3)
            self.assertEqual(list(move.cells), sorted(move.cells))
            self.assertEqual(HIVE.apply(HIVE.setup({}), CHANCE, move).obstructed, move.cells)

    def test_all_cells_are_equally_likely(self) -> None:
        random = Random(2)
        drawn = Counter(cell for _ in range(9100) for cell in HIVE.draw(HIVE.setup({}), random).cells)
        self.assertEqual(set(drawn), set(CELLS))
        # 300 each on average, with a standard deviation of 17.
        self.assertTrue(all(220 < number < 380 for number in drawn.values()))

    def test_neighbours_are_drawn_as_often_as_they_come(self) -> None:
        random = Random(3)
        draws = [HIVE.draw(HIVE.setup({}), random).cells for _ in range(2000)]
        touching = sum(any(around(gathered(one)) & gathered(*cells) for one in cells) for cells in draws)
        self.assertTrue(300 < touching < 420, touching)

    def test_the_same_numbers_draw_the_same_cells(self) -> None:
        self.assertEqual(HIVE.draw(OPEN, Random(7)), HIVE.draw(OPEN, Random(7)))

    def test_other_than_three_different_cells_of_the_board(self) -> None:
        wrong = ((), ((0, 0), (1, 1)), ((0, 0), (0, 0), (1, 1)), ((0, 0), (1, 1), (5, 5)), tuple(CELLS[:4]))
        for cells in wrong:
            with self.assertRaises(InvalidMove) as caught:
                HIVE.apply(HIVE.setup({}), CHANCE, Obstructed(cells))
            self.assertEqual(caught.exception.code, "obstructed-cells")

    def test_chance_does_nothing_else(self) -> None:
        with self.assertRaises(InvalidMove) as caught:
            HIVE.apply(HIVE.setup({}), CHANCE, SkipMove())
        self.assertEqual(caught.exception.code, "not-chances-move")

    def test_nobody_else_obstructs(self) -> None:
        with self.assertRaises(InvalidMove) as caught:
            HIVE.apply(OPEN, 0, WALLS)
        self.assertEqual(caught.exception.code, "chances-move")

    def test_chance_draws_once(self) -> None:
        with self.assertRaises(NotYourTurn):
            HIVE.apply(OPEN, CHANCE, WALLS)


class TurnTests(SynchronousTestCase):
    def test_red_then_blue(self) -> None:
        state = HIVE.apply(OPEN, 0, SetMove("A", 0, 3, 0, -3))
        self.assertEqual(HIVE.to_move(state), {1})
        self.assertEqual(HIVE.to_move(HIVE.apply(state, 1, SetMove("A", 1, 4, 0, -4))), {0})

    def test_out_of_turn(self) -> None:
        move = SetMove("A", 1, 3, 0, -3)
        for state, seat in ((OPEN, 1), (HIVE.setup({}), 0), (OPEN, 2)):
            with self.assertRaises(NotYourTurn) as caught:
                HIVE.apply(state, seat, move)
            self.assertEqual(caught.exception.code, "out-of-turn")
            self.assertEqual(str(caught.exception), "It's not your turn yet.")

    def test_only_the_mover_has_legal_moves(self) -> None:
        self.assertEqual(HIVE.legal_moves(OPEN, 1), [])
        self.assertEqual(len(HIVE.legal_moves(OPEN, 0)), 440)

    def test_an_illegal_move_leaves_with_the_official_text(self) -> None:
        with self.assertRaises(IllegalMove) as caught:
            HIVE.apply(OPEN, 0, SetMove("A", 0, 0, 0, 0))
        self.assertEqual(str(caught.exception), "The target field is obstructed")

    def test_the_pass_is_listed_where_the_official_list_is_empty(self) -> None:
        state = named("all own pieces covered, bee in hand").state
        self.assertEqual(HIVE.legal_moves(state, 0), [SkipMove()])
        self.assertEqual(HIVE.apply(state, 0, SkipMove()).turn, 15)


ENCLOSED_RED = {(0, 0): "Q", **dict.fromkeys(((1, -1), (-1, 1), (1, 0), (0, 1), (0, -1), (-1, 0)), "a")}


class EndTests(SynchronousTestCase):
    """docs/specs/software-challenge.md#the-end."""

    def ended(self, board: dict[Cell, str], turn: int) -> tuple[Reason | None, Outcome | None]:
        state = position(board, ("", ""), turn, ())
        self.assertEqual(HIVE.to_move(state), frozenset() if HIVE.outcome(state) else {turn % 2})
        return HIVE.reason(state), HIVE.outcome(state)

    def won(self, reason: Reason, winner: int | None) -> tuple[Reason, Outcome]:
        return reason, Outcome(Termination.DRAW if winner is None else Termination.VICTORY, winner)

    def test_an_enclosed_bee_loses(self) -> None:
        board = {**ENCLOSED_RED, (2, 0): "q"}
        self.assertEqual(self.ended(board, 10), self.won(Reason.BEE, 1))
        swapped = {cell: stack.swapcase() for cell, stack in board.items()}
        self.assertEqual(self.ended(swapped, 10), self.won(Reason.BEE, 0))

    def test_it_is_judged_after_blues_move_alone(self) -> None:
        self.assertEqual(self.ended({**ENCLOSED_RED, (2, 0): "q"}, 11), (None, None))

    def test_a_bee_can_be_enclosed_before_the_other_is_placed(self) -> None:
        self.assertEqual(self.ended(ENCLOSED_RED, 10), self.won(Reason.BEE, 1))

    def test_self_enclosure_counts(self) -> None:
        board = {cell: stack.upper() for cell, stack in ENCLOSED_RED.items()}
        self.assertEqual(self.ended({**board, (2, 0): "q"}, 12), self.won(Reason.BEE, 1))

    def test_both_enclosed_is_a_draw_with_the_text_of_the_limit(self) -> None:
        self.assertEqual(HIVE.reason(named("both bees enclosed").state), "equal")
        self.assertIsNone(HIVE.outcome(named("both bees enclosed").state).winner)

    def test_walls_and_the_rim_enclose(self) -> None:
        self.assertEqual(HIVE.outcome(named("red bee enclosed by rim").state).winner, 1)

    def test_a_covered_bee_is_enclosed_by_its_neighbours(self) -> None:
        self.assertEqual(self.ended({**ENCLOSED_RED, (0, 0): "QB", (2, 0): "q"}, 10), self.won(Reason.BEE, 1))

    def test_the_round_limit(self) -> None:
        board = {(0, 0): "Q", (1, 0): "q", (2, 0): "a"}
        self.assertEqual(self.ended(board, 58), (None, None))
        self.assertEqual(self.ended(board, 59), (None, None))
        self.assertEqual(self.ended(board, 60), self.won(Reason.FREE, 0))
        self.assertEqual(self.ended({(-1, 0): "A", (0, 0): "Q", (1, 0): "q"}, 60), self.won(Reason.FREE, 1))
        self.assertEqual(self.ended({(0, 0): "Q", (1, 0): "q"}, 60), self.won(Reason.EQUAL, None))

    def test_at_the_limit_an_enclosed_bee_is_the_reason(self) -> None:
        self.assertEqual(self.ended({**ENCLOSED_RED, (2, 0): "q"}, 60), self.won(Reason.BEE, 1))

    def test_a_bee_that_was_never_placed_loses_at_the_limit(self) -> None:
        self.assertEqual(self.ended({(0, 0): "Q", (1, 0): "a"}, 60), self.won(Reason.FREE, 0))
        self.assertEqual(self.ended({(0, 0): "A", (1, 0): "a"}, 60), self.won(Reason.EQUAL, None))

    def test_nothing_is_decided_at_the_start(self) -> None:
        self.assertIsNone(HIVE.outcome(HIVE.setup({})))
        self.assertIsNone(HIVE.reason(OPEN))

    def test_after_the_end_nobody_moves(self) -> None:
        state = named("turn 60, red more free").state
        self.assertEqual(HIVE.legal_moves(state, 0), [])
        with self.assertRaises(NotYourTurn):
            HIVE.apply(state, 0, SkipMove())


class ViewTests(SynchronousTestCase):
    def setUp(self) -> None:
        board = {(0, -1): "Qb", (1, 0): "q"}
        self.state: State = position(board, ("SSA", ""), 12, ((5, 0), (-5, 1), (2, 2)))

    def test_it_tells_the_whole_position(self) -> None:
        expected = {
            "turn": 12,
            "obstructed": [[-5, 1], [2, 2], [5, 0]],
            "board": {"0,-1": "Qb", "1,0": "q"},
            "hands": ["SSA", ""],
            "free": [6, 6],
            "bees": [[0, -1], [1, 0]],
            "gaps": [
                [[-1, -1], [-1, 0], [0, -2], [0, 0], [1, -2], [1, -1]],
                [[0, 0], [0, 1], [1, -1], [1, 1], [2, -1], [2, 0]],
            ],
            "to_move": [0],
            "winner": None,
            "reason": None,
        }
        self.assertEqual(HIVE.view(self.state, None), expected)
        self.assertEqual(loads(dumps(expected)), expected)

    def test_all_see_the_same(self) -> None:
        self.assertEqual(HIVE.view(self.state, 0), HIVE.view(self.state, None))
        self.assertEqual(HIVE.view(self.state, 1), HIVE.view(self.state, None))

    def test_the_start(self) -> None:
        view = HIVE.view(HIVE.setup({}), 0)
        self.assertEqual((view["turn"], view["obstructed"], view["board"]), (0, [], {}))
        self.assertEqual((view["hands"], view["free"]), ([HAND, HAND], [-1, -1]))
        self.assertEqual((view["bees"], view["gaps"]), ([None, None], [[], []]))
        # Chance is to move, which is nobody that a player would wait for.
        self.assertEqual((view["to_move"], HIVE.view(OPEN, 0)["to_move"]), ([], [0]))

    def test_the_gaps_are_those_that_are_counted(self) -> None:
        for scene in fixtures():
            view = HIVE.view(scene.state, None)
            self.assertEqual(list(scene.free), [len(view["gaps"][s]) if view["bees"][s] else -1 for s in (0, 1)])

    def test_the_end(self) -> None:
        for name, winner, reason in (
            ("both bees enclosed", None, "equal"),
            ("red bee enclosed by rim", 1, "bee"),
            ("turn 60, red more free", 0, "free"),
        ):
            view = HIVE.view(named(name).state, None)
            self.assertEqual((view["winner"], view["reason"], view["to_move"]), (winner, reason, []), name)


class NotationTests(SynchronousTestCase):
    def test_a_game_spells_and_parses_its_moves(self) -> None:
        self.assertEqual(HIVE.to_notation(WALLS), "O -2,3 0,0 1,1")
        self.assertEqual(HIVE.parse("O -2,3 0,0 1,1"), WALLS)
        for move in HIVE.legal_moves(OPEN, 0):
            self.assertEqual(HIVE.parse(HIVE.to_notation(move)), move)
