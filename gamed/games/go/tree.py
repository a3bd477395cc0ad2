"""A Go game as all formats hold it: who played, what was set up, and a tree of moves.

Source: docs/reference/records.md#gofans. GoFans (four versions) and SGF are read into this and written from it.
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
    """A stone on the board. `color`: lower case, "black" and "white" where there are two."""

    point: Point
    color: str


@frozen
class Player:
    """A player. `id`: what moves name. `points`: `RESIGNED` for who resigned, None where it is not known."""

    id: int
    name: str | None = None
    rank: str | None = None
    color: str | None = None
    points: float | None = None


@define(eq=False)
class Node:
    """A move. `player`: its id; `color`: where it stands beside the player; `point`: None for a pass.

    `removes`: the stones that the move takes off the board, None where the format does not say (1.x, SGF).
    `children`: the moves that may follow, the main line first.
    """

    player: int
    point: Point | None = None
    color: str | None = None
    comment: str | None = None
    removes: tuple[Point, ...] | None = None
    children: list[Node] = field(factory=list, repr=False)


@define(eq=False)
class GoGame:
    """A whole game. Texts are None where the source does not have them; `size` is 1 to 52; `komi` and `handicap` too.

    `roots`: the first moves, the main line first (there is more than one only where variations begin at once).
    """

    size: int
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
    roots: list[Node] = field(factory=list, repr=False)

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
            # Nearly all moves have one that follows.
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
