"""`[store] keep_days`: games that ended too long ago are deleted, some at a time, and the audit log says which."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from attrs import define, field
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock
from twisted.logger import LogEvent, capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.lobby.expiry import EVERY, FIRST, PAUSE, PORTION, Expiry
from gamed.process import audit
from gamed.store.memory import MemoryStore
from tests.store.logs import sentences

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@define
class OldStore(MemoryStore):
    """Has so many old games; notes what it is asked."""

    old: int = 0
    asked: list[tuple[str, int]] = field(factory=list)
    is_away: bool = False

    def expire(self, before: str, most: int) -> Deferred[frozenset[str]]:
        self.asked.append((before, most))
        if self.is_away:
            return fail(StoreError("the database is away"))
        count = min(self.old, most)
        self.old -= count
        return succeed(frozenset(f"game-{number}" for number in range(count)))


def told(events: list[LogEvent]) -> list[str]:
    """Return what the audit log gets."""
    return [formatEvent(event) for event in events if event["log_namespace"] == audit.NAMESPACE]


class ExpiryTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.store = Clock(), OldStore()

    def started(self, days: int = 30) -> Expiry:
        expiry = Expiry(self.store, self.clock, days, lambda: NOON + timedelta(seconds=self.clock.seconds()))
        expiry.start()
        return expiry

    def test_by_default_games_are_kept_for_ever(self) -> None:
        self.started(0)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_it_looks_soon_and_then_every_hour(self) -> None:
        self.started()
        self.clock.advance(FIRST - 1)
        self.assertEqual(self.store.asked, [])
        self.clock.advance(1)
        self.assertEqual(self.store.asked, [("2026-10-22T12:01:00.000Z", PORTION)])
        with capturedLogs() as events:
            self.clock.advance(EVERY)
        self.assertEqual([before for before, _ in self.store.asked[1:]], ["2026-10-22T13:01:00.000Z"])
        self.assertEqual(events, [])

    def test_many_go_in_portions_and_all_their_ids_are_noted(self) -> None:
        self.store.old = 2 * PORTION + 3
        self.started()
        with capturedLogs() as events:
            self.clock.advance(FIRST)
            self.assertEqual((self.store.old, len(told(events))), (PORTION + 3, 1))
            self.clock.pump([PAUSE, PAUSE])
        self.assertEqual((self.store.old, len(self.store.asked)), (0, 3))
        *_, last = told(events)
        self.assertTrue(
            last.endswith("did=records delete, ended more than 30 days ago result=game-0, game-1, game-2"), last
        )
        self.assertEqual([line.count("game-") for line in told(events)], [PORTION, PORTION, 3])
        self.clock.advance(EVERY)
        self.assertEqual(len(self.store.asked), 4)

    def test_a_store_that_refuses_is_asked_again_later(self) -> None:
        self.store.old, self.store.is_away = 1, True
        self.started()
        with capturedLogs() as events:
            self.clock.advance(FIRST)
        self.assertIn("the database is away", sentences(events)[0])
        self.store.is_away = False
        self.clock.advance(EVERY)
        self.assertEqual(self.store.old, 0)

    def test_it_stops(self) -> None:
        self.store.old = 3 * PORTION
        expiry = self.started()
        self.clock.advance(FIRST)
        expiry.stop()
        self.clock.advance(2 * EVERY)
        self.assertEqual((self.clock.getDelayedCalls(), len(self.store.asked)), ([], 1))

    def test_an_answer_after_the_stop_begins_nothing(self) -> None:
        answer: Deferred[frozenset[str]] = Deferred()
        self.patch(OldStore, "expire", lambda _store, _before, _most: answer)
        expiry = self.started()
        self.clock.advance(FIRST)
        expiry.stop()
        with capturedLogs() as events:
            answer.callback(frozenset(["game-1"]))
        self.assertIn("result=game-1", told(events)[0])
        self.assertEqual(self.clock.getDelayedCalls(), [])
