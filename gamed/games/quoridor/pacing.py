"""Delayed mails, for worlds that animate each move for a while.

Source: docs/reference/quoridor.md#limits. Two pawn moves that arrive back to back crash the authors' client.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from attrs import define, field

from gamed.core.game import Seat
from gamed.core.table import Addressed
from gamed.games.quoridor.signup import Call
from gamed.games.quoridor.wire import Told

ANIMATED = frozenset({Call.PLAY, Call.WAIT, Call.WON, Call.LOST})
"""The mails that show a move."""


@define
class Outbox:
    """The delayed mails of a table."""

    pace: float
    """Seconds for which a world gets no further mail after one that shows a move. 0: nothing is delayed."""

    _held: dict[Seat, deque[Addressed]] = field(factory=dict)
    """The delayed mails of each world, the next one first."""

    _busy: dict[Seat, float] = field(factory=dict)
    """The moment until which each world animates the last move."""

    def post(self, events: tuple[Addressed, ...], now: float) -> tuple[Addressed, ...]:
        """Return the mails that may leave now, and keep the others."""
        if not self.pace:
            return events
        for addressed in events:
            self._held.setdefault(addressed.seat, deque()).append(addressed)
        return self.release(now, dict.fromkeys(addressed.seat for addressed in events))

    def release(self, now: float, seats: Iterable[Seat] | None = None) -> tuple[Addressed, ...]:
        """Return the kept mails to these seats, or to all seats, that may leave now."""
        left: list[Addressed] = []
        for seat in list(self._held) if seats is None else seats:
            held = self._held[seat]
            while held and self._busy.get(seat, now) <= now:
                addressed = held.popleft()
                left.append(addressed)
                if isinstance(addressed.event, Told) and addressed.event.call in ANIMATED:
                    self._busy[seat] = now + self.pace
            if not held:
                del self._held[seat]
        return tuple(left)

    @property
    def due(self) -> float | None:
        """The moment at which the next mail may leave; None if no mail is kept."""
        return min([self._busy[seat] for seat in self._held]) if self._held else None

    def holds(self, seat: Seat) -> bool:
        """Whether a mail to this world is kept."""
        return seat in self._held

    def forget(self, seat: Seat) -> None:
        """Drop the mails to a world that has gone."""
        self._held.pop(seat, None)
