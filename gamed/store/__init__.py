"""Storage: the journal holds running games, and the store holds the records of games that have ended.

Source: docs/topics/design.md#central-types, docs/topics/design.md#the-journal. The entries of a room are appended to
the journal. When the game has ended, its record is passed to `Store.keep`, and when that has committed the record,
`Journal.forget` frees the entries. So every move that a client has seen is in the journal or in a record.

`FileJournal` and `MemoryJournal` pass the same tests, as do `SqlStore` and `MemoryStore`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from twisted.internet.defer import Deferred

from gamed.core.game import Seat
from gamed.core.history import Entry, History
from gamed.records.record import Record, Summary
from gamed.store.query import Query


class Store(Protocol):
    """The records of ended games. Every Deferred fails with StoreError only."""

    @property
    def silence(self) -> str:
        """A sentence that says that the database does not answer; "" if it does."""

    def start(self) -> None:
        """Start using the store."""

    def stop(self) -> Deferred[None]:
        """Finish pending work and close the store; fires when that is done."""

    def keep(self, record: Record, summary: Summary | None = None) -> Deferred[str]:
        """Store a record and its search fields; fires with the id when they are committed.

        Without search fields, the record is found by its format only.

        If an equal record is stored already, it and its summary are left as they are. If the id is that of a record
        with other content, the Deferred fails with StoreConflict.
        """

    def record(self, id: str) -> Deferred[Record]:  # noqa: A002 (the column's name)
        """Fetch a record by its id, or by four or more characters that only its id begins with."""

    def header(self, id: str) -> Deferred[bytes | None]:  # noqa: A002 (the column's name)
        """Fetch the header of a record by its whole id; fires with None if there is no such record."""

    def expire(self, before: str, most: int) -> Deferred[frozenset[str]]:
        """Delete up to `most` of gamed's own games that ended before a time; fires with their ids.

        `before`: UTC in ISO 8601, with milliseconds and `Z`.
        """

    def keep_evidence(self, record: str, seat: Seat, data: str, expires: str, now: str) -> Deferred[None]:
        """Store evidence on the program of a seat until it expires, and delete what has expired by now.

        There is none of a record that is not stored. The times: UTC in ISO 8601, with milliseconds and `Z`.
        """

    def evidence(self, record: str, now: str) -> Deferred[Mapping[Seat, str]]:
        """Fetch the evidence on a game's programs, by their seats, that has not expired."""

    def find(self, query: Query) -> Deferred[list[Summary]]:
        """Fetch the summaries that match; the one that ended last comes first."""


class Journal(Protocol):
    """The entries of running games. An entry is written before any client sees its effect."""

    @property
    def durability(self) -> str:
        """What an appended entry survives: "process" (kill -9), or "disk" (a power cut) after `when_synced`."""

    @property
    def failed(self) -> Exception | None:
        """The error of the last sync; None if it succeeded."""

    @property
    def damaged(self) -> Sequence[Path]:
        """The damaged files that were set aside for an administrator to look at and remove."""

    def start(self) -> None:
        """Read what an earlier process has left, and get ready for `append`. Raises StoreError."""

    def stop(self) -> None:
        """Sync and close."""

    def append(self, batch: Iterable[tuple[str, Sequence[Entry]]]) -> int:
        """Write the next entries of some rooms in one operation, and return the position after them.

        The first entry of a room is its `History.opened()`. Positions increase from `start` on; they are for
        `when_synced`. Raises StoreError, and then none of the entries is in the journal. If it is a DiskError, the
        caller may try again.
        """

    def probe(self) -> None:
        """Test whether the journal can be written to. Raises DiskError."""

    def forget(self, room: str) -> None:
        """Free the entries of a room whose record is committed, or that will have no record. Raises nothing."""

    def open_rooms(self) -> Iterator[History]:
        """Yield the rooms that `start` found and nobody had forgotten, in the order of their opening; each only once.

        `History.entries` begins with the entry after `opened`, as in a running room. More entries of these rooms can be
        appended, and they stay in the journal until they are forgotten.
        """

    def when_synced(self, position: int, call: Callable[[], object]) -> None:
        """Make a call in the reactor's thread when everything up to a position is as durable as `durability` says.

        Calls are made in the order in which they were requested. With "process", the call is made before this returns.
        """

    def on_disk(self, call: Callable[[], object]) -> None:
        """Make a call in the reactor's thread when all entries so far are on the disk, whatever `durability` is."""
