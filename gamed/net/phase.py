"""The states of a session, from its first byte to its last, and the table of their transitions.

Source: docs/topics/design.md#phases-of-a-session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import Final

from attrs import frozen


class Phase(Enum):
    """What is done with a peer's messages. Exactly one phase holds."""

    # Enum's own hash is a Python function. The identity serves as well, because each member exists once, and costs less
    # where a phase is looked up at each read.
    __hash__ = object.__hash__

    HANDSHAKING = auto()
    """The TLS handshake is not done: all is read, and there are no messages yet."""
    OPEN = auto()
    """Messages are served at once, as far as the peer's share allows."""
    QUEUED = auto()
    """More messages have come than the share allows: the session is in the fair queue."""
    RATED = auto()
    """The listener's messages per second are used up: a timer serves on when the bucket has a token again."""
    MUTED = auto()
    """The peer was refused, or is about to be disconnected: its input is read and discarded."""
    CLOSING = auto()
    """Our side is closed: input is discarded until the peer closes its own, or for `LINGER` seconds."""
    LEAVING = auto()
    """The peer has closed its side: the fair queue serves its last messages, and then empties its seats."""
    DEPARTING = auto()
    """Like LEAVING, with nothing left to serve."""
    GONE = auto()
    """The seats are empty."""


@frozen(eq=False)
class Occasion:
    """Something that can happen to a session."""

    text: str
    """A description for people."""

    then: Mapping[Phase, Phase]
    """The next phase, for each phase in which it can happen; the same one where it changes nothing."""


DEAF: Final = frozenset({Phase.MUTED, Phase.CLOSING, Phase.DEPARTING, Phase.GONE})
"""The phases in which input of the peer is discarded."""

LEFT: Final = frozenset({Phase.LEAVING, Phase.DEPARTING, Phase.GONE})
"""The phases after the peer has closed its side."""


def _same(phases: Iterable[Phase]) -> dict[Phase, Phase]:
    return {phase: phase for phase in phases}


HANDS_SHAKEN: Final = Occasion("the TLS handshake is done", {Phase.HANDSHAKING: Phase.OPEN, **_same(DEAF | LEFT)})
SHARE_EXCEEDED: Final = Occasion("more waits than the share allows", {Phase.OPEN: Phase.QUEUED})
RATE_EXCEEDED: Final = Occasion(
    "more waits than the listener's rate allows", {Phase.OPEN: Phase.RATED, Phase.QUEUED: Phase.RATED}
)
CAUGHT_UP: Final = Occasion(
    "the fair queue has served all that had come, or all that may be served",
    {Phase.QUEUED: Phase.OPEN, **_same((Phase.RATED, Phase.MUTED, Phase.CLOSING))},
)
RATE_REFILLED: Final = Occasion("the listener's rate allows a message again", {Phase.RATED: Phase.OPEN})
SILENCED: Final = Occasion(
    "nothing more is to be served, ever, not even what waits",
    {
        Phase.HANDSHAKING: Phase.MUTED,
        Phase.OPEN: Phase.MUTED,
        Phase.QUEUED: Phase.MUTED,
        Phase.RATED: Phase.MUTED,
        # The peer has closed its side; only its last messages are dropped.
        Phase.LEAVING: Phase.DEPARTING,
        **_same(DEAF),
    },
)
CLOSED: Final = Occasion("we have closed our side, after SILENCED", {Phase.MUTED: Phase.CLOSING, **_same(DEAF & LEFT)})
PEER_ENDED: Final = Occasion(
    "the peer has closed its side, or the connection is lost",
    {
        Phase.HANDSHAKING: Phase.LEAVING,
        Phase.OPEN: Phase.LEAVING,
        Phase.QUEUED: Phase.LEAVING,
        Phase.RATED: Phase.LEAVING,
        Phase.MUTED: Phase.DEPARTING,
        Phase.CLOSING: Phase.DEPARTING,
        # The queue found that it had closed before all of its messages were served.
        Phase.DEPARTING: Phase.DEPARTING,
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
"""All that can happen to a session."""

SERVED: Final = frozenset({Phase.QUEUED, Phase.LEAVING})
"""The phases in which the fair queue has messages of the session to serve."""

LOOKED_AT: Final = frozenset({Phase.HANDSHAKING, Phase.OPEN, Phase.RATED})
"""The phases in which an unfinished message waits for the peer, and not for a limit of ours."""
