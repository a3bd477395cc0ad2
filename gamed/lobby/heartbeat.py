"""A clock that stands still while the reactor does: the server's own delay is charged to nobody.

Source: design.md, "Time". A call that is due every 20 ms measures how late the reactor is. Lateness is noticed at the
first look at the clock after it, before anything that waited is judged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

log = Logger()

BEAT = 0.02
"""Seconds between two beats: a standstill is measured less this at most."""

TOLERANCE = 0.005
"""Seconds that a beat may be late without its being a standstill."""

WORTH_TELLING = 0.25
"""Seconds of a standstill that the log tells of."""


@define(eq=False)
class Heartbeat(Service):
    """The monotonic clock less all standstills. `heard`: called with the length of each.

    `beats`: called with each beat, before the look at the clock, so that nobody is charged for what they take.
    """

    clock: IReactorTime
    monotonic: Callable[[], float]
    stalled: float = 0.0
    heard: list[Callable[[float], None]] = field(factory=list)
    beats: list[Callable[[], None]] = field(factory=list)
    _due: float | None = None
    _told: float = 0.0
    _held_at: float | None = None
    _call: IDelayedCall | None = None

    def seconds(self) -> float:
        """Return the time. All moments in rooms are told by this clock."""
        if self._held_at is not None:
            return self._held_at - self.stalled
        now = self.monotonic()
        if self._due is not None and now - self._due > TOLERANCE:
            self._stood_still(now - self._due)
            self._due = now + BEAT
        # What a late beat was forgiven as lateness may turn out to be the beginning of a standstill: never go back.
        self._told = max(self._told, now - self.stalled)
        return self._told

    def hold(self, is_held: bool) -> None:  # noqa: FBT001 (what it is set to)
        """Stand still until told otherwise: while games are held, nobody can move."""
        if is_held:
            self._held_at = self.seconds() + self.stalled
        elif self._held_at is not None:
            now = self.monotonic()
            self.stalled += now - self._held_at
            self._held_at = None
            self._due = now + BEAT if self._due is not None else None

    def _stood_still(self, seconds: float) -> None:
        self.stalled += seconds
        if seconds >= WORTH_TELLING:
            log.warn("stalled: seconds={seconds:.3f}; no player is charged for them", seconds=seconds)
        for tell in self.heard:
            tell(seconds)

    def _beat(self) -> None:
        for call in self.beats:
            call()
        self.seconds()
        self._due = self.monotonic() + BEAT
        self._call = self.clock.callLater(BEAT, self._beat)

    def startService(self) -> None:
        """Beat, from the reactor's first turn on: what is done before it is no standstill."""
        super().startService()  # type: ignore[no-untyped-call]
        self._call = self.clock.callLater(0, self._beat)

    def stopService(self) -> Deferred[Any] | None:
        """Beat no more; the clock goes on."""
        super().stopService()  # type: ignore[no-untyped-call]
        if self._call is not None and self._call.active():
            self._call.cancel()
        self._due = self._call = None
        return None
