"""The clock of all rooms, which also notes when the passes of the reactor begin.

A pass of the reactor polls all sockets, and then reads the ready ones. If a pass takes long, because of a slow disk, a
busy machine or a fault of ours, the answers of players wait unread, and must not be judged by the time of the read.
Nothing tells when they came, but they were not there when the previous pass polled. In the player's favour, they count
as arrived at that time, `before` (`gamed/net/arrivals.py` has the details). A `TurnReactor` calls the clock when a pass
begins; with another reactor nothing is noted, and input counts as arrived when it is read. A call every 20 ms keeps an
idle reactor's passes close together, so that `before` is never much too early.

The clock itself is monotonic, and is stopped while games are held in an outage. Nothing is deducted for slow passes: on
a busy machine that would stretch all limits.

Source: docs/topics/design.md#time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

log = Logger()

BEAT = 0.02
"""Seconds between two beats, and so the longest time that a poll waits."""

TOLERANCE = 0.005
"""Seconds by which a pass may be longer than a beat before it counts as a gap."""

WORTH_TELLING = 0.25
"""The shortest gap, in seconds, that is logged."""


@define(eq=False)
class StallClock(Service):
    """The monotonic clock without the time of holds, and the times of the last two passes of a reactor."""

    clock: Any
    """The reactor."""

    monotonic: Callable[[], float]

    on_gap: list[Callable[[float], None]] = field(factory=list)
    """Called with the seconds by which a pass was longer than a beat."""

    on_beat: list[Callable[[], None]] = field(factory=list)
    """Called at each beat."""

    number: int = 0
    """How many passes there were."""

    began: float = field(init=False)
    """When the present pass began (or the last one, while timers run). It is noted before the poll."""

    before: float = field(init=False)
    """When the previous pass began."""

    _held: float = 0.0
    """Seconds of all holds that have ended."""

    _held_at: float | None = None
    """When the present hold began, by the monotonic clock; None: there is no hold."""

    _call: IDelayedCall | None = None
    """The next beat."""

    after_reads: Callable[[Callable[[], object]], object] = field(init=False)
    """Calls a function after this pass of the reactor has read all ready sockets, and before the next poll."""

    def __attrs_post_init__(self) -> None:
        self.began = self.before = self.seconds()
        self.after_reads = self.clock.after_reads if has_passes(self.clock) else partial(self.clock.callLater, 0)

    def seconds(self) -> float:
        """Return the time. All times in rooms are of this clock."""
        return (self.monotonic() if self._held_at is None else self._held_at) - self._held

    def held(self) -> float:
        """Return how many seconds this clock is behind the monotonic one, because games were held."""
        return self._held if self._held_at is None else self._held + self.monotonic() - self._held_at

    def hold(self, is_held: bool) -> None:  # noqa: FBT001 (what it is set to)
        """Stop the clock, because nobody can move while games are held, or start it again."""
        if is_held:
            self._held_at = self.monotonic()
        else:
            self._held, self._held_at = self.held(), None

    def note_pass(self) -> None:
        """Take note that a pass begins. Its poll comes next."""
        self.before = before = self.began
        self.began = now = self.monotonic() - self._held if self._held_at is None else self.seconds()
        self.number += 1
        gap = now - before - BEAT
        # The first pass comes after the daemon's start, which delays nobody.
        if gap > TOLERANCE and self.number > 1:
            self._report(gap)

    def _report(self, gap: float) -> None:
        if gap >= WORTH_TELLING:
            log.warn("stalled: seconds={seconds:.3f}; what came meanwhile counts as arrived before it", seconds=gap)
        for call in self.on_gap:
            call(gap)

    def _beat(self) -> None:
        for call in self.on_beat:
            call()
        self._call = self.clock.callLater(BEAT, self._beat)

    def startService(self) -> None:
        """Start to beat, and to note the reactor's passes."""
        super().startService()  # type: ignore[no-untyped-call]
        self._call = self.clock.callLater(0, self._beat)
        if has_passes(self.clock):
            self.clock.on_pass.append(self.note_pass)
        else:
            log.info("another reactor: its timers follow Twisted's clock, and input counts as arrived when it is read")

    def stopService(self) -> Deferred[Any] | None:
        """Stop beating, and noting passes. `seconds` can still be used."""
        super().stopService()  # type: ignore[no-untyped-call]
        if self._call is not None and self._call.active():
            self._call.cancel()
        self._call = None
        if has_passes(self.clock) and self.note_pass in self.clock.on_pass:
            self.clock.on_pass.remove(self.note_pass)
        return None


def has_passes(reactor: Any) -> bool:
    """Return whether a reactor tells its passes, as `TurnReactor` does."""
    return hasattr(reactor, "on_pass")
