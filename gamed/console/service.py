"""The console as a service: its listeners, the accounts, the log's level, and SSH's host key."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from gamed.config import Config, with_password
from gamed.console.accounts import Accounts, Secret, secrets_of
from gamed.console.operator import Parts
from gamed.console.telnet import TelnetFactory
from gamed.lobby.lobby import Lobby
from gamed.net.factory import SessionFactory
from gamed.net.limits import Bans, ConnectionLimits
from gamed.net.listener import Listener

log = Logger()


@define(eq=False)
class Console(Service):
    """What the console needs of the daemon's start. `prepare`: makes ready what SSH needs. Raises ConfigError."""

    parts: Parts
    listeners: list[Listener] = field(factory=list)
    prepare: Callable[[], None] | None = None

    def startService(self) -> None:
        """Make ready: the passwords' hashes, the log's level, the host key."""
        super().startService()  # type: ignore[no-untyped-call]
        parts = self.parts
        config = parts.config.console
        parts.started = parts.clock.seconds()
        parts.accounts.secrets = secrets_of(config.everybody)
        if not config.accounts and not config.password:
            parts.accounts.secrets[config.user] = Secret.of(with_password("console", config).password)
        for account in config.accounts:
            if not account.password and not account.authorized_keys:
                log.warn("console: user {user} has neither a password nor authorized keys", user=account.user)
        parts.levels.change(config.log_level)
        if self.prepare is not None:
            self.prepare()


def console(  # noqa: PLR0913, PLR0917 (the parts that the daemon is put together from)
    config: Config,
    telnet: str | None,
    lobby: Lobby,
    served: Mapping[str, tuple[str, SessionFactory]],
    bans: Bans,
    reactor: Any,
    configure: Callable[[], Config] | None,
    *,
    has_web: bool = False,
) -> Console | None:
    """Return the console, or None where it has no endpoint. `telnet`: in place of the configuration's endpoint.

    `served`: by the listener's name, the kind of its game and its sessions. `has_web`: it has the accounts that the web
    listener asks for, so it is there without an endpoint, too.
    """
    settings = config.console
    telnet = settings.telnet if telnet is None else telnet
    if not telnet and not settings.ssh and not has_web:
        return None
    parts = Parts(
        lobby=lobby,
        listeners={name: factory for name, (_, factory) in served.items()},
        kinds={name: kind for name, (kind, _) in served.items()},
        accounts=Accounts({}, reactor, partial(_in_thread, reactor), lobby.logins),
        bans=bans,
        config=config,
        clock=reactor,
        limits=ConnectionLimits("console", settings.connections, settings.connections, bans),
        stop=_terminate,
        configure=configure,
    )
    made = Console(parts)
    if telnet:
        made.listeners.append(Listener("console", telnet, TelnetFactory(parts), reactor))
    if settings.ssh:
        # Importing conch's SSH takes a while, and installs a reactor.
        from gamed.console.ssh import SSHConsoleFactory  # noqa: PLC0415

        factory = SSHConsoleFactory(parts)
        made.prepare = factory.prepare
        made.listeners.append(Listener("console", settings.ssh, factory, reactor))
    return made


def _in_thread(reactor: Any, call: Callable[..., object], *arguments: object) -> Any:
    return deferToThreadPool(reactor, reactor.getThreadPool(), call, *arguments)


def _terminate() -> None:
    # As systemd stops it: one way to stop, and the same exit status.
    os.kill(os.getpid(), signal.SIGTERM)
