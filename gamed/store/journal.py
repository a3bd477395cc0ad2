"""The journal on the disk: segments of lines in a directory.

Source: docs/topics/design.md#the-journal. `lines.py` says what a line is, `recovery.py` reads them, `sync.py` syncs
them.

A segment is `<number>.journal`. Only the newest is written to, and a start always begins a new one, so a torn line can
only be the last of its segment. Segments go from the oldest on, once no open room began in them or before them.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
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
from gamed.store.sync import SyncThread

SEGMENT_SIZE: Final = 16 * 1024 * 1024
"""Bytes after which the next append begins a new segment."""

INTERVAL: Final = 0.01
"""Seconds between two syncs with durability "process"."""

BEGINNING: Final = 16 * 1024
"""Bytes after which no more of a room's beginning is repeated before its end."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
"""Errors after which the same segment can be written to as soon as there is room; after others a new one is tried."""

SUFFIX: Final = ".journal"
DAMAGED: Final = ".damaged"
"""What the name of a damaged segment ends with that is kept aside."""

_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL

log = Logger()


@define(weakref_slot=False)
class _Track:
    """An open room."""

    prefix: bytes
    """What all its lines begin with."""

    first: int
    """The segment that they begin in."""

    seq: int = 0
    """The number of its next entry."""

    beginning: bytes = b""
    """The lines up to `started`. They are written once more before `ended`, so that no single damaged place costs a
    result: without them the moves cannot be understood."""

    is_begun: bool = False
    """Whether `beginning` is complete."""

    def encoded(self, entry: Entry) -> bytes:
        """Return the next line."""
        text = encode(self.prefix, self.seq, entry)
        self.seq += 1
        if not self.is_begun:
            self.beginning += text
            # Players can come and go for long before a game begins.
            self.is_begun = entry.kind == STARTED or len(self.beginning) > BEGINNING
        elif entry.kind == ENDED:
            return self.beginning + text
        return text


def _nothing() -> None:
    """Do nothing."""


