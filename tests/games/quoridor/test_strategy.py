"""What the strategies choose, and that it is legal wherever they are asked."""

from __future__ import annotations

from random import Random

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.quoridor.moves import HORIZONTAL, Move, PawnMove, Wall
from gamed.games.quoridor.rules import State, after
from gamed.games.quoridor.strategy import (
    STRATEGIES,
    AnyMove,
    Search,
    ShortestPath,
    Strategy,
    distances,
    first_rival,
    hindering,
    judge,
    rounds,
)
from tests.games.quoridor.matches import Match
from tests.games.quoridor.positions import RULES, as_slow, random_game, read
from tests.games.quoridor.test_moves import MOVES

TWO = RULES.setup({"players": 2})
FOUR = RULES.setup({"players": 4})
STUCK = read("40.51.30.50 31 30.60 0.5.5.5 1")
"""The first of four has no move."""
TWO_WAYS = read("44.08 46 - 0.0 1")
"""Before the wall or beside it, the first of two goes one step aside."""
WALLS_ONLY = evolve(STUCK, left=(5, 5, 5, 5))


def choices(strategy: Strategy, state: State, tries: int = 30) -> set[Move]:
    """Return what is chosen with different generators."""
    return {strategy.choose(state, state.mover, Random(seed)) for seed in range(tries)}


class EveryStrategyTests(SynchronousTestCase):
    def test_there_are_four_and_path_is_the_first(self) -> None:
        self.assertEqual(list(STRATEGIES), ["path", "search", "greedy", "random"])
        self.assertEqual(
            [make() for make in STRATEGIES.values()], [ShortestPath(), Search(), Search(depth=1), AnyMove()]
        )

    def test_each_chooses_legal_moves_in_games_of_two_and_four(self) -> None:
        random = Random(1)
        for number in range(6):
            for state, _, _ in list(random_game(2 + number % 2 * 2, random))[::5]:
                legal = set(RULES.legal_moves(state, state.mover))
                for create in STRATEGIES.values():
                    self.assertIn(create().choose(state, state.mover, random), legal)

    @settings(deadline=None, max_examples=40)
    @given(st.lists(MOVES, max_size=40), st.sampled_from((2, 4)))
    def test_each_chooses_legal_moves_after_illegal_ones(self, moves: list[Move], players: int) -> None:
        state = RULES.setup({"players": players})
        for move in moves:
            state = evolve(RULES.follow(state, state.mover, move), winner=None)
        legal = set(RULES.legal_moves(state, state.mover))
        for create in STRATEGIES.values():
            if legal:
                self.assertIn(create().choose(state, state.mover, Random(1)), legal)
            else:
                self.assertRaises(LookupError, create().choose, state, state.mover, Random(1))

    def test_the_same_generator_chooses_the_same(self) -> None:
        for create in STRATEGIES.values():
            for state in (TWO, FOUR):
                first, second = (create().choose(state, 0, Random(5)) for _ in range(2))
                self.assertEqual(first, second)

    def test_without_a_move_there_is_nothing_to_choose(self) -> None:
        for create in STRATEGIES.values():
            self.assertRaises(LookupError, create().choose, STUCK, 0, Random(1))

    def test_a_pawn_that_cannot_go_leaves_the_walls(self) -> None:
        legal = set(RULES.legal_moves(WALLS_ONLY, 0))
        self.assertTrue(legal)
        for create in STRATEGIES.values():
            self.assertTrue(choices(create(), WALLS_ONLY, 5) <= legal)

    def test_path_and_search_win_at_once_where_they_can(self) -> None:
        for state in (read("47.11 - - 9.9 1"), read("16.41.22.66 - - 5.5.5.5 2"), read("46.47 - - 9.9 1")):
            goal = PawnMove(4, 0) if state.mover else PawnMove(4, 8)
            for strategy in (ShortestPath(), Search()):
                self.assertEqual(choices(strategy, state, 5), {goal})


class AnyMoveTests(SynchronousTestCase):
    def test_every_legal_move_is_chosen_at_times(self) -> None:
        state = read("44.48 - - 0.0 1")
        self.assertEqual(choices(AnyMove(), state, 60), set(RULES.legal_moves(state, 0)))

    def test_walls_too(self) -> None:
        self.assertTrue(any(isinstance(move, Wall) for move in choices(AnyMove(), TWO)))


