"""Work for browsers that may wait, done side by side in slices: so no move waits for it (gamed/fairness.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Cooperator, SchedulerStopped
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.fairness import STREAMS_PAUSE, STREAMS_SLICE, cooperator
from gamed.net.twisted_private import input_watch

log = Logger()


@define(eq=False)
class TurnCooperator:
    """Does jobs side by side. A job is an iterator that yields after each small piece of its work."""

    clock: IReactorTime
    now: Callable[[], float] = perf_counter
    """The clock that measures a slice."""

    _cooperator: Cooperator = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._cooperator = cooperator(
            self.clock, slice_=STREAMS_SLICE, pause=STREAMS_PAUSE, now=self._time, is_awaited=input_watch(self.clock)
        )

    def _time(self) -> float:
        return self.now()

    def add(self, job: Iterator[None]) -> None:
        """Have a job done, from a later turn of the reactor on."""
        self._cooperator.cooperate(job).whenDone().addErrback(_failed)

    def stop(self) -> None:
        """Do nothing more."""
        self._cooperator.stop()


def _failed(failure: Failure) -> None:
    """Log a fault in one job, which costs the others nothing."""
    if not failure.check(SchedulerStopped):
        log.failure("server fault: a job of the web listener", failure=failure)
