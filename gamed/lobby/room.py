"""A room: one table, the peers on its seats, the observers, and its clock.

Source: docs/topics/design.md#a-moves-way-a-relayed-shot, docs/topics/design.md#time.

Whatever happens to a table, its answer is a `Step`, and `_do` carries out all steps in the same order. Refusals are
noted first, while the seats are still taken. Then what is to be journalled and sent goes to the lobby as one
`Dispatch`. Findings, the outcome and the watchers follow, and the clock comes last. Nothing on the way of a move is a
Deferred, and a fault in one room ends this room and no other (`fail`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import inf
from time import perf_counter
from typing import Any, Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import Options, Outcome, Seat, Termination
from gamed.core.history import JOINED, LINE, MOVE, Entry, History
from gamed.core.peer import Party, Peer
from gamed.core.refusals import Refusal
from gamed.core.stats import Stats
from gamed.core.table import OBSERVERS, Judged, Step, Table
from gamed.lobby.outage import PATIENCE
from gamed.lobby.refusals import RefusalLog
from gamed.store import Journal

log = Logger()

HELD = 0.05
"""Seconds between two looks at a clock that stands still."""


@define
class Dispatch:
    """What is to be done when its entries are in the journal: deliver events, and then release peers."""

    room: Room | None = None
    """None: the events are those of a reception."""

    journal_room: str = ""
    """The id of the room's present match, by which the journal knows its entries."""

    entries: tuple[Entry, ...] = ()
    events: Sequence[tuple[Peer, Event]] = ()
    released: Sequence[Peer] = ()
    """With these peers the room is done."""

    dismissed: Sequence[Peer] = ()
    """These peers are closed."""

    began: float = field(factory=perf_counter)
    """When its cause was taken up."""


@define
class Ended:
    """An ended match that is to become a record."""

    history: History
    judged: Judged
    """What the referee found in it."""


class RoomServices(Protocol):
    """What a room asks of its lobby."""

    clock: IReactorTime
    seconds: Callable[[], float]
    held: Callable[[], float]
    journal: Journal
    stats: Stats
    refusals: RefusalLog

    @property
    def is_held(self) -> bool:
        """Whether nothing is read and no clock runs, because the disk takes nothing."""

    def perform(self, dispatch: Dispatch) -> None:
        """Journal the entries, and carry out the rest when that is done, or call the room's `fail`."""

    def history(self, kind: str, options: Options) -> History:
        """Return a fresh history for a match that begins now."""

    def attend(self, room: Room) -> None:
        """Have the room's lines judged and its ended matches recorded, after its events have left."""

    def alarm(self, room: Room, finding: Finding) -> None:
        """Notify operators of a finding, if the listener's settings say so."""