class MeasureTests(SynchronousTestCase):
    def test_distances_are_those_of_the_slow_search(self) -> None:
        for state, _, _ in list(random_game(4, Random(3)))[::5]:
            slow = as_slow(state)
            self.assertEqual(distances(state), tuple(slow.distance(player) for player in (1, 2, 3, 4)))

    def test_where_somebody_has_no_way_there_are_none(self) -> None:
        self.assertIsNone(distances(read("00.48 02 20 9.9 1")))
        self.assertIsNone(judge(read("00.48 02 20 9.9 1")))

    def test_in_a_round_the_mover_is_first(self) -> None:
        self.assertEqual(rounds(read("40.48.04.84 - - 5.5.5.5 3"), (8, 8, 8, 8)), [8.5, 8.75, 8.0, 8.25])

    def test_the_first_rival_is_nearest_and_the_next_to_move_among_equals(self) -> None:
        state = read("40.48.04.84 - - 5.5.5.5 3")
        self.assertEqual(first_rival(state, (8, 8, 1, 8)), 3)
        self.assertEqual(first_rival(state, (8, 7, 1, 8)), 1)

    def test_hindering_walls_fit_and_lie_across_the_path(self) -> None:
        found = list(hindering(read("46.40 - - 9.9 2"), 0))
        self.assertEqual(found, [Wall(x, y, HORIZONTAL) for y in (7, 8) for x in (3, 4)])
        self.assertEqual(list(hindering(read("46.40 37.38 - 9.9 2"), 1)), [])
        self.assertEqual(list(hindering(read("00.48 02 20 9.9 1"), 0)), [])

    def test_with_two_one_s_worth_is_the_other_s_loss(self) -> None:
        for state, _, then in random_game(2, Random(4)):
            for position in (state, then):
                scores = judge(position)
                assert scores is not None
                self.assertAlmostEqual(sum(scores), 0.0)

    def test_a_step_nearer_is_worth_more(self) -> None:
        self.assertGreater(self.worth("44.48 - - 5.5 1"), self.worth("43.48 - - 5.5 1"))

    def test_a_wall_in_stock_is_worth_something(self) -> None:
        self.assertGreater(self.worth("44.48 - - 6.5 1"), self.worth("44.48 - - 5.5 1"))
        self.assertGreater(self.worth("44.48 - - 5.5 1"), self.worth("44.48 - - 5.6 1"))

    def test_being_to_move_is_worth_something(self) -> None:
        self.assertGreater(self.worth("44.44 - - 5.5 1"), self.worth("44.44 - - 5.5 2"))

    def test_to_be_ahead_of_those_without_walls_is_nearly_won(self) -> None:
        self.assertGreater(self.worth("46.45 - - 1.0 1"), 25)
        self.assertLess(self.worth("46.45 - - 1.1 1"), 25)
        self.assertLess(self.worth("44.43 - - 0.1 2"), -25)

    def test_winning_is_worth_most(self) -> None:
        scores = judge(RULES.follow(FOUR, 0, PawnMove(4, 8)))
        self.assertEqual(scores, (1_000.0, -1_000.0, -1_000.0, -1_000.0))

    def worth(self, text: str) -> float:
        """Return what a position is worth to the first seat."""
        scores = judge(read(text))
        assert scores is not None
        return scores[0]


