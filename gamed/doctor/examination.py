"""The checks of `gamed doctor`. Each examines one thing, and says what to do about a problem.

They leave nothing behind: the disk is tested with a file that is removed at once, ports are bound and released, SQLite
is opened read-only, and the test data for PostgreSQL is rolled back.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import create_engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from gamed.config import SQLITE, Config
from gamed.doctor import ports, quick_checks
from gamed.doctor.quick_checks import (
    ERROR,
    OK,
    WARNING,
    Finding,
    Result,
    check_store,
    damage,
    fine,
    nearest,
    problem,
    warning,
)
from gamed.net.listener import standard_endpoint, why_not
from gamed.net.strings import FAMILIES, parse
from gamed.registry import games
from gamed.store.database import public_url, sentence
from gamed.store.dialects import parsed
from gamed.store.journal import DAMAGED
from gamed.store.migrations import HEAD, current_revision

SYNCS: Final = 20
"""The number of pages that are written and synced in the test of a disk."""

TOO_FAST: Final = 0.000_03
"""Seconds. No disk that really writes a page syncs it faster than this."""

TOO_SLOW: Final = 0.05
"""Seconds. With a slower sync, `durability = "disk"` noticeably delays each move."""

FREE_BYTES: Final = 100 * 1024 * 1024

TRIED: Final = (
    "CREATE TEMPORARY TABLE gamed_doctor AS SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 30000)"
)
"""The test data for a PostgreSQL server: a megabyte that cannot be compressed."""

LEAST_YEAR: Final = 2026
UNIT_FOLDERS: Final = tuple(
    map(Path, ("/etc/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"))
)
"""Where systemd looks for units; a file in an earlier directory hides those of the same name in later ones."""

SOCKETS: Final = Path("/etc/systemd/system/sockets.target.wants")
"""The directory of the socket units that systemd starts."""

_NAME: Final = re.compile(r"^\s*FileDescriptorName\s*=\s*(\S+)\s*$", re.MULTILINE)
_STREAM: Final = re.compile(r"^\s*ListenStream\s*=\s*(?:\S*:)?(\d+)\s*$", re.MULTILINE)
RESERVED: Final = Path("/proc/sys/net/ipv4/ip_local_reserved_ports")
EPHEMERAL: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")

_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs", "overlay"})


def examine(config: Config, *, quick: bool = False) -> list[Finding]:
    """Run all checks of a configuration that could be loaded, or only the quick ones.

    A check that raises becomes an error of its own.
    """
    quick_ones = quick_checks.checks(config, endpoints(config), has_unit)
    if quick:
        return quick_checks.run(quick_ones)
    return quick_checks.run(
        (
            *quick_ones,
            ("sockets", partial(check_sockets, config)),
            ("ports", partial(check_ports, config)),
            ("reserved", partial(check_reserved, config)),
            ("state", partial(check_state, Path(config.store.state))),
            ("state", partial(check_lock, config)),
            ("disk", partial(check_disks, config)),
            ("journal", partial(check_journal, config.store.journal)),
            ("database", partial(check_database, config.store.url)),
            ("clocks", partial(check_clocks, Path(config.store.state))),
            ("unit", check_unit),
        )
    )


# Ports


def endpoints(config: Config) -> Mapping[str, str]:
    """Return the endpoint strings of a configuration by section, those that it names and the standard ones."""
    texts: dict[str, str] = {}
    for name, maker in games().items():
        given = config.listeners[name].endpoint
        texts[name] = standard_endpoint(maker.port) if given is None else given
    texts |= {"web": config.web.endpoint, "console": config.console.telnet, "console ssh": config.console.ssh}
    return {name: text for name, text in texts.items() if text}


def check_ports(config: Config) -> Iterator[Result]:
    """Whether each port is free, or held by the daemon of this configuration."""
    daemon = ports.running(config.store.journal / "lock")
    used: dict[int, str] = {}
    for name, text in endpoints(config).items():
        endpoint = parse(text)
        port = endpoint.port
        if endpoint.kind == "systemd":
            yield fine(f"[{name}] gets its port from elsewhere ({endpoint.kind})")
        if port is None or endpoint.kind not in FAMILIES:
            # The check of endpoints reports those that cannot be used.
            continue
        if port and port in used:
            yield problem(f"[{name}] and [{used[port]}] both use port {port}: give one of them another endpoint")
            continue
        used[port] = name
        error = ports.taken(endpoint)
        if error is None:
            yield fine(f"[{name}] port {port} is free")
        else:
            yield _taken(name, text, port, error, daemon)


def _taken(name: str, text: str, port: int, error: OSError, daemon: int | None) -> Result:
    if daemon is not None and error.errno == errno.EADDRINUSE:
        is_holder = ports.holds(daemon, ports.listening(port))
        if is_holder:
            return fine(f"[{name}] port {port} is held by the running gamed (pid {daemon})")
        if is_holder is None:
            who = f"perhaps by the running gamed (pid {daemon})"
            return warning(f"[{name}] port {port} is in use, {who}: run this as its user to find out")
    shown = f" `ss -tlnp sport = :{port}` shows who has it." if error.errno == errno.EADDRINUSE else ""
    return problem(why_not(name, text, error) + shown)


def check_reserved(config: Config) -> Iterator[Result]:
    """Whether an outgoing connection can take one of our ports before the daemon does."""
    with suppress(OSError):
        low, high = (int(text) for text in EPHEMERAL.read_text().split())
        reserved = _numbers(RESERVED.read_text().strip())
        named = (parse(text).port for text in endpoints(config).values())
        wanted = {port for port in named if port is not None and low <= port <= high}
        missing = sorted(wanted - reserved - _held_by_systemd())
        if missing:
            listed = ", ".join(map(str, missing))
            yield warning(
                f"port {listed} may be taken by an outgoing connection, which uses a port from {low} to {high}: "
                "list it in etc/sysctl.d/gamed.conf, install that file and run `sysctl --system`, or let systemd "
                "hold the port"
            )
        else:
            yield fine("no outgoing connection can take one of our ports")


def _held_by_systemd() -> set[int]:
    """Return the ports that socket units hold as soon as the machine has started."""
    units = SOCKETS.glob("*.socket") if SOCKETS.is_dir() else ()
    return {int(port) for unit in units for port in _STREAM.findall(unit.read_text())}


def _numbers(text: str) -> set[int]:
    """Return the numbers in a list such as `1,5-7`."""
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def check_sockets(config: Config, folders: Iterable[Path] = UNIT_FOLDERS) -> Iterator[Result]:
    """Whether systemd holds sockets for listeners whose endpoint in the configuration is another one."""
    for unit in _units("gamed*.socket", folders):
        text = unit.read_text()
        section = "".join(_NAME.findall(text)[:1])
        endpoint = config.listeners[section].endpoint if section in config.listeners else None
        if endpoint is not None:
            held = _STREAM.findall(text)
            is_same = str(parse(endpoint).port) in held
            yield (problem if is_same else warning)(
                f"[{section}] {unit} has systemd hold port {', '.join(held)} for this listener, whose endpoint is "
                f'"{endpoint}": '
                + ("it cannot be opened" if is_same else "connections to that port are closed")
                + f". If the unit is started, `systemctl mask --now {unit.name}`, or leave the endpoint out"
            )


def has_unit(endpoint: str, folders: Iterable[Path] = UNIT_FOLDERS) -> bool:
    """Whether a unit is installed for a socket of systemd's that an endpoint string names."""
    arguments = dict(part.split("=", 1) for part in endpoint.split(":")[1:] if "=" in part)
    units = [unit.read_text() for unit in _units("gamed*.socket", folders)]
    name, index = arguments.get("name"), arguments.get("index", "")
    if name is not None:
        return any(name in _NAME.findall(text) for text in units)
    return index.isdecimal() and int(index) < len(units)


