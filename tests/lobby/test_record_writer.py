"""Ended games on their way into a store that refuses them."""

from __future__ import annotations

from twisted.internet.defer import Deferred, fail
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.core.stats import Stats
from gamed.lobby.record_writer import KEEP_AGAIN, MOST_UNSTORED, RecordWriter
from gamed.records.record import Record, Summary
from gamed.store.memory import MemoryJournal, MemoryStore
from tests.lobby.doubles import StubbornStore, Turns


class FaultyStore(MemoryStore):
    """Fails with what no store should fail with."""

    def keep(self, record: Record, summary: Summary | None = None) -> Deferred[str]:  # noqa: ARG002 (Store's signature)
        return fail(ZeroDivisionError("a defect"))


class KeeperTests(SynchronousTestCase):
    def record_writer(self, store: MemoryStore) -> RecordWriter:
        self.clock, self.stats = Turns(), Stats()
        store.start()
        journal = MemoryJournal()
        journal.start()
        return RecordWriter(store, journal, self.clock, self.stats)

    def offered(self, record_writer: RecordWriter, games: int) -> list[str]:
        """Have so many games kept; return the log's lines."""
        with capturedLogs() as logs:
            for number in range(games):
                record = Record(f"{number:08}-0000-4000-8000-000000000000", "gamed-x", "1.0", b"<header/>", b"<body/>")
                record_writer.add(record, Summary(record.id, "gamed-x", "1.0", "x", "", "", "victory", None, 0, ()))
            record_writer.keep()
        return [formatEvent(log) for log in logs]

    def test_a_store_that_takes_them(self) -> None:
        record_writer = self.record_writer(MemoryStore())
        self.assertEqual(len(self.offered(record_writer, 3)), 3)
        self.assertEqual((record_writer.unstored, record_writer.reason, self.stats.keep_errors), (0, "", 0))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_one_line_when_it_begins_to_refuse_and_one_when_it_takes_them(self) -> None:
        record_writer = self.record_writer(StubbornStore(refusals=6))
        lines = self.offered(record_writer, 3)
        self.assertEqual([line.partition(":")[0] for line in lines], ["not recorded"])
        self.assertEqual(
            (record_writer.unstored, record_writer.reason, self.stats.keep_errors), (3, "no connection", 3)
        )
        with capturedLogs() as logs:
            self.clock.turn(KEEP_AGAIN)
        self.assertEqual((logs, self.stats.keep_errors), ([], 6))
        with capturedLogs() as logs:
            self.clock.turn(KEEP_AGAIN)
        told = [formatEvent(log) for log in logs if not formatEvent(log).startswith("recorded: ")]
        self.assertEqual((len(logs), told), (4, ["all games are recorded that were not, after 10 s"]))
        self.assertEqual((record_writer.unstored, record_writer.reason), (0, ""))

    def test_a_long_outage_is_told_again_and_not_by_each_game_that_ends_in_it(self) -> None:
        record_writer = self.record_writer(StubbornStore(refusals=10_000))
        lines = self.offered(record_writer, 3)
        with capturedLogs() as logs:
            for number in range(120):
                searched = Summary(str(number), "gamed-x", "1.0", "x", "", "", "victory", None, 0, ())
                record_writer.add(Record(str(number), "gamed-x", "1.0", b"<header/>", b"<body/>"), searched)
                record_writer.keep()
                self.clock.turn(KEEP_AGAIN)
        lines += [formatEvent(log) for log in logs]
        told = [line.partition(": games=")[0] for line in lines[1:]]
        self.assertEqual(told, [f"still not recorded after {seconds} s" for seconds in (300, 600)])

    def test_one_attempt_at_a_time(self) -> None:
        record_writer = self.record_writer(StubbornStore(refusals=5))
        self.offered(record_writer, 5)
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)

    def test_those_that_end_meanwhile_wait_with_the_others(self) -> None:
        store = StubbornStore(refusals=1)
        record_writer = self.record_writer(store)
        self.offered(record_writer, 1)
        self.assertEqual(self.offered(record_writer, 2), [])
        self.assertEqual((len(store.asked), record_writer.unstored), (1, 3))
        record_writer.check()
        self.clock.turn(KEEP_AGAIN)
        self.assertEqual(record_writer.unstored, 0)

    def test_it_says_why_there_are_none(self) -> None:
        record_writer = self.record_writer(StubbornStore(refusals=MOST_UNSTORED))
        self.offered(record_writer, MOST_UNSTORED)
        with self.assertRaisesRegex(StoreError, "^no new games: 1000 ended ones wait to be stored: no connection$"):
            record_writer.check()
        self.clock.turn(KEEP_AGAIN)
        record_writer.check()

    def test_a_defect_has_a_traceback(self) -> None:
        record_writer = self.record_writer(FaultyStore())
        self.offered(record_writer, 1)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(record_writer.reason, "a defect")

    def test_a_stop_that_takes_too_long_is_no_defect(self) -> None:
        record_writer = self.record_writer(StubbornStore(waits=True))
        self.offered(record_writer, 1)
        stopped = record_writer.stop()
        with capturedLogs() as logs:
            stopped.cancel()
        (said,) = map(formatEvent, logs)
        self.assertTrue(
            said.endswith("the store did not answer; it stays in the journal and is offered again at the next start"),
            said,
        )
        self.assertEqual((self.flushLoggedErrors(), record_writer.unstored), ([], 1))

    def test_who_stops_tries_no_more(self) -> None:
        record_writer = self.record_writer(StubbornStore(refusals=9))
        self.offered(record_writer, 2)
        self.successResultOf(record_writer.stop())
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.assertEqual(record_writer.unstored, 2)
