"""What a command of the console gets: its operator, and the services of the daemon.

Source: docs/reference/console.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from gamed.admin.operators import Operator, Operators, described
from gamed.console.levels import LogLevels
from gamed.console.reload import Reloader
from gamed.core.errors import ConsoleError
from gamed.core.findings import Finding
from gamed.core.game import Termination
from gamed.core.reception import Reception, SupportsCourses
from gamed.core.texts import printable
from gamed.lobby.lobby import Lobby
from gamed.lobby.refusals import Refused
from gamed.lobby.room import Room
from gamed.net.game_listeners import GameListeners
from gamed.net.limits import Bans, ConnectionLimits
from gamed.net.session import Session
from gamed.records.record import Summary

SHORTEST: Final = 4
"""The least number of characters of an id."""

RECORDS: Final = 1_000
"""The most ids of records that completion keeps."""

T = TypeVar("T")


@define(eq=False, kw_only=True)
class CommandServices:
    """The parts of the daemon that the console's commands use."""

    lobby: Lobby
    listeners: GameListeners
    operators: Operators
    bans: Bans

    limits: ConnectionLimits
    """The limits of the console's own connections."""

    levels: LogLevels
    reloader: Reloader

    state: Path
    """The state directory."""

    clock: IReactorTime

    stop: Callable[[], None]
    """Ends the daemon."""

    started: float = 0.0
    """The clock's time of the daemon's start."""


@define(eq=False)
class ConsoleOperator(Operator):
    """A user who is logged in to the console, and the state that the commands of this session share."""

    services: CommandServices = field(kw_only=True)
    python: Callable[[], None] | None = field(default=None, kw_only=True)
    """Starts a Python prompt; None if the session may not have one."""

    watched: dict[Room, Callable[..., None]] = field(factory=dict, init=False)
    """The rooms that are watched, each with the callable among its watchers."""

    _records: dict[str, None] = field(factory=dict, init=False)
    """The ids of records that completion offers, the oldest first."""

    refusals_watched: set[str] = field(factory=set, init=False)
    """The ids of rooms and the names of listeners whose refusals are shown."""

    @property
    def watching(self) -> int:
        """How many rooms are shown step by step."""
        return len(self.watched)

    # Finding what is meant

    def room(self, word: str) -> Room:
        """Return an open room by its id or the first characters of it. Raises ConsoleError."""
        rooms = {room.id: room for room in self.services.lobby.rooms.values() if not room.is_closed}
        return _only("room", word, rooms)

    def peer(self, word: str) -> Session:
        """Return the session of a peer, by its name or its address with port. Raises ConsoleError."""
        sessions = {session.name: session for _, session in self.services.listeners.sessions}
        found = [session for name, session in sessions.items() if word in (name, name.rpartition("@")[2])]
        if len(found) != 1:
            raise ConsoleError(f"{len(found) or 'no'} peers are called {word}; `players` lists them")
        return found[0]

    def reception(self, game: str) -> Reception:
        """Return the reception of a game's listener. Raises ConsoleError if there is none."""
        self.check_game(game)
        found = self.services.listeners.of(game)
        if found is None:
            raise ConsoleError(f"{game} has no listener")
        return found.reception

    def check_game(self, word: str) -> None:
        """Raise ConsoleError if there is no such game."""
        types = self.services.lobby.game_types
        if word not in types:
            raise ConsoleError(f"there is no game {word}; the games are {', '.join(types)}")

    def check_listener(self, word: str) -> None:
        """Raise ConsoleError if there is no such listener."""
        if word not in self.services.listeners.factories:
            known = ", ".join(self.services.listeners.factories)
            raise ConsoleError(f"there is no listener {word}; the listeners are {known}")

    def candidates(self, kind: str) -> Iterable[str]:
        """Return the words of a kind, for completion."""
        lobby = self.services.lobby
        found: Mapping[str, Callable[[], Iterable[str]]] = {
            "GAME": lambda: lobby.game_types,
            "ROOM": lambda: (room.id for room in lobby.rooms.values() if not room.is_closed),
            "PEER": lambda: (session.name for _, session in self.services.listeners.sessions),
            "LISTENER": lambda: self.services.listeners.factories,
            "CODE": lambda: (reservation.code for reservation in lobby.reservations),
            "RECORD": lambda: self._records,
            "CAUSE": lambda: map(str, Termination),
            "COURSE": self._courses,
            "NETWORK": lambda: (str(network) for network, _ in self.services.bans),
        }
        return found.get(kind, tuple)()

    def _courses(self) -> Iterable[str]:
        receptions = [factory.reception for factory in self.services.listeners.factories.values()]
        return [name for reception in receptions if isinstance(reception, SupportsCourses) for name in reception.known]

    def note_records(self, found: list[Summary]) -> list[Summary]:
        """Remember the ids of records for completion, and return the records."""
        self._records |= {record.id: None for record in found}
        while len(self._records) > RECORDS:
            del self._records[next(iter(self._records))]
        return found

    # Watching

    def watch(self, room: Room, call: Callable[..., None]) -> None:
        """Call a callable with each step of a room, until the room is closed."""
        if room not in self.watched:
            self.watched[room] = call
            room.watchers += (call,)

    def watch_refusals(self, key: str) -> None:
        """Show what is refused in a room, given by its id, or is refused and found of a listener, given by its name."""
        lobby = self.services.lobby
        if self._show_refused not in lobby.refusals.watchers:
            lobby.refusals.watchers.append(self._show_refused)
            lobby.finding_watchers.append(self._show_finding)
        self.refusals_watched.add(key)

    def _show_finding(self, room: Room, finding: Finding) -> None:
        factory = self.services.listeners.of(room.history.kind)
        if factory is not None and factory.limits.listener in self.refusals_watched:
            self.notify(printable(described(room, finding)) + "\n")

    def _show_refused(self, refused: Refused, line: str) -> None:
        if self.refusals_watched & {refused.room, refused.listener}:
            self.notify(printable(f"refused {refused.refusal.code}: {refused.where}: {line}") + "\n")

    def unwatch(self) -> int:
        """Stop watching; return how many rooms and listeners were watched."""
        watched, self.watched = self.watched, {}
        for room, call in watched.items():
            room.watchers = tuple(other for other in room.watchers if other != call)
        listeners = self.refusals_watched & set(self.services.listeners.factories)
        self.refusals_watched.clear()
        lobby = self.services.lobby
        if self._show_refused in lobby.refusals.watchers:
            lobby.refusals.watchers.remove(self._show_refused)
            lobby.finding_watchers.remove(self._show_finding)
        return len(watched) + len(listeners)


def _only(what: str, word: str, things: Mapping[str, T]) -> T:
    if len(word) < SHORTEST:
        raise ConsoleError(f"give at least {SHORTEST} characters of the {what}'s id")
    found = [thing for name, thing in things.items() if name.startswith(word.lower())]
    if not found:
        raise ConsoleError(f"there is no {what} {word}")
    if len(found) > 1:
        raise ConsoleError(f"more than one {what}'s id begins with {word}: give more characters of it")
    return found[0]
