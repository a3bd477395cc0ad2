"""Timers that a step of the system clock does not move.

Twisted's timers run on `time.time`: set back by an hour, they would all fire an hour late, the watchdog's among them,
and set forward, all limits would be over at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from attrs import define, field
from twisted.logger import Logger

log = Logger()

STEP: Final = 1.0
"""Seconds that the system clock has to jump for the log to tell of it: time servers move it by less, and slowly."""


def run_on_monotonic_time(reactor: Any) -> None:
    """Have a reactor's timers run on the monotonic clock. Does nothing once a timer runs on another one."""
    if not reactor.getDelayedCalls():
        # Twisted's reactor reads its clock at each use.
        reactor.seconds = time.monotonic


@define(eq=False)
class ClockSteps:
    """Notices when the system clock is set: records are dated by it, so the log tells of it."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    _offset: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._offset = self.wall() - self.monotonic()

    def look(self) -> None:
        """Compare the clocks."""
        offset = self.wall() - self.monotonic()
        if abs(offset - self._offset) >= STEP:
            log.warn(
                "the system clock was set by {seconds:+.1f} s: no time limit changes, new records have the new date",
                seconds=offset - self._offset,
            )
        self._offset = offset
