"""When Python's garbage collector works: the long collections wait until nobody plays.

What is young is collected as Python does it, which takes some milliseconds at most. What has become older is collected
in small chunks, between two turns of the reactor: what survives is kept out of the chunks that follow. A collection
of all that lives takes the longer the more rooms are open; it waits until nothing was handled for a while, and is made
without that only when very much was kept.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Final

from attrs import define

from gamed.core.stats import Histogram

IDLE_BEATS: Final = 250
"""Beats of the stall clock without work after which a collection of all disturbs nobody: five seconds."""

PORTION: Final = 2
"""Collections of the middle generation that make a chunk: some ten thousand objects at most, some milliseconds."""

MOST_KEPT: Final = 500_000
"""Objects kept out since all was collected that make a collection of all due, work or not, if half as many live."""

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
    """Makes these collections. `handled`: counts what was done; it need not say what.

    `_kept`: how many objects were kept out since the last collection of all, which left `_least`.
    """

    handled: Callable[[], int]
    _seen: int = -1
    _quiet: int = 0
    _thresholds: tuple[int, int, int] | None = None
    _least: int = 0
    _kept: int = 0

    def start(self) -> None:
        """Keep what is there out of all collections, and take the full ones over from Python.

        Freed memory that is large is not kept from now on, either. What the start itself left for the collector is
        collected as soon as nothing is handled: a full collection now would be a tenth of the time that a start takes.
        """
        keep_no_large_blocks()
        gc.freeze()
        self._least, self._kept = gc.get_freeze_count(), 1
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
        if self._quiet == IDLE_BEATS:
            if self._kept:
                self._collect_all()
            if _trim is not None:
                _trim(0)
        elif gc.get_count()[2] >= PORTION:
            self._collect_chunk()

    def _collect_chunk(self) -> None:
        """Collect what is not kept out, and keep out what survives."""
        gc.collect()
        self._kept += len(gc.get_objects(2))
        gc.freeze()
        if self._kept > MOST_KEPT:
            # Most of what was kept has died since, as most things do, without a collector.
            self._kept = gc.get_freeze_count() - self._least
            if self._kept > MOST_KEPT // 2:
                self._collect_all()

    def _collect_all(self) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._least, self._kept = gc.get_freeze_count(), 0


@define(eq=False)
class GarbagePauses:
    """Measures how long the garbage collector stops everything."""

    pauses: Histogram
    _began: float = 0.0

    def start(self) -> None:
        """Listen to the collector."""
        gc.callbacks.append(self._note)

    def stop(self) -> None:
        """Stop listening."""
        if self._note in gc.callbacks:
            gc.callbacks.remove(self._note)

    def _note(self, phase: str, _info: Mapping[str, int]) -> None:
        if phase == "start":
            self._began = perf_counter()
        else:
            self.pauses.observe(perf_counter() - self._began)
