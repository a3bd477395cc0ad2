"""The differences between SQLite and PostgreSQL: connecting, locking, and inserting rows that may exist already.

Source: docs/reference/records.md#what-is-kept. SQLite has one writer at a time; in PostgreSQL, daemons and commands
write concurrently.
"""

from __future__ import annotations

import logging
import os
import socket
import sqlite3
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.sql.dml import ReturningInsert

from gamed.core.errors import StoreError
from gamed.process.private import opened
from gamed.store.tables import games

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"

PRAGMAS: Final = (
    "busy_timeout = 5000",
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    # Overwrite deleted data instead of only marking its pages as free: deleted games contain names and addresses.
    "secure_delete = ON",
)

APPLICATION: Final = "gamed"
"""The name of our connections in PostgreSQL."""

CONNECTING: Final = {
    "client_encoding": "utf8",
    "application_name": APPLICATION,
    # The only database thread must not wait for minutes for a server that has become unreachable.
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""Parameters of libpq for PostgreSQL, unless the URL sets them. Times are in seconds, the last in milliseconds."""

STATEMENT_MS: Final = 25_000
"""After so many milliseconds, waiting for locks included, PostgreSQL aborts a statement."""

LOCK: Final = int.from_bytes(b"gamed")
"""The key of the advisory lock that a process holds while it checks and changes the schema."""


def parsed(url: str) -> URL:
    """Parse a database URL. Raises SQLAlchemy's ArgumentError."""
    try:
        found = make_url(url)
    except ValueError as error:
        raise ArgumentError("its port is not a number") from error
    if "@" in (found.host or ""):
        # SQLAlchemy takes the part of the password after the first @ for the host, and messages would show it.
        raise ArgumentError("write an @ in a user's name or password as %40")
    return found


def engine(url: URL) -> Engine:
    """Return an engine for a database. Raises StoreError, or an error of SQLAlchemy if there is no driver."""
    name = url.get_backend_name()
    if name == POSTGRESQL:
        # pool_pre_ping replaces a connection that was lost while it was idle.
        made = create_engine(url, pool_pre_ping=True, connect_args=_defaults(url))
        event.listen(made, "connect", _limit)
        # psycopg also logs errors that it raises; without a handler Python would print them to standard error.
        logging.getLogger("psycopg").addHandler(logging.NullHandler())
        return made
    if name != SQLITE:
        raise StoreError(f"cannot use the database URL: records are kept in SQLite or PostgreSQL, not in {name}")
    if url.database is None or url.database in ("", ":memory:"):
        # Each connection would open a new database in memory, so all threads share one connection.
        made = create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
    else:
        made = create_engine(url)
        if not url.query:
            # A URL with parameters may not name a file, or one that must not be created.
            _make(url.database)
    event.listen(made, "connect", _wait if is_read_only(url) else _configure)
    return made


def _make(file: str) -> None:
    """Create the file of a database, if there is none, readable by its owner only: it contains people's addresses.

    SQLite gives the files next to it (`-wal`, `-shm`) the same permissions and the same owner.
    """
    # If this fails, SQLite reports the reason when it opens the file.
    with suppress(OSError):
        os.close(opened(Path(file), os.O_WRONLY | os.O_EXCL))


def is_read_only(url: URL) -> bool:
    """Whether a URL opens a database read-only; see `gamed.store.reading`."""
    return url.query.get("mode") == "ro"


def _defaults(url: URL) -> dict[str, Any]:
    return {name: value for name, value in CONNECTING.items() if name not in url.query}


def _limit(connection: Any, _pooled: object) -> None:
    connection.execute(f"SET statement_timeout = {STATEMENT_MS}")
    connection.commit()


def cut(connection: Any) -> None:
    """Abort a connection from another thread, so that the thread that waits for its answer gets an error.

    A server that is stopped (SIGSTOP, or a hanging machine) does not close connections, and libpq has no time limit.
    """
    if isinstance(connection, sqlite3.Connection):
        connection.interrupt()
        return
    # If the connection has been lost by now it has no socket, and psycopg raises an error.
    with suppress(Exception), socket.socket(fileno=os.dup(connection.pgconn.socket)) as same:
        same.shutdown(socket.SHUT_RDWR)


def _configure(connection: sqlite3.Connection, _pooled: object) -> None:
    cursor = connection.cursor()
    for pragma in PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _wait(connection: sqlite3.Connection, _pooled: object) -> None:
    connection.execute(f"PRAGMA {PRAGMAS[0]}").close()


def begin_alone(connection: Connection) -> None:
    """Begin a transaction in which nobody else can change the schema. Raises StoreError for an unusable encoding."""
    if connection.dialect.name == SQLITE:
        begin_writing(connection)
        return
    # Upgrading the schema of a large database takes long, and so does waiting for another daemon that does so.
    connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise StoreError(
            f"the database has the encoding {encoding}, and records need UTF8: "
            "create it with `createdb --encoding=UTF8 --template=template0`"
        )


def begin_writing(connection: Connection) -> None:
    """Begin a transaction that reads before it writes. In SQLite nobody else can write until it ends.

    By itself, Python's driver begins a transaction only at an INSERT or DELETE; the rows that were read before it could
    be outdated by then.
    """
    if connection.dialect.name == SQLITE:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


@cache
def insert_games(dialect: str) -> ReturningInsert[Any]:
    """Return a statement that inserts the records whose ids do not exist yet, and returns these ids.

    In PostgreSQL it waits for other transactions that insert one of them.
    """
    if dialect == SQLITE:
        from sqlalchemy.dialects import sqlite  # noqa: PLC0415 (one of the two is needed)

        return sqlite.insert(games).on_conflict_do_nothing().returning(games.c.id)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 (one of the two is needed, and this is heavy)

    return postgresql.insert(games).on_conflict_do_nothing().returning(games.c.id)
