"""A listener's reception: it takes who arrives, and leads them to rooms.

Source: docs/topics/design.md#before-and-after-a-match. A dialect with words of its own for this (registration,
reservation codes, administration) brings a `Reception`; the others use `FirstCome`. A reception knows no Twisted: what
it wants done, it asks of the room service (`LobbyServices`), and all events go through it, so that they leave in the
order in which they were written.
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
    """A room, as a reception sees it."""

    @property
    def id(self) -> str:
        """The room's UUID."""

    @property
    def history(self) -> History:
        """What has happened in the present match."""

    @property
    def table(self) -> Table:
        """The table in the room."""

    @property
    def peers(self) -> Mapping[Seat, Peer]:
        """Who sits where."""

    @property
    def party(self) -> Party | None:
        """Whom the room is for; None: anybody."""

    @property
    def observers(self) -> Sequence[Peer]:
        """Who watches; who observes twice stands here twice."""

    def join(self, peer: Peer, seat: Seat | None = None) -> Seat:
        """Seat a peer, on the next free seat if none is named."""

    def receive(self, seat: Seat, events: Iterable[Event]) -> None:
        """Take what the peer on a seat sent, and perform it as one step."""

    def leave(self, seat: Seat, why: Termination = Termination.LEFT, text: str = "") -> None:
        """Empty a seat."""

    def observe(self, peer: Peer) -> None:
        """Let a peer watch."""

    def pause(self) -> None:
        """Hold the match."""

    def resume(self) -> None:
        """Let the match go on."""

    def step(self, *, forced: bool = False) -> None:
        """Let a paused match go on by one move. `forced`: start it without those who are missing."""

    def stop(self, why: Termination) -> None:
        """End the match for a reason that costs nobody the game."""


def suits(room: HostedRoom, peer: Peer) -> bool:
    """Whether a room with a free seat is for this peer: its party's, and the one it asks for, if it asks for one."""
    return room.party is peer.party and peer.wanted in (None, room.id)


def check_wanted(peer: Peer) -> None:
    """Raise RoomError if a peer asks for a room: it is called where that room has no seat for it."""
    if peer.wanted is not None:
        raise RoomError(f"room {peer.wanted} has no free seat any longer")


@frozen
class Reservation:
    """A seat that is kept for whoever shows the code. `code`: a random UUID, used once."""

    code: str
    room: HostedRoom
    seat: Seat


class Reservations(Protocol):
    """The seats that are reserved in all rooms; they expire with their rooms."""

    def make(self, room: HostedRoom, seat: Seat) -> Reservation:
        """Reserve a seat."""

    def take(self, code: str) -> Reservation | None:
        """Use up a code; None if it is unknown or was used."""

    def is_reserved(self, room: HostedRoom, seat: Seat) -> bool:
        """Whether a seat is kept for somebody."""


class Logins(Protocol):
    """The passwords that were given to all listeners (gamed/core/passwords.py has the rule)."""

    @property
    def administrators(self) -> list[Callable[[], Iterable[str]]]:
        """What returns the addresses at which administrators are logged in: to be added to."""

    def right(self, user: str, address: str) -> None:
        """Take note of a right password."""

    def wrong(self, listener: str, user: str, address: str) -> float:
        """Take note of a wrong password; return for how many seconds its answer is to be held back."""


