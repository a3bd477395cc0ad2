"""The manager (Verwalter) of one game: registration, turns, output channels, the end and the time after it.

Source: docs/specs/roborally.md#1-the-wire, docs/specs/roborally.md#3-the-manager. Its statuses are those of
`states.py`.

A peer has a *seat* in the room: players from 0 on, output channels from CHANNELS on, and no seat is used twice. A
player also has a *number* in the match, which the rules and the journal use. Numbers are given at the start, in the
order of registration, because players may leave before and their seats stay empty.

Automatic steps of the rules are not journalled, because they follow from the moves. Only a leaving or the end of the
game can come between two steps, so the entries of these have `steps`: how many steps the match had made. A table can
also be waiting between two steps, for a channel's `ok` or for an operator. Then the journal gets a HELD entry with
`steps`, so that recovery after a crash stops there, and the record does not show steps that no client has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import inf
from random import Random
from typing import Final

from attrs import define, field

from gamed.core.errors import RuleError
from gamed.core.events import Event, Unread
from gamed.core.game import CHANCE, Options, Outcome, Seat, Termination
from gamed.core.history import DRAWN, ENDED, HELD, JOINED, LEFT, MOVE, STARTED, Entry, Value
from gamed.core.match import Match, MatchTable
from gamed.core.refusals import Refusal
from gamed.core.table import Addressed, Step
from gamed.games.roborally import messages as m
from gamed.games.roborally import refusals
from gamed.games.roborally.limits import TableLimits
from gamed.games.roborally.messages import Reason
from gamed.games.roborally.queries import Facts, answer
from gamed.games.roborally.requests import Leaver, Member, Members, OpenRequest, engine_answer, wire_request
from gamed.games.roborally.rules.game import RoboRally
from gamed.games.roborally.rules.state import Stage, State
from gamed.games.roborally.states import STAGES, STOPPED, Status, ending, went

CHANNELS: Final[Seat] = 1_000_000
"""The first seat of an output channel. A lobby does not accept so many players that their seats could reach it."""

_RULES: Final = RoboRally()
_SHORTEST: Final = 0.001
"""Seconds for a channel that has spent its budget. A limit of 0 would mean any time."""


@define
class Manager(MatchTable):
    """A table: one game from its lobby to the end of its connections."""

    options: Options
    limits: TableLimits
    random: Callable[[int], Random]
    opened_at: float
    game: RoboRally = _RULES
    forwards: bool = False
    is_paused: bool = False
    is_single: bool = False
    status: Status = Status.LOBBY
    members: Members = field(factory=Members)
    violations: dict[Seat, int] = field(factory=dict)
    """Violations of a newcomer before it registered, by the seat that it is about to take."""
    names: tuple[str, ...] = ()
    """The players' names, by their numbers in the match; empty before the start."""
    numbers: dict[Seat, Seat] = field(factory=dict)
    """The players' numbers in the match, by their seats in the room."""
    steps: int = 0
    """Automatic steps that the match has made."""
    passed: dict[int, State] = field(factory=dict)
    """While a match is restored: the positions since its last entry, by the number of steps that led to them."""
    match: Match = field(init=False)
    _came: int = 0
    """The next player's seat: as many players have registered, those included that have left."""
    _channels_came: int = 0
    """The same for channels."""
    _leavers: list[Leaver] = field(factory=list)
    """Players who have left and whose robots are still on the board."""
    _start_at: float | None = None
    """When the start delay is over; None while there are too few players, and after the start."""
    _linger_until: float | None = None
    """When the room of an ended game closes; None before its end."""
    _paused_at: float = 0.0
    _journalled: int | None = None
    """The steps in the last HELD entry. None: the journal's moves lead to the present position."""

    def __attrs_post_init__(self) -> None:
        self.match = Match(self.game, self.options, self.random, self.opened_at)

    @property
    def free(self) -> Sequence[Seat]:
        """The seats that players can still take; none once the game has begun."""
        open_places = int(self.options["players"]) - len(self.members.players)
        return range(self._came, min(self._came + open_places, CHANNELS)) if self.status is Status.LOBBY else ()

    @property
    def free_channels(self) -> Sequence[Seat]:
        """The seats that output channels can still take; none once the game has begun."""
        first = CHANNELS + self._channels_came
        open_places = self.limits.max_channels - len(self.members.channels)
        return range(first, first + open_places) if self.status is Status.LOBBY else ()

    def is_player(self, seat: Seat) -> bool:
        """Whether a seat is no output channel's."""
        return seat < CHANNELS

    # Registration

    def join(self, name: str, now: float, seat: Seat | None = None) -> Step:
        """Seat a player or a channel.

        The game starts when all places are taken, or when the start delay is over. The delay begins when there are
        enough players, and again with each one after that.
        """
        seat = self.free[0] if seat is None else seat
        is_channel = not self.is_player(seat)
        if seat not in (self.free_channels if is_channel else self.free):
            raise AssertionError(f"seat {seat} is not free")
        self.members[seat] = Member(seat, name, is_channel, violations=self.violations.pop(seat, 0))
        step = Step()
        if is_channel:
            self._channels_came = seat + 1 - CHANNELS
        else:
            self._came = seat + 1
            self._set_start(now)
            # Without a delay the game starts in this very step: no other player can come in between.
            is_due = self._start_at is not None and self._start_at <= now
            if (is_due or not self.free) and not self.is_paused:
                self._start(step, now)
        return self._step(step, now)

    def _set_start(self, now: float) -> None:
        enough = len(self.members.players) >= self.limits.min_players
        self._start_at = now + self.limits.start_delay if enough else None

    def _start(self, step: Step, now: float) -> None:
        players = self.members.players
        self._start_at = None
        self._begin(tuple(member.name for member in players))
        self.numbers = {member.seat: number for number, member in enumerate(players)}
        step.journal += tuple(self.match.seat(number, name, now) for number, name in enumerate(self.names))
        step.journal += (*self.match.start(now),)
        for member in self.members.values():
            step.send(member.seat, member.ask(m.GameStarts(), self.limits.ack_timeout))

    def _begin(self, names: tuple[str, ...]) -> None:
        """Begin the match between the players of these names.

        It replaces the match of the lobby, which was set up for as many players as can register; the entries go on.
        """
        self.status = went(self.status, Status.STARTING)
        self.names = names
        options = {**self.options, "players": len(names)}
        entries = self.match.entries
        self.match = Match(self.game, options, self.random, self.opened_at, entries=entries)

    # What peers say

    def receive(self, seat: Seat, event: Event, now: float, arrived: float = inf) -> Step:
        """Take a message of a peer: a query, the answer to its open request, a leaving, or a violation."""
        member = self.members.get(seat)
        step = Step()
        if member is not None:
            if isinstance(event, m.Query) and (found := answer(event, self._facts)) is not None:
                # An answered query changes nothing: no step of the game can be due, and no clock.
                return Step((Addressed(seat, found),))
            self._take(step, member, event, now, min(now, arrived))
            self._go_on(step, now)
        return self._step(step, now)

    def _take(self, step: Step, member: Member, event: Event, now: float, arrived: float) -> None:
        if type(event) is Unread:
            # The peer has closed within a line: that is no violation.
            step.refuse(member.seat, event.refusal)
        elif isinstance(event, m.Query):
            step.send(member.seat, m.Error())
            step.refuse(member.seat, refusals.unanswerable(event))
            if not member.is_out:
                self._violated(step, member)
        elif isinstance(event, m.SignOff) and event.name == member.name:
            step.dropped += (member.seat,)
            self._gone(member, Termination.RESIGNED)
        elif member.is_out:
            # It may still have answered a request that the end of the game has overtaken: no violation.
            step.refuse(member.seat, refusals.after_the_end(event))
        elif member.open is not None and member.open.is_answered_by(event):
            self._answered(step, member, event, now, arrived)
        else:
            request = None if member.open is None else member.open.event
            step.refuse(member.seat, refusals.unexpected(event, member.name, request))
            # An `ok` or `error` is not answered: two programs that answer each other's errors would never stop.
            if not isinstance(event, m.Acknowledgement):
                step.send(member.seat, m.Error())
                self._violated(step, member)

    @property
    def _facts(self) -> Facts:
        names = self.names or tuple(member.name for member in self.members.players)
        return Facts(self.state, names, self.limits.move_timeout)

    def _violated(self, step: Step, member: Member) -> None:
        member.violations += 1
        if member.violations >= self.limits.max_violations:
            step.refuse(member.seat, refusals.violations(member.violations))
            self._remove(step, member, Reason.RULES_BROKEN)
            broken = ("violations", f"{member.violations} violations of the protocol")
            self._gone(member, Termination.REMOVED, broken=broken)

    def _answered(self, step: Step, member: Member, event: Event, now: float, arrived: float) -> None:
        request = member.open
        assert request is not None
        # While the game is paused no clock runs: an answer counts as given when the pause began.
        heard_at = self._paused_at if self.is_paused else arrived
        if isinstance(event, m.MoveAnswer) and request.clock.asked_at is not None and request.clock.answered(heard_at):
            self._overslept(step, member, now, arrived, event)
            return
        member.close(arrived)
        if isinstance(event, m.MoveAnswer):
            self._move(step, member, request, event, now)
        else:
            step.send(member.seat, member.next())

    def _move(self, step: Step, member: Member, request: OpenRequest, event: m.MoveAnswer, now: float) -> None:
        """Take a decision. A decision in another player's name, or against the rules, is cheating."""
        if event.name != member.name:
            broken = ("other-name", f"the answer is given for {event.name}")
            reason = "it is given under another name"
        else:
            try:
                step.journal += (*self.match.play(self.numbers[member.seat], engine_answer(event), now),)
            except RuleError as error:
                broken, reason = (error.code, str(error)), str(error)
            else:
                return
        step.refuse(member.seat, refusals.forbidden(broken[0], reason, member.name, event, request.event))
        self._remove(step, member, Reason.RULES_BROKEN)
        self._gone(member, Termination.FORFEIT, broken=broken)

    # Time

    def delivered(self, now: float, unsent: Collection[Seat] = ()) -> float | None:
        """Start the clocks of the requests that have been sent."""
        self.members.start_clocks(now, unsent)
        return self._due

    def overdue(self, now: float) -> Collection[Seat]:
        """Return the seats of peers that have not answered in time."""
        return self.members.overdue(now)

    def due_of(self, seat: Seat) -> float | None:
        """Return the moment at which a peer is removed if it does not answer before; None: there is no limit."""
        member = self.members.get(seat)
        return None if member is None or self.is_paused or member.due == inf else member.due

    @property
    def _due(self) -> float | None:
        if self.is_paused:
            return None
        moments = [moment for moment in (self._start_at, self._linger_until) if moment is not None]
        due = min((self.members.due, *moments))
        return None if due == inf else due

    def tick(self, now: float) -> Step:
        """Do what is due: start the game, remove peers that did not answer in time, or close the room."""
        if self.is_paused:
            return Step()
        step = Step()
        if self._start_at is not None and now >= self._start_at:
            self._start(step, now)
        if self._linger_until is not None and now >= self._linger_until:
            self._close(step)
        for member in list(self.members.values()):
            if member.due <= now and member.open is not None:
                self._silent(step, member, member.open, now)
        self._go_on(step, now)
        return self._step(step, now)

    def _silent(self, step: Step, member: Member, request: OpenRequest, now: float) -> None:
        if isinstance(request.event, m.GameStarts):
            # NTS only announces the start: nothing depends on its answer, and nobody is removed for it.
            step.refuse(member.seat, refusals.late(member.name, request.event, request.clock.hard))
            member.close(now)
            step.send(member.seat, member.next())
        else:
            self._overslept(step, member, now, member.due, None)

    def _overslept(self, step: Step, member: Member, now: float, arrived: float, late: Event | None) -> None:
        request = member.open
        assert request is not None
        spent = request.clock.evidence(now, arrived)
        is_spent = member.is_channel and request.clock.hard < self.limits.ack_timeout
        taken = (spent["taken"] - spent["gap"]) / 1000
        found = refusals.late(member.name, request.event, request.clock.hard, late, taken)
        step.refuse(member.seat, refusals.late_in_all(self.limits.ack_budget) if is_spent else found)
        self._remove(step, member, Reason.TIMEOUT)
        self._gone(member, Termination.TIME, {"taken": spent["taken"], "gap": spent["gap"], "limit": spent["hard"]})

    # Leaving

    def leave(
        self, seat: Seat, why: Termination, now: float, _text: str = "", *, refusal: Refusal | None = None
    ) -> Step:
        """Empty a seat: its connection was lost, or an operator or a limit removes its peer."""
        member = self.members.get(seat)
        step = Step()
        if member is not None:
            if refusal is not None and not member.is_channel and not member.is_out:
                step.refuse(seat, refusal)
            self._gone(member, why)
            self._go_on(step, now)
        return self._step(step, now)

    def _remove(self, step: Step, member: Member, reason: Reason) -> None:
        """Send a peer REN, and have its connection closed. `_gone` must follow."""
        step.send(member.seat, m.Removed(reason))
        step.dropped += (member.seat,)

    def _gone(
        self,
        member: Member,
        why: Termination,
        data: Mapping[str, Value] | None = None,
        broken: tuple[str, str] | None = None,
    ) -> None:
        """Forget a peer. A player's robot is removed by `_take_off`, as a step of its own.

        Channels that read a position just now, between NTC and their `ok`, must not see robots vanish from it.
        """
        del self.members[member.seat]
        number = self.numbers.get(member.seat)
        if number is not None:
            self._leavers.append(Leaver(number, why, data or {}, broken))
        elif self.status is Status.LOBBY and len(self.members.players) < self.limits.min_players:
            self._start_at = None

    def _take_off(self, step: Step, now: float, channels: Sequence[Member]) -> None:
        """Remove the robot of the next leaver from the board."""
        leaver = self._leavers.pop(0)
        # It may have lost its last life in a step in between.
        if self.state.robots[leaver.number].is_removed:
            return
        if leaver.broken is not None:
            step.findings += (self.match.finding(leaver.broken[0], leaver.number, leaver.broken[1]),)
        data = {**leaver.data, "steps": self.steps}
        step.journal += (self.match.left(leaver.number, leaver.why, now, data),)
        before = self.state
        self._stand(step, before, self.game.remove(before, leaver.number), channels)

    # The course of a game

    def _go_on(self, step: Step, now: float, most: float = inf) -> None:
        """Make the steps that are due until the game waits for a peer. `most`: at most this many.

        Leavers come first: their robots are removed before anything else happens to them. An automatic step is the
        last thing to do, after which the loop waits if a channel was notified.
        """
        channels = self.members.channels
        # Channels are notified after each step. Else nobody sees the positions in between.
        is_single = bool(channels) or most < inf
        while most and self.is_running and not self._is_held(channels):
            most -= 1
            if self._leavers:
                self._take_off(step, now, channels)
                continue
            seats = self.game.to_move(self.match.state)
            if seats and self.match.moves >= self.match.most:
                self._end(step, Outcome(Termination.LIMIT), now)
            elif CHANCE in seats:
                self._deal(step, now)
            elif seats:
                self._ask(step)
                return
            else:
                self._advance(step, now, channels, is_single=is_single)
        # The end is announced when the channels have acknowledged the last step.
        is_over = self.outcome is not None and self.status is not Status.CLOSED
        if is_over and self._linger_until is None and not self._is_held(channels):
            self._say_over(step, now)

    def _is_held(self, channels: Sequence[Member]) -> bool:
        """Whether the next step must wait for an operator, or for a channel's `ok`."""
        return self.is_paused or (bool(channels) and any(channel.is_notified for channel in channels))

    def _deal(self, step: Step, now: float) -> None:
        # The deal begins a turn, and channels have a budget for each turn.
        for channel in self.members.channels:
            channel.spent = 0.0
        step.journal += (*self.match.draw(now),)
        self.status = went(self.status, STAGES[self.state.stage])

    def _ask(self, step: Step) -> None:
        """Send requests to all players who are to move and have none open."""
        waiting = self.state.waiting
        unasked = [
            (member, number)
            for seat, number in self.numbers.items()
            if number in waiting and (member := self.members.get(seat)) is not None and not member.is_busy
        ]
        if not unasked:
            return
        requests = self.game.requests(self.state)
        for member, number in unasked:
            request = wire_request(requests[number])
            step.send(member.seat, member.ask(request, self.limits.move_timeout))

    def _advance(self, step: Step, now: float, channels: Sequence[Member], *, is_single: bool) -> None:
        """Make one step, or all that are due up to the clean-up."""
        before = self.match.state
        self.status = went(self.status, STAGES[before.stage])
        after, steps = (self.game.advance(before), 1) if is_single else self.game.settle(before)
        self.steps += steps
        self._stand(step, before, after, channels)
        if after.stage is Stage.OVER:
            outcome = self.game.outcome(after)
            assert outcome is not None
            self._end(step, ending(after, outcome, self.match.left_by), now)

    def _stand(self, step: Step, before: State, after: State, channels: Sequence[Member]) -> None:
        """Take a new position. Notify the channels, and the players who have lost their last life."""
        self.match.state = after
        self.status = went(self.status, STAGES[after.stage])
        if len(after.removals) > len(before.removals):
            self._lose(step, after)
        if channels and (change := self.game.changed(before, after)) is not None:
            event = m.Changed(tuple(self.names[seat] for seat in change.seats))
            for channel in channels:
                left = max(self.limits.ack_budget - channel.spent, _SHORTEST)
                step.send(channel.seat, channel.ask(event, min(self.limits.ack_timeout, left)))

    def _lose(self, step: Step, state: State) -> None:
        """Tell players that they have lost their last life. They stay connected, and may only query."""
        for seat, number in self.numbers.items():
            member = self.members.get(seat)
            if member is not None and not member.is_out and state.robots[number].is_removed:
                member.put_out()
                step.send(seat, m.Removed(Reason.LAST_LIFE))

    def _end(self, step: Step, outcome: Outcome, now: float) -> None:
        entry = self.match.end(outcome, now)
        entry.data = {**entry.data, "steps": self.steps}
        step.journal += (entry,)
        step.outcome = outcome

    def _say_over(self, step: Step, now: float) -> None:
        self._linger_until = now if self.is_single else now + self.limits.linger
        for member in self.members.values():
            if not member.is_out:
                member.put_out()
                step.send(member.seat, m.Removed(Reason.GAME_OVER))

    def _close(self, step: Step) -> None:
        self.status = Status.CLOSED
        self._linger_until = self._start_at = None
        step.closed = True

    def _held(self, step: Step, now: float) -> Entry | None:
        """Return a HELD entry if recovery could not find the present position without it.

        Recovery makes all automatic steps that follow from the last entry. That leads here if a player or chance is to
        move, and nothing after that entry has stopped the game on the way. What the journal has is not repeated.
        """
        leads_here = bool(self.game.to_move(self.state)) and (bool(step.journal) or self._journalled is None)
        before, self._journalled = self._journalled, None if leads_here else self.steps
        if leads_here or (not step.journal and before == self.steps):
            return None
        # Not `match.entry`: that counts, and a HELD entry is in no record.
        return Entry(self.match.at(now), HELD, data={"steps": self.steps})

    def _step(self, step: Step, now: float) -> Step:
        """Return the step that was built. An ended game that all peers have left is closed with it."""
        if self.status is Status.ENDED and self._linger_until is not None and not self.members:
            self._close(step)
        step.wake_at = self._due
        step.held = self._held(step, now) if self.is_running else None
        return step

    # Operators

    def pause(self, now: float) -> Step:
        """Pause the game: answers and queries are taken, but no step is made, nothing is asked, and no clock runs."""
        if not self.is_paused:
            self.is_paused, self._paused_at = True, now
        return Step()

    def resume(self, now: float) -> Step:
        """Let the game go on. All clocks go on with the time that was left."""
        step = Step()
        if self.is_paused:
            self.is_paused = False
            self.members.shift(self._paused_at, now)
            held = now - self._paused_at
            self._start_at = None if self._start_at is None else self._start_at + held
            self._linger_until = None if self._linger_until is None else self._linger_until + held
            self._go_on(step, now)
        return self._step(step, now)

    def step(self, now: float, *, forced: bool = False) -> Step:
        """Make one step of a paused game, if one is due. `forced`: start the game with the players that are there."""
        if not self.is_paused:
            return Step()
        step = Step()
        self.is_paused = False
        if self.status is Status.LOBBY and (self.members.players if forced else self._start_at is not None):
            self._start(step, now)
        self._go_on(step, now, most=1)
        self.is_paused = True
        return self._step(step, now)

    def stop(self, why: Termination, now: float) -> Step:
        """End the game without a winner, and tell all peers."""
        if self.status is Status.CLOSED:
            return Step()
        step = Step()
        if self.is_running:
            self._end(step, Outcome(why), now)
        for member in self.members.values():
            if not member.is_out:
                step.send(member.seat, m.Removed(Reason.OTHER, STOPPED.get(why, "Error")))
        self._close(step)
        return self._step(step, now)

    # Restoring

    def restore(self, entry: Entry) -> None:
        """Apply an entry of the journal, and the automatic steps that follow. A fixture may end before it begins."""
        if entry.kind == STARTED:
            names = self.match.names
            self._begin(tuple(names[number] for number in sorted(names)))
            self.match.names = names
        if entry.kind in (LEFT, ENDED):
            # They may have come between two steps, and `_roll` has gone further: `steps` says how far the game was.
            self._go_back(int(entry.data.get("steps", self.steps)))
        self.match.restore(entry)
        if entry.kind == LEFT and self.status is Status.LOBBY:
            return
        if entry.kind == LEFT and entry.seat is not None:
            self.state = self.game.remove(self.state, entry.seat)
        if entry.kind in (STARTED, DRAWN, MOVE, LEFT):
            self._roll()
        elif entry.kind != JOINED:
            self.status = Status.ENDED

    def _go_back(self, steps: int) -> None:
        """Return to the position after this many automatic steps."""
        if steps != self.steps:
            self.state = self.passed[steps]
            self.steps = steps
            self.status = STAGES[self.state.stage]

    def _roll(self) -> None:
        """Make the automatic steps that are due, and keep the positions for `_go_back`."""
        self.status = went(self.status, STAGES[self.state.stage])
        self.passed = {self.steps: self.state}
        while not self.game.to_move(self.state) and self.state.stage is not Stage.OVER:
            self.state = self.game.advance(self.state)
            self.steps += 1
            self.passed[self.steps] = self.state
            self.status = went(self.status, STAGES[self.state.stage])
