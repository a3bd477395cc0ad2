"""A Go game independent of its format: the players, the setup and a tree of moves.

Source: docs/reference/records.md#gofans. All versions of GoFans, and SGF, are converted to and from this.
Coordinates are those of GoFans: x from 1 at the left, y from 1 at the top. Nothing here recurses: a game of 400 moves
is 400 nodes deep.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from attrs import define, field, frozen

RESIGNED: Final = -1.0
"""The points of a player who has resigned: docs/reference/records.md#gofans."""

_LETTERS: Final = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


class Point(NamedTuple):
    """An intersection: x from 1 at the left, y from 1 at the top."""

    x: int
    y: int


def column(x: int) -> str:
    """Return the letters of a column: A to Z without I, then AA, AB and so on."""
    more, last = divmod(x - 1, len(_LETTERS))
    return (_LETTERS[more - 1] if more else "") + _LETTERS[last]


def name(point: Point, size: int) -> str:
    """Return a point's name, such as D4."""
    return f"{column(point.x)}{size + 1 - point.y}"


class Stone(NamedTuple):
    """A stone on the board."""

    point: Point

    color: str
    """In lower case; "black" or "white" in games with two colours."""


@frozen
class Player:
    """A player. Fields that are not known are None."""

    id: int
    """The number by which moves refer to the player."""

    name: str | None = None
    rank: str | None = None
    color: str | None = None

    points: float | None = None
    """`RESIGNED` for a player who resigned."""


@define(eq=False)
class Node:
    """A move."""

    player: int
    """The id of the player."""

    point: Point | None = None
    """None for a pass."""

    color: str | None = None
    """The colour of the stone, if the record states it; see `GoGame.color_of`."""

    comment: str | None = None

    removes: tuple[Point, ...] | None = None
    """The captured stones; None if the format does not list them (GoFans 1.x, SGF)."""

    children: list[Node] = field(factory=list, repr=False)
    """The moves that may follow, that of the main line first."""


@define(eq=False)
class GoGame:
    """A whole game. Fields that the source does not have are None."""

    size: int
    """The number of lines of the board, 1 to 52."""

    players: tuple[Player, ...]
    title: str | None = None
    event: str | None = None
    date: str | None = None
    place: str | None = None
    komi: float | None = None
    handicap: int | None = None
    rules: str | None = None
    comment: str | None = None

    setup: tuple[Stone, ...] = ()
    """The stones on the board before the first move."""

    roots: list[Node] = field(factory=list, repr=False)
    """The first moves, that of the main line first. There are several if variations begin at the first move."""

    def main_line(self) -> Iterator[Node]:
        """Yield the moves of the main line."""
        following = self.roots
        while following:
            yield following[0]
            following = following[0].children

    def walk(self) -> Iterator[tuple[int, Node]]:
        """Yield each node with its depth (from 0), a node before its children, the main line first."""
        stack = [(0, node) for node in reversed(self.roots)]
        while stack:
            depth, node = stack.pop()
            yield depth, node
            # Nearly all moves have only one child: follow it without using the stack.
            while children := node.children:
                depth += 1
                if len(children) > 1:
                    stack += [(depth, child) for child in children[:0:-1]]
                node = children[0]
                yield depth, node

    def color_of(self, node: Node) -> str | None:
        """Return the colour of a move's stone: its own, or else its player's."""
        if node.color is not None:
            return node.color
        return next((player.color for player in self.players if player.id == node.player), None)
