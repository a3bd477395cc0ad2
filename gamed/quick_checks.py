"""The quick checks, which take milliseconds. The daemon runs them when it starts, and `gamed doctor` runs them first.

The daemon logs their findings. If endpoints cannot be used, it names all of them and exits.
"""

from __future__ import annotations

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
from typing import Any, Final
from urllib.parse import urlsplit

from attrs import frozen

from gamed.config import Config
from gamed.core.errors import ConfigError
from gamed.net.limits import DESCRIPTORS_KEPT
from gamed.net.listener import endpoint_of
from gamed.net.strings import parse
from gamed.net.tls import TLSEndpoint
from gamed.store.dialects import parsed

OK: Final = "ok"
WARNING: Final = "warning"
ERROR: Final = "error"

ENDPOINTS: Final = "endpoints"
"""The check whose errors keep the daemon from starting."""

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


Check = tuple[str, Callable[[], Iterable[tuple[str, str]]]]


def run(checks: Iterable[Check]) -> list[Finding]:
    """Run checks. A check that raises an exception is reported as an error."""
    findings = []
    for name, check in checks:
        try:
            findings += [Finding(name, status, text) for status, text in check()]
        except Exception as error:  # noqa: BLE001 (a check that breaks must not hide the others)
            findings.append(Finding(name, ERROR, f"cannot be checked: {error!r}"))
    return findings


def checks(config: Config, endpoints: Mapping[str, str]) -> tuple[Check, ...]:
    """Return the quick checks. `endpoints`: the strings of the listeners, by section."""
    return (
        ("secrets", partial(check_secrets, config.file)),
        (ENDPOINTS, partial(check_endpoints, endpoints)),
        ("telnet", partial(check_telnet, endpoints.get("console", ""))),
        ("descriptors", partial(check_descriptors, config, endpoints)),
    )


def check_secrets(file: Path | None) -> Iterator[tuple[str, str]]:
    """Check whether everybody can read a configuration that has a password."""
    if file is None or not _has_secret(tomllib.loads(file.read_text(encoding="utf-8"))):
        return
    if file.stat().st_mode & stat.S_IROTH:
        yield (
            WARNING,
            (
                f"{file} has a password and can be read by everybody: `chmod o-r {shlex.quote(str(file))}`, and make "
                "the daemon's user its owner or group"
            ),
        )
    else:
        yield OK, f"{file} has a password and cannot be read by everybody"


def _has_secret(tree: Mapping[str, Any]) -> bool:
    url = tree.get("store", {}).get("url", "")
    holders = [*tree.values(), *tree.get("console", {}).get("accounts", ())]
    return any(holder.get("password") for holder in holders) or bool(urlsplit(url).password)


def check_endpoints(endpoints: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Check whether each endpoint can be used, with its key and certificate."""
    can_all_be_used = True
    for section, text in endpoints.items():
        if text.startswith("systemd:"):
            # Only the service itself has these sockets.
            continue
        try:
            endpoint = endpoint_of(section, text, None)
        except ConfigError as error:
            can_all_be_used = False
            yield ERROR, str(error)
        else:
            if isinstance(endpoint, TLSEndpoint):
                yield _lasting(section, endpoint.certificates.expires)
    if can_all_be_used:
        yield OK, "each endpoint can be used"


def _lasting(section: str, expires: datetime) -> tuple[str, str]:
    now, date = datetime.now(UTC), f"{expires:%Y-%m-%d %H:%M} UTC"
    if expires < now:
        return (
            WARNING,
            (
                f"[{section}] a certificate expired at {date}, and clients refuse it: renew it, then "
                "`systemctl reload gamed`"
            ),
        )
    if expires < now + SOON:
        return WARNING, f"[{section}] a certificate expires at {date}: renew it, then `systemctl reload gamed`"
    return OK, f"[{section}] the key fits the certificate, which expires at {date}"


def check_telnet(text: str) -> Iterator[tuple[str, str]]:
    """Check whether the console can be reached from other machines without encryption."""
    if not text.startswith(("tcp:", "tcp4:", "tcp6:")):
        return
    interface = parse(text).interface
    if interface == "localhost" or (interface and ip_address(interface).is_loopback):
        yield OK, "the telnet console can be reached from this machine only"
    else:
        yield (
            WARNING,
            (
                f'[console] telnet = "{text}" listens on {interface or "all interfaces"}, and telnet sends passwords '
                "in clear text: add `:interface=127.0.0.1`, or use [console] ssh"
            ),
        )


def check_descriptors(config: Config, endpoints: Iterable[str]) -> Iterator[tuple[str, str]]:
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
        yield OK, f"{hard} file descriptors are allowed"
        return
    configured = f", and [{section}] is configured for {most[section]}" if section else ""
    yield (
        ERROR if hard < 2 * DESCRIPTORS_KEPT else WARNING,
        (
            f"{hard} file descriptors allow {max(0, hard - DESCRIPTORS_KEPT)} connections{configured}: raise "
            f"LimitNOFILE= of the unit, or `ulimit -Hn`, to {wanted} or more"
        ),
    )


def check_pages(url: str, seconds: float = PAGES_WITHIN) -> Iterator[tuple[str, str]]:
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
        yield (
            ERROR,
            (
                f"{file} is damaged ({said}): stop gamed, and restore a backup (docs/howto/install.md). Games can be "
                "played meanwhile; records that cannot be stored stay in the journal"
            ),
        )