@define
class FileJournal:
    """The journal in a directory of its own; see `gamed.store.Journal`.

    If a write fails, `append` raises a DiskError and none of its entries is in the journal; the next append, or
    `probe`, tries again. If a sync fails, what was not synced is written anew into a further segment, every second
    until that succeeds. Until then nothing is appended with durability "disk", and as much as a segment holds with
    "process".

    The constructor touches no file, so that it may run before the daemon forks and drops its privileges. `start` does.
    """

    directory: Path

    durability: str = field(kw_only=True)
    """What an entry survives before its events leave: "process" (a kill) or "disk" (a power failure)."""

    reactor: IReactorFromThreads = field(kw_only=True)

    segment_size: int = field(default=SEGMENT_SIZE, kw_only=True)
    """Bytes."""

    interval: float = field(default=INTERVAL, kw_only=True)
    """Seconds between two syncs with durability "process", at least."""

    on_failure: Callable[[], object] = field(default=_nothing, kw_only=True)
    """Called in the reactor's thread when a sync has failed."""

    _tracks: dict[str, _Track] = field(factory=dict, init=False)
    """The rooms that are not forgotten, by id, in the order of their opening."""

    _found: deque[History] = field(factory=deque, init=False)
    """What `start` has read, and `open_rooms` has not yielded."""

    _segments: deque[int] = field(factory=deque, init=False)
    """The numbers of all segments; the last one is written to."""

    _lock: int = field(default=-1, init=False)
    """The descriptor that keeps other daemons out of the directory."""

    _descriptor: int = field(default=-1, init=False)
    """That of the last segment."""

    _size: int = field(default=0, init=False)
    """Bytes of the last segment, as far as it has whole lines."""

    _is_spent: bool = field(default=False, init=False)
    """Whether nothing more is to be written to the last segment, because a write has failed."""

    _unsynced: deque[tuple[int, bytes]] = field(factory=deque, init=False)
    """What was written and not synced, with the position after it: it is written anew if the sync fails."""

    _mended: tuple[int, int] = field(default=(-1, -1), init=False)
    """The last segment to which such lines were written anew, and the position that was synced then."""

    _position: int = field(default=0, init=False)
    """How many bytes were written since `start`."""

    _sync: SyncThread = field(init=False)

    def __attrs_post_init__(self) -> None:
        interval = 0.0 if self.durability == "disk" else self.interval
        self._sync = SyncThread(self.directory, interval, self.reactor, self._mend, self._noticed)

    @property
    def failed(self) -> Exception | None:
        """What went wrong with syncing, or None; None again when a sync has succeeded."""
        return self._sync.failed

    def _noticed(self) -> None:
        self.on_failure()

    # Starting and stopping

    def start(self) -> None:
        """Lock the directory, read what is there, begin a new segment and start to sync. Raises StoreError."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self._lock = locked(self.directory)
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
        for number in reading.damaged:
            _keep_aside(self._path(number))
        for path in self.damaged:
            log.error("journal: {path} is damaged; it is kept until you remove it", path=str(path))
        for name, room in reading.rooms.items():
            track = self._tracks[name] = _Track(prefix(name), room.first)
            for entry in (room.history.opened(), *room.history.entries):
                track.encoded(entry)
            self._found.append(room.history)

    def _numbers(self, suffix: str) -> list[int]:
        names = [path.stem for path in self.directory.glob(f"*{suffix}")]
        return sorted(int(name) for name in names if name.isdigit())

    @property
    def damaged(self) -> list[Path]:
        """The damaged segments that are kept aside, and that an administrator has not removed yet."""
        return sorted(self.directory.glob(f"*{DAMAGED}"))

    def stop(self) -> None:
        """Sync, close, and let another daemon have the directory."""
        self._mend()
        self._sync.stop()
        self._descriptor = -1
        os.close(self._lock)

    def open_rooms(self) -> Iterator[History]:
        """Yield the histories that `start` found; each is yielded once and then no longer held here."""
        while self._found:
            yield self._found.popleft()

    # Writing

    def append(self, batch: Iterable[tuple[str, Sequence[Entry]]]) -> int:
        """Append entries of rooms with one `write`; return the position after them. Raises StoreError, DiskError."""
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
        """Have it that entries were never appended: what could not be written did not happen."""
        for room, track, seq, beginning, is_begun in reversed(steps):
            track.seq, track.beginning, track.is_begun = seq, beginning, is_begun
            if not seq:
                del self._tracks[room]

    def probe(self) -> None:
        """Write a line that means nothing, as long as a page. Raises DiskError."""
        self._make_ready()
        self._write(encode(prefix(""), 0, Entry(0, FORGOTTEN, data={"space": " " * 4096})))

    def _make_ready(self) -> None:
        failed = self._sync.failed
        if failed is not None and (self.durability == "disk" or self._position - self._sync.synced > self.segment_size):
            # With "disk" nothing could leave; with "process" what has left should not become ever more.
            raise DiskError(f"cannot sync the journal {self.directory}: {failed.strerror}")
        if self._is_spent or self._size >= self.segment_size:
            self._rotate()

    def _write(self, data: bytes) -> None:
        try:
            written = os.write(self._descriptor, data)
        except OSError as error:
            self._cut()
            # The file itself may be what is wrong, unless it is new.
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
        self._sync.written(self._position)

    def _trim(self) -> None:
        while self._unsynced and self._unsynced[0][0] <= self._sync.synced:
            self._unsynced.popleft()

    def _cut(self) -> None:
        """Take back what a failed write left behind the last whole line."""
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            # What is torn stays the last line of its segment: the next append begins a new one.
            self._is_spent = True

    def forget(self, room: str) -> None:
        """Free a room's lines, and remove the segments that nobody needs."""
        track = self._tracks.pop(room, None)
        if track is None:
            return
        try:
            self._write(encode(track.prefix, track.seq, Entry(0, FORGOTTEN)))
        except StoreError as error:
            # The room will be found again at the next start, and its record is there: nothing is lost.
            log.info("journal: room={room} is forgotten, but not on the disk: {error}", room=room, error=error)
        if track.first != self._segments[-1]:
            self._prune()

    def when_synced(self, position: int, call: Callable[[], object]) -> None:
        """Call at once, or with durability "disk" in the reactor's thread after the sync."""
        if self.durability == "disk":
            self._sync.call_after(position, call)
        else:
            call()

    def on_disk(self, call: Callable[[], object]) -> None:
        """Call in the reactor's thread when all that was appended so far is on the disk, whatever the durability."""
        self._sync.call_after(self._position, call)

    # Segments

    def _path(self, number: int) -> Path:
        return self.directory / f"{number:08d}{SUFFIX}"

    def _begin_segment(self, number: int) -> None:
        self._descriptor = os.open(self._path(number), _FLAGS, 0o600)
        self._segments.append(number)
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
        """Remove a segment in which is nothing that is not elsewhere. If that fails it stays, and does no harm."""
        with suppress(OSError):
            self._path(number).unlink()
            self._segments.remove(number)

    def _mend(self) -> None:
        """Write anew, after a failed sync, what may not be on the disk: into a new segment, which is then synced."""
        if not self._sync.is_halted:
            return
        self._trim()
        number, data = self._segments[-1] + 1, b"".join(data for _, data in self._unsynced)
        try:
            descriptor = os.open(self._path(number), _FLAGS, 0o600)
        except OSError:
            # Tried again in a second; the failure is known.
            return
        self._segments.append(number)
        if not _takes(descriptor, data):
            os.close(descriptor)
            self._remove(number)
            return
        before, synced = self._mended
        if synced == self._sync.synced and before in self._segments:
            # Nothing of the attempt before was synced, so all of it is in this one.
            self._remove(before)
        self._mended = (number, self._sync.synced)
        self._descriptor, self._size, self._is_spent = descriptor, len(data), False
        self._sync.replace(descriptor)

    def _prune(self) -> None:
        # Rooms are tracked in the order of their opening, so the first one has the oldest lines.
        oldest = next(iter(self._tracks.values())).first if self._tracks else self._segments[-1]
        if self._segments[0] < oldest:
            # Not before it is on the disk that their rooms are forgotten: after a power cut the lines that stand in
            # later segments would look like rooms whose beginning is damaged.
            self.on_disk(partial(self._remove_before, oldest))

    def _remove_before(self, oldest: int) -> None:
        while self._segments[0] < oldest:
            with log.failureHandler("journal: cannot remove a segment"):
                self._path(self._segments.popleft()).unlink()


def _keep_aside(path: Path) -> None:
    """Give a segment a second name, which stays when the segment is removed. Raises OSError."""
    aside = path.with_suffix(DAMAGED)
    if aside.exists():
        # Since an earlier start: no number is used twice.
        return
    try:
        os.link(path, aside)
    except OSError:
        # Not every filesystem has second names.
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
