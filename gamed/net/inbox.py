"""What a peer has sent and its room has not seen, and how much of it may be served now.

Source: docs/topics/design.md#floods.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import inf

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from gamed.core.events import Event
from gamed.net.limits import Bucket
from gamed.process.fairness import SHARE, STORE
from gamed.wire import Connection

LEFT_BEHIND = 1.0
"""Seconds for which a seated peer is still served after it has closed its side. Then its seats are emptied, so that
the others at its tables do not wait for the end of a flood."""


@define(eq=False, weakref_slot=False)
class Inbox:
    """Buffered bytes and two limits. The messages of a read, four at most, are handed on as one batch.

    Fairness is decided once a batch: share and rate limit its messages, and are charged when it has ended. The batch is
    an iterator, so a message is parsed only after the one before it was served. That matters in three cases: a message
    may mute its peer, and then the next one must not be served; the fair queue ends a costly batch when its time is
    over; and what precedes a syntax error is served.
    """

    connection: Connection
    """Turns bytes into events. It gets bytes only when they are served, so a flood cannot fill its buffers."""

    clock: IReactorTime
    rate: Bucket | None
    """The listener's `messages_per_second`, which counts rated messages only; None: no limit."""

    is_full: bool = False
    """Whether bytes came while others waited. Reading stops then until all of them are served."""

    is_behind: bool = False
    """Whether the last read was as long as a read may be, so that the kernel probably has more."""

    taken: int = 0
    """Messages of the present batch, until it is charged."""

    error: Exception | None = None
    """The error that has ended the last batch: a broken protocol, or a fault of ours."""

    share: Bucket = field(init=False)
    """How many messages are served as soon as they are read. Any more go through the fair queue."""

    _waiting: tuple[bytes, ...] = ()
    """Bytes that the connection has not been given. An empty chunk is the end of the stream."""

    _kept: tuple[Event, ...] = ()
    """The message that the last batch had no room for. It is parsed to know that there is one: otherwise each batch
    that has used up its limits would be followed by an empty one, a turn of the reactor later."""

    _most: int = 0
    """How many messages the present batch may have; 0: it has ended, and nothing more waits."""

    _ended_at: float | None = None
    """When a look at the socket first found that the peer has closed its side, while messages of it wait."""

    _counted: int = 0
    """Rated messages of the present batch, until it is charged."""

    def __attrs_post_init__(self) -> None:
        self.share = Bucket(SHARE, STORE, self.clock.seconds())

    @property
    def is_late(self) -> bool:
        """Whether what waits has been served long enough, since the first call: the peer has closed its side."""
        now = self.clock.seconds()
        if self._ended_at is None:
            self._ended_at = now
        return now - self._ended_at >= LEFT_BEHIND

    def put(self, data: bytes) -> None:
        """Take bytes from the peer."""
        if data:
            self._waiting += (data,)

    def end(self) -> None:
        """Append the end of the stream."""
        self._waiting += (b"",)
        # The peer's seats are emptied after its last messages, so these do not wait for the rate.
        self.rate = None

    def clear(self) -> None:
        """Discard what waits, and end the batch that is being served."""
        self._waiting, self._kept = (), ()
        self._most = 0

    def allow(self, messages_per_second: float) -> None:
        """Raise the rate, if there is one and it is lower. The new bucket is full: it holds the tokens of a second."""
        if self.rate is not None and self.rate.rate < messages_per_second:
            self.rate = Bucket(messages_per_second, messages_per_second, self.clock.seconds(), messages_per_second)

    def batch(self, most: int, rated: float, until: float = inf) -> Iterator[Event]:
        """Yield at most `most` messages, `rated` of them rated, and no second one after the time `until`.

        Errors are left in `error`, not raised: a room iterates over the batch, and a dialect that fails must cost its
        peer the connection, not the room its match.
        """
        self._most = most
        try:
            waiting, self._waiting = self._waiting, ()
            for data in waiting:
                self.connection.receive_data(data)
            kept, self._kept = self._kept, ()
            for event in chain(kept, self.connection.events()):
                # At least one message is served. The condition is written out here, because this runs once a line.
                if self.taken and (
                    self.taken >= self._most
                    or self._counted >= rated
                    or (until != inf and self.clock.seconds() >= until)
                ):
                    self._kept = (event,)
                    return
                self.taken += 1
                self._counted += event.is_rated
                yield event
        except Exception as error:  # noqa: BLE001 (see above)
            self.error = error
        self._most = 0

    def charge(self) -> bool:
        """Charge the share and the rate for the last batch; return whether there may be more."""
        # A read that completes no message costs as much as one.
        self.share.take(self.taken or 1)
        if self.rate is not None:
            self.rate.take(self._counted)
        self.taken = self._counted = 0
        return bool(self._most)


def empty_inbox(connection: Connection, clock: IReactorTime, messages_per_second: float) -> Inbox:
    """Return an inbox. `messages_per_second`: the listener's limit; 0: no limit."""
    rate = messages_per_second
    return Inbox(connection, clock, Bucket(rate, rate, clock.seconds(), rate) if rate else None)
