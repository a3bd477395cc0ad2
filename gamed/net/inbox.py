"""What a peer has sent and its room has not seen, and how much of it may be served now.

Source: docs/topics/design.md#floods.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from gamed.core.events import Event
from gamed.fairness import SHARE, STORE
from gamed.net.limits import Bucket
from gamed.wire import Connection


@define(eq=False, weakref_slot=False)
class Inbox:
    """Buffered bytes and two limits. It hands a read's messages on as one batch.

    Fairness is decided once a batch: the share and the rate say how many messages it may have, and are charged when it
    has ended. The batch is an iterator, so that its messages are understood one by one, each after the one before it
    was served. That matters in three cases: nothing is taken of a peer that the message before has muted, the queue
    stops a costly batch when its time is over, and what was understood before an error is served.
    """

    connection: Connection
    """Turns bytes into events. It gets bytes only when their turn has come, and so cannot be filled by a flood."""

    clock: IReactorTime
    messages_per_second: float
    """Of those that are rated; 0: any number."""

    is_full: bool = False
    """Whether more came while something waited. Nothing is read then until all of it was served."""

    is_behind: bool = False
    """Whether the last read was as long as reads may be: the system has probably more."""

    taken: int = 0
    """Messages of the present batch, until it is charged."""

    error: Exception | None = None
    """What has ended the last batch: a broken protocol, or a fault of ours."""

    share: Bucket = field(init=False)
    """What a session has served when it is read, in the long run; beyond it, it waits in the fair queue."""

    rate: Bucket | None = field(init=False)
    """The listener's limit for one peer, or none."""

    _waiting: tuple[bytes, ...] = ()
    """What the connection has not been given. An empty chunk is the end of the stream."""

    _left: int = 0
    """How many more messages the present batch may have."""

    _counted: int = 0
    """Rated messages of the present batch, until it is charged."""

    def __attrs_post_init__(self) -> None:
        now, rate = self.clock.seconds(), self.messages_per_second
        self.share = Bucket(SHARE, STORE, now)
        self.rate = Bucket(rate, rate, now, rate) if rate else None

    def put(self, data: bytes) -> None:
        """Take bytes from the peer."""
        if data:
            self._waiting += (data,)

    def end(self) -> None:
        """Take the end of what the peer says."""
        self._waiting += (b"",)
        # What it said last does not wait for the rate: its seats are emptied after that.
        self.rate = None

    def clear(self) -> None:
        """Forget what waits, and end the batch that is under way."""
        self._waiting = ()
        self._left = 0

    def allow(self, messages_per_second: float) -> None:
        """Raise the rate, if there is one and it is lower; a second's worth is in store."""
        if self.rate is not None and self.rate.rate < messages_per_second:
            self.rate = Bucket(messages_per_second, messages_per_second, self.clock.seconds(), messages_per_second)

    def batch(self, most: int, rated: float, until: float = inf) -> Iterator[Event]:
        """Yield at most so many messages, so many rated ones, and no second one after a moment.

        Errors are left in `error`. They are not raised here, because whoever takes the events has nothing to do with
        them: a dialect that breaks must cost its peer the connection, not a room its match.
        """
        self._left = most
        try:
            waiting, self._waiting = self._waiting, ()
            for data in waiting:
                self.connection.receive_data(data)
            for event in self.connection.events():
                self.taken += 1
                self._counted += event.is_rated
                yield event
                if self.taken >= self._left or self._counted >= rated:
                    return
                if until != inf and self.clock.seconds() >= until:
                    return
        except Exception as error:  # noqa: BLE001 (see above)
            self.error = error
        self._left = 0

    def charge(self) -> bool:
        """Charge the share and the rate for the last batch; return whether there may be more."""
        # What does not end a message costs no less than one.
        self.share.take(self.taken or 1)
        if self.rate is not None:
            self.rate.take(self._counted)
        self.taken = self._counted = 0
        return bool(self._left)
