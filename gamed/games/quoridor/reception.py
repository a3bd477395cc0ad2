"""The reception of worlds: registration, then a seat at an open table, or a refusal.

Source: docs/reference/quoridor.md#tables, docs/reference/quoridor.md#ends,
docs/specs/quoridor.md#registration-of-a-world, docs/specs/quoridor.md#checklist.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from attrs import define, evolve, field

from gamed.core.errors import RemoteProtocolError, RoomError, StoreError
from gamed.core.events import Event, Unread
from gamed.core.peer import Party, Peer
from gamed.core.reception import HostedRoom, LobbyServices, check_wanted, reserved, suits
from gamed.core.refusals import Refusal
from gamed.games.quoridor.mistakes import TABLE_OVER, TOO_MANY
from gamed.games.quoridor.signup import Call
from gamed.games.quoridor.table import REFUSED_MOST, Universe
from gamed.games.quoridor.wire import REGISTRATION, Accepted, Registered, Said, Told

KIND: Final = "quoridor"

LOOK_AGAIN: Final = 1.0
"""Seconds between two looks for a seat for worlds whose table was dissolved: a vote may have made room."""

FULL: Final = Refusal(
    "rejected",
    "there is no free seat, and no further table; the connection is closed",
    "another try when a world has left",
)


@define
class UniverseReception:
    """Registers worlds and gives them seats. A party has one table of its own, whatever the settings say."""

    services: LobbyServices

    settings: Any
    """The listener's settings. It uses `tables`, `reseat` and `register_seconds`."""

    routes: bool = False

    _deadlines: dict[Peer, Any] = field(factory=dict)
    """The timers of the worlds that have not registered yet."""

    _left: dict[Peer, None] = field(factory=dict)
    """The worlds that wait for a seat after their table was dissolved, the first in line first."""

    _look: Any = None
    """The timer of the next look for seats for them."""

    def arrive(self, peer: Peer) -> None:
        """Wait for a registration."""
        give_up = partial(self._give_up, peer)
        self._deadlines[peer] = self.services.after(self.settings.register_seconds, give_up, peer)

    def _give_up(self, peer: Peer) -> None:
        """Dismiss a world that has not registered in time."""
        seconds, begun = f"{self.settings.register_seconds:g} seconds", peer.unfinished
        text = f"the registration was not complete after {seconds}" if begun else f"nothing came for {seconds}"
        text = f"{text}; the connection is closed"
        self.services.refused(peer, Refusal("register-too-late", text, f"{REGISTRATION} and a line feed", begun))
        self.services.dismiss(peer)

    def receive(self, peer: Peer, event: Event) -> None:
        """Take a registration. Other messages come from worlds without a seat, and are refused."""
        if not isinstance(event, Registered):
            self._refuse(peer, event)
            return
        self._end_deadline(peer)
        if peer.own_name is None:
            peer.introduce(event.name)
        self.services.send(peer, Accepted())
        self._seat_left()
        if self._seat(peer):
            return
        if peer.party is not None:
            # The vote of those who came before may still make room for it.
            self._left[peer] = None
            self._seat_left()
        else:
            self.services.refused(peer, FULL)
            self.services.send(peer, Told(Call.REJECTED))
            self.services.dismiss(peer)

    def _refuse(self, peer: Peer, event: Event) -> None:
        """Refuse a message of a world without a seat. After REFUSED_MOST of them, dismiss it."""
        if isinstance(event, Unread):
            self.services.refused(peer, event.refusal)
        elif isinstance(event, Said):
            self.services.refused(peer, evolve(TABLE_OVER, text=event.text.rstrip().encode()))
        if peer.refusals.total >= REFUSED_MOST:
            self.services.refused(peer, TOO_MANY)
            self.services.dismiss(peer)

    def _seat(self, peer: Peer) -> bool:
        """Seat a world at the oldest table with a free seat, or at a new one; return False if there is neither."""
        kept = reserved(peer)
        if kept is not None:
            kept.room.join(peer, kept.seat)
            return True
        tables = 0
        for room in self.services.rooms_of(KIND):
            if not suits(room, peer):
                continue
            if room.table.free:
                room.join(peer)
                return True
            tables += not _is_dissolved(room)
        check_wanted(peer)
        if 0 < (self.settings.tables if peer.party is None else 1) <= tables:
            return False
        self.services.open(KIND, party=peer.party).join(peer)
        return True

    def _seat_left(self) -> None:
        """Seat the worlds that wait for a seat, as far as there are seats. The longest wait goes first."""
        full: set[Party | None] = set()
        for peer in list(self._left):
            if peer.party not in full and self._seat_again(peer):
                del self._left[peer]
            else:
                full.add(peer.party)
        if self._left and (self._look is None or not self._look.active()):
            self._look = self.services.after(LOOK_AGAIN, self._seat_left)

    def _seat_again(self, peer: Peer) -> bool:
        try:
            return self._seat(peer)
        except (RoomError, StoreError):
            # No new tables can be opened. That is no reason to close a connection.
            return False

    def _end_deadline(self, peer: Peer) -> None:
        deadline = self._deadlines.pop(peer, None)
        if deadline is not None and deadline.active():
            deadline.cancel()

    def refuse(self, peer: Peer, _error: RemoteProtocolError) -> None:
        """Dismiss a world that sent an invalid datum or no registration. It gets no message."""
        self._forget(peer)
        self.services.dismiss(peer)

    def _forget(self, peer: Peer) -> None:
        self._end_deadline(peer)
        self._left.pop(peer, None)
        if not self._left and self._look is not None and self._look.active():
            self._look.cancel()

    def released(self, peer: Peer, room: HostedRoom) -> None:
        """Keep a world whose table was dissolved, and seat it again if `reseat` is set.

        Close the connection of a world that was thrown out or whose table was stopped.
        """
        if not _is_dissolved(room) or peer not in room.peers.values():
            peer.close()
        elif self.settings.reseat:
            self._left[peer] = None
            self._seat_left()

    def depart(self, peer: Peer) -> None:
        """Forget a world."""
        self._forget(peer)

    def configure(self, settings: Any) -> None:
        """Replace the listener's settings."""
        self.settings = settings


def _is_dissolved(room: HostedRoom) -> bool:
    return isinstance(room.table, Universe) and room.table.is_dissolved
