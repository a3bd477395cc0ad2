"""The daemon, as a command sees it: the parts that it may look at and act on, and who gave the command.

Source: docs/reference/console.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamed.audit import say
from gamed.config import Config, WebConfig
from gamed.console.accounts import Accounts
from gamed.console.entrance import Entrance
from gamed.console.levels import LogLevels
from gamed.console.render import printable
from gamed.errors import ConfigError, GamedError
from gamed.findings import Finding
from gamed.game import Termination
from gamed.lobby.lobby import Lobby
from gamed.lobby.refusals import Refused
from gamed.lobby.room import Room
from gamed.net.addresses import spelled
from gamed.net.factory import SessionFactory
from gamed.net.limits import Bans, ConnectionLimits
from gamed.net.session import Session
from gamed.reception import HasCourses, Reception
from gamed.records.record import Summary

log = Logger()

SHORTEST: Final = 4
"""Characters of an id that must be given at least."""

SHOWN: Final = 8
"""Characters of an id that a table shows."""

RECORDS: Final = 1_000
"""Ids of records that completion knows."""

T = TypeVar("T")


class ConsoleError(GamedError):
    """A command cannot do what it was asked to."""


@define(eq=False)
class Parts:
    """The daemon's parts. `listeners`: the games', by section of the configuration; `kinds`: which game each has.

    `configure`: reads the configuration again; None where there is no file. `stop`: ends the daemon. `limits`: the
    console's own connections. `certificates`: reads those of TLS listeners anew, and returns by sections why they
    cannot be used, None if they can. `web`: has the web listener take its settings; None where there is none.
    """

    lobby: Lobby
    listeners: Mapping[str, SessionFactory]
    kinds: Mapping[str, str]
    accounts: Accounts
    bans: Bans
    config: Config
    clock: IReactorTime
    limits: ConnectionLimits
    stop: Callable[[], None]
    configure: Callable[[], Config] | None = None
    certificates: Callable[[], Mapping[str, ConfigError | None]] = dict
    web: Callable[[WebConfig], None] | None = None
    levels: LogLevels = field(factory=LogLevels)
    started: float = 0.0
    operators: list[Operator] = field(factory=list)
    entrance: Entrance = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.entrance = Entrance(self.limits)
        self.lobby.alarms.append(self.alarm)
        self.lobby.logins.administrators.append(lambda: (operator.address for operator in self.operators))

    def alarm(self, room: Room, finding: Finding) -> None:
        """Tell all who are logged in of a finding."""
        text = f"{room.id[:SHOWN]} finding {finding.code} seat {finding.seat}: {finding.text}"
        for operator in self.operators:
            # What goes wrong here must not go wrong for the room.
            with log.failureHandler("console: cannot show a finding"):
                operator.tell(printable(text) + "\n")

    def factory(self, game: str) -> SessionFactory | None:
        """Return what makes the sessions of a game's listener, None where it has none."""
        return next((factory for name, factory in self.listeners.items() if self.kinds[name] == game), None)

    @property
    def sessions(self) -> Iterable[tuple[str, Session]]:
        """All connections of games, with their listeners' names."""
        return ((name, session) for name, factory in self.listeners.items() for session in list(factory.sessions))

    @property
    def state(self) -> Path:
        """The state directory."""
        return Path(self.config.store.state)


