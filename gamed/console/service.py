"""The service of the console: its listeners, the accounts, the level of the log, and SSH's host key."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from gamed.admin.accounts import Accounts, Secret, secrets_of
from gamed.admin.operators import Operators
from gamed.config import Config, with_password
from gamed.console.entrance import Entrance
from gamed.console.levels import LogLevels
from gamed.console.operator import CommandServices
from gamed.console.reload import Reloader
from gamed.lobby.lobby import Lobby
from gamed.net.game_listeners import GameListeners
from gamed.net.late import LateFactory
from gamed.net.limits import Bans, ConnectionLimits
from gamed.net.listener import Listener
from gamed.registry import Named

log = Logger()

# Imported at the first connection, or if the configuration has SSH: importing conch takes 40 ms and more.
_telnet_factory = Named("gamed.console.telnet.TelnetFactory")
_ssh_factory = Named("gamed.console.ssh.SSHConsoleFactory")


@define(eq=False)
class Console(Service):
    """Prepares the console when the daemon starts."""

    services: CommandServices
    accounts: Accounts

    is_open: bool
    """Whether somebody can log in, here or to the pages."""

    listeners: list[Listener] = field(factory=list)

    prepare: Callable[[], None] | None = None
    """Reads or makes SSH's host key. Raises ConfigError. None if there is no SSH."""

    def startService(self) -> None:
        """Hash the passwords, set the level of the log, and prepare the host key."""
        super().startService()  # type: ignore[no-untyped-call]
        services = self.services
        config = services.reloader.config.console
        services.started = services.clock.seconds()
        if not self.is_open:
            return
        self.accounts.secrets = secrets_of(config.everybody)
        if not config.accounts and not config.password:
            self.accounts.secrets[config.user] = Secret.of(with_password("console", config).password)
        services.levels.change(config.log_level)
        if self.prepare is not None:
            self.prepare()


def console(  # noqa: PLR0913 (what the console and its commands need)
    *,
    config: Config,
    telnet: str,
    is_open: bool,
    lobby: Lobby,
    listeners: GameListeners,
    bans: Bans,
    reactor: Any,
    configure: Callable[[], Config] | None,
    in_thread: Callable[..., Deferred[Any]],
) -> Console:
    """Return the console. Without a listener and without pages, it still takes a changed configuration.

    `telnet`: its endpoint; empty for none. `configure`: reads the configuration again. The games, which commands show,
    are imported before the first connection is accepted.
    """
    settings = config.console
    accounts, operators = Accounts({}, reactor, in_thread, lobby.logins), Operators(settings.idle_seconds)
    limits = ConnectionLimits("console", settings.connections, settings.connections, bans)
    entrance = Entrance(limits)
    entrance.open_to(settings.connections)
    levels = LogLevels()
    reloader = Reloader(
        config=config,
        read=configure,
        lobby=lobby,
        listeners=listeners,
        accounts=accounts,
        operators=operators,
        open_to=entrance.open_to,
        levels=levels,
    )
    services = CommandServices(
        lobby=lobby,
        listeners=listeners,
        operators=operators,
        bans=bans,
        limits=limits,
        levels=levels,
        reloader=reloader,
        state=Path(config.store.state),
        clock=reactor,
        stop=_terminate,
    )
    made = Console(services, accounts, is_open)
    lobby.alarms.append(operators.alarm)
    lobby.logins.administrators.append(operators.addresses)
    if telnet:

        def make_telnet() -> Any:
            listeners.load()
            return _telnet_factory(services, accounts, entrance)

        late = LateFactory("console", make_telnet)
        made.listeners.append(Listener("console", telnet, late, reactor, load=partial(in_thread, late.get)))
    if settings.ssh:
        # Imported at the start, because the daemon must not start if the host key cannot be used.
        factory = _ssh_factory(services, accounts, entrance)
        made.prepare = factory.prepare
        made.listeners.append(
            Listener("console", settings.ssh, factory, reactor, load=partial(in_thread, listeners.load))
        )
    return made


def _terminate() -> None:
    # The same way and exit status as a stop by systemd.
    os.kill(os.getpid(), signal.SIGTERM)
