"""Full collections wait for a quiet moment, but not forever."""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed import garbage
from gamed.garbage import IDLE_BEATS, MOST_KEPT, PORTION, IdleCollector


class IdleCollectorTests(SynchronousTestCase):
    """With a collector that only notes its calls: "p" is a chunk, "a" is everything, including frozen objects."""

    def setUp(self) -> None:
        self.handled = 0
        self.waiting = 0
        self.survivors = 1_000
        self.living = 0
        self.collected: list[str] = []
        self.is_thawed = False
        self.patch(gc, "get_count", lambda: (0, 0, self.waiting))
        self.patch(gc, "unfreeze", self.unfreeze)
        self.patch(gc, "freeze", lambda: None)
        self.patch(gc, "get_objects", lambda _: [None] * self.survivors)
        self.patch(gc, "get_freeze_count", lambda: self.living)
        self.patch(gc, "collect", self.collect)
        self.collector = IdleCollector(lambda: self.handled)
        self.addCleanup(self.collector.stop)
        self.before = gc.get_threshold()
        self.collector.start()
        self.assertEqual(self.collected.pop(), "a")

    def unfreeze(self) -> None:
        self.is_thawed = True

    def collect(self) -> None:
        self.collected.append("a" if self.is_thawed else "p")
        self.is_thawed = False

    def on_beat(self, count: int, *, working: bool) -> None:
        for _ in range(count):
            self.handled += working
            self.collector.beat()

    def test_python_makes_no_full_collection_by_itself_until_the_stop(self) -> None:
        self.assertEqual(gc.get_threshold(), (*self.before[:2], garbage.NEVER))
        self.collector.stop()
        self.assertEqual(gc.get_threshold(), self.before)
        self.waiting = PORTION
        self.on_beat(10, working=False)
        self.assertEqual(self.collected, [])

    def test_a_portion_when_there_is_one_work_or_not(self) -> None:
        for working in (True, False):
            self.waiting = PORTION - 1
            self.on_beat(10, working=working)
            self.assertEqual(self.collected, [])
            self.waiting = PORTION
            self.on_beat(1, working=working)
            self.assertEqual(self.collected, ["p"])
            self.collected.clear()

    def test_all_when_it_is_quiet_for_long_and_once(self) -> None:
        self.waiting = PORTION
        self.on_beat(1, working=True)
        self.waiting = 0
        self.on_beat(IDLE_BEATS - 1, working=False)
        self.assertEqual(self.collected, ["p"])
        self.on_beat(2 * IDLE_BEATS, working=False)
        self.assertEqual(self.collected, ["p", "a"])

    def test_memory_is_given_back_once_each_time_it_gets_quiet(self) -> None:
        trimmed: list[int] = []
        self.patch(garbage, "_trim", lambda _: trimmed.append(self.handled))
        self.on_beat(IDLE_BEATS, working=False)
        self.assertEqual(trimmed, [])
        for number in (1, 2):
            self.on_beat(1, working=True)
            self.on_beat(3 * IDLE_BEATS, working=False)
            self.assertEqual(len(trimmed), number)
        self.assertEqual(self.collected, [])

    def test_nothing_was_kept_out_and_all_is_left_alone(self) -> None:
        self.on_beat(2 * IDLE_BEATS, working=False)
        self.assertEqual(self.collected, [])

    def test_all_when_very_much_was_kept_out_and_lives(self) -> None:
        self.waiting, self.survivors, self.living = PORTION, MOST_KEPT // 4, MOST_KEPT
        self.on_beat(4, working=True)
        self.assertEqual(self.collected, ["p"] * 4)
        self.on_beat(1, working=True)
        self.assertEqual(self.collected, ["p"] * 5 + ["a"])

    def test_not_all_if_most_of_it_has_died(self) -> None:
        self.waiting, self.survivors, self.living = PORTION, MOST_KEPT // 4, MOST_KEPT // 2
        self.on_beat(20, working=True)
        self.assertEqual(self.collected, ["p"] * 20)


class RealTests(SynchronousTestCase):
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

    def test_what_died_while_it_was_kept_out_goes_when_it_is_quiet(self) -> None:
        alive = [0]

        class Pair:
            other: Any = None

            def __init__(self) -> None:
                alive[0] += 1

            def __del__(self) -> None:
                alive[0] -= 1

        collector = IdleCollector(lambda: 0)
        self.addCleanup(gc.unfreeze)
        self.addCleanup(collector.stop)
        collector.start()
        pair = Pair()
        pair.other = Pair()
        pair.other.other = pair
        # As a chunk does.
        self.patch(gc, "get_count", lambda: (0, 0, PORTION))
        collector.beat()
        del pair
        gc.collect()
        self.assertEqual(alive, [2])
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
