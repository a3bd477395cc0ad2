"""Where a session stands between its first byte and its last: one table, and nothing else changes a session's phase.

Source: docs/topics/design.md#phases-of-a-session.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from attrs import frozen


class Phase(Enum):
    """What is done with a peer's messages. Exactly one phase holds."""

    # Members are made once. Enum's own hash is a call, and phases are looked up at each read of a peer that is fast.
    __hash__ = object.__hash__

    HANDSHAKING = auto()
    """TLS is not done: all is read, and there are no messages yet."""
    OPEN = auto()
    """What comes is served at once, as far as the peer's share allows."""
    QUEUED = auto()
    """More has come than the share allows: the session is in the fair queue."""
    RATED = auto()
    """The listener's messages per second are used up: the session goes on when its bucket has a token again."""
    MUTED = auto()
    """Refused, or about to be let go: what comes is read and thrown away."""
    CLOSING = auto()
    """Our side is closed: what comes is thrown away until the peer closes its own, or has had its time for that."""
    LEAVING = auto()
    """The peer has closed its side: the fair queue serves what it said last, and then empties its seats."""
    DEPARTING = auto()
    """As LEAVING, with nothing left to serve."""
    GONE = auto()
    """The seats are empty."""


@frozen(eq=False)
class Occasion:
    """What can happen to a session. `then`: from each phase in which it means something, the one that follows."""

    text: str
    then: Mapping[Phase, Phase]


HANDS_SHAKEN: Final = Occasion("the TLS handshake is done", {Phase.HANDSHAKING: Phase.OPEN})
SHARE_EXCEEDED: Final = Occasion("more waits than the share allows", {Phase.OPEN: Phase.QUEUED})
RATE_EXCEEDED: Final = Occasion(
    "more waits than the listener's rate allows", {Phase.OPEN: Phase.RATED, Phase.QUEUED: Phase.RATED}
)
CAUGHT_UP: Final = Occasion("the fair queue has served all that had come", {Phase.QUEUED: Phase.OPEN})
RATE_REFILLED: Final = Occasion("the listener's rate allows a message again", {Phase.RATED: Phase.OPEN})
SILENCED: Final = Occasion(
    "nothing more is to be served, ever, not even what waits",
    {
        Phase.HANDSHAKING: Phase.MUTED,
        Phase.OPEN: Phase.MUTED,
        Phase.QUEUED: Phase.MUTED,
        Phase.RATED: Phase.MUTED,
        # It leaves all the same.
        Phase.LEAVING: Phase.DEPARTING,
    },
)
CLOSED: Final = Occasion("we have closed our side, after SILENCED", {Phase.MUTED: Phase.CLOSING})
PEER_ENDED: Final = Occasion(
    "the peer has closed its side, or the connection is lost",
    {
        Phase.HANDSHAKING: Phase.LEAVING,
        Phase.OPEN: Phase.LEAVING,
        Phase.QUEUED: Phase.LEAVING,
        Phase.RATED: Phase.LEAVING,
        Phase.MUTED: Phase.DEPARTING,
        Phase.CLOSING: Phase.DEPARTING,
    },
)
SEATS_EMPTIED: Final = Occasion(
    "nothing of the peer is left in rooms", {Phase.LEAVING: Phase.GONE, Phase.DEPARTING: Phase.GONE}
)

TABLE: Final = (
    HANDS_SHAKEN,
    SHARE_EXCEEDED,
    RATE_EXCEEDED,
    CAUGHT_UP,
    RATE_REFILLED,
    SILENCED,
    CLOSED,
    PEER_ENDED,
    SEATS_EMPTIED,
)
"""All that can happen. In a phase that an occasion does not name, it changes nothing: closing twice is closing once."""

SERVED: Final = frozenset({Phase.QUEUED, Phase.LEAVING})
"""The phases in which the fair queue has messages of the session to serve."""

LOOKED_AT: Final = frozenset({Phase.HANDSHAKING, Phase.OPEN, Phase.RATED})
"""The phases in which it is the peer that keeps a begun message from ending."""

DEAF: Final = frozenset({Phase.MUTED, Phase.CLOSING, Phase.DEPARTING, Phase.GONE})
"""The phases in which nothing is heard of the peer any longer."""

LEFT: Final = frozenset({Phase.LEAVING, Phase.DEPARTING, Phase.GONE})
"""The phases that follow the peer's end."""
