"""The scores of test mode: what each display name has achieved since the daemon was started.

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
    """One display name's games. `values`: a text a fragment, as it is printed."""

    games: int
    values: list[str]


@define
class ScoreBook:
    """All scores, by display name. `is_on`: whether finished games count."""

    fragments: tuple[Fragment, ...]
    is_on: bool = False
    _scores: dict[str, Score] = field(factory=dict)

    def add(self, names: tuple[str, str], parts: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
        """Add a finished game; nothing if test mode is off or both sides have the same name."""
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
    # The official server's own arithmetic: each factor is rounded to six places, the sum to eight digits.
    share = _rounded(Decimal(count - 1) / count)
    return str(_DIGITS.plus(Decimal(old) * share + _rounded(Decimal(new) / count)))


def _rounded(value: Decimal) -> Decimal:
    return value.quantize(_ROUNDED, ROUND_HALF_UP)
