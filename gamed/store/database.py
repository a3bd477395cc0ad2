"""A database of records, SQLite or PostgreSQL, as one thread uses it.

Source: docs/reference/records.md#what-is-kept, docs/topics/design.md#habits: functions that block are named `thd_…`,
and run in the database thread or in a command-line tool that has no reactor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final, TypeVar

import attrs
from attrs import define, field
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
    insert,
    or_,
    select,
)
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError
from twisted.logger import Logger

from gamed.core.errors import StoreError
from gamed.core.game import Seat
from gamed.records.canonical import is_same
from gamed.records.record import Record, SeatSummary, Summary
from gamed.store import changes, dialects
from gamed.store.migrations import require_newest, upgrade
from gamed.store.query import NOBODY, PLAYER, SHORTEST_PREFIX, Query, conflict, only
from gamed.store.replays import Folders
from gamed.store.rows import game_row, held, insert_owners, insert_summaries, record_of
from gamed.store.tables import evidence, games, owners, seats, summaries

T = TypeVar("T")

log = Logger()

FEW: Final = 10
"""The most whole records in memory at a time: one may have megabytes."""

BATCH: Final = 100
"""The most records in one transaction."""

# Built once: SQLAlchemy caches compiled statements, but computing the cache key of a new statement takes time.
_STORED: Final = select(games).where(games.c.id.in_(bindparam("ids", expanding=True)))
_SEARCHED: Final = select(games.c.id, games.c.publisher, games.c.version, *list(summaries.c)[1:]).join_from(
    summaries, games
)
"""The fields of `Summary`, except seats and owners."""
_NO_FOLDERS: Final[Folders] = MappingProxyType({})

_MEANINGS: Final = {
    "database is locked": "database is locked: another program is writing to it. Try again when that has ended",
    "file is not a database": (
        "this is not an SQLite database, or its beginning is damaged: restore a backup (docs/howto/install.md), or "
        "move the file away so that a new one is created"
    ),
}
"""Messages of SQLite, and what they mean for an administrator."""


class Unusable(StoreError):  # noqa: N818 (the state of the database)
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

    def thd_open(self, *, upgrades: bool = True, is_alone: bool = False) -> None:
        """Connect, and create or upgrade the schema, unless `upgrades` is false or the database is opened read-only.

        With `is_alone`, nobody else can open a file of SQLite until this is closed.
        """
        self._engine = connecting(self.url)
        if is_alone and self._engine.dialect.name == dialects.SQLITE:
            # Before the pragma that opens the write-ahead log: only then the lock fails if others have it open.
            event.listen(self._engine, "connect", _lock, insert=True)
        # Note the connection before other listeners use it: they may hang, and then `cut` must know it.
        event.listen(self._engine, "connect", self._connected, insert=True)
        try:
            with self._transaction() as connection:
                if dialects.is_read_only(self._engine.url) or not upgrades:
                    require_newest(connection)
                else:
                    dialects.begin_alone(connection)
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
            dialects.cut(self._connection)

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

    def thd_everything(self) -> Iterator[list[tuple[Record, Summary]]]:
        """Yield all records in the order of their ids, with their search fields, a few at a time."""
        last = ""
        while True:
            following = _SEARCHED.add_columns(games.c.header, games.c.body).where(games.c.id > last)
            with self._transaction() as connection:
                rows = connection.execute(following.order_by(games.c.id).limit(FEW)).all()
                found = _summaries(connection, [row._asdict() for row in rows])
            if not rows:
                return
            yield list(zip(map(record_of, rows), found, strict=True))
            last = rows[-1].id

    def thd_do(self, call: Callable[[Connection], T]) -> T:
        """Call a function in a transaction of its own, and return its result."""
        with self._transaction() as connection:
            return call(connection)

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
            return _summaries(connection, [row._asdict() for row in connection.execute(_matching(_holdable(query)))])

    def thd_disown(self, forgotten: frozenset[str]) -> None:
        """Forget which games were those of some owners."""
        with self._writing() as connection:
            connection.execute(delete(owners).where(owners.c.owner.in_(forgotten)))

    def thd_keep_evidence(self, record: str, seat: Seat, data: str, expires: str, now: str) -> None:
        """Store evidence on the program of a seat until it expires, and delete what has expired by now.

        There is none of a record that is not stored. The times: UTC in ISO 8601, with milliseconds and `Z`.
        """
        row = {"game_id": record, "seat": seat, "expires": expires, "data": held(data)}
        of_seat = and_(evidence.c.game_id == record, evidence.c.seat == seat)
        with self._writing() as connection:
            connection.execute(delete(evidence).where(or_(evidence.c.expires < now, of_seat)))
            if connection.execute(select(games.c.id).where(games.c.id == record)).first() is not None:
                connection.execute(insert(evidence).values(row))

    def thd_evidence(self, record: str, now: str) -> Mapping[Seat, str]:
        """Fetch the evidence on a game's programs, by their seats, that has not expired."""
        wanted = select(evidence).where(evidence.c.game_id == record, evidence.c.expires >= now)
        with self._transaction() as connection:
            return {row.seat: row.data for row in connection.execute(wanted)}

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with telling(self.url), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._transaction() as connection:
            dialects.begin_writing(connection)
            yield connection


def _summaries(connection: Connection, rows: Sequence[Mapping[Any, Any]]) -> list[Summary]:
    """Return the search fields of rows with the columns of `_SEARCHED`, with their seats and owners."""
    ids = [row["id"] for row in rows]
    of_game = select(seats).where(seats.c.game_id.in_(ids)).order_by(seats.c.seat)
    seated: dict[str, list[SeatSummary]] = {record_id: [] for record_id in ids}
    for seat in connection.execute(of_game):
        seated[seat.game_id].append(SeatSummary(seat.seat, seat.name, seat.points))
    owned: dict[str, set[str]] = {record_id: set() for record_id in ids}
    for row in connection.execute(select(owners).where(owners.c.game_id.in_(ids))):
        owned[row.game_id].add(row.owner)
    names = [column.name for column in _SEARCHED.selected_columns]
    return [
        Summary(
            **{name: row[name] for name in names},
            seats=tuple(seated[row["id"]]),
            owners=frozenset(owned[row["id"]]),
        )
        for row in rows
    ]


def _lock(connection: Any, _pooled: object) -> None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE").close()


def connecting(url: str) -> Engine:
    """Return an engine for a database URL. Raises StoreError."""
    try:
        return dialects.engine(dialects.parsed(url))
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
        kind = Unusable if isinstance(error, OperationalError) else StoreError
        raise kind(f"the database {public_url(url)}: {sentence(error)}") from error


def public_url(url: str) -> str:
    """Return a database URL without its password."""
    try:
        known = dialects.parsed(url)
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
    ids = set(connection.execute(dialects.insert_games(connection.dialect.name), rows).scalars())
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
    statement = _SEARCHED
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
        ended, record_id = query.after
        at_once = and_(summaries.c.ended == ended, summaries.c.game_id > record_id)
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
