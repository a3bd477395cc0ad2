"""The SPRT against printed log-likelihood ratios, to their last digit; and what it must never say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.tournament.sprt import PAIRS, Sprt

STOCKFISH = (
    # Pairs that scored 0, ¼, ½, ¾, 1; elo0 and elo1; the ratio. fishtest, of pull requests of
    # https://github.com/official-stockfish/Stockfish: 3209, 3098, 2971 (two), 2493, 2920
    ((253, 4282, 17604, 4431, 286), -0.25, 1.25, "logistic", "2.94"),
    ((491, 7345, 29693, 7670, 465), -0.25, 1.25, "logistic", "2.96"),
    ((17, 253, 1042, 337, 39), -0.5, 1.5, "logistic", "2.96"),
    ((11, 407, 3238, 513, 11), 0.25, 1.75, "logistic", "2.93"),
    ((424, 2948, 5832, 3045, 460), -1, 3, "logistic", "2.94"),
    ((665, 4806, 9333, 4893, 747), -0.5, 1.5, "logistic", "2.95"),
    # 4194, 5712, 6616, 3514, 6285
    ((371, 10263, 24989, 10642, 379), 0, 2, "normalized", "2.95"),
    ((831, 31795, 68460, 32448, 834), 0, 2, "normalized", "2.93"),
    ((2, 1925, 6607, 2176, 2), 0, 2, "normalized", "2.94"),
    ((264, 5737, 31270, 5964, 269), -0.5, 2.5, "normalized", "2.97"),
    ((289, 26459, 62934, 26379, 331), -1.75, 0.25, "normalized", "2.94"),
)
OTHERS = (
    # OpenBench: pull requests 95 and 213 of Yoshie2000/PlentyChess, 210 of cosmobobak/viridithas
    ((46, 936, 2083, 1043, 63), 0, 5, "normalized", "2.91"),
    ((44, 241, 590, 413, 71), 0, 3, "normalized", "2.91"),
    ((189, 845, 1540, 899, 214), -5, 0, "normalized", "2.98"),
    # fastchess: test cases of https://github.com/Disservin/fastchess/pull/426
    ((365, 16618, 36229, 16974, 390), 0, 2, "normalized", "2.25"),
    # Games that were lost, drawn, won: the same
    ((36027, 68692, 36433), 0, 2, "normalized", "0.92"),
    ((10650, 20431, 10871), -1.75, 0.25, "normalized", "2.30"),
    # https://github.com/cutechess/cutechess/issues/543
    ((759, 1863, 880), 0, 5, "logistic", "2.95"),
)


class PrintedTests(SynchronousTestCase):
    def test_to_the_digit(self) -> None:
        for counts, elo0, elo1, model, printed in (*STOCKFISH, *OTHERS):
            self.assertEqual(f"{Sprt(elo0, elo1, model=model).ratio(counts):.2f}", printed, (counts, model))

    def test_the_bounds_are_walds(self) -> None:
        self.assertEqual([f"{bound:.2f}" for bound in Sprt(0, 5).bounds], ["-2.94", "2.94"])
        self.assertEqual([f"{bound:.2f}" for bound in Sprt(0, 5, 0.05, 0.1).bounds], ["-2.25", "2.89"])


class VerdictTests(SynchronousTestCase):
    def test_what_comes_after_it_does_not_count(self) -> None:
        test = Sprt(0, 100)
        verdict, number, ratio = test.decided(1000 * [0.75, 1.0])
        self.assertEqual(verdict, 1)
        self.assertLess(number, 100)
        self.assertGreaterEqual(ratio, test.bounds[1])
        self.assertEqual(test.decided((number * [0.75, 1.0])[:number] + 500 * [0.0]), (verdict, number, ratio))
        self.assertIsNone(test.decided((number * [0.75, 1.0])[: number - 1])[0])

    def test_h0(self) -> None:
        self.assertEqual(Sprt(0, 100).decided(1000 * [0.5, 0.25])[0], 0)

    def test_no_pair_and_one_pair_decide_nothing(self) -> None:
        self.assertEqual(Sprt(0, 10).decided([]), (None, 0, 0.0))
        for model in ("logistic", "normalized"):
            for score in PAIRS:
                self.assertIsNone(Sprt(0, 100, model=model).decided([score])[0], (model, score))

    def test_what_cannot_be_tested(self) -> None:
        for wrong in ({"elo0": 5, "elo1": 5}, {"elo0": 5, "elo1": 0}):
            self.assertRaisesRegex(ValueError, "must be less than elo1", Sprt, **wrong)
        for more in ({"alpha": 0}, {"beta": 0.5}, {"model": "bayes"}):
            self.assertRaises(ValueError, Sprt, 0, 5, **more)

    @given(st.lists(st.integers(0, 400), min_size=5, max_size=5), st.sampled_from(("logistic", "normalized")))
    def test_seen_from_the_other_side_the_ratio_has_the_other_sign(self, counts: list[int], model: str) -> None:
        one, other = Sprt(-10, 30, model=model), Sprt(-30, 10, model=model)
        self.assertAlmostEqual(one.ratio(counts), -other.ratio(counts[::-1]), places=5)