@define(eq=False)
class Room:
    """A table with its peers."""

    id: str
    history: History
    """That of the present match. Its id becomes the id of the record."""

    table: Table
    services: RoomServices
    stuck_seconds: float
    """How long a peer may leave unread what others send to it."""

    party: Party | None = None
    """For whom alone the room is; None: for anybody."""

    peers: dict[Seat, Peer] = field(factory=dict)
    """Those on the seats."""

    observers: tuple[Peer, ...] = ()
    ended: list[Ended] = field(factory=list)
    """The matches that are to become records."""

    watchers: list[Callable[[Room, Step], None]] = field(factory=list)
    """Called with each step: consoles, metrics and web pages."""

    is_closed: bool = False
    _left: dict[Seat, Peer] | None = None
    """Whose seats were emptied, where a finding may come after the end of the match; None: nobody's."""

    _wake_at: float | None = None
    """When the table is to look at its clock; None: not at any time."""

    _timer: IDelayedCall | None = None
    """It may end before `_wake_at`, and is set again then."""

    _stuck: dict[Seat, IDelayedCall] | None = None
    """The seats whose peers read too slowly, and what gives them up; None: there were none yet."""

    _undelivered: int = 0
    """Steps whose events have not left, at a table that does not forward."""

    _held_before: float = field(init=False)
    """For how long games had been held when the present match was opened."""

    def __attrs_post_init__(self) -> None:
        self._held_before = self.services.held()

    def open(self) -> None:
        """Begin the room's journal. Raises StoreError."""
        self.services.journal.append([(self.history.room, (self.history.opened(),))])

    @property
    def wakes_in(self) -> float | None:
        """Seconds until the table looks at its clock again, or None."""
        return None if self._wake_at is None else self._wake_at - self.services.seconds()

    # What peers, receptions and operators want

    def join(self, peer: Peer, seat: Seat | None = None) -> Seat:
        """Seat a peer, on the next free seat if none is named."""
        if seat is None:
            seat = self.table.free[0]
        self.peers[seat] = peer
        peer.entered(self, seat)
        log.info("joined: room={room} seat={seat} peer={peer}", room=self.id, seat=seat, peer=peer.name)
        self._act(self.table.join, peer.called, self._now(), seat)
        return seat

    def receive(self, seat: Seat, events: Iterable[Event]) -> None:
        """Take what a read of the peer on a seat has brought. A fault of ours ends this room, and no other.

        All of it is performed as one step: one entry in the lobby's queue, one write to the journal, and answers that
        leave together. Only a step after which others sit here, or another match begins, is performed by itself.
        """
        peer, table, now = self.peers.get(seat), self.table, self.services.seconds()
        table.arrived = inf if peer is None else peer.arrived
        step = None
        try:
            try:
                for event in events:
                    later = table.receive(seat, event, now)
                    if step is None:
                        step = later
                    elif step.is_last or later.opened:
                        before, step = step, later
                        self._do(before)
                    else:
                        step.join(later)
            finally:
                # Also where an event has failed: what came before it counts.
                if step is not None:
                    self._do(step)
        except Exception:  # noqa: BLE001 (whatever it is, the other rooms play on)
            self.fail(Failure())

    def leave(self, seat: Seat, why: Termination = Termination.LEFT, text: str = "") -> None:
        """Empty a seat."""
        if seat == OBSERVERS:
            return
        self._act(self.table.leave, seat, why, self._now(), text)
        self._emptied((seat,))

    def observe(self, peer: Peer) -> None:
        """Let a peer watch, and send it what the table has for new observers."""
        self.observers += (peer,)
        peer.entered(self, OBSERVERS)
        log.info("observed: room={room} peer={peer}", room=self.id, peer=peer.name)
        self.services.perform(Dispatch(events=[(peer, event) for event in self.table.observe()]))

    def unobserve(self, peer: Peer) -> None:
        """Stop sending to an observer."""
        self.observers = tuple(other for other in self.observers if other is not peer)

    def pause(self) -> None:
        """Hold the match."""
        self._act(self.table.pause, self._now())

    def resume(self) -> None:
        """Let the match go on."""
        self._act(self.table.resume, self._now())

    def step(self, *, forced: bool = False) -> None:
        """Let a held match go on by one move."""
        self._act(lambda: self.table.step(self._now(), forced=forced))

    def stop(self, why: Termination) -> None:
        """End the match for a reason that costs nobody the game."""
        self._act(self.table.stop, why, self._now())

    def refused(self, seat: Seat, refusal: Refusal) -> None:
        """Note a refusal that is not part of a step: what the peer on a seat did in vain."""
        self._do(Step(refused=((seat, refusal),)))

    def review(self) -> bool:
        """Judge some of what was forwarded; True if there is more."""
        try:
            step = self.table.review()
        except Exception:  # noqa: BLE001 (as in `receive`)
            self.fail(Failure())
            return False
        self._do(step)
        return step.review

    def fail(self, failure: Failure) -> None:
        """End the match by a fault of ours."""
        log.failure("server fault: room={room}", failure=failure, room=self.id)
        self.services.stats.faults += 1
        self.cut_off()

    def cut_off(self) -> None:
        """End the match as the server's fault. The journal may have refused, so nothing waits for it."""
        step = self.table.stop(Termination.SERVER_FAULT, self.services.seconds())
        self.history.entries += self._with_holds(step.journal)
        # All of them, also where the match had ended already and only its last events could not leave.
        for peer in (*self.peers.values(), *self.observers):
            peer.close()
        if step.outcome is not None:
            self._end(step.outcome)
        self._close()

    def _act(self, method: Callable[..., Step], *arguments: Any) -> None:
        try:
            self._do(method(*arguments))
        except Exception:  # noqa: BLE001 (as in `receive`)
            self.fail(Failure())

    def _now(self) -> float:
        return self.services.seconds()

    def _with_holds(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Have fresh entries tell true times: the tables' clock does not run while games are held."""
        held = self.services.held()
        if held != self._held_before:
            for entry in entries:
                entry.at += round((held - self._held_before) * 1000)
        return entries

    # A step of the table

    def _do(self, step: Step) -> None:
        if step.opened:
            self.history = self.services.history(self.history.kind, self.history.options)
            self._held_before = self.services.held()
        if step.refused:
            # Before seats are emptied, whose peers these are.
            self._refuse(step)
        if step.journal or step.events or step.dropped or step.closed or step.held:
            self._perform(step)
        if step.findings:
            self._report(step)
        if step.outcome is not None:
            self._end(step.outcome)
        for watch in self.watchers:
            watch(self, step)
        if step.closed:
            self._close()
        else:
            if step.wake_at is not None:
                self._wake(step.wake_at)
            if step.review:
                self.services.attend(self)

    def _perform(self, step: Step) -> None:
        entries, forwards = self._with_holds(step.journal), self.table.forwards
        self.history.entries += entries
        for entry in entries:
            if entry.kind in (LINE, MOVE):
                self.services.stats.moves[self.history.kind] += 1
        if step.opened:
            entries = (self.history.opened(), *entries)
        if step.held is not None:
            entries = (*entries, step.held)
        leaving = self._emptied(step.dropped) if step.dropped else {}
        released = (*leaving.values(),) if leaving else ()
        if step.closed:
            released += (*self.peers.values(), *dict.fromkeys(self.observers))
        self._undelivered += not forwards
        self.services.perform(Dispatch(self, self.history.room, entries, self._deliveries(step, leaving), released))

    def _emptied(self, seats: Iterable[Seat]) -> dict[Seat, Peer]:
        """Empty seats; return whose they were."""
        peers = {seat: self.peers.pop(seat) for seat in seats if seat in self.peers}
        if self.table.forwards:
            # A relay's lines may be judged after the seats are empty. Other tables may have any number of peers that
            # come and go, and none of them is to be kept.
            self._left = {**(self._left or {}), **peers}
        return peers

    def _peer(self, seat: Seat) -> Peer | None:
        """Return who is on a seat, or was last."""
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
        """Take note that the events of so many steps have been handed over: the time for a move runs from here.

        Not while those of later steps wait for the disk: the request for the move may be among them. Nor while a peer
        that reads too slowly has not taken it.
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
            self._wake(wake_at)

    def _report(self, step: Step) -> None:
        for finding in step.findings:
            self.services.stats.findings[self.history.kind, finding.code] += 1
            peer = self._peer(finding.seat)
            log.warn(
                "finding {code}: room={room} seat={seat} peer={peer} entry={entry}: {text}",
                code=finding.code,
                room=self.id,
                seat=finding.seat,
                peer=peer.name if peer is not None else "",
                entry=finding.entry,
                text=finding.text,
            )
            self.services.alarm(self, finding)

    def _refuse(self, step: Step) -> None:
        for seat, refusal in step.refused:
            peer = self._peer(seat)
            if peer is not None:
                self.services.refusals.add(peer, refusal, self.id, seat)

    def _end(self, outcome: Outcome) -> None:
        log.info(
            "ended: room={room} record={record} game={game} termination={termination} winner={winner} peers={peers}",
            room=self.id,
            # A match that never began leaves no record.
            record=self.history.room if self.history.was_started else None,
            game=self.history.kind,
            termination=str(outcome.termination),
            winner=outcome.winner,
            peers=",".join(ascii(entry.data["name"])[1:-1] for entry in self.history.of_kind(JOINED)),
        )
        self.services.stats.ended[self.history.kind, str(outcome.termination)] += 1
        self.ended.append(Ended(self.history, self.table.match))
        self.services.attend(self)

    def _close(self) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        for timer in (self._timer, *(self._stuck or {}).values()):
            if timer is not None and timer.active():
                timer.cancel()
        self._timer = self._stuck = None
        log.info("closed: room={room}", room=self.id)
        self.services.attend(self)

    # The clock

    def _wake(self, at: float) -> None:
        earlier = self._wake_at is not None and at < self._wake_at
        self._wake_at = at
        # A timer that fires too early is set again; setting it anew at each move would cost more.
        if self._timer is None:
            self._set_timer(max(0.0, at - self.services.seconds()), self._woken)
        elif earlier:
            # Not cancelled: the reactor would keep that call too, for the hour that a first client may wait.
            self._timer.reset(max(0.0, at - self.services.seconds()))

    def _set_timer(self, delay: float, call: Callable[[], None]) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = self.services.clock.callLater(delay, call)

    def _woken(self) -> None:
        assert self._wake_at is not None
        left = self._wake_at - self.services.seconds()
        if self.services.is_held:
            # The clock stands still, so what is left does not become less.
            self._set_timer(max(left, HELD), self._woken)
        elif left > 0:
            self._set_timer(left, self._woken)
        else:
            # What has arrived in time may still wait to be read: one more pass of reading before judging, at least.
            self._set_timer(0, partial(self._judge, self._wake_at, self.services.seconds() + PATIENCE))

    def _judge(self, limit: float, until: float) -> None:
        """Judge the clock, once nothing is to be served that may have come by the limit: at a moment at the latest."""
        now = self.services.seconds()
        if self.services.is_held or self._wake_at != limit:
            self._woken()
        elif now < until and any(self._has_unread(seat, limit) for seat in self.table.overdue(now)):
            self._set_timer(0, partial(self._judge, limit, until))
        else:
            self._timer = self._wake_at = None
            self._act(self.table.tick, now)

    def _has_unread(self, seat: Seat, limit: float) -> bool:
        peer = self.peers.get(seat)
        return peer is not None and peer.has_unread(limit)

    # Back-pressure

    def congested(self, seat: Seat) -> None:
        """Give a peer that does not read `stuck_seconds` to begin; meanwhile take nothing that goes to it unbounded."""
        if self._stuck is None:
            self._stuck = {}
        # Transports say it again at each write.
        if self.is_closed or seat in self._stuck or seat == OBSERVERS:
            return
        if self.table.forwards:
            for other, peer in self.peers.items():
                if other != seat:
                    peer.pause()
        self._stuck[seat] = self.services.clock.callLater(self.stuck_seconds, self._give_up, seat)

    def relieved(self, seat: Seat) -> None:
        """Take on: the peer has read what was sent to it."""
        timer = (self._stuck or {}).pop(seat, None)
        if timer is None:
            return
        timer.cancel()
        if not self.table.forwards:
            # Its request has left.
            self.delivered(0)
            return
        for other, peer in self.peers.items():
            if other != seat:
                peer.resume()

    def _give_up(self, seat: Seat) -> None:
        peer = self.peers[seat]
        reason = f"did not read for {self.stuck_seconds:g} seconds what was sent to it"
        expected = "a client that reads all the time"
        self.services.refusals.add(peer, Refusal("not-reading", reason, expected), self.id, seat)
        self.leave(seat, Termination.LIMIT)
        peer.close()
