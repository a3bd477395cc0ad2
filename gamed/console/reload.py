"""The configuration read again while the daemon runs: what holds at once, what later, and what needs a restart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import attrs

from gamed.config import Config, ConsoleConfig
from gamed.console.accounts import Secret, secrets_of
from gamed.console.operator import ConsoleError, Parts
from gamed.console.render import Facts
from gamed.errors import ConfigError
from gamed.net.factory import SessionFactory
from gamed.registry import ListenerSettings

FACTORY: Final = ("unsent_bytes", "messages_per_second", "message_seconds")
"""Settings of a listener that its sessions look up each time."""

RESTART: Final = ("endpoint", "replays")


def reloaded(parts: Parts) -> Facts:
    """Read the configuration, and change what can be changed. Raises ConfigError, and changes nothing then."""
    if parts.configure is None:
        raise ConsoleError("the daemon was started without a configuration file")
    before, config = parts.config, parts.configure()
    _receptions(parts, before, config)
    now: list[str] = []
    later: list[str] = []
    restart = [f"[store] {name}" for name in _changed(before.store, config.store)]
    for name, factory in parts.listeners.items():
        old, new = before.listeners[name], config.listeners[name]
        changed = list(_changed(old, new))
        takes = _take_limits(factory, new)
        takes = (*takes, "password") if getattr(new, "password", "") else takes
        factory.connect = partial(parts.lobby.game_types[parts.kinds[name]].connection, new)
        parts.lobby.settings[parts.kinds[name]] = new
        for key in changed:
            # A reception that cannot be told of a password keeps the one that it has.
            kept = key in RESTART or (key == "password" and key not in takes)
            (restart if kept else now if key in takes else later).append(f"[{name}] {key}")
    console_now, console_restart = _console(parts, before, config)
    web_now, web_restart = _web(parts, before, config)
    parts.config = config
    now += [f"[{section}] certificates" for section in parts.certificates()]
    return Facts(
        {
            "changed": [*now, *console_now, *web_now],
            "for new rooms and connections": later,
            "needs a restart": [*restart, *console_restart, *web_restart],
        }
    )


def _receptions(parts: Parts, before: Config, config: Config) -> None:
    """Have all receptions take their settings, or none of them. Raises ConfigError."""
    told: list[str] = []
    try:
        for name, factory in parts.listeners.items():
            factory.reception.configure(config.listeners[name])
            told.append(name)
    except ConfigError:
        for name in told:
            parts.listeners[name].reception.configure(before.listeners[name])
        raise


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


def _console(parts: Parts, before: Config, config: Config) -> tuple[list[str], list[str]]:
    new = config.console
    changed = set(_changed(before.console, new))
    restart = sorted(changed & {"telnet", "ssh"})
    if "password" in changed and not new.password:
        # No password works by default: a random one is made at a start only.
        restart.append("password")
    if changed & {"user", "password", "accounts"}:
        _take_accounts(parts, before.console, new)
    parts.limits.total = parts.limits.per_address = new.connections
    if "log_level" in changed:
        parts.levels.change(new.log_level)
    return [f"[console] {key}" for key in sorted(changed.difference(restart))], [f"[console] {key}" for key in restart]


def _take_accounts(parts: Parts, old: ConsoleConfig, new: ConsoleConfig) -> None:
    """Have other accounts from now on, and end the sessions of those that are gone."""
    known = parts.accounts.secrets
    has_new = new.password and new.password != old.password
    first = Secret.of(new.password) if has_new else known[old.user]
    parts.accounts.secrets = secrets_of(new.accounts, old.accounts, known) | {new.user: first}
    gone = {account.user for account in old.accounts} - set(parts.accounts.secrets)
    for operator in [operator for operator in parts.operators if operator.user in gone]:
        operator.close()


def _web(parts: Parts, before: Config, config: Config) -> tuple[list[str], list[str]]:
    changed = {key: f"[web] {key}" for key in _changed(before.web, config.web)}
    if parts.web is None:
        return [], list(changed.values())
    parts.web(config.web)
    restart = [changed.pop(key) for key in RESTART if key in changed]
    return list(changed.values()), restart
