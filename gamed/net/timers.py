"""Timers that do not depend on the system clock.

Twisted's timers use `time.time`. If the clock were set back by an hour, all of them would fire an hour late, the
watchdog's included. If it were set forward, all time limits would be over at once.
"""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Callable
from typing import Final

from attrs import define, field
from twisted.internet.main import installReactor
from twisted.logger import Logger

log = Logger()

STEP: Final = 1.0
"""The smallest step of the system clock, in seconds, that is logged. NTP adjusts it by less, and slowly."""


def install_reactor() -> None:
    """Install a `TurnReactor`, unless another one is installed, such as one that `twistd --reactor` names.

    Other reactors keep Twisted's clock, and so do systems without epoll.
    """
    if "twisted.internet.reactor" not in sys.modules and hasattr(select, "epoll"):
        from gamed.net.turn_reactor import TurnReactor  # noqa: PLC0415 (not where there is no epoll)

        installReactor(TurnReactor())


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
