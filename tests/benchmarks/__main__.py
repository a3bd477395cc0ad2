"""The benchmarks of the daemon: `python -m tests.benchmarks`, or `make bench`.

Everything is measured in one run on one machine, the yardstick beside the daemon, so that the ratios can be compared.
"""

from __future__ import annotations

import contextlib
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks import hive as rooms
from tests.benchmarks import quoridor as worlds
from tests.benchmarks import roborally as robots
from tests.benchmarks.load import play
from tests.daemon import Daemon, free_port, running, section

HERE = Path(__file__).parent
PAIRS = 20
WARM_UP = 20
GAMES = 300
ROUNDS = 5
IDLE = 4_000
TABLES = 50
QUORIDOR_SECONDS = 5.0
IDLE_TABLES = 1_000
HIVE_ROOMS = 20
HIVE_GAMES = 100
IDLE_ROOMS = 200
FASTER = 10
"""How many times a memento must be faster than a tree of elements."""


def cpu_seconds(pid: int) -> float:
    """Return the processor time that all threads of a process have used."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def per_line(port: int, pid: int, *, apart: bool) -> float:
    """Return the microseconds of processor time a relayed line, records and their storing included."""
    play(port, PAIRS, WARM_UP, apart=apart)
    time.sleep(1)
    before = cpu_seconds(pid)
    lines, _ = play(port, PAIRS, GAMES, apart=apart)
    time.sleep(1.5)
    return (cpu_seconds(pid) - before) / lines * 1e6


@contextlib.contextmanager
def bare_relay() -> Iterator[tuple[int, int]]:
    """Run the yardstick for the time of a with-block; gives its port and process."""
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


@contextlib.contextmanager
def daemon(**options: str) -> Iterator[Daemon]:
    """Run a daemon in a directory of its own for the time of a with-block."""
    with tempfile.TemporaryDirectory() as directory, running(Path(directory), **options) as started:
        yield started


def relay(*, apart: bool) -> None:
    """Compare the processor time a line, in alternating rounds."""
    ours, bare = [], []
    for _ in range(ROUNDS):
        with bare_relay() as (port, pid):
            bare.append(per_line(port, pid, apart=apart))
        with daemon() as started:
            ours.append(per_line(started.port, started.process.pid, apart=apart))
            if started.unexpected() or "finding" in started.text():
                raise AssertionError("the daemon's log has lines that should not be there")
    manner = "each line sent by itself, Nagle on" if apart else "answer and shot sent together"
    ratio = statistics.median(a / b for a, b in zip(ours, bare, strict=True))
    print(f"processor time a relayed line, {PAIRS} pairs at full speed, {manner}:")
    print(f"  bare Twisted relay {statistics.median(bare):.1f} µs, gamed {statistics.median(ours):.1f} µs")
    print(f"  ratio {ratio:.2f}, rounds {', '.join(f'{a / b:.2f}' for a, b in zip(ours, bare, strict=True))}")


def idle_connections() -> None:
    """Measure the memory of connections that have been paired and say nothing."""
    limits = f"connections_per_address = {IDLE + 10}"
    with daemon(battleship=limits) as started:
        clients = [connected(started.port) for _ in range(200)]
        time.sleep(0.5)
        before = started.resident_bytes()
        clients += [connected(started.port) for _ in range(IDLE - 200)]
        time.sleep(0.5)
        each = (started.resident_bytes() - before) / (IDLE - 200)
        for client in clients:
            client.close()
    print(f"memory an idle connection, paired, {IDLE} connections: {each:.0f} bytes")


def connected(port: int) -> socket.socket:
    """Return a connection that has been told its role."""
    client = socket.create_connection(("127.0.0.1", port))
    client.recv(8)
    return client


def start() -> None:
    """Measure the time from starting the process to `ready`, with an empty and with an existing database."""
    with tempfile.TemporaryDirectory() as directory:
        seconds = []
        for _ in range(ROUNDS + 1):
            started = Daemon(Path(directory))
            seconds.append(started.start())
            started.stop()
    print(f"start to ready: first {seconds[0]:.2f} s, later {statistics.median(seconds[1:]):.2f} s")


def quoridor() -> None:
    """Measure instant worlds at one table and at many, and the memory of a table."""
    for tables in (1, TABLES):
        with daemon(quoridor="tables = 0") as started:
            port, pid = started.quoridor_port, started.process.pid
            worlds.play(port, tables, 1.0)
            time.sleep(1)
            before = cpu_seconds(pid)
            found = worlds.play(port, tables, QUORIDOR_SECONDS)
            cpu = (cpu_seconds(pid) - before) / found.moves * 1e6
            if started.unexpected() or "finding" in started.text():
                raise AssertionError("the daemon's log has lines that should not be there")
        rate = found.moves / found.seconds
        print(f"quoridor, {tables} tables of instant worlds: {rate:.0f} moves/s, {cpu:.0f} µs of processor time a move")
        print(f"  from a move to the next world's play: p50 {found.delay(0.5):.2f} ms, p99 {found.delay(0.99):.2f} ms")
    limits = f"tables = 0\nconnections_per_address = {4 * IDLE_TABLES}"
    with daemon(quoridor=limits) as started:
        port, script = started.quoridor_port, worlds.script(0)
        tables = [worlds.Table(port, script) for _ in range(50)]
        time.sleep(0.5)
        before = started.resident_bytes()
        tables += [worlds.Table(port, script) for _ in range(IDLE_TABLES)]
        time.sleep(0.5)
        each = (started.resident_bytes() - before) / IDLE_TABLES
        for table in tables:
            table.close()
    print(f"memory a quoridor table with two worlds in a game: {each:.0f} bytes")


def roborally() -> None:
    """Print turns a second, of the rules alone and over TCP, queries a second, and the memory of a game."""
    turns, seconds = robots.rules_alone()
    print(f"roborally: {turns / seconds:.0f} turns/s of {robots.ROBOTS} robots by the rules alone")
    port, section = robots.section()
    with tempfile.TemporaryDirectory() as directory, running(Path(directory), more=section) as started:
        before = cpu_seconds(started.process.pid)
        told = robots.bots(port)
        used = cpu_seconds(started.process.pid) - before
        programs = told["programs"]
        print(
            f"roborally over TCP: {programs / told['seconds']:.0f} programs/s, {used / programs * 1e3:.2f} ms CPU each"
        )
        for question in (b"GSS", b"GRS(Anna)", b"GPL"):
            print(f"roborally: {robots.queries(port, question):.0f} {question.decode()}/s")
        print(f"memory a roborally game of {robots.ROBOTS}: {robots.memory(started, port):.0f} bytes")
    print(f"roborally: {robots.milliseconds_a_turn():.2f} ms of the reactor's thread for a turn of two robots over TCP")


def hive() -> None:
    """Measure the rules and the XML of Hive, instant clients in one room and in many, and the memory of a room."""
    validation, generation = rooms.rules()
    print(f"hive: {validation:.0f} µs to validate a move, {generation:.0f} µs to list the legal ones")
    ours, tree = rooms.mementos()
    print(f"  a memento's bytes: {ours:.0f} µs, by an lxml tree {tree:.0f} µs: {tree / ours:.1f} times")
    if tree < FASTER * ours:
        raise AssertionError(f"not {FASTER} times as fast")
    for at_once in (1, HIVE_ROOMS):
        _hive_rooms(at_once)
    port, keys = free_port(), f"connections_per_address = {2 * IDLE_ROOMS + 50}\nhard_seconds = 600.0"
    with daemon(more=section("softwarechallenge", port, keys)) as started:
        games = [rooms.Game(port) for _ in range(20)]
        time.sleep(0.5)
        before = started.resident_bytes()
        games += [rooms.Game(port) for _ in range(IDLE_ROOMS)]
        time.sleep(0.5)
        each = (started.resident_bytes() - before) / IDLE_ROOMS
        for game in games:
            game.close()
    print(f"  memory a room with two clients in a game: {each / 1024:.0f} KiB")


def _hive_rooms(at_once: int) -> None:
    port = free_port()
    with daemon(more=section("softwarechallenge", port, "messages_per_second = 100000.0")) as started:
        pid, empty = started.process.pid, started.resident_bytes()
        rooms.play(port, at_once, at_once)
        time.sleep(1)
        before = cpu_seconds(pid)
        moves, seconds = rooms.play(port, at_once, HIVE_GAMES)
        memory = started.resident_bytes()
        time.sleep(1.5)
        cpu = (cpu_seconds(pid) - before) / moves * 1e3
        if started.unexpected() or "finding" in started.text():
            raise AssertionError("the daemon's log has lines that should not be there")
    print(f"  {at_once} rooms of instant clients: {moves / seconds:.0f} moves/s, {cpu:.2f} ms of processor time a move")
    print(f"    resident {memory / 2**20:.0f} MiB, {(memory - empty) / 2**20:.1f} MiB more than before the first game")


BENCHMARKS: dict[str, Callable[[], None]] = {
    "relay": lambda: relay(apart=True),
    "relay-together": lambda: relay(apart=False),
    "idle": idle_connections,
    "start": start,
    "quoridor": quoridor,
    "hive": hive,
    "roborally": roborally,
}


def main(names: list[str]) -> None:
    """Run the benchmarks named, or all."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for name in names or BENCHMARKS:
        BENCHMARKS[name]()


main(sys.argv[1:])
