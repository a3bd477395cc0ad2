"""The audit log: who changed something, when, from where, and what came of it. A line each in STATE/audit.log.

The daemon's own log cannot be the only place: a command such as `gamed import` changes the record store, too, and has
no part in that log. The database cannot be the place either: then whoever removes games from it could remove their
traces as easily, and commands of the console, which change no database, would need one. So the daemon and the
commands append to one file in the state directory, which nothing of ours reads. The file is opened for each
line, so logrotate may rename it at any time.

A line of the daemon is in its log, too: `say` logs it, and `AuditObserver` appends it.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from attrs import define
from twisted.logger import ILogObserver, LogEvent, Logger
from zope.interface import implementer

from gamed.core.errors import StoreError
from gamed.core.texts import timestamp
from gamed.process.private import opened

NAMESPACE: Final = "gamed.console.audit"
"""The logger of the daemon's lines; they are written at any level."""

FILE: Final = "audit.log"

A_LINE: Final = 50
"""Ids in a line."""

LONGEST: Final = 2_000
"""Characters of what was done, or of what came of it, that a line has."""


log = Logger()
_log = Logger(namespace=NAMESPACE)


def note(state: Path, who: str, did: str, result: str) -> None:
    """Append a line. `who`: `user=… from=…`. `state`: the state directory. Raises StoreError: it cannot be written."""
    append(state, f"{who} did={_plain(did)} result={_plain(result)}")


def append(state: Path, sentence: str) -> None:
    """Append a sentence with the time. Raises StoreError: it cannot be written."""
    now = timestamp(datetime.now(UTC))
    path = state / FILE
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = opened(path, os.O_WRONLY | os.O_APPEND)
        try:
            # One write: lines of processes that append at the same time do not mix.
            os.write(descriptor, f"{now} {sentence}\n".encode("ascii", "backslashreplace"))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StoreError(
            f"cannot write the audit log {path}: {error.strerror}; be the user that the daemon runs as"
        ) from error


def _plain(text: str) -> str:
    cut = f"... and {len(text) - LONGEST} characters more" if len(text) > LONGEST else ""
    return text[:LONGEST].encode("unicode_escape", "backslashreplace").decode("ascii") + cut


def listed(ids: Iterable[str]) -> Iterator[str]:
    """Yield ids of records as texts, each so short that a line has all of it."""
    for batch in batched(sorted(ids), A_LINE):
        yield ", ".join(batch)


def batched(ids: list[str], size: int) -> Iterator[list[str]]:
    """Yield a list in parts."""
    return (ids[at : at + size] for at in range(0, len(ids), size))


# Commands


@define
class Noted:
    """A command that is noted. `result`: what has come of it so far; to be set."""

    state: Path
    did: str
    result: str = "nothing known"

    def add(self, ids: Iterable[str]) -> None:
        """Note at once which records were changed or deleted."""
        for text in listed(ids):
            note(self.state, user(), self.did, text)


@contextmanager
def noted(state: Path, did: str) -> Iterator[Noted]:
    """Note that a command of the command line begins to change something, and at the end what has come of it.

    Raises StoreError before anything is changed if it cannot be noted.
    """
    who = user()
    note(state, who, did, "begun")
    found = Noted(state, did)
    try:
        yield found
    except BaseException as error:
        # What went wrong is worth more than that it cannot be noted.
        with suppress(StoreError):
            note(state, who, did, f"failed: {str(error) or type(error).__name__}; so far: {found.result}")
        raise
    note(state, who, did, found.result)


def user() -> str:
    """Return who uses the command line: behind sudo, the person and the account that the command runs as."""
    own = str(os.getuid())
    with suppress(KeyError):
        own = pwd.getpwuid(os.getuid()).pw_name
    person = os.environ.get("SUDO_USER", "")
    return f"user={_plain(person)} as={own} from=commandline" if person else f"user={own} from=commandline"


# The daemon


def say(who: str, did: str, result: str) -> None:
    """Note, in the daemon, that something was done: in its log, and from there in the audit log."""
    _log.info("audit: {who} did={did} result={result}", who=who, did=_plain(did), result=_plain(result))


@implementer(ILogObserver)
@define(eq=False)
class AuditObserver:
    """An observer of the daemon's log that appends what `say` tells to the audit log of a state directory."""

    state: Path

    def __call__(self, event: LogEvent) -> None:
        """Append the event if it is of the audit log."""
        if event.get("log_namespace") == NAMESPACE:
            try:
                append(self.state, "{who} did={did} result={result}".format(**event))
            except StoreError as error:
                log.error("{error}", error=error)  # noqa: TRY400 (Twisted's logger)
