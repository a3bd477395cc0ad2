"""A room: one table, the peers on its seats, and its clock.

Source: design.md, "A move's way" and "Time". Nothing on the way of a move is a Deferred.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.events import Event
from gamed.game import Outcome, Seat, Termination
from gamed.history import History
from gamed.lobby import Peer
from gamed.store import Journal
from gamed.table import Step, Table

log = Logger()


class House(Protocol):
    """What a room asks of its lobby."""

    clock: IReactorTime
    seconds: Callable[[], float]
    journal: Journal

    def perform(self, room: Room, step: Step) -> None:
        """Journal a step's entries, and call the room's `deliver` when that is done, or its `fail`."""

    def review_later(self, room: Room) -> None:
        """Have the room's lines judged after its letters have left."""

    def closed(self, room: Room) -> None:
        """Take note that the match has ended: the room is reviewed, recorded and forgotten."""


@define(eq=False)
class Room:
    """One match with its peers. `history.room` is its id, which becomes the id of its record.

    `stuck_seconds`: how long a peer may leave unread what others send to it.
    """

    history: History
    table: Table
    house: House
    stuck_seconds: float
    peers: list[Peer] = field(factory=list)
    _wake_at: float | None = None
    _timer: IDelayedCall | None = None
    _stuck: dict[Seat, IDelayedCall] | None = None

    @property
    def id(self) -> str:
        """The room's UUID."""
        return self.history.room

    def open(self) -> None:
        """Begin the room's journal. Raises StoreError."""
        self.house.journal.append([(self.id, (self.history.opened(),))])

    def join(self, peer: Peer) -> Seat:
        """Seat a peer and return its seat."""
        self.peers.append(peer)
        self._do(self.table.join(peer.name, self.house.seconds()))
        return len(self.peers) - 1

    def receive(self, seat: Seat, event: Event) -> None:
        """Take what the peer on a seat sent. A fault of ours ends this room, and no other."""
        try:
            self._do(self.table.receive(seat, event, self.house.seconds()))
        except Exception:  # noqa: BLE001 (whatever it is, the other rooms play on)
            self.fail(Failure())

    def fail(self, failure: Failure) -> None:
        """End the match by a fault of ours. The journal may have refused, so nothing waits for it."""
        log.failure("server fault: room={room}", failure=failure, room=self.id)
        step = self.table.stop(Termination.SERVER_FAULT, self.house.seconds())
        self.history.entries += step.journal
        # All of them, also where the match had ended already and only its last letters could not leave.
        for peer in self.peers:
            peer.close()
        if step.outcome is not None:
            self._end(step.outcome)

    def leave(self, seat: Seat, why: Termination = Termination.LEFT) -> None:
        """Empty a seat."""
        try:
            self._do(self.table.leave(seat, why, self.house.seconds()))
        except Exception:  # noqa: BLE001 (as in `receive`)
            self.fail(Failure())

    def stop(self, why: Termination) -> None:
        """End the match for a reason that costs nobody the game."""
        self._do(self.table.stop(why, self.house.seconds()))

    def review(self) -> bool:
        """Judge some of what was forwarded; True if there is more."""
        try:
            step = self.table.review()
        except Exception:  # noqa: BLE001 (as in `receive`)
            self.fail(Failure())
            return False
        self._do(step)
        return step.review

    # A step of the table

    def _do(self, step: Step) -> None:
        if step.journal:
            self.history.entries += step.journal
            self.house.perform(self, step)
        if step.findings:
            self._report(step)
        if step.outcome is not None:
            self._end(step.outcome)
        elif step.wake_at is not None:
            self._wake(step.wake_at)
            if step.review:
                self.house.review_later(self)

    def deliver(self, step: Step) -> None:
        """Send a step's letters, whose entries the journal holds, and empty its seats."""
        try:
            for mail in step.mails:
                self.peers[mail.seat].deliver(mail.event)
            for seat in step.dropped:
                self.peers[seat].close()
        except Exception:  # noqa: BLE001 (as in `receive`)
            self.fail(Failure())

    def _report(self, step: Step) -> None:
        for finding in step.findings:
            log.warn(
                "finding {code}: room={room} seat={seat} peer={peer} entry={entry}: {text}",
                code=finding.code,
                room=self.id,
                seat=finding.seat,
                peer=self.peers[finding.seat].name,
                entry=finding.entry,
                text=finding.text,
            )

    def _end(self, outcome: Outcome) -> None:
        self._silence()
        log.info(
            "closed: room={room} game={game} termination={termination} winner={winner} peers={peers}",
            room=self.id,
            game=self.history.kind,
            termination=str(outcome.termination),
            winner=outcome.winner,
            peers=",".join(peer.name for peer in self.peers),
        )
        self.house.closed(self)

    # The clock

    def _wake(self, at: float) -> None:
        earlier = self._wake_at is not None and at < self._wake_at
        self._wake_at = at
        # A timer that fires too early is set again; setting it anew at each move would cost more.
        if self._timer is None or earlier:
            self._set_timer(max(0.0, at - self.house.seconds()), self._woken)

    def _set_timer(self, delay: float, call: Callable[[], None]) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = self.house.clock.callLater(delay, call)

    def _woken(self) -> None:
        assert self._wake_at is not None
        left = self._wake_at - self.house.seconds()
        if left > 0:
            self._set_timer(left, self._woken)
        else:
            # What has arrived in time may still wait to be read: one more pass of reading before judging.
            self._set_timer(0, self._tick)

    def _tick(self) -> None:
        self._timer = self._wake_at = None
        try:
            self._do(self.table.tick(self.house.seconds()))
        except Exception:  # noqa: BLE001 (as in `receive`)
            self.fail(Failure())

    def _silence(self) -> None:
        for timer in (self._timer, *(self._stuck or {}).values()):
            if timer is not None and timer.active():
                timer.cancel()
        self._timer = self._stuck = None

    # Back-pressure

    def congested(self, seat: Seat) -> None:
        """Take nothing more for a peer that does not read, and give it `stuck_seconds` to begin."""
        if self._stuck is None:
            self._stuck = {}
        # Transports say it again at each write.
        if self.table.outcome is not None or seat in self._stuck:
            return
        for other, peer in enumerate(self.peers):
            if other != seat:
                peer.pause()
        self._stuck[seat] = self.house.clock.callLater(self.stuck_seconds, self._give_up, seat)

    def relieved(self, seat: Seat) -> None:
        """Take on: the peer has read what was sent to it."""
        timer = (self._stuck or {}).pop(seat, None)
        if timer is None:
            return
        timer.cancel()
        for other, peer in enumerate(self.peers):
            if other != seat:
                peer.resume()

    def _give_up(self, seat: Seat) -> None:
        log.warn(
            "not reading: room={room} seat={seat} peer={peer} seconds={seconds}",
            room=self.id,
            seat=seat,
            peer=self.peers[seat].name,
            seconds=self.stuck_seconds,
        )
        self.leave(seat, Termination.LIMIT)
