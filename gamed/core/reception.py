"""A listener's reception: it gets the messages of peers without a seat, and leads them to rooms.

A dialect that has messages for this (registration, reservation codes, administration) has its own `Reception`; the
others use `FirstCome`. A reception does not use Twisted: it asks the lobby (`LobbyServices`) for all that it needs, and
sends all events through it, which keeps them in their order.

Source: docs/topics/design.md#before-and-after-a-match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from attrs import define, frozen

from gamed.core.errors import RemoteProtocolError, RoomError
from gamed.core.events import Event
from gamed.core.game import Options, Seat, Termination
from gamed.core.history import History
from gamed.core.peer import Party, Peer
from gamed.core.refusals import Refusal
from gamed.core.table import Table


class HostedRoom(Protocol):
    """The interface of a room for receptions."""

    @property
    def id(self) -> str:
        """The room's UUID."""

    @property
    def history(self) -> History:
        """The history of the present match."""

    @property
    def table(self) -> Table:
        """The table in the room."""

    @property
    def peers(self) -> Mapping[Seat, Peer]:
        """The peers by their seats."""

    @property
    def party(self) -> Party | None:
        """The party that the room is reserved for; None: anybody may join."""

    @property
    def observers(self) -> Sequence[Peer]:
        """The observers. A peer that observes twice is listed twice."""

    @property
    def is_closed(self) -> bool:
        """Whether the room is closed."""

    def join(self, peer: Peer, seat: Seat | None = None) -> Seat:
        """Seat a peer, on the next free seat if none is named."""

    def receive(self, seat: Seat, events: Iterable[Event]) -> None:
        """Take the events of the peer on a seat, and perform them as one step."""

    def leave(self, seat: Seat, why: Termination = Termination.LEFT, text: str = "") -> None:
        """Empty a seat."""

    def turned_away(self, seat: Seat, why: Termination) -> None:
        """End a fixture because who has come for a free seat is disconnected."""

    def observe(self, peer: Peer) -> None:
        """Add an observer."""

    def pause(self) -> None:
        """Pause the match."""

    def resume(self) -> None:
        """Resume the match."""

    def step(self, *, forced: bool = False) -> None:
        """Let a paused match go on by one move. `forced`: start it without the players who are missing."""

    def stop(self, why: Termination) -> None:
        """End the match for a reason that makes nobody lose."""


def suits(room: HostedRoom, peer: Peer) -> bool:
    """Whether a peer may join a room: the room is its party's, and the one that it asks for, if it asks for any."""
    return room.party is peer.party and peer.wanted in (None, room.id)


def check_wanted(peer: Peer) -> None:
    """Raise RoomError if a peer asks for a room. The caller knows that this room has no seat for it."""
    if peer.wanted is not None:
        raise RoomError(f"room {peer.wanted} has no free seat any longer")


@frozen
class Reservation:
    """A seat that is kept for the peer that shows the code."""

    code: str
    """A random UUID, which can be used once."""

    room: HostedRoom
    seat: Seat


def reserved(peer: Peer) -> Reservation | None:
    """Return the seat that a peer has by where it came in, None if any seat will do.

    Raises RoomError if somebody has the seat, or had it.
    """
    kept: Reservation | None = peer.reservation
    if kept is not None and kept.seat in kept.room.peers:
        raise RoomError("the program has its seat by another connection: one is for one game")
    if kept is not None and (kept.room.is_closed or kept.seat not in kept.room.table.free):
        raise RoomError(f"seat {kept.seat} of room {kept.room.id} is not free any longer")
    return kept


class Reservations(Protocol):
    """The seats that are reserved in all rooms; they expire with their rooms."""

    def make(self, room: HostedRoom, seat: Seat) -> Reservation:
        """Reserve a seat."""

    def take(self, code: str) -> Reservation | None:
        """Use up a code. Return None if it is unknown or was used."""

    def is_reserved(self, room: HostedRoom, seat: Seat) -> bool:
        """Whether a seat is reserved."""


class Logins(Protocol):
    """The passwords that all listeners have been sent (gamed/core/passwords.py has the rule)."""

    @property
    def administrators(self) -> list[Callable[[], Iterable[str]]]:
        """Functions that return the addresses at which administrators are logged in. Others may be appended."""

    def right(self, user: str, address: str) -> None:
        """Take note of a right password."""

    def wrong(self, listener: str, user: str, address: str) -> float:
        """Take note of a wrong password. Return by how many seconds to delay its answer."""


