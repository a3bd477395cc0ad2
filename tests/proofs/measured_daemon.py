"""twistd whose reactor notes how long each of its turns takes: `measured_daemon.py` takes the options of twistd.

A turn is what is done from the return of one poll to the next one. When the reactor has stopped, the file `turns` in
its working directory has three doubles for each: the moment at which it began, its seconds, and the seconds of
processor time that the reactor's thread had in it. On a machine where others work, the last one is what the daemon
itself needs.
"""

from __future__ import annotations

import time
from array import array
from pathlib import Path
from typing import Any

from attrs import define, field

FILE = Path(__file__)


@define(eq=False)
class NotedPoller:
    """The poller of a reactor, which it asks once a turn."""

    poller: Any
    turns: array[float] = field(factory=lambda: array("d"))
    _began: float = field(factory=time.monotonic)
    _used: float = field(factory=time.thread_time)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.poller, name)

    def poll(self, *arguments: Any) -> Any:
        """End a turn, poll, and start the next."""
        self.turns.extend((self._began, time.monotonic() - self._began, time.thread_time() - self._used))
        found = self.poller.poll(*arguments)
        self._began, self._used = time.monotonic(), time.thread_time()
        return found

    def write(self, path: Path) -> None:
        """Write all of them."""
        path.write_bytes(self.turns.tobytes())


@define
class Turns:
    """The turns in a period, as read from the file."""

    took: list[float]
    used: list[float]
    seconds: float

    @classmethod
    def read(cls, directory: Path, begun: float, ended: float) -> Turns:
        """Read the turns that began in a period."""
        turns = array("d")
        turns.frombytes((directory / "turns").read_bytes())
        within = [at for at in range(0, len(turns), 3) if begun <= turns[at] < ended]
        return cls([turns[at + 1] for at in within], [turns[at + 2] for at in within], ended - begun)

    def told(self, most: float) -> str:
        """Return a line about them: how many there were, how long the longest were, and how many were too long."""
        by_clock, by_work = sorted(self.took), sorted(self.used)
        p99, last = int(0.99 * len(by_work)), len(by_work) - 1
        long = f"{sum(took > most for took in by_clock)} and {sum(used > most for used in by_work)}"
        return (
            f"{len(by_work)} turns, {100 * sum(by_work) / self.seconds:.0f} % of a processor; by the clock p99 "
            f"{1e3 * by_clock[p99]:.2f} ms, longest {1e3 * by_clock[last]:.1f} ms; in processor time p99 "
            f"{1e3 * by_work[p99]:.2f} ms, longest {1e3 * by_work[last]:.1f} ms; over {1e3 * most:g} ms: {long}"
        )


if __name__ == "__main__":
    from twisted.internet import reactor
    from twisted.scripts.twistd import run

    noted = reactor._poller = NotedPoller(reactor._poller)
    # Twisted ends the process by the signal that stopped it, and nothing runs at exit.
    reactor.addSystemEventTrigger("after", "shutdown", noted.write, Path("turns").resolve())
    run()
