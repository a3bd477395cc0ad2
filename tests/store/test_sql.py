"""The records in SQL: the database itself, and the thread that works on it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, event, text
from twisted.internet.defer import Deferred
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.records.record import Record, Summary, unplayed
from gamed.store.database import BATCH, Database
from gamed.store.query import Query
from gamed.store.sql import GIVE_UP, PATIENCE, SqlStore
from tests.store.contract import store_tests
from tests.store.examples import record, summary
from tests.store.logs import sentences
from tests.store.pump import SECONDS, Pump


def _url(path: Path) -> str:
    return f"sqlite:///{path.absolute()}"


def _store(path: Path, pump: Pump) -> SqlStore:
    database = Database(_url(path))
    database.thd_open()
    return SqlStore(database, pump)


SqlStoreTests = store_tests(_store)


class DatabaseCase(SynchronousTestCase):
    """An open database in `self.database`."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp())
        self.database = Database(_url(self.path))
        self.database.thd_open()
        self.addCleanup(self.database.thd_close)

    def query(self, statement: str) -> list[tuple[object, ...]]:
        with self.database._engine.begin() as connection:
            return [tuple(row) for row in connection.execute(text(statement))]

    def ids(self) -> list[int]:
        return [int(str(row[0])[:8], 16) for row in self.query("SELECT id FROM games ORDER BY id")]


class OpenTests(DatabaseCase):
    def test_every_connection_is_set_up(self) -> None:
        wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000, "secure_delete": 1}
        with self.database._engine.connect() as first, self.database._engine.connect() as second:
            for connection in (first, second):
                found = {name: connection.execute(text(f"PRAGMA {name}")).scalar() for name in wanted}
                self.assertEqual(found, wanted)

    def test_what_was_kept_is_there_after_opening_again(self) -> None:
        self.database.thd_keep([(record(1), summary(1))])
        self.database.thd_close()
        self.database.thd_open()
        self.assertEqual(self.database.thd_record(record(1).id), record(1))

    def test_a_database_in_memory_serves_all_threads(self) -> None:
        database = Database("sqlite://")
        database.thd_open()
        self.addCleanup(database.thd_close)
        thread = threading.Thread(target=database.thd_keep, args=([(record(1), None)],))
        thread.start()
        thread.join()
        self.assertEqual(database.thd_record(record(1).id), record(1))

    def test_a_newer_schema_is_refused(self) -> None:
        self.query_and_close("UPDATE alembic_version SET version_num = '9999'")
        error = str(self.assertRaises(StoreError, self.database.thd_open))
        self.assertIn("schema 9999", error)
        # The connection that found it is closed.
        self.assertIn("Connections in pool: 0", self.database._engine.pool.status())

    def query_and_close(self, statement: str) -> None:
        with self.database._engine.begin() as connection:
            connection.execute(text(statement))
        self.database.thd_close()

    def test_an_opening_that_fails_leaves_nothing(self) -> None:
        self.query_and_close("DROP TABLE summaries")
        self.query_and_close("DROP TABLE owners")
        self.query_and_close("DROP TABLE evidence")
        self.query_and_close("DROP TABLE games")
        self.query_and_close("DELETE FROM alembic_version")
        # `seats` is there already, so the first revision fails at its last table.
        error = str(self.assertRaises(StoreError, self.database.thd_open))
        self.assertIn("table seats already exists", error)
        engine = create_engine(_url(self.path))
        with engine.connect() as connection:
            names = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars()
            self.assertEqual(set(names), {"seats", "alembic_version"})
        engine.dispose()

    def test_a_url_that_cannot_be_used_is_told(self) -> None:
        for url in ("nonsense", "nodatabase://x", "mysql+pymysql://x"):
            error = str(self.assertRaises(StoreError, Database(url).thd_open))
            self.assertIn("cannot use the database URL", error)

    def test_a_path_that_cannot_be_opened_is_told(self) -> None:
        missing = Path(self.mktemp()) / "gamed.db"
        error = str(self.assertRaises(StoreError, Database(_url(missing)).thd_open))
        self.assertIn(f"the database {_url(missing)}: unable to open database file", error)

    def test_nothing_else_of_the_store_imports_sqlalchemy(self) -> None:
        modules = "gamed.store, gamed.store.query, gamed.store.memory, gamed.store.journal"
        program = f"import sys, {modules}; sys.exit('sqlalchemy' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", program], check=False).returncode, 0)


