"""Slots: whatever a bot does, nothing of it is left. Each trial runs in a PID namespace of its own.

Source: docs/topics/design.md#slots.
"""

from __future__ import annotations

from twisted.internet.error import ProcessTerminated
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamed.arena.slot_program import EVENTS
from gamed.arena.slots import KEPT_BYTES, Exit, Output, Slot, SlotError, Start
from tests.arena.caged import CagedTestCase, add_tests
from tests.arena.slot_trials import TRIALS
from tests.daemon import ROOT


class BotTests(CagedTestCase):
    """What a bot does to its slot."""


add_tests(BotTests, "tests.arena.slot_trials", TRIALS, {})


class LostTests(SynchronousTestCase):
    def test_what_is_read_after_its_end_changes_nothing(self) -> None:
        slot = Slot(MemoryReactorClock())
        slot.makeConnection(StringTransport())
        answer = slot.start(Start(["x"], ROOT, {}))
        slot.processExited(Failure(ProcessTerminated(signal=9)))
        self.failureResultOf(answer, SlotError)
        before = slot.exited
        self.assertEqual(before, Exit(-9, 0.0, 0.0))
        slot.childDataReceived(EVENTS, b'{"started": true}\n{"exited": 0, "cpu": 1, "memory": 2}\n')
        self.assertEqual(slot.exited, before)


class OutputTests(SynchronousTestCase):
    def test_the_last_bytes_are_kept(self) -> None:
        output = Output()
        for number in range(100):
            output.add(b"%05d\n" % number * 1000)
        self.assertEqual((output.total, len(output.text)), (600_000, KEPT_BYTES))
        self.assertTrue(output.text.endswith("00099\n"))
        output.add(b"x" * 2 * KEPT_BYTES + b"y")
        self.assertEqual(output.text, "x" * (KEPT_BYTES - 1) + "y")

    def test_limits_have_the_names_of_the_system(self) -> None:
        start = Start(["x"], ROOT, {}, memory=64, cpu_seconds=5)
        self.assertEqual(start.limits, {"RLIMIT_CORE": 0, "RLIMIT_DATA": 64_000_000, "RLIMIT_CPU": 5})
        self.assertEqual(Start(["x"], ROOT, {}).limits, {"RLIMIT_CORE": 0})
