"""The journal on the disk: a directory of segments, which are files of lines.

`lines.py` has the format of a line, `recovery.py` reads lines, and `sync.py` is the thread that syncs them.

Segments. A segment is a file `<number>.journal`. Only the newest one is written to, and each start of the daemon begins
a new one, so a torn line can only be the last line of its segment. A segment is removed when all rooms whose lines
begin in it, or in an older one, are forgotten, that is, their records are committed.

Failed writes. A line that could not be written completely is cut off (`_cut`), and the rooms' counters are reset
(`_undo`), as if it had never been appended. If even that fails, the segment is spent: a torn line remains as its last
line, and the next append begins a new segment.

Failed syncs. After a failed fdatasync, Linux marks the pages as clean that it could not write, so a later success would
prove nothing. Therefore all bytes since the last successful sync are kept in memory (`_unsynced`), and `_mend` writes
them again into a new segment. Some lines are then in two segments; the reader recognises them by their numbers.

Source: docs/topics/design.md#the-journal.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import Logger

from gamed.core.errors import DiskError, StoreError
from gamed.core.history import ENDED, OPENED, STARTED, Entry, History
from gamed.store.lines import FORGOTTEN, encode, prefix
from gamed.store.recovery import read
from gamed.store.sizes import Sizes
from gamed.store.sync import SyncThread

SEGMENT_SIZE: Final = 16 * 1024 * 1024
"""The size in bytes from which on the next append begins a new segment."""

INTERVAL: Final = 0.01
"""Seconds between two syncs with durability "process"."""

BEGINNING: Final = 16 * 1024
"""The most bytes of a room's first lines that are written again before its last one."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
"""Errors after which the same segment can be used as soon as there is space. After other errors a new one is tried."""

SUFFIX: Final = ".journal"
DAMAGED: Final = ".damaged"
"""The suffix of the copy of a damaged segment."""

_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL

log = Logger()


@define(weakref_slot=False)
class _Track:
    """An open room."""

    prefix: bytes
    """The beginning of all its lines."""

    first: int
    """The number of the segment with its first line."""

    seq: int = 0
    """The number of its next entry."""

    beginning: bytes = b""
    """The lines up to `started`. The moves cannot be understood without them, so they are written again before `ended`:
    then damage in one place cannot cost a result. Once complete they are compressed, which takes a hundredth of a
    millisecond a match: they would be the largest object of an open room."""

    is_begun: bool = False
    """Whether `beginning` is complete and compressed."""

    def encoded(self, entry: Entry) -> bytes:
        """Return the next line."""
        text = encode(self.prefix, self.seq, entry)
        self.seq += 1
        if not self.is_begun:
            self.beginning += text
            # Before a game begins, any number of players can join and leave. So the length is limited.
            if entry.kind == STARTED or len(self.beginning) > BEGINNING:
                self.beginning, self.is_begun = zlib.compress(self.beginning, 1), True
        elif entry.kind == ENDED:
            return zlib.decompress(self.beginning) + text
        return text


def _nothing() -> None:
    """Do nothing."""


