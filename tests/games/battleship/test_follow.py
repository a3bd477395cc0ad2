"""Judging many lines at once says what judging them one by one says."""

from __future__ import annotations

import itertools
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RuleError
from gamed.core.game import Seat
from gamed.core.history import LINE
from gamed.games.battleship.fleet import AnswerError, Sea
from gamed.games.battleship.rules import Battleship, State
from gamed.games.battleship.wire import decode
from tests.battleship_matches import play_history

OPTIONS = {"roles": "first-defends", "referee": "observe", "corner_contact": True}
GAME = Battleship()
Line = tuple[Seat, bytes, int]

LIES = st.sampled_from(
    [
        b"(1,[0,0]).",
        b"(2,[0,0,1]).",
        b"(5,[]).",
        b"(1,[10,0]).",
        b"(1,[-1,0]).",
        b"(1,[0]).",
        b"hello",
        b"(2,[3,3,9]).",
        b"1,[9,9]",
        b"(1, [9,9]) .",
    ]
)


@cache
def honest(seed: int) -> tuple[Line, ...]:
    history = play_history(("density", "open-list"), seed)
    return tuple((entry.seat, entry.body, number) for number, entry in enumerate(history.of_kind(LINE)))


def one_by_one(state: State, lines: tuple[Line, ...]) -> State | None:
    for seat, body, _ in lines:
        command = decode(body)
        if command is None:
            return None
        try:
            state = GAME.apply(state, seat, command)
        except RuleError:
            return None
    return state


def known(state: State | None) -> object:
    """All but the witnesses, of which there are many."""
    if state is None:
        return None
    seas = [(sea.water, sea.open_hits, frozenset(sea.sunk)) for sea in state.seas]
    return state.attacker, state.shot, state.winner, seas


class FollowTests(SynchronousTestCase):
    def check(self, lines: tuple[Line, ...], cuts: list[int]) -> None:
        state = GAME.setup(OPTIONS)
        edges = sorted({0, len(lines), *(cut % (len(lines) + 1) for cut in cuts)})
        for start, end in itertools.pairwise(edges):
            slow = one_by_one(state, lines[start:end])
            fast = GAME.follow(state, lines[start:end])
            self.assertEqual(known(fast), known(slow))
            if fast is None:
                return
            # The slow way takes over from the fast one: its witness must fit.
            state = fast

    @settings(deadline=None, max_examples=60)
    @given(st.integers(0, 9), st.lists(st.integers(0, 400), max_size=6))
    def test_honest_games(self, seed: int, cuts: list[int]) -> None:
        self.check(honest(seed), cuts)

    @settings(deadline=None, max_examples=300)
    @given(st.integers(0, 9), st.lists(st.integers(0, 400), max_size=3), st.integers(0, 150), LIES, st.booleans())
    def test_games_with_a_line_that_is_wrong(
        self, seed: int, cuts: list[int], place: int, lie: bytes, instead: bool
    ) -> None:
        lines = list(honest(seed))
        place %= len(lines)
        lines[place : place + instead] = [(lines[place][0], lie, place)]
        self.check(tuple(lines), cuts)

    @settings(deadline=None, max_examples=300)
    @given(st.integers(0, 9), st.integers(0, 400), st.sampled_from(b"1234"))
    def test_games_with_a_lying_answer(self, seed: int, place: int, code: int) -> None:
        lines = list(honest(seed))
        answers = [index for index, (_, body, _) in enumerate(lines) if body.startswith(b"(2")]
        index = answers[place % len(answers)]
        seat, body, number = lines[index]
        lines[index] = (seat, body[:-4] + bytes([code]) + b"]).", number)
        # What follows a wrong end is not of this game.
        self.check(tuple(lines[: index + 1] if code == ord("4") else lines), [])


class ToldTests(SynchronousTestCase):
    def test_a_repeated_cell_is_left_to_the_slow_way(self) -> None:
        sea = Sea.start(True)
        for answers in ([(0, 1), (0, 1)], [(0, 1), (0, 2)]):
            self.assertRaises(AnswerError, sea.with_answers, answers)

    def test_an_unknown_code(self) -> None:
        self.assertRaises(AnswerError, Sea.start(True).with_answers, [(0, 5)])

    def test_nothing_told_changes_nothing(self) -> None:
        self.assertEqual(Sea.start(True).with_answers([]), Sea.start(True))

    def test_sunk_ships_that_touch(self) -> None:
        two_then_three = [(0, 2), (1, 3), (12, 2), (22, 2), (32, 3)]
        Sea.start(True).with_answers(two_then_three)
        self.assertRaises(AnswerError, Sea.start(False).with_answers, two_then_three)

    def test_too_many_ships_of_a_length(self) -> None:
        self.assertRaises(AnswerError, Sea.start(True).with_answers, [(0, 2), (1, 3), (50, 2), (51, 3)])
