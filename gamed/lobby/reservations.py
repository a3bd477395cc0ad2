"""Reserved seats: the peer that shows a seat's code gets the seat.

A code has 122 random bits. It can be used once, can be revoked, and expires with its room.

Source: docs/topics/design.md#parties.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from attrs import define, field

from gamed.core.game import Seat
from gamed.core.reception import HostedRoom, Reservation


@define
class ReservationBook:
    """All codes that have not been used."""

    _by_code: dict[str, Reservation] = field(factory=dict)
    _by_room: dict[HostedRoom, list[Reservation]] = field(factory=dict)

    def __iter__(self) -> Iterator[Reservation]:
        """Yield the reservations, the oldest first."""
        return iter(list(self._by_code.values()))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._by_code)

    def make(self, room: HostedRoom, seat: Seat) -> Reservation:
        """Reserve a seat."""
        reservation = Reservation(str(uuid.uuid4()), room, seat)
        self._by_code[reservation.code] = reservation
        self._by_room.setdefault(room, []).append(reservation)
        return reservation

    def is_code(self, text: str) -> bool:
        """Whether a text is a code that can be used."""
        return text in self._by_code

    def find(self, code: str) -> Reservation | None:
        """Return a reservation, or None if its code is unknown or was used."""
        return self._by_code.get(code)

    def take(self, code: str) -> Reservation | None:
        """Delete a reservation, and return it; None if its code is unknown or was used."""
        reservation = self._by_code.pop(code, None)
        if reservation is not None:
            self._by_room[reservation.room].remove(reservation)
        return reservation

    def revoke(self, code: str) -> None:
        """Invalidate a code. Its seat stays reserved, and nobody can take it any longer."""
        del self._by_code[code]

    def is_reserved(self, room: HostedRoom, seat: Seat) -> bool:
        """Whether a seat is reserved."""
        return any(kept.seat == seat for kept in self._by_room.get(room, ()))

    def expire(self, room: HostedRoom) -> None:
        """Forget the codes of a closed room."""
        for reservation in self._by_room.pop(room, ()):
            self._by_code.pop(reservation.code, None)
