"""A real daemon on a small filesystem that is filled up while games run, and emptied again.

The filesystem is a tmpfs of its own, so root is needed; the errors that a tmpfs does not make (EIO, EROFS, syncs that
fail) are injected in tests/store/test_faults.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from random import Random

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamed.core.game import Termination
from tests.daemon import Daemon, free_port
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.clients import connection
from tests.proofs.evidence import settle
from tests.proofs.test_kills import Round, Stats

SIZE = "64m"

UNDER_WAY = 4
"""Lines that a client may still get when games are held: the start of a game, or an answer and a shot. They were let go
before, and a client answers none of them before it has them, so a game that is not held brings far more.
"""

GAMES = 10
"""Games that end before the disk is filled, and after it was emptied: with each filling, more than five victories."""


class FullDiskTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.state = self.folder / "state"
        self.state.mkdir(parents=True)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "gamed-test", str(self.state)]
        if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
            raise SkipTest("a filesystem can be mounted by root only")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(self.state)], check=True)

    def daemon(self, durability: str) -> Daemon:
        daemon = Daemon(self.state, durability=durability)
        self.web = free_port()
        with daemon.config.open("a") as file:
            file.write(f'[web]\nendpoint = "tcp:{self.web}:interface=127.0.0.1"\n')
        # What the disk's fullness does to a log is not the question.
        daemon.log = self.folder / f"{durability}.log"
        self.addCleanup(lambda: daemon.process.poll() is None and daemon.kill())
        daemon.start()
        return daemon

    def fill(self) -> None:
        """Fill the filesystem to the last byte."""
        with (self.state / "ballast").open("wb", buffering=0) as file:
            for size in (65_536, 1):
                try:
                    while file.write(b"x" * size):
                        pass
                except OSError:
                    continue

    def readiness(self) -> dict[str, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.web}/readyz", timeout=10) as answer:
                return json.load(answer)["problems"]
        except urllib.error.HTTPError as answer:
            return json.load(answer)["problems"]

    def wait(self, one: Round, done: object) -> float:
        """Continue playing until a condition holds; return the seconds."""
        assert callable(done)
        begun = time.monotonic()
        while not done():
            if time.monotonic() - begun > 20:
                raise AssertionError(one.daemon.text()[-3000:])
            one.crowd.run(0.05)
        return time.monotonic() - begun

    def play(self, one: Round) -> None:
        """Play until some more games have ended, one in seven because a client left."""
        before = sum(client.ended for client in one.crowd.clients)
        self.wait(one, lambda: sum(client.ended for client in one.crowd.clients) >= before + 2 * GAMES)

    def check(self, durability: str, times: int) -> None:
        random, stats, held = Random(times), Stats(), []
        daemon = self.daemon(durability)
        one = Round(daemon, random, stats)
        try:
            for number in range(1, times + 1):
                one.crowd.at_once = 9
                self.play(one)
                one.crowd.at_once = 0
                self.fill()
                self.wait(one, lambda number=number: daemon.text().count("all games are held") == number)
                lines = [len(client.lines) for client in one.crowd.clients]
                one.crowd.run(0.5)
                for client, before in zip(one.crowd.clients, lines, strict=True):
                    self.assertLessEqual(len(client.lines), before + UNDER_WAY)
                received = [len(client.received) for client in one.crowd.clients]
                one.crowd.run(1.5)
                self.assertEqual([len(client.received) for client in one.crowd.clients], received)
                self.assertIn("cannot write to the journal", self.readiness()["journal"])
                with connection(daemon.port) as newcomer:
                    newcomer.settimeout(10)
                    self.assertEqual(newcomer.recv(100), b"")
                (self.state / "ballast").unlink()
                held.append(self.wait(one, lambda n=number: daemon.text().count("the disk takes games again") == n))
                self.wait(one, lambda: "journal" not in self.readiness())
                # Those that were held play on.
                self.wait(one, lambda: not one.crowd._selector.get_map() or not playing(one))
            one.crowd.at_once = 9
            self.play(one)
            daemon.stop()
            one.crowd.drain()
            before = one.evidence()
            # What could not be forgotten on the full disk is found again, and its record is there already.
            daemon.start()
            settle(self.state)
            daemon.stop()
            one.check_records(before, Termination.SHUTDOWN)
        finally:
            one.crowd.close()
        self.assertEqual([line for line in daemon.text().splitlines() if "server fault" in line], [])
        self.assertGreater(stats.ends["victory"], 5 * times)
        print(f"\nfilled {times} times ({durability}), on again within {max(held):.1f} s: {stats}")

    def test_games_are_held_and_go_on(self) -> None:
        for durability in ("process", "disk"):
            self.check(durability, amount(10, 1))
            for path in (self.state / "journal").iterdir():
                path.unlink()


def playing(one: Round) -> bool:
    """Whether a client whose game has begun is still connected."""
    return any(client.is_started and not client.ended for client in one.crowd.clients)
