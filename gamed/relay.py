"""A match that is forwarded, and judged beside it.

Source: design.md, "Forward first, judge beside it"; battleship.md A1 and A2.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import inf
from random import Random
from typing import Any, Protocol

from attrs import define, field, frozen

from gamed.clocks import IdleClock
from gamed.errors import RuleError
from gamed.events import Event, Moved, Seated, Started
from gamed.findings import Finding
from gamed.game import CHANCE, Game, Options, Outcome, Seat, Termination
from gamed.history import DRAWN, JOINED, LEFT, LINE, STARTED, Entry, Value, ended
from gamed.match import FINDINGS_KEPT
from gamed.table import Mail, Step

REVIEWED_AT_ONCE = 128
"""How many lines one review judges at most, so that it never holds up another room for long."""


class RelayedGame(Game[Any, Any], Protocol):
    """A game whose moves are forwarded as opaque lines and judged afterwards."""

    def decode(self, body: bytes) -> Any:
        """Return the move that a line means, or None if it means none."""

    def follow(self, state: Any, lines: Sequence[tuple[Seat, bytes, int]]) -> Any:
        """Return the state after lines that are legal one after the other, or None if one of them is not.

        This may be much faster than `apply`, which then says which one it is.
        """

    def ends(self, body: bytes, seat: Seat) -> Outcome | None:
        """Return the outcome if a line from this seat ends the match for its clients, else None."""

    def pardon(self, state: Any, seat: Seat, move: Any, error: RuleError) -> Any:
        """Return the state from which to judge on after an illegal move, or None if that would be guessing."""


@frozen
class RelaySettings:
    """A relay's limits: bytes, lines, seconds. `enforce`: judge before forwarding, and end the match at a finding."""

    enforce: bool = False
    early_bytes: int = 16_384
    game_lines: int = 5_000
    game_bytes: int = 1_048_576
    waiting_seconds: float = 3_600.0
    idle_seconds: float = 900.0


def _no_review() -> list[tuple[Seat, bytes, int]]:
    return []


