"""Apply a changed configuration while the daemon runs: some settings now, some later, some only after a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs
from attrs import define

from gamed.admin.accounts import Accounts, Secret, secrets_of
from gamed.admin.operators import Operators
from gamed.config import Config, ConsoleConfig, WebConfig
from gamed.console.levels import LogLevels
from gamed.console.render import Facts
from gamed.core.errors import ConfigError, ConsoleError
from gamed.lobby.lobby import Lobby
from gamed.net.factory import SessionFactory
from gamed.net.game_listeners import GameListeners
from gamed.registry import ListenerSettings

FACTORY: Final = ("unsent_bytes", "messages_per_second", "message_seconds")
"""Settings of a listener that its sessions read each time."""

AT_START: Final = ("endpoint", "replays")
"""Settings that are read only when the daemon starts."""

# The parts of the answer.
CHANGED: Final = "changed"
LATER: Final = "for new rooms and connections"
RESTART: Final = "needs a restart"
UNUSABLE: Final = "cannot be used"


@define(eq=False, kw_only=True)
class Reloader:
    """Applies a changed configuration to all parts of the running daemon."""

    config: Config
    """The current configuration."""

    read: Callable[[], Config] | None
    """Reads it again. Raises ConfigError. None if the daemon was started without a file."""

    lobby: Lobby
    listeners: GameListeners
    accounts: Accounts
    operators: Operators

    open_to: Callable[[int], None]
    """Sets how many operators may use the console at the same time."""

    levels: LogLevels

    certificates: Callable[[], Mapping[str, ConfigError | None]] = dict
    """Reads the certificates of TLS listeners again. Returns, by section, why they cannot be used, None if they can."""

    web: Callable[[WebConfig], None] | None = None
    """Gives the web listener its settings; None if there is no web listener."""

    def reload(self) -> Facts:
        """Read the configuration, and apply it. Raises ConfigError and changes nothing."""
        if self.read is None:
            raise ConsoleError("the daemon was started without a configuration file")
        before, config = self.config, self.read()
        self._receptions(before, config)
        now: list[str] = []
        later: list[str] = []
        restart = [f"[store] {name}" for name in _changed(before.store, config.store)]
        for name, factory in self.listeners.factories.items():
            old, new = before.listeners[name], config.listeners[name]
            takes = _take_limits(factory, new)
            takes = (*takes, "password") if getattr(new, "password", "") else takes
            self.lobby.settings.update({made.kind: new for made in self.listeners.by_section[name].game_types})
            for key in _changed(old, new):
                # A reception keeps its password if the configuration has none.
                kept = key in AT_START or (key == "password" and key not in takes)
                (restart if kept else now if key in takes else later).append(f"[{name}] {key}")
        console_now, console_restart = self._console(before.console, config.console)
        web_now, web_restart = self._web(before.web, config.web)
        self.config = config
        certificates = self.certificates()
        now += [f"[{section}] certificates" for section, error in certificates.items() if error is None]
        unusable = [f"[{section}] {error}" for section, error in certificates.items() if error is not None]
        return Facts(
            {
                CHANGED: [*now, *console_now, *web_now],
                LATER: later,
                RESTART: [*restart, *console_restart, *web_restart],
                **({UNUSABLE: unusable} if unusable else {}),
            }
        )

    def _receptions(self, before: Config, config: Config) -> None:
        """Give all receptions their settings. Raises ConfigError and changes none of them."""
        configured: list[str] = []
        try:
            for name in self.listeners.factories:
                self.listeners.by_section[name].configure(config.listeners[name])
                configured.append(name)
        except ConfigError:
            for name in configured:
                self.listeners.by_section[name].configure(before.listeners[name])
            raise

    def _console(self, old: ConsoleConfig, new: ConsoleConfig) -> tuple[list[str], list[str]]:
        changed = set(_changed(old, new))
        restart = sorted(changed & {"telnet", "ssh"})
        if "password" in changed and not new.password:
            # There is no default password: without one, a random one is made, but only at a start.
            restart.append("password")
        if changed & {"user", "password", "accounts"} and self.accounts.secrets:
            self._take_accounts(old, new)
        self.open_to(new.connections)
        self.operators.idle_seconds = new.idle_seconds
        if "log_level" in changed:
            self.levels.change(new.log_level)
        now = sorted(changed.difference(restart))
        return [f"[console] {key}" for key in now], [f"[console] {key}" for key in restart]

    def _take_accounts(self, old: ConsoleConfig, new: ConsoleConfig) -> None:
        """Replace the accounts, and end the sessions of removed accounts."""
        known = self.accounts.secrets
        has_new = new.password and new.password != old.password
        first = Secret.of(new.password) if has_new else known[old.user]
        self.accounts.secrets = secrets_of(new.accounts, old.accounts, known) | {new.user: first}
        gone = {account.user for account in old.accounts} - set(self.accounts.secrets)
        for operator in self.operators:
            if operator.user in gone:
                operator.close()

    def _web(self, old: WebConfig, new: WebConfig) -> tuple[list[str], list[str]]:
        changed = {key: f"[web] {key}" for key in _changed(old, new)}
        if self.web is None:
            return [], list(changed.values())
        self.web(new)
        restart = [changed.pop(key) for key in AT_START if key in changed]
        return list(changed.values()), restart


def _changed(old: Any, new: Any) -> Iterator[str]:
    return (key.name for key in attrs.fields(type(old)) if getattr(old, key.name) != getattr(new, key.name))


def _take_limits(factory: SessionFactory, settings: ListenerSettings) -> tuple[str, ...]:
    limits = factory.limits
    limits.total = min(settings.connections, limits.most)
    limits.per_address = settings.connections_per_address
    limits.per_second = settings.connections_per_second
    for name in FACTORY:
        setattr(factory, name, getattr(settings, name))
    return ("connections", "connections_per_address", "connections_per_second", *FACTORY)
