"""Write finished games as replay files of another program, in a separate thread.

A file is written completely or not at all. If it cannot be written, that is logged, and `gamed records export` can make
it from the record later.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorFromThreads
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from gamed.core.errors import StoreError
from gamed.core.history import History
from gamed.records.own import to_history
from gamed.records.record import Record, RecordError
from gamed.registry import ReplayFormat, games
from gamed.store.threads import one_thread

log = Logger()

MOST_WAITING: Final = 1_000
"""The most games that may wait for the disk; no files are written of further games."""


def thd_write_file(path: Path, data: bytes) -> None:
    """Write a file completely, or leave the old one as it is. Its directory is created. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            # Without this, a power failure could leave an empty file of this name.
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


@frozen
class ReplayFolder:
    """The directory of a publisher's replay files. Its methods raise StoreError if a file cannot be changed."""

    directory: Path
    replay: ReplayFormat

    def thd_remove(self, record: Record) -> None:
        """Remove the file of a record, if there is one."""
        path = self._path(record)
        with _store_error(path):
            if path is not None:
                path.unlink(missing_ok=True)

    def thd_replace(self, record: Record, other: Record) -> None:
        """Replace the file of a record, if there is one, by that of another record."""
        path, new = self._path(record), self._path(other)
        with _store_error(path):
            if path is None or new is None or not path.exists():
                return
            before = path.stat()
            thd_write_file(new, self.replay.write(to_history(other)))
            # Keep the permissions and the owner that the daemon's file has, whoever runs the command.
            new.chmod(S_IMODE(before.st_mode))
            if os.geteuid() == 0:
                os.chown(new, before.st_uid, before.st_gid)
            if new != path:
                path.unlink()

    def _path(self, record: Record) -> Path | None:
        try:
            return self.directory / self.replay.file_name(to_history(record))
        except RecordError:
            # For a record that cannot be read there is no file either.
            return None


Folders: TypeAlias = Mapping[str, ReplayFolder]
"""By publisher."""


def folders(listeners: Mapping[str, Any]) -> Folders:
    """Return the replay directories in the settings of the listeners."""
    found = {}
    for name, maker in games().items():
        if directory := getattr(listeners[name], "replays", ""):
            for made in maker.load_all():
                found[made.publisher] = ReplayFolder(Path(directory), made.replays[0])
    return found


@contextmanager
def _store_error(path: Path | None) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"the replay file {path} cannot be changed: {error.strerror}; its record stays") from error


@define(eq=False)
class ReplayWriter:
    """Writes the games of one listener to its replay directory."""

    directory: Path
    replay: ReplayFormat
    reactor: IReactorFromThreads
    _pool: ThreadPool = field(init=False, factory=lambda: one_thread("gamed-replays"))
    _waiting: int = 0
    _idle: Deferred[None] | None = None

    def start(self) -> None:
        """Start the thread."""
        self._pool.start()

    def stop(self) -> Deferred[Any]:
        """Stop the thread; fires when all waiting games are written."""
        self._idle = Deferred() if self._waiting else succeed(None)
        return self._idle.addCallback(lambda _: self._pool.stop())

    def write(self, history: History) -> None:
        """Write a finished game in the thread. Raises nothing, because the caller still has to store the record."""
        if self._waiting >= MOST_WAITING:
            self._report(history, f"{self._waiting} games are waiting for the disk")
            return
        self._waiting += 1
        written = deferToThreadPool(self.reactor, self._pool, self._thd_write, history)
        written.addErrback(self._failed, history).addBoth(self._done)

    def _thd_write(self, history: History) -> None:
        thd_write_file(self.directory / self.replay.file_name(history), self.replay.write(history))

    def _failed(self, failure: Failure, history: History) -> None:
        if failure.check(OSError):
            self._report(history, str(failure.value))
        else:
            log.failure("server fault: replay of record={record}", failure=failure, record=history.room)

    def _report(self, history: History, why: str) -> None:
        log.error(
            "replay not written: {why}; `gamed records export {record} --format {chosen}` writes it",
            why=why,
            record=history.room,
            chosen=self.replay.name,
        )

    def _done(self, _result: object) -> None:
        self._waiting -= 1
        if not self._waiting and self._idle is not None and not self._idle.called:
            self._idle.callback(None)