class KeepTests(DatabaseCase):
    def test_a_batch_is_stored_whole(self) -> None:
        self.database.thd_keep([(record(1), summary(1)), (record(2), None), (record(3), summary(3, ()))])
        self.assertEqual(self.ids(), [1, 2, 3])
        self.assertEqual(
            self.query("SELECT substr(game_id, 8, 1), seat, name, points FROM seats ORDER BY seat"),
            [("1", 0, "Ada", 1.5), ("1", 1, "Grace", None)],
        )

    def test_the_same_twice_in_a_batch_is_stored_once(self) -> None:
        self.database.thd_keep([(record(1), summary(1)), (record(1), summary(1))])
        self.assertEqual(self.ids(), [1])

    def test_it_says_what_is_new(self) -> None:
        self.assertEqual(self.database.thd_keep([(record(1), None)]), {record(1).id})
        again = [(record(n), None) for n in (1, 2, 2, 3)]
        self.assertEqual(self.database.thd_keep(again), {record(2).id, record(3).id})
        self.assertEqual(self.database.thd_keep(again), frozenset())
        self.assertEqual(self.database.thd_keep([]), frozenset())

    def test_two_contents_in_a_batch_are_a_conflict(self) -> None:
        batch = [(record(1), None), (record(1, b"<body>2</body>"), None)]
        self.assertIn("other content", str(self.assertRaises(StoreError, self.database.thd_keep, batch)))
        self.assertEqual(self.ids(), [])

    def test_a_new_record_is_inserted_without_a_look_whether_it_is_there(self) -> None:
        statements: list[str] = []
        event.listen(
            self.database._engine,
            "before_cursor_execute",
            lambda _connection, _cursor, statement, *_: statements.append(statement.split(" (")[0]),
        )
        self.database.thd_keep([(record(1), summary(1))])
        self.assertEqual(statements, ["INSERT INTO games", "INSERT INTO summaries", "INSERT INTO seats"])

    def test_nothing_is_a_batch(self) -> None:
        self.database.thd_keep([])
        self.assertEqual(self.ids(), [])

    def test_a_conflict_stores_nothing_of_its_batch(self) -> None:
        self.database.thd_keep([(record(2), summary(2))])
        batch = [(record(1), summary(1)), (record(2, b"<body>2</body>"), summary(2)), (record(3), summary(3))]
        error = str(self.assertRaises(StoreError, self.database.thd_keep, batch))
        self.assertEqual(error, f"the record {record(2).id} is stored already, with other content")
        self.assertEqual(self.ids(), [2])

    def test_a_failure_late_in_the_transaction_stores_nothing(self) -> None:
        seat = summary(1).seats[0]
        twice = Summary(record(1).id, "p", "1.0", "hive", "2026", "2026", "victory", None, 1, seats=(seat, seat))
        error = str(self.assertRaises(StoreError, self.database.thd_keep, [(record(1), twice)]))
        self.assertIn("UNIQUE constraint failed: seats.game_id, seats.seat", error)
        self.assertEqual(
            self.query("SELECT count(*) FROM games UNION ALL SELECT count(*) FROM summaries"), [(0,), (0,)]
        )

    def test_every_column_counts_for_a_conflict(self) -> None:
        self.database.thd_keep([(record(1), None)])
        own = record(1)
        for other in (
            Record(own.id, "other", own.version, own.header, own.body),
            Record(own.id, own.publisher, "1.1", own.header, own.body),
            Record(own.id, own.publisher, own.version, b"<header>2</header>", own.body),
            Record(own.id, own.publisher, own.version, own.header, b"<body>2</body>"),
        ):
            self.assertRaises(StoreError, self.database.thd_keep, [(other, None)])

    def test_a_record_that_is_no_text_is_refused(self) -> None:
        error = str(self.assertRaises(StoreError, self.database.thd_keep, [(record(1, b"\xff"), None)]))
        self.assertIn(f"the record {record(1).id} is not UTF-8", error)

    def test_what_is_searched_goes_with_its_record(self) -> None:
        self.database.thd_keep([(record(1), summary(1))])
        with self.database._engine.begin() as connection:
            connection.execute(text("DELETE FROM games"))
        self.assertEqual(self.query("SELECT 1 FROM summaries UNION ALL SELECT 1 FROM seats"), [])

    def test_a_record_is_stored_as_its_five_columns(self) -> None:
        self.database.thd_keep([(record(1, "<body>é</body>".encode()), None)])
        row = (record(1).id, "gamed-battleship", "1.0", "<header/>", "<body>é</body>")
        self.assertEqual(self.query("SELECT * FROM games"), [row])


class PropertyTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=40)
    @given(st.lists(st.tuples(st.integers(0, 9), st.text(st.characters(codec="utf-8"), max_size=9)), max_size=12))
    def test_the_first_content_of_an_id_stays_whatever_the_batches(self, numbered: list[tuple[int, str]]) -> None:
        database = Database("sqlite://")
        database.thd_open()
        first: dict[int, Record] = {}
        for number, body in numbered:
            one = record(number, body.encode())
            if first.setdefault(number, one) == one:
                database.thd_keep([(one, summary(number))])
            else:
                self.assertRaises(StoreError, database.thd_keep, [(one, summary(number))])
        for number, one in first.items():
            self.assertEqual(database.thd_record(record(number).id), one)
        self.assertEqual(len(database.thd_find(Query())), len(first))
        database.thd_close()


class Gated(Database):
    """A database whose `thd_keep` waits for the test, and notes the batches."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.batches: list[list[str]] = []
        self.entered = threading.Semaphore(0)
        self.may_go = threading.Semaphore(0)

    def thd_keep(self, records: Sequence[tuple[Record, Summary | None]]) -> None:
        self.batches.append([one.id for one, _ in records])
        self.entered.release()
        assert self.may_go.acquire(timeout=SECONDS)
        super().thd_keep(records)


class ThreadTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.pump = Pump()
        self.database = Gated(_url(Path(self.mktemp())))
        self.database.thd_open()
        self.store = SqlStore(self.database, self.pump)
        self.store.start()
        self.addCleanup(self.stop)

    def stop(self) -> None:
        self.let(1000)
        if not self.store._is_stopped:
            self.pump.result(self.store.stop())

    def let(self, transactions: int = 1) -> None:
        for _ in range(transactions):
            self.database.may_go.release()

    def keep(self, *numbers: int) -> list[Deferred[str]]:
        return [self.store.keep(record(number), summary(number)) for number in numbers]

    def numbers(self) -> list[list[int]]:
        return [[int(id[:8], 16) for id in batch] for batch in self.database.batches]  # noqa: A001

    def test_what_comes_during_a_commit_is_committed_together(self) -> None:
        kept = self.keep(1)
        assert self.database.entered.acquire(timeout=SECONDS)
        kept += self.keep(2, 3, 4)
        self.assertEqual([one.called for one in kept], [False] * 4)
        self.let(2)
        for one in kept:
            self.pump.result(one)
        self.assertEqual(self.numbers(), [[1], [2, 3, 4]])

    def test_a_deferred_fires_only_after_its_own_commit(self) -> None:
        kept = self.keep(1, 2)
        self.let()
        self.pump.result(kept[0])
        self.assertFalse(kept[1].called)
        self.let()
        self.pump.result(kept[1])

    def test_a_batch_has_an_end(self) -> None:
        kept = self.keep(*range(BATCH + 2))
        self.let(3)
        self.pump.result(kept[-1])
        self.assertEqual([len(batch) for batch in self.numbers()], [1, BATCH, 1])

    def test_when_a_batch_is_refused_each_record_is_tried(self) -> None:
        first = self.keep(1)[0]
        self.let(5)
        good, bad = self.keep(2)[0], self.store.keep(record(1, b"<body>2</body>"))
        self.pump.result(first)
        self.assertEqual(self.pump.result(good), record(2).id)
        self.assertRaises(StoreError, self.pump.result, bad)
        self.assertEqual(self.numbers(), [[1], [2, 1], [2], [1]])

    def test_a_database_that_cannot_be_used_is_tried_once_a_batch(self) -> None:
        first = self.keep(1)[0]
        kept = self.keep(2, 3, 4)
        with self.database._transaction() as connection:
            connection.execute(text("ALTER TABLE games RENAME TO lost"))
        self.let(3)
        for one in (first, *kept):
            self.assertIn("no such table", str(self.assertRaises(StoreError, self.pump.result, one)))
        self.assertEqual(self.numbers(), [[1], [2, 3, 4]])
        with self.database._transaction() as connection:
            connection.execute(text("ALTER TABLE lost RENAME TO games"))
        self.assertEqual(self.pump.result(self.keep(2)[0]), record(2).id)

    def test_after_a_refusal_the_store_goes_on(self) -> None:
        self.let(3)
        self.assertRaises(StoreError, self.pump.result, self.store.keep(record(1, b"\xff")))
        self.assertEqual(self.pump.result(self.keep(2)[0]), record(2).id)

    def test_who_keeps_from_a_callback_is_served(self) -> None:
        again: list[Deferred[str]] = []
        self.let(2)
        first = self.keep(1)[0]
        first.addCallback(lambda _: again.extend(self.keep(2)))
        self.pump.result(first)
        self.assertEqual(self.pump.result(again[0]), record(2).id)

    def test_a_stop_waits_for_what_is_under_way_and_what_is_waiting(self) -> None:
        kept = self.keep(1, 2)
        stopped = self.store.stop()
        self.assertFalse(stopped.called)
        self.let(2)
        self.pump.result(stopped)
        self.assertEqual([one.called for one in kept], [True, True])

    def test_after_a_stop_everything_is_refused(self) -> None:
        self.pump.result(self.store.stop())
        for asked in (self.keep(1)[0], self.store.record("abcd"), self.store.find(Query())):
            self.assertIn("stopped", str(self.failureResultOf(asked, StoreError).value))
        self.assertEqual(self.numbers(), [])

    def silenced(self, *numbers: int) -> list[Deferred[str]]:
        """Have a database that does not answer for a first record, and offer it others meanwhile."""
        kept = self.keep(*numbers)
        assert self.database.entered.acquire(timeout=SECONDS)
        self.pump.advance(PATIENCE)
        return kept

    def test_who_waits_too_long_is_refused_and_so_is_who_comes(self) -> None:
        asked = self.store.find(Query())
        self.pump.result(asked)
        self.assertEqual(self.store.silence, "")
        with capturedLogs() as logs:
            kept = self.silenced(1, 2)
            (said,) = sentences(logs)
            kept += self.keep(3)
        self.assertIn("has not answered for 3.0 seconds; all calls fail until it does", said)
        self.assertEqual((self.store.silence, self.store.stats.store_timeouts), (said.partition(";")[0], 1))
        for refused in (*kept, self.store.record("abcd"), self.store.find(Query())):
            self.assertIn("has not answered for 3.0 s", str(self.failureResultOf(refused, StoreError).value))
        # Those that had waited are offered again by who wants them kept.
        self.assertEqual(self.numbers(), [[1]])

    def test_when_it_answers_again_it_is_asked_again_and_nothing_is_there_twice(self) -> None:
        for refused in self.silenced(1, 2):
            self.failureResultOf(refused, StoreError)
        self.let()
        with capturedLogs() as logs:
            while self.store.silence:
                self.pump.turn()
            self.assertIn("answers again", sentences(logs)[0])
        kept = self.keep(1, 2)
        self.let(2)
        self.assertEqual([self.pump.result(one) for one in kept], [record(1).id, record(2).id])
        self.assertEqual(len(self.pump.result(self.store.find(Query()))), 2)
        self.assertEqual(self.pump.getDelayedCalls(), [])

    def test_each_answer_has_its_own_time(self) -> None:
        kept = self.keep(1)
        asked = [self.store.find(Query()) for _ in range(3)]
        self.pump.advance(PATIENCE - 0.1)
        self.let()
        self.pump.result(kept[0])
        self.pump.advance(PATIENCE - 0.1)
        for one in asked:
            self.pump.result(one)
        self.assertEqual((self.store.silence, self.store.stats.store_timeouts), ("", 0))

    def test_after_a_while_the_connection_is_cut(self) -> None:
        cuts: list[float] = []
        self.patch(Database, "cut", lambda _database: cuts.append(self.pump.seconds()))
        self.silenced(1)[0].addErrback(lambda _: None)
        self.pump.advance(GIVE_UP - PATIENCE - 0.1)
        self.assertEqual(cuts, [])
        self.pump.advance(0.1)
        self.assertEqual(cuts, [GIVE_UP])

    def test_a_stop_leaves_a_database_that_does_not_answer(self) -> None:
        self.silenced(1)[0].addErrback(lambda _: None)
        stopped = self.store.stop()
        with capturedLogs() as logs:
            stopped.cancel()
        self.assertIn("has not answered for 3.0 seconds; it is not closed", sentences(logs)[0])
        self.successResultOf(stopped)
        self.assertEqual(self.pump.getDelayedCalls(), [])
        self.failureResultOf(self.keep(2)[0], StoreError)
        self.let()
        self.store._pool.stop()
        self.database.thd_close()

    def test_a_long_query_can_be_cut(self) -> None:
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        database = Database("sqlite://")
        database.thd_open()

        def asked() -> None:
            with database._transaction() as connection:
                connection.execute(text(endless))

        threading.Timer(0.02, database.cut).start()
        self.assertIn("interrupted", str(self.assertRaises(StoreError, asked)))
        database.thd_close()

    def test_the_thread_does_not_keep_the_process(self) -> None:
        self.pump.result(self.store.find(Query()))
        (thread,) = self.store._pool.threads
        self.assertTrue(thread.daemon)


class AllTests(DatabaseCase):
    def keep(self, count: int) -> None:
        self.database.thd_keep([(record(number), summary(number)) for number in range(count)])

    def test_all_records_come_in_order(self) -> None:
        for count in (0, 1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH + 1):
            self.keep(count)
            self.assertEqual(list(self.database.thd_records()), [record(number) for number in range(count)])

    def test_between_batches_others_may_write(self) -> None:
        self.keep(BATCH + 1)
        records = self.database.thd_records()
        next(records)
        self.database.thd_replace_summaries([(record(0), None)])
        self.keep(BATCH + 3)
        self.assertEqual(sum(1 for _ in records), BATCH + 2)

    def test_summaries_are_replaced(self) -> None:
        self.keep(3)
        renamed = summary(1, ("Barbara",))
        self.database.thd_replace_summaries([(record(1), renamed), (record(2), None)])
        found = self.database.thd_find(Query())
        self.assertEqual(found, [summary(0), renamed, unplayed(record(2))])
        self.assertEqual(self.query("SELECT count(*) FROM seats"), [(3,)])
        self.assertEqual(self.ids(), [0, 1, 2])

    def test_replacing_is_one_transaction(self) -> None:
        self.keep(2)
        one = summary(1)
        lost = [(record(0), None), (record(1), attrs.evolve(one, seats=one.seats[:1] * 2))]
        self.assertRaises(StoreError, self.database.thd_replace_summaries, lost)
        self.assertEqual(self.database.thd_find(Query()), [summary(0), summary(1)])


class ChangeTests(DatabaseCase):
    """Records that are deleted, and records that take the place of others."""

    def setUp(self) -> None:
        super().setUp()
        self.database.thd_keep([(record(number), summary(number)) for number in range(4)])

    def counts(self) -> list[int]:
        tables = ("games", "summaries", "seats")
        return [int(str(self.query(f"SELECT count(*) FROM {table}")[0][0])) for table in tables]

    def test_what_is_searched_of_a_record_is_deleted_with_it(self) -> None:
        ids = [record(1).id, record(2).id, record(9).id]
        self.assertEqual(self.database.thd_delete(ids), frozenset(ids[:2]))
        self.assertEqual(self.counts(), [2, 2, 4])
        self.assertEqual(self.ids(), [0, 3])
        self.assertEqual(self.database.thd_delete(ids), frozenset())

    def test_what_is_deleted_is_not_left_in_the_file(self) -> None:
        secret = b"<body>" + b"Rosalind" * 400 + b"</body>"
        self.database.thd_keep([(record(9, secret), None)])
        self.database.thd_close()
        kept = self.path.read_bytes()
        self.assertIn(b"Rosalind", kept)
        self.database.thd_open()
        self.database.thd_delete([record(9).id])
        self.database.thd_close()
        self.assertNotIn(b"Rosalind", self.path.read_bytes())

    def test_a_record_takes_the_place_of_another(self) -> None:
        same, other = record(1, b"<body>1</body>"), record(7, b"<body>7</body>")
        rewritten = [(record(1), same, summary(1, ("anonymous",))), (record(2), other, summary(7, ("anonymous",)))]
        self.assertEqual(self.database.thd_rewrite(rewritten), {record(1).id, record(2).id})
        self.assertEqual(self.ids(), [0, 1, 3, 7])
        self.assertEqual([self.database.thd_record(one.id) for one in (same, other)], [same, other])
        found = self.database.thd_find(Query(player="anonymous"))
        self.assertEqual([one.id for one in found], [same.id, other.id])
        self.assertEqual(self.counts(), [4, 4, 6])

    def test_two_records_may_become_one(self) -> None:
        new = record(7)
        rewritten = [(record(number), new, summary(7)) for number in (1, 2)]
        self.assertEqual(len(self.database.thd_rewrite(rewritten)), 2)
        self.assertEqual(self.database.thd_rewrite([(record(3), new, summary(7))]), {record(3).id})
        self.assertEqual((self.ids(), self.counts()), ([0, 7], [2, 2, 4]))

    def test_what_was_deleted_or_changed_meanwhile_is_left_alone(self) -> None:
        read, new = record(1, b"<body>old</body>"), record(1, b"<body>new</body>")
        self.assertEqual(
            self.database.thd_rewrite([(read, new, summary(1)), (record(9), record(8), None)]), frozenset()
        )
        self.assertEqual(self.database.thd_record(read.id), record(1))
        self.database.thd_replace_summaries([(read, summary(1, ("Ada",))), (record(9), summary(9))])
        self.assertEqual(self.database.thd_find(Query(player="Grace", limit=9))[1], summary(1))
        self.assertEqual(self.ids(), [0, 1, 2, 3])

    def test_what_fails_late_has_changed_nothing(self) -> None:
        """As a kill does: SQLite takes back what was not committed."""
        one = summary(2)
        broken = attrs.evolve(one, seats=one.seats[:1] * 2)
        rewritten = [(record(1), record(7), summary(7)), (record(2), record(2, b"<body>2</body>"), broken)]
        self.assertRaises(StoreError, self.database.thd_rewrite, rewritten)
        self.assertEqual((self.ids(), self.counts()), ([0, 1, 2, 3], [4, 4, 8]))
        self.assertEqual(self.database.thd_record(record(2).id), record(2))
