"""Journal, then send: the events of a step leave after its entries are in the journal, and never before.

All steps of one reactor turn share one append. The journal calls back when the append is as durable as `[store]
durability` demands: at once with "process", after fdatasync with "disk".

An append can fail in two ways. If the disk is full (`DiskError`), the same dispatches are appended again every second
until that succeeds. Meanwhile everything is held (`Outage`), or all running games are ended, as `on_full` says. Any
other error is a fault of one of the batch's rooms. The journal cannot tell which one, so all of them are ended.

Source: docs/topics/design.md#the-journal, docs/topics/design.md#the-life-of-a-move-a-relayed-shot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import attrgetter
from time import perf_counter
from typing import Any, Final

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.core.errors import DiskError, StoreError
from gamed.core.peer import Peer
from gamed.core.stats import Stats
from gamed.lobby.dispatch import Dispatch
from gamed.lobby.outage import Outage
from gamed.lobby.room import Room
from gamed.store import Journal

log = Logger()

_of_journal: Final = attrgetter("journal_room", "entries")
"""Returns the part of a dispatch that the journal gets. `map` with this is faster than a comprehension."""


@define(eq=False)
class Delivery:
    """Appends rooms' entries to the journal, and then delivers their events. Rooms use `perform` alone."""

    journal: Journal
    clock: IReactorTime
    stats: Stats

    running: Callable[[], Iterable[Room]]
    """Returns the rooms whose match has begun and not ended."""

    after_reads: Callable[[Callable[[], object]], object]
    """Calls a function after the present pass of the reactor has read all ready sockets."""

    on_full: str = "pause"
    """What happens to running games when the disk is full: "pause" holds them, "end" ends them."""

    outage: Outage = field(init=False)

    _dispatches: list[Dispatch] = field(factory=list)
    """The dispatches that wait for the end of the turn; in an outage, those that the disk has refused."""

    is_stopped: bool = False
    """Whether nothing more is held or tried again, because the daemon stops."""

    def __attrs_post_init__(self) -> None:
        self.outage = Outage(self.clock, self.stats, self._try_again)

    def perform(self, dispatch: Dispatch) -> None:
        """Append a dispatch's entries, together with all others of this reactor turn, and then deliver its events."""
        if not self._dispatches:
            self.after_reads(self.perform_all)
        self._dispatches.append(dispatch)

    def perform_all(self) -> None:
        """Append everything that waits. The events leave at once, or when the entries are on the disk."""
        dispatches, self._dispatches = self._dispatches, []
        began = perf_counter()
        try:
            position = self.journal.append(map(_of_journal, dispatches))
        except DiskError as error:
            self.refused(error)
            if self.on_full == "pause" and not self.is_stopped:
                self._dispatches = dispatches
                self.outage.hold()
            else:
                self._end_all(dispatches)
            return
        except StoreError:
            self.stats.append_errors += 1
            failure = Failure()
            for room in _rooms(dispatches):
                room.fail(failure)
            _let_go(dispatches)
            return
        self.stats.appends.observe(perf_counter() - began)
        if self.outage.reason:
            self._taken()
        self.journal.when_synced(position, partial(self._deliver, dispatches))

    def _deliver(self, dispatches: Sequence[Dispatch]) -> None:
        """Deliver the events of dispatches that are in the journal."""
        _deliver_all(dispatches)
        now = perf_counter()
        for dispatch in dispatches:
            if dispatch.entries:
                self.stats.latency.observe(now - dispatch.began)

    def stop(self) -> None:
        """Append and send what waits. From now on nothing is held or retried."""
        self.is_stopped = True
        self.perform_all()

    # When the disk is full

    def refused(self, error: DiskError) -> None:
        """Begin an outage, because the disk has refused an append."""
        self.stats.append_errors += 1
        self.outage.begin(str(error))

    def sync_failed(self) -> None:
        """Begin an outage if the journal cannot be synced. With durability "disk" no event leaves until it can."""
        if self.journal.failed is None or self.is_stopped:
            return
        self.outage.begin(f"the journal cannot be synced: {self.journal.failed}")
        if self.journal.durability != "disk":
            return
        if self.on_full == "pause":
            self.outage.hold()
        else:
            self._end_all()

    def _end_all(self, dispatches: Iterable[Dispatch] = ()) -> None:
        """End all running games, and the rooms whose dispatches are not in the journal and so cannot be delivered."""
        running = list(self.running())
        if running:
            log.warn("all games are ended: games={games}", games=len(running))
        for room in dict.fromkeys([*running, *_rooms(dispatches)]):
            room.cut_off()
        _let_go(dispatches)

    def _try_again(self) -> None:
        if self.is_stopped:
            self.outage.end()
        elif self._dispatches and self.outage.is_held:
            self.perform_all()
        elif self.journal.failed is None:
            try:
                self.journal.probe()
            except DiskError:
                self.stats.append_errors += 1
            else:
                self._taken()

    def _taken(self) -> None:
        if self.outage.reason and self.journal.failed is None:
            self.outage.end()


def _rooms(dispatches: Iterable[Dispatch]) -> Iterable[Room]:
    return dict.fromkeys(dispatch.room for dispatch in dispatches if dispatch.room is not None)


def _let_go(dispatches: Iterable[Dispatch]) -> None:
    """Disconnect the released peers of dispatches that failed, and deliver the events that belong to no room."""
    for peer in dict.fromkeys(peer for dispatch in dispatches for peer in dispatch.released):
        peer.close()
    _deliver_all([dispatch for dispatch in dispatches if dispatch.room is None])


def _deliver_all(dispatches: Iterable[Dispatch]) -> None:
    peers: dict[Peer, None] = {}
    timed: dict[Room, int] = {}
    for dispatch in dispatches:
        room = dispatch.room
        for peer, event in dispatch.events:
            peers[peer] = None
            # Not with `_safely`, whose call would cost time for each line.
            try:
                peer.deliver(event)
            except Exception:  # noqa: BLE001 (an event that cannot be written is a fault of ours)
                _undeliverable(room, peer)
        for peer in dispatch.released:
            _safely(peer, peer.released, room)
        for peer in dispatch.dismissed:
            _safely(peer, peer.close)
        if room is not None and not room.table.forwards:
            timed[room] = timed.get(room, 0) + 1
    # Each peer is flushed once a turn, so that an answer and the shot after it cost one system call.
    for peer in peers:
        _safely(peer, peer.flush)
    for room, steps in timed.items():
        room.delivered(steps)


def _undeliverable(room: Room | None, peer: Peer) -> None:
    if room is not None:
        room.fail(Failure())
    else:
        log.failure("cannot write an event: peer={peer}", peer=peer.name)
        peer.close()


def _safely(peer: Peer, do: Callable[..., None], *arguments: Any) -> None:
    try:
        do(*arguments)
    except Exception:  # noqa: BLE001 (whatever it is, the others get their events)
        log.failure("cannot send: peer={peer}", peer=peer.name)
        peer.close()
