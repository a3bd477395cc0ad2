"""When what is read from a socket had arrived at the latest moment that is known.

Source: docs/topics/design.md#time. Level-triggered polling reports a socket in each pass until it is empty. So a socket
that is watched and was not reported in a pass was empty then, and so is one of which less was read than was asked for.
All that is read later has arrived later. Nothing more is known, and a peer is not charged for what is not known: what
is read counts as arrived at the moment at which the socket was empty last.
"""

from __future__ import annotations

from typing import Final

from attrs import define, field

from gamed.lobby.stall_clock import StallClock

FLOOD: Final = 1.0
"""Seconds for which a peer may keep its socket from getting empty, and be credited for all of them."""


@define(eq=False, weakref_slot=False)
class Arrivals:
    """The arrivals on one socket."""

    passes: StallClock

    _empty_at: float = field(init=False)
    """When the socket was empty last, unless later passes have found it so."""

    _seen: int | None = None
    """The last pass in which it was read, or in which watching began. A later one that reads nothing found it empty.

    None: the reactor does not watch it, and nothing follows from its not being read.
    """

    _until: float | None = None
    """When the socket was read without getting empty: how long `_empty_at` is credited."""

    def __attrs_post_init__(self) -> None:
        self._empty_at = self.passes.before

    @property
    def last(self) -> float:
        """When the socket was empty last: what is in it arrived later."""
        passes = self.passes
        is_passed = self._seen is not None and passes.number > self._seen + 1
        is_flood = self._until is not None and passes.began > self._until
        # Not the present pass: its poll may have found the socket ready, which is then read after others.
        return passes.before if is_passed or is_flood else self._empty_at

    def read(self, *, is_emptied: bool) -> float:
        """Return when something that is read now counts as arrived. `is_emptied`: less was read than was asked for."""
        passes, seen = self.passes, self._seen
        # What `last` says, without a call: this is on each message's way.
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
        """Take note that the reactor watches the socket from its next pass on, or does not any longer."""
        if is_watched is (self._seen is not None):
            return
        self._empty_at = self.last
        self._seen = self.passes.number if is_watched else None
