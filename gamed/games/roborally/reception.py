"""The reception: connections that have not registered, and the way into the lobby.

Source: docs/specs/roborally.md#14-names-and-roles, docs/specs/roborally.md#15-lobby-and-games,
docs/reference/roborally.md#what-is-not-acceptable. A lobby is a room whose game has not begun. It opens with the first
registration that needs it, which nobody can tell from one that was open before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.core.events import Event
from gamed.core.peer import Peer
from gamed.core.reception import HostedRoom, LobbyServices, check_wanted, suits
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
    """The call that closes it."""

    violations: int = 0
    is_http: bool = False
    """Whether it has begun with a request of HTTP: the lines of its head are not refused one by one."""


@define
class ManagerReception:
    """Of the settings, `max_games`: how many games run at the same time; `idle_unregistered`: the time to register."""

    services: LobbyServices
    settings: Any
    courses: CourseList
    routes: bool = False
    _guests: dict[Peer, Guest] = field(factory=dict)

    def arrive(self, peer: Peer) -> None:
        """Wait for a registration."""
        deadline = self.services.after(self.settings.idle_unregistered, lambda: self._too_late(peer), peer)
        self._guests[peer] = Guest(deadline)

    def _too_late(self, peer: Peer) -> None:
        self.services.refused(peer, refusals.register_too_late(self.settings.idle_unregistered, peer.unfinished))
        self._let_go(peer)

    def receive(self, peer: Peer, event: Event) -> None:
        """Take a registration; all else from here is a violation, but for an answer to nothing."""
        guest = self._guests.get(peer)
        if guest is None:
            # It is on its way out.
            return
        if isinstance(event, m.Registration):
            self._register(peer, guest, event)
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
        if manager is not None and manager.has_name(event.name):
            self.services.refused(peer, refusals.name_taken(event))
            self.services.send(peer, m.Error())
            return
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
        """Return the lobby, a new one if need be; None if as many games run as may, or the party's game does.

        Raises RoomError: the lobby that it asks for has no free place, or its game has begun.
        """
        running, party = 0, peer.party
        for room in self.services.rooms_of(KIND):
            status = _manager(room).status
            if suits(room, peer) and (status is Status.LOBBY or party is not None):
                return room
            running += status not in (Status.LOBBY, Status.ENDED)
        check_wanted(peer)
        if running >= self.settings.max_games:
            return None
        course = self.courses.next()
        if party is None:
            return self.services.open(KIND, course)
        # Its game begins when all of them are there: nobody else can come.
        players = min(party.size, int(course["players"]))
        return self.services.open(KIND, {**course, "players": players, "min_players": players}, party)

    @property
    def known(self) -> Sequence[str]:
        """The courses that gamed brings along."""
        return course_names()

    def choose(self, course: str) -> None:
        """Have the next lobby that opens played on a course. Raises ConfigError."""
        self.courses.choose(course)

    def _let_go(self, peer: Peer) -> None:
        self._forget(peer)
        self.services.dismiss(peer)

    def _forget(self, peer: Peer) -> None:
        guest = self._guests.pop(peer, None)
        if guest is not None and guest.deadline.active():
            guest.deadline.cancel()

    def refuse(self, peer: Peer, error: RemoteProtocolError) -> None:  # noqa: ARG002 (Reception's signature)
        """Let a peer go whose line does not end; nothing is said to it."""
        self._let_go(peer)

    def released(self, peer: Peer, room: HostedRoom) -> None:  # noqa: ARG002 (Reception's signature)
        """Let a peer go that was removed, or has left: one connection is one role in one game."""
        peer.close()

    def depart(self, peer: Peer) -> None:
        """Forget a guest."""
        self._forget(peer)

    def configure(self, settings: Any) -> None:
        """Take the listener's settings anew. Raises ConfigError: there is a course that cannot be played on."""
        self.courses.configure(settings)
        self.settings = settings


def _manager(room: HostedRoom) -> Manager:
    assert isinstance(room.table, Manager)
    return room.table
