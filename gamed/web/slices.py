"""Work that may wait, done in slices: a little in each turn of the reactor, so that no move waits for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

log = Logger()

SLICE: Final = 0.0001
"""Seconds of a slice: after them, no further piece is begun."""

PAUSE: Final = 0.0015
"""Seconds between two slices."""


@define(eq=False)
class Slices:
    """Does jobs side by side. A job is an iterator that yields after each small piece of its work.

    `now`: the clock that measures a slice.
    """

    clock: IReactorTime
    now: Callable[[], float] = perf_counter
    _jobs: deque[Iterator[None]] = field(factory=deque)
    _next: IDelayedCall | None = None

    def add(self, job: Iterator[None]) -> None:
        """Have a job done, from the next turn of the reactor on."""
        self._jobs.append(job)
        if self._next is None:
            self._next = self.clock.callLater(0, self._work)

    def _work(self) -> None:
        self._next = None
        ends = self.now() + SLICE
        while self._jobs:
            self._piece(self._jobs.popleft())
            if self.now() >= ends:
                break
        if self._jobs and self._next is None:
            self._next = self.clock.callLater(PAUSE, self._work)

    def _piece(self, job: Iterator[None]) -> None:
        try:
            next(job)
        except StopIteration:
            return
        except Exception:  # noqa: BLE001 (a fault in one job is not the others')
            log.failure("server fault: a job of the web listener")
            return
        self._jobs.append(job)

    def stop(self) -> None:
        """Do nothing more."""
        self._jobs.clear()
        if self._next is not None:
            self._next.cancel()
            self._next = None
