"""Work for browsers that is done in slices of reactor turns, so that no move waits for it.

Source: docs/topics/design.md#floods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Cooperator, SchedulerStopped
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.process.fairness import STREAMS_PAUSE, STREAMS_SLICE, cooperator

log = Logger()


@define(eq=False)
class TurnCooperator:
    """Does jobs in turns, one piece of each. A job is an iterator that yields after each small piece of its work."""

    clock: IReactorTime

    now: Callable[[], float] = perf_counter
    """The clock that measures slices."""

    _cooperator: Cooperator = field(init=False)

    def __attrs_post_init__(self) -> None:
        has_input = getattr(self.clock, "has_input", lambda: False)
        self._cooperator = cooperator(
            self.clock, slice_=STREAMS_SLICE, pause=STREAMS_PAUSE, now=self._time, is_awaited=has_input
        )

    def _time(self) -> float:
        # Tests set `now` after the cooperator was made.
        return self.now()

    def add(self, job: Iterator[None]) -> None:
        """Start a job in a later turn of the reactor."""
        self._cooperator.cooperate(job).whenDone().addErrback(_failed)

    def stop(self) -> None:
        """Stop all jobs."""
        self._cooperator.stop()


def _failed(failure: Failure) -> None:
    """Log an exception of a job. The other jobs go on."""
    if not failure.check(SchedulerStopped):
        log.failure("server fault: a job of the web listener", failure=failure)
