"""Outages of the disk: while it refuses the journal, there are no new games, and the running ones are held.

During an outage nothing is read from peers, no event leaves, and the rooms' clock is stopped, so that nobody loses
because of it. The disk is tried every second, and the outage ends when it accepts a write.

Source: docs/topics/design.md#the-journal.
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
"""Seconds between two attempts to write. After a hold, time limits do not end for as long, so that peers can answer."""


PATIENCE: Final = 1.0
"""The most seconds for which an expired time limit waits until input that has arrived in time is served."""


def _no() -> bool:
    return False


@define(eq=False)
class Outage:
    """The state of the disk: whether there is an outage, and whether games are held because of it."""

    clock: IReactorTime
    stats: Stats
    again: Callable[[], None]
    """Tries the disk. It is called every second until `end`."""

    reason: str = ""
    """The error of the disk; "" if there is no outage."""

    is_held: bool = False
    """Whether nothing is read and no clock runs."""

    on_hold: list[Callable[[bool], None]] = field(factory=list)
    """Called at the beginning and the end of a hold, with `is_held`."""

    ended_at: float = float("-inf")
    """When the last outage ended."""

    turned_away: int = 0
    """How many peers were not seated because of it."""

    _began_at: float = 0.0

    def begin(self, reason: str) -> None:
        """Begin an outage: no more rooms are opened. Does nothing during an outage."""
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
        """Hold the running games."""
        self._set_held(is_held=True)

    def end(self) -> None:
        """End the outage, and let games go on."""
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
        """Return a running timer that does not fire during a hold."""
        timer = Timer(self, call, has_unread)
        timer.set(seconds)
        return timer


@define(eq=False)
class Timer:
    """A delayed call for a time limit of a peer. It is not made during a hold or just after it.

    When the call is due, input of the peer that has arrived in time may still be unread. It may make the call needless,
    so the call waits for it, but no longer than `PATIENCE`.
    """

    outage: Outage
    call: Callable[[], None]
    has_unread: Callable[[], bool]
    """Whether there is such input."""

    _until: float | None = None
    """When the call is made in spite of such input; None: it is not due yet."""

    _delayed: IDelayedCall | None = None

    def set(self, seconds: float) -> None:
        """Schedule the call."""
        self._delayed = self.outage.clock.callLater(seconds, self._due)

    def _due(self) -> None:
        # The delayed call refers to this timer, so both would be in a reference cycle.
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
        """Whether the call is pending."""
        return self._delayed is not None and bool(self._delayed.active())

    def cancel(self) -> None:
        """Prevent the call."""
        assert self._delayed is not None
        self._delayed.cancel()
        self._delayed = None
