"""What the games of a plan have come to: who got how much, how sure that is, and why games were lost.

Source: docs/topics/design.md#tournaments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen

from gamed.tournament.elo import Estimate, estimate
from gamed.tournament.results import Cause
from gamed.tournament.schedule import Plan, Played, distinct, pairs

GONE: Final = frozenset({Cause.LEFT, Cause.CRASHED, Cause.CPU, Cause.NEVER_CONNECTED, Cause.PROTOCOL})
"""Why an entrant that has them did not play to the end."""


@frozen
class Standing:
    """What one entrant has got."""

    entrant: int
    won: int
    drawn: int
    causes: Mapping[Cause, int]
    """How often it has lost, by the reason."""

    finished: int
    """How many games it has played to the end, whatever that was."""

    @property
    def lost(self) -> int:
        """How often it has lost."""
        return sum(self.causes.values())

    @property
    def games(self) -> int:
        """How many of its games count."""
        return self.won + self.drawn + self.lost

    @property
    def score(self) -> float:
        """A point for each game that was won, half a point for a draw."""
        return self.won + self.drawn / 2


@frozen
class Meeting:
    """What two entrants have got from each other."""

    entrants: tuple[int, int]
    games: int
    score: float
    """Of the first entrant, in all games."""

    pairs: int
    distinct: int
    """Pairs that do not repeat an earlier one: only these are evidence."""

    estimate: Estimate | None
    """How much stronger the first entrant is, by the distinct pairs; None if there are none."""

    first_seat: Estimate | None
    """How much stronger who has the first seat is."""


def cause_of(game: Played, entrant: int) -> Cause | None:
    """Return why an entrant has lost a game; None if it has not."""
    return game.result.cause(game.fixture.seats.index(entrant))


def standings(plan: Plan, games: Sequence[Played]) -> list[Standing]:
    """Return what each entrant has got in some games."""
    found = []
    for entrant in range(plan.entrants):
        own = [game for game in games if entrant in game.fixture.seats]
        scores = Counter(game.score(entrant) for game in own)
        causes = Counter(cause for game in own if (cause := cause_of(game, entrant)) is not None)
        gone = sum(game.result.causes.get(game.fixture.seats.index(entrant)) in GONE for game in own)
        found.append(Standing(entrant, scores[1.0], scores[0.5], causes, len(own) - gone))
    return found


def meetings(plan: Plan, games: Sequence[Played]) -> list[Meeting]:
    """Return what the entrants of each pairing have got from each other in some games."""
    found = []
    for pairing, both in enumerate(plan.pairings):
        own = [game for game in games if game.fixture.pairing == pairing]
        whole = pairs(plan, own, pairing)
        kept = distinct(whole)
        found.append(
            Meeting(
                both,
                len(own),
                sum(game.score(both[0]) for game in own),
                len(whole),
                len(kept),
                estimate([pair.score for pair in kept]),
                estimate([pair.first_seat for pair in kept]),
            )
        )
    return found
