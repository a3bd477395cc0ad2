"""Full collections wait for a quiet moment, and not for ever."""

from __future__ import annotations

import gc
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamed import garbage
from gamed.garbage import MOST, QUIET_BEATS, WORTHWHILE, IdleCollector
from gamed.lobby.heartbeat import BEAT, Heartbeat


class IdleCollectorTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.handled = 0
        self.waiting = 0
        self.collected: list[int] = []
        self.patch(gc, "get_count", lambda: (0, 0, self.waiting))
        self.patch(gc, "freeze", lambda: None)
        self.patch(gc, "collect", lambda: self.collected.append(self.handled))
        self.collector = IdleCollector(lambda: self.handled)
        self.addCleanup(self.collector.stop)
        self.before = gc.get_threshold()
        self.collector.start()
        self.collected.clear()

    def beats(self, count: int, *, working: bool) -> None:
        for _ in range(count):
            self.handled += working
            self.collector.beat()

    def test_python_makes_no_full_collection_by_itself_until_the_stop(self) -> None:
        self.assertEqual(gc.get_threshold(), (*self.before[:2], garbage.NEVER))
        self.collector.stop()
        self.assertEqual(gc.get_threshold(), self.before)
        self.waiting = MOST
        self.beats(10, working=False)
        self.assertEqual(self.collected, [])

    def test_while_there_is_work_none_is_made(self) -> None:
        self.waiting = MOST - 1
        self.beats(100, working=True)
        self.assertEqual(self.collected, [])

    def test_one_is_made_when_it_is_quiet(self) -> None:
        self.waiting = WORTHWHILE
        self.beats(1, working=True)
        self.beats(QUIET_BEATS - 1, working=False)
        self.assertEqual(self.collected, [])
        self.beats(1, working=False)
        self.assertEqual(len(self.collected), 1)

    def test_one_that_is_not_worth_while_is_not_made(self) -> None:
        self.waiting = WORTHWHILE - 1
        self.beats(100, working=False)
        self.assertEqual(self.collected, [])

    def test_a_flood_cannot_put_it_off_for_ever(self) -> None:
        self.waiting = MOST
        self.beats(1, working=True)
        self.assertEqual(len(self.collected), 1)


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


class BeatTests(SynchronousTestCase):
    def test_what_a_beat_does_is_charged_to_nobody(self) -> None:
        clock, now = Clock(), [0.0]

        def work() -> None:
            now[0] += 0.5

        heart = Heartbeat(clock, lambda: now[0])
        heart.startService()
        clock.advance(0)
        heart.beats.append(work)
        now[0] += BEAT
        clock.advance(BEAT)
        self.assertAlmostEqual(heart.stalled, 0.5)
        self.assertAlmostEqual(heart.seconds(), BEAT)
        heart.stopService()
