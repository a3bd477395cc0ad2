"""Write the log, one line per event, as text or as JSON. Control characters are escaped.

For twistd's option --logger: `twistd -n --logger gamed.process.logs.json_lines gamed`, or `text_lines`. The
console sets the level. Without that option twistd writes the log itself; `format_faster` has it write the same lines.

A game is six or seven lines of the log. Twisted's formatter reads a format anew for each line, in Python, and its
timestamps are made anew, too: that is 17 of the 20 microseconds of a line, where `str.format_map` takes one.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache, partial
from math import modf
from pathlib import Path
from typing import Any, Final, TextIO

from attrs import define
from twisted.logger import FileLogObserver, ILogObserver, LogEvent, LogLevel, LogPublisher, formatEvent, formatTime
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
    return printable(f"{head} {sentence(event)}" + (f"\n{trace}" if trace else ""))


def as_json(event: LogEvent) -> str:
    """Return a JSON object: time, level, logger, event (the sentence), then the fields, such as room and peer."""
    fields: dict[str, Any] = {
        "time": _time(event),
        "level": _level(event),
        "logger": event.get("log_namespace", "-"),
        "event": sentence(event),
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
    if seconds is None:
        return "-"
    # As datetime does: the fraction is rounded to microseconds, and then cut off.
    fraction, whole = modf(seconds)
    further, microseconds = divmod(round(fraction * 1e6), 1_000_000)
    return f"{_second(int(whole) + further)}.{microseconds // 1000:03}Z"


@lru_cache(maxsize=1)
def _second(seconds: int) -> str:
    """Return a moment up to its seconds; the lines of the log that follow are mostly of the same one."""
    return timestamp(datetime.fromtimestamp(seconds, UTC)).removesuffix(".000Z")


def sentence(event: LogEvent) -> str:
    """Return an event's sentence: by Twisted's formatter, which knows more formats, only where `str` cannot do it."""
    try:
        return str(event["log_format"].format_map(event))
    except Exception:  # noqa: BLE001 (a format may call anything)
        return formatEvent(event)


# Twisted's own text

_OURS: Final = frozenset({"log_time", "log_namespace", "log_level"})
"""What each event has that comes by a `Logger`."""

_SAMPLE: Final[LogEvent] = {
    "log_time": 1_000_000_000.0,
    "log_namespace": "gamed",
    "log_level": LogLevel.info,
    "log_format": "a\n{sample}",
    "sample": "b",
}


def format_faster(observers: Iterable[ILogObserver]) -> None:
    """Have those of Twisted's observers format faster that write its own text, which stays what it is."""
    for observer in observers:
        if isinstance(observer, FileLogObserver):
            theirs, ours = observer.formatEvent, partial(_as_classic, observer.formatEvent)
            if theirs(_SAMPLE) == ours(_SAMPLE):
                observer.formatEvent = ours


def observers_of(publisher: LogPublisher) -> list[ILogObserver]:
    """Return the observers of a publisher. This is a private attribute of Twisted."""
    return list(publisher._observers)  # noqa: SLF001


def _as_classic(theirs: Callable[[LogEvent], str | None], event: LogEvent) -> str | None:
    """Return what Twisted's `formatEventAsClassicLogText` returns; it does that itself where more is to be written."""
    has_more = "log_failure" in event or "log_system" in event
    if has_more or not event.keys() >= _OURS or event["log_time"] is None:
        return theirs(event)
    text = sentence(event).replace("\n", "\n\t")
    # Twisted rounds to microseconds first, which can give the next second.
    head = f"{_local(int(round(event['log_time'], 6)))} [{event['log_namespace']}#{event['log_level'].name}]"
    return f"{head} {text}\n" if text else None


_local: Final = lru_cache(maxsize=1)(formatTime)
"""Twisted's timestamps have whole seconds."""


def _level(event: LogEvent) -> str:
    level = event.get("log_level")
    return level.name if level is not None else "info"


def _traceback(event: LogEvent) -> str:
    failure = event.get("log_failure")
    return "" if failure is None else failure.getTraceback().rstrip()
