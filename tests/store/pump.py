"""A reactor's threading half that a test turns by hand."""

from __future__ import annotations

from collections.abc import Callable
from queue import Queue
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorFromThreads
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from zope.interface import implementer

T = TypeVar("T")

SECONDS = 20.0
"""How long a thread may take before a test fails; nothing waits that long otherwise."""


@implementer(IReactorFromThreads)
class Pump(Clock):
    """Holds what threads ask to be called, until a test turns it; time passes when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: Queue[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = Queue()

    def callFromThread(self, callable: Callable[..., Any], *args: Any, **kw: Any) -> None:  # noqa: A002
        self.turns.put((callable, args, kw))

    def turn(self) -> None:
        """Make the calls that are due, or wait for the next one of a thread. Raises queue.Empty if there is none."""
        if any(call.getTime() <= self.rightNow for call in self.calls):
            self.advance(0)
            return
        call, args, kw = self.turns.get(timeout=SECONDS)
        call(*args, **kw)

    def result(self, deferred: Deferred[T]) -> T:
        """Turn until a Deferred has fired, and return or raise its result."""
        results: list[T | Failure] = []
        deferred.addBoth(results.append)
        while not results:
            self.turn()
        result = results[0]
        if isinstance(result, Failure):
            result.raiseException()
        assert not isinstance(result, Failure)
        return result
