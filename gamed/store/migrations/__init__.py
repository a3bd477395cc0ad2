"""Upgrade a database to the schema of `tables.py`, with alembic.

Source: docs/reference/records.md#what-is-kept. A new revision is a file in `versions`, written by hand; there is no
alembic.ini.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from gamed.core.errors import StoreError


def upgrade(connection: Connection) -> None:
    """Create the schema, or upgrade it to ours, in the caller's transaction.

    Raises StoreError if the database was written by a newer gamed.
    """
    config = Config()
    # Percent signs are interpolated in this option.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    script = ScriptDirectory.from_config(config)
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is not None and revision not in {known.revision for known in script.walk_revisions()}:
        raise StoreError(
            f"the database has the schema {revision}, and this gamed knows none later than "
            f"{script.get_current_head()}: use the newer gamed that wrote it, or another database"
        )
    if revision != script.get_current_head():
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def require_newest(connection: Connection) -> None:
    """Raise StoreError if the database has another schema than ours. Write nothing."""
    revision, head = revisions(connection)
    if revision != head:
        raise StoreError(
            f"the database has the schema {revision}, this gamed reads {head}, and the database cannot be written to: "
            "run this as a user who may write to it"
        )


def revisions(connection: Connection) -> tuple[str | None, str | None]:
    """Return the revision of a database, None if it is empty, and the newest revision."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    head = ScriptDirectory.from_config(config).get_current_head()
    return MigrationContext.configure(connection).get_current_revision(), head
