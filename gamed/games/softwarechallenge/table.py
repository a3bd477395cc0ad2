"""The table of a Software-Challenge game: which messages are sent, to whom and when, and who loses for which reason.

Source: docs/reference/software-challenge.md#the-life-of-a-game, docs/reference/software-challenge.md#results,
docs/reference/software-challenge.md#time, docs/reference/software-challenge.md#what-is-refused. It does not depend
on the game of a season.

A turn has three steps. `_ask` sends the state to all and a request to the mover. `delivered` starts the clock when
these bytes have left, so that no player pays for the server's delays. `receive` judges the answer by its arrival.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import Any

from attrs import define, field, frozen

from gamed.core.clocks import MoveClock, Overstepped
from gamed.core.errors import IllegalMove, InvalidMove
from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import CHANCE, Options, Outcome, Seat, Termination
from gamed.core.history import LEFT, Entry
from gamed.core.match import Match, MatchTable, Opening
from gamed.core.refusals import Refusal
from gamed.core.table import OBSERVERS, Addressed, Step
from gamed.games.softwarechallenge import messages
from gamed.games.softwarechallenge.season import Cause, Fault, Season, Sent
from gamed.games.softwarechallenge.wire import open_element
from gamed.wire.xmlstream import UNFINISHED

SEATS = (0, 1)
OPEN = messages.Slot(None, can_timeout=True, should_be_paused=False)
"""A slot of a room that nobody prepared."""
ALL = (OBSERVERS, 0, 1)
PLAYERS_FIRST = (0, 1, OBSERVERS)


@define
class Arrived(Event):
    """A move as the reception hands it to the table."""

    sent: Sent
    message: messages.RoomMessage
    """The message with the move."""


@frozen
class Absence:
    """Why a slot that was taken is empty. Its side loses when the game starts."""

    fault: Fault
    """The reason in the result."""

    why: Termination
    """The reason in the record."""


@frozen
class Limits:
    """The time limits of a move, in seconds."""

    soft: float = 2.0
    """A later answer loses."""

    hard: float = 10.0
    """Without any answer by then, the game is lost."""


def _nothing(*_: object) -> None:
    """Do nothing."""


def _no_text(_seat: Seat) -> bytes:
    return b""


@define
class SeasonTable(MatchTable):
    """One room: its slots, its game, and its request for a move."""

    season: Season
    options: Options
    match: Match
    limits: Limits

    room: str = ""
    """The room's id."""

    slots: tuple[messages.Slot, ...] = (OPEN, OPEN)

    opening: Opening = ()
    """Moves of a recorded game, or random ones. This game starts after them."""

    is_prepared: bool = False
    """Whether an administrator prepared the room."""

    is_paused: bool = False

    is_requested: bool = False
    """Whether a move was requested and not answered yet."""

    forwards: bool = False
    """See `gamed.core.table.Table`."""

    finished: Callable[[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]], None] = _nothing
    """Called with the display names and with the parts of the result when there is one."""

    filled: Callable[[], None] = _nothing
    """Called once, when no more slots can be taken."""

    begun: Callable[[Seat], bytes] = _no_text
    """Returns the first bytes of a message that a seat's peer has begun and not ended."""

    expelled: dict[Seat, str] = field(factory=dict)
    """The seats whose peers the table has sent the end of the stream, with the reasons. The reception looks here after
    each move, and disconnects them."""

    own_names: dict[Seat, str] = field(factory=dict)
    """The names of peers that have chosen one. They are used where the slot has no display name."""

    _final_names: tuple[str, str] = ("", "")
    """The value of `names` from the start of the game on. Each memento needs it, and it no longer changes."""

    _taken: set[Seat] = field(factory=set)
    """The slots that somebody has taken, be it somebody who has left again."""

    _absent: dict[Seat, Absence] = field(factory=dict)
    """The taken slots of a prepared room that are empty before the game."""

    _timed: list[bool] = field(factory=lambda: [True, True])
    """By seat, whether it has time limits from its next request on."""

    _clock: MoveClock = field(init=False)

    _ask_at: float | None = None
    """When a move is to be requested, in dialects in which that is after the state."""

    _asked: Seat | None = None
    """The seat whose request has not left yet; `delivered` starts its clock."""

    _request: messages.MoveRequest = field(init=False)
    """The same object for all requests, because it keeps its bytes."""

    _is_timed: bool = True
    """Whether the present request has time limits."""

    _mover: Seat = 0
    """The seat to move while a game runs. It is kept, because to answer, the rules look for the end of the game."""

    _echo: str = ""
    """The `lastMove` element of the last move; empty before it."""

    def __attrs_post_init__(self) -> None:
        self._clock = MoveClock(self.limits.soft, self.limits.hard)
        self._request = messages.MoveRequest(self.room, self.season.dialect.move_request)

    # Table

    @property
    def free(self) -> Sequence[Seat]:
        """The slots that can be taken."""
        return [seat for seat in SEATS if seat not in self._taken] if not self._is_over else []

    @property
    def _is_over(self) -> bool:
        return self.match.outcome is not None

    # Before the game

    def prepare(self, room: str, slots: Sequence[messages.Slot], *, paused: bool, opening: Opening = ()) -> None:
        """Set the room's id and slots, and whether the game starts paused. Slots that are not given are `OPEN`.

        `opening`: instead of the one that the room's options set, if there are moves in it.
        """
        self.room = room
        self._request = messages.MoveRequest(room, self.season.dialect.move_request)
        self.slots = (*slots, *(OPEN,) * (len(SEATS) - len(slots)))
        self.is_prepared = bool(slots)
        self.is_paused = paused or any(slot.should_be_paused for slot in slots)
        self._timed = [slot.can_timeout for slot in self.slots]
        self.opening = opening or self.opening

    def join(self, _name: str, now: float, seat: Seat | None = None) -> Step:
        """Take a slot. When both are taken, the game starts."""
        seat = self.free[0] if seat is None else seat
        if seat in self._taken:
            raise AssertionError("the slot is taken")
        self._taken.add(seat)
        waits = self.is_prepared and not self.season.dialect.joins_at_once
        told = () if waits else (seat,)
        events = [Addressed(one, messages.Joined(self.room)) for one in told]
        if self.free:
            return Step(tuple(events))
        if waits:
            events += [Addressed(one, messages.Joined(self.room)) for one in SEATS]
        return self._start(now, events, asks=not self.is_paused)

    @property
    def names(self) -> tuple[str, str]:
        """The names of both sides."""
        red, blue = (
            self.own_names.get(seat, name) if self.slots[seat].display_name is None else name
            for seat, name in enumerate(self._slot_names)
        )
        return red, blue

    def _known_name(self, seat: Seat) -> str:
        """Return the name of a side in the journal and in records: "" where the wire has only `UNKNOWN`."""
        name = self.slots[seat].display_name
        return self.own_names.get(seat, "") if name is None else name

    @property
    def _slot_names(self) -> tuple[str, str]:
        """The display names of both slots. Scores are counted by these, because players cannot choose them."""
        nameless = self.season.dialect.nameless
        red, blue = (nameless if slot.display_name is None else slot.display_name for slot in self.slots)
        return red, blue

    def due_of(self, seat: Seat) -> float | None:
        """Return the moment at which a seat loses if it has not moved by then; None: there is no such moment now."""
        asked_at = self._clock.asked_at
        if self._is_over or not self.is_requested or not self._is_timed or asked_at is None or seat != self._mover:
            return None
        return asked_at + self.limits.soft

    def display_name(self, seat: Seat) -> str | None:
        """Return the display name of a slot, if its room was prepared with one."""
        return self.slots[seat].display_name or None

    def _start(self, now: float, events: list[Addressed], *, asks: bool, welcomes: bool = True) -> Step:
        self._fill()
        self._final_names = self.names
        journal = [
            self.match.seat(seat, self._known_name(seat), now, color.upper())
            for seat, color in zip(SEATS, self.season.dialect.teams, strict=True)
        ]
        journal += self.match.start(now, self.opening)
        (self._mover,) = self.game.to_move(self.state)
        if self.opening and self.opening[-1][0] != CHANCE:
            self._echo = self.season.echo(self.game.parse(self.opening[-1][1]))
        if welcomes:
            events += [
                Addressed(seat, messages.Welcome(self.room, color))
                for seat, color in zip(SEATS, self.season.dialect.teams, strict=True)
            ]
        if self._absent:
            return self._start_absent(now, events, journal, asks=asks)
        return self._with_state(Step(journal=tuple(journal)), now, events, asks=asks)

    def _start_absent(self, now: float, events: list[Addressed], journal: list[Entry], *, asks: bool) -> Step:
        seat, absence = next(iter(self._absent.items()))
        if asks:
            events += self._mementos()
        step = self.lose(seat, absence.why, now)
        step.journal = (*journal, *step.journal)
        return self._finish(step, absence.fault, events)

    def _with_state(self, step: Step, now: float, events: list[Addressed], *, asks: bool) -> Step:
        """Complete a step with events and the state, and ask for a move, or have `tick` ask soon."""
        events += self._mementos(paused=not asks)
        # Do not repeat an open request. A client that answered twice would make a move out of turn.
        if asks and not self.is_requested:
            delay = self.season.dialect.request_delay
            if delay:
                step.wake_at = self._ask_at = now + delay
            else:
                events += self._ask()
        step.events = tuple(events)
        return step

    def _ask(self) -> list[Addressed]:
        self._asked, self._ask_at, self.is_requested = self._mover, None, True
        return [Addressed(self._asked, self._request)]

    def _mementos(self, *, paused: bool = False) -> list[Addressed]:
        memento = self._memento()
        seats = (OBSERVERS,) if paused and self.season.dialect.shows_pauses else ALL
        return [Addressed(seat, memento) for seat in seats]

    def _memento(self) -> messages.Memento:
        return messages.Memento(self.room, self.season.memento(self.state, self._final_names, self._echo))

    def delivered(self, now: float, unsent: Collection[Seat] = ()) -> float | None:
        """Start the clock of a request, because its bytes have left."""
        if self._asked is None or self._asked in unsent:
            return None
        self._is_timed = self._timed[self._asked]
        self._asked = None
        self._clock.ask(now)
        return self._clock.due if self._is_timed else None

    # The game

    def receive(self, seat: Seat, event: Event, now: float, arrived: float = inf) -> Step:
        """Take a move. All other messages are the reception's."""
        if self._is_over or not isinstance(event, Arrived):
            return Step()
        sent = event.sent
        if not self.match.is_started or seat != self._mover:
            return self._out_of_turn(seat, event, now)
        if not self.is_requested:
            text = self.season.dialect.unrequested(self.names, seat)
            return self._violation(seat, event, text, "not-requested", now)
        arrived = min(now, arrived)
        late = self._clock.answered(arrived) if self._clock.asked_at is not None and self._is_timed else None
        if late is not None:
            return self._too_late(seat, late, now, arrived, event.message.text)
        if sent.move is None:
            return self._illegal(seat, event, f"{self.names[seat]} hat kein Zug-Objekt gesendet.", "no-move", now)
        return self._play(seat, event, now, arrived)

    def _play(self, seat: Seat, event: Arrived, now: float, arrived: float) -> Step:
        sent = event.sent
        data = self._time_of_move(now, arrived)
        if sent.hint:
            data["hint"] = sent.hint
        try:
            step = self.play(seat, sent.move, now, data)
        except IllegalMove as error:
            return self._illegal(seat, event, str(error), error.code, now)
        except InvalidMove as error:
            # The official server fails here and drops the connection: no referee has found a violation.
            return self._drop(seat, event, error, now)
        self.is_requested, self._asked = False, None
        self._clock.stop()
        self._echo = sent.echo
        if step.outcome is not None:
            return self._finish(step, None, self._mementos())
        (self._mover,) = self.game.to_move(self.state)
        if self.is_paused and not self.season.dialect.shows_pauses:
            step.events = ()
            return step
        return self._with_state(step, now, [], asks=not self.is_paused)

    def _time_of_move(self, now: float, arrived: float) -> dict[str, Any]:
        """Return how long a move took. Add the gap (see `MoveClock.evidence`) if the move was in time because of it."""
        if self._clock.asked_at is None:
            return {}
        taken = self._clock.taken(now)
        if not self._is_timed or taken <= round(self.limits.soft * 1000):
            return {"taken": taken}
        return {"taken": taken, "gap": self._clock.evidence(now, arrived)["gap"]}

    # How a game ends

    def _illegal(self, seat: Seat, event: Arrived, text: str, code: str, now: float) -> Step:
        sent, expected, name = event.sent, self._example(seat), self.names[seat]
        move = "" if sent.move is None else self.season.move_text(sent.move, code)
        said, observed, result = self.season.dialect.illegal(name, text, move)
        events = [
            Addressed(seat, messages.Refused(self.room, said, sent.original or None)),
            Addressed(OBSERVERS, messages.Refused(self.room, observed, sent.original or None)),
        ]
        fault = Fault(seat, Cause.RULE_VIOLATION, self.season.dialect.rule_violation(self._called(seat), result))
        step = self._violated(fault, result, code, now, events)
        step.events += self._farewell(seat, result)
        reason = "the message contains no move" if sent.move is None else text
        step.refused = ((seat, Refusal(code, reason, expected, event.message.text)),)
        return step

    def _example(self, seat: Seat) -> str:
        """Return an example of what a side could have sent, for developers."""
        move = self.game.legal_moves(self.state, seat)[0]
        return "a legal move, such as " + " ".join(self.season.echo(move).split()).replace("lastMove", "data")

    def _called(self, seat: Seat) -> str:
        return self.season.dialect.called(self.names[seat], seat)

    def _farewell(self, seat: Seat, text: str, *, kick: bool = True) -> tuple[Addressed, ...]:
        self.expelled[seat] = text
        return (Addressed(seat, messages.Closing(kick and self.season.dialect.kicks)),)

    def _out_of_turn(self, seat: Seat, event: Arrived, now: float) -> Step:
        sent = event.sent
        move = "" if sent.move is None else self.season.move_text(sent.move, "out-of-turn")
        text = self.season.dialect.out_of_turn(self.names, seat, move)
        return self._violation(seat, event, text, "out-of-turn", now)

    def _violation(self, seat: Seat, event: Arrived, text: str, code: str, now: float) -> Step:
        refused = Addressed(seat, messages.Refused(self.room, text, event.sent.original or None))
        reason = self.season.dialect.process_violation(self._called(seat), text)
        fault = Fault(seat, Cause.RULE_VIOLATION, reason)
        farewell = self._farewell(seat, text)
        # In 2020, a peer that sends a move without a request gets no further messages.
        before, after = (farewell, ()) if self.season.dialect.kicks else ((), farewell)
        events = (refused, *before)
        if not self.match.is_started:
            step = self._empty(seat, Absence(fault, Termination.FORFEIT), now)
            left = () if step.closed or not after else (Addressed(seat, messages.Left(self.room)),)
            step.events = (*events, *step.events, *left, *after)
            code, reason = "not-started", "a move before the game began: the second player has not come yet"
        else:
            step = self._violated(fault, text, code, now, [*events])
            step.events += after
            why = "the other side is to move" if code == "out-of-turn" else "the game is paused"
            reason = f"a move that was not asked for: {why}"
        step.refused = ((seat, Refusal(code, reason, "one move after each MoveRequest", event.message.text)),)
        return step

    def _violated(self, fault: Fault, text: str, code: str, now: float, events: list[Addressed]) -> Step:
        finding = self.match.finding(code, fault.seat, text)
        step = self.lose(fault.seat, Termination.FORFEIT, now, {"code": code, "text": text})
        step = self._finish(step, fault, events)
        step.findings = (finding,)
        return step

    def _drop(self, seat: Seat, event: Arrived, error: InvalidMove, now: float) -> Step:
        text, expected = str(error), self._example(seat)
        events = (Addressed(seat, messages.Refused(self.room, text, None)), *self._farewell(seat, text, kick=False))
        step = self.leave(seat, Termination.REMOVED, now, text)
        step.events = (*events, *step.events)
        step.refused = ((seat, Refusal(error.code, text, expected, event.message.text)),)
        return step

    def _too_late(self, seat: Seat, over: Overstepped, now: float, arrived: float, text: bytes) -> Step:
        is_soft = over is Overstepped.SOFT
        reason = self.season.dialect.late(self._called(seat), self.limits.soft, self.limits.hard, is_soft=is_soft)
        fault = Fault(seat, Cause.SOFT_TIMEOUT if is_soft else Cause.HARD_TIMEOUT, reason)
        evidence = self._clock.evidence(now, arrived)
        step = self._finish(self.lose(seat, Termination.TIME, now, {"limit": str(over), **evidence}), fault, [])
        step.refused = ((seat, self._late(over, evidence["taken"] - evidence["gap"], text)),)
        return step

    def _late(self, over: Overstepped, taken: float, text: bytes) -> Refusal:
        expected = (
            f"a whole message with a move within {self.limits.soft:g} seconds, the soft limit, of each MoveRequest"
        )
        if over is Overstepped.SOFT:
            reason = f"the answer came {taken} ms after the MoveRequest, later than the soft limit of"
            return Refusal("soft-timeout", f"{reason} {self.limits.soft:g} seconds: the game is lost", expected, text)
        reason = (
            f"no answer came within {self.limits.hard:g} seconds of the MoveRequest, the hard limit: the game is lost"
        )
        if text:
            reason += "; a message was begun and has not ended"
            name = open_element(text)
            if name and len(text) < UNFINISHED:
                reason += f": <{name}> is still open, </{name}> is missing"
        return Refusal("hard-timeout", reason, expected, text)

    def _finish(self, step: Step, fault: Fault | None, events: list[Addressed]) -> Step:
        """Complete a step that has ended the match. `events`: what is sent before the result."""
        result = self.season.result(self.state, self.names, fault)
        told = messages.Result(self.room, result.body)
        events += [Addressed(seat, told) for seat in PLAYERS_FIRST]
        self.finished(self._slot_names, result.parts)
        return self._close(step, events)

    def _close(self, step: Step, events: list[Addressed]) -> Step:
        # It refers to the room, which refers to this table: such a reference cycle would wait for the collector.
        self.begun = _no_text
        left = messages.Left(self.room)
        events += [Addressed(seat, left) for seat in PLAYERS_FIRST]
        self._fill()
        step.events, step.dropped, step.closed = tuple(events), SEATS, True
        return step

    def _fill(self) -> None:
        """Report that no more slots can be taken. Drop the callback, which refers to the room: see `_close`."""
        filled, self.filled = self.filled, _nothing
        filled()

    def leave(
        self, seat: Seat, why: Termination, now: float, text: str = "", *, refusal: Refusal | None = None
    ) -> Step:
        """Empty a slot. During a game its side loses. Before it, in a prepared room, it loses when the game starts."""
        if self._is_over:
            return Step()
        if self.match.is_started:
            step = self.lose(seat, why, now, {"text": text} if text else None)
            step = self._finish(step, self._gone(seat, why), [])
        else:
            step = self._empty(seat, Absence(self._gone(seat, why), why), now)
        step.refused = () if refusal is None else ((seat, refusal),)
        return step

    def _gone(self, seat: Seat, why: Termination) -> Fault:
        return Fault(seat, Cause.LEFT, self.season.dialect.left(self._called(seat), why))

    def _empty(self, seat: Seat, absence: Absence, now: float) -> Step:
        if not self.is_prepared:
            return self.stop(absence.why, now)
        self._absent.setdefault(seat, absence)
        return Step()

    def tick(self, now: float) -> Step:
        """Ask for a move that is to be asked for by now; judge the hard limit."""
        if self._ask_at is not None and not self._is_over:
            return Step(tuple(self._ask())) if now >= self._ask_at else Step(wake_at=self._ask_at)
        if self._is_over or not self.is_requested or self._clock.due is None or not self._is_timed:
            return Step()
        over = self._clock.silent(now)
        if over is None:
            return Step(wake_at=self._clock.due)
        return self._too_late(self._mover, over, now, self._clock.due, self.begun(self._mover))

    def overdue(self, _now: float) -> Collection[Seat]:
        """Return the mover, if a move is requested from it."""
        return (self._mover,) if self.is_requested and not self._is_over else ()

    def stop(self, why: Termination, now: float) -> Step:
        """End the room without a result."""
        if self._is_over:
            return Step()
        outcome = Outcome(why)
        return self._close(Step(journal=(self.match.end(outcome, now),), outcome=outcome), [])

    # What administrators do

    def observe(self) -> tuple[Event, ...]:
        """Return the present state, if the game has begun."""
        return (self._memento(),) if self.is_running else ()

    def set_timed(self, seat: Seat, *, timed: bool) -> None:
        """Switch a slot's time limits on or off, from its next request on."""
        self._timed[seat] = timed

    def pause(self, _now: float) -> Step:
        """Request no further moves. An open request can still be answered."""
        told = () if self.is_paused else self._paused(now_paused=True)
        self.is_paused = True
        return Step(told)

    def resume(self, now: float) -> Step:
        """Continue: send the state to all, and the request to the mover."""
        if not self.is_paused:
            return Step()
        self.is_paused = False
        told = self._paused(now_paused=False)
        return self._with_state(Step(), now, [*told], asks=True) if self.is_running else Step(told)

    def _paused(self, *, now_paused: bool) -> tuple[Addressed, ...]:
        if not self.season.dialect.shows_pauses:
            return ()
        return (Addressed(OBSERVERS, messages.Paused(self.room, now_paused)),)

    def step(self, now: float, *, forced: bool = False) -> Step:
        """Request one move of a paused game. `forced`: start the game even if a player is missing, or end it."""
        if self.is_running:
            return self._with_state(Step(), now, [], asks=True) if self.is_paused else Step()
        if self._is_over or not forced or not self._taken:
            return Step()
        waits = self.is_prepared and not self.season.dialect.joins_at_once
        events = [Addressed(seat, messages.Joined(self.room)) for seat in sorted(self._taken)] if waits else []
        goes_on = self.season.dialect.starts_alone
        if not goes_on:
            (seat,) = self.free
            self._absent.setdefault(seat, Absence(self._gone(seat, Termination.IDLE), Termination.LEFT))
        self._taken.update(SEATS)
        return self._start(now, events, asks=goes_on, welcomes=goes_on)

    def restore(self, entry: Entry) -> None:
        """Take an entry of the journal as if it happened now. Raises RuleError if it is an illegal move."""
        super().restore(entry)
        if entry.kind == LEFT and entry.seat is not None and "code" in entry.data:
            code, text = str(entry.data["code"]), str(entry.data["text"])
            self.match.findings.append(Finding(code, entry.seat, self.match.entries - 1, text))
