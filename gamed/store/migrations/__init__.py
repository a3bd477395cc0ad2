"""Read the revision of a database, and upgrade its schema to that of `tables.py`.

Source: docs/reference/records.md#what-is-kept. A new revision is a file in `versions`, written by hand.
alembic applies the revisions; it is imported only for a database that does not have the newest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, column, inspect, select, table

from gamed.core.errors import StoreError

HEAD: Final = max(path.stem[1:] for path in Path(__file__).with_name("versions").glob("v*.py"))
"""The newest revision, by the name of its file, vNNNN.py. A test compares it with alembic's."""

VERSION_TABLE: Final = "alembic_version"
"""Where alembic notes the revision of a database."""

_VERSION: Final = table(VERSION_TABLE, column("version_num"))


def upgrade(connection: Connection) -> None:
    """Create the schema, or upgrade it to ours, in the caller's transaction.

    Raises StoreError if the database was written by a newer gamed.
    """
    if current_revision(connection) == HEAD:
        return
    # 100 ms and 12 MiB, mostly for dialects and templates that are never used; a daemon that starts with a database of
    # today does without. It is called while a daemon starts, or by a command: nobody plays.
    from gamed.store.migrations.alembic_runner import run  # noqa: PLC0415

    run(connection)


def require_newest(connection: Connection) -> None:
    """Raise StoreError if the database has another schema than ours. Write nothing."""
    revision = current_revision(connection)
    if revision != HEAD:
        raise StoreError(
            f"the database has the schema {revision}, and this gamed reads {HEAD}. An older one is upgraded when a "
            "daemon of this version starts with it, or a command that may write to it; a newer one needs a newer gamed"
        )


def current_revision(connection: Connection) -> str | None:
    """Return the revision of a database, None if it is empty."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(select(_VERSION.c.version_num)).scalar()
