"""The universe: a table with its sign-up, its games and resets.

Source: docs/reference/quoridor.md#states-of-a-table, docs/reference/quoridor.md#ends,
docs/specs/quoridor.md#the-end-of-a-game. The states and the order of the mails are those of `signup.py`. A world's
seat, in the room and in records, is its id minus one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from math import inf
from random import Random
from typing import Any, Final

from attrs import define, evolve, field

from gamed.core.clocks import MoveClock
from gamed.core.errors import RuleError
from gamed.core.events import Event, Unread
from gamed.core.game import Options, Outcome, Seat, Termination
from gamed.core.history import STARTED, Entry
from gamed.core.match import Match, MatchTable
from gamed.core.refusals import Refusal
from gamed.core.table import Addressed, Step
from gamed.games.quoridor import mistakes
from gamed.games.quoridor.messages import DUMMY, NOTHING, Message, Placed, Word, understood
from gamed.games.quoridor.pacing import Outbox
from gamed.games.quoridor.rules import TableRules
from gamed.games.quoridor.signup import STARTS, Call, Occasion, Row, Status, free, row
from gamed.games.quoridor.wire import Said, Told

HELD_MOST: Final = 1_000
"""The most messages that are kept while a table is paused."""

REFUSED_MOST: Final = 1_000
"""With so many refused messages in a game, a world is thrown out."""

_SPOKEN: Final = {
    (Word.PLAY, 0): Occasion.FIRST_PLAYS,
    (Word.PLAY, 1): Occasion.SECOND_PLAYS,
    (Word.WAIT, 0): Occasion.FIRST_WAITS,
    (Word.WAIT, 1): Occasion.SECOND_WAITS,
}


_BARE: Final = re.compile(r"\s*\(\s*[a-z]+\s*\)\s*")
"""A message that is one word."""

_VOTES: Final = (Status.VOTE, Status.FIRST_WAITS, Status.SECOND_WAITS)
_RULES: Final = TableRules()


@define
class Universe(MatchTable):
    """A table, from its first world to its last."""

    options: Options
    random: Callable[[int], Random]
    opened_at: float

    pace: float = 0.0
    """Seconds between a mail that shows a move and the next mail to the same world."""

    most: int = 10_000
    """The greatest length of a game, in moves."""

    clock: MoveClock | None = None
    """The time for a move; None: worlds may think for as long as they like."""

    game: TableRules = _RULES
    forwards: bool = False
    is_paused: bool = False

    is_dissolved: bool = False
    """Whether a world has left, which ends the table. The others stay connected, but their messages are refused."""

    is_single: bool = False

    status: Status = Status.WAIT

    order: list[Seat] = field(factory=list)
    """The seats in the order of the original's list of worlds. The first one is to move."""

    names: list[str] = field(factory=list)

    match: Match = field(init=False)
    """The game that runs, or the last one."""

    _is_last: bool = False
    """Whether the table closes when its last mail has left."""

    _is_closed: bool = False
    _paused_at: float = 0.0
    _outbox: Outbox = field(init=False)

    _refused: Counter[Seat] = field(factory=Counter)
    """The number of refused messages of each world since the game began, or since the table was opened."""

    _held: list[tuple[Seat, Message, str]] = field(factory=list)
    """The messages that came while the table was paused: sender, message, and its text."""

    _late: dict[Seat, set[Word]] = field(factory=dict)
    """Words that each world may send once without effect: another world has answered the same question first."""

    _last: tuple[int, str] | None = None
    """The last move of this game: the id of the world, and the move as it was sent to all."""

    def __attrs_post_init__(self) -> None:
        self.match = self._match(2, 0, self.opened_at)
        self._outbox = Outbox(self.pace)

    def _match(self, players: int, first: Seat, opened_at: float) -> Match:
        options = {**self.options, "players": players, "first": first}
        enforce = options["referee"] == "strict"
        return Match(self.game, options, self.random, opened_at, enforce, self.most)

    @property
    def is_over(self) -> bool:
        """Whether the table accepts no further messages."""
        return self.is_dissolved or self._is_last or self._is_closed

    @property
    def free(self) -> Sequence[Seat]:
        """The seats that newcomers may take; none if a newcomer is rejected."""
        return () if self.is_over else free(self.status, len(self.order))

    def public_state(self) -> Mapping[str, Any]:
        """Return the universe's state: its worlds, its status, its last move, and whose answer or move is awaited.

        The three parts are those of the text (docs/reference/quoridor.md#states-of-a-table). `worlds`: their ids in
        the order of the list, the first is to move. `last`: the id of the world that moved, and its move; or None.
        """
        worlds = [seat + 1 for seat in self.order]
        waiting = {Status.FIRST_WAITS: worlds[:1], Status.SECOND_WAITS: worlds[1:2]}
        voted = waiting.get(self.status, [])
        awaited = [world for world in worlds if world not in voted] if self.status in _VOTES else []
        if self.is_running:
            awaited = worlds[:1]
        return {
            "worlds": worlds,
            "status": str(self.status),
            "last": None if self._last is None else list(self._last),
            "voted": voted,
            "awaited": [] if self.is_over else awaited,
        }

    # Worlds join and send messages

    def join(self, name: str, now: float, seat: Seat | None = None) -> Step:
        """Seat a world. The second one leads to the vote, the fourth one starts a game."""
        found = row(self.status, len(self.order), Occasion.JOINS)
        if self.is_over or found is None or seat not in (None, len(self.order)):
            raise AssertionError("a world joins a table without a free seat, or at another seat than the next one")
        self.order.append(len(self.order))
        self.names.append(name)
        return self._go(found, now)

    def receive(self, seat: Seat, event: Event, now: float, arrived: float = inf) -> Step:
        """Take a message. If it has no meaning, or comes at the wrong time, refuse it and change nothing."""
        if not isinstance(event, Said):
            return self._refuse(seat, event.refusal, now) if isinstance(event, Unread) else Step()
        if self.is_over:
            return self._refuse(seat, mistakes.TABLE_OVER, now, event.text)
        message = understood(event.datum)
        if message is None:
            return self._refuse(seat, mistakes.mistake(event.datum), now, event.text)
        if self.is_paused or self._held:
            return self._hold(seat, message, now, event.text)
        return self._take(seat, message, now, event.text, min(now, arrived))

    def _refuse(self, seat: Seat, refusal: Refusal, now: float, text: str | None = None) -> Step:
        """Refuse a message. `text`: the message, if the refusal does not have it."""
        self._refused[seat] += 1
        shown = refusal if text is None else evolve(refusal, text=text.rstrip().encode())
        if self._refused[seat] != REFUSED_MOST:
            return Step(refused=((seat, shown),))
        step = self.leave(seat, Termination.REMOVED, now)
        return evolve(step, dropped=(seat,), refused=((seat, shown), (seat, mistakes.TOO_MANY)))

    def _take(self, seat: Seat, message: Message, now: float, text: str, arrived: float) -> Step:
        if isinstance(message, Placed):
            return self._move(seat, message, now, text, arrived)
        occasion = Occasion.RESETS if message is Word.RESET else _SPOKEN.get((message, self.order.index(seat)))
        found = None if occasion is None else row(self.status, len(self.order), occasion)
        if found is None:
            # A word with a move or a number is not what crossed: its program has another idea of the messages.
            if message in self._late.pop(seat, ()) and _BARE.fullmatch(text):
                return Step()
            return self._refuse(seat, mistakes.untimely(message, self.status, is_running=self.is_running), now, text)
        words = {Word.RESET} if message is Word.RESET else {Word.PLAY, Word.WAIT}
        self._late = {other: words for other in self.order if other != seat}
        return self._go(found, now)

    def _go(self, found: Row, now: float) -> Step:
        """Make a transition that is not a move."""
        self.status = found.then
        if found.calls[0][1] not in STARTS:
            return Step(self._outbox.post(self._addressed(found, 0, NOTHING), now), wake_at=self._due(now))
        opened = self.match.is_started
        events = self._outbox.post(self._addressed(found, self.order[0] + 1, NOTHING), now)
        return Step(events, wake_at=self._due(now), journal=self._begin(now), opened=opened)

    def _addressed(self, found: Row, number: int, move: str) -> tuple[Addressed, ...]:
        return tuple([Addressed(self.order[place - 1], Told(call, number, move)) for place, call in found.calls])

    def _due(self, now: float) -> float | None:
        if self._held and not self.is_paused:
            return now
        limits = (self._outbox.due, None if self.clock is None or self.is_paused else self.clock.due)
        return min((limit for limit in limits if limit is not None), default=None)

    # A game

    def _begin(self, now: float) -> tuple[Entry, ...]:
        """Begin a game, and return its first entries. The first game of a room counts time from the room's opening."""
        first = self.order[0]
        self._refused.clear()
        self._stop_clock()
        self.match = match = self._match(len(self.order), first, now if self.match.is_started else self.opened_at)
        self._last = None
        joined = [match.seat(seat, name, now) for seat, name in enumerate(self.names)]
        match.is_started = True
        return (*joined, match.entry(now, STARTED, data={"first": first}))

    def _move(self, seat: Seat, placed: Placed, now: float, text: str, arrived: float) -> Step:
        """Take a move if it is this world's turn. The strict referee refuses an illegal one."""
        if not self.is_running or self.order[0] != seat:
            refusal = mistakes.out_of_turn(seat, self.order[0]) if self.is_running else mistakes.no_game(self.status)
            return self._refuse(seat, refusal, now, text)
        if self.clock is not None and self.clock.asked_at is not None and self.clock.answered(arrived):
            return self._too_late(seat, now, arrived, text.rstrip().encode())
        try:
            step = self.play(seat, placed.move, now)
        except RuleError as error:
            return self._refuse(seat, mistakes.illegal(error, self.game.legal_moves(self.match.state, seat)), now, text)
        self._stop_clock()
        self._last = seat + 1, placed.written
        found = row(self.status, len(self.order), Occasion.WINS if self._is_won else Occasion.MOVES)
        assert found is not None
        self.status = found.then
        step.events = self._outbox.post(self._addressed(found, seat + 1, placed.written), now)
        step.wake_at = self._due(now)
        self.order.append(self.order.pop(0))
        # No message of the universe says that a game has ended without a winner: its worlds are disconnected.
        if self.outcome is not None and (self.is_single or not self._is_won):
            self._is_last = True
            self._held.clear()
            step.closed = self._closes()
        return step

    @property
    def _is_won(self) -> bool:
        return self.outcome is not None and self.outcome.winner is not None

    # Worlds leave

    def leave(
        self,
        seat: Seat,
        why: Termination,
        now: float,
        _text: str = "",
        *,
        refusal: Refusal | None = None,
    ) -> Step:
        """Dissolve the table: the others get `disconnect`, and their messages are refused from now on."""
        self._outbox.forget(seat)
        if self.is_over:
            return Step(closed=self._closes())
        # After a game, worlds may leave or reset.
        noted = ((seat, refusal),) if refusal is not None and self.outcome is None else ()
        step = self._dissolve(seat, self.lose(seat, why, now) if self.is_running else Step(), now)
        step.refused = noted
        return step

    def _dissolve(self, seat: Seat, step: Step, now: float) -> Step:
        self.is_dissolved = True
        self._stop_clock()
        self._held.clear()
        self.order.remove(seat)
        events = tuple(Addressed(other, Told(Call.DISCONNECT, seat + 1, DUMMY)) for other in self.order)
        step.events = self._outbox.post(events, now)
        step.wake_at, step.closed = self._outbox.due, self._closes()
        return step

    def _closes(self) -> bool:
        """Close a table that is over when its last mail has left. Return True if that is now."""
        if self._is_closed or not self.is_over or self._outbox.due is not None:
            return False
        self._is_closed = True
        return True

    def stop(self, why: Termination, now: float) -> Step:
        """End the table without a winner and without a mail, as a universe that is stopped."""
        if self._is_closed:
            return Step()
        self._is_closed = True
        self._held.clear()
        outcome = Outcome(why) if self.is_running else None
        journal = () if outcome is None else (self.match.end(outcome, now),)
        return Step(journal=journal, outcome=outcome, closed=True)

    # Time

    def _stop_clock(self) -> None:
        if self.clock is not None:
            self.clock.stop()

    def delivered(self, now: float, unsent: Collection[Seat] = ()) -> float | None:
        """Start the clock of the world that is to move, because it has got its mail."""
        if self.clock is None or self.clock.asked_at is not None or not self.is_running or self.is_paused:
            return None
        if self.order[0] in unsent or self._outbox.holds(self.order[0]):
            return None
        self.clock.ask(now)
        return self._due(now)

    def overdue(self, now: float) -> Collection[Seat]:
        """Return the world whose time for its move is over."""
        is_over = self.clock is not None and not self.is_paused and self.clock.silent(now)
        return self.order[:1] if is_over else ()

    def _too_late(self, seat: Seat, now: float, arrived: float, text: bytes = b"") -> Step:
        """Remove a world that took too long for its move. `text`: the move, if it has come."""
        assert self.clock is not None
        spent = self.clock.evidence(now, arrived)
        refusal = mistakes.too_late(self.clock.hard, (spent["taken"] - spent["gap"]) / 1000 if text else None)
        data = {"taken": spent["taken"], "gap": spent["gap"], "limit": spent["hard"]}
        self._outbox.forget(seat)
        step = self._dissolve(seat, self.lose(seat, Termination.TIME, now, data), now)
        step.refused, step.dropped = ((seat, evolve(refusal, text=text)),), (seat,)
        return step

    def tick(self, now: float) -> Step:
        """Judge the time for a move, release the mails that are due, and take one of the messages that were held."""
        if self.overdue(now):
            assert self.clock is not None
            assert self.clock.due is not None
            return self._too_late(self.order[0], now, self.clock.due)
        events = self._outbox.release(now)
        if self._held and not self.is_paused and not self.is_over:
            step = self._next(now)
            return evolve(step, events=(*events, *step.events))
        return Step(events, wake_at=self._due(now), closed=self._closes())

    # Pausing the table

    def pause(self, now: float) -> Step:
        """Hold messages from now on instead of taking them."""
        self.is_paused, self._paused_at = True, now
        return Step()

    def _hold(self, seat: Seat, message: Message, now: float, text: str) -> Step:
        if len(self._held) == HELD_MOST:
            return self._refuse(seat, mistakes.PAUSED, now, text)
        self._held.append((seat, message, text))
        return Step()

    def resume(self, now: float) -> Step:
        """Go on with the messages that were held. The clock goes on with the time that was left."""
        if self.is_paused and self.clock is not None and self.clock.asked_at is not None:
            self.clock.asked_at += now - max(self.clock.asked_at, self._paused_at)
        self.is_paused = False
        step = self._next(now)
        if not step.events:
            # A mail that left while the table was paused has started no clock.
            self.delivered(now)
        return evolve(step, wake_at=self._due(now))

    def step(self, now: float, *, forced: bool = False) -> Step:
        """Take held messages up to one that has an effect. `forced`: start a game of two, whatever the votes."""
        if forced and len(self.order) == 2 and not self.match.is_started and not self.is_over:  # noqa: PLR2004 (two)
            found = row(Status.VOTE, 2, Occasion.FIRST_PLAYS)
            assert found is not None
            return self._go(found, now)
        return self._next(now) if self.is_paused else Step()

    def _next(self, now: float) -> Step:
        """Take held messages up to one that has an effect, because a step may end one game or begin one, not both."""
        step, refused = Step(), list[tuple[Seat, Refusal]]()
        while self._held and not step.journal and not step.events and not self.is_over:
            seat, message, text = self._held.pop(0)
            step = self._take(seat, message, now, text, now)
            refused += step.refused
        return evolve(step, wake_at=self._due(now), refused=tuple(refused))

    # The journal

    def restore(self, entry: Entry) -> None:
        """Apply an entry of a game's history. Raises RuleError."""
        if entry.kind == STARTED:
            before = self.match
            self.match = self._match(len(before.names), int(entry.data["first"]), before.opened_at)
            self.match.names, self.match.entries = before.names, before.entries
        super().restore(entry)
