"""A peer, as rooms and receptions see it. Source: docs/topics/design.md#a-person-in-the-browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from attrs import frozen

from gamed.core.events import Event
from gamed.core.game import Seat
from gamed.core.refusals import Refusals


@frozen(eq=False)
class Party:
    """Peers that came together. They get a room of their own, which nobody else is seated in."""

    size: int
    """How many they are."""


class Peer(Protocol):
    """Who sits on a seat or observes: a session with a connection, or a player inside the daemon."""

    @property
    def name(self) -> str:
        """What the peer is called in logs: its name if the protocol has names, and its address."""

    @property
    def called(self) -> str:
        """What records and other players call the peer: the name that it has given itself, or else its address."""

    @property
    def own_name(self) -> str | None:
        """The name that the peer has given itself, if it has."""

    @property
    def party(self) -> Party | None:
        """Whom it came with; None: it plays with anybody."""

    @property
    def wanted(self) -> str | None:
        """The id of the room that it asks for; None: any. No dialect has a word for this: a browser's peer asks so."""

    @property
    def address(self) -> str:
        """Where it comes from: an IP address, or another word without a port."""

    @property
    def listener(self) -> str:
        """The name of the listener that it came by."""

    @property
    def places(self) -> Sequence[tuple[Any, Seat]]:
        """The rooms it sits in, and where."""

    @property
    def is_gone(self) -> bool:
        """Whether the peer has closed its side, even if that has not been told yet."""

    @property
    def arrived(self) -> float:
        """When what is served of the peer now counts as arrived; infinity: it has just arrived."""

    def has_unread(self, limit: float) -> bool:
        """Whether something that may have arrived by a moment is still to be served."""

    @property
    def refusals(self) -> Refusals:
        """What it sent in vain."""

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that it has begun and not ended."""

    def introduce(self, name: str) -> None:
        """Take note of the name that the peer has given itself."""

    def entered(self, room: Any, seat: Seat) -> None:
        """Take note of a seat in a room; `OBSERVERS` is a place among those who watch."""

    def released(self, room: Any) -> None:
        """Take note that a room is done with the peer, after all that was delivered."""

    def allow(self, messages_per_second: float) -> None:
        """Take at least so many messages of the peer a second from now on."""

    def mute(self) -> None:
        """Take nothing more from the peer: it is about to be let go."""

    def deliver(self, event: Event) -> None:
        """Add an event to those that leave at the next `flush`."""

    def flush(self) -> None:
        """Let the events leave, together."""

    def close(self) -> None:
        """Let the peer go, after all that was delivered has reached it."""

    def pause(self) -> None:
        """Take nothing from the peer until `resume`."""

    def resume(self) -> None:
        """Take from the peer again."""
