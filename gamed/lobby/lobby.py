"""The lobby: it opens rooms, pairs who waits, and sees to it that each ended match becomes a record.

Source: design.md, "The journal"; battleship.md A1 for the pairing: first come, first served.
"""

from __future__ import annotations

import random
import uuid
from collections import deque
from collections.abc import Callable, Mapping
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

from gamed.game import Seat, Termination
from gamed.history import History
from gamed.lobby import Peer
from gamed.lobby.room import Room
from gamed.records.own import from_history, summary
from gamed.registry import GameType
from gamed.store import Journal, Store
from gamed.table import Table

log = Logger()

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
    _reviews: deque[Room] = field(factory=deque)
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

    def review_later(self, room: Room) -> None:
        """Have a room reviewed two turns of the reactor later, when its letters have left."""
        if not self._reviews:
            self.clock.callLater(0, self.clock.callLater, 0, self._review)
        self._reviews.append(room)

    def _review(self) -> None:
        rooms = dict.fromkeys(self._reviews)
        self._reviews.clear()
        for room in rooms:
            if room.id in self.rooms and room.review():
                self.review_later(room)

    def closed(self, room: Room) -> None:
        """Take an ended match out of the lobby; it becomes a record once its letters have left."""
        if self._waiting.get(room.history.kind) is room:
            del self._waiting[room.history.kind]
        self.clock.callLater(0, self.clock.callLater, 0, self._settle, room)

    def _settle(self, room: Room) -> None:
        """Judge the rest, make the record, and forget the room."""
        if self.rooms.pop(room.id, None) is None:
            return
        while room.review():
            pass
        if room.history.was_started:
            self.keep(room.history, room.table)
        else:
            self.journal.forget(room.id)

    # Records

    def keep(self, history: History, table: Table) -> None:
        """Store the record of an ended match; the journal forgets the room when that is committed."""
        game_type = self.game_types[history.kind]
        record = from_history(
            history,
            publisher=game_type.publisher,
            version=game_type.version,
            findings=table.findings,
            unjudged=table.unjudged,
        )
        kept = self.store.keep(record, summary(record))
        self._keeping[history.room] = kept
        kept.addCallbacks(self._kept, self._not_kept, errbackArgs=(history, table))

    def _kept(self, room: str) -> None:
        self._keeping.pop(room, None)
        self.journal.forget(room)
        log.info("recorded: room={room}", room=room)

    def _not_kept(self, failure: Failure, history: History, table: Table) -> None:
        self._keeping.pop(history.room, None)
        log.failure(
            "not recorded: room={room}; it stays in the journal and is offered again in {seconds} s",
            failure=failure,
            room=history.room,
            seconds=KEEP_AGAIN,
        )
        if self.running:
            self.clock.callLater(KEEP_AGAIN, self.keep, history, table)

    # The service

    def stopService(self) -> Deferred[Any]:
        """End all matches with the cause `shutdown`, and fire when their records are stored."""
        super().stopService()  # type: ignore[no-untyped-call]
        for room in list(self.rooms.values()):
            room.stop(Termination.SHUTDOWN)
            self._settle(room)
        return DeferredList(list(self._keeping.values()))
