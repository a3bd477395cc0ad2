"""Applies the revisions in `versions` with alembic; there is no alembic.ini."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from gamed.core.errors import StoreError


def run(connection: Connection) -> None:
    """Apply the revisions that a database lacks, in the caller's transaction. Raises StoreError: it has a later one."""
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
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
