"""When Python's garbage collector works: what is young is collected often, and all that lives when nobody plays.

Python begins a young collection by how many more objects were made than freed. While peers come and go these are about
as many, so that tens of thousands of young objects gather, whose collection takes 20 ms. Here the youngest ones are
collected every 20 ms, and there are a thousand at most. A collection of all that lives takes the longer the more rooms
are open, some tenths of a second for thousands; it waits until nothing was handled for a while.

Reference counts free all that games and peers leave behind, however long nobody is idle: rooms, sessions and timers are
not part of reference cycles (`tests/net/test_release.py`). Should anything else be, memory has a bound: all is
collected, whatever it delays, when much more is in use than after the last such collection.
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
"""Beats of the stall clock without work after which a collection of all disturbs nobody: five seconds."""

LOOK_BEATS: Final = 500
"""Beats from one look at how much is in use to the next."""

MANY: Final = 4_000_000
"""Blocks of memory that may come to be in use before all is collected, work or not: some 400 MB."""

NEVER: Final = 1_000_000

LARGE: Final = 1024 * 1024
"""Bytes of memory from which on glibc gives a block back as soon as it is freed."""

_trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Gives freed memory back to the system; glibc keeps most of it otherwise. Other C libraries have no such function."""

_set_malloc: Callable[[int, int], int] | None = getattr(ctypes.CDLL(None), "mallopt", None)
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3


def keep_no_large_blocks() -> None:
    """Have large blocks of memory given back to the system when they are freed.

    By itself, glibc takes the largest block that was ever freed as the size up to which it keeps blocks, for each
    thread apart: each thread that had judged a password, or read an imported file, kept 16 MiB and more for good.
    """
    if _set_malloc is not None:
        _set_malloc(_MMAP_THRESHOLD, LARGE)
        # The default with a fixed threshold would ask the system for every 128 KiB of the heap.
        _set_malloc(_TRIM_THRESHOLD, 2 * LARGE)


@define(eq=False)
class IdleCollector:
    """Makes these collections."""

    handled: Callable[[], int]
    """Counts what was done; it need not say what."""

    _seen: int = -1
    _quiet: int = 0
    """Beats since something was done."""

    _beats: int = 0
    _thresholds: tuple[int, int, int] | None = None
    """What Python had before `start`."""

    _used: int = 0
    """Blocks of memory in use after the last collection of all."""

    def start(self) -> None:
        """Keep out what is there, and take all but the youngest ones' collections over from Python.

        Freed memory that is large is not kept from now on, either. What the start left for the collector is collected
        when nobody plays: a collection of all now would take a tenth of the time of a start.
        """
        keep_no_large_blocks()
        gc.freeze()
        self._used = sys.getallocatedblocks()
        self._thresholds = gc.get_threshold()
        gc.set_threshold(self._thresholds[0], NEVER, NEVER)

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
        """Collect all, and keep out what survives, so that the next collection of the young is short."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._used = sys.getallocatedblocks()


@define(eq=False)
class GarbagePauses:
    """Measures the pauses of Python's garbage collector."""

    pauses: Histogram
    _began: float = 0.0

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