def _units(pattern: str, folders: Iterable[Path]) -> list[Path]:
    """Return the installed units that are not masked."""
    found: dict[str, Path] = {}
    for folder in folders:
        for unit in sorted(folder.glob(pattern)):
            found.setdefault(unit.name, unit)
    return [unit for unit in found.values() if unit.resolve() != Path("/dev/null") and unit.exists()]


# Files


def check_state(state: Path) -> Iterator[Result]:
    """Whether we can write to the state directory, and nobody else can."""
    if not state.is_dir():
        parent = next((folder for folder in state.parents if folder.is_dir()), Path("/"))
        if not state.exists() and os.access(parent, os.W_OK | os.X_OK):
            yield fine(f"{state} will be created at the first start")
        else:
            yield problem(f"{state} cannot be created in {parent}: create it, and make the daemon's user its owner")
        return
    status = state.stat()
    if not os.access(state, os.W_OK | os.X_OK):
        advice = "make the daemon's user its owner, or run this as that user"
        yield problem(f"{state} is not writable for user {os.geteuid()}: {advice}")
    elif status.st_mode & 0o022:
        yield warning(f"{state} is writable for other users: run chmod go-w {shlex.quote(str(state))}")
    else:
        yield fine(f"{state} is writable for us, and for nobody else")
    foreign = [path for path in sorted(state.glob("journal/*")) if path.stat().st_uid != status.st_uid]
    if foreign:
        yield problem(f"{foreign[0]} has another owner than {state}, so the daemon cannot open it: run chown")


