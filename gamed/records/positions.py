"""The positions and moves of a record of gamed's own, as a browser asks for them.

A move is `{n, seat, text, at, took}`: its number from 1, the seat that made it, its notation, when it was made in
milliseconds since the start of the match, and how many milliseconds the player took (None if that is not known). A move
that is hidden when it is made also has `cards`: what has become public of it.

Source: docs/reference/records.md#gameds-own-records. `Summary.length` counts the same moves: the entries that players
made. The position after n moves is the one just before move n + 1, after all draws and departures between the two; the
last position is that at the end of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from attrs import define, field

from gamed.core.errors import RuleError
from gamed.core.game import CHANCE, Reveals, Seat
from gamed.core.history import JOINED, LINE, MOVE, STARTED, Entry, History, Value
from gamed.core.table import Table, replay

Data: TypeAlias = dict[str, Any]

COUNTED = frozenset({LINE, MOVE})
"""The kinds of entries that count as moves."""

LONGEST = 200
"""The most characters of a move that a browser gets: a relayed line may be anything."""


@define(eq=False)
class Replayed:
    """A history, and the states that its moves lead to. They are complete when the generator `played` has ended."""

    table: Table
    """A new table of the game, on which the history is replayed."""

    history: History

    public_text: Callable[[Entry], str | None] | None = None
    """Returns what all players know of a move when it is made, None if that is nothing. Without this function, every
    move is public."""

    states: list[Any] = field(factory=list)
    """The states after 0, 1, 2, … moves."""

    moves: list[Data] = field(factory=list)

    refused: RuleError | None = None
    """Why the rules rejected the move after the last of the states; None if all moves are legal."""

    def played(self) -> Iterator[None]:
        """Replay the history, one entry for each step of this generator."""
        self.moves = moves(self.history)
        asked = _Asked()
        self.states.append(self.table.state)
        try:
            for entry in replay(self.table, self.history):
                if entry.kind in COUNTED:
                    asked.answer(entry, self.moves[len(self.states) - 1])
                    self.states.append(self.table.state)
                else:
                    self.states[-1] = self.table.state
                asked.ask(entry, self.table.game.to_move(self.table.state))
                yield
        except RuleError as error:
            self.refused = error
        if self.public_text is not None and isinstance(self.table.game, Reveals):
            self._reveal(self.public_text, self.table.game.revealed(self.table.state))

    def _reveal(self, public_text: Callable[[Entry], str | None], shown: Sequence[Sequence[Sequence[object]]]) -> None:
        """Add `cards` to the moves that were hidden when they were made."""
        entries = (entry for entry in self.history.entries if entry.kind in COUNTED)
        hidden = [move for move, entry in zip(self.moves, entries, strict=True) if public_text(entry) is None]
        for seat, known in enumerate(shown):
            for move, cards in zip((move for move in hidden if move["seat"] == seat), known, strict=False):
                move["cards"] = cards

    def position(self, number: int) -> Data:
        """Return the position after `number` moves, as a spectator sees it. Raises RuleError if a move is illegal."""
        if number >= len(self.states):
            raise self.refused or IndexError(number)
        state, is_last = self.states[number], number == len(self.moves)
        turn = [] if is_last else sorted(self.table.game.to_move(state) - {CHANCE})
        return {
            "n": number,
            "board": self.table.game.view(state, None),
            "turn": turn,
            "phase": "over" if is_last else "play",
            "last": self.moves[number - 1] if number else None,
        }


@define
class _Asked:
    """Measures how long each move took."""

    is_started: bool = False
    """Whether the match has started: before that, no seat is asked for a move."""

    since: dict[Seat, int] = field(factory=dict)
    """The moment from which each seat to move has been to move, in milliseconds as `Entry.at`."""

    def answer(self, entry: Entry, move: Data) -> None:
        """Set `took` of a move: by the game's own clock, or from the moment at which its seat was to move."""
        asked, move["took"] = self.since.pop(move["seat"], None), clocked(entry)
        if move["took"] is None and asked is not None:
            move["took"] = max(0, entry.at - asked)

    def ask(self, entry: Entry, seats: frozenset[Seat]) -> None:
        """Note which seats are to move after an entry."""
        self.is_started = self.is_started or entry.kind == STARTED
        if self.is_started:
            self.since = {seat: self.since.get(seat, entry.at) for seat in seats}


def moves(history: History) -> list[Data]:
    """Return the moves of a history, without how long they took."""
    started = next((entry.at for entry in history.of_kind(STARTED)), 0)
    counted = (entry for entry in history.entries if entry.kind in COUNTED)
    return [move(number, entry, _text(entry), started) for number, entry in enumerate(counted, 1)]


def _text(entry: Entry) -> str:
    return (entry.body or b"").decode("utf-8", "backslashreplace")


def move(number: int, entry: Entry, text: str, started: int, took: int | None = None) -> Data:
    """Return a move as a browser gets it. `started`: the start of the match, in milliseconds as `Entry.at`."""
    at = max(0, entry.at - started)
    return {"n": number, "seat": entry.seat, "text": text[:LONGEST], "at": at, "took": took}


def clocked(entry: Entry) -> int | None:
    """Return how many milliseconds a move took by the game's own clock; None if the game has none."""
    taken = entry.data.get("taken")
    return taken if type(taken) is int else None


def refusals(history: History) -> list[Data]:
    """Return what was refused, by seat and code: `seat`, `name`, `code`, `reason`, `count` and `messages`.

    A message is one that the record has in full: its `text`, what was `expected`, `at` in milliseconds since the start,
    and `move`, how many moves were made before it.
    """
    names = {entry.seat: str(entry.data["name"]) for entry in history.of_kind(JOINED)}
    started = next((entry.at for entry in history.of_kind(STARTED)), 0)
    before = [0, *accumulate(entry.kind in COUNTED for entry in history.entries)]
    found: dict[tuple[Seat | None, Value], Data] = {}
    for entry in history.refused:
        seat, code, reason = entry.seat, entry.data["code"], entry.data.get("reason", "")
        row: Data = {
            "seat": seat,
            "name": names.get(seat, ""),
            "code": code,
            "reason": reason,
            "count": 0,
            "messages": [],
        }
        row = found.setdefault((seat, code), row)
        row["count"] += entry.data.get("count", 1)
        if "count" in entry.data:
            continue
        if reason not in row["reason"].split("; "):
            row["reason"] += f"; {reason}"
        place = before[min(int(entry.data["entry"]), len(history.entries))]
        message = {"text": _text(entry), "expected": entry.data.get("expected", ""), "at": max(0, entry.at - started)}
        row["messages"].append({**message, "move": place})
    return list(found.values())


def numbers(history: History) -> Sequence[int | None]:
    """Return the number of the move that each entry is; None for entries that are not moves."""
    found: list[int | None] = []
    number = 0
    for entry in history.entries:
        number += entry.kind in COUNTED
        found.append(number if entry.kind in COUNTED else None)
    return found