class LobbyServices(Protocol):
    """What the room service does for a reception."""

    @property
    def reservations(self) -> Reservations:
        """The reserved seats."""

    @property
    def logins(self) -> Logins:
        """The passwords."""

    def arrive(self, kind: str, peer: Peer) -> None:
        """Seat a newcomer with who has waited longest, or in a new room. Raises StoreError: no room can be opened."""

    def open(self, kind: str, options: Options | None = None, party: Party | None = None) -> HostedRoom:
        """Open a room; the settings give what the options leave out. Raises StoreError, RoomError."""

    def room(self, room: str) -> HostedRoom | None:
        """Return the room with an id, if it is open."""

    def rooms_of(self, kind: str) -> Iterable[HostedRoom]:
        """Return the open rooms of a game, the oldest first."""

    def send(self, peer: Peer, event: Event) -> None:
        """Send an event, after those that were written before it."""

    def dismiss(self, peer: Peer) -> None:
        """Let a peer go, after the events that were written before."""

    def refused(self, peer: Peer, refusal: Refusal) -> None:
        """Have developers learn why something that a peer did had no effect, or cost it its connection."""

    def note(self, peer: Peer, sentence: str) -> None:
        """Tell the log of a peer."""

    def audit(self, peer: Peer, did: str, result: str) -> None:
        """Note in the audit log what an administrator did, and what came of it."""

    def recorded(self, record: str, call: Callable[[History | None], None]) -> None:
        """Look a record of gamed's own up by its id, and call with what was played, or with None."""

    def seconds(self) -> float:
        """Return the time on the monotonic clock."""

    def after(self, seconds: float, call: Any, peer: Peer | None = None) -> Any:
        """Call something later; the returned object's `cancel` prevents it.

        `peer`: whose time this is. What it has sent in time is served before the call.
        """


class Reception(Protocol):
    """The reception of one listener. Faults of ours in it cost the peer at hand its connection, and nobody else.

    `routes`: whether events of seated peers come here, too, because a peer may sit in several rooms; else a seated
    peer's events go straight to its room.
    """

    routes: bool

    def arrive(self, peer: Peer) -> None:
        """Take a newcomer. Raises StoreError: no room can be opened."""

    def receive(self, peer: Peer, event: Event) -> None:
        """Take what a peer sent. Raises StoreError, as above."""

    def refuse(self, peer: Peer, error: RemoteProtocolError) -> None:
        """Take note that a peer broke the wire protocol: what is said to it, and that it is let go."""

    def released(self, peer: Peer, room: HostedRoom) -> None:
        """Take note that a room is done with a peer, which has got all its events: `peer.close()` lets it go."""

    def depart(self, peer: Peer) -> None:
        """Take note that a connection has ended; its seats are emptied after this."""

    def configure(self, settings: Any) -> None:
        """Take the listener's settings anew. Raises ConfigError, and has changed nothing then."""


@runtime_checkable
class SupportsReservations(Protocol):
    """What a reception may have beside: rooms that an operator prepares."""

    def reserve(
        self, names: Sequence[str], *, paused: bool, history: History | None, turn: int | None
    ) -> tuple[HostedRoom, Sequence[Reservation]]:
        """Open a room whose seats are reserved. Raises StoreError, RoomError.

        `names`: of the players, in the order of the seats; none: any may come. `history`: a match to go on with, from
        `turn` on, None for its end.
        """


@runtime_checkable
class SwitchesLimits(Protocol):
    """What a reception may have besides: time limits that can be switched."""

    def set_timed(self, room: HostedRoom, seat: Seat, *, timed: bool) -> None:
        """Switch the time limits of a seat, from its next move on. Raises RoomError: there is no such seat."""


@runtime_checkable
class SupportsCourses(Protocol):
    """What a reception may have beside: courses that an operator chooses."""

    @property
    def known(self) -> Sequence[str]:
        """The courses that can be chosen by a name."""

    def choose(self, course: str) -> None:
        """Have the next game that opens played on a course. Raises ConfigError: there is none of this name."""


@define
class FirstCome:
    """First come, first served: who arrives is seated with who has waited longest."""

    kind: str
    services: LobbyServices
    routes: bool = False

    def arrive(self, peer: Peer) -> None:
        """Seat the newcomer."""
        self.services.arrive(self.kind, peer)

    def receive(self, peer: Peer, event: Event) -> None:
        """Take nothing: who is not seated is on the way out."""

    def refuse(self, peer: Peer, error: RemoteProtocolError) -> None:  # noqa: ARG002 (Reception's signature)
        """Let the peer go."""
        self.services.dismiss(peer)

    def released(self, peer: Peer, room: HostedRoom) -> None:  # noqa: ARG002 (Reception's signature)
        """Let the peer go: a connection is one match."""
        peer.close()

    def depart(self, peer: Peer) -> None:
        """Nothing is kept of a peer here."""

    def configure(self, settings: Any) -> None:
        """Nothing here depends on settings."""
