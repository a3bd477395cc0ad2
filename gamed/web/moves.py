"""The moves of a match as browsers are told them: the entries of a history that everybody may know.

They have the form that `gamed.records.positions` gives to the moves of a record. How long the player took is what the
game's own clock says, or the time since the move before; None in a game that hides moves, because there all players
think at the same time. A hidden move has an empty text, and its number; what becomes public of it later is in `cards`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field

from gamed.core.game import Seat
from gamed.core.history import STARTED, Entry
from gamed.records.positions import COUNTED, Data, clocked, move
from gamed.registry import GameType


@define
class Moves:
    """Collects the moves of one match, entry by entry.

    `moves`: a move of which something has become public meanwhile is there again, so that streams, which tell what was
    added, tell that, too. `last`: the newest move.
    """

    game: GameType
    moves: list[Data] = field(factory=list)
    last: Data | None = None
    # By seat, its hidden moves, as they were told last.
    _hidden: dict[Seat, list[Data]] = field(factory=dict)
    _seen: int = 0
    _started: int = 0
    _before: int = 0

    def take(self, entries: list[Entry]) -> None:
        """Take the entries of the match; those that were taken before are left out."""
        for entry in entries[self._seen :]:
            if entry.kind == STARTED:
                self._started = self._before = entry.at
            elif entry.kind in COUNTED:
                self._add(entry)
        self._seen = len(entries)

    def reveal(self, shown: Sequence[Sequence[Sequence[object]]]) -> None:
        """Take what of the hidden moves is public now, by seat, of each of its hidden moves in order."""
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
    """Return each move once, in its place, as it was told last."""
    return list({one["n"]: one for one in moves}.values())
