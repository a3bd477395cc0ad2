"""The store in PostgreSQL, in a cluster of its own: the contract, writers side by side, and a server that goes away."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import SkipTest
from unittest.mock import patch

import attrs
from alembic.autogenerate import compare_metadata
from alembic.command import downgrade
from alembic.config import Config
from alembic.migration import MigrationContext
from click.testing import CliRunner, Result
from sqlalchemy import inspect, make_url, text
from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

import gamed.store.migrations
from gamed import cli
from gamed.core.errors import StoreConflict, StoreError
from gamed.core.stats import Stats
from gamed.doctor.examination import check_database
from gamed.lobby.record_writer import KEEP_AGAIN, RecordWriter
from gamed.records.own import summary as summary_of
from gamed.records.record import document
from gamed.store.changes import rewrite
from gamed.store.database import BATCH, Database
from gamed.store.dialects import CONNECTING, begin_alone
from gamed.store.memory import MemoryJournal
from gamed.store.query import Query
from gamed.store.reading import readable
from gamed.store.sql import SqlStore
from gamed.store.tables import metadata
from tests.daemon import running
from tests.proofs.beside import Match
from tests.records import samples
from tests.records.documents import GOFANS
from tests.store.contract import store_tests
from tests.store.examples import history, record, summary
from tests.store.logs import sentences
from tests.store.postgres import Cluster, cluster, missing
from tests.store.pump import SECONDS, Pump

BACKENDS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
NO_SERVER = "failed: No such file or directory Is the server running locally and accepting connections on that socket?"


def server() -> Cluster:
    """Return the cluster; skip the test where there can be none, but not in CI."""
    reason = missing()
    if reason and "CI" not in os.environ:
        raise SkipTest(reason)
    return cluster()


def _store(_path: Path, pump: Pump) -> SqlStore:
    database = Database(server().database())
    database.thd_open()
    return SqlStore(database, pump)


PostgresStoreTests = store_tests(_store)


class PostgresCase(SynchronousTestCase):
    """An open database in `self.database`."""

    def setUp(self) -> None:
        self.server = server()
        self.url = self.server.database()
        self.database = self.opened()

    def opened(self) -> Database:
        database = Database(self.url)
        database.thd_open()
        self.addCleanup(database.thd_close)
        return database

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        return self.server.run(str(make_url(self.url).database), statement)

    def ids(self) -> list[int]:
        return [int(row[0][:8], 16) for row in self.query("SELECT id FROM games ORDER BY id")]

    def beside(self, call: Callable[[], object]) -> Callable[[], object]:
        """Make a call in another thread; return what waits for its result and returns or raises it."""
        results: list[object] = []

        def run() -> None:
            try:
                results.append(call())
            except StoreError as error:
                results.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()

        def result() -> object:
            thread.join(SECONDS)
            (found,) = results
            if isinstance(found, StoreError):
                raise found
            return found

        return result

    def until_waiting(self) -> None:
        """Return when a transaction waits for another one."""
        begun = time.monotonic()
        while self.query(WAITING) == [(0,)]:
            self.assertLess(time.monotonic() - begun, SECONDS)
            time.sleep(0.01)


class MigrationTests(PostgresCase):
    def setUp(self) -> None:
        super().setUp()
        self.connection = self.database._engine.connect()
        self.addCleanup(self.connection.close)

    def test_the_migrations_agree_with_the_tables(self) -> None:
        context = MigrationContext.configure(self.connection, opts={"compare_server_default": True})
        self.assertEqual(compare_metadata(context, metadata), [])
        made = {
            (table.name, column["name"], getattr(column["type"], "collation", None))
            for table in metadata.sorted_tables
            for column in inspect(self.connection).get_columns(table.name)
        }
        ordered = {(table, column) for table, column, collation in made if collation == "C"}
        searched = {("summaries", name) for name in ("game_id", "started", "ended")}
        searched |= {("owners", "game_id"), ("owners", "owner"), ("evidence", "game_id"), ("evidence", "expires")}
        wanted = {("games", "id"), ("seats", "game_id"), *searched}
        self.assertEqual(ordered, wanted)
        meant = {
            (table.name, column.name)
            for table in metadata.sorted_tables
            for column in table.columns
            if getattr(column.type.dialect_impl(self.connection.dialect), "collation", None) == "C"
        }
        self.assertEqual(meant, wanted)

    def test_the_first_revision_can_be_taken_back(self) -> None:
        config = Config(attributes={"connection": self.connection})
        config.set_main_option("script_location", str(Path(gamed.store.migrations.__file__).parent))
        downgrade(config, "base")
        self.assertEqual(set(inspect(self.connection).get_table_names()), {"alembic_version"})


class OpenTests(PostgresCase):
    def test_many_open_a_new_database_at_once(self) -> None:
        self.url = self.server.database("")
        together = threading.Barrier(4)

        def opened() -> None:
            together.wait(SECONDS)
            self.opened()

        for result in [self.beside(opened) for _ in range(4)]:
            result()
        self.assertEqual(self.query("SELECT count(*) FROM alembic_version"), [(1,)])

    def test_a_newer_schema_is_refused(self) -> None:
        self.query("UPDATE alembic_version SET version_num = '9999'")
        self.assertIn("schema 9999", str(self.assertRaises(StoreError, Database(self.url).thd_open)))

    def test_a_role_that_may_only_read_reads(self) -> None:
        self.opened().thd_keep([(record(1), summary(1))])
        name = f"reader_of_{make_url(self.url).database}"
        self.query(f"CREATE ROLE {name} LOGIN")
        self.query(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}")
        self.query(f"ALTER ROLE {name} SET default_transaction_read_only = on")
        with readable(make_url(self.url).set(username=name).render_as_string(hide_password=False)) as url:
            reader = Database(url)
            reader.thd_open()
            self.addCleanup(reader.thd_close)
            self.assertEqual(len(reader.thd_find(Query())), 1)
            self.assertRaises(StoreError, reader.thd_keep, [(record(2), summary(2))])

    def test_a_new_database_gets_the_schema(self) -> None:
        self.url = self.server.database("")
        self.assertEqual(self.opened().thd_keep([(record(1), summary(1))]), {record(1).id})

    def test_an_opening_that_fails_leaves_nothing(self) -> None:
        self.query("DROP TABLE summaries")
        self.query("DROP TABLE games CASCADE")
        self.query("DELETE FROM alembic_version")
        error = str(self.assertRaises(StoreError, Database(self.url).thd_open))
        self.assertIn('relation "seats" already exists', error)
        self.assertNotIn("\n", error)
        self.assertEqual(self.query("SELECT to_regclass('games')"), [(None,)])

    def test_a_database_in_another_encoding_is_refused(self) -> None:
        for encoding in ("SQL_ASCII", "LATIN1"):
            self.url = self.server.database(f"TEMPLATE template0 ENCODING '{encoding}' LOCALE_PROVIDER libc")
            error = str(self.assertRaises(StoreError, self.opened))
            self.assertIn(f"the database has the encoding {encoding}, and records need UTF8", error)

    def test_the_environment_does_not_choose_the_encoding(self) -> None:
        with patch.dict(os.environ, {"PGCLIENTENCODING": "LATIN1"}):
            self.opened().thd_keep([(record(1, "<body>碁</body>".encode()), None)])
        self.assertEqual(self.database.thd_record(record(1).id).body, "<body>碁</body>".encode())

    def test_no_server_is_one_sentence_without_the_password(self) -> None:
        url = "postgresql+psycopg://gamed:geheim@/x?host=/nonexistent"
        error = str(self.assertRaises(StoreError, Database(url).thd_open))
        self.assertTrue(error.startswith("the database postgresql+psycopg://gamed:***@/x?host="), error)
        self.assertTrue(error.endswith(NO_SERVER), error)

    def test_how_to_connect_can_be_said_otherwise(self) -> None:
        self.url += "&connect_timeout=3&application_name=Probe"
        with self.opened()._engine.connect() as connection:
            used = connection.connection.dbapi_connection.info.get_parameters()
            name = connection.execute(text("SHOW application_name")).scalar()
        self.assertEqual(used, {**used, **CONNECTING, "connect_timeout": "3", "application_name": "Probe"})
        self.assertEqual(name, "Probe")

    def test_without_the_driver_it_says_what_to_install(self) -> None:
        with patch.dict(sys.modules, {"psycopg": None}):
            error = str(self.assertRaises(StoreError, Database(self.url).thd_open))
        self.assertIn("cannot use the database URL: ", error)
        self.assertIn("PostgreSQL needs `pip install gamed[postgres]`", error)


class BesideTests(PostgresCase):
    """Daemons and commands that write at the same time."""

    def setUp(self) -> None:
        super().setUp()
        self.other = self.opened()

    def test_who_keeps_what_another_is_keeping_waits_for_it(self) -> None:
        later = [(record(number), summary(number)) for number in (3, 1, 2)]
        with self.other._transaction() as connection:
            self.insert(connection, 2)
            kept = self.beside(lambda: self.database.thd_keep(later))
            self.until_waiting()
            # It holds nothing that comes after what it waits for, so the two cannot wait for each other.
            self.insert(connection, 3)
        self.assertEqual(kept(), {record(1).id})
        self.assertEqual(self.ids(), [1, 2, 3])
        self.assertEqual(self.query("SELECT count(*) FROM summaries"), [(1,)])

    def test_if_the_other_gives_up_it_is_stored(self) -> None:
        connection = self.other._engine.connect()
        self.insert(connection, 2)
        kept = self.beside(lambda: self.database.thd_keep([(record(2), summary(2))]))
        self.until_waiting()
        connection.close()
        self.assertEqual(kept(), {record(2).id})
        self.assertEqual(self.database.thd_find(Query()), [summary(2)])

    def test_other_content_is_a_conflict(self) -> None:
        batch = [(record(1), summary(1)), (record(2, b"<body>2</body>"), summary(2))]
        with self.other._transaction() as connection:
            self.insert(connection, 2)
            kept = self.beside(lambda: self.database.thd_keep(batch))
            self.until_waiting()
        self.assertIn(record(2).id, str(self.assertRaises(StoreConflict, kept)))
        self.assertEqual(self.ids(), [2])

    def insert(self, connection: Any, number: int) -> None:
        one = record(number)
        row = {"id": one.id, "publisher": one.publisher, "version": one.version, "header": "<header/>"}
        statement = text("INSERT INTO games VALUES (:id, :publisher, :version, :header, '<body/>')")
        connection.execute(statement, row)

    def test_each_record_is_new_to_one_of_many(self) -> None:
        together = threading.Barrier(4)
        numbers = range(2 * BATCH)

        def keep(turn: int) -> list[str]:
            database = self.opened()
            records = [(record(n), summary(n)) for n in (numbers if turn % 2 else reversed(numbers))]
            together.wait(SECONDS)
            return [id for at in range(0, len(records), 70) for id in database.thd_keep(records[at : at + 70])]  # noqa: A001

        results = [self.beside(lambda turn=turn: keep(turn)) for turn in range(4)]
        new = [id for result in results for id in result()]  # noqa: A001 (the column's name)
        self.assertEqual(sorted(new), [record(n).id for n in numbers])
        self.assertEqual(self.ids(), list(numbers))
        self.assertEqual(self.query("SELECT count(*) FROM summaries"), [(2 * BATCH,)])

    def test_who_replaces_the_same_waits(self) -> None:
        self.database.thd_keep([(record(n), summary(n)) for n in (1, 2)])
        renamed = [(record(n), summary(n, ("Barbara",))) for n in (1, 2)]
        with self.other._transaction() as connection:
            connection.execute(text("SELECT id FROM games FOR UPDATE"))
            replaced = self.beside(lambda: self.database.thd_replace_summaries(renamed))
            self.until_waiting()
            connection.execute(text("DELETE FROM seats"))
            connection.execute(text("INSERT INTO seats SELECT id, 0, 'Edsger', 0 FROM games"))
        replaced()
        self.assertEqual(self.database.thd_find(Query()), [summary for _, summary in renamed])

    def test_who_deletes_what_another_rewrites_waits_and_deletes_nothing_twice(self) -> None:
        self.database.thd_keep([(record(1), summary(1))])
        new = record(2, b"<body>2</body>")
        with self.other._writing() as connection:
            rewrite(connection, [(record(1), new, summary(2, ("anonymous",)))], {})
            deleted = self.beside(lambda: self.database.thd_delete([record(1).id]))
            self.until_waiting()
        self.assertEqual(deleted(), frozenset())
        self.assertEqual(self.database.thd_find(Query()), [summary(2, ("anonymous",))])

    def test_what_was_searched_before_a_rewriting_does_not_come_back(self) -> None:
        self.database.thd_keep([(record(1), summary(1, ("Ada",)))])
        new = record(1, b"<body>2</body>")
        with self.other._writing() as connection:
            rewrite(connection, [(record(1), new, summary(1, ("anonymous",)))], {})
            replaced = self.beside(lambda: self.database.thd_replace_summaries([(record(1), summary(1, ("Ada",)))]))
            self.until_waiting()
        replaced()
        self.assertEqual(self.database.thd_find(Query()), [summary(1, ("anonymous",))])
        self.assertEqual(self.database.thd_record(new.id), new)

    def test_who_reads_all_is_in_nobodys_way(self) -> None:
        self.database.thd_keep([(record(number), summary(number)) for number in range(BATCH + 1)])
        records = self.database.thd_records()
        next(records)
        self.other.thd_replace_summaries([(record(0), None)])
        self.other.thd_keep([(record(BATCH + 1), None)])
        self.assertEqual([one.id for one in records], [record(n).id for n in range(1, BATCH + 2)])


class LostTests(PostgresCase):
    """Connections that are lost, and a server that is away for a while."""

    def terminate(self, condition: str = "pid != pg_backend_pid()") -> None:
        self.query(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {condition}")

    def test_a_connection_that_was_lost_in_idleness_is_not_missed(self) -> None:
        self.database.thd_keep([(record(1), summary(1))])
        with capturedLogs() as logs:
            self.terminate()
            self.database.thd_keep([(record(2), summary(2))])
            self.terminate()
            self.assertEqual(self.database.thd_record(record(1).id), record(1))
        self.assertEqual((self.ids(), sentences(logs)), ([1, 2], []))

    def test_a_transaction_that_is_lost_is_refused_and_stored_when_it_is_offered_again(self) -> None:
        with self.opened()._transaction() as connection, self.assertNoLogs():
            connection.execute(text("LOCK TABLE summaries"))
            kept = self.beside(lambda: self.database.thd_keep([(record(1), summary(1))]))
            self.until_waiting()
            self.terminate("wait_event_type = 'Lock'")
            error = str(self.assertRaises(StoreError, kept))
        self.assertTrue(error.startswith("the database postgresql+psycopg://"), error)
        self.assertEqual(self.ids(), [])
        self.assertEqual(self.database.thd_keep([(record(1), summary(1))]), {record(1).id})

    def test_a_backend_that_hangs_is_given_up_and_the_next_one_stores_it(self) -> None:
        self.database.thd_keep([(record(1), summary(1))])
        ((backend,),) = self.query(f"{BACKENDS} AND pid != pg_backend_pid() AND state = 'idle'")
        os.kill(backend, signal.SIGSTOP)
        self.addCleanup(os.kill, backend, signal.SIGCONT)
        kept = self.beside(lambda: self.database.thd_keep([(record(2), summary(2))]))
        # Where the thread waits is not to be seen from here; cutting once more does no harm.
        cutting = threading.Thread(target=self.cut_until, args=(kept,), daemon=True)
        cutting.start()
        cutting.join(SECONDS)
        self.assertFalse(cutting.is_alive())
        self.assertEqual(self.database.thd_keep([(record(2), summary(2))]) | {record(2).id}, {record(2).id})
        self.assertEqual(self.ids(), [1, 2])

    def cut_until(self, kept: Callable[[], object]) -> None:
        time.sleep(0.05)
        self.database.cut()
        with contextlib.suppress(StoreError):
            kept()

    def test_a_statement_has_a_time_limit_and_a_migration_has_none(self) -> None:
        with self.database._transaction() as connection:
            self.assertEqual(connection.execute(text("SHOW statement_timeout")).scalar(), "25s")
            begin_alone(connection)
            self.assertEqual(connection.execute(text("SHOW statement_timeout")).scalar(), "0")
        with self.database._transaction() as connection:
            self.assertEqual(connection.execute(text("SHOW statement_timeout")).scalar(), "25s")

    def test_records_wait_in_the_journal_until_the_server_is_back(self) -> None:
        pump, clock, journal, stats = Pump(), Clock(), MemoryJournal(), Stats()
        store = SqlStore(self.database, pump)
        store.start()
        self.addCleanup(lambda: pump.result(store.stop()))
        record_writer = RecordWriter(store, journal, clock, stats)
        self.addCleanup(self.server.start_again)

        def ended(*numbers: int) -> None:
            for number in numbers:
                journal.append([(record(number).id, [history().opened()])])
                record_writer.add(record(number), summary(number))
            record_writer.keep()

        def settle() -> None:
            while record_writer._keeping:
                pump.turn()

        ended(1)
        settle()
        with self.assertNoLogs(), capturedLogs() as logs:
            self.server.stop()
            ended(2)
            settle()
            for _ in range(2):
                clock.advance(KEEP_AGAIN)
                settle()
            ended(3)
            settle()
        (said,) = sentences(logs)
        self.assertTrue(said.startswith(f"not recorded: room={record(2).id}: the database "), said)
        self.assertIn("it stays in the journal and is offered again every 5.0 s", said)
        self.assertEqual((set(journal.rooms), record_writer.unstored), ({record(2).id, record(3).id}, 2))
        self.assertTrue(record_writer.reason.endswith(NO_SERVER), record_writer.reason)
        with self.assertNoLogs(), capturedLogs() as logs:
            self.server.start()
            clock.advance(KEEP_AGAIN)
            settle()
        self.assertEqual(sentences(logs), ["all games are recorded that were not, after 15 s"])
        self.assertEqual((journal.rooms, record_writer.unstored, record_writer.reason), ({}, 0, ""))
        self.assertEqual(self.ids(), [1, 2, 3])


class DoctorTests(PostgresCase):
    """What `gamed doctor` says of a server."""

    def test_one_that_takes_records(self) -> None:
        ((status, said),) = check_database(self.url)
        self.assertEqual(status, "ok", said)
        self.assertEqual(self.query("SELECT 1 FROM pg_class WHERE relname = 'gamed_doctor'"), [])

    def test_one_that_takes_nothing(self) -> None:
        url = make_url(self.url).update_query_dict({"options": "-c default_transaction_read_only=on"})
        ((status, said),) = check_database(url.render_as_string(hide_password=False))
        self.assertEqual(status, "error", said)
        self.assertIn("cannot execute CREATE TABLE AS in a read-only transaction", said)


class CommandTests(PostgresCase):
    """`gamed` commands with a configuration that names the database."""

    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.config = self.folder / "gamed.toml"
        self.config.write_text(f'[store]\nurl = "{self.url}"\n')

    def run_gamed(self, *args: str, status: int = 0) -> Result:
        found = CliRunner().invoke(cli.main, [*args, "--config", str(self.config)], env={"COLUMNS": "120"})
        self.assertEqual(found.exit_code, status, found.output)
        return found

    def test_what_was_recorded_is_listed_shown_and_exported(self) -> None:
        own = samples.record(samples.game())
        self.database.thd_keep([(own, summary_of(own))])
        (listed,) = json.loads(self.run_gamed("records", "list", "--json", "--game", "battleship").stdout)
        public = attrs.asdict(summary_of(own), filter=attrs.filters.exclude("owners"))
        self.assertEqual(listed, json.loads(json.dumps(public)))
        self.assertIn("6f0c1f0e  2026-11-21 09:00  battleship", self.run_gamed("records", "list").stdout)
        self.assertIn("127.0.0.1:4711", self.run_gamed("records", "show", own.id[:4]).stdout)
        self.assertEqual(self.run_gamed("records", "export", own.id).stdout_bytes, document(own))
        self.assertIn("there is no record", self.run_gamed("records", "show", "ffff", status=1).stderr)

    def test_a_name_is_taken_out_and_games_are_deleted(self) -> None:
        own = samples.record(samples.game())
        self.database.thd_keep([(own, summary_of(own)), (record(1), summary(1))])
        self.assertIn("1 anonymised", self.run_gamed("records", "anonymise", "127.0.0.1", "--yes").stdout)
        (found,) = self.database.thd_find(Query(player="anonymous"))
        self.assertEqual((found.id, found.length), (own.id, 4))
        self.assertEqual(self.database.thd_find(Query(player="127.0.0.1:4711")), [])
        self.run_gamed("records", "delete", own.id, "--yes")
        self.assertEqual(self.ids(), [1])
        for table in ("summaries", "seats"):
            self.assertEqual(self.query(f"SELECT count(*) FROM {table} WHERE game_id = '{own.id}'"), [(0,)])

    def test_what_is_imported_is_there_once(self) -> None:
        file = self.folder / "game.xml"
        file.write_bytes(GOFANS)
        self.assertIn("1 document: 1 imported", self.run_gamed("import", str(file)).stdout)
        self.assertIn("1 document: 1 duplicate", self.run_gamed("import", str(file)).stdout)
        (listed,) = json.loads(self.run_gamed("records", "list", "--json").stdout)
        self.assertEqual(self.query("SELECT id FROM games"), [(listed["id"],)])
        self.query("DELETE FROM summaries")
        self.query("DELETE FROM seats")
        self.assertIn("No game is recorded yet", self.run_gamed("records", "list").stdout)
        self.assertIn("1 record: 1 by game and player", self.run_gamed("records", "reindex").stdout)
        self.assertEqual(json.loads(self.run_gamed("records", "list", "--json").stdout), [listed])

    def test_no_server_is_one_line(self) -> None:
        self.config.write_text('[store]\nurl = "postgresql+psycopg://gamed@/x?host=/nonexistent"\n')
        for command in (("records", "list"), ("records", "show", "abcd"), ("import", str(self.config))):
            said = self.run_gamed(*command, status=1)
            self.assertEqual((said.stdout, said.stderr.count("\n")), ("", 1))
            self.assertTrue(said.stderr.startswith("gamed: the database postgresql+psycopg://"), said.stderr)


class DaemonTests(PostgresCase):
    def test_a_daemon_keeps_its_games_there_whatever_becomes_of_the_server(self) -> None:
        directory = Path(self.mktemp())
        self.addCleanup(self.server.start_again)
        with running(directory, store=f'url = "{self.url}"\n') as daemon:
            self.play(daemon.port, 1)
            daemon.settled(1)
            self.assertEqual(len(self.ids()), 1)
            self.server.stop()
            self.play(daemon.port, 2)
            begun = time.monotonic()
            while "not recorded: " not in daemon.text():
                self.assertLess(time.monotonic() - begun, SECONDS)
                time.sleep(0.02)
            self.server.start()
            daemon.settled(2)
            listed = daemon.records()
            shown = daemon.gamed("records", "show", str(listed[0]["id"]))
            # It ends without a word even if the server is away again.
            self.server.stop()
        self.assertEqual([one["termination"] for one in listed], ["victory"] * 2)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        unexpected = [line for line in daemon.unexpected() if "#error] not recorded: " not in line]
        self.assertEqual(unexpected, [])
        self.assertEqual(daemon.text().count("not recorded: "), 1)
        self.assertFalse((directory / "gamed.db").exists())

    def play(self, port: int, seed: int) -> None:
        match = Match.begin(port, seed)
        match.play()
        match.close()
