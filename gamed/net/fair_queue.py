"""A round-robin queue for what is not served at once. It gets a slice of each reactor turn.

All game listeners share one queue: messages within a session's share are served when they are read, and any more wait
here. Web requests have a queue of their own, through which all of them pass.

The clients of the queue are served in turn, a few messages each, for `QUEUE_SLICE` of a reactor turn in all, or for the
rest of the turn's budget (gamed/process/fairness.py). So however many wait, they delay everything else by one slice a
turn. If the reactor has nothing else to do, its turns follow each other immediately, and the queue is served all the
time.

A client that finds the queue empty is served without waiting for a turn, because scheduling a turn costs more than
serving most messages. That must not become a way around the slice: clients that come one after the other could each be
served at once. So this time has a budget, too (`_left`), which grows with the time since somebody was served last.

Source: docs/topics/design.md#floods.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from attrs import Factory, define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from gamed.process.fairness import QUEUE_SLICE, TurnBudget

log = Logger()


class Waiting(Protocol):
    """A client of the queue: a session, or a web request."""

    def serve(self, until: float) -> bool:
        """Serve a few messages: at least one, and none after the time `until` on the reactor's clock.

        Return whether more waits. An exception is logged, and removes the client from the queue.
        """


@define(eq=False)
class FairQueue:
    """The queue."""

    clock: IReactorTime
    budget: TurnBudget = field(default=Factory(lambda self: TurnBudget(self.clock.seconds), takes_self=True))
    """The time that is left of the present turn. Everything that has a slice of it has the same budget."""

    is_held: bool = False
    """Whether serving is suspended, as in an outage of the disk."""

    _queue: deque[Waiting] = field(factory=deque)
    _left: float = QUEUE_SLICE
    """Seconds for serving at once that were left at the time `_at`; negative if the last client overran them."""

    _at: float = 0.0
    """When a client was served last."""

    _call: IDelayedCall | None = None
    """The next turn of the queue; None: the queue is empty or held."""

    _is_serving: bool = False
    """Whether a client is being served. It may enter others."""

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._queue)

    def enter(self, who: Waiting) -> None:
        """Serve a client at once if the queue is empty and time is left for that. If more waits, enqueue the client."""
        if self._queue or self.is_held or self._is_serving or self._serve_now(who):
            self._queue.append(who)
            self._go_on()

    def _serve_now(self, who: Waiting) -> bool:
        """Serve a client for the time that is left. Return whether more waits."""
        seconds = self.clock.seconds
        now = began = seconds()
        left = min(QUEUE_SLICE, self._left + began - self._at)
        waits, until = True, began + left
        while waits and now < until:
            waits = self._serve(who, until)
            now = seconds()
        self._left, self._at = until - now, now
        return waits

    def _serve(self, who: Waiting, until: float) -> bool:
        # Serving a client may enter others, or itself again. `_is_serving` enqueues them, so that calls do not recurse.
        self._is_serving = True
        try:
            return who.serve(until)
        except Exception:  # noqa: BLE001 (whatever it is, the others are served)
            log.failure("server fault: what waited is dropped")
            return False
        finally:
            self._is_serving = False

    def _go_on(self) -> None:
        if self._call is None and not self.is_held:
            self._call = self.clock.callLater(0, self._turn)

    def _turn(self) -> None:
        """Serve those that wait, one after the other, for a slice."""
        self._call = None
        if self.is_held:
            return
        until, now = self.budget.until(QUEUE_SLICE), self.clock.seconds()
        while self._queue and now < until:
            who = self._queue.popleft()
            if self._serve(who, until):
                self._queue.append(who)
            now = self.clock.seconds()
        self._left, self._at = until - now, now
        if self._queue:
            self._go_on()

    def hold(self, is_held: bool) -> None:  # noqa: FBT001 (what it is set to)
        """Suspend serving, or go on."""
        self.is_held = is_held
        if self._queue:
            self._go_on()
