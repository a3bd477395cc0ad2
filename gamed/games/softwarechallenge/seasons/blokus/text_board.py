"""A Blokus position as text: the board, and what each colour has left.

Source: docs/reference/blokus.md#board. Columns and rows are numbered as on the wire, from 0 at the upper left.
"""

from __future__ import annotations

from typing import Final

from gamed.core.game import CHANCE
from gamed.core.history import DRAWN, JOINED, MOVE, Entry, History
from gamed.games.softwarechallenge.seasons.blokus.board import SIZE, fields
from gamed.games.softwarechallenge.seasons.blokus.moves import COLORS, LETTERS, parse
from gamed.games.softwarechallenge.seasons.blokus.position import State, shapes
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.games.softwarechallenge.seasons.blokus.shapes import SHAPES

EMPTY: Final = "."
LEGEND: Final = ", ".join(f"{letter} {color}" for letter, color in zip(LETTERS, COLORS, strict=True))

_BLOKUS: Final = Blokus()


def draw(history: History, moves: int | None = None) -> str:
    """Return the board after so many moves (None: all), with a description of the last move."""
    state = _BLOKUS.setup(history.options)
    last: Entry | None = None
    made = list(history.of_kind(MOVE))
    for entry in [*history.of_kind(DRAWN), *(made if moves is None else made[:moves])]:
        assert entry.body is not None
        state = _BLOKUS.apply(state, CHANCE if entry.seat is None else entry.seat, parse(entry.body.decode()))
        last = entry if entry.kind == MOVE else last
    names = {entry.seat: str(entry.data["name"]) for entry in history.of_kind(JOINED)}
    seats = [_seat(seat, names.get(seat, ""), state) for seat in (0, 1)]
    left = [_left(color, state) for color in range(len(COLORS))]
    return "\n".join([_caption(last), *seats, "", *board(state), "", *left, "", LEGEND])


def _caption(last: Entry | None) -> str:
    if last is None or last.body is None:
        return "before the first move"
    letter, _, piece = last.body.decode().partition(" ")
    color = COLORS[LETTERS.index(letter)]
    return f"{color} skips" if piece == "SKIP" else f"{color} sets {piece}"


def _seat(seat: int, name: str, state: State) -> str:
    shown = name if name.isprintable() else repr(name)
    colors = f"{COLORS[seat]} and {COLORS[seat + 2]}"
    facts = (f"{colors:<16}", shown[:20], f"{state.team_points(seat)} points", _turn(seat, state))
    return "  ".join(filter(None, facts))


def _turn(seat: int, state: State) -> str:
    outcome = _BLOKUS.outcome(state)
    if outcome is None:
        return f"{COLORS[state.color]} to move" if state.mover == seat else ""
    return "drawn" if outcome.winner is None else "wins" if outcome.winner == seat else ""


def board(state: State) -> list[str]:
    """Return the rows of the board, each preceded by its y, under the columns' x."""
    rows = [[EMPTY] * SIZE for _ in range(SIZE)]
    for letter, covered in zip(LETTERS, state.covered, strict=True):
        for x, y in fields(covered):
            rows[y][x] = letter
    head = "    " + " ".join(f"{x % 10}" for x in range(SIZE))
    return [head, *(f"{y:>2}  {' '.join(row)}" for y, row in enumerate(rows))]


def _left(color: int, state: State) -> str:
    names = " ".join(SHAPES[shape] for shape in shapes(state.left[color])) or "nothing"
    out = "" if color in state.playing else "  (out)"
    return f"{COLORS[color]:<6} has left: {names}{out}"
