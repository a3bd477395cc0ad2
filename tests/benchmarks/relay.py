"""Battleship: what a relayed line and a whole game cost, and the memory of a connection that says nothing."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from tests.benchmarks.load import Script, long_scripts, play, script
from tests.benchmarks.measuring import HERE, Programs, cpu_seconds, settle
from tests.daemon import free_port

WARM_UP = 20
GAMES = 200
LONG_GAMES = 60
SHOTS = 60
IDLE = 4_000
FEW = 200
"""Connections that are there before memory is looked at for the first time."""


def scripts() -> Sequence[Script]:
    """Return the games whose lines are counted."""
    return [script(seed) for seed in range(GAMES)]


def per_line(port: int, pid: int, pairs: int, *, apart: bool) -> float:
    """Return the microseconds of processor time a relayed line, records and their storing included."""
    play(port, pairs, scripts()[:WARM_UP], apart=apart)
    settle(1.0)
    before = cpu_seconds(pid)
    lines = play(port, pairs, scripts(), apart=apart)
    settle()
    return (cpu_seconds(pid) - before) / lines * 1e6


@contextlib.contextmanager
def bare_relay() -> Iterator[tuple[int, int]]:
    """Run the reference for the time of a with-block; gives its port and process."""
    port = free_port()
    command = [sys.executable, HERE / "bare_relay.py", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise AssertionError("the bare relay does not start")
        try:
            yield port, process.pid
        finally:
            process.kill()


def lines(programs: Programs, pairs: int, *, apart: bool) -> Sequence[float]:
    """Measure a line through the daemon."""
    with programs.daemon() as started:
        return (per_line(started.port, started.process.pid, pairs, apart=apart),)


def bare_lines(pairs: int, *, apart: bool) -> Sequence[float]:
    """Measure a line through the reference."""
    with bare_relay() as (port, pid):
        return (per_line(port, pid, pairs, apart=apart),)


def whole_games(programs: Programs) -> Sequence[float]:
    """Return the milliseconds of processor time of a long game of two instant clients, from accept to record."""
    with programs.daemon() as started:
        port, pid = started.port, started.process.pid
        play(port, 1, long_scripts(WARM_UP, SHOTS), apart=False)
        settle(1.0)
        before = cpu_seconds(pid)
        play(port, 1, long_scripts(LONG_GAMES, SHOTS), apart=False)
        settle()
        return ((cpu_seconds(pid) - before) / LONG_GAMES * 1e3,)


def idle_connections(programs: Programs) -> Sequence[float]:
    """Return the bytes of memory of a connection that has been paired and says nothing."""
    with programs.daemon(battleship=f"connections_per_address = {IDLE + 10}") as started:
        clients = [_connected(started.port) for _ in range(FEW)]
        time.sleep(0.5)
        before = started.resident_bytes()
        clients += [_connected(started.port) for _ in range(IDLE - FEW)]
        time.sleep(0.5)
        each = (started.resident_bytes() - before) / (IDLE - FEW)
        for client in clients:
            client.close()
    return (each,)


def _connected(port: int) -> socket.socket:
    """Return a connection that has been told its role."""
    client = socket.create_connection(("127.0.0.1", port))
    client.recv(8)
    return client
