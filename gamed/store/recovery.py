"""Read the segments of a journal: find the open rooms, their entries, and damage.

Source: docs/topics/design.md#the-journal. One line is read at a time, and only the entries of rooms that have not been
forgotten are kept in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from attrs import define, field, frozen
from twisted.logger import Logger

from gamed.core.history import OPENED, Entry, History
from gamed.store.lines import FORGOTTEN, Line, decode

log = Logger()

# This cannot match inside a JSON string, where quotation marks are escaped.
_BEGINNING: Final = re.compile(rb'(?=\{"room":)')

_SHOWN: Final = 5
"""The most numbers of damaged lines that a log line lists."""


@define
class OpenRoom:
    """A room that has not been forgotten."""

    history: History

    first: int
    """The number of the segment that has its first line."""

    @property
    def seq(self) -> int:
        """The number of the next entry. `opened` has the number 0."""
        return 1 + len(self.history.entries)


@frozen
class Reading:
    """The content of the segments."""

    rooms: dict[str, OpenRoom]
    """The open rooms by name, in the order of their opening; each up to its first missing entry."""

    damaged: frozenset[int]
    """The numbers of the segments that have damaged lines, or in which lines are missing."""


@define
class _Room:
    """The lines of a room, which may be in any order."""

    first: int
    """The number of the segment that has the line that was read first."""

    lines: dict[int, tuple[int, Entry]] = field(factory=dict)
    """The number of the segment and the entry, by the number of the entry."""

    newest: int = -1
    """The highest number of an entry so far."""

    disordered: set[int] = field(factory=set)
    """The numbers of the segments in which lines are in the wrong order."""

    def take(self, line: Line, segment: int) -> None:
        """Add a line.

        Lines may be repeated: after a failed sync, the next segment repeats all lines that may have been lost, and
        `opened` is repeated before `ended`.
        """
        known = self.lines.get(line.seq)
        if known is not None and line.seq == 0:
            if known[1] != line.entry:
                self.disordered.add(segment)
            return
        if known is not None and known[1] != line.entry:
            # The earlier append had failed, and could not be undone. The lines that followed it do not count either.
            for seq in [seq for seq, (where, _) in self.lines.items() if seq > line.seq and where < segment]:
                del self.lines[seq]
            self.newest = max(self.lines)
        if known is None and line.seq < self.newest and self.lines[self.newest][0] == segment:
            self.disordered.add(segment)
        self.lines[line.seq] = segment, line.entry
        self.newest = max(self.newest, line.seq)

    def history(self, name: str) -> History | None:
        """Return the entries from `opened` on without a gap, up to `ended`; None if `opened` is missing."""
        _, opened = self.lines.get(0, (0, None))
        if opened is None or opened.kind != OPENED:
            return None
        history = History.from_opened(name, opened)
        # At a gap, the next start of the daemon has appended an `ended`. The lines after the gap are still there.
        while (number := 1 + len(history.entries)) in self.lines and history.outcome is None:
            history.entries.append(self.lines[number][1])
        return history


@define
class _Reader:
    """Reads the segments in order."""

    rooms: dict[str, _Room] = field(factory=dict)

    forgotten: set[str] = field(factory=set)
    """The names of forgotten rooms. More of their lines may follow, if lines are in the wrong order. A name takes 1 %
    of the size of a game's lines."""

    damaged: set[int] = field(factory=set)
    """The numbers of the segments that are damaged."""

    def read(self, number: int, path: Path) -> None:
        """Read a segment. Raises OSError."""
        bad = _Bad()
        for line in _lines(path, bad):
            if line.room in self.forgotten:
                continue
            if line.entry.kind == FORGOTTEN:
                self.rooms.pop(line.room, None)
                self.forgotten.add(line.room)
            else:
                self.rooms.setdefault(line.room, _Room(number)).take(line, number)
        if bad.lines:
            self.damaged.add(number)
            listed = ", ".join(map(str, bad.lines[:_SHOWN])) + ("" if len(bad.lines) <= _SHOWN else ", …")
            log.warn(
                "journal: {name}: damaged lines: {listed}; {count} in all, {size} bytes{end}; games of which no other "
                "line is left may be missing, and are not named",
                name=path.name,
                count=len(bad.lines),
                listed=listed,
                size=bad.size,
                end=f"; the file ends in the middle of the last one, after {bad.end} bytes" if bad.end else "",
            )

    def opened(self) -> dict[str, OpenRoom]:
        """Return the open rooms, and log what is lost of each."""
        found = {}
        for name, room in self.rooms.items():
            # Only for open rooms: the first segment of a forgotten room may have been removed, so that its `opened` is
            # only repeated before its `ended`.
            if room.disordered:
                self.damaged |= room.disordered
                log.warn("journal: room={room}: its lines are not in their order, and are used", room=name)
            history = self._history(name, room)
            if history is not None:
                found[name] = OpenRoom(history, room.first)
                self._check(room, history)
        return found

    def _history(self, name: str, room: _Room) -> History | None:
        try:
            history = room.history(name)
        except (KeyError, ValueError) as error:
            log.warn("journal: room={room} cannot be opened: {error}", room=name, error=repr(error))
            return None
        if history is None:
            self._lost(room)
            log.warn(
                "journal: room={room}: how it was opened is missing, so its {count} entries are not used; "
                "its record may be stored already",
                room=name,
                count=len(room.lines),
            )
        return history

    def _check(self, room: _Room, history: History) -> None:
        """Log what is missing of a room that could be opened."""
        used = len(history.entries)
        later = () if history.outcome is not None else [seq for seq in room.lines if seq > used]
        if later:
            self._lost(room)
            log.warn(
                "journal: room={room} game={game}: the entries {first} to {last} are missing, "
                "and {count} after them are not used",
                room=history.room,
                game=history.kind,
                first=used + 1,
                last=min(later) - 1,
                count=len(later),
            )
        elif history.outcome is None and any(number >= room.first for number in self.damaged):
            log.warn(
                "journal: room={room} game={game} breaks off after entry {used}: "
                "what followed may be among the damaged lines",
                room=history.room,
                game=history.kind,
                used=used,
            )

    def _lost(self, room: _Room) -> None:
        self.damaged.update(segment for segment, _ in room.lines.values())


