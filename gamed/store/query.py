"""What can be asked of a store, and the refusals that all stores share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from attrs import frozen

from gamed.core.errors import StoreConflict, UnknownRecord
from gamed.core.game import Seat
from gamed.records.record import Summary

T = TypeVar("T")

SHORTEST_PREFIX: Final = 4
"""Characters of an id that must be given at least."""

NOBODY: Final = "nobody"
"""The winner of a game that nobody won."""

PLAYER: Final = "player"
"""The winner is the player who is asked for."""


@frozen
class Query:
    """Which summaries are wanted; what is None does not matter.

    `kind`: the game. `player`: the exact name on any seat. `termination`: a value of `Termination`. `since`: UTC, ISO
    8601, or the beginning of it ("2026-11"): games started at that time or later; `until`: not later than that, the
    whole of the month or day that it names included. `winner`: a seat, `NOBODY`, or `PLAYER`, which needs `player`.
    `after`: when a game was started, and its id: only what follows it in the order of `Store.find`. `limit`, `offset`:
    the page.
    """

    kind: str | None = None
    player: str | None = None
    termination: str | None = None
    since: str | None = None
    until: str | None = None
    winner: Seat | str | None = None
    after: tuple[str, str] | None = None
    limit: int = 50
    offset: int = 0

    def matches(self, summary: Summary) -> bool:
        """Whether a summary is wanted, pages aside."""
        return (
            self.kind in (None, summary.kind)
            and self.termination in (None, summary.termination)
            and (self.since is None or summary.started >= self.since)
            and (self.until is None or summary.started[: len(self.until)] <= self.until)
            and (self.player is None or self.player in {seat.name for seat in summary.seats})
            and (self.winner is None or self._has_won(summary))
            and (self.after is None or self._follows(self.after, summary))
        )

    def _has_won(self, summary: Summary) -> bool:
        if self.winner == NOBODY:
            return summary.winner is None
        if self.winner == PLAYER:
            return any(seat.name == self.player and seat.seat == summary.winner for seat in summary.seats)
        return summary.winner == self.winner

    @staticmethod
    def _follows(after: tuple[str, str], summary: Summary) -> bool:
        started, id = after  # noqa: A001 (the column's name)
        return summary.started < started or (summary.started == started and summary.id > id)


def only(found: Sequence[T], id: str) -> T:  # noqa: A002 (the column's name)
    """Return the one thing that was found for an id. Raises UnknownRecord if there is none, or more than one."""
    if not found:
        raise UnknownRecord(f"there is no record {id}; an id can be shortened to {SHORTEST_PREFIX} characters")
    if len(found) > 1:
        raise UnknownRecord(f"more than one record's id begins with {id}: give more of it")
    return found[0]


def conflict(id: str) -> StoreConflict:  # noqa: A002 (the column's name)
    """Return the error that refuses a record."""
    return StoreConflict(f"the record {id} is stored already, with other content")
