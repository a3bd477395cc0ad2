"""Time limits as pure values: they are told the time, they never ask for it.

Source: design.md, "Time". All times are seconds on a monotonic clock.
"""

from __future__ import annotations

from attrs import define


@define
class IdleClock:
    """Runs from the last sign of life. `waiting`, `playing`: the seconds allowed before and during the game."""

    waiting: float
    playing: float
    heard: float
    started: bool = False

    @property
    def due(self) -> float:
        """The moment at which the silence has lasted too long."""
        return self.heard + (self.playing if self.started else self.waiting)
