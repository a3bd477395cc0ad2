"""The room service behind all listeners: rooms, who waits for whom, and what becomes of a finished game."""

from __future__ import annotations

from typing import Protocol

from gamed.events import Event


class Peer(Protocol):
    """Who sits on a seat, as a room sees it: a session with a connection, or a player inside the daemon."""

    @property
    def name(self) -> str:
        """What the peer is called in logs and records: its address where the protocol has no names."""

    @property
    def is_gone(self) -> bool:
        """Whether the peer has closed its side, even if that has not been told yet."""

    def deliver(self, event: Event) -> None:
        """Put a letter that tells of an event to those that leave at the next `flush`."""

    def flush(self) -> None:
        """Let the letters leave, together."""

    def close(self) -> None:
        """Let the peer go, after all that was delivered has reached it."""

    def pause(self) -> None:
        """Take nothing from the peer until `resume`."""

    def resume(self) -> None:
        """Take from the peer again."""
