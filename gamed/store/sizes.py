"""How long the segments of the journal were when they were synced last, so that a start knows whether one was cut.

A segment that is cut at the end of a line looks like one that was written so far. The file `sizes` has a record of 16
bytes for each segment, at the place of its number: its length in decimal digits. A record is written after the sync of
the bytes that it counts, so it never claims too much, not even after a power failure. It is not synced itself.

Source: docs/topics/design.md#the-journal.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from attrs import define

FILE: Final = "sizes"
_RECORD: Final = 16


@define
class Sizes:
    """The file of a journal. It is a help only: errors are ignored."""

    descriptor: int = -1

    @classmethod
    def of(cls, directory: Path) -> Sizes:
        """Open the file of a journal; create it if necessary."""
        with suppress(OSError):
            return cls(os.open(directory / FILE, os.O_RDWR | os.O_CREAT, 0o600))
        return cls()

    def note(self, number: int, size: int) -> None:
        """Note the length of a segment."""
        if self.descriptor != -1:
            with suppress(OSError):
                os.pwrite(self.descriptor, b"%*d\n" % (_RECORD - 1, size), number * _RECORD)

    def known(self, number: int) -> int:
        """Return the length of a segment that was noted last; 0 if none was."""
        if self.descriptor != -1:
            with suppress(OSError, ValueError):
                return int(os.pread(self.descriptor, _RECORD, number * _RECORD))
        return 0

    def close(self) -> None:
        """Close the file."""
        if self.descriptor != -1:
            os.close(self.descriptor)
            self.descriptor = -1
