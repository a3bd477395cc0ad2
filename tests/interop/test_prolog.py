"""Real Prolog clients over real TCP: against each other, against our bots, and how fast.

Source: battleship.md B8 and B12. The client in `prolog/` behaves as the original one does; it was written for this.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import SCRIPTS, free_port, running

HERE = Path(__file__).parent
GAMES = 20
SLOW_GAMES = 3
_SECONDS = re.compile(r"^game \d+: (?:won|lost) in ([0-9.]+) s", re.MULTILINE)


def prolog(port: int, games: int, *more: str) -> subprocess.Popen[str]:
    command = ["swipl", "-q", "-g", "main", "-t", "halt", HERE / "prolog" / "main.pl", "--"]
    return subprocess.Popen(
        [*command, "--port", str(port), "--games", str(games), *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outputs(*processes: subprocess.Popen[str]) -> list[str]:
    texts = []
    for process in processes:
        out, err = process.communicate(timeout=240)
        if process.returncode:
            raise AssertionError(f"exit status {process.returncode}: {out[-2000:]}\n{err[-2000:]}")
        texts.append(out)
    return texts


def seconds(text: str) -> list[float]:
    return [float(found) for found in _SECONDS.findall(text)]


class PrologTests(SynchronousTestCase):
    def setUp(self) -> None:
        if shutil.which("swipl") is None and "CI" not in os.environ:
            self.skipTest("SWI-Prolog is not installed (Debian: swi-prolog-nox); CI always has it")

    def test_prolog_against_prolog_and_how_fast(self) -> None:
        with running(Path(self.mktemp())) as daemon:
            first, second = outputs(prolog(daemon.port, GAMES), prolog(daemon.port, GAMES))
            self.assertEqual(len(seconds(first)), GAMES)
            won, lost = (int(number) for number in re.findall(r"won (\d+) times and lost (\d+)", first)[-1])
            self.assertEqual(won + lost, GAMES)
            self.assertIn(f"KI won {lost} times and lost {won} times.", second)
            daemon.settled(GAMES)
            records = daemon.records()
            self.assertEqual([record["termination"] for record in records], ["victory"] * GAMES)
            self.assertEqual(daemon.unexpected(), [])
            self.assertNotIn("finding", daemon.text())
        ours = statistics.median(seconds(first) + seconds(second))
        theirs = statistics.median(self.over_a_simple_relay())
        print(f"\nmedian seconds a game: gamed {ours:.3f}, NODELAY relay {theirs:.3f}, {theirs / ours:.0f} times")
        self.assertGreater(theirs, 10 * ours)

    def over_a_simple_relay(self) -> list[float]:
        port = free_port()
        relay = subprocess.Popen(
            [sys.executable, HERE / "nodelay_relay.py", str(port)], stdout=subprocess.PIPE, text=True
        )
        try:
            self.assertEqual(relay.stdout.readline(), "ready\n")
            texts = outputs(prolog(port, SLOW_GAMES), prolog(port, SLOW_GAMES))
            return [second for text in texts for second in seconds(text)]
        finally:
            relay.kill()
            relay.wait()
            relay.stdout.close()

    def test_prolog_against_our_bot(self) -> None:
        with running(Path(self.mktemp())) as daemon:
            client = prolog(daemon.port, GAMES)
            bot = subprocess.run(
                [SCRIPTS / "gamed", "bot", "battleship", "--port", str(daemon.port), "--games", str(GAMES)],
                capture_output=True,
                text=True,
                timeout=240,
                check=False,
            )
            self.assertEqual((bot.returncode, bot.stderr), (0, ""))
            (text,) = outputs(client)
            self.assertEqual(len(seconds(text)), GAMES)
            daemon.settled(GAMES)
            records = daemon.records()
            self.assertEqual([record["termination"] for record in records], ["victory"] * GAMES)
            self.assertEqual(daemon.unexpected(), [])
            self.assertNotIn("finding", daemon.text())

    def test_its_own_host_name_reaches_the_daemon(self) -> None:
        with running(Path(self.mktemp())) as daemon:
            name = socket.gethostname()
            outputs(prolog(daemon.port, 1, "--host", name), prolog(daemon.port, 1, "--host", "localhost"))
            daemon.settled(1)
            self.assertEqual(len(daemon.records()), 1)
