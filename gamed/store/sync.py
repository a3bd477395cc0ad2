"""The thread that brings the journal to the disk, beside the reactor.

Source: design.md, "The journal": a thread syncs every few milliseconds; with durability "disk" the letters wait for it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread

from attrs import define, field
from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import Logger

log = Logger()


@define
class SyncThread:
    """Syncs what was written since the last sync, then calls those who waited for it, in order.

    `interval`: the least time between two syncs in seconds. What is written during a sync is covered by the next one.
    `failed`: what went wrong; from then on nothing counts as synced, for a later success would prove nothing.
    """

    directory: Path
    interval: float
    reactor: IReactorFromThreads
    failed: OSError | None = None
    _position: int = 0
    _synced: int = 0
    _current: int = -1
    _retired: list[int] = field(factory=list)
    _is_new: bool = False
    _waiting: deque[tuple[int, Callable[[], object]]] = field(factory=deque)
    _dirty: Event = field(factory=Event)
    _ending: Event = field(factory=Event)
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
            self._dirty.wait()
            # Cleared before looking: what is written or asked for from here on sets it again.
            self._dirty.clear()
            is_last = self._ending.is_set()
            self._pass()
            if self.interval:
                self._ending.wait(self.interval)

    def _pass(self) -> None:
        with self._lock:
            # The position first: all of it is in the segments that are taken here.
            position = self._position
            current, retired, is_new = self._current, self._retired, self._is_new
            self._retired, self._is_new = [], False
        try:
            if self.failed is None:
                self._sync(position, current, retired, is_new=is_new)
                self._release()
        except OSError as error:
            self.failed = error
            log.critical(
                "journal: cannot sync {directory}: {error}", directory=str(self.directory), error=error.strerror
            )
        for descriptor in retired:
            os.close(descriptor)

    def _sync(self, position: int, current: int, retired: list[int], *, is_new: bool) -> None:
        for descriptor in retired:
            os.fdatasync(descriptor)
        if is_new:
            _sync_directory(self.directory)
        if position > self._synced:
            os.fdatasync(current)
            self._synced = position

    def _release(self) -> None:
        calls = []
        while self._waiting and self._waiting[0][0] <= self._synced:
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
