"""Handlers for /api/v1/session: the browser's session, the list of games, and the administrator's login."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred

from gamed import __version__
from gamed.core.reception import SupportsReservations
from gamed.lobby.lobby import Lobby
from gamed.net.game_listeners import GameListeners
from gamed.registry import GameType, WrittenGame, written_games
from gamed.web.answers import Answer, Call, Route
from gamed.web.scenes import short_options
from gamed.web.visitors import NOBODY, Visitor, Visitors


@define(eq=False)
class Sessions:
    """The handlers for sessions."""

    visitors: Visitors
    lobby: Lobby
    games: GameListeners
    written_games: Mapping[str, WrittenGame] = field(factory=written_games)

    @property
    def routes(self) -> Sequence[Route]:
        """The routes of this part of the API."""
        return (
            Route("GET", "session", self._session),
            Route("POST", "session/login", self._login),
            Route("POST", "session/logout", self._logout),
        )

    def _session(self, call: Call) -> Answer:
        visitor = self.visitors.make(call.address, call.browser) if call.visitor is NOBODY else call.visitor
        return self._described(visitor, call)

    def _login(self, call: Call) -> Deferred[Answer]:
        user, password = call.text("user"), call.text("password")
        logged_in = self.visitors.login(call.visitor, user, password, call.address, call.port)
        return logged_in.addCallback(self._described, call)

    def _logout(self, call: Call) -> Answer:
        self.visitors.logout(call.visitor)
        return self._described(call.visitor, call)

    def _described(self, visitor: Visitor, call: Call) -> Answer:
        cookie = f"{call.cookie}={visitor.key}; Path=/; HttpOnly; SameSite=Strict{'; Secure' if call.secure else ''}"
        known = {"token": visitor.token, "browser": visitor.browser, "admin": visitor.admin}
        body = {**known, "version": __version__, "games": list(self._games())}
        return Answer(body=body, headers={"set-cookie": cookie})

    def _games(self) -> Any:
        for kind, settings in self.lobby.settings.items():
            game_type, factory = self.lobby.game_types[kind], self.games.of(kind)
            can = ["watch"]
            if factory is not None and game_type.person is not None:
                can.append("play")
            if factory is not None and isinstance(factory.reception, SupportsReservations):
                can += ["prepare", "from"]
            options = game_type.options(settings)
            yield {
                "kind": kind,
                "name": game_type.title or kind.capitalize(),
                "icon": _has_icon(game_type),
                "can": can,
                "bots": list(game_type.players),
                "opponents": list(game_type.opponents(settings)),
                "options": short_options(options),
            }
        for kind, game in self.written_games.items():
            yield {
                "kind": kind,
                "name": game.title,
                "icon": _has_icon(game),
                "can": ["record"],
                "bots": [],
                "opponents": [],
                "options": {},
                "sides": game.sides,
                "byPoints": game.by_points,
                "formats": game.page_formats,
            }


def _has_icon(game: GameType | WrittenGame) -> bool:
    return (game.folder / "static" / "icon.svg").is_file()
