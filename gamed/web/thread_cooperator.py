"""Work that takes longer than a move may wait: in a thread, one piece after the other, in slices.

Python's threads take turns every few milliseconds only; so that a move need not wait for its turn, the worker sleeps
for a moment after each slice of half a millisecond.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any, Final, TypeAlias, TypeVar

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredSemaphore
from twisted.internet.threads import deferToThread

from gamed.fairness import WORKER_PAUSE, WORKER_SLICE
from gamed.web.answers import Refusal

T = TypeVar("T")

Steps: TypeAlias = Generator[None, None, T]
"""Work in steps; what it returns is the result."""

MOST_WAITING: Final = 64
"""How many pieces of work may wait."""


@define(eq=False)
class ThreadCooperator:
    """Does one piece of work at a time.

    `run`: calls a function with an argument in another thread, and fires with its result.
    """

    run: Callable[..., Deferred[Any]] = deferToThread
    pause: Callable[[float], object] = time.sleep
    _turns: DeferredSemaphore = field(factory=lambda: DeferredSemaphore(1))

    def do(self, steps: Steps[T]) -> Deferred[T]:
        """Fire with what the steps return, or fail as they do. Raises Refusal("busy"): too much waits already."""
        if len(self._turns.waiting) >= MOST_WAITING:
            raise Refusal(503, "busy", "too many others ask for records", "try again in a while")
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
