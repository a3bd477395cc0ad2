"""All records are listed: each has search fields, and can be found by its format."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add empty search fields for the records that have none, and an index of formats."""
    op.create_index("games_format", "games", ["publisher", "version"])
    op.execute(
        "INSERT INTO summaries (game_id, kind, started, ended, termination, length) "
        "SELECT id, '', '', '', '', 0 FROM games WHERE id NOT IN (SELECT game_id FROM summaries)"
    )


def downgrade() -> None:
    """Delete the empty search fields, and the index."""
    op.execute("DELETE FROM summaries WHERE kind = ''")
    op.drop_index("games_format", "games")
