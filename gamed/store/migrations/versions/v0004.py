"""The store knows from which addresses and browsers a game was played."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from gamed.store.migrations.versions.v0001 import ORDERED

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create an empty table: of older games nothing is known."""
    op.create_table(
        "owners",
        sa.Column("game_id", ORDERED, sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("owner", ORDERED, primary_key=True),
    )
    op.create_index("owners_owner", "owners", ["owner"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("owners")
