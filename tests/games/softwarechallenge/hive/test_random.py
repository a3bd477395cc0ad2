"""Random games: the engine against the slow implementation, and what holds after every move."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove
from gamed.core.game import CHANCE
from gamed.games.softwarechallenge.seasons.hive.board import CELLS, connected
from gamed.games.softwarechallenge.seasons.hive.checks import checked
from gamed.games.softwarechallenge.seasons.hive.moves import (
    DragMove,
    Move,
    Obstructed,
    SetMove,
    SkipMove,
    parse,
    to_notation,
)
from gamed.games.softwarechallenge.seasons.hive.position import HAND, State, position
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from tests.games.softwarechallenge.hive.slow import Slow

HIVE = Hive()
TRIPLES = [(x, y, -x - y) for x, y in CELLS]


def favoured(move: Move, favourite: str, state: State) -> bool:
    """Whether a move is of the kind that this game plays more of, so that stacks and long swarms come about."""
    if favourite == "drag":
        return isinstance(move, DragMove)
    if favourite == "climb":
        return isinstance(move, DragMove) and state.stack(move.x, move.y) != ""
    return isinstance(move, SetMove) and move.type in favourite


@st.composite
def games(draw: st.DrawFn) -> list[State]:
    """Draw the states of a random game, up to any turn."""
    random = Random(draw(st.integers(0, 2**32)))
    cells = draw(st.lists(st.sampled_from(CELLS), min_size=3, max_size=3, unique=True))
    favourites = draw(st.lists(st.sampled_from(("drag", "climb", "QB", "A", "GS")), min_size=1, max_size=3))
    states = [HIVE.apply(HIVE.setup({}), CHANCE, Obstructed(tuple(cells)))]
    for turn in range(draw(st.integers(0, 60))):
        state = states[-1]
        moves = HIVE.legal_moves(state, state.mover)
        if not moves:
            break
        chosen = [move for move in moves if favoured(move, favourites[turn % len(favourites)], state)]
        states.append(HIVE.apply(state, state.mover, random.choice(chosen or moves)))
    return states


def refusal(state: State, move: Move) -> str:
    """Return the text of the IllegalMove, or nothing."""
    try:
        checked(state, move)
    except IllegalMove as error:
        return str(error)
    return ""


class RandomTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=40)
    @given(games())
    def test_what_holds_after_every_move(self, states: list[State]) -> None:
        for turn, state in enumerate(states):
            self.assertEqual(state.turn, turn)
            self.assertTrue(connected(state.occupied))
            self.assertEqual(state.occupied & state.barred, 0)
            self.assertEqual(state.obstructed, states[0].obstructed)
            pieces = Counter("".join(state.board().values()))
            for seat, case in enumerate((str.upper, str.lower)):
                hand = Counter(map(case, state.hand(seat)))
                self.assertEqual(
                    hand + Counter({letter: pieces[letter] for letter in set(case(HAND))}), Counter(case(HAND))
                )
                self.assertEqual(state.hand(seat), "".join(letter * hand[case(letter)] for letter in "QSGBA"))

    @settings(deadline=None, max_examples=40)
    @given(games())
    def test_a_state_is_what_it_tells(self, states: list[State]) -> None:
        for state in states:
            again = position(state.board(), (state.hand(0), state.hand(1)), state.turn, state.obstructed)
            self.assertEqual(again, state)
            self.assertEqual((again.owned, again.bees, again.high), (state.owned, state.bees, state.high))

    @settings(deadline=None, max_examples=40)
    @given(games())
    def test_the_list_is_the_slow_one(self, states: list[State]) -> None:
        state = states[-1]
        if HIVE.outcome(state) is None:
            listed = HIVE.legal_moves(state, state.mover)
            self.assertEqual(set(listed), Slow(state).legal())
            self.assertEqual(len(listed), len(set(listed)))

    @settings(deadline=None, max_examples=25)
    @given(games(), st.randoms(use_true_random=False))
    def test_each_refusal_has_the_text_of_the_slow_one(self, states: list[State], random: Random) -> None:
        state = states[-1]
        slow = Slow(state)
        moves: list[Move] = [SetMove(letter, seat, *cell) for letter in "QSGBA" for seat in (0, 1) for cell in TRIPLES]
        tops = [(x, y, -x - y) for x, y in state.board()]
        near = [DragMove(*start, *end) for start in tops for end in TRIPLES]
        far = [DragMove(*random.choice(TRIPLES), *random.choice(TRIPLES)) for _ in range(40)]
        for move in (SkipMove(), *random.sample(moves, 200), *random.sample(near, min(len(near), 200)), *far):
            self.assertEqual(refusal(state, move), slow.refusal(move), to_notation(move))

    @settings(deadline=None, max_examples=25)
    @given(games(), st.randoms(use_true_random=False))
    def test_what_is_listed_is_what_is_accepted(self, states: list[State], random: Random) -> None:
        """All 455 sets, a sample of the 8281 drags, and the skip; but for positions in which more is accepted."""
        state = states[-1]
        if HIVE.outcome(state) is not None or (state.turn > 1 and not state.owned[state.mover]):
            return
        sets = [SetMove(letter, state.mover, *cell) for letter in "QSGBA" for cell in TRIPLES]
        drags = [DragMove(*random.choice(TRIPLES), *end) for end in TRIPLES for _ in range(5)]
        listed = set(HIVE.legal_moves(state, state.mover))
        for move in (*sets, *drags, SkipMove(), *listed):
            self.assertEqual(refusal(state, move) == "", move in listed, to_notation(move))

    @settings(deadline=None, max_examples=25)
    @given(games())
    def test_moves_go_through_the_notation(self, states: list[State]) -> None:
        state = states[-1]
        for move in HIVE.legal_moves(state, state.mover):
            self.assertEqual(parse(to_notation(move)), move)
