"""What is young is collected often, and all that lives when nobody plays; not later than memory allows."""

from __future__ import annotations

import gc
import os
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.process import garbage
from gamed.process.garbage import IDLE_BEATS, LOOK_BEATS, MANY, IdleCollector


class IdleCollectorTests(SynchronousTestCase):
    """With a collector that only takes notes: "y" is what is young, "a" is all."""

    def setUp(self) -> None:
        self.handled = 0
        self.blocks = 1_000
        self.collected: list[str] = []
        self.patch(gc, "freeze", lambda: None)
        self.patch(gc, "unfreeze", lambda: None)
        self.patch(gc, "collect", lambda generation=2: self.collected.append("y" if generation == 0 else "a"))
        self.patch(sys, "getallocatedblocks", lambda: self.blocks)
        self.collector = IdleCollector(lambda: self.handled)
        self.addCleanup(self.collector.stop)
        self.before = gc.get_threshold()
        self.collector.start()
        self.assertEqual(self.collected, [])

    def on_beat(self, count: int, *, working: bool) -> str:
        """Return what is collected in so many beats."""
        self.collected.clear()
        for _ in range(count):
            self.handled += working
            self.collector.beat()
        return "".join(self.collected)

    def test_python_collects_only_what_is_youngest_by_itself_until_the_stop(self) -> None:
        self.assertEqual(gc.get_threshold(), (self.before[0], garbage.NEVER, garbage.NEVER))
        self.collector.stop()
        self.assertEqual(gc.get_threshold(), self.before)
        self.assertEqual(self.on_beat(10, working=False), "")

    def test_what_is_young_at_each_beat_and_all_when_it_is_quiet_for_long_and_once(self) -> None:
        self.assertEqual(self.on_beat(1, working=True), "y")
        self.assertEqual(self.on_beat(2 * IDLE_BEATS, working=False), "y" * (IDLE_BEATS - 1) + "a" + "y" * IDLE_BEATS)

    def test_memory_is_given_back_once_each_time_it_gets_quiet(self) -> None:
        trimmed: list[int] = []
        self.patch(garbage, "_trim", lambda _: trimmed.append(self.handled))
        self.on_beat(IDLE_BEATS, working=False)
        self.assertEqual(trimmed, [])
        for number in (1, 2):
            self.on_beat(1, working=True)
            self.on_beat(3 * IDLE_BEATS, working=False)
            self.assertEqual(len(trimmed), number)

    def test_all_while_there_is_work_only_if_very_much_has_come_into_use(self) -> None:
        self.blocks += MANY
        self.assertNotIn("a", self.on_beat(2 * LOOK_BEATS, working=True))
        self.blocks += 1
        self.assertEqual(self.on_beat(2 * LOOK_BEATS, working=True).count("a"), 1)


class RealTests(SynchronousTestCase):
    def setUp(self) -> None:
        # What earlier tests have left is not what is tested: it goes now, and its warnings do not fail this test.
        gc.unfreeze()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()

    def test_cyclic_garbage_of_a_flood_stays_bounded(self) -> None:
        class Knot:
            alive = 0

            def __init__(self) -> None:
                self.me: Any = self
                Knot.alive += 1

            def __del__(self) -> None:
                Knot.alive -= 1

        handled = [0]
        collector = IdleCollector(lambda: handled[0])
        self.addCleanup(gc.unfreeze)
        self.addCleanup(collector.stop)
        collector.start()
        most = 0
        for _ in range(300):
            handled[0] += 1
            for _ in range(1000):
                Knot()
            collector.beat()
            most = max(most, Knot.alive)
        self.assertLess(most, 60_000)

    def test_what_died_when_it_was_old_goes_when_it_is_quiet(self) -> None:
        alive = [0]

        class Pair:
            other: Any = None

            def __init__(self) -> None:
                alive[0] += 1

            def __del__(self) -> None:
                alive[0] -= 1

        def pair() -> Pair:
            one = Pair()
            one.other = Pair()
            one.other.other = one
            return one

        collector = IdleCollector(lambda: 0)
        self.addCleanup(gc.unfreeze)
        self.addCleanup(collector.stop)
        of_the_start = pair()
        collector.start()
        later = pair()
        for _ in range(3):
            collector.beat()
        del of_the_start, later
        gc.collect(0)
        self.assertEqual(alive, [4])
        for _ in range(IDLE_BEATS):
            collector.beat()
        self.assertEqual(alive, [0])


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class LargeBlockTests(SynchronousTestCase):
    """The memory that checking passwords in threads needs: 16 MiB each."""

    THREADS = 4
    BLOCK = 16 * 1024 * 1024

    def test_threads_keep_no_large_blocks(self) -> None:
        collector = IdleCollector(lambda: 0)
        collector.start()
        self.addCleanup(collector.stop)
        before = resident_bytes()
        all_have_theirs, all_have_freed = (threading.Barrier(self.THREADS + 1) for _ in range(2))

        def work() -> None:
            for _ in range(2):
                block = bytearray(self.BLOCK)
                all_have_theirs.wait(20)
                del block
                all_have_freed.wait(20)

        for _ in range(self.THREADS):
            threading.Thread(target=work, daemon=True).start()
        for _ in range(2):
            all_have_theirs.wait(20)
            all_have_freed.wait(20)
        self.assertLess(resident_bytes() - before, 2 * self.BLOCK)
