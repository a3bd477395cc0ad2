"""Elo differences against printed ones, to their last digit; and bars that promise no more than is known."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.tournament.elo import Estimate, elo, estimate, expected
from gamed.tournament.sprt import GAMES, PAIRS

PRINTED = (
    # Pairs that scored 0, ¼, ½, ¾, 1; then Elo, its bar, normalised Elo, the likelihood of superiority in per cent.
    # fastchess, of https://github.com/DSTGU/Dual/releases/tag/v0.3.2
    ((16, 82, 222, 150, 61), "52.08", "14.57", "75.87", "100.00"),
    ((49, 48, 154, 49, 60), "11.10", "21.86", "12.92", "84.08"),
    # OpenBench, of https://github.com/codedeliveryservice/Reckless/wiki/Progress-Tracking
    ((59, 1751, 4800, 3267, 169), "30.09", "2.56", "56.71", None),
    # https://github.com/Yoshie2000/PlentyChess/pull/213
    ((44, 241, 590, 413, 71), "28.96", "8.28", None, None),
    # Games that were lost, drawn, won: cutechess, of https://github.com/cutechess/cutechess/issues/543
    ((759, 1863, 880), "12.0", "7.9", None, "99.9"),
    # https://github.com/JoAnnP38/PedanticRF/pull/51
    ((896, 1998, 1013), "10.4", "7.6", None, "99.6"),
)


def scores(counts: Sequence[int]) -> list[float]:
    outcomes = PAIRS if len(counts) == len(PAIRS) else GAMES
    return [outcome for outcome, count in zip(outcomes, counts, strict=True) for _ in range(count)]


def found(counts: Sequence[int]) -> Estimate:
    made = estimate(scores(counts))
    assert made is not None
    return made


class PrintedTests(SynchronousTestCase):
    def test_to_the_digit(self) -> None:
        for counts, *printed in PRINTED:
            made = found(counts)
            values = (made.elo, made.bar, made.normalized, 100 * made.superiority)
            for value, text in zip(values, printed, strict=True):
                if text is not None:
                    places = len(text.partition(".")[2])
                    self.assertEqual(f"{value:.{places}f}", text, counts)


class BarTests(SynchronousTestCase):
    def test_all_wins_and_all_losses_are_a_bound(self) -> None:
        self.assertEqual(str(found((0, 0, 0, 0, 50))), "> +446")
        self.assertEqual(str(found((50, 0, 0, 0, 0))), "< -446")
        self.assertEqual(found((0, 0, 0, 0, 50)).elo, inf)

    def test_pairs_that_all_ended_alike_have_a_bar(self) -> None:
        made = found((0, 0, 50, 0, 0))
        self.assertEqual(str(made), "+0.0 ± 24.8")
        self.assertEqual((made.stronger, made.superiority), (0, 0.5))
        self.assertTrue(isnan(made.normalized))

    def test_one_pair_says_nothing(self) -> None:
        for counts in ((0, 0, 0, 0, 1), (0, 0, 0, 1, 0), (1, 0, 0, 0, 0)):
            self.assertEqual(found(counts).stronger, 0)
        self.assertEqual(str(found((0, 0, 1, 0, 0))), "+0.0 ± 759.1")

    def test_six_pairs_that_were_all_won_say_who_is_stronger(self) -> None:
        self.assertEqual([found((0, 0, 0, 0, count)).stronger for count in range(1, 8)], [0, 0, 0, 0, 0, 1, 1])
        self.assertEqual([found((count, 0, 0, 0, 0)).stronger for count in (5, 6)], [0, -1])

    def test_a_bar_without_an_end(self) -> None:
        self.assertEqual(str(found((0, 0, 0, 1, 1))), "+338.0 (> -318)")
        self.assertEqual(str(found((1, 1, 0, 0, 0))), "-338.0 (< +318)")
        self.assertEqual(str(found((0, 0, 0, 1, 9))), "+636.4 (> +126)")

    def test_of_nothing(self) -> None:
        self.assertIsNone(estimate([]))

    @given(st.lists(st.sampled_from(PAIRS), min_size=1, max_size=60))
    def test_the_bar_contains_the_score_and_is_never_without_width(self, some: list[float]) -> None:
        made = estimate(some)
        assert made is not None
        self.assertTrue(0 <= made.low <= made.score <= made.high <= 1)
        self.assertLess(made.low, made.high)
        self.assertTrue(0 <= made.superiority <= 1)

    @given(st.lists(st.sampled_from(PAIRS), min_size=1, max_size=60))
    def test_seen_from_the_other_side_it_is_the_same(self, some: list[float]) -> None:
        one, other = estimate(some), estimate([1 - score for score in some])
        assert one is not None
        assert other is not None
        self.assertAlmostEqual(one.score, 1 - other.score)
        self.assertAlmostEqual(one.low, 1 - other.high)
        self.assertAlmostEqual(one.superiority, 1 - other.superiority)
        self.assertEqual(one.stronger, -other.stronger)

    def test_elo_and_the_score_that_is_expected(self) -> None:
        for difference in (-400, -10, 0, 35, 400):
            self.assertAlmostEqual(elo(expected(difference)), difference)
        self.assertAlmostEqual(expected(400), 10 / 11)
