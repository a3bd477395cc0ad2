"""The console's commands for reserved seats: prepare a room, list its codes, revoke a code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gamed.admin.operators import SHOWN
from gamed.console.listings import state
from gamed.console.operator import ConsoleOperator
from gamed.console.render import Answer, Facts, Table
from gamed.core.errors import ConsoleError
from gamed.core.history import History
from gamed.core.reception import SupportsReservations
from gamed.records.own import to_history


def prepare(
    operator: ConsoleOperator,
    game: str,
    *names: str,
    paused: bool = False,
    from_: str | None = None,
    turn: int | None = None,
) -> Any:
    """Open a room whose seats are reserved, and show the codes that take them.

    GAME: a game with reservations. NAME: the players' names, in the order of their seats. --paused: the room waits for
    `resume` or `step`. --from: start from the last position of a recorded game, or from the one at --turn.

    Example: prepare {game with reservations} Ada Grace --paused
    """
    if not isinstance(reception := operator.reception(game), SupportsReservations):
        raise ConsoleError(f"{game} has no reservations: whoever connects gets a seat")
    if turn is not None and from_ is None:
        raise ConsoleError("--turn needs --from")
    opened = partial(_prepared, partial(reception.reserve, game, names, paused=paused, turn=turn))
    if from_ is None:
        return opened(None)
    return operator.services.lobby.store.record(from_.lower()).addCallback(to_history).addCallback(opened)


def _prepared(reserve: Callable[..., Any], history: History | None) -> Answer:
    room_of, kept = reserve(history=history)
    codes = Table(("SEAT", "CODE"), [(reservation.seat, reservation.code) for reservation in kept])
    return Facts({"room": room_of.id, "state": state(room_of), "reservations": codes})


def reservations(operator: ConsoleOperator) -> Answer:
    """List the codes of reserved seats that nobody has used yet.

    A code can be used once, and expires when its room is closed.

    Example: reservations --json
    """
    rows = [(kept.code, kept.room.id[:SHOWN], kept.seat) for kept in operator.services.lobby.reservations]
    return Table(("CODE", "ROOM", "SEAT"), rows, "No seat is reserved.")


def revoke(operator: ConsoleOperator, code: str, *, open: bool = False) -> Answer:  # noqa: A002 (the option's name)
    """Revoke the code of a reserved seat; the seat stays closed.

    CODE: the code, or at least its first four characters. --open: the next peer that connects may take the seat.

    Example: revoke 0d9f
    """
    book = operator.services.lobby.reservations
    found = [kept for kept in book if len(code) >= 4 and kept.code.startswith(code)]  # noqa: PLR2004 (as said above)
    if len(found) != 1:
        raise ConsoleError(f"{len(found) or 'no'} reservations have the code {code}; `reservations` lists them")
    (revoked,) = found
    (book.take if open else book.revoke)(revoked.code)
    seat = f"seat {revoked.seat} of room {revoked.room.id} {'is open' if open else 'stays closed'}"
    return f"The reservation {revoked.code} is revoked; {seat}."
