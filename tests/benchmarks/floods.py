"""Honest games while all listeners are flooded at once, and the turns of the reactor meanwhile.

Times are those of the honest clients, in a process of their own; turns are noted in the daemon
(tests/proofs/measured_daemon.py). The flood, its 800 slow peers and the kernel's work for them share the machine with
the games. So the same games are also played on a second daemon that nobody floods: what its moves take longer is the
machine's part.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import define

from tests.benchmarks.measuring import Programs
from tests.proofs.flooders import Flooder
from tests.proofs.guests import LISTENERS, daemon_of_all, described
from tests.proofs.measured_daemon import FILE, Turns
from tests.proofs.paced import Paced, p99

PAIRS, PERIOD = 10, 0.05
SECONDS = 10.0
"""How long the quiet time is; the flood lasts twice as long."""

ADDRESSES, SLOW = 400, 800
MOST = 0.005
"""Seconds that no turn of the reactor should take longer than."""


@define
class Found:
    """What a run has shown."""

    quiet: list[float]
    flooded: list[float]
    neighbour: list[float]
    """Of the daemon that is not flooded, in the same time."""

    turns: Turns
    quiet_turns: Turns
    said: list[str]
    unexpected: list[str]
    peak_kib: int

    @property
    def ratio(self) -> float:
        """How many times as long a move takes while there is a flood, at the 99th percentile."""
        return p99(self.flooded) / p99(self.quiet)

    @property
    def ratio_to_neighbour(self) -> float:
        """How many times as long it takes as on the daemon that is not flooded."""
        return p99(self.flooded) / p99(self.neighbour)

    def report(self) -> None:
        """Print it."""
        for line in self.said:
            print(f"    {line}")
        print(f"  {described('quiet', self.quiet)}")
        print(f"  {described('flooded', self.flooded)}; p99 {self.ratio:.2f} times as long")
        print(
            f"  {described('neighbour', self.neighbour)}; p99 {self.ratio_to_neighbour:.2f} times as long with a flood"
        )
        print(f"    quiet: {self.quiet_turns.told(MOST)}")
        print(f"    flooded: {self.turns.told(MOST)}; peak of memory {self.peak_kib // 1024} MiB")


def flooded(programs: Programs) -> Sequence[float]:
    """Return two ratios of a move's time, and the longest turns in milliseconds by work and by the clock.

    The ratios are to the quiet time, and to the daemon that is not flooded.
    """
    with tempfile.TemporaryDirectory() as directory:
        found = run(Path(directory), SECONDS, programs)
    found.report()
    return (found.ratio, found.ratio_to_neighbour, 1e3 * max(found.turns.used), 1e3 * max(found.turns.took))


def run(directory: Path, seconds: float, programs: Programs) -> Found:
    """Play for some seconds, and then go on for twice as many while there is a flood, which begins in the first."""
    with contextlib.ExitStack() as stack:
        (directory / "neighbour").mkdir(parents=True)
        neighbour, _ = daemon_of_all(directory / "neighbour")
        daemon, ports = daemon_of_all(directory)
        daemon.program = [programs.scripts / "python", FILE]
        for each in (neighbour, daemon):
            each.start()
            stack.callback(each.kill)
        flooders = [Flooder(name, ports[name], ADDRESSES, SLOW // len(ports)) for name in LISTENERS]
        for flooder in flooders:
            stack.callback(flooder.kill)
            flooder.expect("ready")
        games = int(PAIRS * (2 + (3 * seconds + 2) / PERIOD / 85))
        paced = [Paced(each.port, PAIRS, games, PERIOD) for each in (daemon, neighbour)]
        for one in paced:
            stack.callback(one.kill)
        time.sleep(1.0)
        with paced[0].during("quiet"):
            time.sleep(seconds)
        with paced[0].during("flooded"), paced[1].during("flooded"):
            for flooder in flooders:
                flooder.go()
            time.sleep(2 * seconds)
        took, beside = (one.sends() for one in paced)
        said = [flooder.finish().strip() for flooder in flooders]
        status = Path(f"/proc/{daemon.process.pid}/status").read_text()
        daemon.stop()
        return Found(
            took["quiet"],
            took["flooded"],
            beside["flooded"],
            Turns.read(daemon.directory, *paced[0].times["flooded"]),
            Turns.read(daemon.directory, *paced[0].times["quiet"]),
            said,
            daemon.unexpected(),
            int(status.partition("VmHWM:")[2].split()[0]),
        )
