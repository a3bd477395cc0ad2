"""The record store in SQL, on SQLite or PostgreSQL.

Source: docs/reference/records.md#what-is-kept, docs/topics/design.md#habits: functions that block are named `thd_…`,
and run in the database thread or in a command-line tool that has no reactor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import Any, Final, ParamSpec, TypeVar

import attrs
from attrs import define, field, frozen
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    and_,
    bindparam,
    delete,
    event,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from gamed.core.errors import StoreError
from gamed.core.stats import Stats
from gamed.fairness import STORED_AT_ONCE
from gamed.records.canonical import is_same
from gamed.records.record import Record, SeatSummary, Summary
from gamed.store import changes
from gamed.store.dialects import begin_alone, begin_writing, cut, engine, insert_games, is_read_only, parsed
from gamed.store.migrations import require_newest, upgrade
from gamed.store.query import NOBODY, PLAYER, SHORTEST_PREFIX, Query, conflict, only
from gamed.store.replays import Folders
from gamed.store.rows import game_row, held, insert_owners, insert_summaries, record_of
from gamed.store.tables import games, owners, seats, summaries
from gamed.store.threads import one_thread

P = ParamSpec("P")
T = TypeVar("T")

log = Logger()

BATCH: Final = 100
"""The most records in one transaction."""

PATIENCE: Final = 3.0
"""Seconds after which a call of the database is late. From then on all calls fail, until it answers."""

GIVE_UP: Final = 30.0
"""Seconds after which the connection is aborted, so that the next call gets a new one."""

# Built once: SQLAlchemy caches compiled statements, but computing the cache key of a new statement takes time.
_STORED: Final = select(games).where(games.c.id.in_(bindparam("ids", expanding=True)))
_NO_FOLDERS: Final[Folders] = MappingProxyType({})

_MEANINGS: Final = {
    "database is locked": "database is locked: another program is writing to it. Try again when that has ended",
    "file is not a database": (
        "this is not an SQLite database, or its beginning is damaged: restore a backup (docs/howto/install.md), or "
        "move the file away so that a new one is created"
    ),
}
"""Messages of SQLite, and what they mean for an administrator."""


class _Unusable(StoreError):  # noqa: N818 (the state of the database)
    """The database failed for a reason that does not depend on the records: it is unreachable, locked or full."""


@define
class Database:
    """A database, used by one thread at a time. Every method raises only StoreError.

    Other processes may write to the database at the same time: if two keep the same record, one of them stores it.
    """

    url: str
    """A database URL of SQLAlchemy."""

    _engine: Engine = field(init=False)
    _connection: Any = field(init=False, default=None)

    def thd_open(self) -> None:
        """Connect, and create or upgrade the schema. A database opened read-only must have the newest schema."""
        self._engine = connecting(self.url)
        # Note the connection before other listeners use it: they may hang, and then `cut` must know it.
        event.listen(self._engine, "connect", self._connected, insert=True)
        try:
            with self._transaction() as connection:
                if is_read_only(self._engine.url):
                    require_newest(connection)
                else:
                    begin_alone(connection)
                    upgrade(connection)
        except StoreError:
            self.thd_close()
            raise

    def thd_close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def cut(self) -> None:
        """Abort the newest connection, from any thread, so that a call that waits for its answer fails."""
        if self._connection is not None:
            cut(self._connection)

    def _connected(self, connection: Any, _pooled: object) -> None:
        self._connection = connection

    def thd_keep(self, records: Sequence[tuple[Record, Summary | None]]) -> frozenset[str]:
        """Store records in one transaction, all of them or none, and return the ids of those that were new.

        If an equal record is stored already, it and its summary are left as they are. Raises StoreConflict, with the
        id, if a record with other content is stored.
        """
        with self._transaction() as connection:
            fresh = _inserted(connection, records)
            insert_summaries(connection, fresh)
            insert_owners(connection, fresh)
        return frozenset(record.id for record, _ in fresh)

    def thd_replace_summaries(self, found: Sequence[tuple[Record, Summary | None]]) -> None:
        """Replace the search fields of some records in one transaction; with None, only the format can be searched.

        Records that were deleted or changed meanwhile are skipped.
        """
        with self._writing() as connection:
            changes.replace_summaries(connection, found)

    def thd_delete(self, ids: Sequence[str], folders: Folders = _NO_FOLDERS) -> frozenset[str]:
        """Delete records in one transaction, and their files before its commit; return the ids that existed."""
        with self._writing() as connection:
            return changes.delete(connection, ids, folders)

    def thd_expire(self, before: str, most: int, folders: Folders = _NO_FOLDERS) -> frozenset[str]:
        """Delete up to `most` of gamed's own games that ended before a time; return the ids of the deleted games.

        `before`: UTC in ISO 8601, with milliseconds and `Z`.
        """
        with self._writing() as connection:
            return changes.delete(connection, changes.expired(connection, before, most), folders)

    def thd_rewrite(self, rewritten: Sequence[changes.Rewritten], folders: Folders = _NO_FOLDERS) -> frozenset[str]:
        """Replace records by others in one transaction; return the ids of those that were replaced.

        Records that were deleted or changed meanwhile are skipped.
        """
        with self._writing() as connection:
            return changes.rewrite(connection, rewritten, folders)

    def thd_records(self) -> Iterator[Record]:
        """Yield all records in the order of their ids. They are read in batches, each in its own transaction."""
        last = ""
        while True:
            following = select(games).where(games.c.id > last).order_by(games.c.id).limit(BATCH)
            with self._transaction() as connection:
                rows = connection.execute(following).all()
            yield from map(record_of, rows)
            if len(rows) < BATCH:
                return
            last = rows[-1].id

    def thd_count(self) -> int:
        """Return the number of records."""
        with self._transaction() as connection:
            return int(connection.execute(select(func.count()).select_from(games)).scalar_one())

    def thd_header(self, id: str) -> bytes | None:  # noqa: A002 (the column's name)
        """Fetch the header of a record by its whole id; None if there is no such record."""
        with self._transaction() as connection:
            found = connection.execute(select(games.c.header).where(games.c.id == held(id))).scalar()
        return None if found is None else str(found).encode()

    def thd_record(self, id: str) -> Record:  # noqa: A002 (the column's name)
        """Fetch a record by its id, or by at least four characters that only its id begins with."""
        asked = held(id)
        with self._transaction() as connection:
            rows = connection.execute(select(games).where(games.c.id == asked)).all()
            if not rows and len(asked) >= SHORTEST_PREFIX:
                # Not LIKE, which ignores case in SQLite. No id contains the last code point.
                begins = and_(games.c.id >= asked, games.c.id <= asked + "\U0010ffff")
                rows = connection.execute(select(games).where(begins).limit(2)).all()
        return record_of(only(rows, id))

    def thd_find(self, query: Query) -> list[Summary]:
        """Fetch the summaries that match; the one that ended last comes first."""
        with self._transaction() as connection:
            rows = connection.execute(_matching(_holdable(query))).mappings().all()
            ids = [row["id"] for row in rows]
            of_game = select(seats).where(seats.c.game_id.in_(ids)).order_by(seats.c.seat)
            seated: dict[str, list[SeatSummary]] = {id: [] for id in ids}  # noqa: A001 (the column's name)
            for row in connection.execute(of_game):
                seated[row.game_id].append(SeatSummary(row.seat, row.name, row.points))
            owned: dict[str, set[str]] = {id: set() for id in ids}  # noqa: A001 (the column's name)
            for row in connection.execute(select(owners).where(owners.c.game_id.in_(ids))):
                owned[row.game_id].add(row.owner)
        return [Summary(**row, seats=tuple(seated[row["id"]]), owners=frozenset(owned[row["id"]])) for row in rows]

    def thd_disown(self, forgotten: frozenset[str]) -> None:
        """Forget which games were those of some owners."""
        with self._writing() as connection:
            connection.execute(delete(owners).where(owners.c.owner.in_(forgotten)))

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with telling(self.url), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._transaction() as connection:
            begin_writing(connection)
            yield connection


def connecting(url: str) -> Engine:
    """Return an engine for a database URL. Raises StoreError."""
    try:
        return engine(parsed(url))
    except ArgumentError as error:
        raise StoreError(f"cannot use the database URL: {error}") from error
    except ImportError as error:
        raise StoreError(
            f"cannot use the database URL: {error}; PostgreSQL needs `pip install gamed[postgres]`"
        ) from error


@contextmanager
def telling(url: str) -> Iterator[None]:
    """Raise errors of the database as StoreError."""
    try:
        yield
    except SQLAlchemyError as error:
        kind = _Unusable if isinstance(error, OperationalError) else StoreError
        raise kind(f"the database {public_url(url)}: {sentence(error)}") from error


def public_url(url: str) -> str:
    """Return a database URL without its password."""
    try:
        known = parsed(url)
    except ArgumentError:
        return "a URL that cannot be read"
    # libpq takes passwords as parameters, too.
    hidden = {name: "***" for name in known.query if "password" in name}
    return known.update_query_dict(hidden).render_as_string(hide_password=True)


def sentence(error: SQLAlchemyError) -> str:
    """Return the message of a database in one line; those of PostgreSQL have several."""
    said = " ".join(str(getattr(error, "orig", None) or error).split())
    return _MEANINGS.get(said, said)


def _holdable(query: Query) -> Query:
    """Return a query with its texts converted as they are stored; see `held`."""
    texts: dict[str, Any] = {name: held(value) for name, value in attrs.asdict(query).items() if isinstance(value, str)}
    if query.after is not None:
        texts["after"] = tuple(map(held, query.after))
    return attrs.evolve(query, **texts)


def _inserted(
    connection: Connection, records: Sequence[tuple[Record, Summary | None]]
) -> list[tuple[Record, Summary | None]]:
    """Insert the records that are not stored yet, and return them.

    Raises StoreConflict if a record is stored, or was inserted before, with other content.
    """
    if not records:
        return []
    # In the order of their ids, so that two processes cannot deadlock.
    ordered = sorted(records, key=lambda kept: kept[0].id)
    # Nearly all records are new, so they are not looked up before they are inserted.
    rows = [game_row(record) for record, _ in ordered]
    ids = set(connection.execute(insert_games(connection.dialect.name), rows).scalars())
    fresh: list[tuple[Record, Summary | None]] = []
    known: list[Record] = []
    for record, summary in ordered:
        # The statement inserts the first of several records with the same id.
        if record.id in ids:
            ids.remove(record.id)
            fresh.append((record, summary))
        else:
            known.append(record)
    if known:
        _require_same(connection, known)
    return fresh


def _require_same(connection: Connection, records: Sequence[Record]) -> None:
    """Raise StoreConflict if a record is stored with other content."""
    ids = [record.id for record in records]
    stored = {row.id: record_of(row) for row in connection.execute(_STORED, {"ids": ids})}
    for record in records:
        # If it is missing, another process has deleted it just now.
        if not is_same(stored.get(record.id, record), record):
            raise conflict(record.id)


def _matching(query: Query) -> Select[Any]:
    """Return a statement whose columns are the fields of `Summary`, except the seats."""
    columns = (games.c.id, games.c.publisher, games.c.version, *list(summaries.c)[1:])
    statement = select(*columns).join_from(summaries, games)
    exact = (
        (games.c.publisher, query.publisher),
        (games.c.version, query.version),
        (summaries.c.kind, query.kind),
        (summaries.c.termination, query.termination),
    )
    for column, wanted in exact:
        if wanted is not None:
            statement = statement.where(column == wanted)
    if query.since is not None:
        statement = statement.where(summaries.c.started >= query.since)
    if query.player is not None:
        with_player = select(seats.c.game_id).where(seats.c.name == query.player)
        statement = statement.where(summaries.c.game_id.in_(with_player))
    if query.owners is not None:
        statement = statement.where(
            summaries.c.game_id.in_(select(owners.c.game_id).where(owners.c.owner.in_(query.owners)))
        )
    if query.until is not None:
        statement = statement.where(func.substr(summaries.c.started, 1, len(query.until)) <= query.until)
    if query.winner is not None:
        statement = statement.where(_won(query))
    if query.after is not None:
        ended, id = query.after  # noqa: A001 (the column's name)
        at_once = and_(summaries.c.ended == ended, summaries.c.game_id > id)
        statement = statement.where(or_(summaries.c.ended < ended, at_once))
    newest_first = (summaries.c.ended.desc(), summaries.c.game_id)
    return statement.order_by(*newest_first).limit(query.limit).offset(query.offset)


def _won(query: Query) -> ColumnElement[bool]:
    """Return the condition for `Query.winner`."""
    if query.winner == NOBODY:
        return summaries.c.winner.is_(None)
    if query.winner == PLAYER:
        of_game = and_(seats.c.game_id == summaries.c.game_id, seats.c.seat == summaries.c.winner)
        return exists().where(of_game, seats.c.name == query.player)
    return summaries.c.winner == query.winner


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
        if self._is_said and not (isinstance(result, Failure) and result.check(_Unusable)):
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
            except _Unusable:
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

        Raises _Unusable, and does not try further records, because each might take as long as this one.
        """
        try:
            self.database.thd_keep([(kept.record, kept.summary) for kept in batch])
        except _Unusable:
            raise
        except Exception:  # noqa: BLE001 (the caller gets the failure, and the other records are stored)
            if len(batch) == 1:
                return [Failure()]
            return [self._thd_keep([kept])[0] for kept in batch]
        return [None] * len(batch)
