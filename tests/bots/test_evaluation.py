"""What is printed after several matches: the moves, and the results of each side."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.bots.evaluation import counted, evaluation
from gamed.bots.play import Played

MATCHES = st.builds(
    Played,
    won=st.sampled_from([True, False, None]),
    moves=st.integers(0, 300),
    seconds=st.just(1.0),
    side=st.sampled_from(["", "first", "second"]),
)


class EvaluationTests(SynchronousTestCase):
    def test_moves_and_sides(self) -> None:
        played = [
            Played(True, 40, 1.0, "second"),
            Played(False, 61, 1.0, "first"),
            Played(True, 45, 1.0, "second"),
            Played(None, 50, 1.0, "first"),
        ]
        self.assertEqual(
            list(evaluation(played)),
            [
                "moves: mean 49.0, median 47.5, least 40, most 61",
                "moves when it won: mean 42.5, median 42.5, least 40, most 45",
                "first: 2 played, 0 won, 1 lost, 1 drawn",
                "second: 2 played, 2 won, 0 lost",
            ],
        )

    def test_a_game_without_sides_that_nobody_won(self) -> None:
        self.assertEqual(list(evaluation([Played(None, 7, 1.0)])), ["moves: mean 7.0, median 7, least 7, most 7"])

    @given(st.lists(MATCHES, min_size=1))
    def test_each_match_is_counted_once(self, played: list[Played]) -> None:
        lines = list(evaluation(played))
        sides = [int(line.split(": ")[1].split()[0]) for line in lines if not line.startswith("moves")]
        self.assertEqual(sum(sides), sum(bool(one.side) for one in played))
        self.assertTrue(counted(played).startswith(f"{len(played)} played, "))
