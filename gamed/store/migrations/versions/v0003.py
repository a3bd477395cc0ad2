"""Records are listed in the order in which their games ended."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Order the ends by code points, and have an index of them instead of the starts."""
    _order(sa.Text(collation="C"))
    op.create_index("summaries_ended", "summaries", ["ended"])
    op.drop_index("summaries_started", "summaries")


def downgrade() -> None:
    """Restore the index of the starts."""
    op.create_index("summaries_started", "summaries", ["started"])
    op.drop_index("summaries_ended", "summaries")
    _order(sa.Text())


def _order(kind: sa.Text) -> None:
    # SQLite always compares by code points.
    if op.get_context().dialect.name == "postgresql":
        op.alter_column("summaries", "ended", type_=kind)