class LobbyServices(Protocol):
    """The interface of the lobby for receptions."""

    @property
    def reservations(self) -> Reservations:
        """The reserved seats."""

    @property
    def logins(self) -> Logins:
        """The passwords."""

    def arrive(self, kind: str, peer: Peer) -> None:
        """Seat a peer with the one that has waited longest, or in a new room.

        Raises StoreError if no room can be opened.
        """

    def open(self, kind: str, options: Options | None = None, party: Party | None = None) -> HostedRoom:
        """Open a room. Options that are not given are those of the settings. Raises StoreError, RoomError."""

    def room(self, room: str) -> HostedRoom | None:
        """Return the room with an id, if it is open."""

    def rooms_of(self, kind: str) -> Iterable[HostedRoom]:
        """Return the open rooms of a game, the oldest first."""

    def send(self, peer: Peer, event: Event) -> None:
        """Send an event, after those that were sent before."""

    def dismiss(self, peer: Peer) -> None:
        """Disconnect a peer, after the events that were sent before."""

    def refused(self, peer: Peer, refusal: Refusal) -> None:
        """Note for developers why a message of a peer had no effect, or cost it its connection."""

    def note(self, peer: Peer, sentence: str) -> None:
        """Log a sentence about a peer."""

    def audit(self, peer: Peer, did: str, result: str) -> None:
        """Write to the audit log what an administrator did, and its result."""

    def recorded(self, record: str, call: Callable[[History | None], None]) -> None:
        """Look up a record of gamed's own by its id, and call with its history, or with None."""

    def seconds(self) -> float:
        """Return the time on the monotonic clock."""

    def after(self, seconds: float, call: Any, peer: Peer | None = None) -> Any:
        """Call a function later. The returned object's `cancel` prevents it.

        `peer`: the peer that has this time. If it has sent something in time, that is served before the call.
        """


class Reception(Protocol):
    """The reception of one listener. A fault in it costs the peer its connection, and affects nobody else."""

    routes: bool
    """Whether the events of seated peers pass through the reception, because a peer may sit in several rooms. Otherwise
    they go directly to the peer's room."""

    def arrive(self, peer: Peer) -> None:
        """Take a new peer. Raises StoreError if no room can be opened."""

    def receive(self, peer: Peer, event: Event) -> None:
        """Take an event of a peer. Raises StoreError, as above."""

    def refuse(self, peer: Peer, error: RemoteProtocolError) -> None:
        """Answer a peer that broke the wire protocol, and disconnect it."""

    def released(self, peer: Peer, room: HostedRoom) -> None:
        """Take note that a room is done with a peer, which has got all its events. `peer.close()` disconnects it."""

    def depart(self, peer: Peer) -> None:
        """Take note that a connection has ended. The peer's seats are emptied after this."""

    def configure(self, settings: Any) -> None:
        """Replace the listener's settings. Raises ConfigError and changes nothing if they cannot be used."""


@runtime_checkable
class SupportsReservations(Protocol):
    """A reception with rooms that an operator prepares."""

    def reserve(
        self, kind: str, names: Sequence[str], *, paused: bool, history: History | None, turn: int | None
    ) -> tuple[HostedRoom, Sequence[Reservation]]:
        """Open a room for a game of the listener, whose seats are reserved. Raises StoreError, RoomError.

        `names`: the players' names in the order of the seats; if empty, a player may have any name. `history`: a match
        to continue, from `turn` on, or from its end if that is None.
        """


@runtime_checkable
class Furnishes(Protocol):
    """A reception whose rooms need something of it."""

    def furnish(self, room: HostedRoom) -> None:
        """Make a room ready that the lobby has opened for a fixture."""


@runtime_checkable
class SwitchesLimits(Protocol):
    """A reception whose time limits can be switched on and off."""

    def set_timed(self, room: HostedRoom, seat: Seat, *, timed: bool) -> None:
        """Switch the time limits of a seat, from its next move on. Raises RoomError if there is no such seat."""


@runtime_checkable
class SupportsCourses(Protocol):
    """A reception with courses that an operator can choose."""

    @property
    def known(self) -> Sequence[str]:
        """The names of the courses."""

    def choose(self, course: str) -> None:
        """Choose the course for the next game that opens. Raises ConfigError if no course has this name."""


@define
class FirstCome:
    """First come, first served: a new peer is seated with the one that has waited longest."""

    kind: str
    services: LobbyServices
    routes: bool = False

    def arrive(self, peer: Peer) -> None:
        """Seat the new peer."""
        self.services.arrive(self.kind, peer)

    def receive(self, peer: Peer, event: Event) -> None:
        """Do nothing: a peer without a seat is about to be disconnected."""

    def refuse(self, peer: Peer, _error: RemoteProtocolError) -> None:
        """Disconnect the peer."""
        self.services.dismiss(peer)

    def released(self, peer: Peer, _room: HostedRoom) -> None:
        """Disconnect the peer: a connection is for one match."""
        peer.close()

    def depart(self, peer: Peer) -> None:
        """Do nothing: no data of the peer is kept here."""

    def configure(self, settings: Any) -> None:
        """Do nothing: there are no settings."""
