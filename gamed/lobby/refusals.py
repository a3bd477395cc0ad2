"""The refusals of all peers: logged at a limited rate, kept for the rooms' pages, and shown to operators who watch.

So that they do not delay moves, a refusal is only counted when it happens, and logged in a later turn of the reactor.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Final

from attrs import define, field, frozen
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from gamed.core.game import Seat
from gamed.core.peer import Peer
from gamed.core.refusals import Refusal, Refusals, described, shown
from gamed.core.stats import Stats
from gamed.core.table import OBSERVERS

log = Logger()

ROOMS: Final = 500
"""Rooms whose refusals are kept: the newest ones."""

SEATS: Final = 8
"""Peers of a room whose refusals are kept."""

A_TURN: Final = 5
"""The most refusals that are logged in one turn of the reactor."""

A_SECOND: Final = 100
"""The most refusals that are logged in a second."""

WAITING: Final = 50
"""The most refusals of an address that wait to be logged. Of further ones, only their number is logged."""

ADDRESSES: Final = 1_000
"""The most addresses whose refusals wait."""


@frozen
class Refused:
    """A refusal with its peer and room."""

    peer: str
    """The peer's name in logs."""

    listener: str
    """The name of the peer's listener."""

    refusal: Refusal
    room: str = ""
    seat: Seat | None = None

    @property
    def where(self) -> str:
        """The room, the seat and the peer, as the log names them."""
        place = f"room={self.room} seat={self.seat} " if self.room else ""
        return f"listener={self.listener} {place}peer={self.peer}"


@define(eq=False)
class RefusalLog:
    """Counts, keeps and logs refusals."""

    clock: IReactorTime
    stats: Stats
    is_code: Callable[[str], bool]
    """Tells whether a text is a reservation code, which must not be shown."""

    watchers: list[Callable[[Refused, str], None]] = field(factory=list)
    """Called with each refusal that is logged, and its line."""

    _rooms: OrderedDict[str, dict[tuple[Seat, str], Refusals]] = field(factory=OrderedDict)
    """The refusals of the newest rooms, by seat and name."""

    _queues: OrderedDict[str, deque[tuple[Refused, str]]] = field(factory=OrderedDict)
    """Refusals that are to be logged, with their lines, by address: one of each address after the other, so that a
    flood from one address hides nothing of the others."""

    _call: IDelayedCall | None = None
    """The next call that logs."""

    _left: int = A_SECOND
    """How many refusals may still be logged in the second that began at `_since`."""

    _since: float = 0.0
    _unlogged: Counter[str] = field(factory=Counter)
    """The number of refusals that are not logged one by one, by code."""

    def note(self, peer: Peer, refusal: Refusal) -> None:
        """Take note of a refusal that is not part of a table's step.

        If the peer has a seat, or has come for one, its room handles it.
        """
        for room, seat in peer.places:
            if seat != OBSERVERS:
                room.refused(seat, refusal)
                return
        kept = peer.reservation
        if kept is None or kept.room.is_closed:
            self.add(peer, refusal)
        else:
            kept.room.refused(kept.seat, refusal, peer)

    def add(self, peer: Peer, refusal: Refusal, room: str = "", seat: Seat | None = None) -> None:
        """Take note of a refusal. `room` and `seat`: the peer's, if it has a seat."""
        is_kept = peer.refusals.add(refusal)
        self.stats.refusals[refusal.code] += 1
        if room and seat is not None:
            self._keep(room, (seat, peer.called), peer.refusals)
        if is_kept:
            self._log(peer.address, Refused(peer.name, peer.listener, refusal, room, seat))

    def _keep(self, room: str, seat: tuple[Seat, str], refusals: Refusals) -> None:
        seats = self._rooms.get(room)
        if seats is None:
            seats = self._rooms[room] = {}
            if len(self._rooms) > ROOMS:
                self._rooms.popitem(last=False)
        if len(seats) < SEATS:
            seats[seat] = refusals

    def of(self, room: str) -> dict[tuple[Seat, str], Refusals]:
        """Return the refusals in a room, by the seats and names of their peers."""
        return self._rooms.get(room, {})

    def shown(self, text: bytes) -> str:
        """Return a message as people may see it."""
        return shown(text, self.is_code)

    def described(self, refusal: Refusal) -> str:
        """Return a refusal as one line."""
        return described(refusal, self.is_code)

    def ended(self, peer: Peer) -> None:
        """Log the number of a peer's refusals when its connection has ended, unless all of them were logged."""
        refusals = peer.refusals
        if refusals.total > len(refusals.first):
            log.warn("refused in all: peer={peer}: {summary}", peer=peer.name, summary=refusals.summary)

    # The log, at a limited rate

    def _log(self, address: str, refused: Refused) -> None:
        queue = self._queues.get(address)
        if queue is None and len(self._queues) < ADDRESSES:
            queue = self._queues[address] = deque()
        if queue is None or len(queue) >= WAITING:
            self._unlogged[refused.refusal.code] += 1
        else:
            # The text is made now, because a reservation code that is used up meanwhile would not be recognised.
            queue.append((refused, self.described(refused.refusal)))
        if self._call is None:
            self._call = self.clock.callLater(0, self._next)

    def _next(self) -> None:
        self._call = None
        now = self.clock.seconds()
        if now - self._since >= 1.0:
            self._since, self._left = now, A_SECOND
        for _ in range(min(A_TURN, self._left)):
            if not self._queues:
                break
            self._left -= 1
            self._log_one()
        if self._queues:
            self._call = self.clock.callLater(0 if self._left else self._since + 1.0 - now, self._next)
        elif self._unlogged:
            self._call = self.clock.callLater(1.0, self._report_unlogged)

    def _log_one(self) -> None:
        """Log the oldest refusal of the address that comes next."""
        address, queue = next(iter(self._queues.items()))
        refused, line = queue.popleft()
        if queue:
            self._queues.move_to_end(address)
        else:
            del self._queues[address]
        log.warn("refused {code}: {where}: {line}", code=refused.refusal.code, where=refused.where, line=line)
        for call in list(self.watchers):
            with log.failureHandler("cannot show a refusal"):
                call(refused, line)

    def _report_unlogged(self) -> None:
        self._call = None
        unlogged, self._unlogged = self._unlogged, Counter()
        summary = ", ".join(f"{count} {code}" for code, count in unlogged.items())
        log.warn("refused, not logged one by one: {summary}", summary=summary)
        if self._queues:
            self._call = self.clock.callLater(0, self._next)
