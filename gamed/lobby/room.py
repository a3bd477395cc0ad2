"""A room: one table, the peers on its seats, the observers, and its clock.

Source: docs/topics/design.md#the-life-of-a-move-a-relayed-shot, docs/topics/design.md#time.

Each method of a table returns a `Step`, and `_do` carries out all steps in the same order. Refusals are noted first,
while the seats are still taken. Then the entries and events go to the lobby as one `Dispatch`. Findings, the outcome
and the watchers follow, and the clock comes last. A fault ends one room (`fail`), or all of a batch (`delivery.py`).

The table is woken by the room's clock (`room_clock.py`). The time for a move begins when its request has been sent:
`delivered` tells the table so after the journal has been written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import inf
from typing import Any, Protocol

from attrs import define, evolve, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import Options, Outcome, Seat, Termination
from gamed.core.history import ATTESTED, JOINED, LEFT, LINE, MOVE, Entry, History, Word, called, ended
from gamed.core.peer import Party, Peer
from gamed.core.refusals import MatchRefusals, Refusal
from gamed.core.stats import Stats
from gamed.core.table import OBSERVERS, NumbersPlayers, Step, Table
from gamed.lobby.dispatch import Dispatch, Ended
from gamed.lobby.refusals import RefusalLog
from gamed.lobby.room_clock import RoomClock
from gamed.registry import GameType
from gamed.store import Journal

log = Logger()


def _owners(peer: Peer) -> frozenset[str]:
    return frozenset((peer.address, peer.browser or peer.address))


class RoomServices(Protocol):
    """The interface of the lobby for rooms."""

    clock: IReactorTime
    seconds: Callable[[], float]
    held: Callable[[], float]
    journal: Journal
    game_types: Mapping[str, GameType]
    stats: Stats
    refusals: RefusalLog

    @property
    def is_held(self) -> bool:
        """Whether nothing is read and no clock runs, because the disk refuses the journal."""

    def perform(self, dispatch: Dispatch) -> None:
        """Journal the entries, and carry out the rest when that is done. On an error, call the room's `fail`."""

    def history(self, kind: str, options: Options) -> History:
        """Return a new history for a match that begins now."""

    def attend(self, room: Room) -> None:
        """Have the room's lines judged and its ended matches recorded, after its events have left."""

    def alarm(self, room: Room, finding: Finding) -> None:
        """Notify operators of a finding."""


