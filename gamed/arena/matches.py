"""The folder of `gamed play`: who may use it, and which matches were begun in it.

What was played is in the folder's store. A match is known by what was asked for, so that the same command goes on with
one that was interrupted: nothing else needs to be kept of it than its id and its seed.

Source: docs/topics/design.md#the-runner.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import attrs
from attrs import evolve, frozen

from gamed.core.errors import GamedError
from gamed.tournament.schedule import Fixture, Plan

FILE: Final = "matches.jsonl"
KEYS: Final = "keys"
"""The file with the secret of a folder, from which the keys of its entrants follow: 32 hexadecimal digits."""

LOCK: Final = "lock"
MOST_ATTEMPTS: Final = 6
"""Up to which attempt a game is looked for: one run makes three."""


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

    names: Sequence[str]
    """Those of the entrants."""

    digests: Sequence[str]
    """Those of the entrants' files."""

    @property
    def plan(self) -> Plan:
        """The games of the match."""
        only = self.asked.get("again")
        return Plan(self.id, self.seed, len(self.names), self.asked["games"], only and tuple(only))

    def fixture(self, game: str) -> Fixture | None:
        """Return which of its games has an id."""
        plan = self.plan
        attempts = (evolve(first, attempt=number) for first in plan.fixtures() for number in range(MOST_ATTEMPTS))
        return next((fixture for fixture in attempts if plan.id_of(fixture) == game), None)

    def changed(self, digests: Sequence[str]) -> Sequence[str]:
        """Return the names of the entrants whose files have other digests now."""
        return [name for name, before, now in zip(self.names, self.digests, digests, strict=True) if before != now]


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


def secret_of(folder: Path) -> str:
    """Return the secret of a locked folder, a new one if it has none yet. Raises FolderError."""
    file = folder / KEYS
    try:
        if not file.exists():
            new = file.with_suffix(".new")
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as writing:
                writing.write(secrets.token_hex(16))
            new.replace(file)
        return file.read_text()
    except OSError as error:
        raise FolderError(f"the folder {folder} cannot be used: {error.strerror}; choose one with --dir") from error


def matches(folder: Path) -> Iterator[Match]:
    """Yield the matches that were begun in a folder, the first one first."""
    with suppress(FileNotFoundError):
        for line in (folder / FILE).read_bytes().splitlines():
            # A kill may have left half a line.
            with suppress(ValueError, TypeError):
                yield Match(**json.loads(line))


def match_of(folder: Path, game: str) -> tuple[Match, Fixture] | None:
    """Return the match of a folder that has a game, and which of its games that is; None if there is none."""
    found = ((match, match.fixture(game)) for match in matches(folder))
    return next(((match, fixture) for match, fixture in found if fixture is not None), None)


def add(folder: Path, match: Match) -> None:
    """Note that a match begins."""
    line = json.dumps(attrs.asdict(match)).encode()
    with (folder / FILE).open("ab") as file:
        # Behind half a line, a whole one begins.
        file.write(b"\n" * (file.tell() > 0) + line + b"\n")
        file.flush()
        os.fsync(file.fileno())
