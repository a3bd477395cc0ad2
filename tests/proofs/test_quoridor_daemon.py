"""Quoridor over TCP: many tables of our bots at once, and bad worlds of which each harms itself alone.

Source: docs/specs/quoridor.md#what-the-original-universe-does, docs/specs/quoridor.md#checklist. The limit of
connections from one address is 512.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.core.history import JOINED, MOVE, History
from gamed.records.index import validate
from gamed.records.own import judgement, to_history
from gamed.records.record import document
from tests.daemon import ROOT, Daemon, running
from tests.games.quoridor.worlds import DOWN
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.evidence import look, settle

MIB = 1 << 20
LONG = 60_000
"""A length that a message may have."""

MEMORY = 30 * MIB
"""Bytes that the daemon may grow by under bad worlds."""

GONE = "(disconnect {} (wall 4 4 horizontal))"


def histories(daemon: Daemon) -> list[History]:
    """Return all games; every record is valid, and the journal holds nothing more."""
    settle(daemon.directory)
    evidence = look(daemon.directory, "")
    for record in evidence.stored.values():
        validate(document(record))
    return [to_history(record) for record in evidence.stored.values()]


class ManyTests(SynchronousTestCase):
    def test_two_worlds_at_each_of_many_tables(self) -> None:
        tables = amount(100, 10)
        with running(Path(self.mktemp()), quoridor="tables = 0") as daemon:
            reports = self.play(daemon, 2 * tables)
            daemon.settled(tables)
            games = histories(daemon)
            self.assertEqual(daemon.unexpected(), [])
            self.assertNotIn("finding", daemon.text())
            together = self.most_at_once(daemon.text())
            evidence = look(daemon.directory, "")
            findings = [judgement(record).findings for record in evidence.stored.values()]
        self.assertEqual(findings, [()] * tables)
        self.assertEqual(sorted(self.claims(games)), sorted(self.claimed(reports)))
        # All sit down before the first game is over, or this proof proves little.
        self.assertGreater(together, tables // 2)
        seconds = statistics.median(report["seconds"] for report in reports)
        moves = sum(report["moves"] for report in reports)
        print(f"\n{tables} tables, up to {together} at once, {moves} moves, median {seconds:.2f} s a game")

    def play(self, daemon: Daemon, bots: int) -> list[dict[str, Any]]:
        command = [sys.executable, "-m", "tests.proofs.bots", "quoridor", str(daemon.quoridor_port), str(bots)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False, cwd=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        reports: list[dict[str, Any]] = json.loads(done.stdout)
        return reports

    def claims(self, games: list[History]) -> list[tuple[str, list[str], bool]]:
        """Return for each seat its name, its moves and whether it won, by the records."""
        found = []
        for game in games:
            for entry in game.of_kind(JOINED):
                moves = [(move.body or b"").decode() for move in game.of_kind(MOVE) if move.seat == entry.seat]
                won = game.outcome == Outcome(Termination.VICTORY, entry.seat)
                found.append((str(entry.data["name"]), moves, won))
        return found

    def claimed(self, reports: list[dict[str, Any]]) -> list[tuple[str, list[str], bool]]:
        """Return the same by the bots."""
        found = []
        for report in reports:
            moves = [line[6:-1].replace(".0", "") for line in report["sent"] if line.startswith("(move ")]
            self.assertEqual(report["moves"], len(moves))
            found.append((report["name"], moves, report["won"]))
        return found

    def most_at_once(self, log: str) -> int:
        """Return how many games ran at the same time at most, by the log."""
        running_now, most = 0, 0
        for line in log.splitlines():
            running_now += ("joined: " in line and "seat=1" in line) - ("ended: " in line)
            most = max(most, running_now)
        return most


@define(eq=False)
class World:
    """A world on a socket. `is_narrow`: the system takes as little for it as it can."""

    port: int
    name: str
    is_narrow: bool = False
    socket: socket.socket = field(init=False)
    _read: bytes = b""

    def __attrs_post_init__(self) -> None:
        self.socket = socket.socket()
        if self.is_narrow:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            # With the usual segments of this machine, the server's buffer would hold megabytes.
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        self.socket.settimeout(20.0)
        self.socket.connect(("127.0.0.1", self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def registers(self) -> World:
        self.says(f"(REGISTER ((name {self.name})))")
        self.hears("(OKAY)")
        return self

    def says(self, *messages: str) -> None:
        self.socket.sendall("".join(f"{message}\n" for message in messages).encode())

    def offers(self, data: bytes) -> None:
        """Send all of it, or as much as the server takes."""
        with contextlib.suppress(ConnectionError):
            self.socket.sendall(data)

    def line(self) -> str:
        """Return the next line; an empty one if the server has closed."""
        while b"\n" not in self._read:
            more = self.socket.recv(65_536)
            if not more:
                return ""
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line.decode()

    def hears(self, *lines: str) -> None:
        """Take exactly these lines."""
        for line in lines:
            found = self.line()
            if found != line:
                raise AssertionError(f"{found!r} instead of {line!r}")

    def is_closed(self) -> None:
        """Take the end of the connection, which is not a reset."""
        self.hears("")
        error = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise AssertionError(os.strerror(error))
        self.socket.close()


@define(eq=False)
class Table:
    """Two worlds in a game."""

    port: int
    name: str
    is_narrow: bool = False
    worlds: list[World] = field(init=False)
    moves: Iterator[str] = field(init=False)
    number: int = 0

    def __attrs_post_init__(self) -> None:
        one = World(self.port, f"{self.name}1", self.is_narrow).registers()
        one.hears("(wait-for-players 0 ())")
        other = World(self.port, f"{self.name}2").registers()
        for world in (one, other):
            world.hears("(wait-or-play 0 ())")
        other.says("(play)")
        one.hears("(start2play 1 ())")
        other.hears("(start2wait 1 ())")
        self.worlds, self.moves = [one, other], iter(DOWN)

    def move(self) -> None:
        """Make the next move of an honest game."""
        mover, other = self.worlds[self.number % 2], self.worlds[1 - self.number % 2]
        move, identity = next(self.moves), self.number % 2 + 1
        mover.says(f"(move {move})")
        won = move == DOWN[-1]
        told = f"{identity} ({move} {move.split()[-1]})"
        mover.hears(f"({'won' if won else 'wait'} {told})")
        other.hears(f"({'lost' if won else 'play'} {told})")
        self.number += 1

    def end(self) -> None:
        """Play the game to its end, and leave."""
        while self.number < len(DOWN):
            self.move()
        self.worlds[0].socket.close()
        self.worlds[1].hears(GONE.format(1))
        self.close()

    def close(self) -> None:
        for world in self.worlds:
            world.socket.close()


class BadWorldTests(SynchronousTestCase):
    """An honest game goes on next to each bad world, move by move."""

    @contextlib.contextmanager
    def daemon(self, keys: str = "") -> Iterator[Daemon]:
        with running(Path(self.mktemp()), quoridor=f"tables = 0\n{keys}") as daemon:
            self.daemon_port = daemon.quoridor_port
            yield daemon
            self.assertEqual(daemon.unexpected(), [])

    def table(self, name: str, *, is_narrow: bool = False) -> Table:
        table = Table(self.daemon_port, name, is_narrow)
        self.addCleanup(table.close)
        return table

    def test_what_is_no_datum_or_too_much_of_one(self) -> None:
        endless = b"x" * MIB
        with self.daemon() as daemon:
            honest = self.table("honest")
            before = daemon.resident_bytes()
            for number, (begin, rest, times) in enumerate((
                (b'"', endless, amount(1024, 64)),
                (b"(" * 100_000, b"", 0),
                (b"#(" * 100_000, b"", 0),
                (b")\n", b"", 0),
                (b"#<procedure>\n", b"", 0),
            )):  # fmt: skip
                bad = self.table(f"bad{number}")
                bad.worlds[0].offers(begin)
                for _ in range(times):
                    bad.worlds[0].offers(rest)
                bad.worlds[1].hears(GONE.format(1))
                honest.move()
                bad.close()
            self.assertLess(daemon.resident_bytes() - before, MEMORY)
            honest.end()
            daemon.settled(6)
            ends = sorted(str(game.outcome.termination) for game in histories(daemon) if game.outcome is not None)
            self.assertEqual(ends, ["removed"] * 5 + ["victory"])

    def test_what_is_only_strange(self) -> None:
        with self.daemon():
            honest, strange = self.table("honest"), self.table("strange")
            first, second = strange.worlds
            for text in (b"\xff\xfe(\xc3)\n", b"#(1 2)\n(a . b)\n#&x\n#hash((a . 1))\n", b"hello\n()\n(move)\n",
                         b"#| " + b"x" * LONG + b" |# (hello)\n", b"(play) " + b")" * LONG + b"\n"):  # fmt: skip
                first.offers(text)
                honest.move()
            # Half a datum, and the rest of it when everything else is over.
            first.offers(b"(move player 4.0")
            honest.end()
            first.says(" 1.0)")
            second.hears("(play 1 (player 4.0 1.0 1.0))")
            first.hears("(wait 1 (player 4.0 1.0 1.0))")

    def test_who_registers_too_late_or_not_at_all(self) -> None:
        with self.daemon("register_seconds = 1.0"):
            honest = self.table("honest")
            silent, halting, wrong = (World(self.daemon_port, name) for name in ("silent", "halting", "wrong"))
            halting.offers(b"(REGISTER ((name")
            wrong.offers(b"GET / HTTP/1.1\r\n\r\n")
            for world in (wrong, silent, halting):
                honest.move()
                world.is_closed()
            honest.end()

    def test_the_mail_before_a_close_arrives(self) -> None:
        """The connection ends with FIN. A reset could destroy it, and would come if input of the world was unread."""
        with running(Path(self.mktemp()), quoridor="tables = 1") as daemon:
            self.daemon_port = daemon.quoridor_port
            honest = self.table("honest")
            for _ in range(amount(100, 20)):
                rejected = World(self.daemon_port, "rejected")
                rejected.offers(b"(REGISTER ((name rejected)))\n" + b"(play)\n" * 2_000)
                rejected.hears("(OKAY)", "(rejected 0 ())")
                rejected.is_closed()
            honest.end()
            self.assertEqual(daemon.unexpected(), [])

    def test_who_never_reads_is_thrown_out(self) -> None:
        """It is sent moves until the buffers are full; the others do not wait for it."""
        with self.daemon("stuck_seconds = 1.0\ngame_moves = 10000000\n") as daemon:
            honest, bad = self.table("honest"), self.table("bad", is_narrow=True)
            deaf, other = bad.worlds
            began = time.monotonic()
            while (line := self.round(deaf, other)) != GONE.format(1):
                self.assertIn(line.split()[0], ("(play", "(wait"))
                self.assertLess(time.monotonic() - began, 60)
            honest.end()
            daemon.logs("refused not-reading: ")

    def round(self, deaf: World, other: World) -> str:
        """Have both worlds move to and fro many times. Return the last message to the one that reads."""
        line = ""
        for _ in range(100):
            deaf.offers(b"(move player 4.0 1.0)\n")
            line = other.line()
            if line == GONE.format(1):
                return line
            other.says("(move player 4.0 7.0)")
            line = other.line()
            if line == GONE.format(1):
                return line
        return line
