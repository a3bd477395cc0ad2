"""The players: legal, repeatable, and better the more they look at. How good they are, the proofs tell."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import CHANCE, Seat
from gamed.games.softwarechallenge.seasons.hive import strategy as module
from gamed.games.softwarechallenge.seasons.hive.moves import DragMove, Move, SkipMove, to_notation
from gamed.games.softwarechallenge.seasons.hive.position import State, position
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from gamed.games.softwarechallenge.seasons.hive.strategy import (
    COVERED_BEE,
    MOBILE,
    NO_BEE,
    SHELTER,
    STRATEGIES,
    WON,
    Greedy,
    Search,
    Strategy,
    Uniform,
    after,
    legal,
    value,
)
from tests.games.softwarechallenge.hive.recorded import fixtures, named, plays

HIVE = Hive()
QUICK = Search(nodes=200)


def begun(random: Random) -> State:
    return HIVE.apply(HIVE.setup({}), CHANCE, HIVE.draw(HIVE.setup({}), random))


def game(red: Strategy, blue: Strategy, seed: int) -> tuple[Seat | None, list[Move]]:
    """Play a game by the rules; return the winner and the moves."""
    random = Random(seed)
    state = begun(random)
    moves: list[Move] = []
    while HIVE.outcome(state) is None:
        seat = state.mover
        moves.append((red, blue)[seat].choose(state, seat, random))
        state = HIVE.apply(state, seat, moves[-1])
    return HIVE.outcome(state).winner, moves


def one_short(turn: int) -> State:
    """Return a position with an enclosed bee but for one cell, (0, 0) to (1, 0), and an ant of each side to fill it."""
    board = {
        (0, 0): "q",
        (1, -1): "a",
        (-1, 1): "s",
        (0, 1): "g",
        (0, -1): "S",
        (-1, 0): "s",
        (0, -2): "Q",
        (-1, 2): "A",
    }
    return position(board, ("", ""), turn, ())


class LegalTests(SynchronousTestCase):
    def test_every_strategy_plays_legal_moves_to_the_end(self) -> None:
        for number, strategy in enumerate((Uniform(), Greedy(), QUICK)):
            for seed in range(3):
                players = (strategy, Uniform()) if seed % 2 else (Uniform(), strategy)
                _, moves = game(*players, seed + 10 * number)
                self.assertLessEqual(len(moves), 60)

    def test_where_there_is_only_a_pass_they_pass(self) -> None:
        for name in ("ant in the corner", "second move, red in corner", "all own pieces covered, bee in hand"):
            state = named(name).state
            for make in STRATEGIES.values():
                self.assertEqual(make().choose(state, state.mover, Random(1)), SkipMove())

    def test_they_choose_what_is_listed(self) -> None:
        for scene in fixtures():
            state = scene.state
            if HIVE.outcome(state) is None:
                for strategy in (Uniform(), Greedy(), QUICK):
                    self.assertIn(strategy.choose(state, state.mover, Random(2)), HIVE.legal_moves(state, state.mover))

    def test_the_same_numbers_give_the_same_game(self) -> None:
        for strategy in (Uniform(), Greedy(), QUICK):
            self.assertEqual(game(strategy, Uniform(), 5), game(strategy, Uniform(), 5))

    def test_other_numbers_give_other_games(self) -> None:
        for strategy in (Uniform(), Greedy(), QUICK):
            self.assertNotEqual(game(strategy, Uniform(), 5)[1], game(strategy, Uniform(), 6)[1])

    def test_the_names(self) -> None:
        self.assertEqual(dict(STRATEGIES), {"random": Uniform, "greedy": Greedy, "search": Search})

    def test_any_legal_move_comes_up_at_random(self) -> None:
        state = named("bee gate: piece").state
        random = Random(3)
        chosen = {to_notation(Uniform().choose(state, 0, random)) for _ in range(600)}
        self.assertEqual(chosen, {to_notation(move) for move in legal(state)})

    def test_a_move_that_is_not_checked_leads_where_a_checked_one_does(self) -> None:
        for play in plays():
            for scene in play.scenes[:-1:8]:
                state = scene.state
                for move in legal(state)[::5]:
                    self.assertEqual(after(state, move), HIVE.apply(state, state.mover, move))


class ValueTests(SynchronousTestCase):
    def test_it_is_the_movers(self) -> None:
        for play in plays():
            for scene in play.scenes[::15]:
                state = scene.state
                other = position(scene.board, scene.hands, state.turn + 3, scene.obstructed)
                if HIVE.outcome(state) is None and HIVE.outcome(other) is None:
                    self.assertEqual(value(state), -value(other), scene.name)

    def test_colours_are_equal(self) -> None:
        for play in plays():
            for scene in play.scenes[1:-1:15]:
                swapped = {cell: stack.swapcase() for cell, stack in scene.board.items()}
                state = position(swapped, scene.hands[::-1], scene.turn + 3, scene.obstructed)
                if HIVE.outcome(state) is None and HIVE.outcome(scene.state) is None:
                    self.assertEqual(value(state), value(scene.state), scene.name)

    def test_the_end(self) -> None:
        self.assertEqual(value(named("red bee enclosed by rim").state), -WON)
        self.assertEqual(value(named("turn 60, red more free").state), WON)
        self.assertEqual(value(named("both bees enclosed").state), 0)

    def test_free_cells_round_bees_and_mobile_pieces(self) -> None:
        line = {(-1, 0): "Q", (0, 0): "A", (1, 0): "q"}
        # Five neighbours are free for red, and so for blue; both ends are mobile, and the middle is not.
        self.assertEqual(value(position(line, ("", ""), 10, ())), 0)
        self.assertEqual(value(position(line, ("", ""), 10, ((2, 0),))), SHELTER[5] - SHELTER[4])
        apart = {**line, (-1, -1): "S"}
        self.assertEqual(value(position(apart, ("", ""), 10, ())), MOBILE + SHELTER[4] - SHELTER[5] - MOBILE)

    def test_a_bee_in_the_hand_and_a_covered_bee(self) -> None:
        self.assertEqual(value(position({(0, 0): "Q", (1, 0): "a"}, ("", "Q"), 10, ())), SHELTER[5] + MOBILE - NO_BEE)
        covered = position({(0, 0): "Qb", (1, 0): "q"}, ("", ""), 10, ())
        self.assertEqual(value(covered), COVERED_BEE - 2 * MOBILE)

    def test_fewer_free_cells_are_worse(self) -> None:
        self.assertEqual(sorted(SHELTER), list(SHELTER))
        self.assertEqual(len(set(SHELTER)), 7)


class ChoiceTests(SynchronousTestCase):
    def test_blue_does_not_enclose_itself(self) -> None:
        for strategy in (Greedy(), QUICK, Search()):
            move = strategy.choose(one_short(11), 1, Random(4))
            self.assertNotEqual((getattr(move, "x", None), getattr(move, "y", None)), (1, 0))

    def test_red_encloses_the_bee(self) -> None:
        for strategy in (Greedy(), QUICK, Search()):
            self.assertEqual(strategy.choose(one_short(10), 0, Random(4)), DragMove(-1, 2, -1, 1, 0, -1))

    def test_a_search_beats_who_looks_at_the_next_position_only(self) -> None:
        search = Search(nodes=1000)
        won = [game(search, Greedy(), seed)[0] for seed in range(3)]
        lost = [game(Greedy(), search, seed)[0] for seed in range(3)]
        self.assertGreaterEqual(won.count(0) + lost.count(1), 4, (won, lost))
        self.assertEqual(won.count(1) + lost.count(0), 0, (won, lost))

    def test_it_looks_at_no_more_positions_than_it_may(self) -> None:
        looked: list[State] = []
        self.patch(module, "value", lambda state: looked.append(state) or value(state))
        for nodes in (1, 2, 50, 400):
            looked.clear()
            state = begun(Random(1))
            self.assertIn(Search(nodes=nodes).choose(state, 0, Random(1)), HIVE.legal_moves(state, 0))
            # One more shows that the budget is used up.
            self.assertEqual(len(looked), max(2, nodes))
