"""Where a session stands between its first byte and its last: one table, and nothing else changes a session's phase.

Source: design.md, "Floods" and habit 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final


class Phase(Enum):
    """What is done with a peer's messages. Exactly one phase holds."""

    HANDSHAKING = auto()
    """TLS is not done: all is read, and there are no messages yet."""
    OPEN = auto()
    """What comes is served at once, as far as the peer's share allows."""
    QUEUED = auto()
    """More has come than the share allows: the session is in the backlog."""
    RATED = auto()
    """The listener's messages per second are used up: the session goes on when its bucket has a token again."""
    MUTED = auto()
    """Refused, or about to be let go: what comes is read and thrown away."""
    CLOSING = auto()
    """Our side is closed: what comes is thrown away until the peer closes its own, or has had its time for that."""
    LEAVING = auto()
    """The peer has closed its side: the backlog serves what it said last, and then empties its seats."""
    DEPARTING = auto()
    """As LEAVING, with nothing left to serve."""
    GONE = auto()
    """The seats are empty."""


class Occasion(Enum):
    """What can happen to a session."""

    HANDS_SHAKEN = auto()
    """The TLS handshake is done."""
    SHARE_EXCEEDED = auto()
    """More waits than the share allows."""
    RATE_EXCEEDED = auto()
    """More waits than the listener's rate allows."""
    CAUGHT_UP = auto()
    """The backlog has served all that had come."""
    RATE_REFILLED = auto()
    """The listener's rate allows a message again."""
    MUTED = auto()
    """Nothing more is to be served, ever, not even what waits."""
    CLOSED = auto()
    """We have closed our side. It comes after MUTED."""
    PEER_ENDED = auto()
    """The peer has closed its side, or the connection is lost."""
    SEATS_EMPTIED = auto()
    """Nothing of the peer is left in rooms."""


_SILENCED: Final = {Occasion.MUTED: Phase.MUTED, Occasion.PEER_ENDED: Phase.LEAVING}

TABLE: Final[Mapping[Phase, Mapping[Occasion, Phase]]] = {
    Phase.HANDSHAKING: {Occasion.HANDS_SHAKEN: Phase.OPEN, **_SILENCED},
    Phase.OPEN: {Occasion.SHARE_EXCEEDED: Phase.QUEUED, Occasion.RATE_EXCEEDED: Phase.RATED, **_SILENCED},
    Phase.QUEUED: {Occasion.RATE_EXCEEDED: Phase.RATED, Occasion.CAUGHT_UP: Phase.OPEN, **_SILENCED},
    Phase.RATED: {Occasion.RATE_REFILLED: Phase.OPEN, **_SILENCED},
    Phase.MUTED: {Occasion.CLOSED: Phase.CLOSING, Occasion.PEER_ENDED: Phase.DEPARTING},
    Phase.CLOSING: {Occasion.PEER_ENDED: Phase.DEPARTING},
    # What is muted or closed while it leaves has nothing left to serve. It leaves all the same.
    Phase.LEAVING: {Occasion.MUTED: Phase.DEPARTING, Occasion.SEATS_EMPTIED: Phase.GONE},
    Phase.DEPARTING: {Occasion.SEATS_EMPTIED: Phase.GONE},
    Phase.GONE: {},
}
"""What follows from what. What is not here changes nothing: closing twice is closing once."""

SERVED: Final = frozenset({Phase.QUEUED, Phase.LEAVING})
"""The phases in which the backlog has messages of the session to serve."""

LOOKED_AT: Final = frozenset({Phase.HANDSHAKING, Phase.OPEN, Phase.RATED})
"""The phases in which it is the peer that keeps a begun message from ending."""

DEAF: Final = frozenset({Phase.MUTED, Phase.CLOSING, Phase.DEPARTING, Phase.GONE})
"""The phases in which nothing is heard of the peer any longer."""

LEFT: Final = frozenset({Phase.LEAVING, Phase.DEPARTING, Phase.GONE})
"""The phases that follow the peer's end."""


def after(phase: Phase, occasion: Occasion) -> Phase:
    """Return the phase that follows."""
    return TABLE[phase].get(occasion, phase)
