"""Copy the records of one database into another: `gamed store copy`.

Records are read and stored like everywhere, a few at a time, so a daemon may go on with the source: what it stores
behind the place that the copy has reached is copied by the next run. If a copy is killed, what it has stored remains,
and the next run stores the rest.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Final

from attrs import define
from sqlalchemy import URL, Connection, inspect, text
from sqlalchemy.exc import ArgumentError, OperationalError

from gamed.core.errors import StoreError
from gamed.records.record import Record, Summary
from gamed.store.database import BATCH, Database, public_url
from gamed.store.dialects import APPLICATION, SQLITE, parsed
from gamed.store.migrations import VERSION_TABLE
from gamed.store.reading import SHM, file_of, is_missing, readable
from gamed.store.tables import metadata

EXAMPLES: Final = 3
"""The most records that are named if two databases differ."""

AT_ONCE: Final = 2_000_000
"""So many bytes are stored in one transaction, or `BATCH` records."""

WAIT: Final = 5.0
"""Seconds to wait for another program to release the target: for example, a copy that has just been killed."""

_OTHERS: Final = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND application_name = :name"
).bindparams(name=APPLICATION)


@define
class Differences:
    """How two databases differ: the ids of the first few records of each kind."""

    missing: list[str]
    """Records that the target does not have."""

    surplus: list[str]
    """Records that only the target has."""

    different: list[str]
    """Records whose content or search fields differ."""

    def __bool__(self) -> bool:
        return bool(self.missing or self.surplus or self.different)

    def __str__(self) -> str:
        kinds = (("missing", self.missing), ("in the latter only", self.surplus), ("different", self.different))
        return "; ".join(f"{kind}, for example: {', '.join(ids)}" for kind, ids in kinds if ids)


@define
class Copy:
    """A copy from one database into another. The generators yield the number of records that they have processed."""

    source: Database
    target: Database
    names: tuple[str, str]
    """Both in words: a file, or a URL without the password."""

    is_source_used: bool
    """Whether another program seems to be using the source."""

    count: int
    """The number of the source's records."""

    copied: int = 0
    differences: Differences | None = None
    """The result of the latest comparison."""

    def thd_compare(self) -> Iterator[int]:
        """Compare all records, and replace `differences`."""
        self.differences = found = Differences([], [], [])
        ours, theirs = _each(self.source), _each(self.target)
        left, right = next(ours, None), next(theirs, None)
        while left is not None or right is not None:
            if right is None or (left is not None and left[0].id < right[0].id):
                assert left is not None
                examples, record_id = found.missing, left[0].id
            elif left is None or right[0].id < left[0].id:
                examples, record_id = found.surplus, right[0].id
            else:
                examples, record_id = ([] if left == right else found.different), left[0].id
            if len(examples) < EXAMPLES:
                examples.append(record_id)
            if left is not None and left[0].id == record_id:
                left = next(ours, None)
                yield 1
            if right is not None and right[0].id == record_id:
                right = next(theirs, None)

    def refuse_other_data(self) -> None:
        """Raise StoreError if the target has records that the source does not have, or has with other content."""
        found = self.differences
        if found is not None and (found.surplus or found.different):
            text = f"{self.names[1]} has other data than {self.names[0]}, and nothing was written ({found}). "
            raise StoreError(f"{text}Copy into a new file or an empty database")

    def thd_copy(self) -> Iterator[int]:
        """Store the records that the target does not have."""
        waiting: list[tuple[Record, Summary]] = []
        for records in chain(self.source.thd_everything(), [[]]):
            waiting += records
            # Each transaction waits for the disk.
            if not records or sum(len(record.body) for record, _ in waiting) > AT_ONCE or len(waiting) >= BATCH:
                self.copied += len(self.target.thd_keep(waiting))
                yield len(waiting)
                waiting.clear()


def _each(database: Database) -> Iterator[tuple[Record, Summary]]:
    return chain.from_iterable(database.thd_everything())


def url_of(name: str) -> str:
    """Return the URL of a database, which is given by its URL or by the path of its SQLite file."""
    return name if "://" in name else URL.create(SQLITE, database=name).render_as_string()


def _named(url: str) -> str:
    return str(file_of(url) or public_url(url))


@contextmanager
def opened(source: str, target: str) -> Iterator[Copy]:
    """Open two databases by their URLs; the target gets the schema if it is empty. Raises StoreError."""
    if _place(source) == _place(target):
        raise StoreError(f"{_named(source)} cannot be copied into itself")
    if is_missing(source):
        raise StoreError(f"there is no database {_named(source)}")
    file = file_of(source)
    # Check this before opening the database, which creates the file.
    is_used = file is not None and file.with_name(file.name + SHM).exists()
    with ExitStack() as stack:
        reading, writing = Database(stack.enter_context(readable(source))), Database(target)
        reading.thd_open(upgrades=False)
        stack.callback(reading.thd_close)
        _open_alone(writing, stack)
        is_used = is_used or reading.thd_do(_has_others)
        yield Copy(reading, writing, (_named(source), _named(target)), is_used, reading.thd_count())


def _place(url: str) -> object:
    try:
        return file.resolve() if (file := file_of(url)) else parsed(url)
    except ArgumentError as error:
        raise StoreError(f"cannot use the database URL: {error}") from error


def _open_alone(target: Database, stack: ExitStack) -> None:
    """Open the target, which no other gamed may have open, and which must not have tables of another program."""
    url, file = target.url, file_of(target.url)
    if file is not None:
        _make(file)
    try:
        target.thd_open(is_alone=True)
    except StoreError as error:
        if isinstance(error.__cause__, OperationalError) and "database is locked" in str(error.__cause__.orig):
            raise _used(url) from error
        raise
    stack.callback(target.thd_close)
    begun = time.monotonic()
    while target.thd_do(_has_others):
        if time.monotonic() - begun > WAIT:
            raise _used(url)
        time.sleep(0.1)
    if others := target.thd_do(_tables) - set(metadata.tables) - {VERSION_TABLE}:
        raise StoreError(
            f"{_named(url)} has tables that are not gamed's ({', '.join(sorted(others)[:EXAMPLES])}): "
            "copy into a new file or an empty database"
        )


def _has_others(connection: Connection) -> bool:
    """Whether another gamed is connected to a database of PostgreSQL."""
    return connection.dialect.name != SQLITE and bool(connection.execute(_OTHERS).scalar())


def _tables(connection: Connection) -> set[str]:
    return set(inspect(connection).get_table_names())


def _make(file: Path) -> None:
    try:
        # Only its owner may read it: records contain people's names and addresses.
        file.touch(mode=0o600)
    except OSError as error:
        raise StoreError(f"the database {file} cannot be created: {error.strerror}") from error


def _used(url: str) -> StoreError:
    return StoreError(
        f"{_named(url)} is open in another program, probably a daemon: stop that (`systemctl stop gamed.service` and "
        "its sockets), and run this again"
    )
