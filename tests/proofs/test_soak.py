"""All games for half an hour, with clients that vanish, send junk and reconnect."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.records.index import validate
from gamed.records.record import document
from tests.daemon import Daemon
from tests.proofs import amount, skip, whole  # noqa: F401 (trial looks for `skip`)
from tests.proofs.crowds import MixedCrowd
from tests.proofs.evidence import look, now, open_rooms
from tests.proofs.guests import KINDS, LISTENERS, running_all

SAMPLES = 12
"""How often memory is read; its level at first is the mean of the third and fourth, at the end that of the last two."""

FAULTS = 0.15
PAUSE = 0.002
DRIFT = 0.03
MIB = 1 << 20
KEYS = {"battleship": "idle_seconds = 10.0\nwaiting_seconds = 60.0\n", "roborally": "move_timeout = 10\n"}
"""With these limits, clients that send half a line, or nothing, are disconnected before the proof ends."""


def descriptors(daemon: Daemon) -> int:
    """Return how many file descriptors the daemon has open."""
    return len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir()))


class SoakTests(SynchronousTestCase):
    def test_nothing_is_left_behind(self) -> None:
        seconds = 60 * (30 if whole() else 0.3)
        with running_all(Path(self.mktemp()), KEYS) as (daemon, ports):
            before = self.warmed(daemon, ports)
            crowd = MixedCrowd(daemon.port, 0, Random(6), ports=ports, faults=FAULTS, pause=PAUSE, keeps=False)
            self.addCleanup(crowd.close)
            memory, since = [], now()
            for _ in range(SAMPLES):
                crowd.run(seconds / SAMPLES)
                memory.append(daemon.resident_bytes())
            crowd.close()
            after = self.emptied(daemon)
            self.check_end(daemon, since)
        print(f"\n{before} descriptors before, {after} after")
        self.assertLessEqual(after, before)
        self.report(crowd.done, memory)
        if whole():
            self.assertLess(self.drift(memory), DRIFT)

    def warmed(self, daemon: Daemon, ports: dict[str, int]) -> int:
        """Have a few games played, so that everything is loaded and the pools have their threads.

        Returns how many descriptors are open when they are over.
        """
        crowd = MixedCrowd(daemon.port, 0, Random(5), ports=ports, pause=PAUSE, keeps=False)
        crowd.run(amount(20, 4))
        crowd.close()
        return self.emptied(daemon)

    def emptied(self, daemon: Daemon) -> int:
        """Wait until no game is open and no descriptor is closed for a second; return how many are open.

        An empty lobby of RoboRally may stay: the next one to register gets it.
        """
        until, found = time.monotonic() + 60, 0
        while self.started(daemon) or descriptors(daemon) != found:
            self.assertLess(time.monotonic(), until)
            found = descriptors(daemon)
            time.sleep(1.0)
        return found

    def started(self, daemon: Daemon) -> list[str]:
        """Return the games that are in the journal."""
        return [room for room, history in open_rooms(daemon.directory).items() if history.was_started]

    def check_end(self, daemon: Daemon, since: str) -> None:
        """Each record is valid, there are some of all kinds, and nothing unexpected is in the log."""
        self.assertEqual(daemon.unexpected(), [])
        evidence = look(daemon.directory, since)
        for record in evidence.stored.values():
            validate(document(record))
        self.assertEqual({history.kind for history in evidence.histories().values()}, set(KINDS.values()))

    def drift(self, memory: list[int]) -> float:
        """Return by which share memory has grown since the warm-up."""
        before, after = sum(memory[2:4]) / 2, sum(memory[-2:]) / 2
        return after / before - 1

    def report(self, done: Counter[str], memory: list[int]) -> None:
        """Print what was done, and what it cost."""
        levels = " ".join(f"{level / MIB:.1f}" for level in memory)
        print(f"{dict(sorted(done.items()))}; memory {levels} MiB, drift {100 * self.drift(memory):.2f} %")
        for listener in LISTENERS:
            self.assertGreater(done[f"{listener}: a result"], 0, listener)
