"""Blokus for a person's client: positions and moves as JSON values.

Actions: `{"do": "set", "piece": "PENTO_L LEFT FLIPPED", "to": [x, y]}`, the piece as records write it, and
`{"do": "skip"}`. Source: docs/reference/blokus.md#moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final, NoReturn

from gamed.core.errors import InvalidMove
from gamed.core.game import Seat
from gamed.games.softwarechallenge.person import SKIP, Person
from gamed.games.softwarechallenge.seasons.blokus import moves
from gamed.games.softwarechallenge.seasons.blokus.board import is_inside
from gamed.games.softwarechallenge.seasons.blokus.client import data_of, read_state
from gamed.games.softwarechallenge.seasons.blokus.position import State
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.games.softwarechallenge.seasons.blokus.wire import GAME_TYPES, move_in
from gamed.wire.xmlstream import Element

_BLOKUS: Final = Blokus()
_KEYS: Final = {"set": {"do", "piece", "to"}, "skip": {"do"}}

Action = Mapping[str, Any]
"""A JSON object from a browser, or for one."""


def action_of(move: moves.Move) -> Action:
    """Return a move as an action."""
    if isinstance(move, moves.SkipMove):
        return SKIP
    piece = moves.to_notation(move).split(" ", 1)[1].rpartition(" ")[0]
    return {"do": "set", "piece": piece, "to": [move.x, move.y]}


def move_of(action: Action, color: moves.Color) -> moves.Move:
    """Return the move of an action for a colour. Raises InvalidMove (`action`) if it is not one.

    The action comes from a browser: its values may be of any type.
    """
    what = action.get("do")
    if not isinstance(what, str) or what not in _KEYS:
        _refuse('"do" is "set" or "skip"')
    if action.keys() != _KEYS[what]:
        _refuse(f"{what!r} needs exactly these keys: {', '.join(sorted(_KEYS[what]))}")
    if what == "skip":
        return moves.SkipMove(color)
    piece, place = action["piece"], action["to"]
    # `type(...) is`, because in Python a bool is an int, too.
    if not isinstance(place, list) or [type(axis) for axis in place] != [int, int] or not is_inside(*place):
        _refuse('"to" is a field of the board, [x, y] in whole numbers')
    try:
        move = moves.parse(f"{moves.LETTERS[color]} {piece} {place[0]},{place[1]}")
    except InvalidMove:
        move = None
    if not isinstance(piece, str) or not isinstance(move, moves.SetMove):
        _refuse('"piece" is a shape, then its rotation and FLIPPED, if it has them, such as "PENTO_L LEFT FLIPPED"')
    return move


def _refuse(text: str) -> NoReturn:
    raise InvalidMove(f"This is not a move: {text}.", code="action")


class BlokusGuide:
    """Blokus as a person's client uses it: a `Guide`."""

    game_type: str = GAME_TYPES[0]

    def read(self, state: Element) -> State:
        """Return the position in a `state` element. Raises RemoteProtocolError, as `read_state`."""
        return read_state(state)

    def last(self, state: Element, _position: State) -> Action | None:
        """Return the seat and the notation of the last move; None before the first. Raises RemoteProtocolError."""
        found = state.find("lastMove")
        if found is None:
            return None
        move = move_in(found)
        return {"seat": move.color & 1, "text": moves.to_notation(move)}

    def mover(self, position: State) -> Seat:
        """Return the seat to move."""
        return position.mover

    def view(self, position: State) -> Mapping[str, Any]:
        """Return a position as `Blokus.view` shows it."""
        return _BLOKUS.view(position, None)

    def legal(self, position: State, seat: Seat) -> list[Action]:
        """Return a seat's legal moves as actions."""
        found = [action_of(move) for move in _BLOKUS.legal_moves(position, seat)]
        return [*found, SKIP] if found and not position.is_first else found

    def answer(self, position: State, seat: Seat, action: Action) -> Element:
        """Return the `data` element of an action. Raises InvalidMove, IllegalMove, NotYourTurn."""
        move = move_of(action, position.color)
        _BLOKUS.apply(position, seat, move)
        return data_of(move)


def person(_random: Random, _name: str, reservation: str | None = None) -> Person:
    """Return a person."""
    return Person(BlokusGuide.game_type, reservation, guide=BlokusGuide())
