"""The quick checks, which take milliseconds. The daemon runs them when it starts, and `gamed doctor` runs them first.

So both say the same about a configuration. The daemon logs the findings; if something cannot be used, it names all of
it and exits.
"""

from __future__ import annotations

import os
import resource
import shlex
import sqlite3
import stat
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from attrs import frozen
from sqlalchemy.exc import ArgumentError

from gamed.config import AccountConfig, Config, ConsoleConfig
from gamed.core.errors import ConfigError, StoreError
from gamed.net.limits import DESCRIPTORS_KEPT
from gamed.net.listener import endpoint_of
from gamed.net.strings import parse
from gamed.net.systemd import is_handed_over
from gamed.net.tls import TLSEndpoint
from gamed.registry import games
from gamed.store.database import connecting
from gamed.store.dialects import SQLITE, parsed

OK: Final = "ok"
WARNING: Final = "warning"
ERROR: Final = "error"

FATAL: Final = frozenset({"endpoints", "games", "formats", "store", "state directory", "ssh"})
"""The checks whose errors keep the daemon from starting."""

EXAMPLE: Final = "examplepassword"
"""The password of examples, and of an official server."""

SOON: Final = timedelta(days=14)
"""How long before its expiry a certificate should have been renewed: certbot and others renew it 30 days before."""

PAGES_WITHIN: Final = 1.0
"""Seconds to search an SQLite file for damage at a start; `gamed doctor` checks all of it."""

_STEPS: Final = 10_000
"""Steps of SQLite's virtual machine between two looks at the time."""


@frozen
class Finding:
    """A finding of a check."""

    check: str
    """The name of the check."""

    status: str
    """OK, WARNING or ERROR."""

    text: str
    """A sentence for the administrator."""


Result: TypeAlias = tuple[str, str]
"""A status and a sentence: what a check yields."""

Check: TypeAlias = tuple[str, Callable[[], Iterable[Result]]]
"""A check with its name."""


def fine(text: str) -> Result:
    """Return a result that needs nobody."""
    return OK, text


def warning(text: str) -> Result:
    """Return a result that the administrator should know."""
    return WARNING, text


def problem(text: str) -> Result:
    """Return a result that has to be mended."""
    return ERROR, text


def run(checks: Iterable[Check]) -> list[Finding]:
    """Run checks. A check that raises an exception is reported as an error."""
    findings = []
    for name, check in checks:
        try:
            findings += [Finding(name, status, text) for status, text in check()]
        except Exception as error:  # noqa: BLE001 (a check that breaks must not hide the others)
            findings.append(Finding(name, ERROR, f"cannot be checked: {error!r}"))
    return findings


def checks(
    config: Config, endpoints: Mapping[str, str], is_handed_over: Callable[[str], bool] = is_handed_over
) -> tuple[Check, ...]:
    """Return the quick checks.

    `endpoints`: the strings of the listeners, by section. `is_handed_over`: whether a socket of systemd's is there, by
    an endpoint string of it.
    """
    return (
        ("secrets", partial(check_secrets, config.file)),
        ("passwords", partial(check_passwords, config)),
        ("endpoints", partial(check_endpoints, endpoints, is_handed_over)),
        ("games", partial(check_games, config, endpoints)),
        ("store", partial(check_store, config.store.url)),
        ("state directory", partial(check_state, Path(config.store.state))),
        ("formats", partial(check_formats, config.store.formats)),
        ("replays", partial(check_replays, config)),
        ("telnet", partial(check_telnet, endpoints.get("console", ""))),
        ("web", partial(check_web, endpoints.get("web", ""))),
        ("ssh", partial(check_ssh, config, endpoints)),
        ("accounts", partial(check_accounts, config.console)),
        ("descriptors", partial(check_descriptors, config, endpoints)),
    )


def check_secrets(file: Path | None) -> Iterator[Result]:
    """Check whether everybody can read a configuration that has a password."""
    if file is None or not _has_secret(tomllib.loads(file.read_text(encoding="utf-8"))):
        return
    if file.stat().st_mode & stat.S_IROTH:
        yield warning(
            f"{file} has a password and can be read by everybody: `chmod o-r {shlex.quote(str(file))}`, and make "
            "the daemon's user its owner or group"
        )
    else:
        yield fine(f"{file} has a password and cannot be read by everybody")


def _has_secret(tree: Mapping[str, Any]) -> bool:
    url = tree.get("store", {}).get("url", "")
    holders = [*tree.values(), *tree.get("console", {}).get("accounts", ())]
    return any(holder.get("password") for holder in holders) or bool(urlsplit(url).password)


def check_passwords(config: Config) -> Iterator[Result]:
    """Check whether a password is the one of the examples."""
    holders = {**config.listeners, "console": config.console}
    holders |= {f"[console.accounts]] of {account.user}": account for account in config.console.accounts}
    for name, holder in holders.items():
        if getattr(holder, "password", None) == EXAMPLE:
            yield warning(f"[{name}] has the password of the examples, which everybody knows: choose another one")


