"""Read the configuration: a TOML file becomes attrs classes. Unknown keys are refused.

`etc/gamed.toml` documents every key with its default. Relative paths are relative to the file, or to the working
directory if there is no file.
"""

from __future__ import annotations

import math
import re
import secrets
import tomllib
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

import attrs
from attrs import field, frozen
from attrs.validators import ge, gt, in_, le
from twisted.logger import Logger

from gamed.core.errors import ConfigError
from gamed.registry import games

log = Logger()

DURABILITIES: Final = ("process", "disk")
ON_FULL: Final = ("pause", "end")
SQLITE: Final = "sqlite:///"
MOST_DAYS: Final = 36_500
"""A hundred years."""


@frozen
class StoreConfig:
    """The section [store]: where games are kept."""

    url: str = "sqlite:///gamed.db"
    """The database, as a URL of SQLAlchemy."""

    state: str = "."
    """The directory of the journal and the audit log."""

    durability: str = field(default="process", validator=in_(DURABILITIES))
    on_full: str = field(default="pause", validator=in_(ON_FULL))

    formats: str = ""
    """A directory with further format indexes; empty: none."""

    import_bytes: int = field(default=10_000_000, validator=gt(0))
    """The size of the largest document that is imported."""

    keep_days: int = field(default=0, validator=[ge(0), le(MOST_DAYS)])
    """The number of days after which gamed deletes its own games; 0: never."""

    @property
    def control(self) -> Path:
        """The socket of the control listener, where [control] has no endpoint."""
        return Path(self.state) / "control.sock"

    @property
    def journal(self) -> Path:
        """The directory of the journal."""
        return Path(self.state) / "journal"

    def below(self, directory: Path) -> StoreConfig:
        """Return the same with relative paths made absolute, below `directory`."""
        url = self.url
        if url.startswith(SQLITE) and url != SQLITE and not url.startswith(SQLITE + "/"):
            url = f"{SQLITE}{directory / url.removeprefix(SQLITE)}"
        formats = str(directory / self.formats) if self.formats else ""
        return attrs.evolve(self, url=url, state=str(directory / self.state), formats=formats)


TABLES: Final = "tables"
"""The key of a field's metadata that has the class of the field's tables (`[[section.key]]`)."""

LEVELS: Final = ("debug", "info", "warn", "error", "critical")


def _user(_instance: object, _attribute: object, value: str) -> None:
    if not value or not value.isprintable():
        raise ValueError("user is a name, and not empty")


@frozen
class AccountConfig:
    """A further account of the console, `[[console.accounts]]`."""

    user: str = field(default="", validator=_user)
    password: str = field(default="", repr=False)
    """Empty: there is no login by password."""

    authorized_keys: str = ""
    """A file with the public keys for logins by SSH; empty: none."""

    def below(self, directory: Path) -> AccountConfig:
        """Return the same with relative paths made absolute, below `directory`."""
        return attrs.evolve(self, authorized_keys=str(directory / self.authorized_keys) if self.authorized_keys else "")


def _different(instance: Any, _attribute: object, value: tuple[AccountConfig, ...]) -> None:
    names = [instance.user, *(account.user for account in value)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f'two accounts have the user "{twice}"; `user` is one of them')


@frozen
class ConsoleConfig:
    """The section [console]: the operator's console."""

    telnet: str = "tcp:54322:interface=127.0.0.1"
    """The endpoint for telnet; empty: no telnet."""

    ssh: str = ""
    """The endpoint for SSH; empty: no SSH."""

    user: str = field(default="admin", validator=_user)
    """The user of the first account. `password` and `authorized_keys` belong to it."""

    password: str = field(default="", repr=False)
    authorized_keys: str = ""
    accounts: tuple[AccountConfig, ...] = field(default=(), validator=_different, metadata={TABLES: AccountConfig})
    """All accounts except the first."""

    idle_seconds: float = field(default=1_800.0, validator=gt(0))
    """The idle timeout of a session."""

    connections: int = field(default=16, validator=gt(0))
    """How many operators may be logged in at the same time."""

    manhole: bool = False
    """Whether SSH offers a Python prompt."""

    log_level: str = field(default="info", validator=in_(LEVELS))
    """The lowest level that is logged."""

    @property
    def everybody(self) -> tuple[AccountConfig, ...]:
        """All accounts."""
        return (AccountConfig(self.user, self.password, self.authorized_keys), *self.accounts)

    def below(self, directory: Path) -> ConsoleConfig:
        """Return the same with relative paths made absolute, below `directory`."""
        first, *others = (account.below(directory) for account in self.everybody)
        return attrs.evolve(self, authorized_keys=first.authorized_keys, accounts=tuple(others))


def _networks(_instance: object, attribute: attrs.Attribute[Any], value: str) -> None:
    for word in value.split():
        try:
            ip_network(word, strict=False)
        except ValueError as error:
            text = f"{attribute.name} has {word}, which is not an address and not a network"
            raise ValueError(f"{text}: write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32") from error


_ORIGIN: Final = re.compile(r"https?://[a-z0-9.\[\]:-]+", re.IGNORECASE)


def _origins(_instance: object, attribute: attrs.Attribute[Any], value: str) -> None:
    for word in value.split():
        if not _ORIGIN.fullmatch(word):
            raise ValueError(f"{attribute.name} has {word}, which is not an origin: write https://course.example")


