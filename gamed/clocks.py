"""Time limits as pure values: they are told the time, they never ask for it.

Source: design.md, "Time"; software-challenge.md A and B6. All times are seconds on a monotonic clock that stands
still while the server does.
"""

from __future__ import annotations

from enum import StrEnum

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


class Overstepped(StrEnum):
    """Which limit of a move was overstepped."""

    SOFT = "soft"
    HARD = "hard"


@define
class MoveClock:
    """The time for one move, from the request's being handed over to the answer's arrival.

    `soft`: an answer that took longer loses. `hard`: nobody waits longer than that. Who needs exactly as long as he
    may is in time: an answer at the soft limit counts, and at the hard limit an answer that has arrived is judged
    before the clock.
    """

    soft: float
    hard: float
    asked_at: float | None = None
    stalled_at: float = 0.0

    def ask(self, now: float, stalled: float) -> None:
        """Start. `stalled`: how long the server stood still so far."""
        self.asked_at, self.stalled_at = now, stalled

    def stop(self) -> None:
        """Stop: nothing is asked any more."""
        self.asked_at = None

    @property
    def due(self) -> float | None:
        """The moment of the hard limit; None while nothing is asked."""
        return None if self.asked_at is None else self.asked_at + self.hard

    def answered(self, now: float) -> Overstepped | None:
        """Judge an answer that arrived now."""
        assert self.asked_at is not None
        return Overstepped.SOFT if now - self.asked_at > self.soft else None

    def silent(self, now: float) -> Overstepped | None:
        """Judge a silence that lasts till now."""
        return Overstepped.HARD if self.due is not None and now >= self.due else None

    def evidence(self, now: float, stalled: float) -> dict[str, int]:
        """Return the numbers behind a verdict, in milliseconds: the time taken, and the standstill deducted from it."""
        assert self.asked_at is not None
        return {
            "taken": round((now - self.asked_at) * 1000),
            "stalled": round((stalled - self.stalled_at) * 1000),
            "soft": round(self.soft * 1000),
            "hard": round(self.hard * 1000),
        }
