"""What serves the peers of each game, for the daemon, the console and the web pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from attrs import Factory, define, field, frozen

from gamed.core.reception import LobbyServices, Reception
from gamed.net.factory import SessionFactory
from gamed.net.late import Late
from gamed.net.session import Session
from gamed.registry import GameType


@define(eq=False)
class GameListener:
    """Games and the sessions of their peers. Their code is imported, and the reception made, for the first of them."""

    game_types: Sequence[GameType]
    """The games of the listener. They have the same `GameType.hosted`."""

    settings: Any
    """Those of the start, with a password if the listener needs one."""

    services: LobbyServices

    entrance: SessionFactory
    """Makes the sessions of fixtures' players, who are let in whatever the limits of the public port are."""

    factory: SessionFactory | None
    """Makes those of the listener; None: it is switched off."""

    _latest: Any = field(default=None, init=False)
    """The settings of the last reload."""

    _reception: Late[Reception] = field(default=Factory(lambda self: Late(self._make), takes_self=True), init=False)

    def load(self) -> None:
        """Import the games, and make their reception, once. Call it in a thread. Raises ConfigError."""
        self._reception.get()

    def load_games(self) -> None:
        """Import the games. Call it in a thread."""
        for made in self.game_types:
            made.load()

    def _make(self) -> Reception:
        self.load_games()
        reception = self.game_types[0].hosted().reception(self.settings, self.services)
        if self._latest is not None:
            reception.configure(self._latest)
        self._serve(reception, self._latest or self.settings)
        return reception

    def _serve(self, reception: Reception, settings: Any) -> None:
        connect = partial(self.game_types[0].hosted().connection, settings)
        for factory in {self.entrance, self.factory or self.entrance}:
            # The last one lets peers in.
            factory.reception, factory.connect = reception, connect

    def configure(self, settings: Any) -> None:
        """Replace the settings. Raises ConfigError and changes nothing if they cannot be used."""
        if self._reception.is_wanted:
            reception = self._reception.get()
            reception.configure(settings)
            self._serve(reception, settings)
        else:
            for made in self.game_types:
                made.check(settings)
        self._latest = settings


@frozen(eq=False, slots=False)
class GameListeners:
    """All games, by their sections of the configuration."""

    by_section: Mapping[str, GameListener]

    @cached_property
    def factories(self) -> Mapping[str, SessionFactory]:
        """The session factory of each listener that is on."""
        return {name: each.factory for name, each in self.by_section.items() if each.factory is not None}

    @property
    def by_kind(self) -> Mapping[str, GameListener]:
        """All of them, by the kinds of their games."""
        return {made.kind: each for each in self.by_section.values() for made in each.game_types}

    def load(self) -> None:
        """Import all games: console and pages show those without a listener, too, as records. Call it in a thread."""
        for each in self.by_section.values():
            each.load_games() if each.factory is None else each.load()

    def of(self, game: str) -> SessionFactory | None:
        """Return the session factory of a game's listener, or None if the game has no listener."""
        return self.by_kind[game].factory if game in self.by_kind else None

    @property
    def sessions(self) -> Iterable[tuple[str, Session]]:
        """The sessions of all listeners, with the listeners' names."""
        return ((name, session) for name, factory in self.factories.items() for session in list(factory.sessions))
