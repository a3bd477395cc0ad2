"""A queue for what is not served at once: it has a slice of each turn of the reactor.

All game listeners share one: what a session sends within its share is served when it is read, and what goes beyond
waits there. Web requests have one of their own, in which all of them wait. Who waits is served in turns, a few things
each, for `QUEUE_SLICE` of a turn of the reactor in all, or what is left of the turn's budget (gamed/fairness.py):
however many they are, others wait that much longer. Where there is nothing else to do, one turn follows the other at
once.

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

        Return whether more waits. What it raises is logged, and nothing of it waits any more.
        """


@define(eq=False)
class FairQueue:
    """The queue, in which nobody stands twice. `is_held`: nobody is served, as while the disk takes nothing.

    If nobody waits, who comes is served at once, for the time that has passed since somebody was served last, up to a
    slice: a turn of the reactor for each would cost more than most messages. `_left`: seconds of that time that were
    left at `_at`, less than none where the last one overran them.
    """

    clock: IReactorTime
    budget: TurnBudget = field(default=Factory(lambda self: TurnBudget(self.clock.seconds), takes_self=True))
    is_held: bool = False
    _queue: deque[Waiting] = field(factory=deque)
    _left: float = QUEUE_SLICE
    _at: float = 0.0
    _call: IDelayedCall | None = None
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
        now = began = self.clock.seconds()
        left = min(QUEUE_SLICE, self._left + began - self._at)
        waits, until = True, began + left
        while waits and now < until:
            waits = self._serve(who, until)
            now = self.clock.seconds()
        self._left, self._at = until - now, now
        return waits

    def _serve(self, who: Waiting, until: float) -> bool:
        # Who is served may have others come, or itself again: these wait, or calls would nest without end.
        self._is_serving = True
        try:
            return who.serve(until)
        except Exception:  # noqa: BLE001 (whatever it is, the others are served)
            log.failure("server fault: what waited is forgotten")
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
