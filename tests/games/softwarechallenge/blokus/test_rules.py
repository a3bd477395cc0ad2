"""The game as a room hosts it: chance, turns, ends; and random games against the slow implementation."""

from __future__ import annotations

from collections import Counter
from json import dumps, loads
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.core.game import CHANCE, Outcome, Termination
from gamed.games.softwarechallenge.seasons.blokus.board import fields
from gamed.games.softwarechallenge.seasons.blokus.moves import SetMove, SkipMove, StartPiece, parse
from gamed.games.softwarechallenge.seasons.blokus.position import State
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus, leader, measures
from gamed.games.softwarechallenge.seasons.blokus.shapes import ALL, PENTOMINOES, SHAPES, SPELLINGS
from tests.games.softwarechallenge.blokus.slow import Slow

BLOKUS = Blokus()


def opened(shape: str = "PENTO_L") -> State:
    return BLOKUS.apply(BLOKUS.setup({}), CHANCE, StartPiece(SHAPES.index(shape)))


def played(state: State, *texts: str) -> State:
    for text in texts:
        state = BLOKUS.apply(state, state.mover, parse(text))
    return state


@st.composite
def games(draw: st.DrawFn) -> list[State]:
    """Draw the states of a random game, up to any turn, some with skips."""
    random = Random(draw(st.integers(0, 2**32)))
    skips = draw(st.sampled_from((0.0, 0.1, 0.5)))
    states = [BLOKUS.apply(BLOKUS.setup({}), CHANCE, BLOKUS.draw(BLOKUS.setup({}), random))]
    for _ in range(draw(st.integers(0, 100))):
        state = states[-1]
        moves = BLOKUS.legal_moves(state, state.mover)
        if not moves:
            break
        move = SkipMove(state.color) if not state.is_first and random.random() < skips else random.choice(moves)
        states.append(BLOKUS.apply(state, state.mover, move))
    return states


def perft(state: State, depth: int) -> int:
    """Count the games of so many further moves."""
    if not depth:
        return 1
    moves = BLOKUS.legal_moves(state, state.mover)
    return sum(perft(BLOKUS.apply(state, state.mover, move), depth - 1) for move in moves)


class ChanceTests(SynchronousTestCase):
    def test_chance_draws_the_first_piece(self) -> None:
        start = BLOKUS.setup({})
        self.assertEqual(BLOKUS.to_move(start), {CHANCE})
        self.assertEqual([BLOKUS.legal_moves(start, seat) for seat in (CHANCE, 0, 1)], [[], [], []])
        self.assertEqual(BLOKUS.to_move(opened()), {0})

    def test_all_shapes_of_five_fields_are_equally_likely(self) -> None:
        random = Random(1)
        drawn = Counter(BLOKUS.draw(BLOKUS.setup({}), random).shape for _ in range(12_000))
        self.assertEqual(set(drawn), set(PENTOMINOES))
        # 1,000 each on average, with a standard deviation of 30.
        self.assertTrue(all(850 < count < 1150 for count in drawn.values()))

    def test_wrong_moves_of_chance_and_of_players(self) -> None:
        for state, seat, move, code in (
            (BLOKUS.setup({}), CHANCE, StartPiece(0), "invalid-move"),
            (BLOKUS.setup({}), CHANCE, SkipMove(0), "not-chances-move"),
            (opened(), 0, StartPiece(9), "chances-move"),
        ):
            error = self.assertRaises(InvalidMove, BLOKUS.apply, state, seat, move)
            self.assertEqual(error.code, code)


