"""Remove from the journal what it still has of games whose records were deleted or anonymised.

Source: docs/howto/operate.md#deleting-games. A running daemon forgets a room as soon as its record is committed, and
deletes the lines with their segment. But a daemon that was killed in between, or could not write to its journal, would
make the record again when it starts.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import Final

from gamed.core.errors import StoreError
from gamed.core.history import Entry
from gamed.store.journal import DAMAGED, SUFFIX, locked
from gamed.store.lines import FORGOTTEN, encode, prefix
from gamed.store.recovery import read

SEGMENTS: Final = (SUFFIX, DAMAGED)


def thd_forget(directory: Path, rooms: Collection[str]) -> None:
    """Make the journal of a stopped daemon forget rooms. Raises StoreError if it cannot be read or written.

    This appends to the newest segment, because a new file could belong to another user than the daemon's.
    """
    segments = _segments(directory, SUFFIX)
    if not segments:
        return
    try:
        lock = locked(directory)
    except StoreError:
        # A daemon is running, and has forgotten them.
        return
    except OSError as error:
        raise StoreError(f"cannot read the journal {directory}: {error.strerror}") from error
    try:
        found = read((int(path.stem), path) for path in segments).rooms
        lines = [encode(prefix(room), 0, Entry(0, FORGOTTEN)) for room in rooms if room in found]
        if lines:
            _append(segments[-1], b"".join(lines))
    except OSError as error:
        raise StoreError(f"cannot use the journal {directory}: {error.strerror}") from error
    finally:
        os.close(lock)


def _append(segment: Path, lines: bytes) -> None:
    with segment.open("ab+") as file:
        file.seek(max(0, file.tell() - 1))
        # A crash may have left a line without its line feed.
        file.write(lines if file.read() in (b"", b"\n") else b"\n" + lines)
        file.flush()
        os.fsync(file.fileno())


def thd_holding(directory: Path, words: Sequence[str]) -> list[Path]:
    """Return the segments that contain one of these words, including damaged ones that were set aside."""
    wanted = [quoted(word)[1:-1].encode("ascii") for word in words]
    paths = [path for suffix in SEGMENTS for path in _segments(directory, suffix)]
    try:
        return [path for path in paths if any(word in data for data in [path.read_bytes()] for word in wanted)]
    except OSError as error:
        raise StoreError(f"cannot read the journal {directory}: {error.strerror}") from error


def _segments(directory: Path, suffix: str) -> list[Path]:
    return sorted(path for path in directory.glob(f"*{suffix}") if path.stem.isdigit())
