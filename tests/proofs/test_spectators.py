"""Whether spectators delay players: the time of a move with them and without, in turns, and what they cost."""

from __future__ import annotations

import http.client
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import Daemon, free_port, running
from tests.proofs import amount, skip, whole  # noqa: F401 (trial looks for `skip`)

SCRIPT = Path(__file__).parent / "spectators.py"
GAP = 0.004
"""Seconds between two shots."""

MOST_BYTES = 16 * 1024
ENDLESS = "game_lines = 10000000\ngame_bytes = 1000000000"
FACTOR = 1.3


def p99(times: Sequence[float]) -> float:
    """Return what one of a hundred is longer than."""
    return sorted(times)[len(times) * 99 // 100]


class Match:
    """Two clients of Battleship that shoot and answer, forever by the rules as far as the relay knows them."""

    def __init__(self, port: int) -> None:
        self.sides = [self.connected(port), self.connected(port)]
        self.buffers = [bytearray(), bytearray()]
        self.attacker, self.shots = 1, 0
        for side in (0, 1):
            self.line(side)
            self.line(side)

    @staticmethod
    def connected(port: int) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", port), timeout=20)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The first player that connects has the first seat.
        time.sleep(0.05)
        return client

    def line(self, side: int) -> bytes:
        buffer = self.buffers[side]
        while b"\r" not in buffer:
            data = self.sides[side].recv(65_536)
            if not data:
                raise AssertionError("the server has closed")
            buffer += data
        line, _, rest = bytes(buffer).partition(b"\r")
        self.buffers[side] = bytearray(rest)
        return line

    def move(self) -> list[float]:
        """Shoot and answer; return how long each line took."""
        attacker, defender = self.attacker, 1 - self.attacker
        x, y = self.shots // 2 % 100 % 10, self.shots // 2 % 100 // 10
        began = time.perf_counter()
        self.sides[attacker].sendall(b"(1,[%d,%d]).\n" % (x, y))
        self.line(defender)
        shot = time.perf_counter()
        self.sides[defender].sendall(b"(2,[%d,%d,1]).\n" % (x, y))
        self.line(attacker)
        answered = time.perf_counter()
        self.attacker, self.shots = defender, self.shots + 1
        return [shot - began, answered - shot]

    def close(self) -> None:
        for side in self.sides:
            side.close()


class Crowd:
    """Spectators in another process."""

    def __init__(self, port: int, count: int, rooms: list[str]) -> None:
        # Browsers are on other machines: they do not take processor time from the daemon.
        command = ["nice", "-n", "19", sys.executable, str(SCRIPT), str(port), str(count), *rooms]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "all watch\n":
            raise AssertionError("not all spectators got their first event")

    def end(self) -> dict[str, Any]:
        said, _ = self.process.communicate(timeout=30)
        if self.process.returncode:
            raise AssertionError("a spectator was dropped")
        return json.loads(said)


class SpectatorTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.web = free_port()
        self.more = f'[web]\nendpoint = "tcp:{self.web}:interface=127.0.0.1:backlog=4096"\n'

    def rooms(self) -> list[dict[str, Any]]:
        """Return what the API says of each room."""
        connection = http.client.HTTPConnection("127.0.0.1", self.web, timeout=20)
        connection.request("GET", "/api/v1/rooms")
        rooms = json.loads(connection.getresponse().read())
        connection.close()
        return rooms

    def measured(self, matches: list[Match], moves: int) -> list[float]:
        times = []
        for _ in range(moves):
            for match in matches:
                times += match.move()
                time.sleep(GAP)
        return times

    def check(self, daemon: Daemon, matches: int, spectators: int) -> None:
        alone: list[list[float]] = []
        watched: list[list[float]] = []
        sizes = []
        for _ in range(amount(12, 2)):
            # A match has its usual length at most, and spectators come in its middle.
            played = [Match(daemon.port) for _ in range(matches)]
            rooms = [room["id"] for room in self.rooms()]
            self.assertEqual(len(rooms), matches)
            moves = amount(400, 60) // matches
            self.measured(played, moves // 4)
            alone.append(self.measured(played, moves))
            before = daemon.resident_bytes()
            crowd = Crowd(self.web, spectators, rooms)
            sizes.append((daemon.resident_bytes() - before) / spectators)
            watched.append(self.measured(played, moves))
            told = crowd.end()
            self.assertGreater(told["fewest"], amount(3, 1))
            for match in played:
                match.close()
            # Until all connections have ended, and the rooms are gone.
            time.sleep(2)
        self.report(alone, watched, sizes[0], spectators, matches)

    def report(
        self, alone: list[list[float]], watched: list[list[float]], size: float, spectators: int, matches: int
    ) -> None:
        # The middle one of all rounds: now and then the machine has something else to do.
        figures = [statistics.median(map(p99, rounds)) for rounds in (alone, watched)]
        pooled = [p99(list(chain.from_iterable(rounds))) for rounds in (alone, watched)]
        middles = [statistics.median(chain.from_iterable(rounds)) for rounds in (alone, watched)]
        found = ", ".join(
            f"{what} {1e6 * beside:.0f} and {1e6 * quiet:.0f}"
            for what, (quiet, beside) in (("p99", figures), ("of all rounds", pooled), ("median", middles))
        )
        print(
            f"\n{spectators} spectators of {matches} rooms: us a line with and without: {found}; {size:.0f} bytes each"
        )
        self.assertLess(size, MOST_BYTES)
        if whole():
            self.assertLess(figures[1], FACTOR * figures[0])

    def test_many_of_one_room(self) -> None:
        with running(Path(self.mktemp()), more=self.more) as daemon:
            self.check(daemon, 1, amount(500, 100))
            self.assertEqual(daemon.unexpected(), [])

    def test_many_of_twenty_rooms(self) -> None:
        with running(Path(self.mktemp()), more=self.more) as daemon:
            self.check(daemon, 20, amount(1_000, 200))
            self.assertEqual(daemon.unexpected(), [])

    def test_one_that_does_not_read_is_dropped(self) -> None:
        with running(Path(self.mktemp()), battleship=ENDLESS, more=self.more) as daemon:
            match = Match(daemon.port)
            idle = socket.socket()
            idle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            idle.connect(("127.0.0.1", self.web))
            (room,) = self.rooms()
            request = f"GET /api/v1/rooms/{room['id']}/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
            idle.sendall(request.encode())
            begun = time.monotonic()
            while not self.watchers():
                self.assertLess(time.monotonic() - begun, 60)
                time.sleep(GAP)
            while self.watchers() or time.monotonic() - begun < 1:
                self.assertLess(time.monotonic() - begun, 120)
                match.move()
                time.sleep(GAP)
            match.close()
            idle.close()

    def watchers(self) -> int:
        return sum(room["watchers"] for room in self.rooms())
