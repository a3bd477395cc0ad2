"""Queries for records, and the errors that all stores raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from attrs import frozen

from gamed.core.errors import StoreConflict, UnknownRecord
from gamed.core.game import Seat
from gamed.records.record import Summary

T = TypeVar("T")

SHORTEST_PREFIX: Final = 4
"""The fewest characters to which an id can be shortened."""

NOBODY: Final = "nobody"
"""As `Query.winner`: games that nobody won."""

PLAYER: Final = "player"
"""As `Query.winner`: games that `Query.player` won."""


@frozen
class Query:
    """The conditions that summaries must meet. Those that are None do not matter."""

    kind: str | None = None
    """The game."""

    publisher: str | None = None
    """Who defines the format, exactly. The same holds for its `version`."""

    version: str | None = None

    player: str | None = None
    """The exact name of a player on any seat."""

    owners: frozenset[str] | None = None
    """Games of at least one of these `Summary.owners`."""

    termination: str | None = None
    """A value of `Termination`."""

    since: str | None = None
    """Games that were started at this time or later: UTC in ISO 8601, or the beginning of it such as "2026-11"."""

    until: str | None = None
    """Games that were started at this time or earlier. A month or a day is included as a whole."""

    winner: Seat | str | None = None
    """A seat, `NOBODY`, or `PLAYER`, which needs `player`."""

    after: tuple[str, str] | None = None
    """The end and the id of a game: only summaries after it in the order of `Store.find`."""

    limit: int = 50
    """The most summaries to return."""

    offset: int = 0
    """How many of the matching summaries to skip."""

    def matches(self, summary: Summary) -> bool:
        """Whether a summary meets the conditions; `limit` and `offset` are ignored."""
        return (
            self.kind in (None, summary.kind)
            and self.publisher in (None, summary.publisher)
            and self.version in (None, summary.version)
            and self.termination in (None, summary.termination)
            and (self.since is None or summary.started >= self.since)
            and (self.until is None or summary.started[: len(self.until)] <= self.until)
            and (self.player is None or self.player in {seat.name for seat in summary.seats})
            and (self.owners is None or not self.owners.isdisjoint(summary.owners))
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
        ended, record_id = after
        return summary.ended < ended or (summary.ended == ended and summary.id > record_id)


def only(found: Sequence[T], id: str) -> T:  # noqa: A002 (the column's name)
    """Return the only result for an id. Raises UnknownRecord if there is none, or more than one."""
    if not found:
        raise UnknownRecord(f"there is no record {id}; an id can be shortened to {SHORTEST_PREFIX} characters")
    if len(found) > 1:
        raise UnknownRecord(f"more than one record has an id that begins with {id}: give more of it")
    return found[0]


def conflict(id: str) -> StoreConflict:  # noqa: A002 (the column's name)
    """Return the error for a record whose id is that of a different record."""
    return StoreConflict(f"the record {id} is stored already, with other content")
