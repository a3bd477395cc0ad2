"""The history of one match: the entries that the journal contains and that its record is made of.

A history is a list of entries that ends with `ended`; in the journal, an entry `opened` precedes them. Journal lines
and record bodies are two notations of the same entries, so recovery, replay and export use the same code.

Source: docs/topics/design.md#the-journal; docs/reference/records.md#gameds-own-records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from attrs import define, field

from gamed.core.game import Outcome, Seat, Termination
from gamed.core.texts import timestamp

OPENED = "opened"
JOINED = "joined"
DRAWN = "drawn"
STARTED = "started"
LINE = "line"
MOVE = "move"
LEFT = "left"
ENDED = "ended"
HELD = "held"
"""The progress of a match between two entries, for recovery (`Step.held`). Only the journal has such entries."""

REFUSED = "refused"
"""A message that had no effect. The journal has it between the entries, and the history apart from them, because it
changes no position. The data: `code`, `reason`, `expected`, and `entry`, the number of the entry that follows; or
`code` and `count`, how many more of a code there were."""

ATTESTED = "attested"
"""What the runner of a player's program says of it when the player has left. The journal and the history have it as
they have refusals. The data: `status`, the exit status or minus the number of the signal, `cpu` in milliseconds, and
`memory`, the largest, in kB; or `running`, that it has not ended; or `failed`, why it could not be started. And
`seated`, false: it never took its seat."""

Value = str | int | bool


Word: TypeAlias = Mapping[str, Value]
"""What a runner says of a program: the data of an `ATTESTED` entry; empty: nothing."""

_NO_DATA: Final[Mapping[str, Value]] = {}
"""Shared by all entries without data. Each line of a game makes an entry, and a dictionary is larger than the rest of
it."""


# Immutable by convention, but not frozen: creating an instance of a frozen attrs class costs three times as much, and
# each line of a game creates one.
@define(weakref_slot=False)
class Entry:
    """One event of a match."""

    at: int
    """Milliseconds since the match was opened."""

    kind: str
    """An XML name."""

    seat: Seat | None = None
    """The player whose event it is, if it is a player's."""

    body: bytes | None = None
    """Opaque bytes, such as a wire line."""

    data: Mapping[str, Value] = _NO_DATA
    """Everything else, by name."""


@define(weakref_slot=False)
class History:
    """A match's entries in order, with the facts from when it was opened."""

    room: str
    """A UUID, which becomes the record's id."""

    kind: str
    """The game's name in the registry."""

    opened_at: str
    """UTC, as ISO 8601 with milliseconds and `Z`. The times of the entries count from here."""

    seed: int
    """The seed of the match's random generator."""

    options: Mapping[str, Value] = _NO_DATA
    entries: list[Entry] = field(factory=list)
    refused: tuple[Entry, ...] = ()
    """What was refused: entries of the kind `REFUSED`."""

    attested: tuple[Entry, ...] = ()
    """What runners have said of players' programs: entries of the kind `ATTESTED`."""

    is_fixture: bool = False
    """Whether the match is recorded even if the game does not begin."""

    def opened(self) -> Entry:
        """Return the entry that opens the match in the journal: its facts as data."""
        facts: dict[str, Value] = {"game": self.kind, "started": self.opened_at, "seed": self.seed}
        if self.is_fixture:
            facts["fixture"] = True
        facts.update({f"option.{name}": value for name, value in self.options.items()})
        return Entry(0, OPENED, data=facts)

    @classmethod
    def from_opened(cls, room: str, entry: Entry) -> History:
        """Return the empty history that an `opened` entry describes. Raises KeyError if a fact is missing."""
        data = entry.data
        options = {name[7:]: value for name, value in data.items() if name.startswith("option.")}
        return cls(
            room, str(data["game"]), str(data["started"]), int(data["seed"]), options, is_fixture="fixture" in data
        )

    def of_kind(self, kind: str) -> Iterator[Entry]:
        """Yield the entries of one kind, in order."""
        return (entry for entry in self.entries if entry.kind == kind)

    def set_apart(self) -> None:
        """Move what changes no position, which the journal has between the entries, to where a history has it."""
        entries, self.entries = self.entries, []
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Append an entry to those of its kind."""
        if entry.kind == REFUSED:
            self.refused += (entry,)
        elif entry.kind == ATTESTED:
            self.attested += (entry,)
        else:
            self.entries.append(entry)

    def moment(self, at: int) -> str:
        """Return the time of an entry as `opened_at` gives it. Raises OverflowError beyond the year 9999."""
        return timestamp(datetime.fromisoformat(self.opened_at) + timedelta(milliseconds=at))

    @property
    def started_at(self) -> str:
        """When the game began, as `opened_at`; when the match was opened, if it has not begun."""
        return self.moment(next((entry.at for entry in self.of_kind(STARTED)), 0))

    @property
    def was_started(self) -> bool:
        """Whether the game began: all seats were taken."""
        return any(self.of_kind(STARTED))

    @property
    def is_recorded(self) -> bool:
        """Whether the match becomes a record when it ends."""
        return self.is_fixture or self.was_started

    @property
    def outcome(self) -> Outcome | None:
        """The outcome in the last entry, or None if the history is incomplete."""
        if not self.entries or self.entries[-1].kind != ENDED:
            return None
        data = self.entries[-1].data
        winner = data.get("winner")
        return Outcome(Termination(str(data["termination"])), None if winner is None else int(winner))


def called(joined: Entry) -> str:
    """Return what a player is called who has joined: by name, or as the game calls the seat; "" if by neither."""
    return str(joined.data.get("name") or joined.data.get("side", ""))


def ended(at: int, outcome: Outcome) -> Entry:
    """Return the last entry of a history, with its outcome."""
    data: dict[str, Value] = {"termination": str(outcome.termination)}
    if outcome.winner is not None:
        data["winner"] = outcome.winner
    return Entry(at, ENDED, data=data)
