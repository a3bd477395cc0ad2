"""A disk under the journal that fails when it is told to: the calls of the module `os` that the journal makes."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase


@define
class FaultyDisk:
    """Fails calls, by name, with an error number. `room`: bytes that can still be written; None: any number.

    `lost`: whether a sync that fails takes along what was not synced, as Linux may: the file is cut to its size at its
    last sync that succeeded.
    """

    test: SynchronousTestCase
    errors: dict[str, int] = field(factory=dict)
    room: int | None = None
    lost: bool = False
    calls: list[str] = field(factory=list)
    _synced: dict[int, int] = field(factory=dict)
    _real: dict[str, Callable[..., Any]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for name in ("write", "ftruncate", "open", "fdatasync", "fsync", "unlink"):
            self._real[name] = getattr(os, name)
            self.test.patch(os, name, self._faulty(name))

    def _faulty(self, name: str) -> Callable[..., Any]:
        special = {"write": self._write, "fdatasync": self._fdatasync}.get(name)

        def call(*arguments: Any, **named: Any) -> Any:
            self.calls.append(name)
            if name in self.errors:
                if name == "fdatasync" and self.lost:
                    os.truncate(arguments[0], self._synced.get(os.fstat(arguments[0]).st_ino, 0))
                raise OSError(self.errors[name], os.strerror(self.errors[name]))
            return (special or self._real[name])(*arguments, **named)

        return call

    def _write(self, descriptor: int, data: bytes) -> int:
        if self.room is None:
            return self._real["write"](descriptor, data)
        if data and not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._real["write"](descriptor, data[: self.room])
        self.room -= written
        return written

    def wait(self) -> None:
        """Let other threads work for a moment."""
        time.sleep(0.01)

    def _fdatasync(self, descriptor: int) -> None:
        self._real["fdatasync"](descriptor)
        status = os.fstat(descriptor)
        self._synced[status.st_ino] = status.st_size
