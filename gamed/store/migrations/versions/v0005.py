"""The store keeps evidence on the programs that have played a game."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from gamed.store.migrations.versions.v0001 import ORDERED

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create an empty table."""
    op.create_table(
        "evidence",
        sa.Column("game_id", ORDERED, sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("expires", ORDERED, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_index("evidence_expires", "evidence", ["expires"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("evidence")
