"""A round-robin queue for what is not served at once. It has a slice of each reactor turn.

All game listeners share one queue: what a session sends within its share is served when it is read, and what goes
beyond that waits here. Web requests have a queue of their own, through which all of them go. Those who wait are served
in turn, a few things each, for `QUEUE_SLICE` of a reactor turn in all, or what is left of the turn's budget
(gamed/fairness.py). So however many wait, they delay everything else by that slice and no more. If the reactor has
nothing else to do, its turns follow each other at once, and the queue is served all the time.

Source: docs/topics/design.md#floods.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from attrs import Factory, define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from gamed.fairness import QUEUE_SLICE, TurnBudget

log = Logger()


class Waiting(Protocol):
    """Who has something to be served: a session, or a web request."""

    def serve(self, until: float) -> bool:
        """Serve a few things: one at least, and no further one once it is `until` on the reactor's clock.

        Return whether more waits. An exception is logged, and drops what waited.
        """


@define(eq=False)
class FairQueue:
    """The queue. Nobody is in it twice.

    If nobody waits, a newcomer is served at once, for the time that has passed since somebody was served last, up to a
    slice: a turn of the reactor for each would cost more than most messages.
    """

    clock: IReactorTime
    budget: TurnBudget = field(default=Factory(lambda self: TurnBudget(self.clock.seconds), takes_self=True))
    """What the turn may still cost; all that shares a turn shares it."""

    is_held: bool = False
    """Whether nobody is served, as while the disk takes nothing."""

    _queue: deque[Waiting] = field(factory=deque)
    _left: float = QUEUE_SLICE
    """Seconds for serving at once that were left at `_at`; below 0 if the last one has overrun them."""

    _at: float = 0.0
    """When somebody was served last."""

    _call: IDelayedCall | None = None
    """The next turn of the queue; None: there is none, because nobody waits or all are held."""

    _is_serving: bool = False

    def __len__(self) -> int:
        """How many wait."""
        return len(self._queue)

    def enter(self, who: Waiting) -> None:
        """Serve somebody at once if nobody else waits and there is time left for that; let the rest wait."""
        if self._queue or self.is_held or self._is_serving or self._serve_now(who):
            self._queue.append(who)
            self._go_on()

    def _serve_now(self, who: Waiting) -> bool:
        """Serve somebody for the time that is left. Return whether something still waits."""
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
        # Serving one may enqueue others, or itself again. They wait, so that calls do not recurse.
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
        """Serve those who wait for a slice, one after the other."""
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
        """Serve nobody, or go on."""
        self.is_held = is_held
        if self._queue:
            self._go_on()
