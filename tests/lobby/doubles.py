"""Stand-ins for what surrounds a room: a reactor's turns, peers, journals and stores that misbehave on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.core.events import Event, Moved
from gamed.core.history import Entry
from gamed.core.peer import Party
from gamed.core.refusals import Refusals
from gamed.core.relay import Relay
from gamed.games.battleship import Settings
from gamed.lobby.lobby import Lobby
from gamed.lobby.room import Room
from gamed.records.record import Record, Summary
from gamed.store.memory import MemoryJournal, MemoryStore
from gamed.testing.harness import Harness

SHOT = Moved(b"(1,[0,0]).")
WATER = Moved(b"(2,[0,0,1]).")
LAST_SUNK = Moved(b"(2,[0,0,4]).")


class Turns(Clock):
    """A clock that leaves what is called for meanwhile to the next turn, as a reactor does and `Clock.advance` not."""

    def turn(self, seconds: float = 0.0) -> None:
        """Let time pass and make the calls that are due by then."""
        self.rightNow += seconds
        due = sorted((call for call in self.calls if call.getTime() <= self.rightNow), key=lambda call: call.getTime())
        for call in due:
            if call.active():
                self.calls.remove(call)
                call.called = 1
                call.func(*call.args, **call.kw)


@define(eq=False)
class Peer:
    """Writes down, in a list that others may share, what a room does with it."""

    name: str
    heard: list[tuple[str, object]] = field(factory=list)
    is_gone: bool = False
    arrived: float = inf
    unread: list[float] = field(factory=list)
    """The moments at which what is still to be served may have arrived."""
    fault: Exception | None = None
    flushes: list[int] = field(factory=list)
    """How many events had come by each flush."""
    flush_fault: Exception | None = None

    address: str = "local"
    own_name: str | None = None
    party: Party | None = None
    wanted: str | None = None
    reservation: Any = None
    refusals: Refusals = field(factory=Refusals)
    unfinished: bytes = b""
    is_person: bool = False
    browser: str = ""
    listener: str = "test"
    room: Any = None
    seat: int = -1

    @property
    def called(self) -> str:
        return self.name

    def has_unread(self, limit: float) -> bool:
        return any(moment <= limit for moment in self.unread)

    def mute(self) -> None:
        self.heard.append((self.name, "mute"))

    def allow(self, messages_per_second: float) -> None:
        self.heard.append((self.name, f"{messages_per_second:g} messages a second"))

    def introduce(self, name: str) -> None:
        self.name = name

    def entered(self, room: Any, seat: int) -> None:
        self.room, self.seat = room, seat

    def released(self, room: Any) -> None:  # noqa: ARG002 (Peer's signature)
        self.close()

    def deliver(self, event: Event) -> None:
        if self.fault is not None:
            raise self.fault
        self.heard.append((self.name, event))

    def flush(self) -> None:
        if self.flush_fault is not None:
            raise self.flush_fault
        self.flushes.append(sum(name == self.name for name, _ in self.heard))

    def close(self) -> None:
        self.heard.append((self.name, "closed"))

    def pause(self) -> None:
        self.heard.append((self.name, "paused"))

    def resume(self) -> None:
        self.heard.append((self.name, "resumed"))


@define
class WatchedJournal(MemoryJournal):
    """Keeps each batch, and refuses while it is told to."""

    batches: list[list[tuple[str, list[str]]]] = field(factory=list)
    refuses: bool = False

    def append(self, batch: Iterable[tuple[str, Sequence[Entry]]]) -> int:
        if self.refuses:
            raise StoreError("the disk is full")
        entries = list(batch)
        self.batches.append([(room, [entry.kind for entry in some]) for room, some in entries])
        return MemoryJournal.append(self, entries)


@define
class HeldJournal(WatchedJournal):
    """Holds the calls of `when_synced` until a test syncs."""

    durability: str = "disk"
    held: list[Callable[[], object]] = field(factory=list)

    def when_synced(self, position: int, call: Callable[[], object]) -> None:  # noqa: ARG002 (Journal's signature)
        self.held.append(call)

    def sync(self) -> None:
        """Make the oldest call."""
        self.held.pop(0)()


@define
class StubbornStore(MemoryStore):
    """Refuses the first records, or leaves who asks waiting. `asked`: the ids that were offered."""

    refusals: int = 0
    waits: bool = False
    asked: list[str] = field(factory=list)
    waiting: list[tuple[Deferred[str], Record, Summary | None]] = field(factory=list)

    def keep(self, record: Record, summary: Summary | None = None) -> Deferred[str]:
        self.asked.append(record.id)
        if self.refusals:
            self.refusals -= 1
            return fail(StoreError("no connection"))
        if self.waits:
            done: Deferred[str] = Deferred()
            self.waiting.append((done, record, summary))
            return done
        return MemoryStore.keep(self, record, summary)

    def commit(self) -> None:
        """Keep the record that waits longest."""
        done, record, summary = self.waiting.pop(0)
        MemoryStore.keep(self, record, summary).chainDeferred(done)


class LobbyTestCase(SynchronousTestCase):
    """A lobby of Battleship with the doubles around it. `heard`: what all peers heard, in order."""

    def open(self, *, journal: Any = None, store: Any = None, **settings: Any) -> None:
        self.heard: list[tuple[str, object]] = []
        self.clock = Turns()
        self.journal: Any = WatchedJournal() if journal is None else journal
        self.store: Any = StubbornStore() if store is None else store
        self.harness = Harness("battleship", Settings(**settings), self.clock, self.journal, self.store)

    @property
    def lobby(self) -> Lobby:
        return self.harness.lobby

    def arrive(self, name: str, *, fault: Exception | None = None) -> tuple[Room, Peer]:
        """Let a peer arrive, and a turn pass."""
        peer = Peer(name, self.heard, fault=fault)
        self.lobby.arrive("battleship", peer)
        self.clock.turn()
        return peer.room, peer

    def match(self, *names: str) -> Room:
        """Seat two peers, and forget what they heard so far."""
        for name in names or ("a", "b"):
            room, _ = self.arrive(name)
        self.heard.clear()
        return room

    def turns(self, count: int, seconds: float = 0.0) -> None:
        """Let time pass, and then some turns."""
        self.clock.turn(seconds)
        for _ in range(count):
            self.clock.turn()

    def termination(self, room: Room) -> tuple[str, int | None]:
        outcome = room.table.outcome
        assert outcome is not None
        return str(outcome.termination), outcome.winner

    def breaks(self, room: Room, method: str) -> None:
        """Have a method of this room's table raise ZeroDivisionError."""
        real = getattr(Relay, method)

        def broken(table: Relay, *args: Any, **kw: Any) -> Any:
            if table is room.table:
                raise ZeroDivisionError(method)
            return real(table, *args, **kw)

        self.patch(Relay, method, broken)
