"""The listeners of all games, for the console and the web pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from gamed.net.factory import SessionFactory
from gamed.net.session import Session


@frozen(eq=False)
class GameListeners:
    """All listeners of games, by their sections of the configuration."""

    factories: Mapping[str, SessionFactory]
    """The session factory of each listener."""

    kinds: Mapping[str, str]
    """The game of each listener."""

    def of(self, game: str) -> SessionFactory | None:
        """Return the session factory of a game's listener, or None if the game has no listener."""
        return next((factory for name, factory in self.factories.items() if self.kinds[name] == game), None)

    @property
    def sessions(self) -> Iterable[tuple[str, Session]]:
        """The sessions of all listeners, with the listeners' names."""
        return ((name, session) for name, factory in self.factories.items() for session in list(factory.sessions))
