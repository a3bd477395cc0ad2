"""Timers and the system clock."""

from __future__ import annotations

import subprocess
import sys

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.net.timers import ClockSteps
from tests.store.logs import sentences

REACTOR = """
import time
from gamed.net.timers import install_reactor

install_reactor()
from twisted.internet import reactor

wall = time.time
reactor.callLater(0.05, lambda: setattr(time, "time", lambda: wall() - 3600))
reactor.callLater(0.1, reactor.stop)
reactor.run()
print(type(reactor).__name__)
"""


class TimerTests(SynchronousTestCase):
    def test_a_real_reactor_runs_on_the_monotonic_clock(self) -> None:
        """If this fails, Twisted's reactor reads its clock elsewhere: look at ReactorBase.seconds."""
        done = subprocess.run([sys.executable, "-c", REACTOR], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stdout, "TurnReactor\n", done.stderr)

    def test_another_reactor_that_is_installed_stays(self) -> None:
        program = "from twisted.internet import selectreactor; selectreactor.install()\n" + REACTOR
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stdout, "SelectReactor\n", done.stderr)


class ClockStepsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.wall, self.monotonic = 1_000.0, 50.0
        self.steps = ClockSteps(lambda: self.monotonic, lambda: self.wall)

    def said(self, *, passed: float, step: float = 0.0) -> list[str]:
        self.monotonic += passed
        self.wall += passed + step
        with capturedLogs() as logs:
            self.steps.look()
        return sentences(logs)

    def test_time_that_passes_is_no_step(self) -> None:
        self.assertEqual(self.said(passed=3_600.0), [])
        self.assertEqual(self.said(passed=0.02, step=0.5), [])

    def test_each_step_is_told_once(self) -> None:
        for step in (-7_200.0, -40.0, 3_600.0):
            (line,) = self.said(passed=0.02, step=step)
            self.assertIn(f"the system clock was set by {step:+.1f} s", line)
            self.assertEqual(self.said(passed=0.02), [])

    def test_a_process_that_stood_still_between_two_readings_has_seen_no_step(self) -> None:
        readings, walls = iter((50.0, 50.0, 57.0, 57.0, 57.0)), iter((1_000.0, 1_007.0, 1_007.0))
        steps = ClockSteps(lambda: next(readings), lambda: next(walls))
        with capturedLogs() as logs:
            steps.look()
            steps.look()
        self.assertEqual(sentences(logs), [])
        self.assertEqual(list(walls), [])
