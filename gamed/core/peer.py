"""The interface of a peer for rooms and receptions. Source: docs/topics/design.md#a-person-in-the-browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from attrs import frozen

from gamed.core.events import Event
from gamed.core.game import Seat
from gamed.core.refusals import Refusals


@frozen(eq=False)
class Party:
    """Peers that play together. They get a room of their own, in which nobody else is seated."""

    size: int
    """How many peers it has."""


class Peer(Protocol):
    """A player or observer: a session with a connection, or a player inside the daemon."""

    @property
    def name(self) -> str:
        """The peer's name in logs: the name that it has given itself, if any, and its address."""

    @property
    def called(self) -> str:
        """The peer's name for records and other players: the name that it has given itself, or its address."""

    @property
    def own_name(self) -> str | None:
        """The name that the peer has given itself, if any."""

    @property
    def party(self) -> Party | None:
        """The party that it belongs to; None: it plays with anybody."""

    @property
    def wanted(self) -> str | None:
        """The id of the room that it asks for; None: any room. Only peers of browsers can ask for one."""

    @property
    def reservation(self) -> Any:
        """The seat that it has by where it came in (`Reservation`); None: its reception's rule says where it sits."""

    @property
    def address(self) -> str:
        """Its IP address, or another word without a port."""

    @property
    def browser(self) -> str:
        """The key of the browser that it plays in; "" if it is a program."""

    @property
    def listener(self) -> str:
        """The name of the listener that it is connected to."""

    @property
    def places(self) -> Sequence[tuple[Any, Seat]]:
        """Its rooms, and its seat in each."""

    @property
    def is_gone(self) -> bool:
        """Whether the peer has closed its side, even if the connection's loss has not been reported yet."""

    @property
    def arrived(self) -> float:
        """When the messages that are being served count as arrived; infinity: now."""

    def has_unread(self, limit: float) -> bool:
        """Whether the peer has unserved input that may have arrived by the time `limit`."""

    @property
    def refusals(self) -> Refusals:
        """Its messages that had no effect."""

    @property
    def is_person(self) -> bool:
        """Whether somebody plays in a browser."""

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that it has begun and not ended."""

    def introduce(self, name: str) -> None:
        """Take note of the name that the peer has given itself."""

    def entered(self, room: Any, seat: Seat) -> None:
        """Take note of a seat in a room, or of a place among its observers (`OBSERVERS`)."""

    def released(self, room: Any) -> None:
        """Take note that a room is done with the peer, after all its events were delivered."""

    def allow(self, messages_per_second: float) -> None:
        """Raise the peer's rate limit to this, if it is lower."""

    def mute(self) -> None:
        """Discard all further input: the peer is about to be disconnected."""

    def deliver(self, event: Event) -> None:
        """Add an event to those that the next `flush` sends."""

    def flush(self) -> None:
        """Send the delivered events together."""

    def close(self) -> None:
        """Disconnect the peer, after it has got everything that was delivered."""

    def pause(self) -> None:
        """Stop reading from the peer until `resume`."""

    def resume(self) -> None:
        """Read from the peer again."""