def check_endpoints(
    endpoints: Mapping[str, str], is_handed_over: Callable[[str], bool] = is_handed_over
) -> Iterator[Result]:
    """Check whether each endpoint can be used, with its key and certificate."""
    can_all_be_used = True
    for section, text in endpoints.items():
        try:
            endpoint = _endpoint(section, text, is_handed_over)
        except ConfigError as error:
            can_all_be_used = False
            yield problem(str(error))
        else:
            if isinstance(endpoint, TLSEndpoint):
                made = endpoint.certificates.current
                yield _lasting(section, made.begins, made.expires)
                yield from (_readable(section, key) for key in made.keys if is_readable_by_all(key))
    if can_all_be_used:
        yield fine("each endpoint can be used")


def _endpoint(section: str, text: str, is_handed_over: Callable[[str], bool]) -> Any:
    """Return an endpoint; None for a socket of systemd's. Raises ConfigError."""
    if not text.startswith("systemd:"):
        return endpoint_of(section, text, None)
    if is_handed_over(text):
        return None
    raise ConfigError(
        f'[{section}] endpoint "{text}": systemd hands over no such socket. Install and start its unit '
        '(docs/howto/install.md), or write "tcp:PORT"'
    )


def is_readable_by_all(file: Path) -> bool:
    """Whether every user can read a file. Its directories may keep them out; that is not looked at."""
    return bool(file.stat().st_mode & stat.S_IROTH)


def _readable(section: str, key: Path) -> Result:
    return warning(
        f"[{section}] {key} is a private key that everybody can read: `chmod o-r {shlex.quote(str(key))}`, and make "
        "the daemon's user its owner or group"
    )


def _lasting(section: str, begins: datetime, expires: datetime) -> Result:
    now, date = datetime.now(UTC), f"{expires:%Y-%m-%d %H:%M} UTC"
    if begins > now:
        return warning(
            f"[{section}] a certificate is not valid before {begins:%Y-%m-%d %H:%M} UTC, and clients refuse it: "
            "check the clock, or use another certificate"
        )
    if expires < now:
        return warning(
            f"[{section}] a certificate expired at {date}, and clients refuse it: renew it, then "
            "`systemctl reload gamed`"
        )
    if expires < now + SOON:
        return warning(f"[{section}] a certificate expires at {date}: renew it, then `systemctl reload gamed`")
    return fine(f"[{section}] the key fits the certificate, which expires at {date}")


def check_games(config: Config, endpoints: Iterable[str]) -> Iterator[Result]:
    """Check whether the settings of each listener that is on can be used, with the files that they name."""
    for section, maker in games().items():
        if section in endpoints:
            try:
                for made in maker.load_all():
                    for text in made.check(config.listeners[section]):
                        yield warning(f"[{section}] {text}")
            except ConfigError as error:
                yield problem(str(error))


def check_store(url: str) -> Iterator[Result]:
    """Check whether a database URL can be used; a server is not connected to."""
    try:
        known = parsed(url)
        if known.get_backend_name() != SQLITE:
            # Imports the driver.
            connecting(url).dispose()
            return
    except (ArgumentError, StoreError) as error:
        said = error if isinstance(error, StoreError) else f"cannot use the database URL: {error}"
        yield problem(f"[store] url: {said}")
        return
    if not known.database or known.database == ":memory:":
        yield warning("the records are kept in memory only: set [store] url")
    elif not (folder := Path(known.database).absolute().parent).is_dir():
        yield problem(f"[store] url: there is no directory {folder}: make it, or correct the path of the database")
    elif not _is_writable(folder) or (Path(known.database).exists() and not _is_writable(Path(known.database))):
        yield problem(
            f"[store] url: {known.database} and its directory must be writable for user {os.geteuid()}: make the "
            "daemon's user their owner, or run this as that user"
        )


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK | (os.X_OK if path.is_dir() else 0))


def check_state(state: Path) -> Iterator[Result]:
    """Check whether the state directory can be written; it is made at the first start."""
    folder = nearest(state.absolute())
    if not folder.is_dir() or not _is_writable(folder):
        yield problem(
            f"[store] state: {state} cannot be used: {folder} must be a directory that is writable for user "
            f"{os.geteuid()}"
        )


def nearest(path: Path) -> Path:
    """Return a path, or the nearest one above it that exists."""
    return next(above for above in (path, *path.parents) if above.exists())


def check_formats(folder: str) -> Iterator[Result]:
    """Check whether the operator's format indexes can be used."""
    if not folder:
        return
    from gamed.replayers import known_formats  # noqa: PLC0415 (heavy)

    try:
        own = known_formats(folder).formats.keys() - known_formats().formats.keys()
    except ConfigError as error:
        yield problem(str(error))
    else:
        yield fine(f"[store] formats: {len(own)} formats in {folder}")


def check_replays(config: Config) -> Iterator[Result]:
    """Check whether replay files can be written; their directory is made for the first one."""
    for section, settings in config.listeners.items():
        if not (name := getattr(settings, "replays", "")):
            continue
        folder = Path(name).absolute()
        made_in = nearest(folder)
        if made_in.is_dir() and _is_writable(made_in):
            yield fine(f"[{section}] replays: {folder} can be written")
        else:
            yield warning(
                f"[{section}] replays: {folder} cannot be written, so no replay file will be: {made_in} must be a "
                f"directory that is writable for user {os.geteuid()}"
            )