def read(segments: Iterable[tuple[int, Path]]) -> Reading:
    """Read segments, and log what is damaged and lost. Raises OSError.

    `segments`: the number and the path of each, in order.
    """
    reader = _Reader()
    for number, path in segments:
        reader.read(number, path)
    # Not before all segments are read: a gap in a room does not matter if the room is forgotten later.
    rooms = reader.opened()
    return Reading(rooms, frozenset(reader.damaged))


@define
class _Bad:
    """The damaged lines of a segment."""

    lines: list[int] = field(factory=list)
    """Their numbers."""

    size: int = 0
    """Their length in bytes."""

    end: int = 0
    """The length of the segment if its last line has no line feed, otherwise 0."""


def _lines(path: Path, bad: _Bad) -> Iterator[Line]:
    """Yield the intact lines, and note the damaged ones in `bad`.

    A last line without its line feed counts as damaged: a crash can leave one, but so can anything that truncates a
    file.
    """
    with path.open("rb") as file:
        for number, text in enumerate(file, 1):
            try:
                yield decode(text)
            except ValueError:
                bad.lines.append(number)
                bad.size += len(text)
                bad.end = 0 if text.endswith(b"\n") else file.tell()
                yield from _whole(text)


def _whole(text: bytes) -> Iterator[Line]:
    """Yield intact lines within a damaged one: only a line feed between them may be damaged."""
    for piece in _BEGINNING.split(text):
        end = piece.rfind(b"}") + 1
        if end < len(piece):
            try:
                yield decode(piece[:end] + b"\n")
            except ValueError:
                continue
