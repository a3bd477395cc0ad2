"""Blokus for our bots: reads the states that the server sends, and writes moves.

Source: docs/reference/blokus.md#layout-of-the-state, docs/reference/blokus.md#moves-in-xml.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from attrs import define

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Seat
from gamed.games.softwarechallenge.client import Player
from gamed.games.softwarechallenge.seasons.blokus.board import is_inside
from gamed.games.softwarechallenge.seasons.blokus.board import number as bit_of
from gamed.games.softwarechallenge.seasons.blokus.moves import COLORS, Move, SkipMove
from gamed.games.softwarechallenge.seasons.blokus.position import State
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.games.softwarechallenge.seasons.blokus.shapes import ROTATIONS, SHAPES
from gamed.games.softwarechallenge.seasons.blokus.strategy import STRATEGIES, Strategy
from gamed.games.softwarechallenge.seasons.blokus.wire import GAME_TYPES, SET_MOVE, SKIP_MOVE, TEAMS
from gamed.games.softwarechallenge.wire import number
from gamed.wire.xmlstream import Element

_BLOKUS: Final = Blokus()


# Reading


def read_state(element: Element) -> State:
    """Return the position in a `state` element.

    Raises RemoteProtocolError: `unknown-value`, `not-a-number`, `out-of-range`.
    """
    covered = [0] * len(COLORS)
    for found in element.iterfind("board/field"):
        x, y = number(found.get("x", "")), number(found.get("y", ""))
        if not is_inside(x, y):
            raise RemoteProtocolError(f"the board has no field {x}, {y}", code="unknown-value")
        covered[_index(COLORS, found.get("content"))] |= 1 << bit_of(x, y)
    left = tuple(
        sum(1 << _index(SHAPES, shape.text) for shape in element.iterfind(f"{color.lower()}Shapes/shape"))
        for color in COLORS
    )
    turn = number(element.get("turn", ""))
    if turn < 0:
        raise RemoteProtocolError(f"a game has no turn {turn}", code="unknown-value")
    playing = tuple(_index(COLORS, color.text) for color in element.iterfind("validColors/color"))
    start = _index(SHAPES, element.get("startPiece"))
    return State(turn, start, tuple(covered), left, playing, _mono_last(element))


def _mono_last(element: Element) -> tuple[bool | None, ...]:
    found: list[bool | None] = [None] * len(COLORS)
    for entry in element.iterfind("lastMoveMono/entry"):
        # The first child is the colour, by gamed's name or by the official one.
        if len(entry) > 1:
            found[_index(COLORS, entry[0].text)] = entry[1].text == "true"
    return tuple(found)


def _index(known: Sequence[str], text: str | None) -> int:
    if text not in known:
        raise RemoteProtocolError(f"{(text or '')[:20]!r} is none of {', '.join(known)}", code="unknown-value")
    return known.index(text)


# Writing


def data_of(move: Move) -> Element:
    """Return the `data` element that is sent for a move."""
    if isinstance(move, SkipMove):
        data = Element("data", {"class": SKIP_MOVE})
        color = Element("color")
        color.text = COLORS[move.color]
        data.append(color)
        return data
    data = Element("data", {"class": SET_MOVE})
    flipped = "true" if move.is_flipped else "false"
    looks = {"kind": SHAPES[move.shape], "rotation": ROTATIONS[move.rotation], "isFlipped": flipped}
    piece = Element("piece", {"color": COLORS[move.color], **looks})
    piece.append(Element("position", {"x": f"{move.x}", "y": f"{move.y}"}))
    data.append(piece)
    return data


@define
class BlokusBrain:
    """Plays Blokus with a strategy."""

    strategy: Strategy
    random: Random
    game_type: str = GAME_TYPES[0]

    def answer(self, state: Element, seat: Seat) -> Element:
        """Return the `data` element of a legal move. Raises RemoteProtocolError: as `read_state`, and `out-of-step`."""
        position = read_state(state)
        if seat not in _BLOKUS.to_move(position) or not position.placements:
            raise RemoteProtocolError(f"the server requested a move of {TEAMS[seat]} out of turn", code="out-of-step")
        return data_of(self.strategy.choose(position, self.random))


def player(strategy: str, random: Random, reservation: str | None = None) -> Player:
    """Return a player with the strategy of a name."""
    brain = BlokusBrain(STRATEGIES[strategy](), random)
    return Player(brain.game_type, reservation, brain=brain)