@define(eq=False)
class Operator:
    """Somebody who is logged in. `door`: telnet, ssh or web. `tell`: shows a text on the terminal at any time.

    `close`: ends the session. `python`: begins a Python prompt, where there may be one.
    """

    parts: Parts
    user: str
    address: str
    door: str
    tell: Callable[[str], None]
    close: Callable[[], None]
    python: Callable[[], None] | None = None
    since: float = 0.0
    port: int | None = None
    """Of `address`; None where a reverse proxy tells the address, and not the port."""

    key: str = ""
    """The key that was shown, as the log has it: its fingerprint and its name; empty with a password."""

    watched: dict[Room, Callable[..., None]] = field(factory=dict)
    _records: dict[str, None] = field(factory=dict)
    refusals_watched: set[str] = field(factory=set)
    """Rooms, by their ids, and listeners, by their names, of which each refusal is shown."""

    @property
    def name(self) -> str:
        """Who this is, in logs."""
        key = f" key={ascii(self.key)[1:-1]}" if self.key else ""
        return f"user={ascii(self.user)[1:-1]} from={self.door} {spelled(self.address, self.port)}{key}"

    def noted(self, line: str, result: str) -> None:
        """Write to the audit log what was done, and what came of it."""
        say(self.name, line, result)

    # Finding what is meant

    def room(self, word: str) -> Room:
        """Return the open room that an id, or the beginning of one, names. Raises ConsoleError."""
        rooms = {room.id: room for room in self.parts.lobby.rooms.values() if not room.is_closed}
        return _only("room", word, rooms)

    def peer(self, word: str) -> Session:
        """Return the session of a peer, by its name or its address with port. Raises ConsoleError."""
        sessions = {session.name: session for _, session in self.parts.sessions}
        found = [session for name, session in sessions.items() if word in (name, name.rpartition("@")[2])]
        if len(found) != 1:
            raise ConsoleError(f"{len(found) or 'no'} peers are called {word}; `players` lists them")
        return found[0]

    def reception(self, game: str) -> Reception:
        """Return the reception of a game's listener. Raises ConsoleError: there is no such game, or no listener."""
        self.check_game(game)
        found = self.parts.factory(game)
        if found is None:
            raise ConsoleError(f"{game} has no listener")
        return found.reception

    def check_game(self, word: str) -> None:
        """Raise ConsoleError if there is no such game."""
        types = self.parts.lobby.game_types
        if word not in types:
            raise ConsoleError(f"there is no game {word}; there are {', '.join(types)}")

    def check_listener(self, word: str) -> None:
        """Raise ConsoleError if there is no such listener."""
        if word not in self.parts.listeners:
            raise ConsoleError(f"there is no listener {word}; there are {', '.join(self.parts.listeners)}")

    def candidates(self, kind: str) -> Iterable[str]:
        """Return what a word of a kind may be, for completion."""
        lobby = self.parts.lobby
        found: Mapping[str, Callable[[], Iterable[str]]] = {
            "GAME": lambda: lobby.game_types,
            "ROOM": lambda: (room.id for room in lobby.rooms.values() if not room.is_closed),
            "PEER": lambda: (session.name for _, session in self.parts.sessions),
            "LISTENER": lambda: self.parts.listeners,
            "CODE": lambda: (reservation.code for reservation in lobby.reservations),
            "RECORD": lambda: self._records,
            "CAUSE": lambda: map(str, Termination),
            "COURSE": self._courses,
            "NETWORK": lambda: (str(network) for network, _ in self.parts.bans),
        }
        return found.get(kind, tuple)()

    def _courses(self) -> Iterable[str]:
        receptions = [factory.reception for factory in self.parts.listeners.values()]
        return [name for reception in receptions if isinstance(reception, HasCourses) for name in reception.known]

    def note_records(self, found: list[Summary]) -> list[Summary]:
        """Take note of the ids of records, for completion, and return these records."""
        self._records |= {record.id: None for record in found}
        while len(self._records) > RECORDS:
            del self._records[next(iter(self._records))]
        return found

    # Watching

    def watch(self, room: Room, call: Callable[..., None]) -> None:
        """Have each step of a room told to a callable, until it is closed."""
        if room not in self.watched:
            self.watched[room] = call
            room.watchers.append(call)

    def watch_refusals(self, key: str) -> None:
        """Show each refusal in a room, given by its id, or of a listener's peers, given by its name."""
        watchers = self.parts.lobby.refusals.watchers
        if self._show_refused not in watchers:
            watchers.append(self._show_refused)
        self.refusals_watched.add(key)

    def _show_refused(self, refused: Refused, line: str) -> None:
        if self.refusals_watched & {refused.room, refused.listener}:
            self.tell(printable(f"refused {refused.refusal.code}: {refused.where}: {line}") + "\n")

    def unwatch(self) -> int:
        """Watch nothing any longer; return how many rooms and listeners were watched."""
        watched, self.watched = self.watched, {}
        for room, call in watched.items():
            room.watchers.remove(call)
        listeners = self.refusals_watched & set(self.parts.listeners)
        self.refusals_watched.clear()
        watchers = self.parts.lobby.refusals.watchers
        if self._show_refused in watchers:
            watchers.remove(self._show_refused)
        return len(watched) + len(listeners)


def _only(what: str, word: str, things: Mapping[str, T]) -> T:
    if len(word) < SHORTEST:
        raise ConsoleError(f"give {SHORTEST} characters of the {what}'s id at least")
    found = [thing for name, thing in things.items() if name.startswith(word.lower())]
    if not found:
        raise ConsoleError(f"there is no {what} {word}")
    if len(found) > 1:
        raise ConsoleError(f"more than one {what}'s id begins with {word}: give more of it")
    return found[0]
