"""The lobby: it opens rooms, pairs newcomers, and makes each ended match a record.

Source: docs/topics/design.md#the-journal; docs/reference/battleship.md#order for the pairing: first come, first served.
"""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any, Final

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.audit import say
from gamed.core.errors import DiskError, RoomError, StoreError
from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import Options, Termination
from gamed.core.history import History
from gamed.core.peer import Party, Peer
from gamed.core.reception import check_wanted, suits
from gamed.core.refusals import Refusal
from gamed.core.stats import Stats
from gamed.lobby.delivery import Delivery
from gamed.lobby.logins import Logins
from gamed.lobby.match_recorder import MatchRecorder
from gamed.lobby.outage import Timer
from gamed.lobby.record_writer import RecordWriter
from gamed.lobby.refusals import RefusalLog
from gamed.lobby.reservations import ReservationBook
from gamed.lobby.room import Dispatch, Room
from gamed.records.own import to_history
from gamed.records.record import RecordError
from gamed.registry import GameType
from gamed.store import Journal, Store
from gamed.texts import timestamp

log = Logger()

_BRIEF: Final = re.compile(r"\S{1,40}")


def _is_logged(name: str, value: str | int | bool) -> bool:  # noqa: FBT001 (what options have)
    """Whether an option is short and not secret: a board is long, and a seed tells the cards."""
    return name != "seed" and _BRIEF.fullmatch(str(value)) is not None


def _never() -> float:
    return 0.0


