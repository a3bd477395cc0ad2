"""Work that follows a match's moves: forwarded lines are judged, and ended matches become records.

None of this may delay a move. So it begins a quarter of a second later and is done in chunks, one a reactor turn. A
match stays in its room until its record is complete. If the daemon stops before that, the record is made again from the
beginning, without pauses.

Source: docs/topics/design.md#the-journal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import define, evolve, field
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Cooperator, SchedulerStopped
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.core.history import History
from gamed.core.table import Judged
from gamed.lobby.record_writer import RecordWriter
from gamed.lobby.room import Room
from gamed.process.fairness import one_a_turn
from gamed.records.own import PORTION, summarize, writing
from gamed.registry import GameType
from gamed.store import Journal

log = Logger()

AFTERWARDS = 0.25
"""Seconds until lines are judged and ended matches recorded. To do several together costs less than one by one."""


@define(eq=False)
class MatchRecorder:
    """Judges lines and makes records, which `record_writer` stores."""

    game_types: Mapping[str, GameType]
    journal: Journal
    record_writer: RecordWriter
    clock: IReactorTime

    rooms: Mapping[str, Room]
    """The lobby's rooms, by their ids. A room that is not in it has been finished."""

    on_finished: Callable[[Room], None]
    """Called with a room whose ended matches are all recorded."""

    replays: dict[str, Callable[[History], None]] = field(factory=dict)
    """For games whose matches are also written as another program's files: what writes them."""

    _attended: dict[str, Room] = field(factory=dict)
    """The rooms with lines to judge or matches to record, by their ids."""

    _is_attending: bool = False
    """Whether the work is being done, or scheduled."""

    _cooperator: Cooperator = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._cooperator = one_a_turn(self.clock)

    def attend(self, room: Room) -> None:
        """Have a room's lines judged and its ended matches recorded, after its events have left."""
        self._attended[room.id] = room
        self._start_later()

    def _start_later(self) -> None:
        if self._attended and not self._is_attending:
            self._is_attending = True
            self.clock.callLater(AFTERWARDS, self._start)

    def _start(self) -> None:
        self._cooperator.cooperate(self._attending()).whenDone().addBoth(self._done)

    def _done(self, result: Any) -> None:
        if isinstance(result, Failure):
            if result.check(SchedulerStopped):
                # `stop` does the rest.
                return
            log.failure("server fault: records cannot be stored", failure=result)
        self._is_attending = False
        self._start_later()

    def _attending(self) -> Iterator[None]:
        """Attend to all rooms that wait, in chunks, and then store their records together."""
        rooms = deque(self._attended.values())
        self._attended.clear()
        while rooms:
            try:
                yield from self._attending_to(rooms.popleft())
            except Exception:  # noqa: BLE001 (a fault in one room costs the others nothing)
                log.failure("server fault: a room's matches cannot be judged or recorded")
            yield
        self.record_writer.keep()

    def _attending_to(self, room: Room) -> Iterator[None]:
        if room.ended or room.is_closed:
            entries = room.history.entries[:]
            yield from self._finishing(room)
            del room
            # Freeing a hundred thousand entries takes too long for one turn, too.
            while len(entries) > PORTION:
                del entries[-5 * PORTION :]
                yield
        elif room.review():
            self.attend(room)

    def _finishing(self, room: Room) -> Iterator[None]:
        """Judge the remaining lines, and record the ended matches."""
        if room.id not in self.rooms:
            return
        while room.review():
            yield
        last = None
        while room.ended:
            last = room.ended[0].history
            try:
                if last.is_recorded:
                    yield from self._recording(last, room.ended[0].judged, room.ended[0].owners)
                else:
                    self.journal.forget(last.room)
            except Exception:  # noqa: BLE001 (the lobby forgets the room nevertheless; the journal has the match)
                log.failure("server fault: record={record}", record=last.room)
            room.ended = room.ended[1:]
        if room.is_closed and last is not room.history and room.history.outcome is None:
            # The room's next match did not begin.
            self.journal.forget(room.history.room)
        self.on_finished(room)

    # Records

    def record(self, history: History, judged: Judged) -> None:
        """Make the record of an ended match, without pauses."""
        for _ in self._recording(history, judged):
            pass

    def _recording(self, history: History, judged: Judged, owners: frozenset[str] = frozenset()) -> Iterator[None]:
        game_type = self.game_types[history.kind]
        names = {"publisher": game_type.publisher, "version": game_type.version}
        record = yield from writing(history, **names, findings=judged.findings, unjudged=judged.unjudged)
        if len(history.entries) > PORTION:
            yield
        self.record_writer.add(record, evolve(summarize(history, **names), owners=owners))
        if history.kind in self.replays:
            self.replays[history.kind](history)

    def is_on_its_way(self, record: str) -> bool:
        """Whether a match is running, or has ended and is not stored yet."""
        return record in self.record_writer or any(
            record in (room.history.room, *(match.history.room for match in room.ended)) for room in self.rooms.values()
        )

    def stop(self) -> Deferred[Any]:
        """Finish all rooms without pauses, and fire when their records are stored."""
        self._cooperator.stop()
        for room in list(self.rooms.values()):
            for _ in self._finishing(room):
                pass
        return self.record_writer.stop()
