"""The history of one room: what the journal holds and what a record is made of.

Source: docs/topics/design.md#the-journal; docs/reference/records.md#gameds-own-records. A history is a list of entries
that begins with `opened` and ends with `ended`. Journal lines and record bodies are two spellings of the same entries,
so recovery, replay and export are one thing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import define, field

from gamed.core.game import Outcome, Seat, Termination

OPENED = "opened"
JOINED = "joined"
DRAWN = "drawn"
STARTED = "started"
LINE = "line"
MOVE = "move"
LEFT = "left"
ENDED = "ended"
HELD = "held"
"""Where a match stands that waits between two entries: in the journal alone, for recovery (`Step.held`)."""

Value = str | int | bool


_NO_DATA: Final[Mapping[str, Value]] = {}
"""Shared by all that have none: one entry is made a line, and a dictionary is larger than the rest of it."""


# Not frozen: an attrs class that refuses assignment costs three times as much to make, and one is made a line.
@define(weakref_slot=False)
class Entry:
    """One event of a room.

    `at`: milliseconds since the room was opened. `kind`: an XML name. `seat`: whose event it is. `body`: opaque bytes
    (a wire line). `data`: everything else, by name. Nobody assigns to an entry.
    """

    at: int
    kind: str
    seat: Seat | None = None
    body: bytes | None = None
    data: Mapping[str, Value] = _NO_DATA


@define(weakref_slot=False)
class History:
    """A room's entries in order, with the facts it was opened with.

    `room`: the UUID that becomes the record's id. `kind`: the game's name in the registry. `started`: UTC, ISO 8601
    with milliseconds and `Z`. `seed`: what the room's random generator was made with.
    """

    room: str
    kind: str
    started: str
    seed: int
    options: Mapping[str, Value] = _NO_DATA
    entries: list[Entry] = field(factory=list)

    def opened(self) -> Entry:
        """Return the entry that opens the journal of this room: its facts as data."""
        facts: dict[str, Value] = {"game": self.kind, "started": self.started, "seed": self.seed}
        facts.update({f"option.{name}": value for name, value in self.options.items()})
        return Entry(0, OPENED, data=facts)

    @classmethod
    def from_opened(cls, room: str, entry: Entry) -> History:
        """Return the empty history that an `opened` entry describes. Raises KeyError if a fact is missing."""
        data = entry.data
        options = {name[7:]: value for name, value in data.items() if name.startswith("option.")}
        return cls(room, str(data["game"]), str(data["started"]), int(data["seed"]), options)

    def of_kind(self, kind: str) -> Iterator[Entry]:
        """Yield the entries of one kind, in order."""
        return (entry for entry in self.entries if entry.kind == kind)

    @property
    def was_started(self) -> bool:
        """Whether the game began: all seats were taken."""
        return any(self.of_kind(STARTED))

    @property
    def outcome(self) -> Outcome | None:
        """The outcome that the last entry states, or None if the history breaks off."""
        if not self.entries or self.entries[-1].kind != ENDED:
            return None
        data = self.entries[-1].data
        winner = data.get("winner")
        return Outcome(Termination(str(data["termination"])), None if winner is None else int(winner))


def ended(at: int, outcome: Outcome) -> Entry:
    """Return the entry that ends a history with this outcome."""
    data: dict[str, Value] = {"termination": str(outcome.termination)}
    if outcome.winner is not None:
        data["winner"] = outcome.winner
    return Entry(at, ENDED, data=data)
