"""The thread that brings the journal to the disk, beside the reactor.

Source: docs/topics/design.md#the-journal: a thread syncs every few milliseconds; with durability "disk" the events
wait for it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread

from attrs import define, field
from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import Logger

log = Logger()

RETRY = 1.0
"""Seconds from a sync that failed to the next attempt."""


def _nothing() -> None:
    """Mend nothing."""


@define
class SyncThread:
    """Syncs what was written since the last sync, then calls those who waited for it, in order.

    `interval`: the least time between two syncs in seconds. What is written during a sync is covered by the next one.
    After a failure nothing of the same segment counts as synced, for a later success would prove nothing: Linux takes
    pages that it could not write for written. `mend` is called in the reactor's thread then, every `retry` seconds,
    until `replace` brings a segment in which everything stands anew that was not synced. `noticed` is called in the
    reactor's thread at once. `failed`: what went wrong, until a sync succeeds again.
    """

    directory: Path
    interval: float
    reactor: IReactorFromThreads
    mend: Callable[[], object] = _nothing
    noticed: Callable[[], object] = _nothing
    retry: float = RETRY
    failed: OSError | None = None
    is_halted: bool = False
    synced: int = 0
    _position: int = 0
    _current: int = -1
    _retired: list[int] = field(factory=list)
    _superseded: list[int] = field(factory=list)
    _is_new: bool = False
    _waiting: deque[tuple[int, Callable[[], object]]] = field(factory=deque)
    _dirty: Event = field(factory=Event)
    _ending: Event = field(factory=Event)
    _mended: Event = field(factory=Event)
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
        """Take, after a failure, a segment in which stands all that is not synced; the ones before are closed as is."""
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
            self._pass()
            if self.interval:
                self._ending.wait(self.interval)

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
