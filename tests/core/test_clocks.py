"""Time limits as values."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.clocks import IdleClock, MoveClock, Overstepped


class IdleClockTests(SynchronousTestCase):
    def test_it_is_due_by_the_phase(self) -> None:
        clock = IdleClock(60.0, 5.0, last_message_at=100.0)
        self.assertEqual(clock.due, 160.0)
        clock.started = True
        self.assertEqual(clock.due, 105.0)


class MoveClockTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = MoveClock(2.0, 10.0)

    def test_nothing_is_due_before_a_request(self) -> None:
        self.assertIsNone(self.clock.due)
        self.assertIsNone(self.clock.silent(1e9))

    def test_exactly_the_soft_limit_is_in_time(self) -> None:
        self.clock.ask(100.0)
        self.assertIsNone(self.clock.answered(102.0))
        self.assertEqual(self.clock.answered(102.001), Overstepped.SOFT)

    def test_nobody_waits_longer_than_the_hard_limit(self) -> None:
        self.clock.ask(100.0)
        self.assertEqual(self.clock.due, 110.0)
        self.assertIsNone(self.clock.silent(109.999))
        self.assertEqual(self.clock.silent(110.0), Overstepped.HARD)

    def test_an_answer_stops_it(self) -> None:
        self.clock.ask(100.0)
        self.clock.stop()
        self.assertIsNone(self.clock.due)
        self.assertIsNone(self.clock.silent(200.0))

    def test_a_new_request_begins_anew(self) -> None:
        self.clock.ask(100.0)
        self.clock.ask(105.0)
        self.assertEqual(self.clock.due, 115.0)

    def test_the_evidence_is_in_milliseconds(self) -> None:
        self.clock.ask(100.0)
        expected = {"taken": 2100, "gap": 300, "soft": 2000, "hard": 10000}
        self.assertEqual(self.clock.evidence(102.1, 101.8), expected)

    def test_what_had_arrived_before_the_request_left_took_no_time(self) -> None:
        self.clock.ask(100.0)
        self.assertIsNone(self.clock.answered(99.0))
        evidence = self.clock.evidence(100.5, 99.0)
        self.assertEqual((evidence["taken"], evidence["gap"]), (500, 500))
