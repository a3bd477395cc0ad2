"""Numbers that bots tell of themselves: from standard error to the move at which they were told.

Source: docs/reference/play.md#a-bots-own-numbers.
"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.arena.numbers import MOST, NAMES, Numbers
from gamed.core.history import MOVE, STARTED, Entry, History
from gamed.records.positions import numbers_of, turns_of

TEXT = b"""[gamed] depth = 7
[gamed] score = -1.5e2\r
a line of the bot's own
 [gamed] indented = 1
[gamed] no number = 1
[gamed] word = seven
[gamed] huge = 1e999
[gamed] one = 1 2
"""


class LineTests(SynchronousTestCase):
    def test_what_is_a_number(self) -> None:
        numbers = Numbers()
        numbers.add(TEXT, 5)
        self.assertEqual(numbers.found, {"depth": [(5, 7.0)], "score": [(5, -150.0)]})

    @given(st.lists(st.integers(0, len(TEXT))))
    def test_in_pieces_it_is_the_same(self, cuts: list[int]) -> None:
        numbers, places = Numbers(), [0, *sorted(cuts), len(TEXT)]
        for start, end in pairwise(places):
            numbers.add(TEXT[start:end], 5)
        self.assertEqual(numbers.found, {"depth": [(5, 7.0)], "score": [(5, -150.0)]})

    def test_no_line_is_too_long_and_no_bot_fills_memory(self) -> None:
        numbers = Numbers()
        for _ in range(100):
            numbers.add(100_000 * b"x", 0)
        numbers.add(b"[gamed] late = 1\n", 0)
        for number in range(2 * NAMES):
            numbers.add(f"[gamed] n{number} = 1\n".encode(), 0)
        self.assertEqual(list(numbers.found), [f"n{number}" for number in range(NAMES)])
        for _ in range(3):
            numbers.add(MOST * b"[gamed] n0 = 2\n", 0)
        self.assertEqual(sum(map(len, numbers.found.values())), MOST)


class MoveTests(SynchronousTestCase):
    history = History(
        "1a2b3c4d",
        "quoridor",
        "2026-11-29T10:00:00.000Z",
        7,
        {},
        [Entry(100, STARTED), Entry(1_100, MOVE, 0, b"a"), Entry(1_600, MOVE, 1, b"b"), Entry(3_600, MOVE, 0, b"c")],
    )

    def told(self, at: int, took: dict[int, int | None] | None = None) -> dict[int, dict[str, float]]:
        turns = [turn for turn in turns_of(self.history, took or {}) if turn.seat == 0]
        return numbers_of(turns, {"depth": [[at, 7.0]]})

    def test_it_belongs_to_the_turn_that_had_begun_last(self) -> None:
        for at, number in ((0, 1), (100, 1), (1_099, 1), (1_599, 1), (1_600, 3), (9_999, 3)):
            self.assertEqual(self.told(at), {1: {}, 3: {}} | {number: {"depth": 7.0}}, at)

    def test_where_players_move_at_the_same_time(self) -> None:
        self.assertEqual(self.told(1_500, {3: 2_400}), {1: {}, 3: {"depth": 7.0}})

    def test_the_last_one_of_a_turn_counts(self) -> None:
        turns = turns_of(self.history, {})
        self.assertEqual(numbers_of(turns, {"n": [[1_700, 1.0], [1_800, 2.0]]})[3], {"n": 2.0})

    def test_a_game_without_a_move(self) -> None:
        self.assertEqual(numbers_of([], {"n": [[1_700, 1.0]]}), {})
