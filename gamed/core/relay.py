"""A match whose lines are forwarded first, and judged afterwards.

Source: docs/topics/design.md#forward-first-judge-beside-it.

Each line is processed twice. `receive` forwards it at once. It parses no more of it than is needed to know whether the
line ends the match for the clients (`RelayedGame.ends`), and hands it to the `Referee`, who judges all lines of a
quarter of a second together. So `state` is up to a quarter of a second old, and methods that need the present state
(`leave`, `tick`) review all lines first. If the referee enforces the rules, it judges a line before it is forwarded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Final

from attrs import define, evolve, field, frozen

from gamed.core.clocks import IdleClock, MoveClock
from gamed.core.events import Event, Moved, Seated, Started, Unread
from gamed.core.game import CHANCE, Options, Outcome, Seat, Termination
from gamed.core.history import DRAWN, JOINED, LEFT, LINE, STARTED, Entry, Value, ended
from gamed.core.match import FINDINGS_KEPT, MatchLog
from gamed.core.referee import LEGAL, Referee, RelayedGame, Verdict, illegible
from gamed.core.refusals import Refusal
from gamed.core.table import Addressed, Step

if TYPE_CHECKING:
    from random import Random

MOST_PENDING: Final = 1_000
"""How many lines may wait for their review. When a client leaves, all of them are judged at once, in 2.3 μs each."""

ANSWER_SECONDS: Final = 10.0
"""Seconds after which a developer learns that a client does not answer a message that programs answer at once."""

_FIRST_LINES: Final = 4
"""A move and its answer from each side: after these, both clients have been seen to answer."""


@frozen
class RelaySettings:
    """A relay's limits."""

    enforce: bool = False
    """Whether each line is judged before it is forwarded. Then a line that breaks a rule ends the match."""

    early_bytes: int = 16_384
    """How many bytes the first client may send before the second one is there."""

    game_lines: int = 5_000
    game_bytes: int = 1_048_576
    max_moves: int = 0
    """The greatest length of a match, in lines; 0: there is none. Unlike a line too many, the last one is forwarded."""

    waiting_seconds: float = 3_600.0
    """How long the first client may wait for the second one in silence."""

    idle_seconds: float = 900.0
    """How long both clients may be silent in a match."""

    move_seconds: float = 0.0
    """How long a player may take for each line that is due; 0: there is no such limit."""


