"""Slots: whatever a bot does, nothing of it is left. Each trial runs in a PID namespace of its own.

Source: docs/topics/design.md#slots.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

from twisted.trial.unittest import SynchronousTestCase

from gamed.arena.slots import KEPT_BYTES, Output, Start
from tests.arena.slot_trials import TRIALS
from tests.daemon import ROOT

USER = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
NAMESPACE = ["unshare", *USER, "--pid", "--fork", "--kill-child", "--mount-proc"]


@cache
def why_not() -> str:
    """Return why no PID namespace can be made here; "" if one can."""
    tried = subprocess.run([*NAMESPACE, "true"], capture_output=True, text=True, timeout=60, check=False)
    return "" if tried.returncode == 0 else f"no PID namespace can be made: {tried.stderr.strip()}"


class SlotTests(SynchronousTestCase):
    def setUp(self) -> None:
        if why_not():
            self.skipTest(why_not())


def _trial(name: str) -> None:
    def test(self: SlotTests) -> None:
        command = [*NAMESPACE, sys.executable, "-m", "tests.arena.slot_trials", name]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    test.__name__ = f"test_a_bot_that_{name}"
    setattr(SlotTests, test.__name__, test)


for _name in TRIALS:
    _trial(_name)


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
