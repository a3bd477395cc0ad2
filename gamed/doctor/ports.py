"""For `gamed doctor`: whether ports are free, and which process holds them, as Linux's /proc shows it."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from gamed.net.strings import Endpoint

_LISTENING: Final = "0A"
"""The state of a listening socket in /proc/net/tcp."""


def taken(endpoint: Endpoint) -> OSError | None:
    """Try to bind a port, and release it at once. Return the error; None if the port is free."""
    family = endpoint.family
    if family is None or endpoint.port is None:
        return None
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((endpoint.interface, endpoint.port))
    except OSError as error:
        # Without IPv6, the standard endpoint listens on IPv4.
        return None if error.errno == errno.EAFNOSUPPORT else error
    return None


def listening(port: int, proc: Path = Path("/proc")) -> set[str]:
    """Return the inodes of the sockets that listen on a TCP port."""
    return {inode for name in ("tcp", "tcp6") for inode in _listening(proc / "net" / name, port)}


def _listening(table: Path, port: int) -> Iterator[str]:
    if not table.exists():
        return
    for line in table.read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
            yield fields[9]


def holds(pid: int, inodes: set[str], proc: Path = Path("/proc")) -> bool | None:
    """Whether a process holds one of these sockets; None if we are not allowed to look."""
    links = []
    try:
        for entry in (proc / str(pid) / "fd").iterdir():
            # A descriptor may be closed meanwhile. The one that reads this directory always is.
            with suppress(FileNotFoundError):
                links.append(str(entry.readlink()))
    except OSError:
        return None
    return any(f"socket:[{inode}]" in links for inode in inodes)


def running(lock: Path, locks: Path = Path("/proc/locks")) -> int | None:
    """Return the process that holds the lock of a journal, or None. The lock itself is not touched."""
    try:
        named, inode = lock.read_text().strip(), lock.stat().st_ino
        held = locks.read_text()
    except OSError:
        return None
    # `1: FLOCK ADVISORY WRITE pid major:minor:inode 0 EOF`. Only the inode is compared: on btrfs and overlayfs, the
    # device is not that of stat().
    places = [fields[4:6] for fields in map(str.split, held.splitlines()) if "FLOCK" in fields]
    is_held = any(pid == named and place.endswith(f":{inode}") for pid, place in places)
    return int(named) if is_held else None
