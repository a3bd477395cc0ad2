"""How much stronger one of two entrants is, and how sure that is.

Elo differences, their error bars by pairs, the likelihood of superiority.

Source: https://www.chessprogramming.org/Match_Statistics; M. Van den Bergh, "Normalized Elo" (2020); a pair is one
observation, because its games are not independent of each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, log10, sqrt
from statistics import NormalDist
from typing import Final

from attrs import frozen

SURE: Final = 0.95
"""How often an error bar contains the true difference."""

_QUANTILE: Final = NormalDist().inv_cdf((1 + SURE) / 2)

NORMALIZED: Final = 800 / log(10)
"""Normalised Elo of a mean score that exceeds ½ by one standard deviation of a game."""


def elo(score: float) -> float:
    """Return the Elo difference at which this mean score is expected; -inf for 0, inf for 1."""
    if score <= 0:
        return -inf
    return inf if score >= 1 else 400 * log10(score / (1 - score))


def expected(difference: float) -> float:
    """Return the mean score that is expected at an Elo difference."""
    return 1 / (1 + 10 ** (-difference / 400))


@frozen
class Estimate:
    """What some pairs say of two entrants, for the first one. All scores are means, from 0 to 1."""

    pairs: int
    score: float
    low: float
    """The lower end of the error bar."""

    high: float
    superiority: float
    """The likelihood that the first entrant is the stronger one."""

    normalized: float
    """The difference in normalised Elo: in standard deviations of a game. NaN if there is no variance."""

    @property
    def elo(self) -> float:
        """The Elo difference; infinite if one side has won all."""
        return elo(self.score)

    @property
    def bar(self) -> float:
        """Half the length of the error bar, in Elo; infinite if it has no end on one side."""
        return (elo(self.high) - elo(self.low)) / 2

    @property
    def stronger(self) -> int:
        """1 if the error bar says that the first one is stronger, -1 if the second one is, else 0."""
        return (self.low > 1 / 2) - (self.high < 1 / 2)

    def __str__(self) -> str:
        """Return the difference with its bar, such as `+18.2 ± 10.4`; with a bound if the bar has one end only.

        If one side has won all, there is nothing but the bound.
        """
        bound = f"< {elo(self.high):+.0f}" if self.low <= 0 else f"> {elo(self.low):+.0f}"
        if self.score in (0, 1):
            return bound
        if (self.low <= 0) != (self.high >= 1):
            return f"{self.elo:+.1f} ({bound})"
        return f"{self.elo + 0.0:+.1f} ± {self.bar:.1f}".replace("-0.0 ", "+0.0 ").replace("inf", "∞")


def estimate(scores: Sequence[float]) -> Estimate | None:
    """Return what the scores of some pairs say, each 0, ¼, ½, ¾ or 1; None if there are none.

    The bar is that of the normal distribution, and never narrower than what outcomes allow that have not been seen: in
    N pairs, all outcomes that have not been seen have a probability of at most 1 - 0.025^(1/N). So it has a width even
    if all pairs ended alike, and is wide after few of them.
    """
    if not scores:
        return None
    count = len(scores)
    mean = sum(scores) / count
    variance = sum((score - mean) ** 2 for score in scores) / count
    error = sqrt(variance / count)
    unseen = 1 - ((1 - SURE) / 2) ** (1 / count)
    low = min(mean - _QUANTILE * error, mean * (1 - unseen))
    high = max(mean + _QUANTILE * error, mean * (1 - unseen) + unseen)
    # Without variance, what has not been seen decides: a coin's outcomes in as many throws.
    superiority = NormalDist().cdf((mean - 1 / 2) / error) if error else _sign_test(mean, count)
    normalized = NORMALIZED * (mean - 1 / 2) / sqrt(2 * variance) if variance else float("nan")
    return Estimate(count, mean, max(low, 0.0), min(high, 1.0), superiority, normalized)


def _sign_test(score: float, count: int) -> float:
    if score == 1 / 2:
        return 1 / 2
    luck: float = 0.5**count
    return 1 - luck if score > 1 / 2 else luck
