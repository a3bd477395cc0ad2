"""The migrations lead to the schema of `tables.py`, and refuse what they do not know."""

from __future__ import annotations

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.command import downgrade
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, text
from twisted.trial.unittest import SynchronousTestCase

import gamed.store.migrations
from gamed.core.errors import StoreError
from gamed.store.migrations import HEAD, upgrade
from gamed.store.tables import metadata


class UpgradeTests(SynchronousTestCase):
    def setUp(self) -> None:
        engine = create_engine("sqlite://")
        self.connection: Connection = engine.connect()
        self.addCleanup(engine.dispose)
        self.addCleanup(self.connection.close)

    def tables(self) -> set[str]:
        return set(inspect(self.connection).get_table_names())

    def test_the_migrations_agree_with_the_tables(self) -> None:
        upgrade(self.connection)
        context = MigrationContext.configure(self.connection, opts={"compare_server_default": True})
        self.assertEqual(compare_metadata(context, metadata), [])

    def test_the_newest_revision_is_alembics(self) -> None:
        config = Config()
        config.set_main_option("script_location", str(Path(gamed.store.migrations.__file__).parent))
        self.assertEqual(ScriptDirectory.from_config(config).get_current_head(), HEAD)

    def test_an_upgrade_of_the_newest_changes_nothing(self) -> None:
        upgrade(self.connection)
        self.connection.execute(text("INSERT INTO games VALUES ('a', 'p', '1', 'h', 'b')"))
        upgrade(self.connection)
        self.assertEqual(self.connection.execute(text("SELECT id FROM games")).scalars().all(), ["a"])

    def test_the_callers_transaction_can_be_taken_back(self) -> None:
        self.connection.exec_driver_sql("BEGIN IMMEDIATE")
        upgrade(self.connection)
        self.assertIn("games", self.tables())
        self.connection.rollback()
        self.assertEqual(self.tables(), set())

    def test_a_newer_schema_is_refused(self) -> None:
        upgrade(self.connection)
        self.connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        error = str(self.assertRaises(StoreError, upgrade, self.connection))
        self.assertIn("schema 9999", error)
        self.assertIn("newer gamed", error)

    def test_the_first_revision_can_be_taken_back(self) -> None:
        upgrade(self.connection)
        config = Config(attributes={"connection": self.connection})
        config.set_main_option("script_location", str(Path(gamed.store.migrations.__file__).parent))
        downgrade(config, "base")
        self.assertEqual(self.tables(), {"alembic_version"})
