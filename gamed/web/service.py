"""Puts the web listener together: its site, what it collects from, and when the daemon is ready."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Protocol

from twisted.internet.defer import Deferred

from gamed.admin.accounts import Accounts
from gamed.admin.operators import Operators
from gamed.config import WebConfig
from gamed.lobby.lobby import Lobby
from gamed.net.game_listeners import GameListeners
from gamed.net.limits import Bans, ConnectionLimits
from gamed.net.listener import Listener, expiries
from gamed.web.answers import Answer, Call, Route
from gamed.web.api import Api
from gamed.web.archive import Archive
from gamed.web.compression import gzipped
from gamed.web.imports import Importing
from gamed.web.live import Feeds
from gamed.web.metrics import DaemonCollector, registry
from gamed.web.naming import Naming
from gamed.web.play import Play
from gamed.web.prepared import Address, PreparedRooms
from gamed.web.proxies import networks
from gamed.web.recordings import Recordings
from gamed.web.rooms import Rooms
from gamed.web.seats import Seats
from gamed.web.sessions import Sessions
from gamed.web.site import Problems, Root, WebSite
from gamed.web.static_files import FOLDER
from gamed.web.topics import Topics
from gamed.web.visitors import Visitors


class Watched(Protocol):
    """A journal that says what is wrong with it."""

    @property
    def failed(self) -> Exception | None:
        """What went wrong with syncing, or None."""

    @property
    def damaged(self) -> Sequence[Path]:
        """The damaged segments that are kept aside."""


def web_site(  # noqa: PLR0913 (what the pages need of the daemon)
    *,
    config: WebConfig,
    lobby: Lobby,
    games: GameListeners,
    listeners: Sequence[Listener],
    accounts: Accounts,
    operators: Operators,
    bans: Bans,
    importing: Importing,
    reactor: Any,
    in_thread: Callable[..., Deferred[Any]],
    most: int,
) -> WebSite:
    """Return the site of a daemon. `most`: how many connections there can be, whatever the configuration says."""
    factories = games.factories
    ready = readiness(listeners, lobby.journal, lobby)
    collector = DaemonCollector(
        lobby.stats,
        lobby.rooms.values,
        lambda: lobby.record_writer.unstored,
        traffic={name: factory.traffic for name, factory in factories.items()},
        sessions={name: factory.sessions for name, factory in factories.items()},
        problems=ready,
        expiries=partial(expiries, listeners),
        warnings=partial(damage, lobby.journal),
    )
    limits = ConnectionLimits("web", min(config.connections, most), config.connections_per_address, bans, most)
    naming = Naming(config.addresses)
    feeds = Feeds(lobby, reactor, naming)
    seats = Seats(lobby, games, feeds, grace=config.grace_seconds, random=_random, elsewhere=in_thread)
    visitors = Visitors(reactor, accounts, operators)
    prepared = PreparedRooms(lobby, partial(_address, games, listeners))
    rooms, play = Rooms(lobby, games, feeds, prepared), Play(seats)
    made = (
        Sessions(visitors, lobby, games),
        prepared,
        rooms,
        play,
        Topics(feeds.lines, {"rooms": rooms.stream, "seats": play.stream}),
        Archive(lobby.store, importing, lobby.game_types, is_on_its_way=lobby.recorder.is_on_its_way, naming=naming),
        Recordings(lobby.store, importing, reactor.seconds),
    )
    routes = [*(route for part in made for route in part.routes), described]
    api = Api(routes, visitors)
    api.compress = partial(in_thread, gzipped)
    root = Root(registry(collector), ready, api, collector.warnings)
    root.files.page()
    site = WebSite(root, frozenset(config.hosts.split()), reactor, limits)
    site.proxies = networks(config.proxies)
    site.stopping += (seats.stop, feeds.stop)

    def take(settings: WebConfig) -> None:
        site.hosts, site.proxies = frozenset(settings.hosts.split()), networks(settings.proxies)
        limits.total, limits.per_address = min(settings.connections, most), settings.connections_per_address
        seats.grace, naming.shows_addresses = settings.grace_seconds, settings.addresses

    site.configure = take
    return site


def _address(games: GameListeners, listeners: Iterable[Listener], game: str) -> Address | None:
    """Return where programs reach a game; None: it has no listener, or one without a port."""
    for listener in listeners:
        port = None if listener.port is None else getattr(listener.port.getHost(), "port", None)
        if port is not None and games.kinds.get(listener.section) == game:
            return Address(port, listener.certificates is not None)
    return None


def _random() -> Random:
    return Random(secrets.randbits(64))  # noqa: S311 (a game's chance)


def _description(_call: Call) -> Answer:
    return Answer(raw=(FOLDER / "openapi.json").read_bytes())


described = Route("GET", "openapi.json", _description)
"""What the API says of itself."""


def readiness(listeners: Iterable[Listener], journal: Watched, lobby: Lobby) -> Problems:
    """Return what says why the daemon should be sent no players: a sentence for each part that is not ready."""
    known = list(listeners)

    def problems() -> Mapping[str, str]:
        found = {listener.section: "does not listen" for listener in known if listener.port is None}
        if lobby.is_draining:
            found["lobby"] = "drains: no new games begin, and the daemon stops after those that run"
        if lobby.delivery.outage.reason:
            found["journal"] = lobby.delivery.outage.reason
        elif journal.failed is not None:
            found["journal"] = f"cannot be synced: {journal.failed}"
        if lobby.store.silence:
            found["store"] = f"{lobby.store.silence}; {lobby.record_writer.unstored} ended games wait to be stored"
        elif lobby.record_writer.reason and lobby.record_writer.unstored:
            found["store"] = f"{lobby.record_writer.unstored} ended games wait to be stored; see the log"
        return found

    return problems


def damage(journal: Watched) -> Mapping[str, str]:
    """Return what an administrator should see to: a sentence for each part."""
    damaged = journal.damaged
    if not damaged:
        return {}
    names = ", ".join(map(str, damaged))
    return {"journal": f"damaged, see the log: {names}; copy what you want to look into, then remove it"}
