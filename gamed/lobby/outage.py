"""The time for which the disk does not take the journal: no new games, and those that run are held.

Source: docs/topics/design.md#the-journal. While it lasts nothing is read from peers, no event leaves, and the rooms'
clock stands still, so that nobody loses by it; it ends by itself when the disk takes what it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from gamed.core.errors import StoreError
from gamed.core.stats import Stats

log = Logger()

AGAIN: Final = 1.0
"""Seconds until what the disk has refused is offered again, and that peers have after a hold before they are late."""


PATIENCE: Final = 1.0
"""Seconds for which a limit that is over waits, at most, until what has arrived in time is served."""


def _no() -> bool:
    return False


@define(eq=False)
class Outage:
    """Whether there is an outage, and what is held in it."""

    clock: IReactorTime
    stats: Stats
    again: Callable[[], None]
    """Tries the disk. It is called every second until `end`."""

    reason: str = ""
    """What the disk has said; "" if there is no outage."""

    is_held: bool = False
    """Whether nothing is read and no clock runs."""

    on_hold: list[Callable[[bool], None]] = field(factory=list)
    """Called with whether all is held from now on."""

    ended_at: float = float("-inf")
    """When the last outage has ended."""

    turned_away: int = 0
    """How many newcomers were not seated in it."""

    _began_at: float = 0.0

    def begin(self, reason: str) -> None:
        """Open no more rooms. Does nothing if that is so already."""
        if self.reason:
            return
        self.reason = reason
        self._began_at = self.clock.seconds()
        self.turned_away = 0
        self.stats.outages += 1
        log.error("no new games until the disk takes them: {reason}", reason=reason)
        self.clock.callLater(AGAIN, self._try)

    def _try(self) -> None:
        self.again()
        if self.reason:
            self.clock.callLater(AGAIN, self._try)

    def check(self) -> None:
        """Raise StoreError in an outage: no new game can be journalled."""
        if self.reason:
            self.turned_away += 1
            raise StoreError(f"no new games: {self.reason}")

    def hold(self) -> None:
        """Hold all that runs."""
        self._set_held(is_held=True)

    def end(self) -> None:
        """Let all go on."""
        if not self.reason:
            return
        self.reason = ""
        self.ended_at = self.clock.seconds()
        seconds = self.ended_at - self._began_at
        self.stats.outage_seconds += seconds
        text = "the disk takes games again, after {seconds:.0f} s; newcomers that were not seated: {turned_away}"
        log.warn(text, seconds=seconds, turned_away=self.turned_away)
        self._set_held(is_held=False)

    def _set_held(self, *, is_held: bool) -> None:
        if self.is_held is is_held:
            return
        self.is_held = is_held
        if is_held:
            log.warn("all games are held: nothing is read, no clock runs")
        for part in self.on_hold:
            part(is_held)

    def timer(self, seconds: float, call: Callable[[], None], has_unread: Callable[[], bool] = _no) -> Timer:
        """Return a running timer that does not fire while all is held."""
        timer = Timer(self, call, has_unread)
        timer.set(seconds)
        return timer


@define(eq=False)
class Timer:
    """A call that is to be made later, but not during a hold or right after it, when its peer could not be heard."""

    outage: Outage
    call: Callable[[], None]
    has_unread: Callable[[], bool]
    """Whether something is still to be served that may make the call needless."""

    _until: float | None = None
    """How long that is waited for, once the call is due."""

    _delayed: IDelayedCall | None = None

    def set(self, seconds: float) -> None:
        """Have the call made in so many seconds."""
        self._delayed = self.outage.clock.callLater(seconds, self._due)

    def _due(self) -> None:
        # The call knows the timer: none of them is to wait for the garbage collector.
        self._delayed = None
        outage = self.outage
        if outage.is_held or outage.clock.seconds() - outage.ended_at < AGAIN:
            self.set(AGAIN)
            return
        if self._until is None:
            self._until = outage.clock.seconds() + PATIENCE
        if outage.clock.seconds() < self._until and self.has_unread():
            self.set(0)
        else:
            self.call()

    def active(self) -> bool:
        """Whether the call is still to come."""
        return self._delayed is not None and bool(self._delayed.active())

    def cancel(self) -> None:
        """Prevent the call."""
        assert self._delayed is not None
        self._delayed.cancel()
        self._delayed = None
