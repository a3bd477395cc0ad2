"""Real Prolog clients over real TCP: against each other, against gamed's bots, and their speed.

Source: docs/specs/battleship.md#the-life-of-a-client, docs/reference/battleship.md#what-the-original-does-differently.
The client in `prolog/` behaves as the original one does; it was written for this.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.battleship.wire import decode, plain
from tests.daemon import SCRIPTS, free_port, running
from tests.interop.programs import end

ROOT = Path(__file__).parents[2]
GAMES = 12
SLOW_GAMES = 2
_SECONDS = re.compile(r"^game \d+: (?:won|lost) in ([0-9.]+) s", re.MULTILINE)


def prolog(port: int, games: int, *more: str) -> subprocess.Popen[str]:
    command = ["swipl", "-q", "-g", "main", "-t", "halt", ROOT / "examples" / "battleship" / "main.pl", "--"]
    return subprocess.Popen(
        [*command, "--port", str(port), "--games", str(games), *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outputs(*processes: subprocess.Popen[str]) -> list[str]:
    texts = []
    try:
        for process in processes:
            out, err = process.communicate(timeout=240)
            if process.returncode:
                raise AssertionError(f"exit status {process.returncode}: {out[-2000:]}\n{err[-2000:]}")
            texts.append(out)
    finally:
        for process in processes:
            end(process)
    return texts


def seconds(text: str) -> list[float]:
    return [float(found) for found in _SECONDS.findall(text)]


class PrologTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        if shutil.which("swipl") is None and "CI" not in os.environ:
            self.skipTest("SWI-Prolog is not installed (Debian: swi-prolog-nox); CI always has it")


class ReadingTests(PrologTestCase):
    """The referee parses lines as SWI-Prolog's reader does."""

    LINES = (
        *(
            b"(1,[3,4]).",
            b" ( 1 , [ 3 , 4 ] ) . ",
            b"\t(1,\v[3,\f4]).",
            b"(1,[3,4]) .",
            b"(1,[3,4]). ",
            b"1,[3,4].",
            b"1, [3,4] .",
        ),
        *(
            b"(01,[03,004]).",
            b"(1,[-1,0]).",
            b"(1,[-0,4]).",
            b"(2,[0,1,2,3]).",
            b"(3,[ ]).",
            b"(1,[3]).",
            b"(1,[3,-9]).",
        ),
    )
    READER = "repeat, read(T), (T == end_of_file -> ! ; T = (O, L), print([O|L]), nl, fail)"

    def read(self, *lines: bytes) -> list[list[int]]:
        """Return the results of SWI-Prolog's reader for some lines."""
        done = subprocess.run(
            ["swipl", "-q", "-g", self.READER, "-t", "halt"],
            input=b"".join(line + b"\r" for line in lines),
            capture_output=True,
            timeout=60,
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_what_the_referee_reads(self) -> None:
        commands = [decode(line) for line in self.LINES]
        self.assertEqual(self.read(*self.LINES), [[command.opcode, *command.numbers] for command in commands])

    def test_what_is_forwarded_by_a_referee_who_enforces(self) -> None:
        lines = (*self.LINES, b"1,[3,4]", b"1,[3,4] ")
        commands = [decode(line) for line in lines]
        self.assertEqual(self.read(*map(plain, lines)), [[command.opcode, *command.numbers] for command in commands])


class EnforcingTests(PrologTestCase):
    def test_a_cheat_does_not_stop_an_honest_client(self) -> None:
        """Lines that the Prolog client cannot use do not reach it; those that it could not read reach it legibly."""
        wrong = (b"hello", b"(1,[-1,0]).", b"(1,[0,1,2,3]).", b"(1,[0,0])", b"(1,[0,0]).")
        with running(Path(self.mktemp()), battleship='referee = "enforce"') as daemon:
            for number, last in enumerate(wrong):
                client = prolog(daemon.port, 1)
                self.addCleanup(end, client)
                while daemon.text().count("joined: ") == 2 * number:
                    time.sleep(0.01)
                self.cheat(daemon.port, last)
                client.communicate(timeout=60)
            daemon.settled(len(wrong))
            found = [(record["termination"], record["winner"]) for record in daemon.records()]
            self.assertEqual(found, [("forfeit", 0)] * len(wrong))

    def cheat(self, port: int, last: bytes) -> None:
        """Play a turn in forms that are read and not written, and then send what is wrong."""
        with socket.create_connection(("localhost", port)) as cheat, cheat.makefile("rb") as received:
            lines = iter(lambda: until_cr(received), b"")
            self.assertEqual([next(lines), next(lines)], [b"(4,[]).", b"(5,[])."])
            cheat.sendall(b"1,[0,0]\n")
            self.assertRegex(next(lines), rb"\(2,\[0,0,[1-3]\]\)\.")
            shot = decode(next(lines))
            cheat.sendall(b" ( 2 , [ %d , %d , 1 ] ) . \n" % shot.numbers)
            cheat.sendall(last + b"\n")
            self.assertEqual(list(lines), [])


def until_cr(received: io.BufferedReader) -> bytes:
    """Return the next line without its CR; b"" at the end."""
    line = b""
    while (byte := received.read(1)) not in (b"", b"\r"):
        line += byte
    return line


class PrologTests(PrologTestCase):
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
            [sys.executable, Path(__file__).with_name("nodelay_relay.py"), str(port)], stdout=subprocess.PIPE, text=True
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
        # The text's own rule: no contact of ships, not even over corners.
        with running(Path(self.mktemp()), battleship='referee = "enforce"\ncorner_contact = false') as daemon:
            client = prolog(daemon.port, GAMES)
            self.addCleanup(end, client)
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
