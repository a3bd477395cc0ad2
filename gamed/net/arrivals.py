"""The arrival times of input, for time limits.

The time of the read would be unfair: if the reactor is late, a player's answer may have waited in the kernel's buffer.
The kernel does not say when bytes came, but one bound is known. Level-triggered polling reports a socket in each pass
until it is empty. So a socket that is polled and was not reported was empty in that pass, and one that returned fewer
bytes than were asked for is empty now. Bytes that are read later have arrived after that moment. In the player's
favour, they count as arrived at that moment.

Source: docs/topics/design.md#time.
"""

from __future__ import annotations

from typing import Final

from attrs import define, field

from gamed.net.stall_clock import StallClock

FLOOD: Final = 1.0
"""The most seconds that a peer gains if it sends so much that its socket is never empty."""


@define(eq=False, weakref_slot=False)
class Arrivals:
    """The arrivals on one socket."""

    passes: StallClock

    _empty_at: float = field(init=False)
    """When the socket was empty last, as far as reads have shown it. Passes without a read may have shown more."""

    _seen: int | None = None
    """The last pass in which the socket was read, or in which watching began. Passes after it found it empty.

    None: the reactor does not poll the socket, so that a pass without a read shows nothing.
    """

    _until: float | None = None
    """If the last read did not empty the socket: until when `_empty_at` is still credited (`FLOOD`)."""

    def __attrs_post_init__(self) -> None:
        self._empty_at = self.passes.before

    @property
    def last(self) -> float:
        """When the socket was empty last: what is in it now arrived later."""
        passes = self.passes
        is_passed = self._seen is not None and passes.number > self._seen + 1
        is_flood = self._until is not None and passes.began > self._until
        # The present pass shows nothing: its poll may have found the socket ready, and will read it after others.
        return passes.before if is_passed or is_flood else self._empty_at

    def read(self, *, is_emptied: bool) -> float:
        """Return when bytes that are read now count as arrived. `is_emptied`: fewer were read than were asked for."""
        passes, seen = self.passes, self._seen
        # The same as `last`, in line, because this runs once a message.
        is_passed = seen is not None and passes.number > seen + 1
        arrived = passes.before if is_passed else self._empty_at if self._until is None else self.last
        if seen is not None:
            self._seen = passes.number
        if is_emptied:
            self._empty_at, self._until = passes.began, None
        else:
            if self._until is None or arrived != self._empty_at:
                self._until = passes.seconds() + FLOOD
            self._empty_at = arrived
        return arrived

    def watch(self, *, is_watched: bool) -> None:
        """Take note whether the reactor polls the socket from its next pass on."""
        if is_watched is (self._seen is not None):
            return
        self._empty_at = self.last
        self._seen = self.passes.number if is_watched else None
