"""The environment script of alembic. It runs the migrations on the connection that `upgrade` was given."""

from __future__ import annotations

from alembic import context

from gamed.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
