"""The clock of all rooms, and the passes of the reactor by it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.net.stall_clock import BEAT, StallClock, has_passes
from gamed.net.turn_reactor import TurnReactor


class HeartbeatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.now = 100.0
        self.heart = StallClock(self.clock, lambda: self.now)
        self.gaps: list[float] = []
        self.heart.on_gap.append(self.gaps.append)

    def passes(self, *seconds: float) -> None:
        """Let passes begin, so many seconds after each other."""
        for length in seconds:
            self.now += length
            self.heart.note_pass()

    def test_it_is_the_monotonic_clock_however_late_a_beat_is(self) -> None:
        self.heart.startService()
        self.clock.advance(0)
        for seconds in (5.0, BEAT, 0.3):
            self.now += seconds
            self.clock.advance(seconds)
            self.assertEqual(self.heart.seconds(), self.now)
        self.heart.stopService()

    def test_the_last_two_passes_are_known(self) -> None:
        self.assertEqual((self.heart.began, self.heart.before, self.heart.number), (100.0, 100.0, 0))
        self.passes(1.0, 2.0, 4.0)
        self.assertEqual((self.heart.began, self.heart.before, self.heart.number), (107.0, 103.0, 3))

    def test_long_passes_are_logged_and_all_are_counted(self) -> None:
        with capturedLogs() as logs:
            self.passes(3.0, BEAT, BEAT + 0.004, BEAT + 0.1, BEAT + 1.0)
        self.assertEqual([round(gap, 6) for gap in self.gaps], [0.1, 1.0])
        (line,) = [log for log in logs if log["log_format"].startswith("stalled:")]
        self.assertAlmostEqual(line["seconds"], 1.0)

    def test_a_hold_stops_it(self) -> None:
        self.passes(1.0)
        self.heart.hold(True)
        self.now += 50.0
        self.assertEqual((self.heart.seconds(), self.heart.held()), (101.0, 50.0))
        self.passes(10.0)
        self.heart.hold(False)
        self.assertEqual((self.heart.seconds(), self.heart.held()), (101.0, 60.0))
        self.passes(BEAT)
        self.assertAlmostEqual(self.heart.seconds(), 101.0 + BEAT)
        self.assertEqual(self.gaps, [])

    def test_to_end_a_hold_that_was_not_begun_does_nothing(self) -> None:
        self.heart.hold(False)
        self.assertEqual((self.heart.seconds(), self.heart.held()), (100.0, 0.0))

    def test_each_beat_makes_its_calls_until_it_stops(self) -> None:
        on_beat: list[float] = []
        self.heart.on_beat.append(lambda: on_beat.append(self.clock.seconds()))
        self.heart.startService()
        self.clock.pump([0, BEAT, BEAT])
        self.assertEqual(len(on_beat), 3)
        self.heart.stopService()
        self.assertEqual(self.clock.getDelayedCalls(), [])


@define
class Poller:
    """Notes how long a poll may sleep, and reads then."""

    did: list[object] = field(factory=list)
    reads: list[Callable[[], None]] = field(factory=list)

    def poll(self, delay: float, _most: int) -> Sequence[tuple[int, int]]:
        self.did.append(delay)
        for read in self.reads:
            read()
        return ()


class AfterReadsTests(SynchronousTestCase):
    """What is to be done once a pass has read, by a reactor that tells its passes and by another one."""

    def setUp(self) -> None:
        self.reactor = TurnReactor()
        self.poller: Any = Poller()
        real, self.reactor._poller = self.reactor._poller, self.poller
        self.addCleanup(real.close)
        self.heart = StallClock(self.reactor, self.reactor.seconds)
        self.heart.startService()
        self.addCleanup(self.heart.stopService)

    def say(self, what: object) -> Callable[[], None]:
        return lambda: self.poller.did.append(what)

    def test_what_a_read_asks_for_is_called_in_the_same_pass_without_a_timer(self) -> None:
        timers = len(self.reactor.getDelayedCalls())
        self.poller.reads = [lambda: self.heart.after_reads(self.say("sent")), self.say("read")]
        self.reactor.doIteration(0.5)
        self.assertEqual(self.poller.did, [0.5, "read", "sent"])
        self.assertEqual(len(self.reactor.getDelayedCalls()), timers)

    def test_what_a_timer_asks_for_is_called_before_a_poll_that_does_not_sleep(self) -> None:
        self.heart.after_reads(self.say("sent"))
        self.reactor.doIteration(0.5)
        self.reactor.doIteration(0.5)
        self.assertEqual(self.poller.did, ["sent", 0, 0.5])

    def test_what_a_call_asks_for_is_called_in_the_next_pass(self) -> None:
        self.poller.reads = [lambda: self.heart.after_reads(lambda: self.heart.after_reads(self.say("later")))]
        self.reactor.doIteration(0.5)
        self.poller.reads = []
        self.reactor.doIteration(0.5)
        self.assertEqual(self.poller.did, [0.5, "later", 0])

    def test_a_fault_in_one_does_not_keep_the_others(self) -> None:
        self.heart.after_reads(lambda: 1 / 0)
        self.heart.after_reads(self.say("sent"))
        self.reactor.doIteration(0.5)
        self.assertEqual(self.poller.did, ["sent", 0])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_passes_are_noted_until_it_stops(self) -> None:
        self.reactor.doIteration(0.5)
        self.heart.stopService()
        self.reactor.doIteration(0.5)
        self.assertEqual(self.heart.number, 1)

    def test_without_passes_it_is_a_timer(self) -> None:
        clock = Clock()
        heart = StallClock(clock, clock.seconds)
        heart.after_reads(self.say("sent"))
        self.assertEqual(self.poller.did, [])
        clock.advance(0)
        self.assertEqual(self.poller.did, ["sent"])


class ReactorTests(SynchronousTestCase):
    def test_another_reactor_keeps_the_beat_and_the_log_says_what_it_lacks(self) -> None:
        reactor = MemoryReactorClock()
        heart = StallClock(reactor, reactor.seconds)
        before = {name: value for name, value in vars(reactor).items() if callable(value)}
        with capturedLogs() as logs:
            heart.startService()
        self.addCleanup(heart.stopService)
        self.assertIn("another reactor: its timers follow Twisted's clock", logs[0]["log_format"])
        self.assertEqual({name: value for name, value in vars(reactor).items() if callable(value)}, before)
        reactor.pump([0, BEAT, BEAT])
        self.assertEqual((has_passes(reactor), heart.number, len(reactor.getDelayedCalls())), (False, 0, 1))

    def test_the_passes_of_a_real_reactor(self) -> None:
        program = Path(__file__).with_name("noted_reactor.py")
        found = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((found.stdout, found.stderr), ("noted\n", ""))
