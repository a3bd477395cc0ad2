"""The record store of the daemon: a database in a thread of its own.

Source: docs/reference/records.md#what-is-kept, docs/topics/design.md#the-database-thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, ParamSpec, TypeVar

from attrs import define, field, frozen
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from gamed.core.errors import StoreError
from gamed.core.game import Seat
from gamed.core.stats import Stats
from gamed.process.fairness import STORED_AT_ONCE
from gamed.records.record import Record, Summary
from gamed.store.database import BATCH, Database, Unusable, public_url
from gamed.store.query import Query
from gamed.store.replays import Folders
from gamed.store.threads import one_thread

P = ParamSpec("P")
T = TypeVar("T")

log = Logger()

PATIENCE: Final = 3.0
"""Seconds after which a call of the database is late. From then on all calls fail, until it answers."""

GIVE_UP: Final = 30.0
"""Seconds after which the connection is aborted, so that the next call gets a new one."""

_NO_FOLDERS: Final[Folders] = MappingProxyType({})


@frozen
class _Kept:
    """A record that waits to be stored."""

    record: Record
    summary: Summary | None
    done: Deferred[str] = field(factory=Deferred)


@define
class SqlStore:
    """The records in a database, which one thread uses; see `gamed.store.Store`.

    The caller opens the database before `start`, so that a daemon whose database is unusable ends at once; `stop`
    closes it. Records that arrive while a transaction is running are committed together by the next one.

    A call that blocks in the thread cannot be cancelled. So the time limit applies to the Deferreds that wait for the
    thread: if one call takes longer than `PATIENCE`, all of them fail at once, and so do further calls until the thread
    is free again. It does not matter whether the late call succeeds after all: if the caller tries again, the record is
    stored only once.
    """

    database: Database

    reactor: Any
    """IReactorFromThreads and IReactorTime."""

    stats: Stats = field(factory=Stats)

    folders: Folders = _NO_FOLDERS
    """The replay directories: when a record expires, its replay file is deleted, too."""

    silence: str = field(init=False, default="")
    """A sentence that says that the database does not answer; "" if it does."""

    _pool: ThreadPool = field(init=False, factory=partial(one_thread, "gamed-database"))

    _waiting: list[_Kept] = field(init=False, factory=list)
    """Records for the next transactions."""

    _is_committing: bool = field(init=False, default=False)

    _idle: Deferred[None] = field(init=False, factory=Deferred)
    """Fires when no records are waiting any longer."""

    _is_stopped: bool = field(init=False, default=False)

    _promised: dict[Deferred[Any], None] = field(init=False, factory=dict)
    """The Deferreds that were returned and have not fired. A dictionary, for its order."""

    _asked: int = field(init=False, default=0)
    """The number of calls from which the thread has not returned."""

    _since: float = field(init=False, default=0.0)
    """When the thread started on the current call."""

    _timer: IDelayedCall | None = field(init=False, default=None)
    """Runs out when the current call is late, and then when the connection is to be aborted."""

    _is_said: bool = field(init=False, default=False)
    """Whether the log says that the database does not answer, and not yet that it answers again."""

    def start(self) -> None:
        """Start the database thread."""
        self._pool.start()

    def stop(self) -> Deferred[None]:
        """Commit the waiting records, close the database and end the thread. After that, all calls fail.

        If the database does not answer, or the Deferred is cancelled, its connection is aborted instead.
        """
        return Deferred.fromCoroutine(self._stop())

    async def _stop(self) -> None:
        if self.silence:
            self.database.cut()
        try:
            if self._is_committing:
                await self._idle
            await self._in_thread(self.database.thd_close)
        except CancelledError:
            log.error("{silence}; it is not closed", silence=self._silence())  # noqa: TRY400 (Twisted's logger)
            self.database.cut()
        finally:
            self._is_stopped = True
            if self._timer is not None and self._timer.active():
                self._timer.cancel()
            if not self._asked:
                # Only if the thread is idle, because this waits for it. A hanging thread ends with the process.
                self._pool.stop()

    def keep(self, record: Record, summary: Summary | None = None) -> Deferred[str]:
        """Store a record; fires with its id when it is committed."""
        if self._refusal:
            return fail(StoreError(self._refusal))
        kept = _Kept(record, summary)
        self._waiting.append(kept)
        self._promised[kept.done] = None
        if not self._is_committing:
            Deferred.fromCoroutine(self._commit())
        return kept.done

    def record(self, id: str) -> Deferred[Record]:  # noqa: A002 (the column's name)
        """Fetch a record by its id or the beginning of it."""
        return self._ask(self.database.thd_record, id)

    def find(self, query: Query) -> Deferred[list[Summary]]:
        """Fetch the summaries that match; the one that ended last comes first."""
        return self._ask(self.database.thd_find, query)

    def header(self, id: str) -> Deferred[bytes | None]:  # noqa: A002 (the column's name)
        """Fetch the header of a record by its whole id; None if there is no such record."""
        return self._ask(self.database.thd_header, id)

    def expire(self, before: str, most: int) -> Deferred[frozenset[str]]:
        """Delete up to `most` of gamed's own games that ended before a time; fires with their ids."""
        return self._ask(self.database.thd_expire, before, most, self.folders)

    def keep_evidence(self, record: str, seat: Seat, data: str, expires: str, now: str) -> Deferred[None]:
        """Store evidence on the program of a seat until it expires, and delete what has expired by now."""
        return self._ask(self.database.thd_keep_evidence, record, seat, data, expires, now)

    def evidence(self, record: str, now: str) -> Deferred[Mapping[Seat, str]]:
        """Fetch the evidence on a game's programs, by their seats, that has not expired."""
        return self._ask(self.database.thd_evidence, record, now)

    @property
    def _refusal(self) -> str:
        return "the record store is stopped" if self._is_stopped else self.silence

    def _ask(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        if self._refusal:
            return fail(StoreError(self._refusal))
        promised: Deferred[T] = Deferred()
        self._promised[promised] = None
        self._in_thread(call, *args, **kwargs).addBoth(self._fire, promised)
        return promised

    def _fire(self, result: Any, promised: Deferred[Any]) -> None:
        # If it is not there, it has failed already because the call was late.
        if promised in self._promised:
            del self._promised[promised]
            promised.callback(result)

    # The thread, and its time limit

    def _in_thread(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        if not self._asked:
            self._expect()
        self._asked += 1
        return deferToThreadPool(self.reactor, self._pool, call, *args, **kwargs).addBoth(self._answered)

    def _expect(self) -> None:
        self._since = self.reactor.seconds()
        self._timer = self.reactor.callLater(PATIENCE, self._late)

    def _answered(self, result: Any) -> Any:
        self._asked -= 1
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self.silence = ""
        if self._is_said and not (isinstance(result, Failure) and result.check(Unusable)):
            self._is_said = False
            log.warn("the database {name} answers again", name=public_url(self.database.url))
        if self._asked:
            self._expect()
        return result

    def _silence(self) -> str:
        seconds = self.reactor.seconds() - self._since
        return f"the database {public_url(self.database.url)} has not answered for {seconds:.1f} seconds"

    def _late(self) -> None:
        self.stats.store_timeouts += 1
        self.silence = self._silence()
        if not self._is_said:
            self._is_said = True
            log.error("{silence}; all calls fail until it does", silence=self.silence)
        self._timer = self.reactor.callLater(GIVE_UP - PATIENCE, self.database.cut)
        self._waiting.clear()
        promised, self._promised = self._promised, {}
        for each in promised:
            each.errback(StoreError(self.silence))

    # Records

    async def _commit(self) -> None:
        self._is_committing = True
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            refusals: Sequence[Failure | None]
            try:
                refusals = await self._in_thread(self._thd_keep, batch)
            except Unusable:
                refusals = [Failure()] * len(batch)
            for number, (kept, refusal) in enumerate(zip(batch, refusals, strict=True)):
                if number and not number % STORED_AT_ONCE:
                    # The rest in later turns of the reactor: players do not wait for it.
                    await deferLater(self.reactor, 0)
                self._fire(refusal or kept.record.id, kept.done)
        self._is_committing = False
        idle, self._idle = self._idle, Deferred()
        idle.callback(None)

    def _thd_keep(self, batch: Sequence[_Kept]) -> list[Failure | None]:
        """Store a batch in one transaction, or each record alone if one of them fails. Return the failure of each.

        Raises Unusable, and does not try further records, because each might take as long as this one.
        """
        try:
            self.database.thd_keep([(kept.record, kept.summary) for kept in batch])
        except Unusable:
            raise
        except Exception:  # noqa: BLE001 (the caller gets the failure, and the other records are stored)
            if len(batch) == 1:
                return [Failure()]
            return [self._thd_keep([kept])[0] for kept in batch]
        return [None] * len(batch)
