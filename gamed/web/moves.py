"""The public moves of a running match, as JSON for browsers.

They have the same form as the moves of a record (`gamed.records.positions`). `took`, the time that a player took for a
move, comes from the game's own clock, or is the time since the previous move. In a game with hidden moves it is None,
because all players think at the same time. A hidden move has an empty text; what is revealed of it later is in `cards`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field

from gamed.core.game import Seat
from gamed.core.history import STARTED, Entry
from gamed.records.positions import COUNTED, Data, clocked, move
from gamed.registry import GameType


@define
class Moves:
    """Collects the moves of one match, entry by entry."""

    game: GameType

    moves: list[Data] = field(factory=list)
    """The moves in order. When cards of a hidden move are revealed, the move is appended again with its cards, because
    streams send only what was appended."""

    last: Data | None = None
    """The newest move."""

    _hidden: dict[Seat, list[Data]] = field(factory=dict)
    """The hidden moves of each seat, with what was revealed of them so far."""

    _seen: int = 0
    """How many entries have been read."""

    _entries: list[int] = field(factory=list)
    """The numbers of the entries that are moves."""

    _started: int = 0
    """When the match began, as its entries count the time."""

    _before: int = 0
    """The time of the previous move."""

    def take(self, entries: list[Entry]) -> None:
        """Read the new entries of the match."""
        for number, entry in enumerate(entries[self._seen :], self._seen):
            if entry.kind == STARTED:
                self._started = self._before = entry.at
            elif entry.kind in COUNTED:
                self._entries.append(number)
                self._add(entry)
        self._seen = len(entries)

    def number(self, entry: int) -> int | None:
        """Return the number of the move that an entry is; None if it is none. `entry`: its index in the history."""
        place = bisect_left(self._entries, entry)
        return place + 1 if self._entries[place : place + 1] == [entry] else None

    def reveal(self, shown: Sequence[Sequence[Sequence[object]]]) -> None:
        """Update the hidden moves with the cards that are public now. `shown`: for each seat, those of each move."""
        for seat, known in enumerate(shown):
            hidden = self._hidden.get(seat, [])
            for index, (before, cards) in enumerate(zip(hidden, known, strict=False)):
                if before.get("cards") != cards:
                    hidden[index] = {**before, "cards": cards}
                    self.moves.append(hidden[index])

    def _add(self, entry: Entry) -> None:
        public_text = self.game.public_text(entry)
        self.last = self._move(entry, public_text or "")
        self.moves.append(self.last)
        if public_text is None and entry.seat is not None:
            self._hidden.setdefault(entry.seat, []).append(self.last)

    def _move(self, entry: Entry, public_text: str) -> Data:
        took = clocked(entry)
        if took is None and not self.game.hides_moves:
            took = max(0, entry.at - self._before)
        self._before = entry.at
        number = 1 if self.last is None else self.last["n"] + 1
        return move(number, entry, public_text, self._started, took)


def newest(moves: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return each move once, in the newest version, in the order of the moves."""
    return list({one["n"]: one for one in moves}.values())
