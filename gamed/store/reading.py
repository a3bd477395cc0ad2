"""Reading a database that must not be written to, or cannot be.

Source: docs/reference/records.md#what-is-kept. A database in WAL mode has two more files next to it while somebody has
it open: `-wal`, and `-shm`, by which readers learn how far they may read. SQLite makes them even for a reader. A reader
that may not make them gets no answer ("attempt to write a readonly database"), and one that leaves its own there can
shut out the daemon. So a reader without the right to write uses the files of the daemon that runs, or reads a copy
where none runs.

SQLite's `immutable=1` is not used: it ignores a daemon that writes.
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
    """Yield the URL by which a database is read with the rights that there are. Raises StoreError.

    A file that does not exist is read as an empty database.
    """
    file = file_of(url)
    if file is None:
        yield url
    elif not _exists(file):
        # Reading must not make the daemon's file, which could then belong to the wrong user.
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
    """Return the file of a database; None if it has none, or a URL that says more than the file."""
    try:
        known = parsed(url)
    except ArgumentError:
        return None
    is_file = known.get_backend_name() == SQLITE and known.database not in (None, "", ":memory:")
    return Path(str(known.database)) if is_file and not known.query else None


def is_missing(url: str) -> bool:
    """Whether the file of a database does not exist. Raises StoreError if that cannot be seen."""
    file = file_of(url)
    return file is not None and not _exists(file)


def _exists(file: Path) -> bool:
    try:
        return file.exists()
    except OSError as error:
        raise StoreError(f"the database {file} cannot be read: {error.strerror}") from error


def _copied(file: Path, folder: Path) -> Path | None:
    """Return a copy of a database that nobody has open; None if somebody has it open. Raises StoreError."""
    copy, wal, shm = folder / file.name, file.with_name(file.name + WAL), file.with_name(file.name + SHM)
    before: tuple[int, int] | None = None
    try:
        # A daemon that starts meanwhile makes SHM; one that starts and stops changes the file.
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
