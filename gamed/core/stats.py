"""Counters and histograms. They are plain numbers, because some are updated once a move.

Source: docs/reference/metrics.md, which has their names for Prometheus.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Final

from attrs import define, field

MILLISECONDS: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Bounds of histograms, in seconds, for durations that should be short: of a move's way, a write, a pause."""


@define
class Histogram:
    """Counts how often a quantity was between two bounds."""

    bounds: tuple[float, ...] = MILLISECONDS
    counts: list[int] = field(init=False)
    """The count up to each bound, from the one before it, and at last the count above all bounds."""

    total: float = 0.0
    """The sum of all values."""

    def __attrs_post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    @property
    def count(self) -> int:
        """The number of values."""
        return sum(self.counts)


@define
class Stats:
    """The numbers of a daemon since its start. All histograms are of seconds."""

    moves: Counter[str] = field(factory=Counter)
    """By game."""

    opened: Counter[str] = field(factory=Counter)
    """Rooms, by game."""

    ended: Counter[tuple[str, str]] = field(factory=Counter)
    """Matches, by game and termination."""

    findings: Counter[tuple[str, str]] = field(factory=Counter)
    """By game and code."""

    refusals: Counter[str] = field(factory=Counter)
    """Messages that had no effect, by code."""

    latency: Histogram = field(factory=Histogram)
    """From a move's arrival to the last of its events."""

    appends: Histogram = field(factory=Histogram)
    """A write to the journal."""

    keeps: Histogram = field(factory=Histogram)
    """Storing a record."""

    stalls: Histogram = field(factory=Histogram)
    """Gaps between the reactor's passes."""

    pauses: Histogram = field(factory=Histogram)
    """Collections of the garbage collector."""

    append_errors: int = 0
    outages: int = 0
    """How often the disk began to refuse the journal."""

    outage_seconds: float = 0.0
    """The duration of the outages that have ended."""

    keep_errors: int = 0
    store_timeouts: int = 0
    faults: int = 0
    """Matches that a fault of ours has ended."""

    wrong_passwords: Counter[str] = field(factory=Counter)
    """By listener."""

    password_alarms: int = 0
    """How often the log warned that there were too many wrong passwords."""


@define
class Traffic:
    """The numbers of one listener."""

    accepted: int = 0
    """Connections."""

    received: int = 0
    """Bytes."""

    sent: int = 0
    """Bytes."""

    refused: Counter[str] = field(factory=Counter)
    """Connections, by cause."""
