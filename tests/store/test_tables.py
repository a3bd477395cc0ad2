"""The schema: the format's five columns, and what is indexed."""

from __future__ import annotations

from sqlalchemy import Text
from twisted.trial.unittest import SynchronousTestCase

from gamed.store.tables import evidence, games, metadata, owners, seats, summaries


class TablesTests(SynchronousTestCase):
    def test_games_has_exactly_the_five_columns_of_the_format(self) -> None:
        self.assertEqual(list(games.c.keys()), ["id", "publisher", "version", "header", "body"])
        self.assertEqual([column.name for column in games.primary_key], ["id"])
        for column in games.c:
            self.assertIsInstance(column.type, Text)
            self.assertFalse(column.nullable)

    def test_there_are_five_tables(self) -> None:
        self.assertEqual(set(metadata.tables), {"games", "summaries", "seats", "owners", "evidence"})

    def test_what_is_searched_is_indexed(self) -> None:
        indexed = {
            f"{table.name}.{column.name}"
            for table in (summaries, seats, owners)
            for index in table.indexes
            for column in index.columns
        }
        wanted = {"summaries.kind", "summaries.ended", "summaries.termination", "seats.name", "owners.owner"}
        self.assertEqual(indexed, wanted)

    def test_what_is_searched_goes_with_its_record(self) -> None:
        for table in (summaries, seats, owners, evidence):
            (key,) = table.foreign_keys
            self.assertEqual((key.target_fullname, key.ondelete), ("games.id", "CASCADE"))
