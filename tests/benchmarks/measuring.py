"""How the benchmarks measure: processor time and memory of processes, by turns with those of a reference."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from tests.daemon import SCRIPTS, Daemon, running

HERE = Path(__file__).parent
ROUNDS = 3
IMPORT = "import twisted.internet.reactor"
"""What every Twisted program does before its own work; start and memory are compared with it."""


def cpu_seconds(pid: int) -> float:
    """Return the processor time that all threads of a process have used."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def resident_bytes(pid: int) -> int:
    """Return the memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@frozen
class Programs:
    """The gamed that is measured: the one of this checkout, or of another (`--against`)."""

    scripts: Path = SCRIPTS
    """The directory with its `python`, `twistd` and `gamed`."""

    @contextlib.contextmanager
    def daemon(self, **options: Any) -> Iterator[Daemon]:
        """Run a daemon in a directory of its own for the time of a with-block.

        Raises AssertionError if its log has lines that should not be there.
        """
        with tempfile.TemporaryDirectory() as name:
            with running(Path(name), scripts=self.scripts, **options) as daemon:
                yield daemon
            if daemon.unexpected() or "finding" in daemon.text():
                raise AssertionError("the daemon's log has lines that should not be there")


@frozen
class Figure:
    """One line of the table: what is measured, in which unit, and what is aimed at."""

    title: str
    unit: str
    reference: str = ""
    """What the measurement's reference is called; empty: the figure has none."""

    most: float | None = None
    """The largest ratio to the reference that is aimed at; without a reference, the largest value."""

    most_of_before: float | None = None
    """The largest ratio to `--against` that is aimed at."""


Measure = Callable[[Programs], Sequence[float]]


@frozen
class Measurement:
    """What one run measures: a number for each of its figures."""

    name: str
    """Its name on the command line; measurements of one topic share it."""

    figures: tuple[Figure, ...]
    measure: Measure
    reference: Callable[[], Sequence[float]] | None = None
    """Measures the same of the reference."""

    in_process: bool = False
    """Whether it calls the code itself, so that another checkout cannot be measured."""


@define
class Samples:
    """What the rounds brought for one figure, a number a round."""

    figure: Figure
    ours: list[float] = field(factory=list)
    reference: list[float] = field(factory=list)
    before: list[float] = field(factory=list)

    def ratios(self, others: list[float]) -> list[float]:
        """Return ours to others, round by round."""
        return [mine / other for mine, other in zip(self.ours, others, strict=True)]


def measured(measurement: Measurement, before: Programs | None, rounds: int) -> list[Samples]:
    """Measure the reference, the other checkout and this one by turns, so many rounds."""
    table = [Samples(figure) for figure in measurement.figures]
    for _ in range(rounds):
        sides: dict[str, Callable[[], Sequence[float]]] = {"ours": lambda: measurement.measure(Programs())}
        if before is not None and not measurement.in_process:
            sides = {"before": lambda: measurement.measure(before), **sides}
        if measurement.reference is not None:
            sides = {"reference": measurement.reference, **sides}
        for side, measure in sides.items():
            for samples, value in zip(table, measure(), strict=True):
                getattr(samples, side).append(value)
    return table


def settle(seconds: float = 1.5) -> None:
    """Wait until records are stored: what is measured includes them."""
    time.sleep(seconds)
