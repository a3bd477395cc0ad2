"""The clock of a room: the timer that wakes its table.

A table says when it wants to be woken (`Step.wake_at`). A move usually postpones that, so the timer is left alone,
fires too early, and is set again (`_woken`). When the time has really come, an answer that arrived in time may still be
unread. `_judge` therefore waits until the peers that are overdue have no input from before the limit, for one more pass
of the reactor at least and for `PATIENCE` seconds at most.

Source: docs/topics/design.md#time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from attrs import define
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamed.lobby.outage import PATIENCE

HELD = 0.05
"""Seconds between two looks at a clock that is stopped."""


class Clocks(Protocol):
    """What the clocks of all rooms have in common."""

    clock: IReactorTime
    seconds: Callable[[], float]

    @property
    def is_held(self) -> bool:
        """Whether no clock runs."""


class Sleeper(Protocol):
    """A room, as its clock sees it."""

    def may_answer(self, limit: float, now: float) -> bool:
        """Whether a peer that is overdue has input that may have arrived by a limit."""

    def tick(self, now: float) -> None:
        """Wake the table."""


@define(eq=False, repr=False, weakref_slot=False)
class RoomClock:
    """Wakes a room. It is told the room at each call, and has no reference to it that would outlast its timer."""

    services: Clocks
    wake_at: float | None = None
    """When the table wants its `tick`; None: never."""

    _timer: IDelayedCall | None = None
    _fires_at: float = 0.0
    """When the timer fires. That may be before `wake_at`, and then it is set again."""

    def wake(self, room: Sleeper, at: float) -> None:
        """Have the room woken at this time, whatever it wanted before."""
        self.wake_at = at
        # A timer that fires too early is set again by `_woken`. Twisted moves one forward by a search of all timers.
        if self._timer is None:
            self._set_timer(max(0.0, at - self.services.seconds()), self._woken, room)
        elif at < self._fires_at:
            # A cancelled call would stay in the reactor's list until its time, which is an hour for a first client.
            self._timer.reset(max(0.0, at - self.services.seconds()))
            self._fires_at = at

    def stop(self) -> None:
        """Wake nobody any more."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _set_timer(self, delay: float, call: Callable[[Sleeper], None], room: Sleeper) -> None:
        self.stop()
        self._timer = self.services.clock.callLater(delay, call, room)
        self._fires_at = self.services.seconds() + delay

    def _woken(self, room: Sleeper) -> None:
        assert self.wake_at is not None
        now = self.services.seconds()
        left = self.wake_at - now
        if self.services.is_held:
            # The clock is stopped, so `left` does not decrease.
            self._set_timer(max(left, HELD), self._woken, room)
        elif left > 0:
            self._set_timer(left, self._woken, room)
        else:
            # Input that has arrived in time may be unread. The reactor reads at least once more before `_judge`.
            self._set_timer(0, partial(self._judge, self.wake_at, now + PATIENCE), room)

    def _judge(self, limit: float, until: float, room: Sleeper) -> None:
        """Judge the time limits, once overdue peers have no input from before the limit, or at the time `until`."""
        now = self.services.seconds()
        if self.services.is_held or self.wake_at != limit:
            self._woken(room)
        elif now < until and room.may_answer(limit, now):
            self._set_timer(0, partial(self._judge, limit, until), room)
        else:
            self._timer = self.wake_at = None
            room.tick(now)
