"""The clock that stands still while the reactor does."""

from __future__ import annotations

from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.lobby.heartbeat import BEAT, Heartbeat


class HeartbeatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.now = 100.0
        self.heart = Heartbeat(self.clock, lambda: self.now)

    def start(self) -> None:
        self.heart.startService()
        self.clock.advance(0)

    def passes(self, seconds: float) -> None:
        """Let time pass, with beats where they are due."""
        for _ in range(round(seconds / BEAT)):
            self.now += BEAT
            self.clock.advance(BEAT)

    def stalls(self, seconds: float) -> None:
        """Let time pass without a beat."""
        self.now += seconds

    def test_before_the_start_it_is_the_monotonic_clock(self) -> None:
        self.now += 5
        self.assertEqual(self.heart.seconds(), 105.0)

    def test_what_is_done_before_the_reactor_turns_is_no_standstill(self) -> None:
        self.heart.startService()
        self.stalls(3.0)
        self.clock.advance(0)
        self.assertEqual((self.heart.seconds(), self.heart.stalled), (103.0, 0.0))

    def test_while_the_reactor_turns_nothing_is_deducted(self) -> None:
        self.start()
        self.passes(2.0)
        self.assertAlmostEqual(self.heart.seconds(), 102.0)
        self.assertEqual(self.heart.stalled, 0.0)

    def test_a_standstill_is_deducted_at_the_first_look(self) -> None:
        self.start()
        self.passes(1.0)
        self.stalls(0.3)
        self.assertAlmostEqual(self.heart.seconds(), 101.0 + BEAT)
        self.assertAlmostEqual(self.heart.stalled, 0.3 - BEAT)

    def test_it_is_deducted_once(self) -> None:
        self.start()
        self.stalls(0.3)
        before = self.heart.seconds()
        self.assertEqual(self.heart.seconds(), before)
        self.clock.advance(BEAT)
        self.passes(1.0)
        self.assertAlmostEqual(self.heart.seconds(), before + 1.0)
        self.assertAlmostEqual(self.heart.stalled, 0.3 - BEAT)

    def test_a_little_lateness_is_no_standstill(self) -> None:
        self.start()
        self.stalls(BEAT + 0.004)
        self.clock.advance(BEAT)
        self.assertEqual(self.heart.stalled, 0.0)

    def test_the_clock_never_goes_back(self) -> None:
        self.start()
        told = [self.heart.seconds()]
        for seconds in (0.01, 0.03, 0.5, 0.019, 0.021, 3.0):
            self.stalls(seconds)
            told.append(self.heart.seconds())
        self.assertEqual(told, sorted(told))

    def test_nor_when_lateness_turns_out_to_be_a_standstill(self) -> None:
        self.start()
        told = []
        for seconds in (BEAT + 0.0049, 0.0002, 0.0002, BEAT + 0.004, 0.3, 0.001):
            self.stalls(seconds)
            told.append(self.heart.seconds())
        self.assertEqual(told, sorted(told))

    def test_long_ones_are_logged_and_all_are_told(self) -> None:
        heard: list[float] = []
        self.heart.heard.append(heard.append)
        self.start()
        with capturedLogs() as logs:
            self.stalls(0.1)
            self.heart.seconds()
            self.stalls(1.0)
            self.heart.seconds()
        self.assertEqual(len(heard), 2)
        (line,) = [log for log in logs if log["log_format"].startswith("stalled:")]
        self.assertAlmostEqual(line["seconds"], 1.0 - BEAT)

    def test_stopping_ends_the_beats(self) -> None:
        self.start()
        self.heart.stopService()
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.now += 5
        self.assertEqual(self.heart.seconds(), 105.0)
