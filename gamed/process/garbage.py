"""Scheduling of Python's garbage collector: the youngest generation often, full collections only when nobody plays.

Python starts a young collection when many more objects were allocated than freed. While peers connect and disconnect,
both numbers grow alike, so that tens of thousands of young objects gather, whose collection takes 20 ms. Here the
youngest generation is collected every 20 ms, when it has a thousand objects at most. A full collection takes longer the
more rooms are open, some tenths of a second for thousands. So it waits until the daemon has been idle for a while.

It may wait long, because reference counts free what games and peers leave behind: rooms, sessions and timers are not
part of reference cycles (`tests/net/test_release.py`). In case that something else is, memory has a bound: if much more
is in use than after the last full collection, there is another one, whatever it delays.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Final

from attrs import define

from gamed.core.stats import Histogram

IDLE_BEATS: Final = 250
"""Beats of the stall clock without work after which there is a full collection: five seconds."""

LOOK_BEATS: Final = 500
"""Beats between two checks of how much memory is in use."""

MANY: Final = 4_000_000
"""Growth in blocks of memory, some 400 MB, that causes a full collection although the daemon is not idle."""

NEVER: Final = 1_000_000
"""A threshold that is not reached: Python itself does not start such a collection."""

LARGE: Final = 1024 * 1024
"""The size in bytes from which on glibc returns a freed block to the system."""

_trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Returns freed memory to the system, most of which glibc would keep. Other C libraries do not have this function."""

_set_malloc: Callable[[int, int], int] | None = getattr(ctypes.CDLL(None), "mallopt", None)
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3


def keep_no_large_blocks() -> None:
    """Have large blocks of memory returned to the system when they are freed.

    By default, glibc keeps freed blocks up to the size of the largest one that was ever freed, and does so for each
    thread. Each thread that had checked a password, or read an imported file, kept 16 MiB and more forever.
    """
    if _set_malloc is not None:
        _set_malloc(_MMAP_THRESHOLD, LARGE)
        # glibc no longer adapts this one when the other is set. With its 128 KiB the heap would shrink and grow often.
        _set_malloc(_TRIM_THRESHOLD, 2 * LARGE)


@define(eq=False)
class IdleCollector:
    """Collects the youngest generation at each beat of the stall clock, and everything when the daemon is idle."""

    handled: Callable[[], int]
    """Returns a number that changes with all work, such as a count of bytes."""

    _seen: int = -1
    """What `handled` returned last."""

    _quiet: int = 0
    """Beats since the last work."""

    _beats: int = 0
    _thresholds: tuple[int, int, int] | None = None
    """Python's thresholds before `start`."""

    _used: int = 0
    """Blocks of memory in use after the last full collection."""

    def start(self) -> None:
        """Exempt the objects of the start from collections, and switch off Python's own collections of old objects.

        Garbage of the start is collected when the daemon is idle: a full collection now would take a tenth of the time
        of a start.
        """
        keep_no_large_blocks()
        gc.freeze()
        self._used = sys.getallocatedblocks()
        self._thresholds = gc.get_threshold()
        gc.set_threshold(self._thresholds[0], NEVER, NEVER)

    def stop(self) -> None:
        """Restore Python's thresholds."""
        if self._thresholds is not None:
            gc.set_threshold(*self._thresholds)
            self._thresholds = None

    def beat(self) -> None:
        """Collect what is due."""
        if self._thresholds is None:
            return
        handled = self.handled()
        self._quiet = self._quiet + 1 if handled == self._seen else 0
        self._seen = handled
        self._beats += 1
        if self._quiet == IDLE_BEATS:
            self._collect()
            if _trim is not None:
                _trim(0)
        elif self._beats % LOOK_BEATS == 0 and sys.getallocatedblocks() - self._used > MANY:
            self._collect()
        else:
            gc.collect(0)

    def _collect(self) -> None:
        """Collect everything, and exempt what survives, so that the following collections are short."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._used = sys.getallocatedblocks()


@define(eq=False)
class GarbagePauses:
    """Measures the pauses of Python's garbage collector."""

    pauses: Histogram
    _began: float = 0.0
    """When the running collection began."""

    def start(self) -> None:
        """Start measuring."""
        gc.callbacks.append(self._note)

    def stop(self) -> None:
        """Stop measuring."""
        if self._note in gc.callbacks:
            gc.callbacks.remove(self._note)

    def _note(self, phase: str, _info: Mapping[str, int]) -> None:
        if phase == "start":
            self._began = perf_counter()
        else:
            self.pauses.observe(perf_counter() - self._began)
