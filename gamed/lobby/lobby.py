"""The lobby: it opens rooms, pairs who waits, and sees to it that each ended match becomes a record.

Source: design.md, "The journal"; battleship.md A1 for the pairing: first come, first served.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.errors import StoreConflict, StoreError
from gamed.game import Seat, Termination
from gamed.history import History
from gamed.lobby import Peer
from gamed.lobby.room import Room
from gamed.records.own import from_history, summarize
from gamed.records.record import Record, Summary
from gamed.registry import GameType
from gamed.store import Journal, Store
from gamed.table import Step, Table

log = Logger()

AFTERWARDS = 0.25
"""Seconds after which lines are judged and ended matches recorded: together they cost less than each alone."""

KEEP_AGAIN = 5.0
"""Seconds until a record that the store refused is offered again."""


@define(eq=False)
class Lobby(Service):
    """The room service. `settings`: each listener's, by the game's name. `seconds`: the monotonic clock."""

    game_types: Mapping[str, GameType]
    settings: Mapping[str, Any]
    journal: Journal
    store: Store
    clock: IReactorTime
    seconds: Callable[[], float]
    rooms: dict[str, Room] = field(factory=dict)
    _waiting: dict[str, Room] = field(factory=dict)
    _steps: list[tuple[Room, Step]] = field(factory=list)
    _afterwards: dict[str, Room] = field(factory=dict)
    _unkept: list[tuple[Record, Summary]] = field(factory=list)
    _keeping: dict[str, Deferred[Any]] = field(factory=dict)

    # Coming and going

    def arrive(self, kind: str, peer: Peer) -> tuple[Room, Seat]:
        """Seat a newcomer with who has waited longest, or in a new room. Raises StoreError: no room can be opened."""
        waiting = self._waiting.pop(kind, None)
        if waiting is not None and waiting.peers[0].is_gone:
            waiting.leave(0)
            waiting = None
        room = self._open(kind) if waiting is None else waiting
        seat = room.join(peer)
        if not room.table.is_full and room.table.outcome is None:
            self._waiting[kind] = room
        log.info("joined: room={room} seat={seat} peer={peer}", room=room.id, seat=seat, peer=peer.name)
        return room, seat

    def _open(self, kind: str) -> Room:
        settings = self.settings[kind]
        game_type = self.game_types[kind]
        started = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        seed = random.getrandbits(63)
        history = History(str(uuid.uuid4()), kind, started, seed, game_type.options(settings))
        table = game_type.table(settings, history.options, partial(Random, seed), self.seconds())
        room = Room(history, table, self, settings.stuck_seconds)
        room.open()
        self.rooms[room.id] = room
        return room

    # What rooms ask for

    def perform(self, room: Room, step: Step) -> None:
        """Journal a step, together with all others of this turn of the reactor, and have its letters delivered then."""
        if not self._steps:
            self.clock.callLater(0, self.perform_all)
        self._steps.append((room, step))

    def perform_all(self) -> None:
        """Write what is to be journalled, and let the letters leave: at once, or when it is on the disk."""
        steps, self._steps = self._steps, []
        try:
            position = self.journal.append([(room.history.room, step.journal) for room, step in steps])
        except StoreError:
            failure = Failure()
            for room in dict.fromkeys(room for room, _ in steps):
                room.fail(failure)
            return
        self.journal.when_synced(position, partial(_deliver_all, steps))

    def review_later(self, room: Room) -> None:
        """Have a room's lines judged when their letters have left."""
        self._attend(room)

    def closed(self, room: Room) -> None:
        """Take note of an ended match; it becomes a record when its letters have left."""
        if self._waiting.get(room.history.kind) is room:
            del self._waiting[room.history.kind]
        self._attend(room)

    def _attend(self, room: Room) -> None:
        if not self._afterwards:
            self.clock.callLater(AFTERWARDS, self._attend_all)
        self._afterwards[room.id] = room

    def _attend_all(self) -> None:
        rooms = iter(list(self._afterwards.values()))
        self._afterwards.clear()
        self._attend_next(rooms)

    def _attend_next(self, rooms: Iterator[Room]) -> None:
        # One room a turn of the reactor, so that no move waits for more than one.
        room = next(rooms, None)
        if room is None:
            self.keep_recorded()
            return
        # First of all, so that a fault in one room costs the others nothing.
        self.clock.callLater(0, self._attend_next, rooms)
        if room.table.outcome is not None:
            self._settle(room)
        elif room.review():
            self._attend(room)

    def _settle(self, room: Room) -> None:
        """Judge the rest, make the record, and forget the room."""
        if self.rooms.pop(room.id, None) is None:
            return
        while room.review():
            pass
        if room.history.was_started:
            self.record(room.history, room.table)
        else:
            self.journal.forget(room.id)

    # Records

    def record(self, history: History, table: Table) -> None:
        """Make the record of an ended match; `keep_recorded` stores it."""
        game_type = self.game_types[history.kind]
        names = {"publisher": game_type.publisher, "version": game_type.version}
        record = from_history(history, **names, findings=table.findings, unjudged=table.unjudged)
        self._unkept.append((record, summarize(history, **names)))

    def keep_recorded(self) -> None:
        """Store what is recorded, all at once; the journal forgets each room when its record is committed."""
        unkept, self._unkept = self._unkept, []
        for record, searched in unkept:
            kept = self.store.keep(record, searched)
            self._keeping[record.id] = kept
            kept.addCallbacks(self._kept, self._not_kept, errbackArgs=(record, searched))

    def _kept(self, room: str) -> None:
        self._keeping.pop(room, None)
        self.journal.forget(room)
        log.info("recorded: room={room}", room=room)

    def _not_kept(self, failure: Failure, record: Record, searched: Summary) -> None:
        self._keeping.pop(record.id, None)
        if failure.check(StoreConflict):
            # What was committed stands. After a power cut, the journal may hold less than the record does.
            log.error("recorded before, and differently: room={room}; the record stands", room=record.id)
            self.journal.forget(record.id)
            return
        log.failure(
            "not recorded: room={room}; it stays in the journal and is offered again in {seconds} s",
            failure=failure,
            room=record.id,
            seconds=KEEP_AGAIN,
        )
        self._unkept.append((record, searched))
        if self.running:
            self.clock.callLater(KEEP_AGAIN, self.keep_recorded)

    # The service

    def stopService(self) -> Deferred[Any]:
        """End all matches with the cause `shutdown`, and fire when their records are stored."""
        super().stopService()  # type: ignore[no-untyped-call]
        rooms = list(self.rooms.values())
        for room in rooms:
            room.stop(Termination.SHUTDOWN)
        # Before anything is forgotten: the journal takes no entries of a room that it has forgotten.
        self.perform_all()
        for room in rooms:
            self._settle(room)
        self.keep_recorded()
        return DeferredList(list(self._keeping.values()))


def _deliver_all(steps: Iterable[tuple[Room, Step]]) -> None:
    peers: dict[Peer, None] = {}
    for room, step in steps:
        room.deliver(step)
        for mail in step.mails:
            peers[room.peers[mail.seat]] = None
    # What a turn has for a peer leaves as one: an answer and the shot after it cost one system call.
    for peer in peers:
        try:
            peer.flush()
        except Exception:  # noqa: BLE001 (whatever it is, the others get their letters)
            log.failure("cannot send: peer={peer}", peer=peer.name)
