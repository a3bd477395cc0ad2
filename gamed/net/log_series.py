"""Limits warnings that strangers can cause: the first ones of each address, and then their number.

Source: docs/topics/design.md#floods.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from attrs import define, field
from twisted.logger import Logger

log = Logger()

FIRST: Final = 10
"""Warnings of an address that are logged in each period."""

IN_ALL: Final = 100
"""Warnings of all addresses that are logged in each period."""

PERIOD: Final = 60.0
"""Seconds."""


@define(eq=False)
class LogSeries:
    """The warnings of one listener."""

    listener: str
    clock: Callable[[], float] = time.monotonic
    _since: float = 0.0
    """When the period began."""

    _logged: Counter[str] = field(factory=Counter)
    """The warnings of this period that were logged, by address."""

    _more: int = 0
    """The other warnings of this period."""

    def warn(self, address: str, text: str, **facts: Any) -> None:
        """Log a warning, or count it. `text`: a format of twisted.logger."""
        now = self.settle()
        if not self._logged:
            self._since = now
        if self._logged[address] >= FIRST or self._logged.total() >= IN_ALL:
            self._more += 1
            return
        self._logged[address] += 1
        log.warn(text, listener=self.listener, address=address, **facts)

    def settle(self) -> float:
        """Log the number of warnings that were not logged, if their period is over. Return the time."""
        now = self.clock()
        if self._logged and now - self._since >= PERIOD:
            if self._more:
                log.warn(
                    "not logged one by one: listener={listener} times={more}", listener=self.listener, more=self._more
                )
            self._logged, self._more = Counter(), 0
        return now
