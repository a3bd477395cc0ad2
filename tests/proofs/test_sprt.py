"""The error rates of the SPRT in thousands of simulated matches, for both models.

In a simulated match, pairs are drawn until the test decides; their distribution is exactly that of a hypothesis.
"""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.tournament.elo import NORMALIZED, expected
from gamed.tournament.sprt import MODELS, PAIRS, Sprt
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)

MATCHES = amount(10_000, 300)
MOST = 0.055
"""The highest rate of wrong verdicts at 5 %; in the short form, as many more as chance may bring."""

SHAPE = (0.08, 0.24, 0.36, 0.24, 0.08)
"""How often two equal entrants score 0, ¼, ½, ¾ and 1 in a pair."""


def shifted(mean: float) -> list[float]:
    """Return the shape with another mean: chances move from each outcome to the next one."""
    moved = (mean - 0.5) / 0.25
    taken = [moved * chance / sum(SHAPE[:-1]) for chance in SHAPE[:-1]]
    return [chance - out + into for chance, out, into in zip(SHAPE, (*taken, 0.0), (0.0, *taken), strict=True)]


def better_by(elo: float) -> float:
    """Return the mean score of pairs that are better by normalised Elo: in deviations of their own distribution."""
    mean = 0.5
    for _ in range(50):
        chances = shifted(mean)
        deviation = sum(chance * (outcome - mean) ** 2 for chance, outcome in zip(chances, PAIRS, strict=True)) ** 0.5
        mean = 0.5 + elo / NORMALIZED * 2**0.5 * deviation
    return mean


class ErrorTests(SynchronousTestCase):
    def rate(self, test: Sprt, mean: float, wrong: int) -> float:
        """Return how often the test gives a wrong verdict at a mean score."""
        random, chances, errors, length = Random(f"{test} {mean}"), shifted(mean), 0, 0
        for _ in range(MATCHES):
            verdict, number, _ = test.decided(random.choices(PAIRS, chances)[0] for _ in range(100_000))
            errors += verdict == wrong
            length += number
        print(
            f"\n{test.model}: mean score {mean:.4f}: {errors} of {MATCHES} wrong, {length / MATCHES:.0f} pairs a match"
        )
        return errors / MATCHES

    def test_both_hypotheses_of_both_models(self) -> None:
        # Three standard deviations of such a rate, where there are few matches.
        most = MOST if MATCHES >= 10_000 else 0.05 + 3 * (0.05 * 0.95 / MATCHES) ** 0.5
        for model in MODELS:
            test = Sprt(0, 80, model=model)
            better = expected(80) if model == "logistic" else better_by(80)
            for mean, wrong in ((0.5, 1), (better, 0)):
                self.assertLessEqual(self.rate(test, mean, wrong), most, (model, mean))

    def test_equal_programs_that_repeat_a_pair_are_never_called_different(self) -> None:
        """What counts of a thousand repetitions is one pair."""
        for model in MODELS:
            for score in PAIRS:
                self.assertIsNone(Sprt(0, 10, model=model).decided([score])[0])
