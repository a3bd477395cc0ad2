"""Sans-I/O building stones that dialects share: bytes in, events out, and back.

Source: docs/topics/design.md#central-types, docs/topics/design.md#habits (h11: events are pulled, so that what was
understood before an error is still delivered).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from gamed.core.events import Event


class Connection(Protocol):
    """One peer's side of a dialect: one per TCP or WebSocket connection."""

    @property
    def begun(self) -> bool:
        """Whether part of a message has come, and its end is to come; False where that may take any time."""

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message whose end has not come, for people; b"" if there is none."""

    @property
    def ending(self) -> str:
        """What ends the message, for people: "a line feed"."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the peer; empty bytes mean that it has closed."""

    def events(self) -> Iterator[Event]:
        """Yield what the bytes so far mean. Raises RemoteProtocolError, after all events before it."""

    def send(self, event: Event) -> bytes:
        """Return the bytes that tell the peer of an event. Raises LocalProtocolError: a defect of ours."""

    def close(self) -> bytes:
        """Return what the dialect says last before our side is closed; nothing in most dialects."""
