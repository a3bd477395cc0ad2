"""A PostgreSQL server of the tests' own: a throw-away cluster on a UNIX socket, run by a user who is not root."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

from attrs import define, field

from gamed.store.database import Database
from tests.ending import at_end
from tests.store.pump import SECONDS

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "autovacuum": "off",
    "timezone": "Pacific/Chatham",
}
"""Nothing of the cluster has to survive, and nothing may depend on the server's time zone."""

COLLATION = ("--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US")
"""As people read: small letters before capitals, and signs before both. That is not how records are ordered."""

LEAST = 15
"""The first version whose clusters can collate by ICU, which needs no locale of the machine's."""

TEMPLATE = "migrated"
"""The name of a database that has the schema and no records."""

USERS = ("postgres", "nobody")
"""Who runs the server where root runs the tests: the first of them that there is."""


def _programs() -> Path | None:
    """Return the directory of the newest server's programs: Debian's, or what the PATH has."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    in_path = shutil.which("initdb")
    if not found and in_path is not None:
        found = [Path(in_path)]
    return found[-1].resolve().parent if found else None


@cache
def missing() -> str:
    """Return why there can be no server here, or nothing."""
    if find_spec("psycopg") is None:
        return "psycopg is not installed (the dependency group test has it)"
    programs = _programs()
    if programs is None:
        return "PostgreSQL is not installed (Debian: postgresql); CI always has it"
    said = subprocess.run([programs / "initdb", "--version"], capture_output=True, text=True, check=True).stdout
    if int(re.findall(r"\d+", said)[0]) < LEAST:
        return f"these tests need PostgreSQL {LEAST} or newer, not {said.strip()}"
    return ""


def _runner() -> dict[str, Any]:
    """Return what has a subprocess run as a user who is not root."""
    if os.getuid():
        return {}
    known = {user.pw_name: user for user in pwd.getpwall()}
    user = next(known[name] for name in USERS if name in known)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@define(eq=False)
class Cluster:
    """A server with the superuser `gamed`, who needs no password."""

    programs: Path
    directory: Path
    runner: dict[str, Any] = field(factory=_runner)
    _server: subprocess.Popen[bytes] | None = None
    _numbers: count[int] = field(factory=lambda: count(1))

    def make(self) -> None:
        """Make the cluster's files."""
        if self.runner:
            os.chown(self.directory, self.runner["user"], self.runner["group"])
        names = (f"--pgdata={self.directory / 'data'}", "--username=gamed")
        command = [self.programs / "initdb", *names, "--no-sync", "--auth=trust", *COLLATION]
        subprocess.run(command, cwd=self.directory, capture_output=True, check=True, **self.runner)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
        with (self.directory / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [self.programs / "postgres", "-D", self.directory / "data", "-k", self.directory, *settings],
                cwd=self.directory,
                stdout=log,
                stderr=subprocess.STDOUT,
                # A Ctrl-C is for the tests.
                start_new_session=True,
                **self.runner,
            )
        begun = time.monotonic()
        ask = [self.programs / "pg_isready", "--quiet", "--host", self.directory]
        while subprocess.run(ask, check=False).returncode:
            if self._server.poll() is not None or time.monotonic() - begun > SECONDS:
                raise AssertionError((self.directory / "log").read_text())
            time.sleep(0.02)

    def start_again(self) -> None:
        """Start the server if it does not run."""
        if self._server is None:
            self.start()

    def stop(self) -> None:
        """Stop the server as a crash does: it says nothing to who is connected, and recovers at the next start."""
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT)
            self._server.wait(SECONDS)
            self._server = None

    def remove(self) -> None:
        """Stop the server and remove all that it wrote."""
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return f"postgresql+psycopg://gamed@/{database}?host={self.directory}"

    def database(self, options: str = f"TEMPLATE {TEMPLATE}") -> str:
        """Make a database, if nothing else is said with the schema, and return its URL."""
        name = f"test{next(self._numbers)}"
        self.run("postgres", f"CREATE DATABASE {name} {options}")
        return self.url(name)

    def run(self, database: str, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement outside of a transaction, as the superuser; return its rows."""
        import psycopg  # noqa: PLC0415 (not there: these tests are skipped)

        with psycopg.connect(host=str(self.directory), user="gamed", dbname=database, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


@cache
def cluster() -> Cluster:
    """Return the one cluster of these tests, started; it is removed when the process ends."""
    programs = _programs()
    assert programs is not None
    # A socket's path must be short, and into the directory of the tests only their own user may go.
    made = Cluster(programs, Path(tempfile.mkdtemp(prefix="gamed-pg-", dir="/tmp")))
    at_end.callback(made.remove)
    made.make()
    made.start()
    made.run("postgres", f"CREATE DATABASE {TEMPLATE}")
    database = Database(made.url(TEMPLATE))
    database.thd_open()
    database.thd_close()
    return made
