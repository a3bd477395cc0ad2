"""The sync thread: what waits, in which order, and what a failure means."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from queue import Queue
from threading import Event, Semaphore

from attrs import define, field
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.store.sync import BUSY, SyncThread
from tests.store.logs import sentences
from tests.store.pump import SECONDS, Pump


@define
class Disk:
    """A disk whose syncs end when the test says so. `entered`: the descriptors, as their syncs begin."""

    entered: Queue[int] = field(factory=Queue)
    may_end: Semaphore = field(factory=lambda: Semaphore(0))
    error: OSError | None = None

    def fdatasync(self, descriptor: int) -> None:
        self.entered.put(descriptor)
        assert self.may_end.acquire(timeout=SECONDS)
        if self.error is not None:
            raise self.error


class Recorded(Event):
    """An event that does not wait, and notes how long it was to."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout)
        return self.is_set()


class Interrupting(Event):
    """An event that is set, with all that a stop does, just after the thread has looked at it."""

    sync: SyncThread

    def is_set(self) -> bool:
        before = super().is_set()
        self.set()
        self.sync._dirty.set()
        return before


class SyncThreadTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = Path(self.mktemp())
        self.directory.mkdir()
        self.disk = Disk()
        self.patch(os, "fdatasync", self.disk.fdatasync)
        self.pump = Pump()
        self.called: list[str] = []
        self.sync = SyncThread(self.directory, 0.0, self.pump)
        self.segment = self.begin()
        self.sync.start()
        self.is_running = True
        self.addCleanup(self.stop)

    def begin(self) -> int:
        descriptor = os.open(self.directory, os.O_RDONLY)
        self.sync.begin(descriptor)
        return descriptor

    def stop(self) -> None:
        if self.is_running:
            self.is_running = False
            for _ in range(9):
                self.disk.may_end.release()
            self.sync.stop()

    def entered(self) -> int:
        return self.disk.entered.get(timeout=SECONDS)

    def ask(self, position: int, name: str) -> None:
        self.sync.call_after(position, lambda: self.called.append(name))

    def test_a_call_is_made_in_the_reactor_after_the_sync(self) -> None:
        self.sync.written(10)
        self.ask(10, "a")
        self.assertEqual(self.entered(), self.segment)
        self.assertTrue(self.pump.turns.empty())
        self.disk.may_end.release()
        self.pump.turn()
        self.assertEqual(self.called, ["a"])

    def test_what_is_written_during_a_sync_waits_for_the_next(self) -> None:
        self.sync.written(10)
        self.entered()
        self.ask(10, "a")
        self.sync.written(20)
        self.ask(20, "b")
        self.sync.written(30)
        self.ask(30, "c")
        self.disk.may_end.release()
        self.pump.turn()
        self.assertEqual(self.called, ["a"])
        self.entered()
        self.assertTrue(self.pump.turns.empty())
        self.disk.may_end.release()
        # Both in one turn of the reactor, covered by one sync.
        self.pump.turn()
        self.assertEqual(self.called, ["a", "b", "c"])
        self.stop()
        self.assertTrue(self.disk.entered.empty())

    def test_calls_keep_their_order_whatever_they_wait_for(self) -> None:
        self.sync.written(20)
        self.entered()
        self.ask(20, "a")
        self.ask(0, "b")
        self.disk.may_end.release()
        self.pump.turn()
        self.assertEqual(self.called, ["a", "b"])

    def test_what_is_synced_already_needs_no_sync(self) -> None:
        self.ask(0, "a")
        self.pump.turn()
        self.assertEqual(self.called, ["a"])
        self.assertTrue(self.disk.entered.empty())

    def test_a_call_that_fails_does_not_stop_the_others(self) -> None:
        self.sync.written(10)
        self.entered()
        self.sync.call_after(10, lambda: 1 // 0)
        self.ask(10, "b")
        self.disk.may_end.release()
        self.pump.turn()
        self.assertEqual(self.called, ["b"])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_the_segment_before_is_synced_first_and_closed(self) -> None:
        self.sync.written(10)
        self.entered()
        second = self.begin()
        self.sync.written(20)
        self.ask(20, "a")
        for descriptor in (self.segment, second):
            self.disk.may_end.release()
            self.assertTrue(self.pump.turns.empty())
            self.assertEqual(self.entered(), descriptor)
        self.disk.may_end.release()
        self.pump.turn()
        self.assertEqual(self.called, ["a"])
        self.stop()
        for descriptor in (self.segment, second):
            self.assertRaises(OSError, os.fstat, descriptor)

    def test_a_new_segment_is_entered_in_its_directory(self) -> None:
        synced: list[bool] = []

        def fsync(descriptor: int) -> None:
            synced.append(os.path.samestat(os.fstat(descriptor), self.directory.stat()))

        self.patch(os, "fsync", fsync)
        for position in (10, 20):
            self.sync.written(position)
            self.entered()
            self.disk.may_end.release()
        self.stop()
        self.assertEqual(synced, [True])

    def test_a_stop_syncs_what_is_left_and_calls_who_waits(self) -> None:
        self.sync.written(10)
        self.ask(10, "a")
        self.stop()
        self.assertEqual(self.entered(), self.segment)
        self.pump.turn()
        self.assertEqual(self.called, ["a"])

    def test_after_a_failure_nothing_counts_as_synced(self) -> None:
        self.disk.error = OSError(errno.EIO, os.strerror(errno.EIO))
        with capturedLogs() as events:
            self.sync.written(10)
            self.ask(10, "a")
            self.entered()
            self.disk.may_end.release()
            self.sync.written(20)
            self.ask(20, "b")
            second = self.begin()
            self.stop()
        self.assertIs(self.sync.failed, self.disk.error)
        # The failure is noticed, and that is all that is called.
        self.pump.turn()
        self.assertEqual((self.called, self.pump.turns.empty()), ([], True))
        self.assertTrue(self.disk.entered.empty())
        self.assertEqual(sentences(events), [f"journal: cannot sync {self.directory}: Input/output error"])
        for descriptor in (self.segment, second):
            self.assertRaises(OSError, os.fstat, descriptor)

    def test_no_stop_is_overlooked(self) -> None:
        ending = Interrupting()
        sync = ending.sync = SyncThread(self.directory, 0.0, self.pump, ending=ending)
        sync._thread.start()
        sync._dirty.set()
        sync._thread.join(SECONDS)
        self.assertFalse(sync._thread.is_alive())

    def waits(self, *positions: int) -> list[float | None]:
        """Sync up to some positions, one after the other. Return how long the thread paused after each, and at last."""
        ending = Recorded()
        self.stop()
        self.sync = SyncThread(self.directory, 0.005, self.pump, ending=ending)
        self.begin()
        self.sync.start()
        self.is_running = True
        for position in positions:
            self.sync.written(position)
            self.entered()
            self.disk.may_end.release()
        self.stop()
        return ending.waits

    def test_between_two_syncs_passes_the_interval(self) -> None:
        waits = self.waits(10, 20)
        self.assertEqual(set(waits), {0.005})
        self.assertGreaterEqual(len(waits), 2)

    def test_after_much_was_written_more_time_passes(self) -> None:
        self.assertEqual(self.waits(10, 9 + BUSY, 9 + 2 * BUSY)[:3], [0.005, 0.005, 0.025])