# Without attrs' __repr__, which would show the whole lobby: `reset` of a timer shows its call where it is a new one.
@define(eq=False, repr=False)
class Room:
    """A table with its peers."""

    id: str
    history: History
    """The history of the present match. Its id becomes the id of the record."""

    table: Table
    opened_at: float
    """When the present match was opened; for the first one that is the table's time, so that both have the same."""

    services: RoomServices
    stuck_seconds: float
    """For how long a peer may not read before its seat is emptied."""

    party: Party | None = None
    """The party that the room is reserved for; None: anybody may join."""

    peers: dict[Seat, Peer] = field(factory=dict)
    """The peers by their seats."""

    owners: frozenset[str] = frozenset()
    """Whose match it is: the addresses of all peers that have been seated in it, and the keys of their browsers."""

    observers: tuple[Peer, ...] = ()
    ended: tuple[Ended, ...] = ()
    """The matches that are to become records."""

    watchers: tuple[Callable[[Room, Step], None], ...] = ()
    """Called with each step: consoles, metrics and web pages."""

    witness: Callable[[Room, Seat, Callable[[Word], None]], None] | None = None
    """Called with what the loss of a player's connection does. It calls that, with what is known of the player's
    program, if the loss is the player's; None: it always is."""

    is_closed: bool = False
    _left: dict[Seat, Peer] | None = None
    """The peers that have left a table whose lines may be judged later, for findings about them; None: none have."""

    _clock: RoomClock = field(init=False)
    _stuck: dict[Seat, IDelayedCall] | None = None
    """The seats whose peers read too slowly, with the timers that empty them; None: there were none yet."""

    _undelivered: int = 0
    """The number of steps whose events have not left. It is counted only for tables that do not forward."""

    _held_before: float = field(init=False)
    """For how many seconds games had been held when the present match was opened."""

    _refusals: MatchRefusals | None = None
    """What was refused to the players of the present match; None: nothing yet."""

    def __attrs_post_init__(self) -> None:
        self._clock = RoomClock(self.services)
        self._reset()

    def _reset(self) -> None:
        self._held_before, self._refusals = self.services.held(), None
        self.owners = frozenset[str]().union(*map(_owners, self.peers.values()))

    def open(self) -> None:
        """Begin the room's journal. Raises StoreError."""
        self.services.journal.append([(self.history.room, (self.history.opened(),))])

    @property
    def at(self) -> int:
        """The present time of the match, as its record has it."""
        return self._at + round((self.services.held() - self._held_before) * 1000)

    @property
    def _at(self) -> int:
        return int((self._now() - self.opened_at) * 1000)

    @property
    def wakes_in(self) -> float | None:
        """Seconds until the next `tick` of the table, or None."""
        wake_at = self._clock.wake_at
        return None if wake_at is None else wake_at - self.services.seconds()

    # For peers, receptions and operators

    def join(self, peer: Peer, seat: Seat | None = None) -> Seat:
        """Seat a peer, on the next free seat if none is named."""
        if seat is None:
            seat = self.table.free[0]
        self.peers[seat] = peer
        self.owners |= _owners(peer)
        peer.entered(self, seat)
        log.info("joined: room={room} seat={seat} peer={peer}", room=self.id, seat=seat, peer=peer.name)
        self._act(self.table.join, peer.called, self._now(), seat)
        return seat

    def receive(self, seat: Seat, events: Iterable[Event]) -> None:
        """Take the events of one read of the peer on a seat. A fault of ours ends this room, and no other.

        They are performed as one step: one dispatch, one write to the journal, and answers that leave together. Only a
        step that empties seats, ends a match or begins one is performed by itself; and what comes before a refusal is
        performed before it, so that the refusal's place among the entries is right.
        """
        peer, table, now = self.peers.get(seat), self.table, self.services.seconds()
        arrived = inf if peer is None else peer.arrived
        step = None
        try:
            try:
                for event in events:
                    later = table.receive(seat, event, now, arrived)
                    if step is None:
                        step = later
                    elif step.is_last or later.opened or later.refused:
                        before, step = step, later
                        self._do(before)
                    else:
                        step.join(later)
            finally:
                # Even if an event has failed, those before it count.
                if step is not None:
                    self._do(step)
        except Exception:  # noqa: BLE001 (whatever it is, the other rooms play on)
            self.fail(Failure())

    def leave(
        self, seat: Seat, why: Termination = Termination.LEFT, text: str = "", refusal: Refusal | None = None
    ) -> None:
        """Empty a seat. `refusal`: noted if its peer still had a part in the match."""
        if seat == OBSERVERS:
            return
        if self.witness is not None and why is Termination.LEFT and not self.is_closed:
            self.witness(self, seat, partial(self._leave, seat, why, text, refusal))
        else:
            self._leave(seat, why, text, refusal, None)

    def _leave(self, seat: Seat, why: Termination, text: str, refusal: Refusal | None, word: Word | None) -> None:
        if self.history.is_fixture and not (self.history.was_started or self.is_closed) and self.table.is_player(seat):
            self.absent(seat, why, refusal, word)
            return
        self._attest(seat, word)
        self._act(partial(self.table.leave, refusal=refusal), seat, why, self._now(), text)
        self._emptied((seat,))

    def _attest(self, seat: Seat, word: Word | None) -> None:
        """Note what is known of the program of a player who leaves a game that goes on."""
        if word and self.history.outcome is None and self.table.is_player(seat):
            self._perform(Step(), (Entry(self._at, ATTESTED, self._number(seat), data=word),))

    def absent(self, seat: Seat, why: Termination, refusal: Refusal | None = None, word: Word | None = None) -> None:
        """End a fixture whose game has not begun, because a player has left, or never came. It loses."""
        self._attest(seat, word)
        self._act(lambda: self._without(seat, why, () if refusal is None else ((seat, refusal),)))

    def _without(self, seat: Seat, why: Termination, refused: tuple[tuple[Seat, Refusal], ...]) -> Step:
        step = self.table.stop(why, self._now())
        is_of_two = self.party is not None and self.party.size == 2  # noqa: PLR2004 (two)
        outcome = self.table.outcome = Outcome(why, 1 - seat if is_of_two else None)
        journal = (Entry(self._at, LEFT, seat, data={"why": str(why)}), ended(self._at, outcome))
        return evolve(step, outcome=outcome, journal=journal, refused=refused)

    def observe(self, peer: Peer) -> None:
        """Add an observer, and send it the table's events for new observers."""
        self.observers += (peer,)
        peer.entered(self, OBSERVERS)
        log.info("observed: room={room} peer={peer}", room=self.id, peer=peer.name)
        self.services.perform(Dispatch(events=[(peer, event) for event in self.table.observe()]))

    def unobserve(self, peer: Peer) -> None:
        """Remove an observer."""
        self.observers = tuple(other for other in self.observers if other is not peer)

    def pause(self) -> None:
        """Pause the match."""
        self._act(self.table.pause, self._now())

    def resume(self) -> None:
        """Resume the match."""
        self._act(self.table.resume, self._now())

    def step(self, *, forced: bool = False) -> None:
        """Let a paused match go on by one move."""
        self._act(lambda: self.table.step(self._now(), forced=forced))

    def stop(self, why: Termination) -> None:
        """End the match for a reason that makes nobody lose."""
        self._act(lambda: self._with_end(self.table.stop(why, self._now()), why))

    def refused(self, seat: Seat, refusal: Refusal, came: Peer | None = None) -> None:
        """Note a refusal that is not part of a table's step. `came`: who has come for the seat, but has no seat yet."""
        if came is None:
            self._do(Step(refused=((seat, refusal),)))
        elif noted := self._noted(came, refusal, seat):
            self._perform(Step(), noted)

    def turned_away(self, seat: Seat, why: Termination) -> None:
        """End a fixture because who has come for a seat is disconnected. `why`: REMOVED by its own fault, or ours."""
        if self.is_closed or self.history.was_started or seat in self.peers:
            return
        if why is Termination.REMOVED:
            self.absent(seat, why)
        else:
            self.stop(why)

    def review(self) -> bool:
        """Judge some of the forwarded lines. Return whether there are more."""
        try:
            step = self.table.review()
        except Exception:  # noqa: BLE001 (as in `receive`)
            self.fail(Failure())
            return False
        self._do(step)
        return step.review

    def fail(self, failure: Failure) -> None:
        """Log a fault of ours, and end the match because of it."""
        log.failure("server fault: room={room}", failure=failure, room=self.id)
        self.services.stats.faults += 1
        self.cut_off()

    def cut_off(self) -> None:
        """End the match as the server's fault, without the journal, which may be the cause."""
        step = self.table.stop(Termination.SERVER_FAULT, self.services.seconds())
        self._with_end(step, Termination.SERVER_FAULT)
        self.history.entries += self._with_holds(step.journal)
        self.history.refused += self._with_holds(self._counted())
        # Peers are disconnected even if the match had ended before, and only its last events could not be sent.
        for peer in (*self.peers.values(), *self.observers):
            peer.close()
        if step.outcome is not None:
            self._end(step.outcome)
        self._close()

    def _with_end(self, step: Step, why: Termination) -> Step:
        """Add an end to a step that closes a fixture's room before its game began: it is recorded nevertheless."""
        if self.history.is_fixture and step.closed and step.outcome is None and self.history.outcome is None:
            self.table.outcome = step.outcome = Outcome(why)
            step.journal += (ended(self._at, step.outcome),)
        return step

    def _act(self, method: Callable[..., Step], *arguments: Any) -> None:
        try:
            self._do(method(*arguments))
        except Exception:  # noqa: BLE001 (as in `receive`)
            self.fail(Failure())

    def _now(self) -> float:
        return self.services.seconds()

    def _with_holds(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Add the time of holds to new entries, because the tables' clock is stopped meanwhile."""
        held = self.services.held()
        if held != self._held_before:
            for entry in entries:
                entry.at += round((held - self._held_before) * 1000)
        return entries

    # A step of the table

    def _do(self, step: Step) -> None:
        if step.opened:
            self.history = self.services.history(self.history.kind, self.history.options)
            self.opened_at = self._now()
            self._reset()
        if step.closed:
            self._with_end(step, Termination.LEFT)
        # These need the peers of seats that the step may empty.
        refused = self._refuse(step) if step.refused else ()
        found = [(finding, self.culprit(finding.seat)) for finding in step.findings] if step.findings else ()
        if step.journal or step.events or step.dropped or step.closed or step.held or refused:
            self._perform(step, refused)
        for finding, who in found:
            self._report(finding, who)
        if step.outcome is not None:
            self._end(step.outcome)
        for watch in self.watchers:
            watch(self, step)
        if step.closed:
            self._close()
        else:
            if step.wake_at is not None:
                self._clock.wake(self, step.wake_at)
            if step.review:
                self.services.attend(self)

    def _perform(self, step: Step, apart: tuple[Entry, ...]) -> None:
        entries, forwards = self._with_holds(step.journal), self.table.forwards
        self.history.entries += entries
        if step.outcome is not None:
            apart += self._counted()
        if apart:
            for entry in self._with_holds(apart):
                self.history.add(entry)
        for entry in entries:
            if entry.kind in (LINE, MOVE):
                self.services.stats.moves[self.history.kind] += 1
        entries = (*apart, *entries) if apart else entries
        if step.opened:
            entries = (self.history.opened(), *entries)
        if step.held is not None:
            entries = (*entries, step.held)
        leaving = self._emptied(step.dropped) if step.dropped else {}
        released = (*leaving.values(),)
        if step.closed:
            released += (*self.peers.values(), *dict.fromkeys(self.observers))
        self._undelivered += not forwards
        self.services.perform(Dispatch(self, self.history.room, entries, self._deliveries(step, leaving), released))

    def _emptied(self, seats: Iterable[Seat]) -> dict[Seat, Peer]:
        """Empty seats, and return their peers."""
        peers = {seat: self.peers.pop(seat) for seat in seats if seat in self.peers}
        if self.table.forwards:
            # A relay's lines may be judged after the seats are empty. At other tables any number of peers may join and
            # leave, so they must not be kept.
            self._left = {**(self._left or {}), **peers}
        return peers

    def _peer(self, seat: Seat) -> Peer | None:
        """Return the present peer of a seat, or its last one."""
        return self.peers.get(seat) or (self._left or {}).get(seat)

    def _deliveries(self, step: Step, leaving: Mapping[Seat, Peer]) -> list[tuple[Peer, Event]]:
        events: list[tuple[Peer, Event]] = []
        for addressed in step.events:
            if addressed.seat == OBSERVERS:
                events += [(peer, addressed.event) for peer in self.observers]
            else:
                peer = self.peers.get(addressed.seat) or leaving.get(addressed.seat)
                if peer is not None:
                    events.append((peer, addressed.event))
        return events

    def delivered(self, steps: int) -> None:
        """Take note that the events of so many steps have left: the time for a move begins.

        It does not begin if events of later steps still wait for the disk, because the request for the move may be
        among them. Nor does it begin for a peer that reads too slowly and has not got its request.
        """
        self._undelivered -= steps
        if self.is_closed or self._undelivered:
            return
        try:
            wake_at = self.table.delivered(self._now(), self._stuck or ())
        except Exception:  # noqa: BLE001 (as in `receive`)
            self.fail(Failure())
            return
        if wake_at is not None:
            self._clock.wake(self, wake_at)

    def culprit(self, seat: Seat) -> str:
        """Return the name of the player whom a finding is about. `seat`: its number in the match."""
        numbers = self.table.numbers if isinstance(self.table, NumbersPlayers) else {}
        peer = self._peer(next((place for place, number in numbers.items() if number == seat), seat))
        if peer is not None:
            return peer.name
        return next((called(entry) for entry in self.history.of_kind(JOINED) if entry.seat == seat), "")

    def _report(self, finding: Finding, who: str) -> None:
        self.services.stats.findings[self.history.kind, finding.code] += 1
        log.warn(
            "finding {code}: room={room} seat={seat} peer={peer} entry={entry}: {text}",
            code=finding.code,
            room=self.id,
            seat=finding.seat,
            peer=who,
            entry=finding.entry,
            text=finding.text,
        )
        self.services.alarm(self, finding)

    def _refuse(self, step: Step) -> tuple[Entry, ...]:
        """Take note of what a step refuses, and return the entries of it."""
        found: tuple[Entry, ...] = ()
        for seat, refusal in step.refused:
            peer = self._peer(seat)
            if peer is None or (refusal.is_for_programs and peer.is_person):
                continue
            begun = b"" if refusal.text else peer.unfinished
            if begun:
                reason = f"{refusal.reason}; it has begun a message that has no end"
                # Nobody knows whether it would have been secret.
                is_hidden = self.services.game_types[self.history.kind].hides_moves
                refusal = evolve(refusal, reason=reason, text=begun, is_hidden=is_hidden)  # noqa: PLW2901 (as it is now)
            found += self._noted(peer, refusal, seat)
        return found

    def _noted(self, peer: Peer, refusal: Refusal, seat: Seat) -> tuple[Entry, ...]:
        """Log a refusal; return its entry if it is one of those that the record has in full."""
        if refusal.is_hidden and not self.history.was_started:
            # There are no secrets yet.
            refusal = evolve(refusal, is_hidden=False)
        self.services.refusals.add(peer, refusal, self.id, seat)
        number = self._number(seat)
        if self.history.outcome is not None or number is None or number < 0:
            return ()
        if self._refusals is None:
            self._refusals = MatchRefusals()
        return self._refusals.add(number, refusal, self._at, len(self.history.entries), self.services.refusals.is_code)

    def _number(self, seat: Seat) -> Seat | None:
        """Return the number of a seat's player in the match, if it has one. The seats of fixtures are numbered so."""
        if not isinstance(self.table, NumbersPlayers):
            return seat
        return self.table.numbers.get(seat, seat if self.history.is_fixture else None)

    def _counted(self) -> tuple[Entry, ...]:
        """Return entries with the numbers of the refusals that the record does not have in full."""
        return () if self._refusals is None else self._refusals.rest(self._at)

    def _end(self, outcome: Outcome) -> None:
        log.info(
            "ended: room={room} record={record} game={game} termination={termination} winner={winner} peers={peers}",
            room=self.id,
            # A match that did not begin is not recorded.
            record=self.history.room if self.history.is_recorded else None,
            game=self.history.kind,
            termination=str(outcome.termination),
            winner=outcome.winner,
            peers=",".join(ascii(called(entry))[1:-1] for entry in self.history.of_kind(JOINED)),
        )
        self.services.stats.ended[self.history.kind, str(outcome.termination)] += 1
        self.ended += (Ended(self.history, self.table.match, self.owners),)
        self.services.attend(self)

    def _close(self) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        self._clock.stop()
        for timer in (self._stuck or {}).values():
            if timer.active():
                timer.cancel()
        self._stuck = None
        log.info("closed: room={room}", room=self.id)
        self.services.attend(self)

    # The clock

    def may_answer(self, limit: float, now: float) -> bool:
        """Whether a peer that is overdue has input that may have arrived by a limit."""
        return any(self.peers[seat].has_unread(limit) for seat in self.table.overdue(now) if seat in self.peers)

    def tick(self, now: float) -> None:
        """Let the table judge its time limits."""
        self._act(self.table.tick, now)

    # Back-pressure

    def congested(self, seat: Seat) -> None:
        """Give a peer that does not read `stuck_seconds`. If the table forwards, pause the other peers meanwhile."""
        if self._stuck is None:
            self._stuck = {}
        # Transports may repeat this call at each write.
        if self.is_closed or seat in self._stuck or seat == OBSERVERS:
            return
        if self.table.forwards:
            for other, peer in self.peers.items():
                if other != seat:
                    peer.pause()
        self._stuck[seat] = self.services.clock.callLater(self.stuck_seconds, self._give_up, seat)

    def relieved(self, seat: Seat) -> None:
        """Go on: the peer has read what was sent to it."""
        timer = (self._stuck or {}).pop(seat, None)
        if timer is None:
            return
        timer.cancel()
        if not self.table.forwards:
            # The peer has got its request, so its time begins.
            self.delivered(0)
            return
        for other, peer in self.peers.items():
            if other != seat:
                peer.resume()

    def _give_up(self, seat: Seat) -> None:
        peer = self.peers[seat]
        reason = f"did not read for {self.stuck_seconds:g} seconds what was sent to it"
        self.refused(seat, Refusal("not-reading", reason, "a client that reads all the time"))
        self.leave(seat, Termination.LIMIT)
        peer.close()