@define
class FileJournal:
    """The journal in a directory of its own; see `gamed.store.Journal`.

    If a write fails, `append` raises a DiskError and none of its entries is in the journal. The next append, or
    `probe`, tries again. If a sync fails, the bytes that were not synced are written again into a new segment, and that
    is repeated every second until it succeeds. Until then, nothing is appended with durability "disk", and at most a
    segment's size with "process".

    The constructor touches no file, because it may run before the daemon forks and drops its privileges. `start` does.
    """

    directory: Path

    durability: str = field(kw_only=True)
    """When events may leave: when their entries would survive a kill ("process") or a power failure ("disk")."""

    reactor: IReactorFromThreads = field(kw_only=True)

    segment_size: int = field(default=SEGMENT_SIZE, kw_only=True)
    """Bytes."""

    interval: float = field(default=INTERVAL, kw_only=True)
    """The least seconds between two syncs with durability "process"."""

    on_failure: Callable[[], object] = field(default=_nothing, kw_only=True)
    """Called in the reactor's thread when a sync has failed."""

    _tracks: dict[str, _Track] = field(factory=dict, init=False)
    """The rooms that are not forgotten, by id, in the order in which they were opened."""

    _found: deque[History] = field(factory=deque, init=False)
    """The histories that `start` has read and `open_rooms` has not yielded."""

    _segments: deque[int] = field(factory=deque, init=False)
    """The numbers of all segments. The last one is written to."""

    _lock: int = field(default=-1, init=False)
    """The descriptor of the lock file, which keeps other daemons out of the directory."""

    _descriptor: int = field(default=-1, init=False)
    """The descriptor of the last segment."""

    _size: int = field(default=0, init=False)
    """The length of the last segment's complete lines in bytes."""

    _is_spent: bool = field(default=False, init=False)
    """Whether the last segment must not be used any longer, because a write has failed."""

    _unsynced: deque[tuple[int, bytes]] = field(factory=deque, init=False)
    """The bytes that were written and not synced, with the position after them."""

    _mended: tuple[int, int] = field(default=(-1, -1), init=False)
    """The last segment that `_mend` has written, and the position that was synced then."""

    _position: int = field(default=0, init=False)
    """The number of bytes that were written since `start`."""

    _sizes: Sizes = field(factory=Sizes, init=False)
    _sync: SyncThread = field(init=False)

    def __attrs_post_init__(self) -> None:
        interval = 0.0 if self.durability == "disk" else self.interval
        self._sync = SyncThread(self.directory, interval, self.reactor, self._mend, self._noticed)

    @property
    def failed(self) -> Exception | None:
        """The error of the last sync; None if it succeeded."""
        return self._sync.failed

    def _noticed(self) -> None:
        self.on_failure()

    # Starting and stopping

    def start(self) -> None:
        """Lock the directory, read its segments, begin a new one and start to sync. Raises StoreError."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self._lock = locked(self.directory)
            self._sizes = Sizes.of(self.directory)
            self._sync.note = self._sizes.note
            self._read()
            self._begin_segment(1 + max((*self._segments, *self._numbers(DAMAGED)), default=0))
        except OSError as error:
            if self._lock != -1:
                os.close(self._lock)
            raise StoreError(f"cannot open the journal {self.directory}: {error.strerror}") from error
        self._prune()
        self._sync.start()

    def _read(self) -> None:
        self._segments.extend(self._numbers(SUFFIX))
        reading = read((number, self._path(number)) for number in self._segments)
        for number in reading.damaged | set(self._cut_ones()):
            _keep_aside(self._path(number))
        for path in self.damaged:
            log.error("journal: {path} is damaged; it is kept until you remove it", path=str(path))
        for name, room in reading.rooms.items():
            track = self._tracks[name] = _Track(prefix(name), room.first)
            for entry in (room.history.opened(), *room.history.entries):
                track.encoded(entry)
            self._found.append(room.history)

    def _cut_ones(self) -> Iterator[int]:
        """Yield the segments that are shorter than they were, and log by how much."""
        for number in self._segments:
            size, known = self._path(number).stat().st_size, self._sizes.known(number)
            if size < known:
                log.warn(
                    "journal: {name} has {size} bytes, and had {known}: its end is missing; games of which no other "
                    "line is left may be missing, and are not named",
                    name=self._path(number).name,
                    size=size,
                    known=known,
                )
                yield number

    def _numbers(self, suffix: str) -> list[int]:
        names = [path.stem for path in self.directory.glob(f"*{suffix}")]
        return sorted(int(name) for name in names if name.isdigit())

    @property
    def damaged(self) -> list[Path]:
        """The copies of damaged segments that an administrator has not removed yet."""
        return sorted(self.directory.glob(f"*{DAMAGED}"))

    def stop(self) -> None:
        """Sync, close, and unlock the directory."""
        self._mend()
        self._sync.stop()
        self._descriptor = -1
        self._sizes.close()
        os.close(self._lock)

    def open_rooms(self) -> Iterator[History]:
        """Yield the histories that `start` has found, each of them once. The journal keeps none that was yielded."""
        while self._found:
            yield self._found.popleft()

    # Writing

    def append(self, batch: Iterable[tuple[str, Sequence[Entry]]]) -> int:
        """Append entries of rooms with one `write`. Return the position after them. Raises StoreError, DiskError."""
        self._make_ready()
        lines: list[bytes] = []
        undo: list[tuple[str, _Track, int, bytes, bool]] = []
        try:
            for room, entries in batch:
                if entries:
                    track = self._tracks.get(room) or self._new_track(room, entries[0])
                    undo.append((room, track, track.seq, track.beginning, track.is_begun))
                    lines += map(track.encoded, entries)
            if lines:
                self._write(b"".join(lines))
        except Exception:
            self._undo(undo)
            raise
        return self._position

    def _new_track(self, room: str, first: Entry) -> _Track:
        if first.kind != OPENED:
            raise StoreError(f"the journal has no open room {room}; its first entry must be {OPENED}")
        track = self._tracks[room] = _Track(prefix(room), self._segments[-1])
        return track

    def _undo(self, steps: list[tuple[str, _Track, int, bytes, bool]]) -> None:
        """Reset the rooms to the state before their entries were encoded, because these could not be written."""
        for room, track, seq, beginning, is_begun in reversed(steps):
            track.seq, track.beginning, track.is_begun = seq, beginning, is_begun
            if not seq:
                del self._tracks[room]

    def probe(self) -> None:
        """Try to write: a line without meaning, longer than a page. Raises DiskError."""
        self._make_ready()
        self._write(encode(prefix(""), 0, Entry(0, FORGOTTEN, data={"space": " " * 4096})))

    def _make_ready(self) -> None:
        failed = self._sync.failed
        if failed is not None and (self.durability == "disk" or self._position - self._sync.synced > self.segment_size):
            # With "disk" its events could not leave. With "process" a power failure must not cost more than this.
            raise DiskError(f"cannot sync the journal {self.directory}: {failed.strerror}")
        if self._is_spent or self._size >= self.segment_size:
            self._rotate()

    def _write(self, data: bytes) -> None:
        try:
            written = os.write(self._descriptor, data)
        except OSError as error:
            self._cut()
            # The error may be in this file, unless nothing was written to it yet.
            self._is_spent |= error.errno not in _FULL and self._size > 0
            raise DiskError(f"cannot write to the journal {self.directory}: {error.strerror}") from error
        if written != len(data):
            self._cut()
            raise DiskError(
                f"cannot write to the journal {self.directory}: only {written} of {len(data)} bytes were taken; "
                "is the disk full?"
            )
        self._size += written
        self._position += written
        unsynced = self._unsynced
        unsynced.append((self._position, data))
        if unsynced[0][0] <= self._sync.synced:
            self._trim()
        self._sync.written(self._position, (self._segments[-1], self._size))

    def _trim(self) -> None:
        while self._unsynced and self._unsynced[0][0] <= self._sync.synced:
            self._unsynced.popleft()

    def _cut(self) -> None:
        """Cut off what a failed write left after the last complete line."""
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            # A torn line must be the last one of its segment, so the next append begins a new one.
            self._is_spent = True

    def forget(self, room: str) -> None:
        """Mark a room as forgotten, and remove the segments that are not needed any longer."""
        track = self._tracks.pop(room, None)
        if track is None:
            return
        try:
            self._write(encode(track.prefix, track.seq, Entry(0, FORGOTTEN)))
        except StoreError as error:
            # The next start will find the room again, and then that its record is stored already.
            log.info("journal: room={room} is forgotten, but not on the disk: {error}", room=room, error=error)
        if track.first != self._segments[-1]:
            self._prune()

    def when_synced(self, position: int, call: Callable[[], object]) -> None:
        """Call at once; with durability "disk", after the sync, in the reactor's thread."""
        if self.durability == "disk":
            self._sync.call_after(position, call)
        else:
            call()

    def on_disk(self, call: Callable[[], object]) -> None:
        """Call in the reactor's thread when everything up to now is on the disk, whatever the durability."""
        self._sync.call_after(self._position, call)

    # Segments

    def _path(self, number: int) -> Path:
        return self.directory / f"{number:08d}{SUFFIX}"

    def _begin_segment(self, number: int) -> None:
        self._descriptor = os.open(self._path(number), _FLAGS, 0o600)
        self._segments.append(number)
        self._sizes.note(number, 0)
        self._size, self._is_spent = 0, False
        self._sync.begin(self._descriptor)

    def _rotate(self) -> None:
        last, was_empty = self._segments[-1], not self._size
        try:
            self._begin_segment(last + 1)
        except OSError as error:
            raise DiskError(f"cannot begin a segment in {self.directory}: {error.strerror}") from error
        if was_empty:
            self._remove(last)
        self._prune()

    def _remove(self, number: int) -> None:
        """Remove a segment whose lines are all in another one. If that fails, it remains, and does no harm."""
        with suppress(OSError):
            self._path(number).unlink()
            self._segments.remove(number)

    def _mend(self) -> None:
        """After a failed sync, write the bytes that may not be on the disk into a new segment, and have it synced."""
        if not self._sync.is_halted:
            return
        self._trim()
        number, data = self._segments[-1] + 1, b"".join(data for _, data in self._unsynced)
        try:
            descriptor = os.open(self._path(number), _FLAGS, 0o600)
        except OSError:
            # The sync thread calls again in a second. The failure was logged.
            return
        self._segments.append(number)
        if not _takes(descriptor, data):
            os.close(descriptor)
            self._remove(number)
            return
        before, synced = self._mended
        if synced == self._sync.synced and before in self._segments:
            # Nothing was synced since the previous attempt, so this segment has all of its lines.
            self._remove(before)
        self._mended = (number, self._sync.synced)
        self._descriptor, self._size, self._is_spent = descriptor, len(data), False
        self._sync.replace(descriptor)

    def _prune(self) -> None:
        # Rooms are tracked in the order of their opening, so the first one has the oldest lines.
        oldest = next(iter(self._tracks.values())).first if self._tracks else self._segments[-1]
        if self._segments[0] < oldest:
            # First, it must be on the disk that their rooms are forgotten. Otherwise, after a power failure, these
            # rooms' lines in later segments would look like rooms whose beginning is damaged.
            self.on_disk(partial(self._remove_before, oldest))

    def _remove_before(self, oldest: int) -> None:
        while self._segments[0] < oldest:
            with log.failureHandler("journal: cannot remove a segment"):
                self._path(self._segments.popleft()).unlink()


def _keep_aside(path: Path) -> None:
    """Keep a copy of a segment, which remains when the segment is removed. Raises OSError."""
    aside = path.with_suffix(DAMAGED)
    if aside.exists():
        # An earlier start made it. It is the same segment, because no number is used twice.
        return
    try:
        os.link(path, aside)
    except OSError:
        # Not every filesystem has hard links.
        shutil.copyfile(path, aside)


def _takes(descriptor: int, data: bytes) -> bool:
    try:
        return os.write(descriptor, data) == len(data)
    except OSError:
        return False


def locked(directory: Path) -> int:
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
