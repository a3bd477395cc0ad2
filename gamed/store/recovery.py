"""Reading the segments of a journal: which rooms are open, what happened in them, and what is damaged.

Source: docs/topics/design.md#the-journal. One line is read at a time; only the lines of rooms that are not forgotten
are held.
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

# No text inside of a line can look like this: its quotation marks are escaped.
_BEGINNING: Final = re.compile(rb'(?=\{"room":)')

_SHOWN: Final = 5
"""How many numbers of damaged lines a sentence lists."""


@define
class OpenRoom:
    """A room that was not forgotten. `first`: the number of the segment that its first line is in."""

    history: History
    first: int

    @property
    def seq(self) -> int:
        """The number of the next entry; `opened` has the number 0."""
        return 1 + len(self.history.entries)


@frozen
class Reading:
    """What segments hold."""

    rooms: dict[str, OpenRoom]
    """The open rooms by their names, in the order of their opening; each up to its first missing line."""

    damaged: frozenset[int]
    """The numbers of the segments that have damaged lines, or from which lines are missing."""


@define
class _Room:
    """The lines of a room, in whatever order they come. `first`: the segment of the first one that came."""

    first: int
    lines: dict[int, tuple[int, Entry]] = field(factory=dict)
    """By number: the segment, and the entry."""

    newest: int = -1
    """The highest number so far."""

    disordered: set[int] = field(factory=set)
    """Segments in which a line stands behind one that it should stand before."""

    def take(self, line: Line, segment: int) -> None:
        """Take a line.

        After a failed sync a later segment repeats what may be missing before it, and before `ended` the beginning of
        the room is repeated. So a line that is there already is nothing new.
        """
        known = self.lines.get(line.seq)
        if known is not None and line.seq == 0:
            if known[1] != line.entry:
                self.disordered.add(segment)
            return
        if known is not None and known[1] != line.entry:
            # The earlier append was refused, and could not be undone. What followed it did not happen either.
            for seq in [seq for seq, (where, _) in self.lines.items() if seq > line.seq and where < segment]:
                del self.lines[seq]
            self.newest = max(self.lines)
        if known is None and line.seq < self.newest and self.lines[self.newest][0] == segment:
            self.disordered.add(segment)
        self.lines[line.seq] = segment, line.entry
        self.newest = max(self.newest, line.seq)

    def history(self, name: str) -> History | None:
        """Return what follows one another from `opened` on, up to `ended`. None: the room cannot be opened."""
        _, opened = self.lines.get(0, (0, None))
        if opened is None or opened.kind != OPENED:
            return None
        history = History.from_opened(name, opened)
        # What a start appended where it had found a gap is an `ended`; the lines after the gap are still there.
        while (number := 1 + len(history.entries)) in self.lines and history.outcome is None:
            history.entries.append(self.lines[number][1])
        return history


@define
class _Reader:
    """What was read so far."""

    rooms: dict[str, _Room] = field(factory=dict)
    forgotten: set[str] = field(factory=set)
    """Names of rooms whose lines may also come later, if lines were swapped. A name takes 1 % of a game's lines."""

    damaged: set[int] = field(factory=set)

    def read(self, number: int, path: Path) -> None:
        """Read a segment. Raises OSError."""
        bad: list[int] = []
        for line in _lines(path, bad):
            if line.room in self.forgotten:
                continue
            if line.entry.kind == FORGOTTEN:
                self.rooms.pop(line.room, None)
                self.forgotten.add(line.room)
            else:
                self.rooms.setdefault(line.room, _Room(number)).take(line, number)
        if bad:
            self.damaged.add(number)
            listed = ", ".join(map(str, bad[:_SHOWN])) + ("" if len(bad) <= _SHOWN else ", …")
            log.warn(
                "journal: {name}: damaged lines: {listed}; {count} in all",
                name=path.name,
                count=len(bad),
                listed=listed,
            )

    def opened(self) -> dict[str, OpenRoom]:
        """Return the rooms, and say of each what is lost."""
        found = {}
        for name, room in self.rooms.items():
            # Not of a room that was forgotten: the segment that it began in may be removed, and its beginning stands
            # before its end alone.
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
        """Say what is missing of a room that could be opened."""
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
    """Return what segments hold, and log what is damaged and lost. Raises OSError.

    `segments`: number and path, in order.
    """
    reader = _Reader()
    for number, path in segments:
        reader.read(number, path)
    # Only now: a gap in a room that was forgotten later is no loss.
    rooms = reader.opened()
    return Reading(rooms, frozenset(reader.damaged))


def _lines(path: Path, bad: list[int]) -> Iterator[Line]:
    """Yield the whole lines; note the numbers of those that are damaged.

    A last line without its line feed is what a crash leaves, but so does whatever cuts a file off.
    """
    with path.open("rb") as file:
        for number, text in enumerate(file, 1):
            try:
                yield decode(text)
            except ValueError:
                bad.append(number)
                yield from _whole(text)


def _whole(text: bytes) -> Iterator[Line]:
    """Yield the lines that stand whole in a damaged one: their line feeds, or those before them, may be damaged."""
    for piece in _BEGINNING.split(text):
        end = piece.rfind(b"}") + 1
        if end < len(piece):
            try:
                yield decode(piece[:end] + b"\n")
            except ValueError:
                continue
