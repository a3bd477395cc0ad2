"""What keeps games: the journal while they run, the store when they have ended.

Source: docs/topics/design.md#central-types, docs/topics/design.md#the-journal. `FileJournal` and `MemoryJournal` pass
the same tests, and so do `SqlStore` and `MemoryStore`. A room's way: its entries are appended to the journal; when it
has ended its record is given to `Store.keep`; when that has fired, `Journal.forget` frees its lines. So every move that
a client has seen is in the journal or in a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from twisted.internet.defer import Deferred

from gamed.core.history import Entry, History
from gamed.records.record import Record, Summary
from gamed.store.query import Query


class Store(Protocol):
    """The records of ended games. Every Deferred fails with StoreError only."""

    @property
    def silence(self) -> str:
        """That the database does not answer, in words; nothing while it does."""

    def start(self) -> None:
        """Make ready for use."""

    def stop(self) -> Deferred[None]:
        """Finish what is under way and close the store; fires when that is done."""

    def keep(self, record: Record, summary: Summary | None = None) -> Deferred[str]:
        """Store a record and, if given, what is searched of it; fires with the id when that is committed.

        A record that is there already with equal content is left as it is, and so is its summary. One that is there
        with other content is refused: StoreError.
        """

    def record(self, id: str) -> Deferred[Record]:  # noqa: A002 (the column's name)
        """Fetch a record by its id, or by four or more characters that only its id begins with."""

    def header(self, id: str) -> Deferred[bytes | None]:  # noqa: A002 (the column's name)
        """Fetch the header of a record by its whole id; None: there is no such record."""

    def expire(self, before: str, most: int) -> Deferred[int]:
        """Delete at most so many of gamed's own games that ended before a moment; fires with how many it were.

        `before`: UTC, ISO 8601 with milliseconds and `Z`.
        """

    def find(self, query: Query) -> Deferred[list[Summary]]:
        """Fetch the summaries that match, newest first."""


class Journal(Protocol):
    """The entries of running games, on the disk before any client sees them."""

    @property
    def durability(self) -> str:
        """What an appended entry survives: "process" (kill -9) or, from `when_synced` on, "disk" (a power cut)."""

    @property
    def failed(self) -> Exception | None:
        """What went wrong with syncing, or None; None again when a sync has succeeded."""

    @property
    def damaged(self) -> Sequence[Path]:
        """The damaged files that were kept aside, until an administrator removes them."""

    def start(self) -> None:
        """Take over what is there, and make ready for `append`. Raises StoreError."""

    def stop(self) -> None:
        """Sync and close."""

    def append(self, batch: Iterable[tuple[str, Sequence[Entry]]]) -> int:
        """Write the next entries of some rooms, all at once, and return the position after them.

        A room's first entry is its `History.opened()`. A position is a count of what was written since `start`; it
        only grows. Raises StoreError, and then none of the entries is in the journal; DiskError: it is worth trying
        again.
        """

    def probe(self) -> None:
        """Try whether the journal can be written to. Raises DiskError."""

    def forget(self, room: str) -> None:
        """Free a room's lines: its record is committed, or it will have none. Raises nothing."""

    def open_rooms(self) -> Iterator[History]:
        """Yield the rooms that `start` found unforgotten, in the order of their opening; each is yielded once.

        `History.entries` begins with the entry after `opened`, as in a running room. Each of these rooms may be
        appended to, and stays in the journal until it is forgotten.
        """

    def when_synced(self, position: int, call: Callable[[], object]) -> None:
        """Call in the reactor's thread when all up to a position is as durable as `durability` says.

        Calls are made in the order of asking. With "process" the call is made before this returns.
        """

    def on_disk(self, call: Callable[[], object]) -> None:
        """Call in the reactor's thread when all that was appended so far is on the disk, whatever the durability."""
