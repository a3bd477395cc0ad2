"""The daemon's side: runners with their rooms, entrances and leases.

A runner's rooms live with its connection, and `lease_seconds` beyond it. A program whose connection ends has left only
if its runner still answers: else the runner has ended, its programs with it, and none of them has lost.

Source: docs/topics/design.md#control.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from statistics import fmean
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredList, gatherResults
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IAddress, IDelayedCall, ILoggingContext, IProtocolFactory
from twisted.logger import Logger
from twisted.protocols.amp import AMP, Command
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.config import ControlConfig
from gamed.control import commands
from gamed.core.errors import GamedError, RoomError, UnknownRecord
from gamed.core.game import Options, Seat, Termination
from gamed.core.history import STARTED, History, Value, Word
from gamed.core.reception import Furnishes
from gamed.core.table import Step
from gamed.core.texts import timestamp
from gamed.lobby.lobby import Fixture, Lobby
from gamed.lobby.room import Room
from gamed.net.entrance import Entrance, Seating
from gamed.net.factory import SessionFactory
from gamed.net.game_listeners import GameListener
from gamed.net.transcript import Transcript
from gamed.records.own import to_history
from gamed.registry import GameType
from gamed.tournament.results import result_of, to_data

log = Logger()

MOST_WORDS: Final = 200
"""Characters of the reason why a program could not be started."""

MOST_TRANSCRIPTS: Final = 100
"""Games of one runner of which the last messages are kept until it sends evidence."""

_CLOSED: Final = Failure(ConnectionDone())


@define(eq=False)
class Runner:
    """What one runner has opened."""

    runners: Runners
    key: str
    control: Control | None = None
    """Its connection; None: it is away."""

    rooms: dict[str, Room] = field(factory=dict)
    """Its rooms whose games are not recorded yet, by their ids."""

    entrances: dict[int, Entrance] = field(factory=dict)
    withheld: set[str] = field(factory=set)
    """The ids of its games that the web does not show."""

    _unbegun: set[str] = field(factory=set)
    """The ids of the rooms of whose beginning it was not told."""

    _told: set[str] = field(factory=set)
    """The ids of the rooms of whose end it was told."""

    transcripts: dict[str, Sequence[Transcript]] = field(factory=dict)
    """The last messages of each seat, by the ids of games on whose programs it has not sent all evidence."""

    _waiting: list[tuple[Room, Seat, Callable[[Word], None]]] = field(factory=list)
    """Leavings that are judged when it is back."""

    _lease: IDelayedCall | None = None

    def tell(self, command: type[Command], **arguments: Any) -> None:
        """Send a command that has no answer, if the runner is there."""
        if self.control is not None:
            self.control.callRemote(command, **arguments)  # type: ignore[no-untyped-call]

    # The connection

    def came(self, control: Control) -> list[str]:
        """Take note that it is there, or back. Return the ids of its open rooms."""
        if self.control is not None:
            self.control.abort()
        if self._lease is not None and self._lease.active():
            self._lease.cancel()
        self.control = control
        waiting, self._waiting = self._waiting, []
        for leaving in waiting:
            self.testify(*leaving)
        return [room.id for room in self.rooms.values() if not room.is_closed]

    def gone(self, control: Control) -> None:
        """Take note that its connection is lost."""
        if self.control is control:
            self.control = None
            self._lease = self.runners.reactor.callLater(self.runners.config.lease_seconds, self.end)

    def end(self) -> None:
        """End its games, which count for nobody, and close its entrances."""
        if self._lease is not None and self._lease.active():
            self._lease.cancel()
        open_rooms = [room for room in self.rooms.values() if not room.is_closed]
        if open_rooms:
            log.warn("a runner has gone: games without a result: {count}", count=len(open_rooms))
        for room in open_rooms:
            room.stop(Termination.CANCELLED)
        self.close()
        self.disclose(self.withheld)
        self.rooms.clear()
        self._waiting.clear()
        self.runners.by_key.pop(self.key, None)

    def close(self) -> None:
        """Close the entrances."""
        for entrance in self.entrances.values():
            entrance.close()

    def testify(self, room: Room, seat: Seat, proceed: Callable[[Word], None]) -> None:
        """Go on with a leaving when the runner has said what became of the program; if it is away, when it is back."""
        if self.control is None:
            self._waiting.append((room, seat, proceed))
            return
        control = self.control
        asked: Any = control.callRemote(commands.Testify, room=room.id, seat=seat)  # type: ignore[no-untyped-call]
        answer = asked.addTimeout(self.runners.config.lease_seconds, self.runners.reactor)
        answer.addCallback(lambda said: word_of(said["word"]))
        answer.addCallbacks(proceed, self._not_answered, errbackArgs=(control, (room, seat, proceed)))

    def _not_answered(
        self, _failure: Failure, control: Control, leaving: tuple[Room, Seat, Callable[[Word], None]]
    ) -> None:
        self._waiting.append(leaving)
        control.abort()

    # Rooms

    def adopt(self, number: int, sessions: SessionFactory, descriptor: int) -> None:
        """Take a listening socket as an entrance. It lets nobody in yet."""
        given = socket.socket(fileno=descriptor)
        if number in self.entrances:
            self.entrances[number].close()
        entrance = self.entrances[number] = Entrance(sessions)
        given.settimeout(0)
        with given:
            entrance.port = self.runners.reactor.adoptStreamPort(given.fileno(), given.family, entrance)
        entrance.shut()

    def open(
        self,
        game: str,
        fixture: Fixture,
        options: Options,
        entrances: Sequence[tuple[int, str]],
        stale: Sequence[int] = (),
    ) -> list[str]:
        """Open a fixture's room, and its entrances. Return the reservation codes. Raises RoomError, StoreError.

        `entrances`: number and player's name of each seat. `stale`: see `commands.Open`.
        """
        named = *(number for number, _ in entrances), *stale
        unknown = next((number for number in named if number not in self.entrances), None)
        if unknown is not None:
            raise RoomError(f"there is no entrance {unknown}")
        lobby, reception = self.runners.lobby, self.runners.listener_of(game).entrance.reception
        room = lobby.open(game, options, fixture=fixture)
        if isinstance(reception, Furnishes):
            reception.furnish(room)
        used = [self.entrances[number] for number, _ in entrances]
        for number in stale:
            self.entrances[number].drain()
        self.rooms[room.id] = room
        self._unbegun.add(room.id)
        room.witness = self.testify
        reservations = [lobby.reservations.make(room, seat) for seat in range(len(used))]
        names = [name for _, name in entrances]
        transcripts = self.transcripts[room.id] = [Transcript(lambda: room.at) for _ in used]
        if len(self.transcripts) > MOST_TRANSCRIPTS:
            del self.transcripts[next(iter(self.transcripts))]
        Seating(room, used, reservations, names, transcripts, partial(self._seated, room.id)).begin()
        room.watchers += (self._watch,)
        return [reservation.code for reservation in reservations]

    def withhold(self, records: Iterable[str]) -> None:
        """Have the web show games to administrators only."""
        self.withheld.update(records)
        self.runners.lobby.withheld.update(records)

    def disclose(self, records: Iterable[str]) -> None:
        """Have the web show games."""
        self.runners.lobby.withheld.difference_update(records)
        self.withheld = self.withheld.difference(records)

    def _seated(self, room: str, seat: Seat) -> None:
        self.tell(commands.Seated, room=room, seat=seat)

    def _watch(self, room: Room, step: Step) -> None:
        if room.id in self._unbegun and any(entry.kind == STARTED for entry in step.journal):
            self._unbegun.discard(room.id)
            self.tell(commands.Begun, room=room.id)
        if step.closed:
            self._over(room.history)

    def _over(self, history: History) -> None:
        self._told.add(history.room)
        self._unbegun.discard(history.room)
        self.tell(commands.Ended, result=json.dumps(to_data(result_of(history))))

    def recorded(self, record: str) -> None:
        """Take note that a game is recorded."""
        room = self.rooms.pop(record, None)
        if room is not None:
            if record not in self._told:
                # A fault of the server has closed the room.
                self._over(room.history)
            self._told.discard(record)
            self.tell(commands.Recorded, room=record)


class Control(AMP):
    """One connection of a runner."""

    def __init__(self, runners: Runners) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._runners = runners
        self._runner: Runner | None = None

    @property
    def runner(self) -> Runner:
        """The runner. Raises RoomError if it has not said who it is."""
        if self._runner is None:
            raise RoomError("a runner begins with its key")
        return self._runner

    @commands.Begin.responder
    def begin(self, key: str) -> dict[str, Any]:
        """Answer `Begin`."""
        self._runner = self._runners.by_key.setdefault(key, Runner(self._runners, key))
        return {"rooms": self._runner.came(self)}

    @commands.Adopt.responder
    def adopt(self, entrance: int, game: str, socket: int) -> Deferred[dict[str, Any]]:
        """Answer `Adopt`."""
        runner, listener = self.runner, self._runners.listener_of(game)
        loaded = self._runners.in_thread(listener.load)
        loaded.addCallback(lambda _loaded: runner.adopt(entrance, listener.entrance, socket))
        return loaded.addCallback(lambda _adopted: {})

    @commands.Open.responder
    def open(self, fixture: str, entrances: list[int], stale: list[int]) -> dict[str, Any]:
        """Answer `Open`."""
        asked = json.loads(fixture)
        kept = Fixture(asked["id"], asked["seed"], len(entrances))
        numbered = list(zip(entrances, asked["names"], strict=True))
        return {"codes": self.runner.open(asked["game"], kept, asked["options"], numbered, stale)}

    @commands.Withhold.responder
    def withhold(self, rooms: list[str]) -> dict[str, Any]:
        """Answer `Withhold`."""
        self.runner.withhold(rooms)
        return {}

    @commands.Disclose.responder
    def disclose(self, rooms: list[str]) -> dict[str, Any]:
        """Answer `Disclose`."""
        self.runner.disclose(rooms)
        return {}

    @commands.Absent.responder
    def absent(self, room: str, seat: int, word: str) -> dict[str, Any]:
        """Answer `Absent`. A game that has begun meanwhile, or ended, goes on or stays as it is.

        If the program has sent what was refused, and has not crashed, that is why it has no seat.
        """
        found = self.runner.rooms.get(room)
        if found is not None and not found.is_closed and not found.history.was_started:
            said, was_refused = word_of(word), any(entry.seat == seat for entry in found.history.refused)
            why = Termination.REMOVED if was_refused and not said.get("status") else Termination.LEFT
            found.absent(seat, why, word={**said, "seated": False})
        return {}

    @commands.Void.responder
    def void(self, room: str) -> dict[str, Any]:
        """Answer `Void`."""
        found = self.runner.rooms.get(room)
        if found is not None and not found.is_closed:
            found.stop(Termination.CANCELLED)
        return {}

    @commands.Evidence.responder
    def evidence(self, room: str, seat: int, data: str) -> Deferred[dict[str, Any]]:
        """Answer `Evidence`."""
        now = self._runners.now()
        expires = timestamp(now + timedelta(days=self._runners.config.evidence_days))
        found = json.dumps(self._completed(room, seat, json.loads(data)), ensure_ascii=False)
        kept = self._runners.lobby.store.keep_evidence(room, seat, found, expires, timestamp(now))
        return kept.addCallback(lambda _kept: {})

    def _completed(self, room: str, seat: Seat, found: dict[str, Any]) -> dict[str, Any]:
        """Return evidence with what only the daemon knows: the last messages, and the match's time of each number.

        `opened`: the match's time 0, in milliseconds on the machine's monotonic clock.
        """
        transcripts, numbers = self.runner.transcripts.get(room, ()), found.pop("numbers", {})
        if seat == len(transcripts) - 1:
            # The evidence on the last seat comes last.
            del self.runner.transcripts[room]
        if seat >= len(transcripts):
            return found
        before = self._runners.milliseconds() - transcripts[seat].now()
        moved = {name: [[at - before, number] for at, number in series] for name, series in numbers.items()}
        return {**found, "opened": before, "numbers": moved, "messages": transcripts[seat].data()}

    @commands.Means.responder
    def means(self, rooms: list[str]) -> Deferred[dict[str, Any]]:
        """Answer `Means`."""
        now = timestamp(self._runners.now())
        looked = [self._runners.lobby.store.evidence(room, now).addCallback(means_of) for room in rooms]
        found: Any = gatherResults(looked, consumeErrors=True)
        return found.addCallback(lambda means: {"means": means})  # type: ignore[no-any-return]

    @commands.Scores.responder
    def scores(self, rooms: list[str]) -> Deferred[dict[str, Any]]:
        """Answer `Scores`. The games are replayed in a thread."""
        runners = self._runners
        scored = partial(runners.in_thread, scores_of, runners.lobby.game_types)
        looked = [runners.lobby.store.record(room).addCallback(scored) for room in rooms]
        found: Any = gatherResults(looked, consumeErrors=True)
        return found.addCallback(lambda scores: {"scores": scores})  # type: ignore[no-any-return]

    @commands.Results.responder
    def results(self, rooms: list[str]) -> Deferred[dict[str, Any]]:
        """Answer `Results`, when none of the games is on its way to the store."""
        return self._runners.settled(rooms).addCallback(lambda _settled: self._found(rooms))

    def _found(self, rooms: list[str]) -> Deferred[dict[str, Any]]:
        found: list[str] = []
        store = self._runners.lobby.store
        looked = [store.record(room).addCallbacks(partial(_add, found), _is_missing) for room in rooms]
        return DeferredList(looked, fireOnOneErrback=True, consumeErrors=True).addCallback(
            lambda _found: {"results": found}
        )

    def abort(self) -> None:
        """Close the connection."""
        transport: Any = self.transport
        transport.abortConnection()

    def connectionLost(self, reason: Failure = _CLOSED) -> None:
        """Take note that the runner is away."""
        super().connectionLost(reason)  # type: ignore[no-untyped-call]
        if self._runner is not None:
            self._runner.gone(self)


def word_of(text: str) -> Word:
    """Return what a runner says of a program, as far as a record has it."""
    said = json.loads(text)
    numbers = {name: said[name] for name in ("status", "cpu", "memory") if isinstance(said.get(name), int)}
    flags: dict[str, Value] = {"running": True} if said.get("running") else {}
    return {**numbers, **flags, **({"failed": str(said["failed"])[:MOST_WORDS]} if said.get("failed") else {})}


def means_of(found: Mapping[Seat, str]) -> str:
    """Return the means of what each program has told of itself, by seat and name, as JSON."""
    numbers = {seat: json.loads(data).get("numbers", {}) for seat, data in found.items()}
    return json.dumps(
        {
            seat: {name: fmean(number for _, number in series) for name, series in told.items()}
            for seat, told in numbers.items()
        }
    )


def scores_of(game_types: Mapping[str, GameType], record: Any) -> str:
    """Return the scores of a recorded game as JSON; {} if it has none, or cannot be replayed."""
    with suppress(GamedError):
        history = to_history(record)
        made = game_types.get(history.kind)
        if made is not None and made.scores is not None:
            return json.dumps(made.scores(history))
    return "{}"


def _add(found: list[str], record: Any) -> None:
    found.append(json.dumps(to_data(result_of(to_history(record)))))


def _is_missing(failure: Failure) -> None:
    failure.trap(UnknownRecord)


@implementer(IProtocolFactory, ILoggingContext)
@define(eq=False)
class Runners:
    """All runners. It makes their connections."""

    lobby: Lobby
    listeners: Mapping[str, GameListener]
    """What serves the peers of each game."""

    in_thread: Callable[..., Deferred[Any]]
    reactor: Any
    config: ControlConfig
    now: Callable[[], datetime] = field(default=partial(datetime.now, UTC))
    milliseconds: Callable[[], int] = field(default=lambda: int(time.monotonic() * 1000))
    """The clock that the runners have, too."""

    by_key: dict[str, Runner] = field(factory=dict)
    _unsettled: list[tuple[set[str], Deferred[None]]] = field(factory=list)
    """Games that are on their way to the store, and what fires when all of them are recorded."""

    def doStart(self) -> None:
        """Follow the records."""
        for each in self.listeners.values():
            each.entrance.doStart()
        self.lobby.record_writer.on_recorded.append(self._recorded)

    def doStop(self) -> None:
        """Close the entrances. The lobby ends the games."""
        for each in self.listeners.values():
            each.entrance.doStop()
        for runner in self.by_key.values():
            runner.close()

    def logPrefix(self) -> str:
        """Return its name, for logs."""
        return "control"

    def buildProtocol(self, _address: IAddress) -> Control:
        """Return a connection."""
        return Control(self)

    def _recorded(self, record: str) -> None:
        for runner in list(self.by_key.values()):
            runner.recorded(record)
        for records, settled in self._unsettled[:]:
            records.discard(record)
            if not records:
                self._unsettled.remove((records, settled))
                settled.callback(None)

    def settled(self, records: Iterable[str]) -> Deferred[None]:
        """Fire when none of some games is running, or on its way to the store."""
        settled: Deferred[None] = Deferred()
        waited = {record for record in records if self.lobby.recorder.is_on_its_way(record)}
        if waited:
            self._unsettled.append((waited, settled))
        else:
            settled.callback(None)
        return settled

    def listener_of(self, game: str) -> GameListener:
        """Return what serves the peers of a game. Raises RoomError if there is no such game."""
        if game not in self.listeners:
            raise RoomError(f"there is no game {game}; there are {', '.join(self.listeners)}")
        return self.listeners[game]
