"""The positions and moves of a record of gamed's own, as a browser asks for them.

A move is `{n, seat, text, at, took}`: its number from 1, whose it is, its notation, the milliseconds since the start of
the match, and how many the player took, None where that is not known. A move that is hidden when it is made has also
`cards`: what has become public of it.

Source: docs/reference/records.md#gameds-own-records. What counts as a move is what `Summary.length` counts: the entries
that players made. The position after n moves is the one before the next such entry, with all that chance drew and with
who left until then; the last one is that at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from attrs import define, field

from gamed.core.errors import RuleError
from gamed.core.game import CHANCE, Reveals, Seat
from gamed.core.history import LINE, MOVE, STARTED, Entry, History
from gamed.core.table import Table, replay

Data: TypeAlias = dict[str, Any]

COUNTED = frozenset({LINE, MOVE})
"""The kinds of entries that are moves."""

LONGEST = 200
"""Characters of a move that are told: a relayed line may be anything."""


@define(eq=False)
class Replayed:
    """A history on its table. `states`: after 0, 1, … moves; `moves`: as all boards are told of them.

    `refused`: why the rules do not go on after the last of the states, None if they reach the end.
    """

    table: Table
    history: History
    public_text: Callable[[Entry], str | None] | None = None
    """What everybody knows of a move when it is made; None: all of it."""
    states: list[Any] = field(factory=list)
    moves: list[Data] = field(factory=list)
    refused: RuleError | None = None

    def played(self) -> Iterator[None]:
        """Play the history, entry by entry; all is there when this ends."""
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
        """Note in the hidden moves what became public of them."""
        entries = (entry for entry in self.history.entries if entry.kind in COUNTED)
        hidden = [move for move, entry in zip(self.moves, entries, strict=True) if public_text(entry) is None]
        for seat, known in enumerate(shown):
            for move, cards in zip((move for move in hidden if move["seat"] == seat), known, strict=False):
                move["cards"] = cards

    def position(self, number: int) -> Data:
        """Return the position after so many moves, as a spectator sees it. Raises RuleError: the rules refuse it."""
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
    """Since when each seat has been asked for its move, in milliseconds; nobody is before the start."""

    is_started: bool = False
    since: dict[Seat, int] = field(factory=dict)

    def answer(self, entry: Entry, move: Data) -> None:
        """Note in a move how long it took: as the game's own clock has it, or since its seat was asked for it."""
        asked, move["took"] = self.since.pop(move["seat"], None), clocked(entry)
        if move["took"] is None and asked is not None:
            move["took"] = max(0, entry.at - asked)

    def ask(self, entry: Entry, seats: frozenset[Seat]) -> None:
        """Take note of who may move after an entry."""
        self.is_started = self.is_started or entry.kind == STARTED
        if self.is_started:
            self.since = {seat: self.since.get(seat, entry.at) for seat in seats}


def moves(history: History) -> list[Data]:
    """Return the moves of a history; how long they took is not known yet."""
    started = next((entry.at for entry in history.of_kind(STARTED)), 0)
    counted = (entry for entry in history.entries if entry.kind in COUNTED)
    return [move(number, entry, _text(entry), started) for number, entry in enumerate(counted, 1)]


def _text(entry: Entry) -> str:
    return (entry.body or b"").decode("utf-8", "backslashreplace")


def move(number: int, entry: Entry, text: str, started: int, took: int | None = None) -> Data:
    """Return a move as a browser is told it. `started`: when the match did, in milliseconds as `Entry.at` has them."""
    at = max(0, entry.at - started)
    return {"n": number, "seat": entry.seat, "text": text[:LONGEST], "at": at, "took": took}


def clocked(entry: Entry) -> int | None:
    """Return how many milliseconds a move took by the game's own clock, None if that does not say."""
    taken = entry.data.get("taken")
    return taken if type(taken) is int else None


def numbers(history: History) -> Sequence[int | None]:
    """Return for each entry which move it is, None for those that are no moves."""
    found: list[int | None] = []
    number = 0
    for entry in history.entries:
        number += entry.kind in COUNTED
        found.append(number if entry.kind in COUNTED else None)
    return found
