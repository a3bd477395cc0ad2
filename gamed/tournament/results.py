"""The result of one game, as a tournament counts it.

Source: docs/topics/design.md#control.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from signal import SIGXCPU
from typing import Any, Final

import attrs
from attrs import field, frozen

from gamed.core.game import Seat, Termination
from gamed.core.history import DRAWN, LEFT, LINE, MOVE, STARTED, Entry, History, Value


class Cause(StrEnum):
    """Why a player has lost a game. The codes are stable."""

    BEATEN = "beaten"
    """By the rules of the game."""

    ILLEGAL = "illegal"
    """An illegal move, or one out of turn."""

    TIME = "time"
    CRASHED = "crashed"
    """Its program has ended with another exit status than 0, or by a signal."""

    CPU = "cpu"
    """Its program has used up its processor time."""

    NEVER_CONNECTED = "never-connected"
    PROTOCOL = "protocol"
    """It was removed for messages that its protocol does not have."""

    LEFT = "left"
    """It closed its connection, and runs on or has ended without an error."""

    RESIGNED = "resigned"
    NOT_READING = "not-reading"
    IDLE = "idle"


_CAUSES: Final = {
    Termination.VICTORY: Cause.BEATEN,
    Termination.DRAW: Cause.BEATEN,
    Termination.FORFEIT: Cause.ILLEGAL,
    Termination.REMOVED: Cause.PROTOCOL,
    Termination.RESIGNED: Cause.RESIGNED,
    Termination.LEFT: Cause.LEFT,
    Termination.IDLE: Cause.IDLE,
    Termination.TIME: Cause.TIME,
    Termination.LIMIT: Cause.NOT_READING,
}
"""The cause by the termination, as far as that says it. The others are nobody's."""

VOID: Final = frozenset({Termination.CANCELLED, Termination.SHUTDOWN, Termination.SERVER_FAULT})
"""Ends that are nobody's: the game is played again."""


@frozen
class Result:
    """How a game ended."""

    id: str
    """The id of its room, and of its record."""

    termination: Termination
    winner: Seat | None
    moves: int
    """How many moves were made, those of chance not counted; where lines are relayed, how many lines."""

    seconds: float
    """How long it took from its beginning to its end; 0: it did not begin."""

    digest: str
    """Two games have the same one if the same was drawn, and each seat has made the same moves.

    Which of two players comes first who move at the same time is no difference.
    """

    causes: Mapping[Seat, Cause] = field(factory=dict)
    """Why players have left or were removed, by their seats."""

    @property
    def is_void(self) -> bool:
        """Whether it counts for nobody."""
        return self.termination in VOID

    @property
    def end(self) -> tuple[Termination, Seat | None]:
        """How it ended, and for whom."""
        return self.termination, self.winner

    def cause(self, seat: Seat) -> Cause | None:
        """Return why a seat has lost; None if it has not."""
        return None if self.score(seat) else self.causes.get(seat) or _CAUSES[self.termination]

    def score(self, seat: Seat) -> float:
        """Return what a seat gets: 1 if it has won, 0 if another one has, else ½."""
        return 0.5 if self.winner is None else float(self.winner == seat)


def result_of(history: History) -> Result:
    """Return the result of a match that has ended. Raises ValueError if it has not."""
    outcome = history.outcome
    if outcome is None:
        raise ValueError(f"the match {history.room} has not ended")
    digest, made = hashlib.blake2b(digest_size=8), drawn_and_made(history)
    for (seat, _), (_, entry) in sorted(made.items()):
        digest.update(b"%d %s %r\n" % (seat, entry.body or b"", entry.kind))
    ended = history.entries[-1].at
    began = next((entry.at for entry in history.of_kind(STARTED)), ended)
    moves = max((number for number, entry in made.values() if entry.kind != DRAWN), default=0)
    words = {entry.seat: entry.data for entry in history.attested}
    causes = {entry.seat: _cause(entry, words.get(entry.seat, {})) for entry in history.of_kind(LEFT)}
    if outcome.termination is Termination.FORFEIT:
        # A relayed line that nobody can read.
        illegible = {entry.seat for entry in history.refused if entry.data["code"] == "illegible"}
        causes |= dict.fromkeys(illegible - {outcome.winner}, Cause.PROTOCOL)
    return Result(
        history.room,
        outcome.termination,
        outcome.winner,
        moves,
        (ended - began) / 1000,
        digest.hexdigest(),
        {seat: why for seat, why in causes.items() if seat is not None},
    )


def drawn_and_made(history: History) -> dict[tuple[int, int], tuple[int, Entry]]:
    """Return what was drawn and moved in a game, in its order: the entry, and the number of its move, from 1.

    The keys: whose it is, -1 for chance, and how many of that one were before. What is drawn has the number of the move
    that follows.
    """
    found: dict[tuple[int, int], tuple[int, Entry]] = {}
    counts, number = Counter[int](), 1
    for entry in history.entries:
        if entry.kind in (DRAWN, MOVE, LINE):
            seat = -1 if entry.seat is None else entry.seat
            found[seat, counts[seat]] = number, entry
            counts[seat] += 1
            number += entry.kind != DRAWN
    return found


def _cause(left: Entry, word: Mapping[str, Value]) -> Cause:
    """Return why a player has left. `word`: what the runner of its program has said of it."""
    cause, status = _CAUSES.get(Termination(str(left.data["why"])), Cause.LEFT), int(word.get("status", 0))
    if cause is not Cause.LEFT:
        return cause
    if status:
        return Cause.CPU if -status == SIGXCPU else Cause.CRASHED
    return cause if word.get("seated", True) else Cause.NEVER_CONNECTED


def to_data(result: Result) -> dict[str, Any]:
    """Return a result as data for JSON."""
    data = attrs.asdict(result)
    return {**data, "causes": {str(seat): str(why) for seat, why in result.causes.items()}}


def from_data(data: Mapping[str, Any]) -> Result:
    """Return the result that `to_data` has described."""
    causes = {int(seat): Cause(why) for seat, why in data["causes"].items()}
    return Result(**{**data, "termination": Termination(data["termination"]), "causes": causes})
