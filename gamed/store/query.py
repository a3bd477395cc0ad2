"""What can be asked of a store, and the refusals that all stores share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from attrs import frozen

from gamed.errors import StoreConflict, StoreError
from gamed.records.record import Summary

T = TypeVar("T")

SHORTEST_PREFIX: Final = 4
"""Characters of an id that must be given at least."""


@frozen
class Query:
    """Which summaries are wanted; what is None does not matter.

    `kind`: the game. `player`: the exact name on any seat. `termination`: a value of `Termination`. `since`: UTC, ISO
    8601, or the beginning of it ("2026-11"): games started at that time or later. `limit`, `offset`: the page.
    """

    kind: str | None = None
    player: str | None = None
    termination: str | None = None
    since: str | None = None
    limit: int = 50
    offset: int = 0

    def matches(self, summary: Summary) -> bool:
        """Whether a summary is wanted, pages aside."""
        return (
            self.kind in (None, summary.kind)
            and self.termination in (None, summary.termination)
            and (self.since is None or summary.started >= self.since)
            and (self.player is None or self.player in {seat.name for seat in summary.seats})
        )


def only(found: Sequence[T], id: str) -> T:  # noqa: A002 (the column's name)
    """Return the one thing that was found for an id. Raises StoreError if there is none, or more than one."""
    if not found:
        raise StoreError(f"there is no record {id}; an id can be shortened to {SHORTEST_PREFIX} characters")
    if len(found) > 1:
        raise StoreError(f"more than one record's id begins with {id}: give more of it")
    return found[0]


def conflict(id: str) -> StoreConflict:  # noqa: A002 (the column's name)
    """Return the error that refuses a record."""
    return StoreConflict(f"the record {id} is stored already, with other content")
