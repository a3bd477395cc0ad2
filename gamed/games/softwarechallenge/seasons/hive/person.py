"""Hive for a person's client: positions and moves as JSON values.

Actions: `{"do": "set", "piece": "BEE", "to": [x, y, z]}`, `{"do": "move", "from": [x, y, z], "to": [x, y, z]}` and
`{"do": "skip"}`; pieces are named as the wire names them. Source: docs/reference/software-challenge.md#moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final, NoReturn

from gamed.core.errors import InvalidMove
from gamed.core.game import Seat
from gamed.games.softwarechallenge.person import SKIP, Person
from gamed.games.softwarechallenge.seasons.hive import moves
from gamed.games.softwarechallenge.seasons.hive.board import RADIUS
from gamed.games.softwarechallenge.seasons.hive.client import data_of, read_state
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from gamed.games.softwarechallenge.seasons.hive.wire import GAME_TYPES, read
from gamed.wire.xmlstream import Element

_HIVE: Final = Hive()
_KEYS: Final = {"set": {"do", "piece", "to"}, "move": {"do", "from", "to"}, "skip": {"do"}}
_AXES: Final = 3

Action = Mapping[str, Any]
"""A JSON object from a browser, or for one."""


def action_of(move: moves.Move) -> Action:
    """Return a well-formed move as an action."""
    match move:
        case moves.SetMove(type, _, x, y, z):
            return {"do": "set", "piece": moves.TYPES[type], "to": [x, y, z]}
        case moves.DragMove(start_x, start_y, start_z, x, y, z):
            return {"do": "move", "from": [start_x, start_y, start_z], "to": [x, y, z]}
        case _:
            return SKIP


def move_of(action: Action, seat: Seat) -> moves.Move:
    """Return the move of an action. Raises InvalidMove (`action`) if it is not one.

    The action comes from a browser: its values may be of any type.
    """
    what = action.get("do")
    if not isinstance(what, str) or what not in _KEYS:
        _refuse('"do" is "set", "move" or "skip"')
    if action.keys() != _KEYS[what]:
        _refuse(f"{what!r} needs exactly these keys: {', '.join(sorted(_KEYS[what]))}")
    if what == "skip":
        return moves.SkipMove()
    if what == "move":
        return moves.DragMove(*_field(action, "from"), *_field(action, "to"))
    piece = action["piece"]
    if not isinstance(piece, str) or piece not in moves.LETTERS:
        _refuse(f'"piece" is one of {", ".join(moves.LETTERS)}')
    return moves.SetMove(moves.LETTERS[piece], seat, *_field(action, "to"))


def _field(action: Action, key: str) -> tuple[int, int, int]:
    place = action[key]
    # `type(...) is`, because in Python a bool is an int, too.
    if not isinstance(place, list) or len(place) != _AXES or any(type(axis) is not int for axis in place):
        _refuse(f'"{key}" is [x, y, z] in whole numbers')
    x, y, z = place
    if any(abs(axis) > RADIUS for axis in place) or x + y + z:
        _refuse(f'"{key}" is not a field: x + y + z must be 0, and each of them from {-RADIUS} to {RADIUS}')
    return x, y, z


def _refuse(text: str) -> NoReturn:
    raise InvalidMove(f"This is not a move: {text}.", code="action")


class HiveGuide:
    """Hive as a person's client uses it: a `Guide`."""

    game_type: str = GAME_TYPES[0]

    def read(self, state: Element) -> State:
        """Return the position in a `state` element. Raises RemoteProtocolError, as `read_state`."""
        return read_state(state)

    def last(self, state: Element, position: State) -> Action | None:
        """Return the seat and the notation of the last move; None before the first. Raises RemoteProtocolError."""
        found = state.find("lastMove")
        move = None if found is None else read(found).move
        return None if move is None else {"seat": 1 - position.mover, "text": moves.to_notation(move)}

    def mover(self, position: State) -> Seat:
        """Return the seat to move."""
        return position.mover

    def view(self, position: State) -> Mapping[str, Any]:
        """Return a position as `Hive.view` shows it."""
        return _HIVE.view(position, None)

    def legal(self, position: State, seat: Seat) -> list[Action]:
        """Return a seat's legal moves as actions."""
        return [action_of(move) for move in _HIVE.legal_moves(position, seat)]

    def answer(self, position: State, seat: Seat, action: Action) -> Element:
        """Return the `data` element of an action. Raises InvalidMove, IllegalMove, NotYourTurn."""
        move = move_of(action, seat)
        _HIVE.apply(position, seat, move)
        return data_of(move)


def person(_random: Random, _name: str, reservation: str | None = None) -> Person:
    """Return a person."""
    return Person(HiveGuide.game_type, reservation, guide=HiveGuide())
