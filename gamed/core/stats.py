"""What is counted while games run: plain numbers, because they are counted on the way of a move.

Source: docs/reference/metrics.md, which says what each becomes for Prometheus.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Final

from attrs import define, field

MILLISECONDS: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Bounds in seconds for what should take no time: the way of a move, a write, a pause."""


@define
class Histogram:
    """How often a quantity fell below each bound. `counts` has one more than `bounds`: what is above all of them."""

    bounds: tuple[float, ...] = MILLISECONDS
    counts: list[int] = field(init=False)
    total: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    @property
    def count(self) -> int:
        """How many values there were."""
        return sum(self.counts)


@define
class Stats:
    """All counts of a daemon since its start. Games by kind, endings by kind and termination, findings by code.

    `refusals`: messages that had no effect, by code.
    `latency`: seconds from a move's arrival to the last of its events; `appends`, `keeps`: seconds of a write of the
    journal and of a record's storing; `stalls`: of the gaps between the reactor's passes; `pauses`: of the garbage
    collector's. `outages`: times for which the disk took no journal, `outage_seconds`: of those that have ended.
    `wrong_passwords`: by listener; `password_alarms`: how often the log warned that there were too many.
    """

    moves: Counter[str] = field(factory=Counter)
    opened: Counter[str] = field(factory=Counter)
    ended: Counter[tuple[str, str]] = field(factory=Counter)
    findings: Counter[tuple[str, str]] = field(factory=Counter)
    refusals: Counter[str] = field(factory=Counter)
    latency: Histogram = field(factory=Histogram)
    appends: Histogram = field(factory=Histogram)
    keeps: Histogram = field(factory=Histogram)
    stalls: Histogram = field(factory=Histogram)
    pauses: Histogram = field(factory=Histogram)
    append_errors: int = 0
    outages: int = 0
    outage_seconds: float = 0.0
    keep_errors: int = 0
    store_timeouts: int = 0
    faults: int = 0
    wrong_passwords: Counter[str] = field(factory=Counter)
    password_alarms: int = 0


@define
class Traffic:
    """What one listener has seen. `refused`: connections, by cause."""

    accepted: int = 0
    received: int = 0
    sent: int = 0
    refused: Counter[str] = field(factory=Counter)
