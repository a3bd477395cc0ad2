"""The lobby: it opens rooms, pairs who waits, and sees to it that each ended match becomes a record.

Source: docs/topics/design.md#the-journal; docs/reference/battleship.md#order for the pairing: first come, first served.
"""

from __future__ import annotations

import random
import re
import secrets
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from random import Random
from time import perf_counter
from typing import Any, Final

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.audit import say
from gamed.errors import DiskError, RoomError, StoreError
from gamed.events import Event
from gamed.findings import Finding
from gamed.game import Options, Termination
from gamed.history import History
from gamed.lobby.keeper import Keeper
from gamed.lobby.logins import Logins
from gamed.lobby.outage import Outage, Timer
from gamed.lobby.refusals import RefusalLog
from gamed.lobby.reservations import ReservationBook
from gamed.lobby.room import Dispatch, Room
from gamed.peer import Party, Peer
from gamed.reception import check_wanted, suits
from gamed.records.own import PORTION, summarize, to_history, writing
from gamed.records.record import RecordError
from gamed.refusals import Refusal
from gamed.registry import GameType
from gamed.store import Journal, Store
from gamed.table import Judged
from gamed.tally import Tally

log = Logger()

AFTERWARDS = 0.25
"""Seconds after which lines are judged and ended matches recorded: together they cost less than each alone."""


_BRIEF: Final = re.compile(r"\S{1,40}")


def _is_logged(name: str, value: str | int | bool) -> bool:  # noqa: FBT001 (what options have)
    """Whether an option is short and not secret: a board is long, and a seed tells the cards."""
    return name != "seed" and _BRIEF.fullmatch(str(value)) is not None


def _never() -> float:
    return 0.0


