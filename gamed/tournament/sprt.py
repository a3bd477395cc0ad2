"""The sequential probability ratio test: which of two Elo differences the games so far are evidence of.

The generalised one (GSPRT): the likelihood ratio of the two most likely distributions of outcomes that have the mean
(logistic Elo), or the mean in standard deviations (normalised Elo), of each hypothesis.

Source: M. Van den Bergh, "A practical introduction to the GSPRT" (2020) and "Comments on normalized Elo" (2021),
https://www.cantate.be/Fishtest/. Games give three outcomes (trinomial), pairs five (pentanomial).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import inf, log, sqrt
from typing import Final

from attrs import field, frozen
from attrs.validators import gt, in_, lt

from gamed.tournament.elo import NORMALIZED, expected

GAMES: Final = (0.0, 0.5, 1.0)
"""The outcomes of a game."""

PAIRS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The outcomes of a pair: the mean of its games."""

MODELS: Final = ("logistic", "normalized")

_NEVER: Final = 1e-3
"""What counts for an outcome that was never seen; with 0, no distribution that has it would be possible."""

_STEPS: Final = 60
_ROUNDS: Final = 20
_CLOSE: Final = 1e-9


@frozen
class Sprt:
    """A test of H0, "the difference is `elo0`", against H1, "it is `elo1`"."""

    elo0: float
    elo1: float
    alpha: float = field(default=0.05, validator=[gt(0), lt(0.5)])
    """How often H1 is accepted although H0 holds."""

    beta: float = field(default=0.05, validator=[gt(0), lt(0.5)])
    """How often H0 is accepted although H1 holds."""

    model: str = field(default="logistic", validator=in_(MODELS))

    def __attrs_post_init__(self) -> None:
        if not -inf < self.elo0 < self.elo1 < inf:
            raise ValueError(f"elo0 is {self.elo0:g} and must be less than elo1, which is {self.elo1:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Sequence[float]) -> float:
        """Return the log-likelihood ratio. `counts`: how often each outcome came, of games (3) or of pairs (5)."""
        return _ratio(self, tuple(counts))

    def verdict(self, ratio: float) -> int | None:
        """Return 1 if H1 is accepted at a log-likelihood ratio, 0 if H0 is, None if neither is."""
        low, high = self.bounds
        if ratio >= high:
            return 1
        return 0 if ratio <= low else None

    def decided(self, scores: Iterable[float]) -> tuple[int | None, int, float]:
        """Return the verdict on pairs in their order, after how many of them it was, and the ratio there.

        What comes after the verdict does not count: so neither the number of games at a time nor their speed matters.
        """
        counts, ratio, number = Counter[float](), 0.0, 0
        for number, score in enumerate(scores, 1):
            counts[score] += 1
            ratio = self.ratio([counts[outcome] for outcome in PAIRS])
            verdict = self.verdict(ratio)
            if verdict is not None:
                return verdict, number, ratio
        return None, number, ratio


@lru_cache(4096)
def _ratio(test: Sprt, counts: tuple[float, ...]) -> float:
    outcomes = PAIRS if len(counts) == len(PAIRS) else GAMES
    kept = [count or _NEVER for count in counts]
    total = sum(kept)
    seen = [count / total for count in kept]
    if test.model == "logistic":
        found = [_with_mean(outcomes, seen, expected(difference)) for difference in (test.elo0, test.elo1)]
    else:
        # A pair's mean has a smaller deviation than a game's.
        unit = NORMALIZED / sqrt(2 if outcomes is PAIRS else 1)
        found = [_with_deviations(outcomes, seen, difference / unit) for difference in (test.elo0, test.elo1)]
    ratio: float = sum(count * log(one / zero) for count, zero, one in zip(kept, *found, strict=True))
    return ratio


def _with_mean(outcomes: Sequence[float], seen: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution that has a mean."""
    return _balanced(seen, [outcome - mean for outcome in outcomes])


def _with_deviations(outcomes: Sequence[float], seen: Sequence[float], deviations: float) -> list[float]:
    """Return the most likely distribution whose mean exceeds ½ by so many of its standard deviations.

    The condition is linearised at the last distribution, until that no longer changes.
    """
    found = list(seen)
    for _ in range(_ROUNDS):
        mean = sum(chance * outcome for chance, outcome in zip(found, outcomes, strict=True))
        deviation = sqrt(sum(chance * (outcome - mean) ** 2 for chance, outcome in zip(found, outcomes, strict=True)))
        weights = [
            outcome - 1 / 2 - deviations * (deviation + (outcome - mean) ** 2 / deviation) / 2 for outcome in outcomes
        ]
        if not min(weights) < 0 < max(weights):
            # So little was seen that no distribution near it meets the condition: it is evidence of nothing.
            break
        before, found = found, _balanced(seen, weights)
        if max(abs(one - other) for one, other in zip(before, found, strict=True)) < _CLOSE:
            break
    return found


def _balanced(seen: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the most likely distribution in which the mean weight is 0. Some weights are negative, some positive."""
    factor, low, high = 0.0, -1 / max(weights), -1 / min(weights)
    for _ in range(_STEPS):
        # The sum falls between its two poles: Newton's method, kept between the last points on both sides.
        parts = [weight / (1 + factor * weight) for weight in weights]
        balance = sum(chance * part for chance, part in zip(seen, parts, strict=True))
        if balance > 0:
            low = factor
        else:
            high = factor
        step = balance / sum(chance * part * part for chance, part in zip(seen, parts, strict=True))
        if abs(step) < _CLOSE * (high - low):
            break
        factor = factor + step if low < factor + step < high else (low + high) / 2
    return [chance / (1 + factor * weight) for chance, weight in zip(seen, weights, strict=True)]
