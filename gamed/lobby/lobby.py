"""The lobby: it opens rooms, pairs peers, and has each ended match recorded.

It joins the parts that do the work: `Delivery` journals and sends, `MatchRecorder` judges and records, `RecordWriter`
stores.

Source: docs/topics/design.md#the-journal.
"""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from attrs import define, evolve, field, fields, frozen
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.core.errors import DiskError, RoomError, StoreError
from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import MOST_MOVES, OPENING_PLIES, Options, Termination
from gamed.core.history import History
from gamed.core.lots import Seeded
from gamed.core.peer import Party, Peer
from gamed.core.reception import check_wanted, reserved, suits
from gamed.core.refusals import Refusal
from gamed.core.stats import Stats
from gamed.core.table import Outlasts
from gamed.core.texts import UUID, timestamp
from gamed.lobby.delivery import Delivery
from gamed.lobby.dispatch import Dispatch
from gamed.lobby.logins import Logins
from gamed.lobby.match_recorder import MatchRecorder
from gamed.lobby.outage import Timer
from gamed.lobby.record_writer import RecordWriter
from gamed.lobby.refusals import RefusalLog
from gamed.lobby.reservations import ReservationBook
from gamed.lobby.room import Room
from gamed.process.audit import say
from gamed.records.own import to_history
from gamed.records.record import RecordError
from gamed.registry import GameType
from gamed.store import Journal, Store

log = Logger()

_BRIEF: Final = re.compile(r"\S{1,40}")


def _is_logged(name: str, value: str | int | bool) -> bool:  # noqa: FBT001 (what options have)
    """Whether an option is short and not secret. A board is long, and the cards can be computed from a seed."""
    return name != "seed" and _BRIEF.fullmatch(str(value)) is not None


def _never() -> float:
    return 0.0


@frozen
class Fixture:
    """What is fixed of a room that is opened for certain players. It is recorded whether or not they come."""

    id: str
    """The id of the room and of its record: a UUID."""

    seed: int
    """The seed of the match's random generators, from 0 to 2**63 - 1."""

    players: int = 2