def check_journal(journal: Path) -> Iterator[Result]:
    """Whether a start of the daemon has kept damaged segments of the journal aside."""
    damaged = sorted(journal.glob(f"*{DAMAGED}"))
    for path in damaged:
        yield warning(
            f"{path} is damaged: the log of the start that found it says how much, and which games are known to "
            "have lost something. Check the disk, copy the file if you want to examine it, then remove it"
        )
    if not damaged:
        yield fine("no damaged segment was found")


def check_lock(config: Config) -> Iterator[Result]:
    """Whether another daemon uses the state directory: one that has none of the ports of this configuration."""
    daemon = ports.running(config.store.journal / "lock")
    if daemon is None:
        return
    numbers = {parse(text).port for text in endpoints(config).values()} - {None, 0}
    seen = [ports.holds(daemon, ports.listening(number)) for number in numbers if number]
    if seen and not any(has is not False for has in seen):
        yield problem(
            f"{config.store.state} is in use by another gamed (pid {daemon}), which has none of these ports: "
            "stop it, or set [store] state to another directory"
        )


def check_disks(config: Config) -> Iterator[Result]:
    """Test the disks of the state directory and of the database's file."""
    folders = [Path(config.store.state)]
    if config.store.url.startswith(SQLITE) and config.store.url != SQLITE:
        folders.append(Path(config.store.url.removeprefix(SQLITE)).absolute().parent)
    for folder in dict.fromkeys(nearest(folder.absolute()) for folder in folders):
        yield from check_disk(folder)


def check_disk(folder: Path) -> Iterator[Result]:
    """Test a disk: write, sync, drop from memory, read back and compare, and measure the syncs."""
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    if free < FREE_BYTES:
        yield warning(f"{free // 1_000_000} MB are free in {folder}: a full disk suspends all games, so make room")
    kind = filesystem(folder)
    if kind in _IN_MEMORY:
        yield warning(f"{folder} is on a {kind}: its files may not survive a restart of the machine")
    try:
        seconds = honest(folder)
    except OSError as error:
        yield problem(f"{folder} cannot be written, synced and read back: {error.strerror or error}")
        return
    shown = f"a sync of a page takes {seconds * 1000:.2f} ms on {kind}"
    if seconds < TOO_FAST and kind not in _IN_MEMORY:
        yield warning(f'{shown}: faster than any disk, so durability = "disk" may not survive a power cut')
    elif seconds > TOO_SLOW:
        yield warning(f'{shown}: durability = "disk" adds that to each move')
    else:
        yield fine(f"data is read back as it was written; {shown}")


def honest(folder: Path) -> float:
    """Write, sync and read back; return the median seconds of a sync. Raises OSError."""
    taken = []
    with tempfile.NamedTemporaryFile(dir=folder, prefix="gamed-doctor-", buffering=0) as file:
        pages = [os.urandom(4096) for _ in range(SYNCS)]
        for page in pages:
            file.write(page)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began)
        # The page cache would only be compared with itself.
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.seek(0)
        if file.read() != b"".join(pages):
            raise OSError("what is read back is not what was written")
    return statistics.median(taken)


