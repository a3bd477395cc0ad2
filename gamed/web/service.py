"""Puts the web listener together: its site, what it collects from, and when the daemon is ready."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from gamed.lobby.lobby import Lobby
from gamed.net.listener import Listener
from gamed.net.session import SessionFactory
from gamed.web.metrics import DaemonCollector, registry
from gamed.web.site import Problems, Root, WebSite


class Syncing(Protocol):
    """A journal that says whether it can sync."""

    @property
    def failed(self) -> Exception | None:
        """What went wrong with syncing, or None."""


def web_site(
    lobby: Lobby, factories: Mapping[str, SessionFactory], ready: Problems, hosts: str, reactor: Any
) -> WebSite:
    """Return the site of a daemon. `hosts`: the names by which it may be called, separated by blanks."""
    collector = DaemonCollector(
        lobby.tally,
        lobby.rooms.values,
        lambda: lobby.unstored,
        {name: factory.traffic for name, factory in factories.items()},
        {name: factory.sessions for name, factory in factories.items()},
    )
    return WebSite(Root(registry(collector), ready), frozenset(hosts.split()), reactor)


def readiness(listeners: Iterable[Listener], journal: Syncing, lobby: Lobby) -> Problems:
    """Return what says why the daemon should be sent no players: a sentence for each part that is not ready."""
    known = list(listeners)

    def problems() -> Mapping[str, str]:
        found = {listener.section: "does not listen" for listener in known if listener.port is None}
        if lobby.outage.reason:
            found["journal"] = lobby.outage.reason
        elif journal.failed is not None:
            found["journal"] = f"cannot be synced: {journal.failed}"
        if lobby.tally.keep_errors and lobby.unstored:
            found["store"] = f"{lobby.unstored} ended games wait to be stored; see the log"
        return found

    return problems
