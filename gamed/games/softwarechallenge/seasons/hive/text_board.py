"""A Hive position as text: the hexagon with its stacks, and the hands.

Source: docs/specs/software-challenge.md#board. A row has equal z, from -5 at the top, and x grows to the right. So
the six neighbours of a cell are the two next to it in its row, the nearest two above, and the nearest two below.
"""

from __future__ import annotations

from typing import Final

from gamed.core.game import CHANCE, Seat
from gamed.core.history import DRAWN, JOINED, MOVE, Entry, History
from gamed.games.softwarechallenge.seasons.hive.board import CELLS, RADIUS, Cell
from gamed.games.softwarechallenge.seasons.hive.moves import COLORS, parse
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import Hive

EMPTY, BARRED = ".", "#"
LEGEND: Final = (
    f"upper case {COLORS[0]}, lower case {COLORS[1]}: Q bee, S spider, G grasshopper, B beetle, A ant",
    f"A2: an ant on top of one other piece   {EMPTY} free   {BARRED} obstructed",
)

_STEP: Final = 4
"""The distance between two cells of a row, in characters. Each row is shifted by half of it."""

_HIVE: Final = Hive()


def draw(history: History, moves: int | None = None) -> str:
    """Return the board after so many moves (None: all), with a description of the last move."""
    state = _HIVE.setup(history.options)
    last: Entry | None = None
    for entry in _played(history, moves):
        assert entry.body is not None
        state = _HIVE.apply(state, CHANCE if entry.seat is None else entry.seat, parse(entry.body.decode()))
        last = entry if entry.kind == MOVE else last
    names = {entry.seat: str(entry.data["name"]) for entry in history.of_kind(JOINED)}
    seats = [_seat(seat, names.get(seat, ""), state) for seat in (0, 1)]
    return "\n".join([_caption(last), *seats, "", *board(state), "", *_stacks(state), *LEGEND])


def _played(history: History, moves: int | None) -> list[Entry]:
    """Return the entries of chance's draw and of the first moves, so many of them (None: all)."""
    made = list(history.of_kind(MOVE))
    return [*history.of_kind(DRAWN), *(made if moves is None else made[:moves])]


def _caption(last: Entry | None) -> str:
    if last is None or last.seat is None or last.body is None:
        return "before the first move"
    return f"{COLORS[last.seat]}: {_in_words(last.body.decode())}"


_WORDS: Final = {"S": "sets {}", "D": "drags {}", "P": "passes"}


def _in_words(move: str) -> str:
    kind, _, rest = move.partition(" ")
    return _WORDS[kind].format(rest.replace(" ", " to ") if kind == "D" else rest.replace(" ", " on "))


def _seat(seat: Seat, name: str, state: State) -> str:
    shown = name if name.isprintable() else repr(name)
    hand = "".join(state.hand(seat))
    free = state.free(seat)
    bee = "bee not placed" if free < 0 else f"{free} free around the bee"
    facts = (f"{COLORS[seat]:<4}", shown[:20], f"hand {hand or 'empty'}", bee, _turn(seat, state))
    return "  ".join(filter(None, facts))


def _turn(seat: Seat, state: State) -> str:
    outcome = _HIVE.outcome(state)
    if outcome is None:
        return "to move" if state.mover == seat else ""
    return "drawn" if outcome.winner is None else "wins" if outcome.winner == seat else ""


def board(state: State) -> list[str]:
    """Return the rows of the hexagon, each preceded by its z and followed by its first and last cell."""
    barred = set(state.obstructed)
    return [_row(state, barred, z) for z in range(-RADIUS, RADIUS + 1)]


def _row(state: State, barred: set[Cell], z: int) -> str:
    cells = [(x, y) for x, y in CELLS if x + y + z == 0]
    shift = " " * (abs(z) * _STEP // 2)
    shown = "".join(f"{_cell(state, barred, cell):<{_STEP}}" for cell in cells).rstrip()
    first, last = cells[0], cells[-1]
    return f"z {z:>2}  {shift}{shown}{_ends(first, last, shift, shown)}"


def _ends(first: Cell, last: Cell, shift: str, shown: str) -> str:
    """Return what follows a row: its first and last cell."""
    width = _STEP * (2 * RADIUS + 1) - len(shift) - len(shown)
    return f"{' ' * width}{first[0]},{first[1]} .. {last[0]},{last[1]}"


def _cell(state: State, barred: set[Cell], cell: Cell) -> str:
    if cell in barred:
        return BARRED
    stack = state.stack(*cell)
    if not stack:
        return EMPTY
    return stack[-1] + (str(len(stack)) if len(stack) > 1 else "")


def _stacks(state: State) -> list[str]:
    """Return one line with all stacks of several pieces, and an empty one; nothing if there are none."""
    high = [f"{x},{y} {stack}" for (x, y), stack in state.board().items() if len(stack) > 1]
    return [f"stacks, bottom to top: {'  '.join(high)}", ""] if high else []
