"""The folder of `gamed play`: who may use it, and which matches were begun in it.

What was played is in the folder's store. A match is known by what was asked for, so that the same command goes on with
one that was interrupted: nothing else needs to be kept of it than its id and its seed.

Source: docs/topics/design.md#the-runner.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import attrs
from attrs import frozen

from gamed.core.errors import GamedError

FILE: Final = "matches.jsonl"
LOCK: Final = "lock"


class FolderError(GamedError):
    """The folder cannot be used."""


@frozen
class Match:
    """A match that was begun."""

    id: str
    """A UUID, from which the ids of its games follow."""

    seed: int
    asked: Mapping[str, Any]
    """What was asked for, as data for JSON."""

    digests: Sequence[str]
    """Those of the entrants' files."""


def locked(folder: Path) -> int:
    """Make a folder, and return a descriptor that locks it as long as somebody has it open. Raises FolderError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise FolderError(f"the folder {folder} cannot be used: {error.strerror}; choose one with --dir") from error
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor
    os.close(descriptor)
    raise FolderError(f"another gamed play uses the folder {folder}; choose another one with --dir")


def matches(folder: Path) -> Iterator[Match]:
    """Yield the matches that were begun in a folder, the first one first."""
    with suppress(FileNotFoundError):
        for line in (folder / FILE).read_bytes().splitlines():
            # A kill may have left half a line.
            with suppress(ValueError, TypeError):
                yield Match(**json.loads(line))


def add(folder: Path, match: Match) -> None:
    """Note that a match begins."""
    line = json.dumps(attrs.asdict(match)).encode()
    with (folder / FILE).open("ab") as file:
        # Behind half a line, a whole one begins.
        file.write(b"\n" * (file.tell() > 0) + line + b"\n")
        file.flush()
        os.fsync(file.fileno())
