"""The console's commands for seats that are kept: rooms that are prepared, and the codes that take their seats."""

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

    GAME: one that knows reservations. NAME: who is to sit on each seat, in their order. --paused: the room waits for
    `resume` or `step`. --from: begin where a recorded game stood, at its end, or at --turn.

    Example: prepare hive Ada Grace --paused
    """
    if not isinstance(reception := operator.reception(game), SupportsReservations):
        raise ConsoleError(f"{game} has no reservations: who connects is seated")
    if turn is not None and from_ is None:
        raise ConsoleError("--turn goes with --from")
    opened = partial(_prepared, partial(reception.reserve, names, paused=paused, turn=turn))
    if from_ is None:
        return opened(None)
    return operator.services.lobby.store.record(from_.lower()).addCallback(to_history).addCallback(opened)


def _prepared(reserve: Callable[..., Any], history: History | None) -> Answer:
    room_of, kept = reserve(history=history)
    codes = Table(("SEAT", "CODE"), [(reservation.seat, reservation.code) for reservation in kept])
    return Facts({"room": room_of.id, "state": state(room_of), "reservations": codes})


def reservations(operator: ConsoleOperator) -> Answer:
    """List the codes that were given out and not used.

    A code is used once, and ends with its room.

    Example: reservations --json
    """
    rows = [(kept.code, kept.room.id[:SHOWN], kept.seat) for kept in operator.services.lobby.reservations]
    return Table(("CODE", "ROOM", "SEAT"), rows, "No seat is reserved.")


def revoke(operator: ConsoleOperator, code: str, *, open: bool = False) -> Answer:  # noqa: A002 (the option's name)
    """Make a reservation's code worthless; its seat stays closed.

    CODE: the code, or four or more of its first characters. --open: whoever comes next may have the seat.

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
