"""Copy the records of one database into another: `gamed store copy`.

The source is read in one transaction, so a daemon may store more records meanwhile: the copy is a snapshot. Tables are
read in the order of their primary keys, which is the same in SQLite, PostgreSQL and Python (by code points). So two
tables are compared in one pass, with a few rows in memory. If a copy is killed, its committed transactions remain, and
the next run inserts the missing rows.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, Final

from attrs import define, field
from sqlalchemy import URL, Connection, Engine, Row, Table, and_, event, func, insert, inspect, select, text
from sqlalchemy.exc import ArgumentError, OperationalError

from gamed.core.errors import StoreError
from gamed.store.dialects import APPLICATION, SQLITE, begin_alone, begin_reading, parsed
from gamed.store.migrations import HEAD, VERSION_TABLE, current_revision, upgrade
from gamed.store.reading import SHM, file_of, is_missing, readable
from gamed.store.sql import connecting, public_url, telling
from gamed.store.tables import metadata

PAGE: Final = 20
"""The most rows of a table in memory at a time: a record may have megabytes."""

SHARED: Final = 10
"""The number of pages that are inserted in one transaction."""

EXAMPLES: Final = 3
"""The most rows that are named if two tables differ."""

WAIT: Final = 5.0
"""Seconds to wait for another program to release the target: for example, a copy that has just been killed."""


_OTHERS: Final = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND application_name = :name"
).bindparams(name=APPLICATION)


@define
class Content:
    """The content of a table on one side."""

    rows: int = 0
    _hash: Any = field(factory=sha256)

    @property
    def checksum(self) -> str:
        """The SHA-256 of all rows in the order of their keys; each row is a line with a JSON array."""
        return str(self._hash.hexdigest())

    def add(self, row: Row[Any]) -> None:
        """Add the next row."""
        self.rows += 1
        self._hash.update(json.dumps(list(row)).encode() + b"\n")


@define
class Compared:
    """The comparison of a table on both sides."""

    source: Content = field(factory=Content)
    target: Content = field(factory=Content)
    missing: list[str] = field(factory=list)
    """Keys of rows that the target does not have. This and the next two lists have at most `EXAMPLES`."""

    surplus: list[str] = field(factory=list)
    """Keys of rows that only the target has."""

    changed: list[str] = field(factory=list)
    """Keys of rows whose content differs."""

    @property
    def is_equal(self) -> bool:
        """Whether both sides have the same rows."""
        return (self.source.rows, self.source.checksum) == (self.target.rows, self.target.checksum)

    def add(self, ours: Row[Any] | None, theirs: Row[Any] | None, key: str) -> None:
        """Add the next row of one side, or of both if they have the same key."""
        if ours is not None:
            self.source.add(ours)
        if theirs is not None:
            self.target.add(theirs)
        if ours is None:
            _note(self.surplus, key)
        elif theirs is None:
            _note(self.missing, key)
        elif tuple(ours) != tuple(theirs):
            _note(self.changed, key)


def _note(examples: list[str], key: str) -> None:
    if len(examples) < EXAMPLES:
        examples.append(key)


@define
class Side:
    """One of the two databases, opened."""

    url: str
    connection: Connection

    @property
    def name(self) -> str:
        """The database in words: its file, or its URL without the password."""
        return named(self.url)

    def thd_count(self, table: Table) -> int:
        """Return how many rows a table has."""
        with telling(self.url):
            return int(self.connection.execute(select(func.count()).select_from(table)).scalar_one())

    def thd_rows(self, table: Table) -> Iterator[Row[Any]]:
        """Yield the rows of a table in the order of their keys. The caller keeps a transaction open meanwhile."""
        with telling(self.url):
            ordered = select(table).order_by(*table.primary_key.columns)
            yield from self.connection.execute(ordered, execution_options={"yield_per": PAGE})


@define
class Copy:
    """A copy from one database into another. The generators yield the number of rows that they have processed."""

    source: Side
    target: Side
    is_source_used: bool
    """Whether another program seems to be using the source."""

    tables: Sequence[Table]
    """Ordered so that rows refer only to rows of earlier tables."""

    rows: dict[str, int]
    """The number of rows of the source, by table."""

    copied: dict[str, int] = field(init=False, factory=dict)
    """The number of rows that were inserted, by table."""

    compared: dict[str, Compared] = field(init=False, factory=dict)
    """The result of the latest comparison, by table."""

    def thd_is_begun(self) -> bool:
        """Whether the target has rows."""
        with self.target.connection.begin():
            return any(map(self.target.thd_count, self.tables))

    def thd_compare(self) -> Iterator[int]:
        """Compare all tables, and replace `compared`."""
        for table in self.tables:
            found = self.compared[table.name] = Compared()
            with self.target.connection.begin():
                for ours, theirs in _merged(self.source.thd_rows(table), self.target.thd_rows(table), _key(table)):
                    found.add(ours, theirs, _written(table, ours, theirs))
                    if ours is not None:
                        yield 1

    def refuse_other_data(self) -> None:
        """Raise StoreError if the target has rows that the source does not have, or has with other content."""
        for name, found in self.compared.items():
            if found.surplus or found.changed:
                raise StoreError(
                    f"{self.target.name} has other data, and nothing was written. "
                    f"{difference(name, found, self.source.name, self.target.name)} "
                    "Copy into a new file or an empty database"
                )

    def thd_copy(self) -> Iterator[int]:
        """Insert the rows that the target does not have."""
        for table in self.tables:
            self.copied[table.name] = 0
            pages = iter(partial(_page, self.source.thd_rows(table)), [])
            while done := self._thd_insert(table, islice(pages, SHARED)):
                yield done

    def _thd_insert(self, table: Table, pages: Iterable[Sequence[Row[Any]]]) -> int:
        """Insert the missing rows of some pages in one transaction; return the number of all their rows."""
        done = 0
        key = _key(table)
        keys = table.primary_key.columns
        (column, *_) = keys
        with telling(self.target.url), self.target.connection.begin():
            for page in pages:
                between = and_(column >= key(page[0])[0], column <= key(page[-1])[0])
                there = set(map(tuple, self.target.connection.execute(select(*keys).where(between))))
                fresh = [row._asdict() for row in page if key(row) not in there]
                if fresh:
                    self.target.connection.execute(insert(table), fresh)
                self.copied[table.name] += len(fresh)
                done += len(page)
        return done


def _page(rows: Iterator[Row[Any]]) -> list[Row[Any]]:
    return list(islice(rows, PAGE))


def difference(table: str, found: Compared, source: str, target: str) -> str:
    """Return in words how a table of the two sides differs."""
    counts = f"{table}: {found.source.rows} rows in {source}, {found.target.rows} in {target}"
    kinds = (("missing", found.missing), ("in the latter only", found.surplus), ("different", found.changed))
    shown = "; ".join(f"{kind}, for example: {', '.join(examples)}" for kind, examples in kinds if examples)
    return f"{counts} ({shown})." if shown else f"{counts}."


def _merged(
    ours: Iterator[Row[Any]], theirs: Iterator[Row[Any]], key: Callable[[Row[Any]], tuple[Any, ...]]
) -> Iterator[tuple[Row[Any] | None, Row[Any] | None]]:
    """Merge the rows of two sides by their keys: yield pairs, with None for a side that does not have the row."""
    left, right = next(ours, None), next(theirs, None)
    while left is not None or right is not None:
        is_left = left is not None and (right is None or key(left) <= key(right))
        is_right = right is not None and (left is None or key(right) <= key(left))
        yield left if is_left else None, right if is_right else None
        left = next(ours, None) if is_left else left
        right = next(theirs, None) if is_right else right


def _key(table: Table) -> Callable[[Row[Any]], tuple[Any, ...]]:
    """Return a function that returns the primary key of a row."""
    keys = set(table.primary_key.columns)
    places = [place for place, column in enumerate(table.columns) if column in keys]
    return lambda row: tuple(row[place] for place in places)


def _written(table: Table, ours: Row[Any] | None, theirs: Row[Any] | None) -> str:
    row = theirs if ours is None else ours
    assert row is not None
    return " ".join(map(str, _key(table)(row)))


# Opening both


def url_of(name: str) -> str:
    """Return the URL of a database, which is given by its URL or by the path of its SQLite file."""
    return name if "://" in name else URL.create(SQLITE, database=name).render_as_string()


def named(url: str) -> str:
    """Return a database in words: its file, or its URL without the password."""
    return str(file_of(url) or public_url(url))


@contextmanager
def opened(source: str, target: str) -> Iterator[Copy]:
    """Open two databases by their URLs; the target gets the schema if it is empty. Raises StoreError."""
    if _place(source) == _place(target):
        raise StoreError(f"{named(source)} cannot be copied into itself")
    if is_missing(source):
        raise StoreError(f"there is no database {named(source)}")
    file = file_of(source)
    # Check this before opening the database, which creates the file.
    is_used = file is not None and file.with_name(file.name + SHM).exists()
    with readable(source) as url, _connection(connecting(url), source) as reading:
        with telling(source):
            is_used = is_used or _is_used(reading)
            begin_reading(reading)
            _require_ours(reading, source)
        with _alone(target) as writing:
            tables = metadata.sorted_tables
            from_, to = Side(source, reading), Side(target, writing)
            yield Copy(from_, to, is_used, tables, {table.name: from_.thd_count(table) for table in tables})


def _place(url: str) -> object:
    try:
        return file.resolve() if (file := file_of(url)) else parsed(url)
    except ArgumentError as error:
        raise StoreError(f"cannot use the database URL: {error}") from error


@contextmanager
def _connection(engine: Engine, url: str) -> Iterator[Connection]:
    try:
        with telling(url):
            connection = engine.connect()
        with connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _alone(url: str) -> Iterator[Connection]:
    """Open the target, which no other gamed may have open. In SQLite, others cannot open it until this ends."""
    file = file_of(url)
    if file is not None:
        _make(file)
    engine = connecting(url)
    if engine.dialect.name == SQLITE:
        # Before the pragma that opens the write-ahead log: only then the lock fails if others have the database open.
        event.listen(engine, "connect", _lock, insert=True)
    try:
        with _connection(engine, url) as connection:
            begun = time.monotonic()
            while _is_used(connection):
                if time.monotonic() - begun > WAIT:
                    raise _used(url)
                time.sleep(0.1)
            with telling(url), connection.begin():
                begin_alone(connection)
                _prepare(connection, url)
            yield connection
    except StoreError as error:
        if isinstance(error.__cause__, OperationalError) and "database is locked" in str(error.__cause__.orig):
            raise _used(url) from error
        raise


def _make(file: Path) -> None:
    try:
        # Only its owner may read it: records contain people's names and addresses.
        file.touch(mode=0o600)
    except OSError as error:
        raise StoreError(f"the database {file} cannot be created: {error.strerror}") from error


def _lock(connection: Any, _pooled: object) -> None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE").close()


def _used(url: str) -> StoreError:
    return StoreError(
        f"{named(url)} is open in another program, probably a daemon: stop that (`systemctl stop gamed.service` and "
        "its sockets), and run this again"
    )


def _is_used(connection: Connection) -> bool:
    """Whether another gamed is connected to a database of PostgreSQL."""
    if connection.dialect.name == SQLITE:
        return False
    # A new transaction each time: within one, the answer would not change.
    with connection.begin():
        return bool(connection.execute(_OTHERS).scalar())


def _prepare(connection: Connection, url: str) -> None:
    """Create the schema in an empty database. Raises StoreError if there are other tables, or another schema."""
    tables = set(inspect(connection).get_table_names())
    others = tables - set(metadata.tables) - {VERSION_TABLE}
    if others:
        raise StoreError(
            f"{named(url)} has tables that are not gamed's ({', '.join(sorted(others)[:EXAMPLES])}): "
            "copy into a new file or an empty database"
        )
    if tables:
        _require_ours(connection, url)
    else:
        upgrade(connection)


def _require_ours(connection: Connection, url: str) -> None:
    """Raise StoreError if a database does not have the newest schema."""
    revision = current_revision(connection)
    if revision is None:
        raise StoreError(f"{named(url)} is not a database of gamed's: it does not have the table {VERSION_TABLE}")
    if revision != HEAD:
        raise StoreError(
            f"{named(url)} has the schema {revision}, and this gamed copies {HEAD}. An older schema is upgraded when a "
            "daemon of this version starts with it; for a newer one, use the gamed that wrote it"
        )
