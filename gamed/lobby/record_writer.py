"""Stores the records of ended games, and retries for as long as the store refuses them.

Until a record is committed, its room stays in the journal.

Source: docs/topics/design.md#the-journal.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.core.errors import StoreConflict, StoreError
from gamed.core.stats import Stats
from gamed.records.record import Record, Summary
from gamed.store import Journal, Store

log = Logger()

KEEP_AGAIN: Final = 5.0
"""Seconds until records that the store refused are offered again."""

TELL_AGAIN: Final = 300.0
"""Seconds between two lines of the log while the store keeps refusing."""

MOST_UNSTORED: Final = 1_000
"""How many ended games may wait for a store that refuses them. With more, no new games are begun."""


@define(eq=False)
class RecordWriter:
    """Gives records to the store, and has the journal forget the rooms of those that are committed."""

    store: Store
    journal: Journal
    clock: IReactorTime
    stats: Stats
    on_recorded: list[Callable[[str], None]] = field(factory=list)
    """Called with the id of each record that is stored."""

    reason: str = ""
    """Why the store has refused the last record; "" if it has not."""

    _unkept: list[tuple[Record, Summary]] = field(factory=list)
    """The records that the store gets next."""

    _keeping: dict[str, Deferred[Any]] = field(factory=dict)
    """The records that the store has not answered yet, by their ids, with the store's Deferreds."""

    _refused: set[str] = field(factory=set)
    """The ids of the records that were refused and are not stored yet."""

    _since: float = 0.0
    """When the first one of these was refused."""

    _told_at: float = 0.0
    """When the last line about a refusal was logged."""

    _again: IDelayedCall | None = None
    """The next attempt after a refusal."""

    _is_stopped: bool = False

    @property
    def unstored(self) -> int:
        """How many ended games are not stored yet."""
        return len(self._unkept) + len(self._keeping)

    def __contains__(self, record: str) -> bool:
        """Whether this game is on its way."""
        return record in self._keeping or any(waiting.id == record for waiting, _ in self._unkept)

    @property
    def _waits(self) -> bool:
        """Whether the store has refused, and there will be another attempt."""
        return self._again is not None and bool(self._again.active())

    def check(self) -> None:
        """Raise StoreError if so many games wait that no new ones should be begun."""
        if self.reason and self.unstored >= MOST_UNSTORED:
            raise StoreError(f"no new games: {self.unstored} ended ones wait to be stored: {self.reason}")

    def add(self, record: Record, searched: Summary) -> None:
        """Take an ended game; `keep` stores it."""
        self._unkept.append((record, searched))

    def keep(self) -> None:
        """Store all records that wait. The journal forgets each room when its record is committed."""
        if self._waits:
            return
        unkept, self._unkept = self._unkept, []
        for record, searched in unkept:
            kept = self.store.keep(record, searched)
            kept.addBoth(self._timed, perf_counter())
            self._keeping[record.id] = kept
            kept.addCallbacks(self._kept, self._not_kept, errbackArgs=(record, searched))

    def stop(self) -> Deferred[Any]:
        """Store all records that wait, without retrying. Fire when the store has answered."""
        self._is_stopped = True
        if self._again is not None and self._waits:
            self._again.cancel()
        self.keep()
        return DeferredList(list(self._keeping.values()))

    def _timed(self, result: Any, began: float) -> Any:
        self.stats.keeps.observe(perf_counter() - began)
        return result

    def _kept(self, room: str) -> None:
        self._done(room)
        self.reason = ""
        log.info("recorded: room={room}", room=room)

    def _done(self, room: str) -> None:
        self._keeping.pop(room, None)
        self.journal.forget(room)
        for call in self.on_recorded:
            call(room)
        if self._refused == {room}:
            seconds = self.clock.seconds() - self._since
            log.warn("all games are recorded that were not, after {seconds:.0f} s", seconds=seconds)
        self._refused.discard(room)

    def _not_kept(self, failure: Failure, record: Record, searched: Summary) -> None:
        if failure.check(StoreConflict):
            # After a power cut the journal may have lost entries that the committed record has.
            log.error("recorded before, and differently: room={room}; that record is kept", room=record.id)
            self._done(record.id)
            return
        self._keeping.pop(record.id, None)
        self._unkept.append((record, searched))
        self._refuse(failure, record.id)
        if not self._is_stopped and not self._waits:
            self._again = self.clock.callLater(KEEP_AGAIN, self.keep)

    def _refuse(self, failure: Failure, room: str) -> None:
        self.stats.keep_errors += 1
        # It was cancelled because the daemon has no more time to stop.
        self.reason = "the store did not answer" if failure.check(CancelledError) else str(failure.value)
        is_known = room in self._refused
        self._report(room)
        self._refused.add(room)
        if not is_known and not failure.check(StoreError, CancelledError):
            log.failure("server fault: room={room}", failure=failure, room=room)

    def _report(self, room: str) -> None:
        """Log the first refusal, and then one line every `TELL_AGAIN` seconds, however many records are refused."""
        now = self.clock.seconds()
        if not self._refused:
            self._since = self._told_at = now
            log.error(
                "not recorded: room={room}: {reason}; it stays in the journal and is offered again {when}",
                room=room,
                reason=self.reason,
                when="at the next start" if self._is_stopped else f"every {KEEP_AGAIN} s",
            )
        elif now - self._told_at >= TELL_AGAIN:
            self._told_at = now
            log.error(
                "still not recorded after {seconds:.0f} s: games={games}: {reason}",
                seconds=now - self._since,
                games=self.unstored,
                reason=self.reason,
            )
