"""Builds the web listener's site from the daemon's parts, and defines when the daemon is ready."""

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
from gamed.records.importer import Importer
from gamed.web.answers import Answer, Call, Route
from gamed.web.api import Api
from gamed.web.archive import Archive
from gamed.web.compression import gzipped
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
from gamed.web.site import Problems, Root, WebSite, policy
from gamed.web.static_files import FOLDER
from gamed.web.topics import Topics
from gamed.web.visitors import Visitors


class JournalHealth(Protocol):
    """What the health checks read of a journal."""

    @property
    def failed(self) -> Exception | None:
        """Why the journal cannot be synced, or None."""

    @property
    def damaged(self) -> Sequence[Path]:
        """The damaged segments that were set aside."""


def web_site(  # noqa: PLR0913 (the parts of the daemon that the web uses)
    *,
    config: WebConfig,
    lobby: Lobby,
    games: GameListeners,
    listeners: Sequence[Listener],
    accounts: Accounts,
    operators: Operators,
    bans: Bans,
    importer: Importer,
    reactor: Any,
    in_thread: Callable[..., Deferred[Any]],
    most: int,
    warnings: Mapping[str, str],
) -> WebSite:
    """Return the site of a daemon.

    `most` is the number of connections that the process can have at most. `warnings`: of parts of the daemon, for
    `/readyz`; those of the journal are added.
    """
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
        warnings=lambda: {**warnings, **damage(lobby.journal)},
    )
    limits = ConnectionLimits("web", min(config.connections, most), config.connections_per_address, bans, most)
    naming = Naming(config.addresses)
    feeds = Feeds(lobby, reactor, naming)
    seats = Seats(lobby, games, feeds, grace=config.grace_seconds, random=_random, elsewhere=in_thread)
    visitors = Visitors(reactor, accounts, operators)
    prepared = PreparedRooms(lobby, partial(_address, games, listeners))
    rooms, play = Rooms(lobby, games, feeds, prepared), Play(seats)
    parts = (
        Sessions(visitors, lobby, games),
        prepared,
        rooms,
        play,
        Topics(feeds.lines, {"rooms": rooms.stream, "seats": play.stream}),
        Archive(
            lobby.store,
            importer,
            lobby.game_types,
            withheld=lobby.withheld,
            is_on_its_way=lobby.recorder.is_on_its_way,
            naming=naming,
            owners=visitors.owners,
        ),
        Recordings(lobby.store, importer, reactor.seconds),
    )
    routes = [*(route for part in parts for route in part.routes), description]
    api = Api(routes, visitors)
    api.compress = partial(in_thread, gzipped)
    root = Root(registry(collector), ready, api, collector.warnings)
    root.files.page()
    site = WebSite(root, frozenset(config.hosts.split()), reactor, limits)
    site.proxies, site.policy = networks(config.proxies), policy(config.frame_ancestors)
    site.stopping += (seats.stop, feeds.stop)

    def take(settings: WebConfig) -> None:
        site.hosts, site.proxies = frozenset(settings.hosts.split()), networks(settings.proxies)
        site.policy = policy(settings.frame_ancestors)
        limits.total, limits.per_address = min(settings.connections, most), settings.connections_per_address
        seats.grace, naming.shows_addresses = settings.grace_seconds, settings.addresses

    site.configure = take
    return site


def _address(games: GameListeners, listeners: Iterable[Listener], game: str) -> Address | None:
    """Return where programs can connect to a game; None if no listener of it has a TCP port."""
    sections = {section for section, each in games.by_section.items() if each is games.by_kind.get(game)}
    for listener in listeners:
        port = None if listener.port is None else getattr(listener.port.getHost(), "port", None)
        if port is not None and listener.section in sections:
            return Address(port, listener.certificates is not None)
    return None


def _random() -> Random:
    return Random(secrets.randbits(64))  # noqa: S311 (for a game, not for a secret)


def _description(_call: Call) -> Answer:
    return Answer(raw=(FOLDER / "openapi.json").read_bytes())


description = Route("GET", "openapi.json", _description)
"""The description of the API."""


def readiness(listeners: Iterable[Listener], journal: JournalHealth, lobby: Lobby) -> Problems:
    """Return a function that returns a sentence for each part that is not ready to serve players."""
    known = list(listeners)

    def problems() -> Mapping[str, str]:
        found = {listener.section: "does not listen" for listener in known if listener.port is None}
        if lobby.is_draining:
            found["lobby"] = "draining: no new games begin, and the daemon stops when the running ones have ended"
        if lobby.delivery.outage.reason:
            found["journal"] = lobby.delivery.outage.reason
        elif journal.failed is not None:
            found["journal"] = f"cannot be synced: {journal.failed}"
        if lobby.store.silence:
            found["store"] = f"{lobby.store.silence}; {lobby.record_writer.unstored} ended games are not stored yet"
        elif lobby.record_writer.reason and lobby.record_writer.unstored:
            found["store"] = f"{lobby.record_writer.unstored} ended games are not stored yet; see the log"
        return found

    return problems


def damage(journal: JournalHealth) -> Mapping[str, str]:
    """Return a warning if segments of the journal are damaged."""
    damaged = journal.damaged
    if not damaged:
        return {}
    names = ", ".join(map(str, damaged))
    return {"journal": f"damaged, see the log: {names}; copy the files if you want to examine them, then remove them"}
