"""Rooms that browsers have prepared, and the codes of their reserved seats.

Source: docs/reference/web-api.md#prepared-rooms. A code is secret: only the session that made the room gets it. The
session is identified by its cookie, so the browser still gets the codes after the page was reloaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, Final

import segno
from attrs import define, field, frozen

from gamed.core.reception import HostedRoom, Reservation
from gamed.lobby.lobby import Lobby
from gamed.web.answers import Answer, Call, Refusal, Route
from gamed.web.visitors import Visitor, check_session

NO_CODE: Final = Refusal(404, "no-code", "you have no such code, or it has been used")

_SCALE: Final = 4
"""The width of a QR code's modules (its small squares), in pixels."""


@frozen
class Address:
    """Where programs can connect to a game."""

    port: int
    tls: bool


@frozen
class Prepared:
    """A prepared room."""

    room: HostedRoom

    names: Sequence[str]
    """The names of the first seats, as the room's maker gave them."""

    kept: Sequence[Reservation]
    """The reservations, one for each seat."""


@define(eq=False)
class PreparedRooms:
    """The prepared rooms of all sessions that are still open."""

    lobby: Lobby

    address: Callable[[str], Address | None]
    """Returns where programs can connect to a game, or None."""

    _made: dict[Visitor, list[Prepared]] = field(factory=dict)

    @property
    def routes(self) -> Sequence[Route]:
        """The routes of this part of the API."""
        return (Route("GET", "prepared", self._list), Route("GET", "prepared/{id}/{seat}/qr", self._qr))

    def add(self, visitor: Visitor, made: Prepared) -> None:
        """Remember a room for the session that made it."""
        self._made.setdefault(visitor, []).append(made)

    def of(self, visitor: Visitor) -> list[Prepared]:
        """Return a session's prepared rooms, the oldest first."""
        self._forget()
        return self._made.get(visitor, [])

    def waiting(self, visitor: Visitor) -> int:
        """Return how many of a session's prepared rooms have not begun."""
        rooms = (made.room for made in self.of(visitor))
        return sum(not room.history.was_started and room.table.outcome is None for room in rooms)

    def _forget(self) -> None:
        """Forget closed rooms."""
        self._made = {
            visitor: still
            for visitor, rooms in self._made.items()
            if (still := [made for made in rooms if self.lobby.room(made.room.id) is not None])
        }

    def _list(self, call: Call) -> Answer:
        check_session(call.visitor)
        return Answer(body=[self._facts(made) for made in self.of(call.visitor)])

    def _facts(self, made: Prepared) -> dict[str, Any]:
        game = made.room.history.kind
        address = self.address(game)
        return {
            "room": made.room.id,
            "game": game,
            "port": None if address is None else address.port,
            "tls": address is not None and address.tls,
            "seats": [
                {
                    "seat": reservation.seat,
                    "name": _name(made, reservation),
                    "code": reservation.code,
                    "link": _link(game, reservation.code),
                    "isUsed": not self.lobby.reservations.is_code(reservation.code),
                }
                for reservation in made.kept
            ],
        }

    def _qr(self, call: Call) -> Answer:
        check_session(call.visitor)
        codes = (
            (made.room.history.kind, reservation.code)
            for made in self.of(call.visitor)
            for reservation in made.kept
            if (made.room.id, str(reservation.seat)) == (call.places["id"], call.places["seat"])
        )
        game, code = next(codes, ("", ""))
        if not self.lobby.reservations.is_code(code):
            raise NO_CODE
        # Behind a proxy that terminates TLS, only the browser knows that its page was loaded with https.
        scheme = "https" if call.secure or call.query.get("scheme") == "https" else "http"
        return Answer(raw=qr_code(f"{scheme}://{call.host}{_link(game, code)}"), mime="image/svg+xml")


def _name(made: Prepared, reservation: Reservation) -> str:
    return made.names[reservation.seat] if reservation.seat < len(made.names) else ""


def _link(game: str, code: str) -> str:
    """Return the page that takes a seat. The code is in the fragment, which browsers do not send to any server."""
    return f"/?play={game}#{code}"


def qr_code(text: str) -> bytes:
    """Return a text as a QR code, in SVG."""
    svg = BytesIO()
    segno.make(text, micro=False).save(svg, kind="svg", scale=_SCALE, light="white")
    return svg.getvalue()
