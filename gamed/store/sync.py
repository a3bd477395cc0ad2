"""The thread that syncs the journal to the disk, so that the reactor never waits for it.

It syncs every few milliseconds. With durability "disk", events wait for it.

Two threads share its state. The lock protects what must be exchanged together: the position, the descriptors and the
halt, in `begin`, `replace` and the first lines of `_pass`. Everything else is an attribute that one thread writes and
the other one reads. Two orders are important:

* The thread clears `_dirty` before it reads the position. If bytes are written after that, they set `_dirty` again, and
  the thread does not sleep.
* The thread reads the position before the descriptors. So all bytes up to the position are in one of these files, and
  after they are synced, the position is on the disk.

After a failed sync no later one of the same file counts. Linux reports a write error to one fdatasync, marks the pages
as clean, and reports success from then on. So the thread halts until `replace` brings a new segment, into which the
journal has written again everything that was not synced.

Source: docs/topics/design.md#the-journal.
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
"""The number of bytes between two syncs from which on the journal is busy."""

BUSY_INTERVALS: Final = 5
"""The number of intervals between two syncs of a busy journal. Waking the thread also costs the reactor time, because
Python runs one thread at a time: for a pair of fast clients, a tenth of the cost of their lines."""


def _nothing() -> None:
    """Do nothing."""


def _ignore(_number: int, _size: int) -> None:
    """Do nothing."""


@define
class SyncThread:
    """Syncs the bytes since the last sync, and then makes the calls that wait for them, in order.

    Bytes that are written during a sync are covered by the next one.
    """

    directory: Path

    interval: float
    """The least seconds between two syncs; `BUSY_INTERVALS` times as many if the journal is busy."""

    reactor: IReactorFromThreads

    mend: Callable[[], object] = _nothing
    """Called in the reactor's thread every `retry` seconds while the thread is halted. It should call `replace`."""

    noticed: Callable[[], object] = _nothing
    """Called in the reactor's thread as soon as a sync has failed."""

    retry: float = RETRY
    note: Callable[[int, int], object] = _ignore
    """Called in the thread after a sync, with the number and the length of a segment that was synced."""

    failed: OSError | None = None
    """The error of the last sync; None if it succeeded."""

    is_halted: bool = False
    """Whether the thread does not sync, because a sync has failed and its segment was not replaced yet."""

    synced: int = 0
    """The position up to which all bytes are on the disk."""

    _position: int = 0
    """The position up to which all bytes were written, that is, given to the kernel."""

    _place: tuple[int, int] = (0, 0)
    """The segment that was written to last, and its length then. One value, so that the thread gets a pair."""

    _current: int = -1
    """The descriptor of the segment that is written to."""

    _retired: list[int] = field(factory=list)
    """The descriptors of full segments, which are synced once more and closed."""

    _superseded: list[int] = field(factory=list)
    """The descriptors of segments whose sync has failed. They are closed without another sync."""

    _is_new: bool = False
    """Whether a file was created since the directory was synced."""

    _waiting: deque[tuple[int, Callable[[], object]]] = field(factory=deque)
    """The calls that wait for a position to be synced, in the order of the positions."""

    _dirty: Event = field(factory=Event)
    """Set when there is something to sync, or a call waits."""

    _ending: Event = field(factory=Event)
    """Set when the thread should end."""

    _mended: Event = field(factory=Event)
    """Set when `replace` was called after a failure."""

    _lock: Lock = field(factory=Lock)
    _thread: Thread = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._thread = Thread(target=self._run, name="gamed-journal-sync", daemon=True)

    # The reactor's side

    def start(self) -> None:
        """Start the thread. `begin` must have been called."""
        self._thread.start()

    def stop(self) -> None:
        """Sync the rest, end the thread and close the segment."""
        self._ending.set()
        self._mended.set()
        self._dirty.set()
        self._thread.join()
        os.close(self._current)

    def begin(self, descriptor: int) -> None:
        """Take a new segment. The thread will sync and close the previous one."""
        with self._lock:
            if self._current != -1:
                self._retired.append(self._current)
            self._current = descriptor
            self._is_new = True

    def replace(self, descriptor: int) -> None:
        """After a failure, take a new segment with all bytes that are not synced. The previous one is only closed."""
        with self._lock:
            self._superseded.append(self._current)
            self._current = descriptor
            self._is_new = True
            self.is_halted = False
        self._mended.set()
        self._dirty.set()

    def written(self, position: int, place: tuple[int, int] = (0, 0)) -> None:
        """Take note that all bytes up to a position were written: the number of their segment, and its length now."""
        # In this order; see `_pass`.
        self._place = place
        self._position = position
        # `set` takes a lock and `is_set` does not; this runs once a move.
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
            # This must come before `_pass`: bytes that are written from here on set it again.
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
            # The position must be read first: all bytes up to it are in the segments that are read then.
            # The place before the position: so a place whose position is not synced is not noted.
            place, position = self._place, self._position
            current, retired, is_new = self._current, self._retired, self._is_new
            superseded = self._superseded
            self._retired, self._superseded, self._is_new = [], [], False
        if not is_halted:
            try:
                self._sync(position, place, current, retired, is_new=is_new)
            except OSError as error:
                self._fail(error)
            else:
                self._succeed()
        for descriptor in (*retired, *superseded):
            with suppress(OSError):
                # `close` may report an earlier write error. The descriptor is closed nevertheless.
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

    def _sync(self, position: int, place: tuple[int, int], current: int, retired: list[int], *, is_new: bool) -> None:
        for descriptor in retired:
            os.fdatasync(descriptor)
        if is_new:
            _sync_directory(self.directory)
        if position > self.synced:
            os.fdatasync(current)
            self.synced = position
            self.note(*place)

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
