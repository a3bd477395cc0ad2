"""Honest games that run during other proofs: the process `beside.py PORT HOST PAIRS`, and the class that starts it.

All pairs connect first. Then, one after the other, each sends what is next, with a pause, until standard input ends;
then they play to the end without pauses. Printed: the moment of each send and the seconds until the other side had read
it.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from attrs import define, field

from gamed.games.battleship.wire import ATTACK_FIRST, DEFEND_FIRST, END, START
from tests.benchmarks.load import Script, script
from tests.daemon import Daemon
from tests.proofs.clients import connection

PAUSE = 0.004
"""Seconds between two sends: the daemon has something to do, and time for others."""

ADDRESS = "127.0.0.9"
"""Where the honest clients are, so that no limit on others' addresses is theirs."""


def read(client: socket.socket, wanted: bytes) -> None:
    """Read exactly this; raise AssertionError if anything else arrives."""
    got = b""
    while got != wanted:
        more = client.recv(len(wanted) - len(got))
        got += more
        if not more or not wanted.startswith(got):
            raise AssertionError(f"{got!r} came, expected {wanted!r}")


@define(eq=False)
class Match:
    """Two players in an honest game."""

    played: Script
    clients: tuple[socket.socket, socket.socket]
    sent: int = 0

    @classmethod
    def begin(
        cls,
        port: int,
        seed: int,
        host: str | None = None,
        connect: Callable[[int, str | None], socket.socket] = connection,
    ) -> Match:
        """Connect both and read their first messages."""
        defender = connect(port, host)
        read(defender, DEFEND_FIRST + END)
        attacker = connect(port, host)
        read(attacker, ATTACK_FIRST + END + START + END)
        read(defender, START + END)
        return cls(script(seed), (defender, attacker))

    @property
    def left(self) -> int:
        """The number of sends that are left."""
        return len(self.played.sends) - self.sent

    @property
    def sender(self) -> int:
        """The seat that sends next."""
        return self.played.sends[self.sent][0]

    def step(self) -> float:
        """Send what is next and return the seconds until the other side has read it."""
        seat, lines = self.played.sends[self.sent]
        self.sent += 1
        begun = time.monotonic()
        self.clients[seat].sendall(b"".join(line + b"\n" for line in lines))
        read(self.clients[1 - seat], b"".join(line + END for line in lines))
        return time.monotonic() - begun

    def play(self, left: int = 0) -> None:
        """Play until only so many sends are left."""
        while self.left > left:
            self.step()

    def close(self) -> None:
        """Close both connections."""
        for client in self.clients:
            client.close()


def main(port: int, host: str, pairs: int) -> None:
    """Play as the module's docstring describes."""
    scripts = [script(seed) for seed in range(pairs)]
    matches = [Match.begin(port, seed, host) for seed in range(len(scripts))]
    print("playing", flush=True)
    moves, number = [], 0
    while not select.select([sys.stdin], [], [], PAUSE)[0]:
        match = matches[number % pairs]
        number += 1
        if match.left:
            moves.append((time.monotonic(), match.step()))
    for match in matches:
        match.play()
        for client in match.clients:
            if client.recv(1):
                raise AssertionError("more than the game")
        match.close()
    print(json.dumps(moves))


@define(eq=False)
class Beside:
    """The process that plays, and the periods in which other things happened."""

    daemon: Daemon
    pairs: int
    times: dict[str, tuple[float, float]] = field(factory=dict)
    _process: subprocess.Popen[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        command = [sys.executable, "-m", __name__, str(self.daemon.port), ADDRESS, str(self.pairs)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        if self._process.stdout.readline() != "playing\n":
            raise AssertionError(self._process.communicate()[1])

    @contextlib.contextmanager
    def during(self, what: str) -> Iterator[None]:
        """Note the period of a with-block."""
        begun = time.monotonic()
        yield
        self.times[what] = (begun, time.monotonic())

    def finish(self) -> dict[str, list[float]]:
        """Let all games be finished; return the seconds of the moves in each period."""
        out, err = self._process.communicate(timeout=120)
        if self._process.returncode:
            raise AssertionError(err)
        moves = json.loads(out)
        return {
            what: [seconds for moment, seconds in moves if begun <= moment < ended]
            for what, (begun, ended) in self.times.items()
        }

    def end(self) -> None:
        """Kill the process."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


def described(what: str, seconds: list[float]) -> str:
    """Return a line about how long moves took."""
    if not seconds:
        return f"  {what}: over before a move fell into it"
    middle, longest = 1000 * statistics.median(seconds), 1000 * max(seconds)
    return f"  {what}: {len(seconds)} moves, median {middle:.2f} ms, longest {longest:.1f} ms"


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
