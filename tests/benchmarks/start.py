"""What a start costs: processor time to `ready`, memory at rest, and a bot's time until it connects."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gamed.registry import games
from tests.benchmarks.measuring import IMPORT, Programs, cpu_seconds, resident_bytes, settle
from tests.daemon import Daemon, free_port

BOTS = ("battleship", "hive", "roborally", "quoridor")
WAIT = 30.0
"""Seconds that a bot may take until it connects."""


def all_listeners() -> str:
    """Return sections that switch every listener on, each on a port of its own."""
    names = (name for name in games() if name != "battleship")
    endpoint = 'endpoint = "tcp:{}:interface=127.0.0.1"\n'
    sections = [f"[{name}]\n{endpoint.format(free_port())}" for name in (*names, "web")]
    return "".join((*sections, f'[console]\ntelnet = "tcp:{free_port()}:interface=127.0.0.1"\n'))


def start_and_rest(programs: Programs) -> Sequence[float]:
    """Return the seconds to `ready` of a second start, and the MiB that the daemon holds a moment later."""
    with tempfile.TemporaryDirectory() as name:
        daemon = Daemon(Path(name), more=all_listeners(), scripts=programs.scripts)
        daemon.start()
        daemon.stop()
        daemon.start()
        try:
            used = cpu_seconds(daemon.process.pid)
            settle()
            resting = resident_bytes(daemon.process.pid) / 2**20
            daemon.stop()
        finally:
            if daemon.process.poll() is None:
                daemon.kill()
    return used, resting


def import_and_rest() -> Sequence[float]:
    """Return the seconds and the MiB of a Python that imports Twisted's reactor."""
    code = f"{IMPORT}; print(flush=True); input()"
    command = [Programs().scripts / "python", "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used, resting = cpu_seconds(process.pid), resident_bytes(process.pid) / 2**20
        process.kill()
    return used, resting


def bots(programs: Programs) -> Sequence[float]:
    """Return for each game the processor time that its bot uses until it connects."""
    return [_until_connected(programs, game) for game in BOTS]


def _until_connected(programs: Programs, game: str) -> float:
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.TemporaryDirectory() as directory:
        server.settimeout(WAIT)
        host, port = server.getsockname()
        command = [programs.scripts / "gamed", "bot", game, "--host", host, "--port", str(port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, cwd=directory, **quiet) as process:
            try:
                client, _ = server.accept()
                used = cpu_seconds(process.pid)
                client.close()
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
    return used


def imports_of_a_bot() -> Sequence[float]:
    """Return, once for each game, the seconds of a Python that imports Twisted's reactor."""
    return [import_and_rest()[0] for _ in BOTS]
