"""Mails held back, so that a world that animates each move for a while is not told of the next one too early.

Source: docs/reference/quoridor.md#limits: two pawn moves that arrive back to back crash the authors' client.
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
"""The mails that tell of a move."""


@define
class Outbox:
    """The mails of a table that must wait. `pace`: the seconds after a move's mail in which nothing follows it."""

    pace: float
    _held: dict[Seat, deque[Addressed]] = field(factory=dict)
    _busy: dict[Seat, float] = field(factory=dict)

    def post(self, events: tuple[Addressed, ...], now: float) -> tuple[Addressed, ...]:
        """Return those of these mails that may leave now; the others wait."""
        if not self.pace:
            return events
        for addressed in events:
            self._held.setdefault(addressed.seat, deque()).append(addressed)
        return self.release(now, dict.fromkeys(addressed.seat for addressed in events))

    def release(self, now: float, seats: Iterable[Seat] | None = None) -> tuple[Addressed, ...]:
        """Return the mails that may leave now, to some seats or to all."""
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
        """The moment at which the next mail may leave; None if none waits."""
        return min([self._busy[seat] for seat in self._held]) if self._held else None

    def forget(self, seat: Seat) -> None:
        """Drop what waits for a world that has gone."""
        self._held.pop(seat, None)