@define(eq=False)
class Lobby(Service):
    """The room service. `settings`: each listener's, by the game's kind.

    `seconds`: the clock that all moments are told by, monotonic, and stopped while games are held; `held`: for how long
    it was stopped so far.
    `on_full`: what becomes of running games when the disk takes no more: "pause" holds them, "end" ends all of them.
    `replays`: by the game's kind, what writes its ended games as another program's files.
    """

    game_types: Mapping[str, GameType]
    settings: dict[str, Any]
    journal: Journal
    store: Store
    clock: IReactorTime
    seconds: Callable[[], float]
    held: Callable[[], float] = _never
    tally: Tally = field(factory=Tally)
    on_full: str = "pause"
    outage: Outage = field(init=False)
    keeper: Keeper = field(init=False)
    logins: Logins = field(init=False)
    rooms: dict[str, Room] = field(factory=dict)
    reservations: ReservationBook = field(factory=ReservationBook)
    refusals: RefusalLog = field(init=False)
    alarms: list[Callable[[Room, Finding], None]] = field(factory=list)
    replays: dict[str, Callable[[History], None]] = field(factory=dict)
    _waiting: dict[tuple[str, Party | None], Room] = field(factory=dict)
    _dispatches: list[Dispatch] = field(factory=list)
    _afterwards: dict[str, Room] = field(factory=dict)
    _portions: Iterator[None] | None = None
    _on_empty: Callable[[], None] | None = None

    def __attrs_post_init__(self) -> None:
        self.outage = Outage(self.clock, self.tally, self._try_again)
        self.refusals = RefusalLog(self.clock, self.tally, self.reservations.is_code)
        self.keeper = Keeper(self.store, self.journal, self.clock, self.tally)
        self.logins = Logins(self.clock.seconds, self.tally)

    # What receptions ask for (gamed.reception.Host)

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
        self._check_storage()
        settings = self.settings[kind]
        game_type = self.game_types[kind]
        history = self.history(kind, {**game_type.options(settings), **(options or {})})
        table = game_type.table(settings, history.options, partial(Random, history.seed), self.seconds())
        room = Room(history.room, history, table, self, settings.stuck_seconds, party)
        try:
            room.open()
        except DiskError as error:
            self._refused(error)
            raise
        self.rooms[room.id] = room
        self.tally.opened[kind] += 1
        shown = "".join(f" {name}={value}" for name, value in history.options.items() if _is_logged(name, value))
        log.info("opened: room={room} game={game}{options}", room=room.id, game=kind, options=shown)
        return room

    def history(self, kind: str, options: Options) -> History:
        """Return a fresh history for a match that begins now."""
        started = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return History(str(uuid.uuid4()), kind, started, random.getrandbits(63), options)

    def room(self, room: str) -> Room | None:
        """Return the room with an id, if it is open."""
        found = self.rooms.get(room)
        return None if found is None or found.is_closed else found

    def rooms_of(self, kind: str) -> Iterable[Room]:
        """Return the open rooms of a game, the oldest first."""
        return [room for room in self.rooms.values() if room.history.kind == kind and not room.is_closed]

    def tell(self, peer: Peer, event: Event) -> None:
        """Send a letter, after those that were written before it."""
        self.perform(Dispatch(letters=[(peer, event)]))

    def dismiss(self, peer: Peer) -> None:
        """Let a peer go, after the letters that were written before; nothing more is taken from it."""
        peer.mute()
        self.perform(Dispatch(dismissed=[peer]))

    def refused(self, peer: Peer, refusal: Refusal) -> None:
        """Have developers learn why something that a peer did had no effect, or cost it its connection."""
        self.refusals.note(peer, refusal)

    def note(self, peer: Peer, sentence: str) -> None:
        """Tell the log of a peer."""
        log.info("{sentence}: peer={peer}", sentence=sentence, peer=peer.name)

    def audit(self, peer: Peer, did: str, result: str) -> None:
        """Note in the audit log what an administrator did; without a name of its own, the listener's stands for it."""
        user = ascii(peer.own_name or peer.listener)[1:-1]
        say(f"user={user} from={peer.listener} {peer.name.rpartition('@')[2]}", did, result)

    def password(self, section: str, configured: str) -> str:
        """Return the configured password, or a random one, which the log then tells of: no default password works."""
        if configured:
            return configured
        made = secrets.token_urlsafe(12)
        log.warn("[{section}] has no password; until the daemon stops it is {password}", section=section, password=made)
        return made

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
            return self.outage.timer(seconds, call)
        return self.outage.timer(seconds, call, partial(peer.has_unread, self.seconds() + seconds))

    # What operators ask for

    @property
    def is_draining(self) -> bool:
        """Whether no new rooms are opened any more."""
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

    # What rooms ask for

    def perform(self, dispatch: Dispatch) -> None:
        """Journal entries with all others of this turn of the reactor, and have the letters delivered then."""
        if not self._dispatches:
            self.clock.callLater(0, self.perform_all)
        self._dispatches.append(dispatch)

    def perform_all(self) -> None:
        """Write what is to be journalled, and let the letters leave: at once, or when it is on the disk."""
        dispatches, self._dispatches = self._dispatches, []
        began = perf_counter()
        try:
            position = self.journal.append([(dispatch.journal_room, dispatch.entries) for dispatch in dispatches])
        except DiskError as error:
            self._refused(error)
            if self.on_full == "pause" and self.running:
                self._dispatches = dispatches
                self.outage.hold()
            else:
                self._end_all(dispatches)
            return
        except StoreError:
            self.tally.append_errors += 1
            failure = Failure()
            for room in _rooms(dispatches):
                room.fail(failure)
            _let_go(dispatches)
            return
        self.tally.appends.observe(perf_counter() - began)
        self._taken()
        self.journal.when_synced(position, partial(self._deliver, dispatches))

    # What becomes of all that when the disk takes nothing

    @property
    def is_held(self) -> bool:
        """Whether nothing is read and no clock runs, because the disk takes nothing."""
        return self.outage.is_held

    def _end_all(self, dispatches: Iterable[Dispatch] = ()) -> None:
        """End all running games, and those rooms whose letters cannot leave: nothing of it is in the journal."""
        running = [room for room in self.rooms.values() if room.history.was_started and room.table.outcome is None]
        if running:
            log.warn("all games are ended: games={games}", games=len(running))
        for room in dict.fromkeys([*running, *_rooms(dispatches)]):
            room.cut_off()
        _let_go(dispatches)

    def _check_storage(self) -> None:
        if self.outage.reason:
            self.outage.turned_away += 1
            raise StoreError(f"no new games: {self.outage.reason}")
        self.keeper.check()

    def _refused(self, error: DiskError) -> None:
        self.tally.append_errors += 1
        self.outage.begin(str(error))

    def sync_failed(self) -> None:
        """Take note that the journal cannot be synced; with durability "disk" no letter leaves until it can."""
        if self.journal.failed is None or not self.running:
            return
        self.outage.begin(f"the journal cannot be synced: {self.journal.failed}")
        if self.journal.durability != "disk":
            return
        if self.on_full == "pause":
            self.outage.hold()
        else:
            self._end_all()

    def _try_again(self) -> None:
        if not self.running:
            self.outage.end()
        elif self._dispatches and self.is_held:
            self.perform_all()
        elif self.journal.failed is None:
            try:
                self.journal.probe()
            except DiskError:
                self.tally.append_errors += 1
            else:
                self._taken()

    def _taken(self) -> None:
        if self.outage.reason and self.journal.failed is None:
            self.outage.end()

    def _deliver(self, dispatches: list[Dispatch]) -> None:
        _deliver_all(dispatches)
        now = perf_counter()
        for dispatch in dispatches:
            if dispatch.entries:
                self.tally.latency.observe(now - dispatch.began)

    def attend(self, room: Room) -> None:
        """Have a room's lines judged and its ended matches recorded, when its letters have left."""
        if room.is_closed:
            self.reservations.expire(room)
            if self._waiting.get((room.history.kind, room.party)) is room:
                del self._waiting[room.history.kind, room.party]
        self._afterwards[room.id] = room
        self._attend_later()

    def alarm(self, room: Room, finding: Finding) -> None:
        """Have operators told of a finding, where the listener's settings say so."""
        if getattr(self.settings[room.history.kind], "referee", "") == "warn":
            for call in self.alarms:
                call(room, finding)

    def _attend_later(self) -> None:
        if self._afterwards and self._portions is None:
            self._portions = self._attending()
            self.clock.callLater(AFTERWARDS, self._attend_next)

    def _attend_next(self) -> None:
        # A portion a turn of the reactor, so that no move waits for more than that.
        if self._portions is None:
            return
        has_more = False
        try:
            for _ in self._portions:
                has_more = True
                break
        finally:
            if has_more:
                self.clock.callLater(0, self._attend_next)
            else:
                self._portions = None
                self._attend_later()

    def _attending(self) -> Iterator[None]:
        """See to all who wait, in portions; what they made is stored at the end."""
        rooms = deque(self._afterwards.values())
        self._afterwards.clear()
        while rooms:
            try:
                yield from self._seeing_to(rooms.popleft())
            except Exception:  # noqa: BLE001 (a fault in one room costs the others nothing)
                log.failure("server fault: a room cannot be seen to")
            yield
        self.keeper.keep()

    def _seeing_to(self, room: Room) -> Iterator[None]:
        if room.ended or room.is_closed:
            entries = room.history.entries[:]
            yield from self._settling(room)
            del room
            # Even to be freed, a hundred thousand entries take a while.
            while len(entries) > PORTION:
                del entries[-5 * PORTION :]
                yield
        elif room.review():
            self.attend(room)

    def _settling(self, room: Room) -> Iterator[None]:
        """Judge the rest, make records of what has ended, and forget the room if it is closed: all in portions.

        A match stays with its room until the record is made, so that it can be begun anew when the daemon stops.
        """
        if room.id not in self.rooms:
            return
        while room.review():
            yield
        histories = []
        while room.ended:
            history, judged = room.ended[0].history, room.ended[0].judged
            try:
                if history.was_started:
                    yield from self._recording(history, judged)
                else:
                    self.journal.forget(history.room)
            except Exception:  # noqa: BLE001 (the room is to be forgotten all the same; the journal has the match)
                log.failure("server fault: record={record}", record=history.room)
            histories.append(history)
            del room.ended[0]
        if self.is_draining and histories and not room.is_closed:
            # A room that goes on to its next match would never be done.
            room.stop(Termination.SHUTDOWN)
            return
        if room.is_closed:
            del self.rooms[room.id]
            if all(history is not room.history for history in histories) and room.history.outcome is None:
                # It was never begun.
                self.journal.forget(room.history.room)
            self._look_if_empty()

    # Records

    def record(self, history: History, judged: Judged) -> None:
        """Make the record of an ended match; the keeper stores it."""
        for _ in self._recording(history, judged):
            pass

    def _recording(self, history: History, judged: Judged) -> Iterator[None]:
        game_type = self.game_types[history.kind]
        names = {"publisher": game_type.publisher, "version": game_type.version}
        record = yield from writing(history, **names, findings=judged.findings, unjudged=judged.unjudged)
        if len(history.entries) > PORTION:
            yield
        self.keeper.add(record, summarize(history, **names))
        if history.kind in self.replays:
            self.replays[history.kind](history)

    @property
    def unstored(self) -> int:
        """How many ended games are not stored yet."""
        return self.keeper.unstored

    def is_on_its_way(self, record: str) -> bool:
        """Whether a match is played, or has ended and is not stored yet."""
        return record in self.keeper or any(
            record in (room.history.room, *(match.history.room for match in room.ended)) for room in self.rooms.values()
        )

    # The service

    def stopService(self) -> Deferred[Any]:
        """End all matches with the cause `shutdown`, and fire when their records are stored."""
        super().stopService()  # type: ignore[no-untyped-call]
        rooms = list(self.rooms.values())
        for room in rooms:
            room.stop(Termination.SHUTDOWN)
        # Before anything is forgotten: the journal takes no entries of a room that it has forgotten.
        self.perform_all()
        # Whatever was under way is begun anew, and done at once.
        self._portions = None
        for room in rooms:
            for _ in self._settling(room):
                pass
        return self.keeper.stop()


