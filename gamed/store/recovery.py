"""Reading the segments of a journal: which rooms are open, and what happened in them.

Source: design.md, "The journal". One line is read at a time; only the histories of rooms that are open at that line
are held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import define, field
from twisted.logger import Logger

from gamed.history import OPENED, History
from gamed.store.lines import FORGOTTEN, Line, decode

log = Logger()


@define
class OpenRoom:
    """A room that was not forgotten. `first`: the number of the segment that its first line is in."""

    history: History
    first: int

    @property
    def seq(self) -> int:
        """The number of the next entry; `opened` has the number 0."""
        return 1 + len(self.history.entries)

    def has_opened(self, line: Line) -> bool:
        """Whether a line says again how the room was opened."""
        return line.seq == 0 and line.entry == self.history.opened()

    def replace(self, line: Line) -> None:
        """Take a line whose number is known. Another one than before: that was refused, and could not be undone."""
        if self.history.entries[line.seq - 1] != line.entry:
            self.history.entries[line.seq - 1 :] = [line.entry]


@define
class _Reader:
    """What was read so far.

    `gaps`: where a room's lines stopped to follow one another, and the last number there.

    After a failed sync a later segment repeats what may be missing before it: it closes gaps, and lines that are
    there already say the same again.
    """

    rooms: dict[str, OpenRoom] = field(factory=dict)
    gaps: dict[str, tuple[str, int]] = field(factory=dict)

    def take(self, line: Line, segment: int, place: str) -> None:
        if line.entry.kind == FORGOTTEN:
            self.rooms.pop(line.room, None)
            self.gaps.pop(line.room, None)
            return
        room = self.rooms.get(line.room)
        if room is None:
            self._open(line, segment, place)
        elif line.seq == room.seq:
            # This also takes the `ended` that an earlier start appended where it had found a gap.
            room.history.entries.append(line.entry)
            if line.room in self.gaps and line.seq >= self.gaps[line.room][1]:
                del self.gaps[line.room]
        elif 0 < line.seq < room.seq:
            room.replace(line)
        elif not room.has_opened(line):
            self._gap(line, place)

    def _gap(self, line: Line, place: str) -> None:
        first, last = self.gaps.get(line.room, (place, line.seq))
        self.gaps[line.room] = first, max(last, line.seq)

    def _open(self, line: Line, segment: int, place: str) -> None:
        if line.seq != 0 or line.entry.kind != OPENED:
            self._gap(line, place)
            return
        try:
            self.rooms[line.room] = OpenRoom(History.from_opened(line.room, line.entry), segment)
        except (KeyError, ValueError) as error:
            log.warn("journal: {place} opens no room: {error}", place=place, error=repr(error))


def read(segments: Iterable[tuple[int, Path]]) -> dict[str, OpenRoom]:
    """Return the open rooms in the order of their opening, each up to its first missing or invalid line.

    `segments`: number and path, in order. What cannot be used is logged. Raises OSError.
    """
    reader = _Reader()
    for number, path in segments:
        for place, line in _lines(path):
            reader.take(line, number, place)
    # Only now: a gap in a room that was forgotten later is no loss.
    for room, (place, _last) in reader.gaps.items():
        log.warn(
            "journal: room={room} is incomplete: the line before {place} is missing, and what follows is not used",
            room=room,
            place=place,
        )
    return reader.rooms


def _lines(path: Path) -> Iterator[tuple[str, Line]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            # A line without its end is what kill -9 or a full disk leaves behind; nobody has seen it.
            if not line.endswith(b"\n"):
                return
            place = f"{path.name} line {number}"
            try:
                yield place, decode(line)
            except ValueError as error:
                log.warn("journal: {place} is not used: {error}", place=place, error=error)
