"""The positions and moves of a record of gamed's own, as a browser asks for them.

A move is `{n, seat, text, at, took}`: its number from 1, the seat that made it, its notation, when it was made in
milliseconds since the start of the match, and how many milliseconds the player took (None if that is not known). A move
that is hidden when it is made also has `cards`: what has become public of it.

Source: docs/reference/records.md#gameds-own-records. `Summary.length` counts the same moves: the entries that players
made. The position after n moves is the one just before move n + 1, after all draws and departures between the two; the
last position is that at the end of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from attrs import asdict, define, field, frozen

from gamed.core.errors import RuleError
from gamed.core.findings import Finding
from gamed.core.game import CHANCE, Reveals, Seat
from gamed.core.history import JOINED, LEFT, LINE, MOVE, STARTED, Entry, History, called
from gamed.core.table import Table, replay
from gamed.tournament.results import result_of

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


@frozen
class Turn:
    """A move, and the time that its player took."""

    number: int
    seat: Seat | None
    begun: int
    """When the player was to move, as `Entry.at`."""

    at: int
    """When the move was made."""

    text: str

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.at - self.begun) / 1000


def turns_of(history: History, took: Mapping[int, int | None]) -> list[Turn]:
    """Return the moves of a history. `took`: by their numbers; else from what was before."""
    found: list[Turn] = []
    before = _started(history)
    for number, entry in enumerate((entry for entry in history.entries if entry.kind in COUNTED), 1):
        spent = took.get(number)
        begun = before if spent is None else entry.at - spent
        found.append(Turn(number, entry.seat, begun, entry.at, _text(entry)))
        before = entry.at
    return found


def numbers_of(turns: Sequence[Turn], told: Mapping[str, Sequence[Sequence[float]]]) -> dict[int, dict[str, float]]:
    """Return what a program has told of itself at each of its moves: name and number, by the number of the move.

    `told`: time and number, by name. A number belongs to the turn that had begun last; of several, the last one counts.
    """
    found: dict[int, dict[str, float]] = {turn.number: {} for turn in turns}
    for name, series in told.items() if turns else ():
        for at, number in series:
            begun = [turn for turn in turns if turn.begun <= at]
            found[(begun or turns)[-1 if begun else 0].number][name] = number
    return found


def moves(history: History) -> list[Data]:
    """Return the moves of a history, without how long they took."""
    started = _started(history)
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


def names_of(history: History) -> dict[Seat | None, str]:
    """Return what the players of a history are called, by seat."""
    return {entry.seat: called(entry) for entry in history.of_kind(JOINED)}


def _started(history: History) -> int:
    """Return when the match began, in milliseconds as `Entry.at`."""
    return next((entry.at for entry in history.of_kind(STARTED)), 0)


def _moves_before(history: History) -> list[int]:
    """Return how many moves were made before each entry, and in all."""
    return list(accumulate((entry.kind in COUNTED for entry in history.entries), initial=0))


def findings(history: History, found: Iterable[Finding]) -> list[Data]:
    """Return the findings of the referee: `seat`, `name`, `code`, `entry`, `text` and `move`.

    `move`: the number of the move that broke the rule; if that is no move of the record, how many were made before.
    """
    names, before, last = names_of(history), _moves_before(history), len(history.entries)
    return [{**asdict(one), "name": names.get(one.seat, ""), "move": before[min(one.entry + 1, last)]} for one in found]


def departures(history: History) -> list[Data]:
    """Return who left before the end: `seat`, `name`, `why`, `move`, `at`, and why in words and numbers, if known.

    These are `code` and `text`, and of who lost by time `limit`, `taken` and `gap` in milliseconds: what was allowed,
    what was taken, and the part of it that is not charged. `program`: what became of the player's program, as the data
    of an `ATTESTED` entry say.
    """
    programs = {entry.seat: dict(entry.data) for entry in history.attested}
    names, before, started = names_of(history), _moves_before(history), _started(history)
    found = []
    for number, entry in enumerate(history.entries):
        if entry.kind != LEFT:
            continue
        said = {name: str(entry.data[name]) for name in ("why", "code", "text") if name in entry.data}
        # A limit may be a name, of another number.
        limit = entry.data.get(str(entry.data.get("limit")), entry.data.get("limit"))
        numbers = {"limit": limit, "taken": entry.data.get("taken"), "gap": entry.data.get("gap")}
        # A game that was read from a replay file has no numbers.
        timed = numbers if all(type(number) is int for number in numbers.values()) else {}
        place = {"seat": entry.seat, "name": names.get(entry.seat, ""), "move": before[number]}
        program = {"program": programs[entry.seat]} if entry.seat in programs else {}
        found.append({**place, "at": max(0, entry.at - started), **said, **timed, **program})
    return found


def losses(history: History) -> list[Data]:
    """Return who has lost a match, and why: `seat`, `name`, and `cause`, a `Cause`. Empty if it has not ended."""
    if history.outcome is None:
        return []
    names, result = names_of(history), result_of(history)
    seats = sorted(seat for seat in {*names, *result.causes} if seat is not None)
    causes = {seat: result.cause(seat) for seat in seats}
    return [{"seat": seat, "name": names.get(seat, ""), "cause": why} for seat, why in causes.items() if why]


def refusals(history: History) -> list[Data]:
    """Return what was refused, by seat and code: `seat`, `name`, `code`, `reason`, `count` and `messages`.

    A message is one that the record has in full: its `text`, what was `expected`, `at` in milliseconds since the start,
    and `move`, how many moves were made before it.
    """
    names, before, started = names_of(history), _moves_before(history), _started(history)
    found: dict[tuple[Seat | None, str], Data] = {}
    for entry in history.refused:
        # Another program may have written the record: what its schema calls a text may look like a number here.
        seat, code, reason = entry.seat, str(entry.data["code"]), str(entry.data.get("reason", ""))
        empty: Data = {
            "seat": seat,
            "name": names.get(seat, ""),
            "code": code,
            "reason": {},
            "count": 0,
            "messages": [],
        }
        row = found.setdefault((seat, code), empty)
        row["reason"][reason] = None
        row["count"] += int(entry.data.get("count", 1))
        if "count" in entry.data:
            continue
        place = before[min(int(entry.data.get("entry", 0)), len(history.entries))]
        expected = str(entry.data.get("expected", ""))
        row["messages"].append(
            {"text": _text(entry), "expected": expected, "at": max(0, entry.at - started), "move": place}
        )
    for row in found.values():
        # In their order, each once.
        row["reason"] = "; ".join(filter(None, row["reason"]))
    return list(found.values())
