"""Work that would block the reactor for too long: it is done in a thread, one job after the other, in slices.

Python switches between busy threads only every five milliseconds, and a move must not wait for that long. So the thread
sleeps for a moment after each slice of half a millisecond, which releases the GIL (gamed/process/fairness.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any, Final, TypeAlias, TypeVar

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredSemaphore
from twisted.internet.threads import deferToThread

from gamed.process.fairness import WORKER_PAUSE, WORKER_SLICE
from gamed.web.answers import Refusal

T = TypeVar("T")

Steps: TypeAlias = Generator[None, None, T]
"""A job that yields after each small step, and returns its result."""

MOST_WAITING: Final = 64
"""How many jobs may wait."""


@define(eq=False)
class ThreadCooperator:
    """Does one job at a time."""

    run: Callable[..., Deferred[Any]] = deferToThread
    """Calls a function in another thread. The Deferred fires with its result."""

    pause: Callable[[float], object] = time.sleep
    _turns: DeferredSemaphore = field(factory=lambda: DeferredSemaphore(1))

    def do(self, steps: Steps[T]) -> Deferred[T]:
        """Do a job. The Deferred fires with its result, or fails with its exception. Raises Refusal: too many wait."""
        if len(self._turns.waiting) >= MOST_WAITING:
            raise Refusal(503, "busy", "too many requests for records are waiting", "try again later")
        done: Deferred[T] = self._turns.run(self.run, self._driven, steps)
        return done

    def _driven(self, steps: Steps[T]) -> T:
        began = time.perf_counter()
        try:
            while True:
                next(steps)
                if time.perf_counter() - began > WORKER_SLICE:
                    self.pause(WORKER_PAUSE)
                    began = time.perf_counter()
        except StopIteration as end:
            result: T = end.value
            return result
