"""Sans-I/O building blocks that the dialects share: bytes to events, and events to bytes.

Source: docs/topics/design.md#central-types, docs/topics/design.md#habits. As in h11, events are pulled, so that the
events before an error are still delivered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from gamed.core.events import Event


class Connection(Protocol):
    """One side of a dialect, for one connection with a peer."""

    @property
    def begun(self) -> bool:
        """Whether a message has begun and must end soon. False if the dialect lets a message take any time."""

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that has not ended, to be shown to people; b"" if there is none."""

    @property
    def ending(self) -> str:
        """What is missing at the end of that message, in words: "a line feed"."""

    @property
    def is_answered(self) -> bool:
        """Whether the peer is sent something after its last message before it has to send more.

        If so, its input is not acknowledged separately: the packet that is sent carries the acknowledgement.
        """

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the peer. Empty bytes mean that it has closed."""

    def events(self) -> Iterator[Event]:
        """Yield the events of the bytes so far. Raises RemoteProtocolError after the events before it."""

    def send(self, event: Event) -> bytes:
        """Return the bytes for an event. Raises LocalProtocolError, which is a defect of ours."""

    def close(self) -> bytes:
        """Return the last bytes before our side is closed; in most dialects there are none."""
