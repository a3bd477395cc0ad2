"""The first schema: records and their search fields."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ORDERED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Ordered by code points, whatever the language of the database."""


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "games",
        sa.Column("id", ORDERED, primary_key=True),
        sa.Column("publisher", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("header", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "summaries",
        sa.Column("game_id", ORDERED, sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("started", ORDERED, nullable=False),
        sa.Column("ended", sa.Text, nullable=False),
        sa.Column("termination", sa.Text, nullable=False),
        sa.Column("winner", sa.Integer, nullable=True),
        sa.Column("length", sa.Integer, nullable=False),
    )
    op.create_index("summaries_kind", "summaries", ["kind"])
    op.create_index("summaries_started", "summaries", ["started"])
    op.create_index("summaries_termination", "summaries", ["termination"])
    op.create_table(
        "seats",
        sa.Column("game_id", ORDERED, sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("points", sa.Float, nullable=True),
    )
    op.create_index("seats_name", "seats", ["name"])


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("seats")
    op.drop_table("summaries")
    op.drop_table("games")
