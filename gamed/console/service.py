"""The console as a service: its listeners, the accounts, the log's level, and SSH's host key."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.logger import Logger

from gamed.admin.accounts import Accounts, Secret, secrets_of
from gamed.admin.operators import Operators
from gamed.config import Config, with_password
from gamed.console.entrance import Entrance
from gamed.console.levels import LogLevels
from gamed.console.operator import CommandServices
from gamed.console.reload import Reloader
from gamed.console.telnet import TelnetFactory
from gamed.lobby.lobby import Lobby
from gamed.net.game_listeners import GameListeners
from gamed.net.limits import Bans, ConnectionLimits
from gamed.net.listener import Listener

log = Logger()


@define(eq=False)
class Console(Service):
    """What the console needs of the daemon's start. `prepare`: makes ready what SSH needs. Raises ConfigError."""

    services: CommandServices
    accounts: Accounts
    listeners: list[Listener] = field(factory=list)
    prepare: Callable[[], None] | None = None

    def startService(self) -> None:
        """Make ready: the passwords' hashes, the log's level, the host key."""
        super().startService()  # type: ignore[no-untyped-call]
        services = self.services
        config = services.reloader.config.console
        services.started = services.clock.seconds()
        self.accounts.secrets = secrets_of(config.everybody)
        if not config.accounts and not config.password:
            self.accounts.secrets[config.user] = Secret.of(with_password("console", config).password)
        for account in config.accounts:
            if not account.password and not account.authorized_keys:
                log.warn("console: user {user} has neither a password nor authorized keys", user=account.user)
        services.levels.change(config.log_level)
        if self.prepare is not None:
            self.prepare()


def console(  # noqa: PLR0913 (what the console and its commands need of the daemon)
    *,
    config: Config,
    telnet: str,
    lobby: Lobby,
    listeners: GameListeners,
    accounts: Accounts,
    operators: Operators,
    bans: Bans,
    reactor: Any,
    configure: Callable[[], Config] | None,
) -> Console:
    """Return the console. `telnet`: its endpoint, or nothing; `configure`: reads the configuration again."""
    settings = config.console
    limits = ConnectionLimits("console", settings.connections, settings.connections, bans)
    levels = LogLevels()
    reloader = Reloader(
        config=config,
        read=configure,
        lobby=lobby,
        listeners=listeners,
        accounts=accounts,
        operators=operators,
        limits=limits,
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
    made, entrance = Console(services, accounts), Entrance(limits)
    lobby.alarms.append(operators.alarm)
    lobby.logins.administrators.append(operators.addresses)
    if telnet:
        made.listeners.append(Listener("console", telnet, TelnetFactory(services, accounts, entrance), reactor))
    if settings.ssh:
        # Importing conch's SSH takes a while, and installs a reactor.
        from gamed.console.ssh import SSHConsoleFactory  # noqa: PLC0415

        factory = SSHConsoleFactory(services, accounts, entrance)
        made.prepare = factory.prepare
        made.listeners.append(Listener("console", settings.ssh, factory, reactor))
    return made


def _terminate() -> None:
    # As systemd stops it: one way to stop, and the same exit status.
    os.kill(os.getpid(), signal.SIGTERM)
