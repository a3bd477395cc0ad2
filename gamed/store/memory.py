"""A store and a journal in memory, for tests and experiments.

They pass the same tests as the real ones, except that nothing survives the process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import define, evolve, field
from twisted.internet.defer import Deferred, execute, succeed

from gamed.core.errors import StoreError
from gamed.core.game import Seat
from gamed.core.history import OPENED, Entry, History
from gamed.records.canonical import is_same
from gamed.records.own import PUBLISHER
from gamed.records.record import Record, Summary, unplayed
from gamed.store.query import SHORTEST_PREFIX, Query, conflict, only


@define
class MemoryStore:
    """Records in a dictionary; see `gamed.store.Store`. All its Deferreds have fired already."""

    records: dict[str, Record] = field(factory=dict)
    summaries: dict[str, Summary] = field(factory=dict)
    silence: str = ""
    _evidence: dict[tuple[str, Seat], tuple[str, str]] = field(factory=dict)
    """When it expires, and what it is, by record and seat."""

    def start(self) -> None:
        """Do nothing."""

    def stop(self) -> Deferred[None]:
        """Do nothing."""
        return succeed(None)

    def keep(self, record: Record, summary: Summary | None = None) -> Deferred[str]:
        """Store a record."""
        return execute(self._keep, record, summary)

    def _keep(self, record: Record, summary: Summary | None) -> str:
        known = self.records.get(record.id)
        if known is None:
            self.records[record.id] = record
            self.summaries[record.id] = summary or unplayed(record)
        elif not is_same(known, record):
            raise conflict(record.id)
        return record.id

    def record(self, id: str) -> Deferred[Record]:  # noqa: A002 (the column's name)
        """Fetch a record by its id or the beginning of it."""
        return execute(self._record, id)

    def _record(self, id: str) -> Record:  # noqa: A002 (the column's name)
        if id in self.records or len(id) < SHORTEST_PREFIX:
            return only([record for name, record in self.records.items() if name == id], id)
        return only([record for name, record in self.records.items() if name.startswith(id)], id)

    def header(self, id: str) -> Deferred[bytes | None]:  # noqa: A002 (the column's name)
        """Fetch the header of a record by its whole id; fires with None if there is no such record."""
        found = self.records.get(id)
        return succeed(None if found is None else found.header)

    def expire(self, before: str, most: int) -> Deferred[frozenset[str]]:
        """Delete up to `most` of gamed's own games that ended before a time; fires with their ids."""
        own = [summary for summary in self.summaries.values() if summary.publisher.startswith(PUBLISHER)]
        found = [summary.id for summary in own if "" < summary.ended < before][:most]
        for record_id in found:
            del self.records[record_id], self.summaries[record_id]
        self._evidence = {key: one for key, one in self._evidence.items() if key[0] in self.records}
        return succeed(frozenset(found))

    def keep_evidence(self, record: str, seat: Seat, data: str, expires: str, now: str) -> Deferred[None]:
        """Store evidence on the program of a seat until it expires, and delete what has expired by now."""
        kept = {key: one for key, one in self._evidence.items() if one[0] >= now}
        self._evidence = {**kept, (record, seat): (expires, data)} if record in self.records else kept
        return succeed(None)

    def evidence(self, record: str, now: str) -> Deferred[Mapping[Seat, str]]:
        """Fetch the evidence on a game's programs, by their seats, that has not expired."""
        found = self._evidence.items()
        return succeed({seat: data for (of, seat), (expires, data) in found if of == record and expires >= now})

    def find(self, query: Query) -> Deferred[list[Summary]]:
        """Fetch the summaries that match, newest first."""
        found = sorted(filter(query.matches, self.summaries.values()), key=lambda summary: summary.id)
        found.sort(key=lambda summary: summary.ended, reverse=True)
        return succeed(found[query.offset : query.offset + query.limit])


@define
class MemoryJournal:
    """Entries in lists; see `gamed.store.Journal`. Calling `start` again simulates a restart of the daemon."""

    durability: str = "process"
    failed: Exception | None = None
    rooms: dict[str, History] = field(factory=dict)
    damaged: Sequence[Path] = ()
    position: int = 0
    _found: deque[History] = field(factory=deque)

    def start(self) -> None:
        """Note the rooms that have not been forgotten."""
        self._found = deque(evolve(room, entries=list(room.entries)) for room in self.rooms.values())

    def stop(self) -> None:
        """Do nothing."""

    def open_rooms(self) -> Iterator[History]:
        """Yield the histories that `start` found; each is yielded once."""
        while self._found:
            yield self._found.popleft()

    def append(self, batch: Iterable[tuple[str, Sequence[Entry]]]) -> int:
        """Keep entries of rooms; return the number of all entries so far. Raises StoreError."""
        for room, entries in batch:
            if entries:
                self._append(room, entries)
        return self.position

    def _append(self, room: str, entries: Sequence[Entry]) -> None:
        rest = entries
        if room not in self.rooms:
            if entries[0].kind != OPENED:
                raise StoreError(f"the journal has no open room {room}; its first entry must be {OPENED}")
            self.rooms[room] = History.from_opened(room, entries[0])
            rest = entries[1:]
        self.rooms[room].entries.extend(rest)
        self.position += len(entries)

    def probe(self) -> None:
        """Do nothing: memory can always be written to."""

    def forget(self, room: str) -> None:
        """Drop a room's entries."""
        self.rooms.pop(room, None)

    def when_synced(self, _position: int, call: Callable[[], object]) -> None:
        """Call at once."""
        call()

    def on_disk(self, call: Callable[[], object]) -> None:
        """Call at once."""
        call()
