"""What was logged, as sentences."""

from __future__ import annotations

from collections.abc import Iterable

from twisted.logger import LogEvent, LogLevel, formatEvent


def sentences(events: Iterable[LogEvent]) -> list[str]:
    """Return the sentences of the events that are warnings or worse."""
    return [formatEvent(event) for event in events if event["log_level"] >= LogLevel.warn]
