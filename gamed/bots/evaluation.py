"""The evaluation of several matches of a bot: how many moves they took, and who won from which side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamed.bots.play import Played


def evaluation(played: Sequence[Played]) -> Iterator[str]:
    """Yield lines on several matches: the moves of all and of those that were won, and the results of each side."""
    yield f"moves: {_spread([one.moves for one in played])}"
    won = [one.moves for one in played if one.won]
    if won:
        yield f"moves when it won: {_spread(won)}"
    for side in sorted({one.side for one in played} - {""}):
        yield f"{side}: {counted([one for one in played if one.side == side])}"


def counted(played: Sequence[Played]) -> str:
    """Return how many matches were played, won, lost and drawn."""
    won, lost = (sum(one.won is result for one in played) for result in (True, False))
    drawn = f", {len(played) - won - lost} drawn" if won + lost < len(played) else ""
    return f"{len(played)} played, {won} won, {lost} lost{drawn}"


def _spread(moves: Sequence[int]) -> str:
    return f"mean {fmean(moves):.1f}, median {median(moves):g}, least {min(moves)}, most {max(moves)}"