def check_ssh(config: Config, endpoints: Mapping[str, str]) -> Iterator[Result]:
    """Check whether SSH's host key can be used, if there is one; otherwise the start makes it."""
    if not endpoints.get("console ssh"):
        return
    from gamed.console.ssh_keys import KEY_FILE, read_host_key  # noqa: PLC0415 (heavy)

    path = Path(config.store.state) / KEY_FILE
    if not path.exists():
        return
    try:
        read_host_key(path)
    except ConfigError as error:
        yield problem(str(error))
    else:
        if is_readable_by_all(path):
            yield _readable("console", path)


def check_accounts(console: ConsoleConfig) -> Iterator[Result]:
    """Check whether administrators can log in."""
    # The first account gets a random password if there is none.
    for account in console.accounts:
        if not account.password and not account.authorized_keys:
            yield warning(
                f"[[console.accounts]] {account.user} has neither a password nor authorized keys, and cannot log "
                f"in: set one, or pass the password as the credential console.{account.user}.password"
            )
    for account in console.everybody:
        if account.authorized_keys:
            yield from _check_keys(account)


def _check_keys(account: AccountConfig) -> Iterator[Result]:
    from gamed.console.ssh_keys import read_keys  # noqa: PLC0415 (heavy)

    path, prefix = Path(account.authorized_keys), f"[console] authorized keys of {account.user}"
    read = read_keys(path)
    yield from (warning(f"{prefix}: {sentence}") for sentence in read.unused)
    if not read.keys and not read.unused:
        yield warning(f"{prefix}: {path} has no key")
    if path.exists() and path.stat().st_mode & (stat.S_IWOTH | stat.S_IWGRP):
        yield warning(f"{prefix}: others can write to {path}, and so log in: `chmod go-w {shlex.quote(str(path))}`")


def check_web(text: str) -> Iterator[Result]:
    """Check whether the pages can be reached from other machines without encryption."""
    where = _without_encryption(text)
    if where:
        yield warning(
            f'[web] endpoint = "{text}" listens on {where} without TLS, and logging in sends passwords in clear '
            'text: add `:interface=127.0.0.1` and use a proxy, or use an "ssl:" endpoint'
        )


def _without_encryption(text: str) -> str | None:
    """Return where other machines can reach a plain TCP endpoint; empty: nowhere; None: it is not plain TCP."""
    if not text.startswith(("tcp:", "tcp4:", "tcp6:")):
        return None
    interface = parse(text).interface
    if interface == "localhost" or (interface and ip_address(interface).is_loopback):
        return ""
    return interface or "all interfaces"


def check_telnet(text: str) -> Iterator[Result]:
    """Check whether the console can be reached from other machines without encryption."""
    where = _without_encryption(text)
    if where == "":
        yield fine("the telnet console can be reached from this machine only")
    elif where:
        yield warning(
            f'[console] telnet = "{text}" listens on {where}, and telnet sends passwords in clear text: add '
            "`:interface=127.0.0.1`, or use [console] ssh"
        )


def check_descriptors(config: Config, endpoints: Iterable[str]) -> Iterator[Result]:
    """Check whether there are enough file descriptors for the connections that the configuration file allows.

    A number of connections that nobody has written is just an upper limit.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    settings = {**config.listeners, "web": config.web}
    written = [section for section in endpoints if (section, "connections") in config.written and section in settings]
    most = {section: settings[section].connections for section in written}
    section = max(most, key=lambda name: most[name], default="")
    wanted = max(most.get(section, 0), DESCRIPTORS_KEPT) + DESCRIPTORS_KEPT
    if hard >= wanted:
        yield fine(f"{hard} file descriptors are allowed")
        return
    configured = f", and [{section}] is configured for {most[section]}" if section else ""
    yield (problem if hard < 2 * DESCRIPTORS_KEPT else warning)(
        f"{hard} file descriptors allow {max(0, hard - DESCRIPTORS_KEPT)} connections{configured}: raise "
        f"LimitNOFILE= of the unit, or `ulimit -Hn`, to {wanted} or more"
    )


def damage(file: Path, said: str) -> str:
    """Return a sentence on a damaged SQLite file, and what to do. `said`: SQLite's own words."""
    return (
        f"{file} is damaged ({said}): save what can be read, or restore a backup "
        "(docs/howto/install.md#a-damaged-database)"
    )


def check_pages(url: str, seconds: float = PAGES_WITHIN) -> Iterator[Result]:
    """Check an SQLite file for damaged pages, for a limited time."""
    known = parsed(url)
    file = Path(known.database or "")
    if known.get_backend_name() != "sqlite" or not file.is_file():
        return
    until = time.monotonic() + seconds
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        try:
            (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return
            said = str(error)
    if said != "ok":
        said = " ".join(said.split())
        yield problem(
            f"{damage(file, said)}. Games can be played meanwhile; records that cannot be stored stay in the journal"
        )