class ShortestPathTests(SynchronousTestCase):
    def test_it_goes_straight_on(self) -> None:
        self.assertEqual(choices(ShortestPath(), TWO), {PawnMove(4, 1)})
        self.assertEqual(choices(ShortestPath(), evolve(FOUR, mover=2)), {PawnMove(1, 4)})

    def test_it_goes_around_a_wall_on_the_shorter_side(self) -> None:
        self.assertEqual(choices(ShortestPath(), read("44.08 45 - 0.9 1")), {PawnMove(3, 4)})

    def test_where_two_ways_are_equal_it_takes_either(self) -> None:
        self.assertEqual(choices(ShortestPath(), TWO_WAYS), {PawnMove(3, 4), PawnMove(4, 5)})

    def test_it_jumps_where_it_can(self) -> None:
        self.assertEqual(choices(ShortestPath(), read("44.45 - - 0.9 1")), {PawnMove(4, 6)})

    def test_ahead_or_level_it_puts_no_wall(self) -> None:
        for text in ("44.48 - - 9.9 1", "44.44 - - 9.9 1"):
            self.assertTrue(all(isinstance(move, PawnMove) for move in choices(ShortestPath(), read(text))))

    def test_behind_it_puts_a_wall_that_makes_the_other_way_longest(self) -> None:
        state = read("80.14 23 - 9.9 1")
        found = choices(ShortestPath(), state)
        self.assertEqual({type(move) for move in found}, {Wall})
        gains = {move: self.gain(state, move) for move in RULES.legal_moves(state, 0) if isinstance(move, Wall)}
        best = max(gains.values())
        self.assertEqual((best, min(gain for gain in gains.values() if gain > 0)), (3, 1))
        self.assertEqual({gains[move] for move in found}, {best})

    def gain(self, state: State, wall: Wall) -> int:
        """Return by how many steps a wall sets the second player back more than the first."""
        before, then = as_slow(state), as_slow(after(state, wall))
        ways = [(then.distance(player) or 0) - (before.distance(player) or 0) for player in (1, 2)]
        return ways[1] - ways[0]

    def test_a_wall_that_costs_it_as_much_is_not_put(self) -> None:
        self.assertEqual(choices(ShortestPath(), read("40.41 - - 5.5 1")), {PawnMove(4, 2)})

    def test_a_wall_that_would_enclose_it_is_not_put(self) -> None:
        # Both are in a lane that is open at its lower end only.
        state = read("40.43 - 40.42.44.46.50.52.54.56 5.5 1")
        self.assertEqual(choices(ShortestPath(), state), {PawnMove(4, 1)})

    def test_without_walls_in_stock_it_goes(self) -> None:
        self.assertEqual(choices(ShortestPath(), read("40.42 - - 0.9 1")), {PawnMove(4, 1)})

    def test_without_a_way_it_goes_anywhere(self) -> None:
        self.assertEqual(choices(ShortestPath(), read("00.48 02 20 9.9 1")), {PawnMove(1, 0), PawnMove(0, 1)})

    def test_of_four_it_hinders_the_first(self) -> None:
        state = read("80.12.40.64 - - 5.5.5.5 1")
        for wall in choices(ShortestPath(), state):
            before, then = distances(state), distances(after(state, wall))
            assert before is not None
            assert then is not None
            self.assertGreater(then[1], before[1])


class SearchTests(SynchronousTestCase):
    def test_it_stops_the_other_one_from_winning_next(self) -> None:
        # One wall is enough: behind it, the other one has to go around.
        for strategy in (Search(), Search(depth=2)):
            for move in choices(strategy, read("40.41 - - 5.5 1"), 10):
                self.assertIsInstance(move, Wall)

    def test_it_goes_when_it_is_ahead_of_one_without_walls(self) -> None:
        self.assertEqual(choices(Search(), read("45.44 - - 5.0 1"), 10), {PawnMove(4, 6)})

    def test_among_equal_moves_the_generator_decides(self) -> None:
        self.assertEqual(choices(Search(), TWO_WAYS), {PawnMove(3, 4), PawnMove(4, 5)})

    def test_with_two_no_cut_changes_what_the_best_move_is_worth(self) -> None:
        self.check_exhaustive(2, 6)

    def test_with_four_there_are_no_cuts(self) -> None:
        self.check_exhaustive(4, 5)

    def check_exhaustive(self, players: int, seed: int) -> None:
        """Compare the search, with room for all moves, with one that leaves nothing out."""
        for state, _, _ in list(random_game(players, Random(seed)))[-4::-9]:
            for depth in (1, 2, 3):
                move = Search(depth=depth, width=200).choose(state, state.mover, Random(1))
                worth = {move: outlook(after(state, move), depth - 1)[state.mover] for move in looked_at(state)}
                self.assertAlmostEqual(worth[move], max(worth.values()))


def looked_at(state: State) -> list[Move]:
    """Return the moves that a search follows, those first that look best."""
    steps, legal = distances(state), list(RULES.legal_moves(state, state.mover))
    assert steps is not None
    moves = [move for move in legal if isinstance(move, PawnMove)]
    moves += [wall for wall in hindering(state, first_rival(state, steps)) if wall in legal]
    return sorted(moves, key=lambda move: outlook(after(state, move), 0)[state.mover], reverse=True)


def outlook(state: State, depth: int) -> tuple[float, ...]:
    """Return what a position is worth to each seat if everybody takes what is best for himself."""
    if depth == 0 or state.winner is not None:
        scores = judge(state)
        assert scores is not None
        return scores
    return max((outlook(after(state, move), depth - 1) for move in looked_at(state)), key=lambda it: it[state.mover])


class MatchTests(SynchronousTestCase):
    """Short matches; the long ones are proofs."""

    def test_path_beats_random(self) -> None:
        match = Match(ShortestPath(), AnyMove())
        match.play(10)
        self.assertEqual((match.won, match.lost), (10, 0))

    def test_greedy_beats_random(self) -> None:
        match = Match(STRATEGIES["greedy"](), AnyMove())
        match.play(10)
        self.assertEqual((match.won, match.lost), (10, 0))

    def test_search_beats_path(self) -> None:
        match = Match(Search(depth=2), ShortestPath())
        match.play(6)
        self.assertGreaterEqual(match.won, 4)
