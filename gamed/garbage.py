"""When Python's garbage collector works: the full collections wait until nobody plays.

Source: issue "Running it", 8. What is young is collected as Python does it, which takes less than a millisecond. A full
collection looks at everything that lives, and takes longer the more rooms are open: it is made when nothing was handled
for a while, or when so much may have piled up that waiting would cost memory.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from typing import Final

from attrs import define

QUIET_BEATS: Final = 3
"""Beats of the heartbeat without work after which a full collection disturbs nobody."""

WORTHWHILE: Final = 10
"""Collections of the middle generation that make a full one worth while: Python's own number."""

MOST: Final = 400
"""So many of them make it due, work or not: each leaves at most some thousand objects behind."""

NEVER: Final = 1_000_000

_trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Gives freed memory back to the system; glibc keeps most of it otherwise. Other C libraries have no such function."""


@define(eq=False)
class IdleCollector:
    """Makes the full collections. `handled`: counts what was done; it need not say what."""

    handled: Callable[[], int]
    _seen: int = -1
    _quiet: int = 0
    _thresholds: tuple[int, int, int] | None = None

    def start(self) -> None:
        """Keep what is there out of all collections, and take the full ones over from Python."""
        # What the start has made stays: the collector need not look at it again in each of its rounds.
        gc.collect()
        gc.freeze()
        self._thresholds = gc.get_threshold()
        gc.set_threshold(self._thresholds[0], self._thresholds[1], NEVER)

    def stop(self) -> None:
        """Give them back."""
        if self._thresholds is not None:
            gc.set_threshold(*self._thresholds)
            self._thresholds = None

    def beat(self) -> None:
        """Collect if it is time."""
        if self._thresholds is None:
            return
        handled = self.handled()
        self._quiet = self._quiet + 1 if handled == self._seen else 0
        self._seen = handled
        waiting, is_quiet = gc.get_count()[2], self._quiet >= QUIET_BEATS
        if waiting >= MOST or (waiting >= WORTHWHILE and is_quiet):
            gc.collect()
            if is_quiet and _trim is not None:
                _trim(0)
            self._quiet = 0
