"""The moves that the official server lists as legal.

Source: docs/specs/software-challenge.md#sets, docs/specs/software-challenge.md#drags,
docs/specs/software-challenge.md#skips. The official server lists a move several times if several paths lead to its
destination; here it is listed once. Where the official list is empty, or contains only the skip, this one is empty.

The server accepts more moves than it lists (`checks.py`), so this list is for players, and for the rule of skips.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from gamed.core.game import Seat
from gamed.games.softwarechallenge.seasons.hive.board import BITS, BOARD, CELLS, Cells, around, indices
from gamed.games.softwarechallenge.seasons.hive.moves import TYPES, DragMove, Move, SetMove
from gamed.games.softwarechallenge.seasons.hive.position import HAND, State
from gamed.games.softwarechallenge.seasons.hive.reach import ant, beetle, gates, grasshopper, loose, slid, spider

BEE_DUTY: Final = 6
"""The turn from which a bee that is still in the hand must be set: RED's fourth turn, in round 3 counted from 0."""

# The cells with their third coordinates.
_PLANE_CELLS = tuple((x, y, -x - y) for x, y in CELLS)

_SETS: Final[tuple[dict[str, tuple[SetMove, ...]], ...]] = tuple(
    {letter: tuple(SetMove(letter, seat, *cell) for cell in _PLANE_CELLS) for letter in TYPES} for seat in (0, 1)
)
"""All well-formed sets, by seat, letter and index. Moves are values, so one object of each is enough."""


@cache
def _drags_from(start: int) -> tuple[DragMove, ...]:
    """Return all well-formed drags from a cell, by the index of the end.

    They are made for the first drag from there: those of all cells would be a tenth of what a bot's start takes.
    """
    return tuple(DragMove(*_PLANE_CELLS[start], *end) for end in _PLANE_CELLS)


def must_set_bee(state: State) -> bool:
    """Whether the mover must set its bee."""
    return state.turn >= BEE_DUTY and "Q" in state.hands[state.turn & 1]


def spots(state: State) -> Cells:
    """Return the cells on which the mover may set a piece. Whether its hand is empty is not checked."""
    seat = state.turn & 1
    if len(state.hands[seat]) < len(HAND):
        return around(state.owned[seat]) & ~around(state.owned[1 - seat]) & state.empty
    if len(state.hands[1 - seat]) < len(HAND):
        return around(state.owned[1 - seat]) & state.empty
    return state.empty


def kinds(state: State) -> str:
    """Return the letters of the piece types that the mover may set."""
    hand = state.hands[state.turn & 1]
    if must_set_bee(state):
        return "Q"
    return "".join(letter for letter in TYPES if letter in hand)


def reach(state: State, start: int, end: Cells = 0) -> Cells:
    """Return where the top piece of a cell can go by the rules of its type, even if that divides the swarm.

    With an end, only the answer for this cell is reliable: the search of an ant's paths stops when it is reached.
    """
    bit = BITS[start]
    occupied = state.occupied if bit & state.high else state.occupied & ~bit
    empty = BOARD & ~(occupied | state.barred)
    match state.stacks[start][-1].upper():
        case "G":
            return grasshopper(bit, occupied, empty)
        case "B":
            return beetle(bit, occupied, state.barred)
        case "A":
            return ant(bit, gates(occupied, empty, state.barred), end)
        case "S":
            return spider(bit, gates(occupied, empty, state.barred))
        case _:
            return slid(bit, gates(occupied, empty, state.barred))


def drags(state: State) -> Iterator[tuple[int, Cells]]:
    """Yield, for each piece that the mover may lift, the index of its cell and where it can go (possibly nowhere)."""
    seat = state.turn & 1
    if "Q" in state.hands[seat]:
        return
    for start in indices(loose(state.owned[seat], state.occupied, state.high)):
        yield start, reach(state, start)


def generated(state: State) -> list[Move]:
    """Return the mover's legal moves except a skip. Whether the game is over is not checked."""
    seat: Seat = state.turn & 1
    moves: list[Move] = []
    where = list(indices(spots(state)))
    for letter in kinds(state):
        sets = _SETS[seat][letter]
        moves += [sets[index] for index in where]
    for start, ends in drags(state):
        row = _drags_from(start)
        moves += [row[end] for end in indices(ends)]
    return moves


def is_stuck(state: State) -> bool:
    """Whether the mover can only skip."""
    return not (kinds(state) and spots(state)) and not any(ends for _, ends in drags(state))
