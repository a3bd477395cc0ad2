"""The listeners of games, for those who look at all of them: operators and browsers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from gamed.net.factory import SessionFactory
from gamed.net.session import Session


@frozen(eq=False)
class GameListeners:
    """All listeners of games, by their sections of the configuration."""

    factories: Mapping[str, SessionFactory]
    """What makes each one's sessions."""

    kinds: Mapping[str, str]
    """Which game each one has."""

    def of(self, game: str) -> SessionFactory | None:
        """Return what makes the sessions of a game's listener, None where it has none."""
        return next((factory for name, factory in self.factories.items() if self.kinds[name] == game), None)

    @property
    def sessions(self) -> Iterable[tuple[str, Session]]:
        """All connections of games, with their listeners' names."""
        return ((name, session) for name, factory in self.factories.items() for session in list(factory.sessions))
