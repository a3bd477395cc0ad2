"""Time limits as pure values: their methods take the time as an argument, and never read a clock.

All times are seconds on a monotonic clock, which stops only while all games are held. An answer is judged by its
arrival, which may be earlier than the moment at which it is read.

Source: docs/topics/design.md#time.
"""

from __future__ import annotations

from enum import StrEnum

from attrs import define


@define
class IdleClock:
    """An idle timeout, which every message restarts."""

    waiting: float
    """The seconds that are allowed before the game."""

    playing: float
    """The seconds that are allowed during the game."""

    last_message_at: float
    started: bool = False
    """Whether the game has begun."""

    @property
    def due(self) -> float:
        """When the timeout expires."""
        return self.last_message_at + (self.playing if self.started else self.waiting)


class Overstepped(StrEnum):
    """The limit of a move that was exceeded."""

    SOFT = "soft"
    HARD = "hard"


@define
class MoveClock:
    """The time for one move: from the moment at which its request was sent to the arrival of the answer.

    An answer that takes exactly as long as a limit is in time: at the soft limit it counts, and at the hard limit an
    answer that has arrived is judged before the clock is.
    """

    soft: float
    """A player whose answer takes longer loses, once it has come."""

    hard: float
    """A player loses after this time without an answer."""

    asked_at: float | None = None
    """When the request was sent; None: there is no request."""

    def ask(self, now: float) -> None:
        """Start the clock."""
        self.asked_at = now

    def stop(self) -> None:
        """Stop the clock."""
        self.asked_at = None

    @property
    def due(self) -> float | None:
        """The moment of the hard limit; None if the clock does not run."""
        return None if self.asked_at is None else self.asked_at + self.hard

    def answered(self, arrived: float) -> Overstepped | None:
        """Return the limit that an answer has exceeded, or None."""
        assert self.asked_at is not None
        return Overstepped.SOFT if arrived - self.asked_at > self.soft else None

    def silent(self, now: float) -> Overstepped | None:
        """Return the limit that a missing answer has exceeded, or None."""
        return Overstepped.HARD if self.due is not None and now >= self.due else None

    def taken(self, now: float) -> int:
        """Return the milliseconds from the request to now."""
        assert self.asked_at is not None
        return round((now - self.asked_at) * 1000)

    def evidence(self, now: float, arrived: float) -> dict[str, int]:
        """Return the numbers behind a verdict, in milliseconds.

        `taken` is the time from the request to now. `gap` is the part of it that is not charged, because the answer
        arrived earlier than it was read, or because a missing answer was judged later than its limit.
        """
        assert self.asked_at is not None
        return {
            "taken": self.taken(now),
            "gap": round((now - max(arrived, self.asked_at)) * 1000),
            "soft": round(self.soft * 1000),
            "hard": round(self.hard * 1000),
        }