@define(eq=False)
class Lobby(Service):
    """The room service."""

    game_types: Mapping[str, GameType]

    settings: dict[str, Any]
    """The settings of each game's listener."""

    journal: Journal
    store: Store
    clock: IReactorTime
    """The reactor's timers."""

    seconds: Callable[[], float]
    """The clock of all rooms: monotonic, and stopped while games are held."""

    held: Callable[[], float] = _never
    """Returns for how many seconds it has been stopped so far."""

    stats: Stats = field(factory=Stats)
    after_reads: Callable[[Callable[[], object]], object] | None = None
    """Calls a function after the present pass of the reactor has read all ready sockets; None: use the next turn."""

    delivery: Delivery = field(init=False)
    perform: Callable[[Dispatch], None] = field(init=False)
    """`delivery.perform`, which rooms call for each step."""

    record_writer: RecordWriter = field(init=False)
    recorder: MatchRecorder = field(init=False)
    logins: Logins = field(init=False)
    rooms: dict[str, Room] = field(factory=dict)
    withheld: set[str] = field(factory=set)
    """The ids of rooms and records that the web shows to administrators only: they would tell what chance will do in a
    game that runs."""

    reservations: ReservationBook = field(factory=ReservationBook)
    refusals: RefusalLog = field(init=False)
    alarms: list[Callable[[Room, Finding], None]] = field(factory=list)
    """Called with a finding if the listener's settings say so."""

    finding_watchers: list[Callable[[Room, Finding], None]] = field(factory=list)
    """Called with each finding."""

    _waiting: dict[tuple[str, Party | None], Room] = field(factory=dict)
    _on_empty: Callable[[], None] | None = None

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
        """Raise StoreError if a new game could not be journalled or stored."""
        self.delivery.outage.check()
        self.record_writer.check()

    def _finished(self, room: Room) -> None:
        """Forget a closed room, whose matches are recorded. While draining, stop a room that could play another."""
        if room.is_closed:
            del self.rooms[room.id]
            self._look_if_empty()
        elif self.is_draining:
            room.stop(Termination.SHUTDOWN)

    # For receptions (gamed.core.reception.LobbyServices)

    def arrive(self, kind: str, peer: Peer) -> None:
        """Seat a peer with the one that has waited longest, or in a new room.

        Raises StoreError if no room can be opened, and RoomError if the room that it asks for has no free seat.
        """
        self._check_storage()
        kept = reserved(peer)
        if kept is not None:
            kept.room.join(peer, kept.seat)
            return
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

    def open(
        self, kind: str, options: Options | None = None, party: Party | None = None, fixture: Fixture | None = None
    ) -> Room:
        """Open a room. Options that are not given are those of the settings. Raises StoreError, RoomError."""
        if self.is_draining:
            raise RoomError("no new games: the daemon finishes the running ones, and stops then")
        if self.delivery.is_stopped:
            # Peers stay connected until the process ends, but the journal is closed before.
            raise RoomError("no new games: the daemon stops")
        self._check_storage()
        settings = self.settings[kind]
        game_type = self.game_types[kind]
        chosen = game_type.options(settings)
        if fixture is not None:
            options = {**dict.fromkeys(game_type.count_options, fixture.players), **(options or {})}
            self._check_fixture(kind, fixture, options, {**chosen, **game_type.room_options})
        history = self.history(kind, {**chosen, **options} if options else chosen, fixture)
        opened_at = self.seconds()
        table = game_type.table(settings, history.options, Seeded(history.seed), opened_at)
        if fixture is not None and isinstance(table, Outlasts):
            table.is_single = True
        # Nobody belongs to a fixture's party: whoever has no reservation is seated elsewhere.
        party = Party(fixture.players) if fixture is not None else party
        room = Room(history.room, history, table, opened_at, self, settings.stuck_seconds, party)
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

    def _check_fixture(self, kind: str, fixture: Fixture, options: Options, chosen: Options) -> None:
        """Raise RoomError if a fixture's room cannot be opened. `chosen`: all options of the game."""
        if not UUID.fullmatch(fixture.id):
            raise RoomError(f"{fixture.id[:64]!r} is not a UUID in lower case")
        if self.recorder.is_on_its_way(fixture.id):
            raise RoomError(f"there is a room {fixture.id} already")
        if not 0 <= fixture.seed < 2**63:
            raise RoomError(f"the seed {fixture.seed} is not from 0 to 2**63 - 1")
        for name, value in options.items():
            if name not in chosen:
                raise RoomError(f"the game has no option {name!r}; it has {', '.join(sorted(chosen))}")
            if type(value) is not type(chosen[name]):
                raise RoomError(f"the option {name} must be like {chosen[name]!r}, not {value!r}")
            if name.endswith(("_milliseconds", MOST_MOVES, OPENING_PLIES)) and int(value) < 1:
                raise RoomError(f"the option {name} must be at least 1, not {value}")
        settings = self.settings[kind]
        keys = {key.name for key in fields(type(settings))}
        try:
            evolve(settings, **{name: value for name, value in options.items() if name in keys})
        except ValueError as error:
            # attrs puts the validator and its attribute behind the sentence.
            raise RoomError(f"an option cannot have this value: {error.args[0]}") from error

    def history(self, kind: str, options: Options, fixture: Fixture | None = None) -> History:
        """Return a new history for a match that begins now."""
        room, seed = (str(uuid.uuid4()), random.getrandbits(63)) if fixture is None else (fixture.id, fixture.seed)
        return History(room, kind, timestamp(datetime.now(UTC)), seed, options, is_fixture=fixture is not None)

    def room(self, room: str) -> Room | None:
        """Return the room with an id, if it is open."""
        found = self.rooms.get(room)
        return None if found is None or found.is_closed else found

    def rooms_of(self, kind: str) -> Iterable[Room]:
        """Return the open rooms of a game, the oldest first."""
        return [room for room in self.rooms.values() if room.history.kind == kind and not room.is_closed]

    def send(self, peer: Peer, event: Event) -> None:
        """Send an event, after those that were sent before."""
        self.perform(Dispatch(events=[(peer, event)]))

    def dismiss(self, peer: Peer) -> None:
        """Disconnect a peer, after the events that were sent before. Its further input is discarded."""
        peer.mute()
        self.perform(Dispatch(dismissed=[peer]))

    def refused(self, peer: Peer, refusal: Refusal) -> None:
        """Note for developers why a message of a peer had no effect, or cost it its connection."""
        self.refusals.note(peer, refusal)

    def note(self, peer: Peer, sentence: str) -> None:
        """Log a sentence about a peer."""
        log.info("{sentence}: peer={peer}", sentence=sentence, peer=peer.name)

    def audit(self, peer: Peer, did: str, result: str) -> None:
        """Write to the audit log what an administrator did. One without a name has the listener's."""
        user = ascii(peer.own_name or peer.listener)[1:-1]
        say(f"user={user} from={peer.listener} {peer.name.rpartition('@')[2]}", did, result)

    def recorded(self, record: str, call: Callable[[History | None], None]) -> None:
        """Look up a record of gamed's own by its id, and call with its history, or with None."""
        found = self.store.record(record).addCallback(to_history)
        found.addErrback(self._not_found, record).addCallback(call)
        found.addErrback(lambda failure: log.failure("server fault: record={record}", failure=failure, record=record))

    def _not_found(self, failure: Failure, record: str) -> None:
        failure.trap(StoreError, RecordError)
        log.info("no record={record}: {error}", record=record, error=failure.value)

    def after(self, seconds: float, call: Callable[[], None], peer: Peer | None = None) -> Timer:
        """Call a function later. The returned object's `cancel` prevents it.

        `peer`: the peer that has this time. If it has sent something in time, that is served before the call.
        """
        if peer is None:
            return self.delivery.outage.timer(seconds, call)
        return self.delivery.outage.timer(seconds, call, partial(peer.has_unread, self.seconds() + seconds))

    # For operators

    @property
    def is_draining(self) -> bool:
        """Whether no new rooms are opened, because the daemon is to stop when the last match has ended."""
        return self._on_empty is not None

    def drain(self, on_empty: Callable[[], None]) -> None:
        """Open no more rooms, close those without a running match, and call a function when the last one is closed."""
        self._on_empty = on_empty
        for room in list(self.rooms.values()):
            if not room.is_closed and (not room.history.was_started or room.table.outcome is not None):
                room.stop(Termination.SHUTDOWN)
        self.clock.callLater(0, self._look_if_empty)

    def _look_if_empty(self) -> None:
        if self._on_empty is not None and not self.rooms and self.running:
            self._on_empty()

    # For rooms (gamed.lobby.room.RoomServices)

    @property
    def is_held(self) -> bool:
        """Whether nothing is read and no clock runs, because the disk refuses the journal."""
        return self.delivery.outage.is_held

    def attend(self, room: Room) -> None:
        """Have a room's lines judged and its ended matches recorded, after its events have left."""
        if room.is_closed:
            self.reservations.expire(room)
            if self._waiting.get((room.history.kind, room.party)) is room:
                del self._waiting[room.history.kind, room.party]
        self.recorder.attend(room)

    def alarm(self, room: Room, finding: Finding) -> None:
        """Notify operators of a finding: those who watch, and all of them if the listener's settings say so."""
        is_alarm = getattr(self.settings[room.history.kind], "referee", "") == "warn"
        for call in [*self.finding_watchers, *(self.alarms if is_alarm else ())]:
            # An exception here must not reach the room.
            with log.failureHandler("cannot show a finding"):
                call(room, finding)

    # The service

    def stopService(self) -> Deferred[Any]:
        """End all matches with the cause `shutdown`, and fire when their records are stored."""
        super().stopService()  # type: ignore[no-untyped-call]
        for room in list(self.rooms.values()):
            room.stop(Termination.SHUTDOWN)
        # This must precede `recorder.stop`, after which the journal forgets rooms and takes no more entries of them.
        self.delivery.stop()
        return self.recorder.stop()