class TurnTests(SynchronousTestCase):
    def test_the_sides_have_two_colours_each(self) -> None:
        state = opened()
        movers = []
        for corner in ("B PENTO_L 0,0", "Y PENTO_L 18,0", "R PENTO_L 18,16", "G PENTO_L 0,16"):
            movers.append((state.mover, state.color))
            state = played(state, corner)
        self.assertEqual(movers, [(0, 0), (1, 1), (0, 2), (1, 3)])
        self.assertEqual((state.turn, state.round, state.color), (4, 2, 0))
        self.assertRaises(NotYourTurn, BLOKUS.apply, state, 1, SkipMove(0))
        self.assertRaises(IllegalMove, BLOKUS.apply, state, 0, SkipMove(2))

    def test_skipping_is_legal_after_the_first_turn(self) -> None:
        error = self.assertRaises(IllegalMove, played, opened(), "B SKIP")
        self.assertEqual(error.code, "skip-first-turn")
        state = played(opened(), "B PENTO_L 0,0", "Y PENTO_L 18,0", "R PENTO_L 18,16", "G PENTO_L 0,16", "B SKIP")
        self.assertEqual((state.turn, state.playing), (5, (0, 1, 2, 3)))

    def test_every_spelling_of_a_symmetric_piece_is_the_same_move(self) -> None:
        ways = {played(opened("PENTO_X"), f"B PENTO_X{turn}{flip} 5,0").covered
                for turn in ("", " RIGHT", " MIRROR", " LEFT") for flip in ("", " FLIPPED")}  # fmt: skip
        self.assertEqual(len(ways), 1)

    def test_a_game_of_skips_ends_when_round_25_begins(self) -> None:
        state = played(opened(), "B PENTO_L 0,0", "Y PENTO_L 18,0", "R PENTO_L 18,16", "G PENTO_L 0,16")
        while BLOKUS.outcome(state) is None:
            state = BLOKUS.apply(state, state.mover, SkipMove(state.color))
        self.assertEqual((state.turn, state.round), (96, 25))
        self.assertEqual(BLOKUS.outcome(state), Outcome(Termination.DRAW))
        self.assertEqual(BLOKUS.to_move(state), frozenset())
        self.assertEqual(measures(state), {"points": [10, 10]})

    def test_points(self) -> None:
        state = State(start=9, left=(0, 0, 1, ALL), mono_last=(True, False, None, None))
        self.assertEqual([state.points(color) for color in range(4)], [109, 104, 88, 0])


class RandomTests(SynchronousTestCase):
    @given(games())
    @settings(max_examples=12)
    def test_the_slow_implementation_lists_the_same_moves(self, states: list[State]) -> None:
        for state in states[-2:]:
            if BLOKUS.outcome(state) is not None:
                continue
            listed = [frozenset(move.places()) for move in BLOKUS.legal_moves(state, state.mover)
                      if isinstance(move, SetMove)]  # fmt: skip
            self.assertEqual(len(set(listed)), len(listed))
            self.assertEqual(set(listed), Slow(state).moves())

    @given(games())
    def test_what_holds_in_every_position(self, states: list[State]) -> None:
        for state in states:
            self.assertEqual(sum(covered.bit_count() for covered in state.covered), state.occupied.bit_count())
            for color in range(4):
                covered = state.covered[color].bit_count()
                self.assertIn(state.points(color) - covered, (0, 15, 20))
            view = BLOKUS.view(state, None)
            self.assertEqual(loads(dumps(view)), view)
            self.assertEqual(sum(row.count("B") for row in view["board"]), len(list(fields(state.covered[0]))))
            over = BLOKUS.outcome(state) is not None
            self.assertEqual(not BLOKUS.to_move(state), over)
            self.assertEqual((view["over"], view["winner"] is None), (over, not over or leader(state) is None))
            self.assertEqual(bool(BLOKUS.legal_moves(state, state.mover)), not over)

    @given(games(), st.sampled_from(sorted(SPELLINGS)), st.integers(-3, 21), st.integers(-3, 21))
    def test_a_move_is_legal_if_it_covers_what_a_listed_one_does(
        self, states: list[State], spelling: tuple[int, int, bool], x: int, y: int
    ) -> None:
        state = states[-1]
        if BLOKUS.outcome(state) is not None:
            return
        move = SetMove(state.color, *spelling, x, y)
        listed = {frozenset(one.places()) for one in BLOKUS.legal_moves(state, state.mover) if isinstance(one, SetMove)}
        if frozenset(move.places()) in listed:
            after = BLOKUS.apply(state, state.mover, move)
            self.assertEqual(
                set(fields(after.covered[move.color])) - set(fields(state.covered[move.color])), set(move.places())
            )
        else:
            self.assertRaises(IllegalMove, BLOKUS.apply, state, state.mover, move)

    def test_perft(self) -> None:
        # By the slow implementation: after BLUE's X at the upper edge, YELLOW's; then what RED has.
        first = opened("PENTO_X")
        self.assertEqual(perft(first, 1), len(Slow(first).moves()))
        self.assertEqual(perft(first, 1), 68)
        second = played(first, "B PENTO_X 5,0")
        self.assertEqual(
            perft(second, 2),
            sum(len(Slow(BLOKUS.apply(second, 1, move)).moves()) for move in BLOKUS.legal_moves(second, 1)),
        )
