"""The state machine of a universe: a table of transitions, and the diagram that is drawn from it.

Source: docs/reference/quoridor.md#states-of-a-table, docs/specs/quoridor.md#the-end-of-a-game. `table.py` follows it,
and a test compares it with the page in docs/reference. Where the table has no row, a newcomer is rejected and a message
is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from gamed.core.game import Seat


class Status(StrEnum):
    """The status symbols of the original."""

    WAIT = "wait"
    VOTE = "2p?"
    FIRST_WAITS = "2pw1a"
    SECOND_WAITS = "2pw2a"
    TWO = "2players"
    FOUR = "4players"
    FINISHED = "finished"


class Occasion(StrEnum):
    """What can happen. "First" and "second" are places in the list of worlds; the first world is the one to move."""

    JOINS = "a world joins"
    FIRST_PLAYS = "first sends `(play)`"
    SECOND_PLAYS = "second sends `(play)`"
    FIRST_WAITS = "first sends `(wait)`"
    SECOND_WAITS = "second sends `(wait)`"
    MOVES = "first sends `(move …)`"
    WINS = "first sends `(move …)` to its goal"
    RESETS = "any sends `(reset)`"


class Call(StrEnum):
    """The first symbol of a mail. Source: docs/reference/quoridor.md#what-worlds-send."""

    WAIT_FOR_PLAYERS = "wait-for-players"
    WAIT_OR_PLAY = "wait-or-play"
    VOTED = "voted"
    REJECTED = "rejected"
    START2PLAY = "start2play"
    START2WAIT = "start2wait"
    START4PLAY = "start4play"
    START4WAIT = "start4wait"
    PLAY = "play"
    WAIT = "wait"
    WON = "won"
    LOST = "lost"
    DISCONNECT = "disconnect"


STARTS: Final = frozenset({Call.START2PLAY, Call.START2WAIT, Call.START4PLAY, Call.START4WAIT})
"""The mails that begin a game. Their number is the id of the world to move."""

Calls: TypeAlias = tuple[tuple[int, Call], ...]
"""Mails in the order in which they are sent: the place of the addressee in the list, from 1, and the symbol."""


class Row(NamedTuple):
    """A transition: with this status and this number of worlds, the occasion leads to `then`, and `calls` are sent.

    The places in `calls` are those before the list is rotated. A world that joins is at the end of the list.
    """

    status: Status
    worlds: int
    occasion: Occasion
    then: Status
    calls: Calls


def _all(worlds: int, call: Call) -> Calls:
    return tuple((place, call) for place in range(1, worlds + 1))


_VOTED_TWO: Final = ((2, Call.START2WAIT), (1, Call.START2PLAY))
_START_FOUR: Final = (
    (2, Call.START4WAIT),
    (3, Call.START4WAIT),
    (4, Call.START4WAIT),
    (1, Call.START4PLAY),
)

TABLE: Final = (
    Row(Status.WAIT, 0, Occasion.JOINS, Status.WAIT, _all(1, Call.WAIT_FOR_PLAYERS)),
    Row(Status.WAIT, 1, Occasion.JOINS, Status.VOTE, _all(2, Call.WAIT_OR_PLAY)),
    Row(Status.VOTE, 2, Occasion.FIRST_PLAYS, Status.TWO, _VOTED_TWO),
    Row(Status.VOTE, 2, Occasion.SECOND_PLAYS, Status.TWO, _VOTED_TWO),
    Row(Status.VOTE, 2, Occasion.FIRST_WAITS, Status.FIRST_WAITS, ((1, Call.VOTED),)),
    Row(Status.VOTE, 2, Occasion.SECOND_WAITS, Status.SECOND_WAITS, ((2, Call.VOTED),)),
    Row(Status.FIRST_WAITS, 2, Occasion.SECOND_PLAYS, Status.TWO, _VOTED_TWO),
    Row(Status.FIRST_WAITS, 2, Occasion.SECOND_WAITS, Status.FOUR, _all(2, Call.WAIT_FOR_PLAYERS)),
    Row(Status.SECOND_WAITS, 2, Occasion.FIRST_PLAYS, Status.TWO, _VOTED_TWO),
    Row(Status.SECOND_WAITS, 2, Occasion.FIRST_WAITS, Status.FOUR, _all(2, Call.WAIT_FOR_PLAYERS)),
    Row(Status.FOUR, 2, Occasion.JOINS, Status.FOUR, _all(3, Call.WAIT_FOR_PLAYERS)),
    Row(Status.FOUR, 3, Occasion.JOINS, Status.FOUR, _START_FOUR),
    Row(Status.TWO, 2, Occasion.MOVES, Status.TWO, ((1, Call.WAIT), (2, Call.PLAY))),
    Row(Status.TWO, 2, Occasion.WINS, Status.FINISHED, ((1, Call.WON), (2, Call.LOST))),
    Row(
        Status.FOUR,
        4,
        Occasion.MOVES,
        Status.FOUR,
        ((1, Call.WAIT), (3, Call.WAIT), (4, Call.WAIT), (2, Call.PLAY)),
    ),
    Row(
        Status.FOUR,
        4,
        Occasion.WINS,
        Status.FINISHED,
        ((2, Call.LOST), (3, Call.LOST), (4, Call.LOST), (1, Call.WON)),
    ),
    Row(Status.FINISHED, 2, Occasion.RESETS, Status.TWO, ((1, Call.START2PLAY), (2, Call.START2WAIT))),
    Row(Status.FINISHED, 4, Occasion.RESETS, Status.FOUR, _START_FOUR),
)
"""All transitions but one: a world that leaves ends the table in every state, and the others get `disconnect`."""

_ROWS: Final = {row[:3]: row for row in TABLE}


def row(status: Status, worlds: int, occasion: Occasion) -> Row | None:
    """Return the transition for an occasion, or None if there is none."""
    return _ROWS.get((status, worlds, occasion))


def free(status: Status, worlds: int) -> Sequence[Seat]:
    """Return the seats that newcomers may take one after the other, from 0; none if a newcomer is rejected."""
    seats = range(worlds, worlds)
    while (found := row(status, seats.stop, Occasion.JOINS)) is not None:
        status, seats = found.then, range(worlds, seats.stop + 1)
    return seats


def diagram() -> str:
    """Return the table as a Mermaid state diagram. A state is a status and a number of worlds."""
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in _diagram())])


def _after(found: Row) -> str:
    return _node(found.then, found.worlds + (found.occasion is Occasion.JOINS))


def _node(status: Status, worlds: int) -> str:
    return f"{status.name}_{worlds}"


def _diagram() -> Iterator[str]:
    states = dict.fromkeys((found.status, found.worlds) for found in TABLE)
    yield from (f'state "{status}, {worlds}" as {_node(status, worlds)}' for status, worlds in states)
    yield f"[*] --> {_node(*next(iter(states)))}"
    for found in TABLE:
        label = found.occasion.replace("`", "")
        yield f"{_node(found.status, found.worlds)} --> {_after(found)} : {label}"
    yield from (f"{_node(*state)} --> [*] : a world leaves" for state in states if state[1])