@define(eq=False)
class Lobby(Service):
    """The room service."""

    game_types: Mapping[str, GameType]

    settings: dict[str, Any]
    """Each listener's, by the game's kind."""

    journal: Journal
    store: Store
    clock: IReactorTime
    """The reactor's timers."""

    seconds: Callable[[], float]
    """The clock by which all rooms tell the time: monotonic, and stopped while games are held."""

    held: Callable[[], float] = _never
    """For how many seconds it has been stopped so far."""

    stats: Stats = field(factory=Stats)
    after_reads: Callable[[Callable[[], object]], object] | None = None
    """Calls something once the present pass of the reactor has read; None: in the reactor's next turn."""

    delivery: Delivery = field(init=False)
    perform: Callable[[Dispatch], None] = field(init=False)
    """The delivery's, for rooms: each step of a room calls it."""

    record_writer: RecordWriter = field(init=False)
    recorder: MatchRecorder = field(init=False)
    logins: Logins = field(init=False)
    rooms: dict[str, Room] = field(factory=dict)
    reservations: ReservationBook = field(factory=ReservationBook)
    refusals: RefusalLog = field(init=False)
    alarms: list[Callable[[Room, Finding], None]] = field(factory=list)
    _waiting: dict[tuple[str, Party | None], Room] = field(factory=dict)
    _on_empty: Callable[[], None] | None = None
    _is_stopped: bool = False

    def __attrs_post_init__(self) -> None:
        after_reads = self.after_reads or partial(self.clock.callLater, 0)
        self.delivery = Delivery(self.journal, self.clock, self.stats, self._running, after_reads)
        self.perform = self.delivery.perform
        self.refusals = RefusalLog(self.clock, self.stats, self.reservations.is_code)
        self.record_writer = RecordWriter(self.store, self.journal, self.clock, self.stats)
        self.recorder = MatchRecorder(
            self.game_types, self.journal, self.record_writer, self.clock, self.rooms, on_finished=self._finished
        )
        self.logins = Logins(self.clock.seconds, self.stats)

    def _running(self) -> list[Room]:
        return [room for room in self.rooms.values() if room.history.was_started and room.table.outcome is None]

    def _check_storage(self) -> None:
        """Raise StoreError if no new game could be journalled or stored."""
        self.delivery.outage.check()
        self.record_writer.check()

    def _finished(self, room: Room) -> None:
        """Forget a closed room whose matches are recorded; while draining, end a room that would begin another one."""
        if room.is_closed:
            del self.rooms[room.id]
            self._look_if_empty()
        elif self.is_draining:
            room.stop(Termination.SHUTDOWN)

    # What receptions ask for (gamed.core.reception.LobbyServices)

    def arrive(self, kind: str, peer: Peer) -> None:
        """Seat a newcomer with who has waited longest, or in a new room.

        Raises StoreError: no room can be opened; RoomError: the room that it asks for has no free seat.
        """
        self._check_storage()
        waiting = self._waiting.get((kind, peer.party))
        if waiting is not None and next(iter(waiting.peers.values())).is_gone:
            waiting.leave(0)
            waiting = None
        if waiting is None or not suits(waiting, peer):
            check_wanted(peer)
        self._waiting.pop((kind, peer.party), None)
        room = self.open(kind, party=peer.party) if waiting is None else waiting
        room.join(peer)
        if room.table.free and not room.is_closed:
            self._waiting[kind, peer.party] = room

    def open(self, kind: str, options: Options | None = None, party: Party | None = None) -> Room:
        """Open a room; the settings give what the options leave out. Raises StoreError, RoomError."""
        if self.is_draining:
            raise RoomError("no new games: the daemon finishes those that run, and stops then")
        if self._is_stopped:
            raise RoomError("no new games: the daemon stops")
        self._check_storage()
        settings = self.settings[kind]
        game_type = self.game_types[kind]
        chosen = game_type.options(settings)
        history = self.history(kind, {**chosen, **options} if options else chosen)
        table = game_type.table(settings, history.options, partial(Random, history.seed), self.seconds())
        room = Room(history.room, history, table, self, settings.stuck_seconds, party)
        try:
            room.open()
        except DiskError as error:
            self.delivery.refused(error)
            raise
        self.rooms[room.id] = room
        self.stats.opened[kind] += 1
        shown = "".join(f" {name}={value}" for name, value in history.options.items() if _is_logged(name, value))
        log.info("opened: room={room} game={game}{options}", room=room.id, game=kind, options=shown)
        return room

    def history(self, kind: str, options: Options) -> History:
        """Return a fresh history for a match that begins now."""
        return History(str(uuid.uuid4()), kind, timestamp(datetime.now(UTC)), random.getrandbits(63), options)

    def room(self, room: str) -> Room | None:
        """Return the room with an id, if it is open."""
        found = self.rooms.get(room)
        return None if found is None or found.is_closed else found

    def rooms_of(self, kind: str) -> Iterable[Room]:
        """Return the open rooms of a game, the oldest first."""
        return [room for room in self.rooms.values() if room.history.kind == kind and not room.is_closed]

    def send(self, peer: Peer, event: Event) -> None:
        """Send an event, after those that were written before it."""
        self.perform(Dispatch(events=[(peer, event)]))

    def dismiss(self, peer: Peer) -> None:
        """Let a peer go, after the events that were written before; nothing more is taken from it."""
        peer.mute()
        self.perform(Dispatch(dismissed=[peer]))

    def refused(self, peer: Peer, refusal: Refusal) -> None:
        """Have developers learn why something that a peer did had no effect, or cost it its connection."""
        self.refusals.note(peer, refusal)

    def note(self, peer: Peer, sentence: str) -> None:
        """Log a sentence about a peer."""
        log.info("{sentence}: peer={peer}", sentence=sentence, peer=peer.name)

    def audit(self, peer: Peer, did: str, result: str) -> None:
        """Note in the audit log what an administrator did; without a name of its own, the listener's stands for it."""
        user = ascii(peer.own_name or peer.listener)[1:-1]
        say(f"user={user} from={peer.listener} {peer.name.rpartition('@')[2]}", did, result)

    def recorded(self, record: str, call: Callable[[History | None], None]) -> None:
        """Look a record of gamed's own up by its id, and call with what was played, or with None."""
        found = self.store.record(record).addCallback(to_history)
        found.addErrback(self._not_found, record).addCallback(call)
        found.addErrback(lambda failure: log.failure("server fault: record={record}", failure=failure, record=record))

    def _not_found(self, failure: Failure, record: str) -> None:
        failure.trap(StoreError, RecordError)
        log.info("no record={record}: {error}", record=record, error=failure.value)

    def after(self, seconds: float, call: Callable[[], None], peer: Peer | None = None) -> Timer:
        """Call something later; the returned object's `cancel` prevents it.

        `peer`: whose time this is. What it has sent in time is served before the call.
        """
        if peer is None:
            return self.delivery.outage.timer(seconds, call)
        return self.delivery.outage.timer(seconds, call, partial(peer.has_unread, self.seconds() + seconds))

    # What operators ask for

    @property
    def is_draining(self) -> bool:
        """Whether no new rooms are opened, because the daemon is to stop when the last match has ended."""
        return self._on_empty is not None

    def drain(self, on_empty: Callable[[], None]) -> None:
        """Open no more rooms, close those whose match has not begun, and call when the last room is gone."""
        self._on_empty = on_empty
        for room in list(self.rooms.values()):
            if not room.is_closed and (not room.history.was_started or room.table.outcome is not None):
                room.stop(Termination.SHUTDOWN)
        self.clock.callLater(0, self._look_if_empty)

    def _look_if_empty(self) -> None:
        if self._on_empty is not None and not self.rooms and self.running:
            self._on_empty()

    # What rooms ask for (gamed.lobby.room.RoomServices)

    @property
    def is_held(self) -> bool:
        """Whether nothing is read and no clock runs, because the disk takes nothing."""
        return self.delivery.outage.is_held

    def attend(self, room: Room) -> None:
        """Have a room's lines judged and its ended matches recorded, after its events have left."""
        if room.is_closed:
            self.reservations.expire(room)
            if self._waiting.get((room.history.kind, room.party)) is room:
                del self._waiting[room.history.kind, room.party]
        self.recorder.attend(room)

    def alarm(self, room: Room, finding: Finding) -> None:
        """Notify operators of a finding, if the listener's settings say so."""
        if getattr(self.settings[room.history.kind], "referee", "") == "warn":
            for call in self.alarms:
                call(room, finding)

    # The service

    def stopService(self) -> Deferred[Any]:
        """End all matches with the cause `shutdown`, and fire when their records are stored."""
        super().stopService()  # type: ignore[no-untyped-call]
        # Peers are connected to the end of the process, but the journal is not open so long.
        self._is_stopped = True
        for room in list(self.rooms.values()):
            room.stop(Termination.SHUTDOWN)
        # Before anything is forgotten: the journal takes no entries of a room that it has forgotten.
        self.delivery.stop()
        return self.recorder.stop()
