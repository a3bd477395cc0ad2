"""Hive for our bots: reads the states that the server sends, and writes moves.

Source: docs/specs/software-challenge.md#layout-of-the-state, docs/reference/software-challenge.md#moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

from attrs import define

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Seat
from gamed.games.softwarechallenge.client import Player
from gamed.games.softwarechallenge.seasons.hive.board import CELLS, Cell
from gamed.games.softwarechallenge.seasons.hive.moves import COLORS, TYPES, DragMove, Move, SetMove
from gamed.games.softwarechallenge.seasons.hive.position import State, position
from gamed.games.softwarechallenge.seasons.hive.rules import LAST_TURN, Hive
from gamed.games.softwarechallenge.seasons.hive.strategy import STRATEGIES, Strategy
from gamed.games.softwarechallenge.seasons.hive.wire import GAME_TYPES
from gamed.games.softwarechallenge.wire import number
from gamed.wire.xmlstream import Element

_HIVE: Final = Hive()
_CELLS: Final = frozenset(CELLS)

# By colour and type, the letter of a piece in a stack: upper case for RED.
_LETTERS: Final[Mapping[tuple[str, str], str]] = {
    (color, name): letter.lower() if seat else letter
    for seat, color in enumerate(COLORS)
    for letter, name in TYPES.items()
}


# Reading


def read_state(element: Element) -> State:
    """Return the position in a `state` element.

    Raises RemoteProtocolError: `unknown-value`, `not-a-number`, `out-of-range`. The number of the turn determines whose
    turn it is. Places off the hexagon are skipped.
    """
    fields = [(_cell(found), found) for found in element.iterfind("board/fields/field")]
    board = {cell: stack for cell, found in fields if (stack := _pieces(found))}
    barred = [cell for cell, found in fields if found.get("isObstructed") == "true"]
    turn = number(element.get("turn", ""))
    if not 0 <= turn <= LAST_TURN:
        raise RemoteProtocolError(f"a game has no turn {turn}", code="unknown-value")
    red, blue = (_pieces(element.find(f"undeployed{side}Pieces")).upper() for side in ("Red", "Blue"))
    return position(board, (red, blue), turn, barred)


def _cell(element: Element) -> Cell:
    cell = number(element.get("x", "")), number(element.get("y", ""))
    if cell not in _CELLS:
        raise RemoteProtocolError(f"the board has no field {cell[0]}, {cell[1]}", code="unknown-value")
    return cell


def _pieces(element: Element | None) -> str:
    """Return the letters of the pieces in an element; "" without an element."""
    return "" if element is None else "".join(_letters(element))


def _letters(element: Element) -> Iterator[str]:
    for piece in element.iterfind("piece"):
        letter = _LETTERS.get((piece.get("owner", ""), piece.get("type", "")))
        if letter is None:
            raise RemoteProtocolError(f"there is no piece {dict(piece.attrib)!r:.80}", code="unknown-value")
        yield letter


# Writing


def data_of(move: Move) -> Element:
    """Return the `data` element that is sent for a move."""
    if isinstance(move, SetMove):
        data = Element("data", {"class": "setmove"})
        data.append(Element("piece", {"owner": COLORS[move.owner], "type": TYPES[move.type]}))
    elif isinstance(move, DragMove):
        data = Element("data", {"class": "dragmove"})
        data.append(_place("start", move.start_x, move.start_y, move.start_z))
    else:
        return Element("data", {"class": "skipmove"})
    data.append(_place("destination", move.x, move.y, move.z))
    return data


def _place(name: str, x: int | None, y: int | None, z: int | None) -> Element:
    return Element(name, {"x": f"{x}", "y": f"{y}", "z": f"{z}"})


@define
class HiveBrain:
    """Plays Hive with a strategy."""

    strategy: Strategy
    random: Random
    game_type: str = GAME_TYPES[0]

    def answer(self, state: Element, seat: Seat) -> Element:
        """Return the `data` element of a legal move. Raises RemoteProtocolError: as `read_state`, and `out-of-step`."""
        position = read_state(state)
        if seat not in _HIVE.to_move(position):
            raise RemoteProtocolError(f"the server requested a move of {COLORS[seat]} out of turn", code="out-of-step")
        return data_of(self.strategy.choose(position, seat, self.random))


def player(strategy: str, random: Random, reservation: str | None = None) -> Player:
    """Return a player with the strategy of a name."""
    brain = HiveBrain(STRATEGIES[strategy](), random)
    return Player(brain.game_type, reservation, brain=brain)
