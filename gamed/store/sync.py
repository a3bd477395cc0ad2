"""The thread that brings the journal to the disk, beside the reactor.

Source: docs/topics/design.md#the-journal. The thread syncs every few milliseconds. With durability "disk", the events
wait for it.

Two threads share this state, and only `begin`, `replace` and the first lines of `_pass` take the lock: what they
exchange has to fit together. Everything else is one attribute that one side writes and the other reads. The order
matters in two places. The thread clears `_dirty` before it looks, so that a write during the look wakes it again. And
it takes the position before it takes the descriptors: all bytes up to that position are in one of these files.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import Logger

log = Logger()

RETRY = 1.0
"""Seconds from a sync that failed to the next attempt."""

BUSY: Final = 2_048
"""Bytes between two syncs from which on the journal is busy."""

BUSY_INTERVALS: Final = 5
"""How many intervals pass then until the next sync. To be woken costs the reactor's thread, too, because Python runs
one thread at a time: with one pair of fast clients, this was a tenth of what their lines cost."""


def _nothing() -> None:
    """Mend nothing."""


@define
class SyncThread:
    """Syncs what was written since the last sync, then calls those who waited for it, in order.

    What is written during a sync is covered by the next one. After a failure nothing of the same segment counts as
    synced, because a later success would prove nothing: after an error, Linux marks the pages that it could not write
    as clean. The thread halts then, until `replace` brings a segment to which everything was written anew that had not
    been synced.
    """

    directory: Path

    interval: float
    """Seconds between two syncs, at least; `BUSY_INTERVALS` times as many after much was written."""

    reactor: IReactorFromThreads

    mend: Callable[[], object] = _nothing
    """Called in the reactor's thread every `retry` seconds while the thread is halted. It is to call `replace`."""

    noticed: Callable[[], object] = _nothing
    """Called in the reactor's thread as soon as a sync has failed."""

    retry: float = RETRY
    failed: OSError | None = None
    """What went wrong, until a sync succeeds again."""

    is_halted: bool = False
    """Whether nothing is synced, because a sync has failed and its segment was not replaced yet."""

    synced: int = 0
    """The position up to which everything is on the disk."""

    _position: int = 0
    """The position up to which everything was handed to the kernel."""

    _current: int = -1
    """The descriptor of the segment that is written to."""

    _retired: list[int] = field(factory=list)
    """Those of full segments: synced once more, and closed."""

    _superseded: list[int] = field(factory=list)
    """Those of segments whose sync has failed: closed without another one."""

    _is_new: bool = False
    """Whether the directory has an entry that is not synced."""

    _waiting: deque[tuple[int, Callable[[], object]]] = field(factory=deque)
    """What is called when a position is synced, in the order of the positions."""

    _dirty: Event = field(factory=Event)
    """Set when there is something to sync, or somebody waits."""

    _ending: Event = field(factory=Event)
    """Set when the thread is to end."""

    _mended: Event = field(factory=Event)
    """Set when `replace` was called after a failure."""

    _lock: Lock = field(factory=Lock)
    _thread: Thread = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._thread = Thread(target=self._run, name="gamed-journal-sync", daemon=True)

    # The reactor's side

    def start(self) -> None:
        """Start the thread; `begin` was called before."""
        self._thread.start()

    def stop(self) -> None:
        """Sync what is left, end the thread and close the segment."""
        self._ending.set()
        self._mended.set()
        self._dirty.set()
        self._thread.join()
        os.close(self._current)

    def begin(self, descriptor: int) -> None:
        """Take a new segment; the thread syncs and closes the one before."""
        with self._lock:
            if self._current != -1:
                self._retired.append(self._current)
            self._current = descriptor
            self._is_new = True

    def replace(self, descriptor: int) -> None:
        """Take, after a failure, a segment that has all that is not synced; those before it are closed as they are."""
        with self._lock:
            self._superseded.append(self._current)
            self._current = descriptor
            self._is_new = True
            self.is_halted = False
        self._mended.set()
        self._dirty.set()

    def written(self, position: int) -> None:
        """Note that everything up to a position was handed to the kernel."""
        self._position = position
        # Asking is cheap and setting is not, and this is on the way of every move.
        if not self._dirty.is_set():
            self._dirty.set()

    def call_after(self, position: int, call: Callable[[], object]) -> None:
        """Call in the reactor's thread once a position is synced."""
        self._waiting.append((position, call))
        self._dirty.set()

    # The thread's side

    def _run(self) -> None:
        is_last = False
        while not is_last:
            if self.is_halted:
                self._wait_for_mending()
            else:
                self._dirty.wait()
            # Cleared before looking: what is written or asked for from here on sets it again.
            self._dirty.clear()
            is_last = self._ending.is_set()
            before = self.synced
            self._pass()
            if self.interval:
                is_busy = self.synced - before >= BUSY
                self._ending.wait(BUSY_INTERVALS * self.interval if is_busy else self.interval)

    def _wait_for_mending(self) -> None:
        while not self._ending.is_set() and not self._mended.wait(self.retry):
            self.reactor.callFromThread(self.mend)

    def _pass(self) -> None:
        with self._lock:
            is_halted = self.is_halted
            # The position first: all of it is in the segments that are taken here.
            position = self._position
            current, retired, is_new = self._current, self._retired, self._is_new
            superseded = self._superseded
            self._retired, self._superseded, self._is_new = [], [], False
        if not is_halted:
            try:
                self._sync(position, current, retired, is_new=is_new)
            except OSError as error:
                self._fail(error)
            else:
                self._succeed()
        for descriptor in (*retired, *superseded):
            with suppress(OSError):
                # A close can report what a write has met; the descriptor is gone all the same.
                os.close(descriptor)

    def _fail(self, error: OSError) -> None:
        if self.failed is None:
            log.critical(
                "journal: cannot sync {directory}: {error}", directory=str(self.directory), error=error.strerror
            )
        self.failed = error
        self._mended.clear()
        self.is_halted = True
        self.reactor.callFromThread(self.noticed)

    def _succeed(self) -> None:
        if self.failed is not None:
            log.warn("journal: {directory} is synced again", directory=str(self.directory))
            self.failed = None
        self._release()

    def _sync(self, position: int, current: int, retired: list[int], *, is_new: bool) -> None:
        for descriptor in retired:
            os.fdatasync(descriptor)
        if is_new:
            _sync_directory(self.directory)
        if position > self.synced:
            os.fdatasync(current)
            self.synced = position

    def _release(self) -> None:
        calls = []
        while self._waiting and self._waiting[0][0] <= self.synced:
            calls.append(self._waiting.popleft()[1])
        if calls:
            self.reactor.callFromThread(_call_all, calls)


def _call_all(calls: list[Callable[[], object]]) -> None:
    for call in calls:
        with log.failureHandler("journal: a call after a sync failed"):
            call()


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
