"""A bot as contests take it: a ZIP with a start script, which is unpacked into a folder of its own.

Source: docs/reference/play.md#bots; PKWARE's APPNOTE.TXT, section 4.4.15, for what `external_attr` means.
"""

from __future__ import annotations

import shutil
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final
from zipfile import BadZipFile, ZipFile, ZipInfo

from gamed.core.errors import GamedError

START: Final = "start.sh"
MOST_BYTES: Final = 256 * 1024 * 1024
MOST_FILES: Final = 10_000

_BROKEN: Final = (BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError, zlib.error)
"""What `zipfile` raises for archives that are damaged, encrypted, or compressed in an unknown way."""


class ArchiveError(GamedError):
    """An archive that is not unpacked."""


def start_script(archive: Path) -> tuple[PurePosixPath, bool]:
    """Return where the start script is in an archive, at its top or in its only folder, and whether it is executable.

    Raises ArchiveError, also for a script with the line ends of Windows, which only Windows can start.
    """
    with _members(archive) as (opened, members):
        found = {PurePosixPath(member.filename): member for member in members}
        tops = {name.parts[0] for name in found if name.parts}
        places = (PurePosixPath(START), *(PurePosixPath(top, START) for top in tops if len(tops) == 1))
        place = next((place for place in places if place in found), None)
        if place is None:
            raise ArchiveError(f"{archive} has no {START}, neither at its top nor in its only folder")
        if b"\r\n" in opened.read(found[place]):
            fix = f"sed -i 's/\\r$//' {place}"
            raise ArchiveError(f"{archive}: {place} has line ends of Windows (CR LF); run {fix}, and pack it again")
        return place, bool(found[place].external_attr >> 16 & stat.S_IXUSR)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive into a folder, in place of what is there. Raises ArchiveError.

    Only what the owner may execute is kept of the files' modes; a start script can always be executed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    with _members(archive) as (opened, members):
        for member in members:
            path = folder / member.filename
            if member.is_dir():
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(member) as source, path.open("xb") as target:
                # No more than the size that the archive says, and that was checked.
                shutil.copyfileobj(source, target)
            if path.name == START or member.external_attr >> 16 & stat.S_IXUSR:
                path.chmod(0o755)


@contextmanager
def _members(archive: Path) -> Iterator[tuple[ZipFile, Sequence[ZipInfo]]]:
    """Open an archive, and check what is in it. Raises ArchiveError."""
    try:
        with ZipFile(archive) as opened:
            members = opened.infolist()
            _check(archive, members)
            yield opened, members
    except _BROKEN as error:
        raise ArchiveError(f"{archive} cannot be unpacked: {error}") from error


def _check(archive: Path, members: Sequence[ZipInfo]) -> None:
    if len(members) > MOST_FILES:
        raise ArchiveError(f"{archive} has {len(members)} files; at most {MOST_FILES} are unpacked")
    size = sum(member.file_size for member in members)
    if size > MOST_BYTES:
        raise ArchiveError(f"{archive} has {size} bytes when unpacked; at most {MOST_BYTES} are")
    for member in members:
        if stat.S_ISLNK(member.external_attr >> 16):
            raise ArchiveError(f"{archive} has a link, {member.filename}; put the file itself there")
        path = PurePosixPath(member.filename)
        if path.is_absolute() or ".." in path.parts:
            raise ArchiveError(f"{archive} has a path that leads outside: {member.filename}")