@define
class Relay:
    """A match whose lines are forwarded untouched, and judged beside it (battleship.md A1 and A2).

    `random` makes the generator where the rules leave something to chance; restoring needs none.
    """

    game: RelayedGame
    options: Options
    settings: RelaySettings
    random: Callable[[], Random]
    opened_at: float
    names: list[str] = field(factory=list)
    outcome: Outcome | None = None
    findings: list[Finding] = field(factory=list)
    unjudged: int | None = None
    state: Any = None
    forwards: bool = True
    arrived: float = inf
    is_paused: bool = False
    _clock: IdleClock = field(init=False)
    _early: list[tuple[Seat, Moved]] = field(factory=list)
    _early_bytes: int = 0
    _lines: int = 0
    _bytes: int = 0
    _entries: int = 0
    _to_review: list[tuple[Seat, bytes, int]] = field(factory=_no_review)
    _held: list[tuple[Seat, Moved]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.state = self.game.setup(self.options)
        self._clock = IdleClock(self.settings.waiting_seconds, self.settings.idle_seconds, self.opened_at)

    @property
    def match(self) -> Relay:
        """The one match of this table."""
        return self

    @property
    def free(self) -> Sequence[Seat]:
        """The seats that are not taken, in the order in which they are."""
        return range(len(self.names), 2)

    @property
    def is_started(self) -> bool:
        """Whether the match runs or has run."""
        return self._clock.started

    # Before the match

    def join(self, name: str, now: float, seat: Seat | None = None) -> Step:
        """Seat a newcomer; the second one starts the match."""
        if not self.free or self.outcome is not None or seat not in (None, self.free[0]):
            raise AssertionError("nobody joins a full or finished table, or passes a seat over")
        seat = len(self.names)
        self.names.append(name)
        self._clock.heard = now
        journal = [self._entry(now, JOINED, seat, data={"name": name})]
        if self.free:
            mails = () if self._awaits_chance else (self._role(seat),)
            return Step(mails, wake_at=self._clock.due, journal=tuple(journal))
        return self._start(now, journal)

    @property
    def _awaits_chance(self) -> bool:
        return CHANCE in self.game.to_move(self.state)

    def _role(self, seat: Seat) -> Mail:
        return Mail(seat, Seated(seat, seat in self.game.to_move(self.state)))

    def _start(self, now: float, journal: list[Entry]) -> Step:
        untold: tuple[Seat, ...] = (1,)
        if self._awaits_chance:
            move = self.game.draw(self.state, self.random())
            self.state = self.game.apply(self.state, CHANCE, move)
            journal.append(self._entry(now, DRAWN, data={"first": int(move)}))
            untold = (0, 1)
        journal.append(self._entry(now, STARTED))
        self._clock.started = True
        mails = [self._role(seat) for seat in untold]
        # Everybody is told of the start before any early line is forwarded (battleship.md A1).
        mails += [Mail(0, Started()), Mail(1, Started())]
        step = Step(tuple(mails), wake_at=self._clock.due, journal=tuple(journal))
        early, self._early = self._early, []
        for seat, moved in early:
            step = _joined(step, self.receive(seat, moved, now))
        return step

    def _wait(self, seat: Seat, moved: Moved, now: float) -> Step:
        self._early_bytes += len(moved.body) + 1
        if self._early_bytes > self.settings.early_bytes:
            return self.leave(seat, Termination.LIMIT, now)
        self._early.append((seat, moved))
        return Step(wake_at=self._clock.due)

    # The match

    def receive(self, seat: Seat, event: Event, now: float) -> Step:  # noqa: PLR0911 (the hot path stays one function)
        """Forward a line; where the referee enforces, judge it first."""
        if self.outcome is not None or not isinstance(event, Moved):
            return Step()
        clock = self._clock
        if not clock.started:
            return self._wait(seat, event, now)
        if self.is_paused:
            return self._hold(seat, event, now)
        body = event.body
        clock.heard = now
        self._lines += 1
        self._bytes += len(body)
        if self._lines > self.settings.game_lines or self._bytes > self.settings.game_bytes:
            return self._finish(Outcome(Termination.LIMIT), now)
        number = self._entries
        entry = self._entry(now, LINE, seat, body)
        findings: tuple[Finding, ...] = ()
        if self.settings.enforce:
            findings = self._judge(seat, body, number)
            if findings:
                forfeit = Outcome(Termination.FORFEIT, 1 - seat)
                return self._finish(forfeit, now, journal=(entry,), findings=findings)
        else:
            self._to_review.append((seat, body, number))
        mails = (Mail(1 - seat, event),)
        outcome = self.game.ends(body, seat)
        if outcome is not None:
            return self._finish(outcome, now, mails, (entry,), findings)
        return Step(mails, (), clock.heard + clock.playing, (entry,), len(self._to_review) == 1)

    def _finish(
        self,
        outcome: Outcome,
        now: float,
        mails: tuple[Mail, ...] = (),
        journal: tuple[Entry, ...] = (),
        findings: tuple[Finding, ...] = (),
    ) -> Step:
        self.outcome = outcome
        last = ended(int((now - self.opened_at) * 1000), outcome)
        seats = tuple(range(len(self.names)))
        review = bool(self._to_review)
        return Step(mails, seats, None, (*journal, last), review, findings, outcome, closed=True)

    def leave(self, seat: Seat, why: Termination, now: float, text: str = "") -> Step:  # noqa: ARG002 (Table's)
        """End the match: who leaves loses, if it had begun."""
        if self.outcome is not None:
            return Step()
        left = self._entry(now, LEFT, seat, data={"why": str(why)})
        winner = 1 - seat if self.is_started else None
        return self._finish(Outcome(why, winner), now, journal=(left,))

    def tick(self, now: float) -> Step:
        """End the match if nothing was heard for too long: whose turn it is loses, if that is known."""
        if self.outcome is not None or self.is_paused:
            return Step()
        if now < self._clock.due:
            return Step(wake_at=self._clock.due)
        found: tuple[Finding, ...] = ()
        while self._to_review:
            found += self.review().findings
        return self._finish(Outcome(Termination.IDLE, self._not_to_move()), now, findings=found)

    def _not_to_move(self) -> Seat | None:
        to_move = self.game.to_move(self.state)
        if not self.is_started or self.unjudged is not None or self.findings or len(to_move) != 1:
            return None
        return 1 - next(iter(to_move))

    def stop(self, why: Termination, now: float) -> Step:
        """End the match without a winner."""
        return Step() if self.outcome is not None else self._finish(Outcome(why), now)

    def delivered(self, now: float, unsent: Collection[Seat] = ()) -> float | None:  # noqa: ARG002 (Table's signature)
        """Nothing is timed here but silence."""
        return None

    def overdue(self, now: float) -> Collection[Seat]:  # noqa: ARG002 (Table's signature)
        """Return all seats: a line from anybody ends the silence."""
        return range(len(self.names))

    def observe(self) -> tuple[Event, ...]:
        """Nothing is said to observers: this dialect has no words for them."""
        return ()

    # Holding the match

    def pause(self, now: float) -> Step:  # noqa: ARG002 (Table's signature)
        """Keep what peers send instead of forwarding it."""
        self.is_paused = True
        return Step()

    def _hold(self, seat: Seat, event: Moved, now: float) -> Step:
        self._held.append((seat, event))
        if self._lines + len(self._held) > self.settings.game_lines:
            return self.leave(seat, Termination.LIMIT, now)
        return Step()

    def resume(self, now: float) -> Step:
        """Forward what was kept, and go on."""
        self.is_paused = False
        self._clock.heard = now
        step = Step(wake_at=self._clock.due)
        held, self._held = self._held, []
        for seat, moved in held:
            step = _joined(step, self.receive(seat, moved, now))
        return step

    def step(self, now: float, *, forced: bool = False) -> Step:  # noqa: ARG002 (Table's signature)
        """Forward one line of those that were kept."""
        if not self.is_paused or not self._held:
            return Step()
        self.is_paused = False
        step = self.receive(*self._held.pop(0), now)
        self.is_paused = True
        return step

    # The referee

    def review(self) -> Step:
        """Judge the next lines that were forwarded."""
        batch = self._to_review[:REVIEWED_AT_ONCE]
        del self._to_review[:REVIEWED_AT_ONCE]
        found: tuple[Finding, ...] = ()
        if self.unjudged is None and batch:
            followed = self.game.follow(self.state, batch)
            if followed is not None:
                self.state = followed
                batch = []
        for seat, body, number in batch:
            found += self._judge(seat, body, number)
        return Step(review=bool(self._to_review), findings=found)

    def _judge(self, seat: Seat, body: bytes, number: int) -> tuple[Finding, ...]:
        if self.unjudged is not None:
            return ()
        move = self.game.decode(body)
        if move is None:
            self.unjudged = number
            return ()
        try:
            self.state = self.game.apply(self.state, seat, move)
        except RuleError as error:
            return self._found(seat, move, number, error)
        return ()

    def _found(self, seat: Seat, move: Any, number: int, error: RuleError) -> tuple[Finding, ...]:
        pardoned = self.game.pardon(self.state, seat, move, error)
        if pardoned is None or len(self.findings) == FINDINGS_KEPT - 1:
            self.unjudged = number + 1
        else:
            self.state = pardoned
        finding = Finding(error.code, seat, number, str(error))
        self.findings.append(finding)
        return (finding,)

    # The journal

    def _entry(
        self,
        now: float,
        kind: str,
        seat: Seat | None = None,
        body: bytes | None = None,
        data: dict[str, Value] | None = None,
    ) -> Entry:
        self._entries += 1
        return Entry(int((now - self.opened_at) * 1000), kind, seat, body, {} if data is None else data)

    def restore(self, entry: Entry) -> None:
        """Take an entry as if it happened now."""
        self._entries += 1
        if entry.kind == JOINED:
            self.names.append(str(entry.data["name"]))
        elif entry.kind == DRAWN:
            self.state = self.game.apply(self.state, CHANCE, int(entry.data["first"]))
        elif entry.kind == STARTED:
            self._clock.started = True
        elif entry.kind == LINE:
            assert entry.seat is not None
            assert entry.body is not None
            self._judge(entry.seat, entry.body, self._entries - 1)


def _joined(first: Step, second: Step) -> Step:
    """Return two steps as one."""
    return Step(
        first.mails + second.mails,
        second.dropped or first.dropped,
        second.wake_at,
        first.journal + second.journal,
        first.review or second.review,
        first.findings + second.findings,
        second.outcome or first.outcome,
        closed=first.closed or second.closed,
    )
