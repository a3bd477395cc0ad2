"""The journal on the disk: segments of lines in a directory.

Source: design.md, "The journal". `lines.py` says what a line is, `recovery.py` reads them, `sync.py` syncs them.

A segment is `<number>.journal`. Only the newest is written to, and a start always begins a new one, so a torn line can
only be the last of its segment. Segments go from the oldest on, once no open room began in them or before them.
"""

from __future__ import annotations

import fcntl
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import Logger

from gamed.errors import StoreError
from gamed.history import OPENED, Entry, History
from gamed.store.lines import FORGOTTEN, encode, prefix
from gamed.store.recovery import read
from gamed.store.sync import SyncThread

SEGMENT_SIZE: Final = 16 * 1024 * 1024
"""Bytes after which the next append begins a new segment."""

INTERVAL: Final = 0.01
"""Seconds between two syncs with durability "process"."""

_SUFFIX: Final = ".journal"
_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL

log = Logger()


@define
class _Track:
    """An open room. `first`: the segment that its lines begin in. `seq`: the number of its next entry."""

    prefix: str
    first: int
    seq: int


@define
class FileJournal:
    """The journal in a directory of its own; see `gamed.store.Journal`.

    The constructor touches nothing, so that it may run before the daemon forks and drops its rights; `start` does.
    `durability`: "process" or "disk". `segment_size` in bytes, `interval` in seconds.
    """

    directory: Path
    durability: str = field(kw_only=True)
    reactor: IReactorFromThreads = field(kw_only=True)
    segment_size: int = field(default=SEGMENT_SIZE, kw_only=True)
    interval: float = field(default=INTERVAL, kw_only=True)
    _tracks: dict[str, _Track] = field(factory=dict, init=False)
    _found: deque[History] = field(factory=deque, init=False)
    _segments: deque[int] = field(factory=deque, init=False)
    _lock: int = field(default=-1, init=False)
    _descriptor: int = field(default=-1, init=False)
    _size: int = field(default=0, init=False)
    _position: int = field(default=0, init=False)
    _sync: SyncThread = field(init=False)

    def __attrs_post_init__(self) -> None:
        interval = 0.0 if self.durability == "disk" else self.interval
        self._sync = SyncThread(self.directory, interval, self.reactor)

    @property
    def failed(self) -> Exception | None:
        """What went wrong with syncing, or None."""
        return self._sync.failed

    # Starting and stopping

    def start(self) -> None:
        """Lock the directory, read what is there, begin a new segment and start to sync. Raises StoreError."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.directory)
            self._read()
            self._begin_segment(self._segments[-1] + 1 if self._segments else 1)
        except OSError as error:
            if self._lock != -1:
                os.close(self._lock)
            raise StoreError(f"cannot open the journal {self.directory}: {error.strerror}") from error
        self._prune()
        self._sync.start()

    def _read(self) -> None:
        names = [path.stem for path in self.directory.glob(f"*{_SUFFIX}")]
        self._segments.extend(sorted(int(name) for name in names if name.isdigit()))
        for name, room in read((number, self._path(number)) for number in self._segments).items():
            self._tracks[name] = _Track(prefix(name), room.first, room.seq)
            self._found.append(room.history)

    def stop(self) -> None:
        """Sync, close, and let another daemon have the directory."""
        self._sync.stop()
        self._descriptor = -1
        os.close(self._lock)

    def open_rooms(self) -> Iterator[History]:
        """Yield the histories that `start` found; each is yielded once and then no longer held here."""
        while self._found:
            yield self._found.popleft()

    # Writing

    def append(self, batch: Iterable[tuple[str, Sequence[Entry]]]) -> int:
        """Append entries of rooms with one `write`; return the position after them. Raises StoreError."""
        if self._sync.failed is not None and self.durability == "disk":
            # What waits for the disk would wait for ever: better to say so.
            raise StoreError(f"cannot sync the journal {self.directory}: {self._sync.failed.strerror}")
        if self._size >= self.segment_size:
            self._rotate()
        lines: list[bytes] = []
        changed: dict[str, _Track] = {}
        for room, entries in batch:
            if not entries:
                continue
            track = changed.get(room)
            if track is None:
                # A copy: what could not be written did not happen.
                track = changed[room] = self._copy(room, entries)
            for entry in entries:
                lines.append(encode(track.prefix, track.seq, entry))
                track.seq += 1
        if lines:
            self._write(b"".join(lines))
            self._tracks.update(changed)
        return self._position

    def _copy(self, room: str, entries: Sequence[Entry]) -> _Track:
        track = self._tracks.get(room)
        if track is not None:
            return _Track(track.prefix, track.first, track.seq)
        if entries[0].kind != OPENED:
            raise StoreError(f"the journal has no open room {room}; its first entry must be {OPENED}")
        return _Track(prefix(room), self._segments[-1], 0)

    def _write(self, data: bytes) -> None:
        try:
            written = os.write(self._descriptor, data)
        except OSError as error:
            self._cut()
            raise StoreError(f"cannot write to the journal {self.directory}: {error.strerror}") from error
        if written != len(data):
            self._cut()
            raise StoreError(
                f"cannot write to the journal {self.directory}: only {written} of {len(data)} bytes were taken; "
                "is the disk full?"
            )
        self._size += written
        self._position += written
        self._sync.written(self._position)

    def _cut(self) -> None:
        """Take back what a failed write left behind the last whole line."""
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            # What is torn stays the last line of its segment: the next append begins a new one.
            self._size = self.segment_size

    def forget(self, room: str) -> None:
        """Free a room's lines, and remove the segments that nobody needs."""
        track = self._tracks.pop(room, None)
        if track is None:
            return
        try:
            self._write(encode(track.prefix, track.seq, Entry(0, FORGOTTEN)))
        except StoreError as error:
            # The room will be found again at the next start, and its record is there: nothing is lost.
            log.warn("journal: room={room} is forgotten, but not on the disk: {error}", room=room, error=error)
        if track.first != self._segments[-1]:
            self._prune()

    def when_synced(self, position: int, call: Callable[[], object]) -> None:
        """Call at once, or with durability "disk" in the reactor's thread after the sync."""
        if self.durability == "disk":
            self._sync.call_after(position, call)
        else:
            call()

    # Segments

    def _path(self, number: int) -> Path:
        return self.directory / f"{number:08d}{_SUFFIX}"

    def _begin_segment(self, number: int) -> None:
        self._descriptor = os.open(self._path(number), _FLAGS, 0o600)
        self._segments.append(number)
        self._size = 0
        self._sync.begin(self._descriptor)

    def _rotate(self) -> None:
        try:
            self._begin_segment(self._segments[-1] + 1)
        except OSError as error:
            raise StoreError(f"cannot begin a segment in {self.directory}: {error.strerror}") from error
        self._prune()

    def _prune(self) -> None:
        # Rooms are tracked in the order of their opening, so the first one has the oldest lines.
        oldest = next(iter(self._tracks.values())).first if self._tracks else self._segments[-1]
        while self._segments[0] < oldest:
            with log.failureHandler("journal: cannot remove a segment"):
                self._path(self._segments.popleft()).unlink()


def _locked(directory: Path) -> int:
    """Return a descriptor that holds the directory's lock until it is closed. Raises StoreError."""
    descriptor = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        pid = os.read(descriptor, 20).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise StoreError(
            f"the journal {directory} is in use by another gamed (pid {pid}); "
            "stop it or set [store] state to another directory"
        ) from error
    os.ftruncate(descriptor, 0)
    os.write(descriptor, b"%d\n" % os.getpid())
    return descriptor