@define(weakref_slot=False)
class Relay(MatchLog):
    """A match whose lines are forwarded unchanged, and judged afterwards."""

    game: RelayedGame
    options: Options
    settings: RelaySettings
    random: Callable[[int], Random]
    """Makes the random generator, if chance moves in the game. Restoring a match does not need it."""

    opened_at: float

    names: tuple[str, ...] = ()
    """The names of the clients, by seat."""

    outcome: Outcome | None = None
    forwards: bool = True
    is_paused: bool = False
    referee: Referee = field(init=False)
    _clock: IdleClock = field(init=False)
    _early: list[tuple[Seat, Moved]] | None = None
    """Lines that came before the start; None: none, as in most games. An empty list would cost memory in each room."""

    _early_bytes: int = 0
    """The length of these lines."""

    _lines: int = 0
    """How many lines the match has had."""

    _bytes: int = 0
    """The length of these lines."""

    entries: int = 0

    _held: list[tuple[Seat, Moved]] | None = None
    """Lines that came while the match was paused; None: none."""

    _last: bytes = b""
    """The last line."""

    def __attrs_post_init__(self) -> None:
        self.referee = Referee(self.game, self.settings.enforce, self.game.setup(self.options))
        playing = self.settings.move_seconds or self.settings.idle_seconds
        self._clock = IdleClock(self.settings.waiting_seconds, playing, self.opened_at)

    @property
    def match(self) -> Referee:
        """The results of the one match of this table."""
        return self.referee

    @property
    def state(self) -> Any:
        """The position after the lines that have been judged."""
        return self.referee.state

    @property
    def free(self) -> Sequence[Seat]:
        """The seats that are not taken, in the order in which they will be."""
        return range(len(self.names), 2)

    def is_player(self, _seat: Seat) -> bool:
        """Return True: both clients play."""
        return True

    @property
    def is_started(self) -> bool:
        """Whether the match runs or has run."""
        return self._clock.started

    def due_of(self, _seat: Seat) -> float | None:
        """Return when the idle timeout ends the match; None: it does not run."""
        return None if self.outcome is not None or self.is_paused else self._clock.due

    # Before the match

    def join(self, name: str, now: float, seat: Seat | None = None) -> Step:
        """Seat a new client. The second one starts the match."""
        if not self.free or self.outcome is not None or seat not in (None, self.free[0]):
            raise AssertionError("nobody joins a full or finished table, or passes a seat over")
        seat = len(self.names)
        self.names += (name,)
        self._clock.last_message_at = now
        journal = [self.entry(now, JOINED, seat, data={"name": name})]
        if self.free:
            events = () if self._awaits_chance else (self._role(seat),)
            return Step(events, wake_at=self._clock.due, journal=tuple(journal))
        return self._start(now, journal)

    @property
    def _awaits_chance(self) -> bool:
        return CHANCE in self.game.to_move(self.state)

    def _role(self, seat: Seat) -> Addressed:
        return Addressed(seat, Seated(seat, seat in self.game.to_move(self.state)))

    def _start(self, now: float, journal: list[Entry]) -> Step:
        unnotified: tuple[Seat, ...] = (1,)
        if self._awaits_chance:
            move = self.game.draw(self.state, self.random(0))
            self.referee.state = self.game.apply(self.state, CHANCE, move)
            journal.append(self.entry(now, DRAWN, data={"first": int(move)}))
            unnotified = (0, 1)
        journal.append(self.entry(now, STARTED))
        self._clock.started = True
        events = [self._role(seat) for seat in unnotified]
        # Both clients get the start before any early line is forwarded.
        events += [Addressed(0, Started()), Addressed(1, Started())]
        patience = min(ANSWER_SECONDS, self._clock.playing)
        step = Step(tuple(events), wake_at=now + patience, journal=tuple(journal))
        early, self._early = self._early or (), None
        # Early lines have been refused once, and are not refused again when they are judged.
        if early:
            self.referee.reported = range(self.entries, self.entries + min(len(early), FINDINGS_KEPT))
        for seat, moved in early:
            step.join(self.receive(seat, moved, now))
        return step

    def _wait(self, seat: Seat, moved: Moved, now: float) -> Step:
        self._early_bytes += len(moved.body) + 1
        if self._early_bytes > self.settings.early_bytes:
            reason = f"sent more than {self.settings.early_bytes} bytes before a second client came"
            return self.leave(
                seat, Termination.REMOVED, now, refusal=Refusal("early-limit", reason, "nothing before the start")
            )
        self._early = self._early or []
        self._early.append((seat, moved))
        told = len(self._early) <= FINDINGS_KEPT
        return Step(wake_at=self._clock.due, refused=self._too_early(seat, moved.body) if told else ())

    def _too_early(self, seat: Seat, body: bytes) -> tuple[tuple[Seat, Refusal], ...]:
        if self.game.decode(body) is None:
            refusal = self.game.mistake(self.state, seat, body, illegible())
            return ((seat, evolve(refusal, reason=f"{refusal.reason}; {_IS_KEPT}")),)
        expected = self.game.expected(self.state, seat, started=False)
        return ((seat, Refusal("early", f"too early; {_IS_KEPT}", expected, body)),)

    # The match

    def receive(  # noqa: C901, PLR0911 (the hot path)
        self, seat: Seat, event: Event, now: float, arrived: float = inf
    ) -> Step:
        """Forward a line. If the referee enforces the rules, judge it first."""
        if self.outcome is not None or not isinstance(event, Moved):
            return self._skip(seat, event)
        clock = self._clock
        if not clock.started:
            return self._wait(seat, event, now)
        if self.is_paused:
            return self._hold(seat, event, now)
        if self.settings.move_seconds and min(now, arrived) > clock.due:
            return self._expired(now, min(now, arrived), {seat: event.body})
        self._last = body = event.body
        clock.last_message_at = now
        self._lines += 1
        self._bytes += len(body)
        if self._lines > self.settings.game_lines or self._bytes > self.settings.game_bytes:
            return self._finish(Outcome(Termination.LIMIT), now, refused=((seat, self._too_much(body)),))
        number = self.entries
        entry = Entry(int((now - self.opened_at) * 1000), LINE, seat, body)
        self.entries = number + 1
        found, decided = LEGAL, None
        if self.settings.enforce:
            verdict = self.referee.judge(seat, body, number)
            if verdict:
                return self._finish(Outcome(Termination.FORFEIT, 1 - seat), now, journal=(entry,), verdict=verdict)
            # The referee accepts notations that some clients cannot read. They must get a form that they can.
            plain = self.game.plain(body)
            if plain != body:
                event = Moved(plain)
            decided = self.game.outcome(self.state)
        else:
            self.referee.pending.append((seat, body, number))
            if len(self.referee.pending) > MOST_PENDING:
                found = self.referee.review()
                decided = self.game.outcome(self.state)
        events = (Addressed(1 - seat, event),)
        outcome = self.game.ends(body, seat) or decided
        if outcome is None and self._lines == self.settings.max_moves:
            outcome = Outcome(Termination.LIMIT)
        if outcome is not None:
            return self._finish(outcome, now, events, (entry,), verdict=found)
        patience = clock.playing if self._lines > _FIRST_LINES else min(ANSWER_SECONDS, clock.playing)
        is_first = len(self.referee.pending) == 1
        return Step(
            events,
            wake_at=clock.last_message_at + patience,
            journal=(entry,),
            # If others are pending, the lobby knows already that there is something to review.
            review=is_first,
            findings=found.findings,
            refused=found.refused,
        )

    def _skip(self, seat: Seat, event: Event) -> Step:
        if isinstance(event, Unread):
            return Step(refused=((seat, event.refusal),))
        if isinstance(event, Moved):
            expected = "nothing: another game takes another connection"
            return Step(refused=((seat, Refusal("after-end", "the game is over", expected, event.body)),))
        return Step()

    def _too_much(self, body: bytes) -> Refusal:
        reason = f"the game has had more than {self.settings.game_lines} lines or {self.settings.game_bytes} bytes"
        return Refusal("game-limit", reason, "a game that ends", body)

    def _finish(  # noqa: PLR0913 (what a step has)
        self,
        outcome: Outcome,
        now: float,
        events: tuple[Addressed, ...] = (),
        journal: tuple[Entry, ...] = (),
        *,
        verdict: Verdict = LEGAL,
        refused: tuple[tuple[Seat, Refusal], ...] = (),
    ) -> Step:
        self.outcome = outcome
        last = ended(self.at(now), outcome)
        return Step(
            events,
            dropped=tuple(range(len(self.names))),
            journal=(*journal, last),
            review=bool(self.referee.pending),
            findings=verdict.findings,
            outcome=outcome,
            closed=True,
            refused=verdict.refused + refused,
        )

    def leave(
        self,
        seat: Seat,
        why: Termination,
        now: float,
        _text: str = "",
        *,
        refusal: Refusal | None = None,
    ) -> Step:
        """End the match. If it had begun, the client that leaves loses.

        But a client that has broken a rule does not win by that: honest programs close the connection then.
        """
        if self.outcome is not None:
            return Step()
        left = self.entry(now, LEFT, seat, data={"why": str(why)})
        verdict = self.referee.review_all()
        winner = 1 - seat if self.is_started else None
        if any(finding.seat == winner for finding in self.referee.findings):
            winner = None
        decided = self.game.outcome(self.state)
        # Who closes the connection after the end, or because the other one broke a rule, does nothing wrong.
        is_right = why is Termination.LEFT and (decided is not None or (self.is_started and winner is None))
        refused = () if refusal is None or is_right else ((seat, refusal),)
        outcome = decided or Outcome(why, winner)
        return self._finish(outcome, now, journal=(left,), verdict=verdict, refused=refused)

    def tick(self, now: float) -> Step:
        """End the match if the idle timeout has expired. The player to move loses, if that is known."""
        if self.outcome is not None or self.is_paused:
            return Step()
        if now < self._clock.due:
            return Step(wake_at=self._clock.due, refused=self._unanswered())
        return self._expired(now, self._clock.due, {})

    def _expired(self, now: float, arrived: float, late: Mapping[Seat, bytes]) -> Step:
        """End the match, because what was due has not come in time. `late`: what has come too late, and its sender."""
        verdict = self.referee.review_all()
        decided = self.game.outcome(self.state)
        if decided is not None:
            return self._finish(decided, now, verdict=verdict)
        winner = self._not_to_move()
        if winner is None or not self.settings.move_seconds:
            return self._finish(Outcome(Termination.IDLE, winner), now, verdict=verdict, refused=self._silent(winner))
        loser, limit = 1 - winner, self.settings.move_seconds
        spent = MoveClock(limit, limit, self._clock.last_message_at).evidence(now, arrived)
        data: dict[str, Value] = {"taken": spent["taken"], "gap": spent["gap"], "limit": spent["hard"]}
        left = self.entry(now, LEFT, loser, data={"why": str(Termination.TIME), **data})
        refused = ((loser, self._too_late(loser, (spent["taken"] - spent["gap"]) / 1000, late.get(loser, b""))),)
        return self._finish(Outcome(Termination.TIME, winner), now, (), (left,), verdict=verdict, refused=refused)

    def _too_late(self, seat: Seat, taken: float, late: bytes) -> Refusal:
        reason = f"no line came within {self.settings.move_seconds:g} s; the game is lost"
        if late:
            reason = f"the line came after {taken:.1f} s, later than the {self.settings.move_seconds:g} s"
        return Refusal("move-too-late", reason, self.game.expected(self.state, seat), late)

    def _unanswered(self) -> tuple[tuple[Seat, Refusal], ...]:
        if not self.is_started or self.referee.unjudged is not None or self.referee.pending:
            return ()
        # The enforcing referee forwards lines in a form that every client can read.
        body = self.game.plain(self._last) if self.settings.enforce else self._last
        return self.game.unanswered(self.state, body, ANSWER_SECONDS)

    def _silent(self, winner: Seat | None) -> tuple[tuple[Seat, Refusal], ...]:
        if not self.is_started:
            reason = f"no second client came for {self.settings.waiting_seconds:g} seconds"
            return ((0, Refusal("no-partner", reason, "a second client")),)
        reason = f"neither client sent anything for {self._clock.playing:g} seconds"
        due = self.game.due(self.state)
        if winner is not None and due:
            reason += f"; {due}"
        return tuple(
            (seat, Refusal("idle", reason, self.game.expected(self.state, seat))) for seat in (0, 1) if seat != winner
        )

    def _not_to_move(self) -> Seat | None:
        to_move = set(self.game.to_move(self.state))
        if (
            not self.is_started
            or self.referee.unjudged is not None
            or len(to_move) != 1
            or not self.game.due(self.state)
        ):
            return None
        # Where both have broken rules, or the honest client is silent, nobody wins.
        if not {finding.seat for finding in self.referee.findings} <= to_move:
            return None
        return 1 - next(iter(to_move))

    def stop(self, why: Termination, now: float) -> Step:
        """End the match without a winner."""
        return Step() if self.outcome is not None else self._finish(Outcome(why), now)

    def delivered(self, _now: float, _unsent: Collection[Seat] = ()) -> float | None:
        """Do nothing: idle timeout and time for a move begin when the last line was read, not when it was delivered."""
        return None

    def overdue(self, now: float) -> Collection[Seat]:
        """Return all seats if the idle timeout has expired: a line from either would have restarted it."""
        return range(len(self.names)) if now >= self._clock.due else ()

    def observe(self) -> tuple[Event, ...]:
        """Return nothing: this dialect has no messages for observers."""
        return ()

    # Pausing the match

    def pause(self, _now: float) -> Step:
        """Keep the peers' lines instead of forwarding them."""
        self.is_paused = True
        return Step()

    def _hold(self, seat: Seat, event: Moved, now: float) -> Step:
        self._held = self._held or []
        self._held.append((seat, event))
        if self._lines + len(self._held) > self.settings.game_lines:
            return self.leave(seat, Termination.LIMIT, now, refusal=self._too_much(event.body))
        return Step()

    def resume(self, now: float) -> Step:
        """Forward the lines that were kept, and go on."""
        self.is_paused = False
        self._clock.last_message_at = now
        step = Step(wake_at=self._clock.due)
        held, self._held = self._held or (), None
        for seat, moved in held:
            step.join(self.receive(seat, moved, now))
        return step

    def step(self, now: float, *, forced: bool = False) -> Step:  # noqa: ARG002 (Table's signature)
        """Forward one of the lines that were kept."""
        if not self.is_paused or not self._held:
            return Step()
        self.is_paused = False
        step = self.receive(*self._held.pop(0), now)
        self.is_paused = True
        return step

    def review(self) -> Step:
        """Judge the next forwarded lines. The match ends if the state after them has an outcome."""
        verdict = self.referee.review()
        decided = self.game.outcome(self.state)
        if decided is not None and self.outcome is None:
            # For the clients, the match ended when the last line came.
            return self._finish(decided, self._clock.last_message_at, verdict=verdict)
        return Step(review=bool(self.referee.pending), findings=verdict.findings, refused=verdict.refused)

    # The journal

    def restore(self, entry: Entry) -> None:
        """Replay an entry, and judge it."""
        self.entries += 1
        if entry.kind == JOINED:
            self.names += (str(entry.data["name"]),)
        elif entry.kind == DRAWN:
            self.referee.state = self.game.apply(self.state, CHANCE, int(entry.data["first"]))
        elif entry.kind == STARTED:
            self._clock.started = True
        elif entry.kind == LINE:
            assert entry.seat is not None
            assert entry.body is not None
            self.referee.judge(entry.seat, entry.body, self.entries - 1)


_IS_KEPT: Final = "the line is kept until a second client has come"