@frozen
class WebConfig:
    """The section [web]: the web listener."""

    endpoint: str = "tcp:8054:interface=127.0.0.1"
    """Empty: no web listener."""

    hosts: str = "localhost 127.0.0.1 ::1"
    """The host names that it answers to, separated by blanks."""

    proxies: str = field(default="", validator=_networks)
    """The addresses and networks of reverse proxies whose X-Forwarded-For is trusted, separated by blanks."""

    frame_ancestors: str = field(default="", validator=_origins)
    """The origins whose pages may have gamed's in a frame, separated by blanks."""

    grace_seconds: float = field(default=60.0, validator=gt(0))
    """How long a player's browser may be silent before the player loses the seat."""

    connections: int = field(default=5_000, validator=gt(0))
    connections_per_address: int = field(default=2_500, validator=gt(0))

    addresses: bool = False
    """Whether the pages show everybody the addresses of players without a name."""


UNIX: Final = "unix:"


def _unix(_instance: object, _attribute: object, value: str | None) -> None:
    if value and (not value.startswith(UNIX) or value == UNIX):
        raise ValueError(f'endpoint is "{value}": write "unix:PATH", because runners pass sockets to the daemon')


@frozen
class ControlConfig:
    """The section [control]: where the runners of tournaments open rooms."""

    endpoint: str | None = field(default=None, validator=_unix)
    """`unix:` and a path; None: `control.sock` in the state directory; empty: no listener."""

    lease_seconds: float = field(default=10.0, validator=gt(0))
    """How long a runner may be away before its games are void."""

    evidence_days: int = field(default=30, validator=gt(0))
    """How long evidence on the programs that have played is kept."""

    def below(self, directory: Path) -> ControlConfig:
        """Return the same with a relative path made absolute, below `directory`."""
        if not self.endpoint:
            return self
        return attrs.evolve(self, endpoint=f"{UNIX}{directory / self.endpoint.removeprefix(UNIX)}")


@frozen
class Config:
    """The whole configuration."""

    store: StoreConfig

    listeners: Mapping[str, Any]
    """The settings of each game in the registry, by the name of its listener."""

    console: ConsoleConfig = ConsoleConfig()
    web: WebConfig = WebConfig()
    control: ControlConfig = ControlConfig()
    file: Path | None = field(default=None, eq=False)
    """The file that it was read from; None: these are the defaults."""

    written: frozenset[tuple[str, str]] = field(default=frozenset(), eq=False)
    """The keys that are in the file, with their sections."""


def load(path: str | None) -> Config:
    """Return the configuration in a file, or the defaults if there is none. Raises ConfigError."""
    if path is None:
        return structure({}, Path.cwd())
    file = Path(path)
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error
    try:
        return attrs.evolve(structure(tree, file.resolve().parent), file=file)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def structure(tree: Mapping[str, Any], directory: Path) -> Config:
    """Return the configuration that a parsed TOML tree means. Raises ConfigError."""
    makers = games()
    known = ("store", *makers, "console", "web", "control")
    for name, section in tree.items():
        if name not in known:
            raise ConfigError(f"there is no section [{name}]; there are {', '.join(known)}")
        if not isinstance(section, dict):
            raise ConfigError(f"{name} is a section: write [{name}] and its keys below it")
    listeners = {name: _section(name, maker.load().settings, tree) for name, maker in makers.items()}
    for name, settings in listeners.items():
        if hasattr(settings, "below"):
            listeners[name] = settings.below(directory)
    return Config(
        _section("store", StoreConfig, tree).below(directory),
        listeners,
        console=_section("console", ConsoleConfig, tree).below(directory),
        web=_section("web", WebConfig, tree),
        control=_section("control", ControlConfig, tree).below(directory),
        written=frozenset((name, key) for name, section in tree.items() for key in section),
    )


def with_password(section: str, settings: Any) -> Any:
    """Return settings that have a password: a random one, which is logged, if there is none. There is no default."""
    if getattr(settings, "password", None) != "":
        return settings
    made = secrets.token_urlsafe(12)
    log.warn("[{section}] has no password; until the daemon stops it is {password}", section=section, password=made)
    return attrs.evolve(settings, password=made)


def _section(name: str, cls: type[Any], tree: Mapping[str, Any]) -> Any:
    try:
        return _made(f"[{name}]", cls, tree.get(name, {}))
    except (ValueError, TypeError, OverflowError) as error:
        # The first argument is the text; attrs' validators add others.
        raise ConfigError(f"[{name}] {error.args[0]}") from error


def _made(name: str, cls: type[Any], section: Mapping[str, Any]) -> Any:
    keys = {attribute.name: attribute for attribute in attrs.fields(cls)}
    values = {}
    for key, value in section.items():
        if key not in keys:
            raise ConfigError(f"{name} has no key {key}; its keys are {', '.join(keys)}")
        tables = keys[key].metadata.get(TABLES)
        if tables is None:
            values[key] = _typed(name, key, value, keys[key].default)
            continue
        inner = f"{name[1:-1]}.{key}"
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise ConfigError(f"{name} {key} are tables: write [[{inner}]] and the keys of each below it")
        values[key] = tuple(_made(f"[[{inner}]]", tables, item) for item in value)
    return cls(**values)


def _typed(name: str, key: str, value: Any, default: Any) -> Any:
    """Return a value with the type of its key. Only integers (to floats) and lists of strings are converted."""
    wanted = str if default is None else type(default)
    if wanted is float and type(value) is int:
        return float(value)
    if wanted is tuple:
        if type(value) is not list or not all(type(item) is str for item in value):
            raise ConfigError(f"{name} {key} is a list of strings, not {value!r}")
        return tuple(value)
    if type(value) is not wanted or (isinstance(value, float) and not math.isfinite(value)):
        words = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}
        raise ConfigError(f"{name} {key} is {words[wanted]}, not {value!r}")
    return value
