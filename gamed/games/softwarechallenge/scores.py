"""The scores of test mode: the results of each display name since the daemon was started.

Source: docs/specs/software-challenge.md#scores-of-test-mode.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

from attrs import define, field

from gamed.games.softwarechallenge.season import Fragment
from gamed.games.softwarechallenge.wire import quoted

_ROUNDED = Decimal("0.000001")
_DIGITS = Context(prec=8, rounding=ROUND_HALF_UP)
_VALUES = """\
      <values>
        <fragment name={name}>
          <aggregation>{aggregation}</aggregation>
          <relevantForRanking>true</relevantForRanking>
        </fragment>
        <value>{value}</value>
      </values>"""


@define
class Score:
    """The games of one display name."""

    games: int
    values: list[str]
    """For each fragment its value as it is printed."""


@define
class ScoreBook:
    """All scores, by display name."""

    fragments: tuple[Fragment, ...]

    is_on: bool = False
    """Whether test mode is on: only then finished games count."""

    _scores: dict[str, Score] = field(factory=dict)

    def add(self, names: tuple[str, str], parts: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
        """Add a finished game. Do nothing if test mode is off, or if both sides have the same name."""
        if not self.is_on or names[0] == names[1]:
            return
        for name, new in zip(names, parts, strict=True):
            score = self._scores.get(name)
            if score is None:
                score = self._scores[name] = Score(0, ["0"] * len(self.fragments))
            score.games += 1
            score.values = [
                _added(fragment, old, value, score.games)
                for fragment, old, value in zip(self.fragments, score.values, new, strict=True)
            ]

    def score_text(self, name: str) -> str:
        """Return the `score` element of a name that has one, at its final indentation."""
        score = self._scores[name]
        head = f'<score displayName={quoted(name)} numberOfTests="{score.games}">'
        columns = zip(self.fragments, score.values, strict=True)
        values = [
            _VALUES.format(name=quoted(fragment.name), aggregation=fragment.aggregation, value=value)
            for fragment, value in columns
        ]
        return "\n".join([head, *values, "    </score>"])

    def score(self, name: str) -> Score | None:
        """Return a name's score, or None if it has none."""
        return self._scores.get(name)


def _added(fragment: Fragment, old: str, new: str, count: int) -> str:
    if fragment.aggregation == "SUM":
        return str(int(old) + int(new))
    # As the official server calculates: it rounds each factor to six decimal places, and the sum to eight digits.
    share = _rounded(Decimal(count - 1) / count)
    return str(_DIGITS.plus(Decimal(old) * share + _rounded(Decimal(new) / count)))


def _rounded(value: Decimal) -> Decimal:
    return value.quantize(_ROUNDED, ROUND_HALF_UP)
