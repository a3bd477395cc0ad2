"""Read a database without write access.

Source: docs/reference/records.md#what-is-kept. While a database in WAL mode is open, there are two more files next to
it: `-wal`, and `-shm`, which tells readers how far they may read. SQLite creates them even to read. A reader that has
no permission to create them fails ("attempt to write a readonly database"), and if files of a reader are left behind,
the daemon may not be able to open them. So a reader without write access uses the files of the running daemon, or, if
none is running, a copy of the database.

SQLite's `immutable=1` is not used, because it ignores what a running daemon writes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import URL
from sqlalchemy.exc import ArgumentError

from gamed.core.errors import StoreError
from gamed.store.dialects import SQLITE, parsed

WAL, SHM = "-wal", "-shm"


@contextmanager
def readable(url: str) -> Iterator[str]:
    """Yield a URL by which a database can be read with the permissions that there are. Raises StoreError.

    A file that does not exist is read as an empty database.
    """
    file = file_of(url)
    if file is None:
        yield url
    elif not _exists(file):
        # Reading must not create the file: it could belong to another user than the daemon's.
        yield "sqlite://"
    elif os.access(file, os.W_OK) and os.access(file.resolve().parent, os.W_OK):
        yield url
    else:
        with TemporaryDirectory(prefix="gamed-") as folder:
            copy = _copied(file.resolve(), Path(folder))
            yield _url(str(copy)) if copy else _url(file.resolve().as_uri(), mode="ro", uri="true")


def _url(database: str, **query: str) -> str:
    return URL.create(SQLITE, database=database, query=query).render_as_string()


def file_of(url: str) -> Path | None:
    """Return the file of a database; None if it has none, or if its URL has parameters."""
    try:
        known = parsed(url)
    except ArgumentError:
        return None
    is_file = known.get_backend_name() == SQLITE and known.database not in (None, "", ":memory:")
    return Path(str(known.database)) if is_file and not known.query else None


def is_missing(url: str) -> bool:
    """Whether the file of a database does not exist. Raises StoreError if that cannot be determined."""
    file = file_of(url)
    return file is not None and not _exists(file)


def _exists(file: Path) -> bool:
    try:
        return file.exists()
    except OSError as error:
        raise StoreError(f"the database {file} cannot be read: {error.strerror}") from error


def _copied(file: Path, folder: Path) -> Path | None:
    """Copy a database that nobody has open; return None if somebody has. Raises StoreError."""
    copy, wal, shm = folder / file.name, file.with_name(file.name + WAL), file.with_name(file.name + SHM)
    before: tuple[int, int] | None = None
    try:
        # A daemon that starts meanwhile creates the -shm file; one that starts and stops changes the file's age.
        while not shm.exists():
            if before == (now := _age(file)):
                return copy
            before = now
            shutil.copyfile(file, copy)
            if wal.exists():
                shutil.copyfile(wal, copy.with_name(copy.name + WAL))
    except OSError as error:
        raise StoreError(f"the database {file} cannot be read: {error.strerror}") from error
    return None


def _age(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_mtime_ns, status.st_size
