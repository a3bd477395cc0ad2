"""The tables of the record store.

Source: docs/reference/records.md#what-is-kept. `games` is prescribed by the BGoV specification, with exactly these
five columns. The other tables are for searching, and all but `owners` and `evidence` can be rebuilt from the records. A
change here needs a revision in `migrations/versions`; a test compares the two.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text

metadata: Final = MetaData()

_ORDERED: Final = Text().with_variant(Text(collation="C"), "postgresql")
"""A text that is ordered by code points as in SQLite and Python, even if the database has a locale."""

games: Final = Table(
    "games",
    metadata,
    Column("id", _ORDERED, primary_key=True),
    Column("publisher", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("header", Text, nullable=False),
    Column("body", Text, nullable=False),
    Index("games_format", "publisher", "version"),
)
"""The records."""

summaries: Final = Table(
    "summaries",
    metadata,
    Column("game_id", _ORDERED, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, nullable=False),
    Column("started", _ORDERED, nullable=False),
    Column("ended", _ORDERED, nullable=False),
    Column("termination", Text, nullable=False),
    Column("winner", Integer, nullable=True),
    Column("length", Integer, nullable=False),
    Index("summaries_kind", "kind"),
    Index("summaries_ended", "ended"),
    Index("summaries_termination", "termination"),
)
"""The search fields: a row for each record. The texts are empty if gamed does not play its format."""

seats: Final = Table(
    "seats",
    metadata,
    Column("game_id", _ORDERED, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("points", Float, nullable=True),
    Index("seats_name", "name"),
)
"""A row for each seat of the records that gamed plays."""

owners: Final = Table(
    "owners",
    metadata,
    Column("game_id", _ORDERED, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("owner", _ORDERED, primary_key=True),
    Index("owners_owner", "owner"),
)
"""Whose games the records are: `Summary.owners`. No record has them, so nothing can restore them."""

evidence: Final = Table(
    "evidence",
    metadata,
    Column("game_id", _ORDERED, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("expires", _ORDERED, nullable=False),
    Column("data", Text, nullable=False),
    Index("evidence_expires", "expires"),
)
"""What the program on a seat has written and used, as JSON, until it expires. It is private, and in no record."""
