"""The last messages between a program and the daemon, with their times: evidence on why it has lost.

Source: docs/topics/design.md#fixtures. Only programs that come in by an entrance are written down.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final

from attrs import define, field

from gamed.core.events import Event
from gamed.core.texts import printable
from gamed.net.session import READ_BYTES, Session

KEPT: Final = 40
"""Messages that are kept: the last ones."""

SHOWN: Final = 200
"""Bytes of each that are kept: the first ones."""


@define
class Message:
    """What was sent together, or has come together."""

    at: int
    """When, as entries have it."""

    is_received: bool
    start: bytes
    size: int
    is_partial: bool
    """Whether what comes next may be a part of it."""


@define
class Transcript:
    """The last messages of a seat, on all connections that have come for it."""

    now: Callable[[], int]
    """Returns the time of the match, in milliseconds as its record has it: `Room.at`."""

    messages: deque[Message] = field(factory=lambda: deque(maxlen=KEPT))

    def note(self, data: bytes, *, is_received: bool) -> None:
        """Take note of bytes."""
        last = self.messages[-1] if self.messages else None
        is_partial = is_received and len(data) >= READ_BYTES
        if last is not None and last.is_received and is_received and last.is_partial:
            last.size += len(data)
            last.is_partial = is_partial
        elif data:
            self.messages.append(Message(self.now(), is_received, data[:SHOWN], len(data), is_partial))

    def data(self) -> list[dict[str, Any]]:
        """Return the messages for JSON: `at`, `from` (bot or daemon), `text` (the beginning), and `bytes` (in all)."""
        return [
            {
                "at": message.at,
                "from": "bot" if message.is_received else "daemon",
                "text": printable(message.start.decode("utf-8", "backslashreplace")),
                "bytes": message.size,
            }
            for message in self.messages
        ]


@define(eq=False)
class TranscribedSession(Session):
    """A session whose messages are written down."""

    transcript: Transcript = field(kw_only=True)

    def dataReceived(self, data: bytes) -> None:
        """Write down what has come, and serve it."""
        self.transcript.note(data, is_received=True)
        super().dataReceived(data)

    def deliver(self, event: Event) -> None:
        """Encode an event for the next `flush`, and write it down."""
        before = len(self.outbox.outgoing)
        super().deliver(event)
        self.transcript.note(self.outbox.outgoing[before:], is_received=False)
