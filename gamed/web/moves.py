"""The moves of a match as browsers are told them: the entries of a history that everybody may know.

They have the form that `gamed.records.positions` gives to the moves of a record. How long the player took is what the
game's own clock says, or the time since the move before; None in a game that hides moves, because there all players
think at the same time. A hidden move has an empty text, and its number.
"""

from __future__ import annotations

from attrs import define, field

from gamed.history import STARTED, Entry
from gamed.records.positions import COUNTED, Data, clocked, move
from gamed.registry import GameType


@define
class Moves:
    """Collects the moves of one match, entry by entry."""

    game: GameType
    moves: list[Data] = field(factory=list)
    _seen: int = 0
    _started: int = 0
    _before: int = 0

    def take(self, entries: list[Entry]) -> None:
        """Take the entries of the match; those that were taken before are left out."""
        for entry in entries[self._seen :]:
            if entry.kind == STARTED:
                self._started = self._before = entry.at
            elif entry.kind in COUNTED:
                self.moves.append(self._move(entry))
        self._seen = len(entries)

    def _move(self, entry: Entry) -> Data:
        took = clocked(entry)
        if took is None and not self.game.hides_moves:
            took = max(0, entry.at - self._before)
        self._before = entry.at
        return move(len(self.moves) + 1, entry, self.game.told(entry) or "", self._started, took)