def _rooms(dispatches: Iterable[Dispatch]) -> Iterable[Room]:
    return dict.fromkeys(dispatch.room for dispatch in dispatches if dispatch.room is not None)


def _let_go(dispatches: Iterable[Dispatch]) -> None:
    """Let the peers go whose rooms are closed, and send what does not come from a room."""
    for peer in dict.fromkeys(peer for dispatch in dispatches for peer in dispatch.released):
        peer.close()
    _deliver_all([dispatch for dispatch in dispatches if dispatch.room is None])


def _deliver_all(dispatches: Iterable[Dispatch]) -> None:
    peers: dict[Peer, None] = {}
    timed: dict[Room, int] = {}
    for dispatch in dispatches:
        for peer, event in dispatch.letters:
            peers[peer] = None
            _deliver(dispatch.room, peer, event)
        for peer in dispatch.released:
            _safely(peer, peer.released, dispatch.room)
        for peer in dispatch.dismissed:
            _safely(peer, peer.close)
        room = dispatch.room
        if room is not None and not room.table.forwards:
            timed[room] = timed.get(room, 0) + 1
    # What a turn has for a peer leaves as one: an answer and the shot after it cost one system call.
    for peer in peers:
        _safely(peer, peer.flush)
    for room, steps in timed.items():
        room.delivered(steps)


def _deliver(room: Room | None, peer: Peer, event: Event) -> None:
    try:
        peer.deliver(event)
    except Exception:  # noqa: BLE001 (a letter that cannot be written is a fault of ours)
        if room is not None:
            room.fail(Failure())
        else:
            log.failure("cannot write a letter: peer={peer}", peer=peer.name)
            peer.close()


def _safely(peer: Peer, do: Callable[..., None], *arguments: Any) -> None:
    try:
        do(*arguments)
    except Exception:  # noqa: BLE001 (whatever it is, the others get their letters)
        log.failure("cannot send: peer={peer}", peer=peer.name)
        peer.close()
