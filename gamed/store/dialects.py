"""What SQLite and PostgreSQL want said differently: connecting, opening alone, and inserting what may be there already.

Source: docs/reference/records.md#what-is-kept. SQLite has one writer at a time; under PostgreSQL, daemons and commands
write side by side.
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
from gamed.private import opened
from gamed.store.tables import games

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"

PRAGMAS: Final = (
    "busy_timeout = 5000",
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    # What is deleted is overwritten, and not only marked as free.
    "secure_delete = ON",
)

APPLICATION: Final = "gamed"
"""What PostgreSQL calls our connections."""

CONNECTING: Final = {
    "client_encoding": "utf8",
    "application_name": APPLICATION,
    # The one thread of the database must not wait for minutes for a server that cannot be reached any more.
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""How PostgreSQL is connected to, unless the URL says otherwise: parameters of libpq, in seconds; the last in ms."""

STATEMENT_MS: Final = 25_000
"""Milliseconds that PostgreSQL may take for a statement, locks included; then it refuses it itself."""

LOCK: Final = int.from_bytes(b"gamed")
"""The number of the advisory lock under which a schema is looked at and changed."""


def parsed(url: str) -> URL:
    """Return what a database URL says. Raises SQLAlchemy's ArgumentError."""
    try:
        found = make_url(url)
    except ValueError as error:
        raise ArgumentError("its port is not a number") from error
    if "@" in (found.host or ""):
        # The rest of the password would be shown as the server's name.
        raise ArgumentError("an @ in a user's name or password is written %40")
    return found


def engine(url: URL) -> Engine:
    """Return what connects to a database. Raises StoreError, or what SQLAlchemy raises for a URL without a driver."""
    name = url.get_backend_name()
    if name == POSTGRESQL:
        # A connection that was lost while nobody needed it is replaced before it is used.
        made = create_engine(url, pool_pre_ping=True, connect_args=_unsaid(url))
        event.listen(made, "connect", _limit)
        # What goes wrong is an exception, too; without a handler Python prints what psycopg logs of a lost connection.
        logging.getLogger("psycopg").addHandler(logging.NullHandler())
        return made
    if name != SQLITE:
        raise StoreError(f"cannot use the database URL: records are kept in SQLite or PostgreSQL, not in {name}")
    if url.database is None or url.database in ("", ":memory:"):
        # Each connection would have a database of its own, so all threads share one.
        made = create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
    else:
        made = create_engine(url)
        if not url.query:
            # A URL with parameters may name no file, or one that must not be made.
            _make(url.database)
    event.listen(made, "connect", _wait if is_read_only(url) else _configure)
    return made


def _make(file: str) -> None:
    """Make a database's file, if there is none, so that only its owner may read people's addresses in it.

    SQLite gives the files next to it (`-wal`, `-shm`) the same rights and the same owner.
    """
    # What is in the way is said when SQLite opens it.
    with suppress(OSError):
        os.close(opened(Path(file), os.O_WRONLY | os.O_EXCL))


def is_read_only(url: URL) -> bool:
    """Whether a URL allows reading only; see `gamed.store.reading`."""
    return url.query.get("mode") == "ro"


def _unsaid(url: URL) -> dict[str, Any]:
    return {name: value for name, value in CONNECTING.items() if name not in url.query}


def _limit(connection: Any, _pooled: object) -> None:
    connection.execute(f"SET statement_timeout = {STATEMENT_MS}")
    connection.commit()


def cut(connection: Any) -> None:
    """Give a connection up, from another thread than that which waits for its answer: the wait ends with an error.

    A server that is stopped (SIGSTOP, a machine that hangs) closes nothing, and libpq has no time limit of its own.
    """
    if isinstance(connection, sqlite3.Connection):
        connection.interrupt()
        return
    # A connection that is lost by now has no socket, which is an error of psycopg's.
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
    """Begin a transaction in which nobody else changes the schema. Raises StoreError if this cannot hold records."""
    if connection.dialect.name == SQLITE:
        begin_writing(connection)
        return
    # Another daemon may bring a large database to a new schema meanwhile, or this one does.
    connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise StoreError(
            f"the database has the encoding {encoding}, and records need UTF8: "
            "make it with `createdb --encoding=UTF8 --template=template0`"
        )


def begin_writing(connection: Connection) -> None:
    """Begin a transaction that reads before it writes; in SQLite nobody else writes from here on to its end.

    Python's driver begins one at an INSERT or DELETE, so that what is read before could be old by then.
    """
    if connection.dialect.name == SQLITE:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def begin_reading(connection: Connection) -> None:
    """Begin a transaction that sees the database as it is now, whatever is written meanwhile."""
    if connection.dialect.name == SQLITE:
        # Python's driver begins none for reading.
        connection.exec_driver_sql("BEGIN")
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


@cache
def insert_games(dialect: str) -> ReturningInsert[Any]:
    """Return what inserts those records whose ids are not there, and returns their ids.

    Under PostgreSQL it waits for the end of another's transaction that inserts one of them.
    """
    if dialect == SQLITE:
        from sqlalchemy.dialects import sqlite  # noqa: PLC0415 (one of the two is needed)

        return sqlite.insert(games).on_conflict_do_nothing().returning(games.c.id)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 (one of the two is needed, and this is heavy)

    return postgresql.insert(games).on_conflict_do_nothing().returning(games.c.id)
