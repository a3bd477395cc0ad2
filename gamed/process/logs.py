"""Write the log, one line per event, as text or as JSON. Control characters are escaped.

For twistd's option --logger: `twistd -n --logger gamed.process.logs.json_lines gamed`, or `text_lines`. The
console sets the level. Without that option twistd writes the log itself.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TextIO

from attrs import define
from twisted.logger import ILogObserver, LogEvent, LogPublisher, formatEvent
from zope.interface import implementer

from gamed.core.texts import printable, timestamp

_PRIORITIES: Final = {"critical": 2, "error": 3, "warn": 4, "info": 6, "debug": 7}

SECRET: Final = frozenset({"password", "code"})
"""Fields that JSON lines leave out. The sentence may contain them."""


@implementer(ILogObserver)
@define(eq=False)
class Lines:
    """An observer that writes each event as one line."""

    file: TextIO

    render: Callable[[LogEvent], str]
    """Returns the line of an event, without a line feed."""

    def __call__(self, event: LogEvent) -> None:
        """Write an event."""
        self.file.write(self.render(event) + "\n")
        self.file.flush()


def text_lines() -> Lines:
    """Return an observer that writes text to standard output, with priorities if systemd's journal reads it."""
    return Lines(sys.stdout, with_priority if "JOURNAL_STREAM" in os.environ else as_text)


def json_lines() -> Lines:
    """Return an observer that writes JSON to standard output."""
    return Lines(sys.stdout, as_json)


def reopen(path: str) -> None:
    """Continue in a new file after `logrotate` has renamed or removed `path`.

    Twisted does not expose its log file. The descriptor is found by its name, which the system keeps up to date:
    `gamed.log.1`, or `gamed.log (deleted)`.
    """
    full = os.path.realpath(path)
    created = os.open(full, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if int(link.name) != created and str(link.readlink()).startswith(full):
                os.dup2(created, int(link.name))
    os.close(created)


def with_priority(event: LogEvent) -> str:
    """Return a line of text with the priority prefix of sd-daemon(3), for `journalctl -p warning`."""
    return f"<{_PRIORITIES.get(_level(event), 6)}>{as_text(event)}"


def as_text(event: LogEvent) -> str:
    """Return time, logger, level and sentence, then the traceback with escaped line feeds."""
    head = f"{_time(event)} [{event.get('log_namespace', '-')}#{_level(event)}]"
    trace = _traceback(event)
    return printable(f"{head} {formatEvent(event)}" + (f"\n{trace}" if trace else ""))


def as_json(event: LogEvent) -> str:
    """Return a JSON object: time, level, logger, event (the sentence), then the fields, such as room and peer."""
    fields: dict[str, Any] = {
        "time": _time(event),
        "level": _level(event),
        "logger": event.get("log_namespace", "-"),
        "event": formatEvent(event),
    }
    for name, value in event.items():
        if not name.startswith("log_") and name not in SECRET | fields.keys() and _is_own(event, name):
            fields[name] = value if isinstance(value, str | int | float | bool | None) else str(value)
    trace = _traceback(event)
    if trace:
        fields["traceback"] = trace
    # Only ASCII: readers get neither control characters nor unusual characters of Unicode.
    return json.dumps(fields, ensure_ascii=True, allow_nan=True)


def _is_own(event: LogEvent, name: str) -> bool:
    """Whether the sentence's format names a field. Twisted adds others for its legacy observers."""
    return f"{{{name}" in (event.get("log_format") or "")


def _time(event: LogEvent) -> str:
    seconds = event.get("log_time")
    return "-" if seconds is None else timestamp(datetime.fromtimestamp(seconds, UTC))


def observers_of(publisher: LogPublisher) -> list[ILogObserver]:
    """Return the observers of a publisher. This is a private attribute of Twisted."""
    return list(publisher._observers)  # noqa: SLF001


def _level(event: LogEvent) -> str:
    level = event.get("log_level")
    return level.name if level is not None else "info"


def _traceback(event: LogEvent) -> str:
    failure = event.get("log_failure")
    return "" if failure is None else failure.getTraceback().rstrip()
