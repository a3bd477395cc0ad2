"""The moves of a match as browsers are told them: the entries of a history that everybody may know.

A move is `{n, seat, text, at, took}`: its number from 1, whose it is, its notation, the milliseconds since the start of
the match, and how many the player took: as the game's own clock has it, or since the move before; None in a game that
hides moves, because there all players think at the same time. A hidden move has an empty text, and its number.
"""

from __future__ import annotations

from typing import Any, Final

from attrs import define, field

from gamed.history import LINE, MOVE, STARTED, Entry
from gamed.registry import Told, everything

LONGEST: Final = 200
"""Characters of a move that are told: a relayed line may be anything."""

Move = dict[str, Any]


@define
class Moves:
    """Collects the moves of one match, entry by entry. `told`: what the game says of an entry (GameType.told)."""

    told: Told
    moves: list[Move] = field(factory=list)
    _seen: int = 0
    _started: int = 0
    _before: int = 0

    def take(self, entries: list[Entry]) -> None:
        """Take the entries of the match; those that were taken before are left out."""
        for entry in entries[self._seen :]:
            if entry.kind == STARTED:
                self._started = self._before = entry.at
            elif entry.kind in (MOVE, LINE):
                self.moves.append(self._move(entry))
        self._seen = len(entries)

    def _move(self, entry: Entry) -> Move:
        taken = entry.data.get("taken")
        if type(taken) is not int:
            taken = max(0, entry.at - self._before) if self.told is everything else None
        self._before = entry.at
        return {
            "n": len(self.moves) + 1,
            "seat": entry.seat,
            "text": (self.told(entry) or "")[:LONGEST],
            "at": max(0, entry.at - self._started),
            "took": taken,
        }
