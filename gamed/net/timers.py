"""Timers that do not depend on the system clock.

Twisted's timers use `time.time`. If the clock were set back by an hour, all of them would fire an hour late, the
watchdog's included. If it were set forward, all time limits would be over at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from attrs import define, field
from twisted.logger import Logger

log = Logger()

STEP: Final = 1.0
"""The smallest step of the system clock, in seconds, that is logged. NTP adjusts it by less, and slowly."""


def run_on_monotonic_time(reactor: Any) -> None:
    """Have a reactor's timers use the monotonic clock. Does nothing if a timer runs already, by the other clock."""
    if not reactor.getDelayedCalls():
        # Twisted's reactor calls `self.seconds` whenever it needs the time.
        reactor.seconds = time.monotonic


@define(eq=False)
class ClockSteps:
    """Logs when the system clock is set, because records are dated by it."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    _offset: float = field(init=False)
    """Seconds by which the system clock is ahead of the monotonic one."""

    def __attrs_post_init__(self) -> None:
        self._offset = self.wall() - self.monotonic()

    def look(self) -> None:
        """Compare the clocks."""
        before = self.monotonic()
        offset = self.wall() - before
        if self.monotonic() - before >= STEP / 2:
            # The process stood still between the two readings: they say nothing about the system clock.
            return
        if abs(offset - self._offset) >= STEP:
            log.warn(
                "the system clock was set by {seconds:+.1f} s: no time limit changes, new records have the new date",
                seconds=offset - self._offset,
            )
        self._offset = offset
