"""An inbox: what a batch has, what ends it, and what it costs its peer."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.events import Event, Moved
from gamed.net.inbox import empty_inbox
from gamed.process.fairness import SHARE, STORE
from tests.net.test_floods import Lines
from tests.net.test_session import LINE, SessionTestCase


class InboxTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.open()

    def open(self, rate: float = 0.0) -> None:
        self.inbox = empty_inbox(Lines(), self.clock, rate)
        # Its share fills; a bucket learns the time by a look.
        self.clock.advance(STORE / SHARE)
        for bucket in filter(None, (self.inbox.share, self.inbox.rate)):
            bucket.level(self.clock.seconds())

    @property
    def share(self) -> int:
        return self.inbox.share.level(self.clock.seconds())

    def taken(self, most: int = 100, rated: float = inf, until: float = inf) -> list[bytes]:
        """Return what a batch has."""
        events = self.inbox.batch(most, rated, until)
        return [event.body for event in events if isinstance(event, Moved)]

    def test_a_batch_has_so_many_messages_and_says_that_there_may_be_more(self) -> None:
        self.inbox.put(b"a\nb\nc\n")
        self.assertEqual((self.taken(2), self.inbox.charge()), ([b"a", b"b"], True))
        self.assertEqual((self.taken(2), self.inbox.charge()), ([b"c"], False))
        self.assertEqual(self.share, STORE - 3)

    def test_what_ends_no_message_costs_one(self) -> None:
        self.inbox.put(b"half")
        self.assertEqual((self.taken(), self.inbox.charge(), self.share), ([], False, STORE - 1))

    def test_the_rate_ends_a_batch_and_is_charged(self) -> None:
        self.open(5.0)
        assert self.inbox.rate is not None
        self.inbox.put(b"a\nb\nc\n")
        self.assertEqual((self.taken(rated=2), self.inbox.charge()), ([b"a", b"b"], True))
        self.assertEqual(self.inbox.rate.level(self.clock.seconds()), 3)

    def test_a_moment_ends_a_batch_after_one_message_at_least(self) -> None:
        self.inbox.put(b"a\nb\n")
        self.assertEqual((self.taken(until=self.clock.seconds()), self.inbox.charge()), ([b"a"], True))

    def test_the_last_message_is_known_to_be_the_last(self) -> None:
        self.inbox.put(b"a\nb\n")
        self.assertEqual((self.taken(2), self.inbox.charge()), ([b"a", b"b"], False))
        self.inbox.put(b"c\n")
        self.assertEqual((self.taken(until=self.clock.seconds()), self.inbox.charge()), ([b"c"], False))

    def test_a_message_that_had_no_place_comes_first_or_is_forgotten(self) -> None:
        self.inbox.put(b"a\nb\nc\n")
        self.assertEqual((self.taken(1), self.inbox.charge()), ([b"a"], True))
        self.assertEqual((self.taken(), self.inbox.charge()), ([b"b", b"c"], False))
        self.inbox.put(b"d\ne\n")
        self.assertEqual((self.taken(1), self.inbox.charge()), ([b"d"], True))
        self.inbox.clear()
        self.assertEqual((self.taken(), self.inbox.charge()), ([], False))

    def test_what_is_forgotten_is_not_understood(self) -> None:
        self.inbox.put(b"a\nb\n")
        events = self.inbox.batch(100, inf)
        self.assertEqual(next(events), Moved(b"a"))
        self.inbox.put(b"c\n")
        self.inbox.clear()
        self.assertEqual((list(events), self.inbox.charge()), ([], False))
        self.assertEqual(self.taken(), [b"b"], "the connection has had it already")

    def test_what_was_understood_before_an_error_is_served(self) -> None:
        for error in (RemoteProtocolError("no", code="no"), ZeroDivisionError()):

            def broken(_connection: object, error: Exception = error) -> Iterator[Event]:
                yield Moved(b"a")
                raise error

            self.patch(Lines, "events", broken)
            self.assertEqual((self.taken(), self.inbox.charge(), self.inbox.error), ([b"a"], False, error))

    def test_what_a_peer_said_last_does_not_wait_for_the_rate(self) -> None:
        self.open(5.0)
        self.inbox.end()
        self.assertIsNone(self.inbox.rate)


class FaultTests(SessionTestCase):
    def test_a_dialect_that_breaks_costs_its_peer_the_connection_and_no_room_its_match(self) -> None:
        first, second = self.pair()

        def broken(_connection: object) -> Iterator[Event]:
            yield Moved(LINE)
            raise ZeroDivisionError

        self.patch(type(second.session.connection), "events", broken)
        second.send(b"x\n")
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertTrue(second.transport.disconnected)
        self.assertEqual(first.received(), LINE + b"\r")
        (room,) = self.harness.lobby.rooms.values()
        self.assertIsNone(room.table.outcome)
