"""twistd with a journal that notes what is certainly on the disk: `synced_daemon.py` takes the options of twistd.

Beside the journal, in the directory `synced` of the working directory, stand, for each segment that was synced, a file
with its size at that moment, and a file `names` with the segments that a sync of the directory covered. `cut` makes a
journal what a power cut would have left of it in the worst case.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

NAMES = "names"
SLOW = 0.004
"""Seconds that a sync takes at most in addition: a disk that is too fast would leave nothing to lose."""


class RecordingOs:
    """The module os, as `gamed.store.sync` uses it."""

    def __init__(self, notes: Path) -> None:
        notes.mkdir(exist_ok=True)
        self._notes = notes

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)

    def fdatasync(self, descriptor: int) -> None:
        """Sync a segment, then note the size that it had before."""
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        size = os.fstat(descriptor).st_size
        time.sleep(random.uniform(0, SLOW))
        os.fdatasync(descriptor)
        _note(self._notes / path.name, b"%d" % size)

    def fsync(self, descriptor: int) -> None:
        """Sync the directory, then note the names that it had before."""
        names = os.listdir(descriptor)
        time.sleep(random.uniform(0, SLOW))
        os.fsync(descriptor)
        _note(self._notes / NAMES, "\n".join(names).encode())


def _note(path: Path, content: bytes) -> None:
    # Put in place whole, for the process may be killed at any moment.
    fresh = path.with_suffix(".new")
    fresh.write_bytes(content)
    fresh.rename(path)


def cut(state: Path) -> int:
    """Remove everything from a journal that was not synced; return the number of removed bytes."""
    notes = state / "synced"
    named = (notes / NAMES).read_text().split() if (notes / NAMES).exists() else []
    lost = 0
    for segment in (state / "journal").glob("*.journal"):
        size, note = segment.stat().st_size, notes / segment.name
        kept = int(note.read_bytes()) if note.exists() and segment.name in named else 0
        lost += size - kept
        if kept:
            os.truncate(segment, kept)
        else:
            segment.unlink()
    return lost


if __name__ == "__main__":
    from twisted.scripts.twistd import run

    from gamed.store import sync

    sync.os = RecordingOs(Path("synced"))
    run()