def filesystem(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """Return the type of the filesystem that a folder is in."""
    best, kind = "", "an unknown filesystem"
    folder = folder.resolve()
    with suppress(OSError):
        for line in mounts.read_text().splitlines():
            _, where, type_, *_ = line.split()
            where = where.replace("\\040", " ")
            if folder.is_relative_to(where) and len(where) >= len(best):
                best, kind = where, type_
    return kind


# The rest


def check_database(url: str) -> Iterator[Result]:
    """Whether the database can be reached, is intact and writable, and has a schema that this version knows."""
    try:
        yield from _database(url)
    except (ArgumentError, ImportError):
        # The quick check has reported it.
        return
    except SQLAlchemyError as error:
        yield problem(f"the database {public_url(url)}: {sentence(error)}")


def _database(url: str) -> Iterator[Result]:
    known = parsed(url)
    file = Path(known.database or "")
    if known.get_backend_name() != "sqlite":
        engine = create_engine(known)
    elif not known.database or known.database == ":memory:" or any(check_store(url)):
        # The quick check has reported it.
        return
    elif not file.exists():
        yield fine(f"{file} will be created at the first start")
        return
    else:
        engine = create_engine(
            "sqlite://", creator=lambda: sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        )
    name = public_url(url)
    try:
        connected = engine.connect()
    except SQLAlchemyError as error:
        asked = "" if os.geteuid() else ". Run this as the daemon's user (docs/howto/install.md#check)"
        yield problem(f"the database {name}: {sentence(error)}{asked}")
        return
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        connection = stack.enter_context(connected)
        if known.get_backend_name() == "sqlite":
            said = str(connection.exec_driver_sql("PRAGMA integrity_check").scalar())
            if said != "ok":
                yield problem(damage(file, said))
                return
        else:
            # This fails if the disk is full or the server is read-only. The rollback removes the data.
            connection.exec_driver_sql(TRIED)
            connection.rollback()
        current = current_revision(connection)
    if current == HEAD:
        yield fine(f"{name} is intact and has the schema of this version")
    elif current is None or current < HEAD:
        yield warning(f"{name} has the schema {current or 'of no version'}; the next start migrates it to {HEAD}")
    else:
        yield problem(
            f"{name} has the schema {current}, and this gamed knows none later than {HEAD}: use a newer gamed"
        )


def check_clocks(state: Path) -> Iterator[Result]:
    """Whether the clocks go forward, and the date is plausible."""
    first = time.monotonic()
    time.sleep(0.01)
    if not 0 < time.monotonic() - first < 1:
        yield problem("the monotonic clock does not run evenly: time limits cannot be kept on this machine")
    now = datetime.now(UTC)
    newest = max((path.stat().st_mtime for path in state.glob("journal/*.journal")), default=0.0)
    if now.year < LEAST_YEAR:
        yield problem(
            f"the date is {now:%Y-%m-%d}: set the clock (timedatectl set-ntp true), because records have the date"
        )
    elif newest > now.timestamp() + 60:
        yield warning(
            "the journal's date is in the future, so the clock was set back: check it, because records have the date"
        )
    else:
        yield fine(f"the clocks go forward; it is {now:%Y-%m-%d %H:%M} UTC")


def check_unit(folders: Iterable[Path] = UNIT_FOLDERS) -> Iterator[Result]:
    """Whether an installed systemd unit names a program and a configuration that exist."""
    unit = next(iter(_units("gamed.service", folders)), None)
    if unit is None:
        yield fine("no systemd unit is installed (docs/howto/install.md explains how)")
        return
    starts = [line.partition("=")[2] for line in unit.read_text().splitlines() if line.startswith("ExecStart=")]
    words = shlex.split(starts[-1]) if starts else []
    if not words:
        yield problem(f"{unit} does not start a program: install etc/systemd/gamed.service again")
        return
    missing = [word for word in (words[0].lstrip("-@:+!"), *_after(words, "--config")) if not Path(word).exists()]
    if missing:
        yield problem(
            f"{unit} names {missing[0]}, which does not exist: correct ExecStart=, then run systemctl daemon-reload"
        )
    else:
        yield fine(f"{unit} names a program and a configuration that exist")


def _after(words: list[str], option: str) -> list[str]:
    return [words[words.index(option) + 1]] if option in words[:-1] else []


def worst(findings: Iterable[Finding]) -> str:
    """Return the worst status."""
    statuses = {finding.status for finding in findings}
    return next(status for status in (ERROR, WARNING, OK) if status in statuses or status == OK)
