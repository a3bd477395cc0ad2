"""The referee of a relayed match: judges lines that were forwarded already, or are about to be.

Source: docs/topics/design.md#forward-first-judge-beside-it.

Lines wait in `pending`, and `review` judges all of them in one go (`RelayedGame.follow`), because following twenty
legal lines costs little more than following one. Only if one of them breaks a rule are they judged one by one
(`judge`), to find out which one and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

from attrs import define, evolve, field

from gamed.core.errors import InvalidMove, RuleError
from gamed.core.findings import Finding
from gamed.core.game import Game, Outcome, Seat
from gamed.core.match import FINDINGS_KEPT
from gamed.core.refusals import Refusal

REVIEWED_AT_ONCE: Final = 128
"""How many lines one review judges at most, so that it never holds up another room for long."""


class RelayedGame(Game[Any, Any], Protocol):
    """A game whose moves are forwarded as opaque lines and judged afterwards."""

    def decode(self, body: bytes) -> Any:
        """Return the move that a line means, or None if it is not a move."""

    def follow(self, state: Any, lines: Sequence[tuple[Seat, bytes, int]]) -> Any:
        """Return the state after several lines, or None if one of them is illegal.

        A line after the end of the game is illegal. This may be much faster than a call of `apply` for each line.
        """

    def ends(self, body: bytes, seat: Seat) -> Outcome | None:
        """Return the outcome if a line from this seat ends the match for its clients, else None.

        If lines of the game do not show that, return None. The match then ends when the state has an `outcome`: at once
        if the referee enforces, otherwise when the line is reviewed.
        """

    def plain(self, body: bytes) -> bytes:
        """Return a legal line in the form that every client can read."""

    def mistake(self, state: Any, seat: Seat, body: bytes, error: RuleError) -> Refusal:
        """Return the refusal of a line that broke a rule in a state, for the client's developer."""

    def expected(self, state: Any, seat: Seat, *, started: bool = True) -> str:
        """Return what a seat may send in a state, for people. `started`: whether the clients were told to begin."""

    def due(self, state: Any) -> str:
        """Return which player was to do what in a state, for people; "" if that is not known."""

    def unanswered(self, state: Any, body: bytes, seconds: float) -> tuple[tuple[Seat, Refusal], ...]:
        """Return refusals for the clients because of which nothing has come for so long. `body`: the last line."""

    def pardon(self, state: Any, seat: Seat, move: Any, error: RuleError) -> Any:
        """Return the state from which to judge on after a line that broke a rule. `move`: None if it is not a move."""


@define
class Verdict:
    """The referee's verdict on one or more lines. It is false if all of them were legal."""

    findings: tuple[Finding, ...] = ()
    refused: tuple[tuple[Seat, Refusal], ...] = ()
    """The findings as refusals, for the developers of the clients."""

    def __bool__(self) -> bool:
        return bool(self.findings)

    def __add__(self, other: Verdict) -> Verdict:
        return Verdict(self.findings + other.findings, self.refused + other.refused)


LEGAL: Final = Verdict()


@define(weakref_slot=False)
class Referee:
    """Follows the lines of one match by the rules."""

    game: RelayedGame

    enforces: bool
    """Whether each line is judged before it is forwarded."""

    state: Any
    """The position after the lines that have been judged."""

    findings: list[Finding] = field(factory=list)
    unjudged: int | None = None
    """The number of the first entry that is not judged, because there are `FINDINGS_KEPT` already; None: all are."""

    pending: list[tuple[Seat, bytes, int]] = field(factory=list)
    """The lines that have not been judged: seat, line and number of the entry."""

    reported: range = range(0)
    """The numbers of early lines' entries. They were refused as early, and get no second refusal when they are
    judged."""

    def review_all(self) -> Verdict:
        """Judge all pending lines."""
        verdict = LEGAL
        while self.pending:
            verdict += self.review()
        return verdict

    def review(self) -> Verdict:
        """Judge the next pending lines."""
        batch = self.pending[:REVIEWED_AT_ONCE]
        del self.pending[:REVIEWED_AT_ONCE]
        if self.unjudged is None and batch:
            followed = self.game.follow(self.state, batch)
            if followed is not None:
                self.state = followed
                batch = []
        verdict = LEGAL
        for seat, body, number in batch:
            verdict += self.judge(seat, body, number)
        return verdict

    def judge(self, seat: Seat, body: bytes, number: int) -> Verdict:
        """Judge a line. `number`: that of its entry."""
        if self.unjudged is not None or self.game.outcome(self.state) is not None:
            # A client may have sent this line before it got the one that ended the game.
            return LEGAL
        move = self.game.decode(body)
        try:
            if move is None:
                raise illegible()
            self.state = self.game.apply(self.state, seat, move)
        except RuleError as error:
            finding = Finding(error.code, seat, number, str(error))
            refusal = self.game.mistake(self.state, seat, body, error)
            self.state = self.game.pardon(self.state, seat, move, error)
            self.findings.append(finding)
            if len(self.findings) == FINDINGS_KEPT:
                self.unjudged = number + 1
                reason = f"{refusal.reason}; this is finding {FINDINGS_KEPT}, and further lines are not judged"
                refusal = evolve(refusal, reason=reason)
            if number in self.reported and not self.enforces:
                return Verdict((finding,))
            treatment = "was not forwarded, and the game is lost" if self.enforces else "was forwarded all the same"
            return Verdict((finding,), ((seat, evolve(refusal, reason=f"{refusal.reason}; the line {treatment}")),))
        return LEGAL


def illegible() -> InvalidMove:
    """Return the error of a line that is not a move."""
    return InvalidMove("the line is not a command", code="illegible")
