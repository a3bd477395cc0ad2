"""The clock of all rooms, and the passes of the reactor by that clock.

Source: docs/topics/design.md#time. A reactor's pass polls all sockets, and then reads those that have something. What a
pass reads had not arrived when the pass before it polled: that is all that is known of its arrival, so it counts as
arrived then. A call every 20 ms keeps the passes close together where there is nothing else to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.base import ReactorBase
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

log = Logger()

BEAT = 0.02
"""Seconds between two beats: no poll waits longer than that."""

TOLERANCE = 0.005
"""Seconds by which a pass may be longer than a beat without its being counted as a gap."""

WORTH_TELLING = 0.25
"""Seconds of a gap that the log tells of."""


@define(eq=False)
class StallClock(Service):
    """The monotonic clock less all holds, and the moments of the last two passes of a reactor."""

    clock: Any
    """The reactor."""

    monotonic: Callable[[], float]

    on_gap: list[Callable[[float], None]] = field(factory=list)
    """Called with the seconds by which a pass was longer than a beat."""

    on_beat: list[Callable[[], None]] = field(factory=list)
    """Called with each beat."""

    number: int = 0
    """How many passes there were."""

    began: float = field(init=False)
    """When the present pass began, or the last one while timers run: before its poll, so that it is never too late."""

    before: float = field(init=False)
    """When the pass before it began."""

    _held: float = 0.0
    _held_at: float | None = None
    _call: IDelayedCall | None = None
    _after_reads: list[Callable[[], object]] = field(factory=list)
    """What is to be called when the present pass has read."""

    _is_noting: bool = False

    def __attrs_post_init__(self) -> None:
        self.began = self.before = self.seconds()

    def seconds(self) -> float:
        """Return the time. All moments in rooms are told by this clock."""
        return (self.monotonic() if self._held_at is None else self._held_at) - self._held

    def held(self) -> float:
        """Return how many seconds this clock is behind the monotonic one, because games were held."""
        return self._held if self._held_at is None else self._held + self.monotonic() - self._held_at

    def hold(self, is_held: bool) -> None:  # noqa: FBT001 (what it is set to)
        """Stop the clock until told otherwise: while games are held, nobody can move."""
        if is_held:
            self._held_at = self.monotonic()
        else:
            self._held, self._held_at = self.held(), None

    def note_pass(self) -> None:
        """Take note that a pass begins: its poll comes next."""
        self.before = before = self.began
        self.began = now = self.monotonic() - self._held if self._held_at is None else self.seconds()
        self.number += 1
        gap = now - before - BEAT
        # What is done before the first pass delays nobody.
        if gap > TOLERANCE and self.number > 1:
            self._report(gap)

    def _report(self, gap: float) -> None:
        if gap >= WORTH_TELLING:
            log.warn("stalled: seconds={seconds:.3f}; what came meanwhile counts as arrived before it", seconds=gap)
        for call in self.on_gap:
            call(gap)

    def after_reads(self, call: Callable[[], object]) -> None:
        """Call something once this pass of the reactor has read what was ready; before the next poll in any case."""
        if self._is_noting:
            self._after_reads.append(call)
        else:
            self.clock.callLater(0, call)

    def _call_after_reads(self) -> bool:
        """Call what waits for the end of a pass. Return whether there was anything."""
        calls, self._after_reads = self._after_reads, []
        for call in calls:
            try:
                call()
            except Exception:  # noqa: BLE001 (as the reactor does with its timers)
                log.failure("server fault: after a pass of the reactor")
        return bool(calls)

    def _beat(self) -> None:
        for call in self.on_beat:
            call()
        self._call = self.clock.callLater(BEAT, self._beat)

    def startService(self) -> None:
        """Beat, and note the reactor's passes."""
        super().startService()  # type: ignore[no-untyped-call]
        self._call = self.clock.callLater(0, self._beat)
        if has_passes(self.clock):
            do_iteration = self.clock.doIteration

            def noted(delay: float | None) -> None:
                self.note_pass()
                # Timers have run since the last pass. What they have caused leaves before the poll, which must not
                # sleep then: it may have set timers that the reactor has not counted in.
                if self._after_reads and self._call_after_reads():
                    delay = 0
                do_iteration(delay)
                if self._after_reads:
                    self._call_after_reads()

            # The reactor's main loop looks it up at each pass.
            self.clock.doIteration, self._is_noting = noted, True

    def stopService(self) -> Deferred[Any] | None:
        """Beat no more, and leave the reactor as it was; the clock goes on."""
        super().stopService()  # type: ignore[no-untyped-call]
        if self._call is not None and self._call.active():
            self._call.cancel()
        self._call = None
        if self._is_noting:
            del self.clock.doIteration
            self._is_noting = False
            self._call_after_reads()
        return None


def has_passes(reactor: Any) -> bool:
    """Return whether a reactor polls in `doIteration`, as Twisted's own do, and not in a loop that is not Twisted's."""
    return getattr(type(reactor), "doIteration", None) not in (None, ReactorBase.doIteration)
