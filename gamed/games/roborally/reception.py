"""The reception: it registers connections, and leads them to a game that is still in its lobby.

Source: docs/specs/roborally.md#14-names-and-roles, docs/specs/roborally.md#15-lobby-and-games,
docs/reference/roborally.md#what-is-not-acceptable.

A lobby is a room whose game has not begun. The first registration that needs one opens it; to peers it looks as if it
had always been open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.core.events import Event, Unread
from gamed.core.peer import Peer
from gamed.core.reception import HostedRoom, LobbyServices, check_wanted, reserved, suits
from gamed.games.roborally import messages as m
from gamed.games.roborally import refusals
from gamed.games.roborally.course_files import course_names
from gamed.games.roborally.course_list import CourseList
from gamed.games.roborally.messages import Reason
from gamed.games.roborally.states import Status
from gamed.games.roborally.table import Manager

KIND: Final = "roborally"


@define
class Guest:
    """A connection that has not registered."""

    deadline: Any
    """The delayed call that closes the connection if it does not register in time."""

    violations: int = 0
    """Messages that were answered with `error`."""

    is_http: bool = False
    """Whether it began with an HTTP request. Then the lines of its head are not refused one by one."""


@define
class ManagerReception:
    """The `Reception` of RoboRally's listener."""

    services: LobbyServices
    settings: Any
    courses: CourseList

    routes: bool = False
    """After the registration all messages of a peer go to its room (see `Reception`)."""

    _guests: dict[Peer, Guest] = field(factory=dict)

    def arrive(self, peer: Peer) -> None:
        """Give a new connection the time to register."""
        deadline = self.services.after(self.settings.idle_unregistered, lambda: self._too_late(peer), peer)
        self._guests[peer] = Guest(deadline)

    def _too_late(self, peer: Peer) -> None:
        self.services.refused(peer, refusals.register_too_late(self.settings.idle_unregistered, peer.unfinished))
        self._let_go(peer)

    def receive(self, peer: Peer, event: Event) -> None:
        """Take a registration. Anything else is a violation, except `ok` and `error`, which are ignored."""
        guest = self._guests.get(peer)
        if guest is None:
            # Its connection is being closed already.
            return
        if isinstance(event, m.Registration):
            self._register(peer, guest, event)
            return
        if type(event) is Unread:
            # The peer has closed within a line: that is no violation.
            self.services.refused(peer, event.refusal)
            return
        refusal = refusals.unregistered(event)
        if not (guest.is_http and refusal.code == "unknown-word"):
            self.services.refused(peer, refusal)
        guest.is_http |= refusal.code == "http"
        if not isinstance(event, m.Acknowledgement):
            self._violated(peer, guest)

    def _violated(self, peer: Peer, guest: Guest) -> None:
        self.services.send(peer, m.Error())
        guest.violations += 1
        if guest.violations >= self.settings.max_violations:
            self.services.refused(peer, refusals.violations(guest.violations))
            self._let_go(peer)

    def _register(self, peer: Peer, guest: Guest, event: m.Registration) -> None:
        lobby = self._lobby(peer)
        manager = None if lobby is None else _manager(lobby)
        if manager is not None and manager.members.has_name(event.name):
            self.services.refused(peer, refusals.name_taken(event))
            self.services.send(peer, m.Error())
            return
        # `ok` accepts the name; a peer without a place gets it, too, and REN(ZS) after it. The protocol wants it so.
        self.services.send(peer, m.Ok())
        free = () if manager is None else manager.free
        if manager is not None and isinstance(event, m.RegisterChannel):
            free = manager.free_channels
        if lobby is None or manager is None or not free:
            check_wanted(peer)
            games, role = self.settings.max_games, "channel" if isinstance(event, m.RegisterChannel) else "player"
            full = (
                f"{games} games are running, and no more may" if lobby is None else f"no {role} has a place any longer"
            )
            self.services.refused(peer, refusals.no_place(event, full))
            self.services.send(peer, m.Removed(Reason.TOO_MANY))
            self._let_go(peer)
            return
        self._forget(peer)
        peer.introduce(event.name)
        manager.violations[free[0]] = guest.violations
        lobby.join(peer, free[0])

    def _lobby(self, peer: Peer) -> HostedRoom | None:
        """Return a lobby for a peer, a new one if there is none; None if `max_games` games are running.

        A party comes from a browser, as a person with bots, and has a room of its own. It is returned in any status:
        if its game has begun, it has no free place, and the peer gets REN(ZS).

        Raises RoomError if the peer asked for a certain lobby, and that has no free place or its game has begun.
        """
        kept = reserved(peer)
        if kept is not None:
            return kept.room
        running, party = 0, peer.party
        for room in self.services.rooms_of(KIND):
            status = _manager(room).status
            if suits(room, peer) and (status is Status.LOBBY or party is not None):
                return room
            # A lobby takes no place of a running game, and an ended game only waits for its peers to leave.
            running += status not in (Status.LOBBY, Status.ENDED)
        check_wanted(peer)
        if running >= self.settings.max_games:
            return None
        course = self.courses.next()
        if party is None:
            return self.services.open(KIND, course)
        # The game of a party begins when all its members are seated, because nobody else can join.
        players = min(party.size, int(course["players"]))
        return self.services.open(KIND, {**course, "players": players, "min_players": players}, party)

    @property
    def known(self) -> Sequence[str]:
        """The names of the bundled courses."""
        return course_names()

    def choose(self, course: str) -> None:
        """Choose the course of the next lobby that is opened. Raises ConfigError."""
        self.courses.choose(course)

    def _let_go(self, peer: Peer) -> None:
        self._forget(peer)
        self.services.dismiss(peer)

    def _forget(self, peer: Peer) -> None:
        guest = self._guests.pop(peer, None)
        if guest is not None and guest.deadline.active():
            guest.deadline.cancel()

    def refuse(self, peer: Peer, _error: RemoteProtocolError) -> None:
        """Close the connection of a peer that sent a line without an end. It gets no message."""
        self._let_go(peer)

    def released(self, peer: Peer, _room: HostedRoom) -> None:
        """Close the connection of a peer that was removed or has left: a connection plays one role in one game."""
        peer.close()

    def depart(self, peer: Peer) -> None:
        """Forget a connection that was closed before it registered."""
        self._forget(peer)

    def configure(self, settings: Any) -> None:
        """Take new settings of the listener. Raises ConfigError if one of the courses cannot be used."""
        self.courses.configure(settings)
        self.settings = settings


def _manager(room: HostedRoom) -> Manager:
    assert isinstance(room.table, Manager)
    return room.table
