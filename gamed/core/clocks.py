"""Time limits as pure values: they are told the time, they never ask for it.

Source: docs/topics/design.md#time, docs/reference/software-challenge.md#time. All times are seconds on a monotonic
clock, which stops only while all games are held. An answer is judged by its arrival, which may be earlier than the
moment at which it is read.
"""

from __future__ import annotations

from enum import StrEnum

from attrs import define


@define
class IdleClock:
    """Runs from the last sign of life. `waiting`, `playing`: the seconds allowed before and during the game."""

    waiting: float
    playing: float
    last_message_at: float
    started: bool = False

    @property
    def due(self) -> float:
        """The moment at which the silence has lasted too long."""
        return self.last_message_at + (self.playing if self.started else self.waiting)


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

    def ask(self, now: float) -> None:
        """Start."""
        self.asked_at = now

    def stop(self) -> None:
        """Stop: nothing is asked any more."""
        self.asked_at = None

    @property
    def due(self) -> float | None:
        """The moment of the hard limit; None while nothing is asked."""
        return None if self.asked_at is None else self.asked_at + self.hard

    def answered(self, arrived: float) -> Overstepped | None:
        """Judge an answer by its arrival."""
        assert self.asked_at is not None
        return Overstepped.SOFT if arrived - self.asked_at > self.soft else None

    def silent(self, now: float) -> Overstepped | None:
        """Judge a silence that lasts till now."""
        return Overstepped.HARD if self.due is not None and now >= self.due else None

    def taken(self, now: float) -> int:
        """Return the milliseconds from the request to now."""
        assert self.asked_at is not None
        return round((now - self.asked_at) * 1000)

    def evidence(self, now: float, arrived: float) -> dict[str, int]:
        """Return the numbers behind a verdict, in milliseconds.

        `taken`: from the request to now. `gap`: how much of that is not charged, because the answer counts as arrived
        that much earlier, or the silence was judged that much later than its limit.
        """
        assert self.asked_at is not None
        return {
            "taken": self.taken(now),
            "gap": round((now - max(arrived, self.asked_at)) * 1000),
            "soft": round(self.soft * 1000),
            "hard": round(self.hard * 1000),
        }
