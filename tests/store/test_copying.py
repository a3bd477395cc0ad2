"""`gamed store copy`: SQLite and PostgreSQL, there and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from attrs import evolve
from click.testing import CliRunner, Result
from sqlalchemy import make_url
from twisted.trial.unittest import SynchronousTestCase

from gamed import cli
from gamed.core.errors import StoreError
from gamed.records.record import Summary
from gamed.store import copying, database, dialects
from gamed.store.database import Database
from gamed.store.query import Query
from tests.store.examples import record, summary
from tests.store.test_postgres import server

OWNERS = frozenset({"203.0.113.7", "0123456789abcdef01234567"})


def filled(url: str, numbers: Iterable[int]) -> None:
    """Store the records of some numbers in a database."""
    store = Database(url)
    store.thd_open()
    own = {n: evolve(summary(n, ("Ada", "Zoë")), owners=OWNERS) for n in numbers}
    store.thd_keep([(record(n, f"<body>{n} 碁</body>".encode()), found) for n, found in own.items()])
    store.thd_close()


def held(url: str) -> tuple[list[bytes], list[Summary]]:
    """Return what a database has."""
    store = Database(url)
    store.thd_open()
    found = [one.body for one in store.thd_records()], store.thd_find(Query(limit=10_000))
    store.thd_close()
    return found


class CopyCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.source, self.target = str(self.folder / "from.db"), str(self.folder / "to.db")
        # Short pages, so that few rows are many.
        self.patch(database, "FEW", 2)
        self.patch(copying, "BATCH", 2)
        self.patch(copying, "WAIT", 0.05)
        self.patch(dialects, "PRAGMAS", ("busy_timeout = 50", *dialects.PRAGMAS[1:]))

    def url(self, file: str) -> str:
        return f"sqlite:///{file}"

    def run_copy(self, *args: str) -> Result:
        return CliRunner().invoke(cli.main, ["store", "copy", *(args or (self.source, self.target))])

    def copied(self, *args: str) -> Result:
        done = self.run_copy(*args)
        self.assertEqual((done.exit_code, done.exception), (0, None), done.output)
        return done

    def refused(self, *args: str) -> str:
        done = self.run_copy(*args)
        self.assertEqual((done.exit_code, done.stdout), (1, ""))
        return done.stderr

    def query(self, file: str, statement: str) -> None:
        with sqlite3.connect(file) as connection:
            connection.execute(statement)
        connection.close()


class SqliteTests(CopyCase):
    def setUp(self) -> None:
        super().setUp()
        filled(self.url(self.source), range(10))

    def test_all_tables_are_copied_and_the_counts_are_told(self) -> None:
        done = self.copied()
        self.assertEqual(held(self.url(self.target)), held(self.url(self.source)))
        told = f"10 records, 10 copied, 0 there already.\n{self.target} has what {self.source} has.\n"
        self.assertEqual(done.stdout, told)
        self.assertEqual(done.stderr, "")

    def test_only_its_owner_reads_the_new_file(self) -> None:
        self.copied()
        self.assertEqual(Path(self.target).stat().st_mode & 0o777, 0o600)

    def test_a_second_run_copies_the_rest(self) -> None:
        filled(self.url(self.target), (0, 3, 4))
        for count in (7, 0):
            facts = json.loads(self.copied(self.source, self.target, "--json").stdout)
            self.assertEqual((facts["records"], facts["copied"]), (10, count))
            self.assertEqual(held(self.url(self.target)), held(self.url(self.source)))

    def test_json_has_the_facts(self) -> None:
        facts = json.loads(self.copied(self.source, self.target, "--json").stdout)
        both = {"from": self.source, "to": self.target, "equal": True, "records": 10, "copied": 10}
        self.assertEqual(facts, {**both, "missing": [], "surplus": [], "different": []})

    def test_a_target_with_other_data_is_refused_and_left_alone(self) -> None:
        filled(self.url(self.target), (3, 77))
        before = held(self.url(self.target))
        said = self.refused()
        self.assertIn(f"{self.target} has other data than {self.source}, and nothing was written (missing, for", said)
        self.assertIn(f"in the latter only, for example: {record(77).id}", said)
        self.assertIn("Copy into a new file or an empty database", said)
        self.assertEqual(held(self.url(self.target)), before)

    def test_a_target_with_the_same_ids_and_other_content_is_refused(self) -> None:
        filled(self.url(self.target), (3,))
        self.query(self.target, "UPDATE seats SET name = 'Eve' WHERE seat = 1")
        self.assertIn(f"different, for example: {record(3).id})", self.refused())

    def test_a_target_of_another_program_is_refused(self) -> None:
        self.query(self.target, "CREATE TABLE orders (id INTEGER)")
        self.assertIn(f"{self.target} has tables that are not gamed's (orders)", self.refused())

    def test_other_schema_versions_are_refused_on_both_sides(self) -> None:
        filled(self.url(self.target), ())
        with closing(sqlite3.connect(self.target)) as connection:
            (newest,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        for file in (self.source, self.target):
            self.query(file, "UPDATE alembic_version SET version_num = '9999'")
            said = self.refused()
            self.assertIn("9999", said)
            self.query(file, f"UPDATE alembic_version SET version_num = '{newest}'")
        self.copied()

    def test_a_source_without_a_schema_is_refused(self) -> None:
        self.query(self.target, "CREATE TABLE orders (id INTEGER)")
        self.assertIn("the database has the schema None", self.refused(self.target, self.source))

    def test_no_source_no_target_and_both_the_same(self) -> None:
        self.assertIn("there is no database nosuch.db", self.refused("nosuch.db", self.target))
        self.assertFalse(Path(self.target).exists())
        self.assertIn("cannot be copied into itself", self.refused(self.source, self.url(self.source)))
        self.assertIn("cannot be created: No such file", self.refused(self.source, "/no/such/to.db"))

    def test_a_daemon_on_the_target_is_told_of(self) -> None:
        daemon = Database(self.url(self.target))
        daemon.thd_open()
        self.addCleanup(daemon.thd_close)
        said = self.refused()
        self.assertIn(f"{self.target} is open in another program, probably a daemon: stop that (`systemctl stop", said)

    def test_a_daemon_cannot_open_the_target_meanwhile(self) -> None:
        with copying.opened(self.url(self.source), self.url(self.target)):
            error = self.assertRaises(StoreError, Database(self.url(self.target)).thd_open)
            self.assertIn("database is locked", str(error))
        self.copied()

    def test_a_daemon_on_the_source_goes_on_and_the_next_run_takes_what_it_stored(self) -> None:
        daemon = Database(self.url(self.source))
        daemon.thd_open()
        self.addCleanup(daemon.thd_close)
        with copying.opened(self.url(self.source), self.url(self.target)) as copy:
            self.assertTrue(copy.is_source_used)
            steps = copy.thd_copy()
            next(steps)
            daemon.thd_keep([(record(n), summary(n)) for n in (11, 12)])
            self.assertGreaterEqual(sum(steps), 8)
        done = self.copied()
        self.assertIn(
            "not be copied. When this has ended, stop the daemon and run the same command again.", done.stderr
        )
        self.assertIn("12 records, ", done.stdout)
        self.assertEqual(held(self.url(self.target)), held(self.url(self.source)))

    def test_what_differs_at_the_end_is_told(self) -> None:
        keep = Database.thd_keep
        self.patch(Database, "thd_keep", lambda store, records: keep(store, records[1:]))
        done = self.run_copy()
        self.assertEqual(done.exit_code, 1)
        self.assertTrue(done.stdout.startswith("10 records, 5 copied, "), done.stdout)
        self.assertIn(f"is not a copy of {self.source} (missing, for example: {record(0).id}, ", done.stdout)


class UrlTests(CopyCase):
    def test_passwords_are_never_shown(self) -> None:
        filled(self.url(self.source), ())
        for url in (
            "postgresql+psycopg://gamed:geheim@/x?host=/nonexistent",
            "postgresql+psycopg://gamed@/x?host=/nonexistent&password=geheim",
            "postgresql+psycopg://gamed:g@geheim@nowhere/x",
            "postgresql+psycopg://gamed:geheim@nowhere:port/x",
            "nosuch://gamed:geheim@nowhere/x",
            "geheim:://x",
        ):
            for both in ((self.source, url), (url, self.target)):
                self.assertNotIn("geheim", self.refused(*both))


class PostgresTests(CopyCase):
    def setUp(self) -> None:
        super().setUp()
        self.server = server()
        self.postgres = self.server.database("")

    def test_there_and_back(self) -> None:
        filled(self.url(self.source), range(10))
        self.copied(self.source, self.postgres)
        self.assertEqual(held(self.postgres), held(self.url(self.source)))
        there = json.loads(self.copied(self.postgres, self.target, "--json").stdout)
        self.assertTrue(there["equal"])
        self.assertEqual(held(self.url(self.target)), held(self.url(self.source)))

    def test_a_daemon_on_either_side(self) -> None:
        filled(self.url(self.source), range(2))
        daemon = Database(self.postgres)
        daemon.thd_open()
        self.addCleanup(daemon.thd_close)
        self.assertIn("is open in another program, probably a daemon", self.refused(self.source, self.postgres))
        self.assertIn("What it stores from now on may not be copied", self.copied(self.postgres, self.target).stderr)

    def test_other_data_and_schemas_are_refused(self) -> None:
        filled(self.url(self.source), range(2))
        filled(self.postgres, (1, 2))
        self.assertIn(f"in the latter only, for example: {record(2).id}", self.refused(self.source, self.postgres))
        self.server.run(str(make_url(self.postgres).database), "UPDATE alembic_version SET version_num = '9999'")
        self.assertIn("9999", self.refused(self.source, self.postgres))
        self.assertIn("9999", self.refused(self.postgres, self.target))
