"""Ended games on their way into a store that refuses them."""

from __future__ import annotations

from twisted.internet.defer import Deferred, fail
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.errors import StoreError
from gamed.lobby.keeper import KEEP_AGAIN, MOST_UNSTORED, Keeper
from gamed.records.record import Record, Summary
from gamed.store.memory import MemoryJournal, MemoryStore
from gamed.tally import Tally
from tests.lobby.doubles import StubbornStore, Turns


class FaultyStore(MemoryStore):
    """Fails with what no store should fail with."""

    def keep(self, record: Record, summary: Summary | None = None) -> Deferred[str]:  # noqa: ARG002 (Store's signature)
        return fail(ZeroDivisionError("a defect"))


class KeeperTests(SynchronousTestCase):
    def keeper(self, store: MemoryStore) -> Keeper:
        self.clock, self.tally = Turns(), Tally()
        store.start()
        journal = MemoryJournal()
        journal.start()
        return Keeper(store, journal, self.clock, self.tally)

    def offered(self, keeper: Keeper, games: int) -> list[str]:
        """Have so many games kept; return the log's lines."""
        with capturedLogs() as logs:
            for number in range(games):
                record = Record(f"{number:08}-0000-4000-8000-000000000000", "gamed-x", "1.0", b"<header/>", b"<body/>")
                keeper.add(record, Summary(record.id, "gamed-x", "1.0", "x", "", "", "victory", None, 0, ()))
            keeper.keep()
        return [formatEvent(log) for log in logs]

    def test_a_store_that_takes_them(self) -> None:
        keeper = self.keeper(MemoryStore())
        self.assertEqual(len(self.offered(keeper, 3)), 3)
        self.assertEqual((keeper.unstored, keeper.reason, self.tally.keep_errors), (0, "", 0))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_one_line_when_it_begins_to_refuse_and_one_when_it_takes_them(self) -> None:
        keeper = self.keeper(StubbornStore(refusals=6))
        lines = self.offered(keeper, 3)
        self.assertEqual([line.partition(":")[0] for line in lines], ["not recorded"])
        self.assertEqual((keeper.unstored, keeper.reason, self.tally.keep_errors), (3, "no connection", 3))
        with capturedLogs() as logs:
            self.clock.turn(KEEP_AGAIN)
        self.assertEqual((logs, self.tally.keep_errors), ([], 6))
        with capturedLogs() as logs:
            self.clock.turn(KEEP_AGAIN)
        told = [formatEvent(log) for log in logs if not formatEvent(log).startswith("recorded: ")]
        self.assertEqual((len(logs), told), (4, ["all games are recorded that were not, after 10 s"]))
        self.assertEqual((keeper.unstored, keeper.reason), (0, ""))

    def test_a_long_outage_is_told_again_and_not_by_each_game_that_ends_in_it(self) -> None:
        keeper = self.keeper(StubbornStore(refusals=10_000))
        lines = self.offered(keeper, 3)
        with capturedLogs() as logs:
            for number in range(120):
                searched = Summary(str(number), "gamed-x", "1.0", "x", "", "", "victory", None, 0, ())
                keeper.add(Record(str(number), "gamed-x", "1.0", b"<header/>", b"<body/>"), searched)
                keeper.keep()
                self.clock.turn(KEEP_AGAIN)
        lines += [formatEvent(log) for log in logs]
        told = [line.partition(": games=")[0] for line in lines[1:]]
        self.assertEqual(told, [f"still not recorded after {seconds} s" for seconds in (300, 600)])

    def test_one_attempt_at_a_time(self) -> None:
        keeper = self.keeper(StubbornStore(refusals=5))
        self.offered(keeper, 5)
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)

    def test_those_that_end_meanwhile_wait_with_the_others(self) -> None:
        store = StubbornStore(refusals=1)
        keeper = self.keeper(store)
        self.offered(keeper, 1)
        self.assertEqual(self.offered(keeper, 2), [])
        self.assertEqual((len(store.asked), keeper.unstored), (1, 3))
        keeper.check()
        self.clock.turn(KEEP_AGAIN)
        self.assertEqual(keeper.unstored, 0)

    def test_it_says_why_there_are_none(self) -> None:
        keeper = self.keeper(StubbornStore(refusals=MOST_UNSTORED))
        self.offered(keeper, MOST_UNSTORED)
        with self.assertRaisesRegex(StoreError, "^no new games: 1000 ended ones wait to be stored: no connection$"):
            keeper.check()
        self.clock.turn(KEEP_AGAIN)
        keeper.check()

    def test_a_defect_has_a_traceback(self) -> None:
        keeper = self.keeper(FaultyStore())
        self.offered(keeper, 1)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(keeper.reason, "a defect")

    def test_who_stops_tries_no_more(self) -> None:
        keeper = self.keeper(StubbornStore(refusals=9))
        self.offered(keeper, 2)
        self.successResultOf(keeper.stop())
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.assertEqual(keeper.unstored, 2)
