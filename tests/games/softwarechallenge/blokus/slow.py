"""A second implementation of the rules for the tests: sets of pairs, as the reference page words them. Slow.

The shapes are drawn here, and turned and flipped as pictures, so that a slip in their fields is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from gamed.games.softwarechallenge.seasons.blokus.board import fields
from gamed.games.softwarechallenge.seasons.blokus.position import State

Picture: TypeAlias = tuple[str, ...]
Piece: TypeAlias = frozenset[tuple[int, int]]

PICTURES: dict[str, Picture] = {
    "MONO": ("#",),
    "DOMINO": ("##",),
    "TRIO_L": ("#.", "##"),
    "TRIO_I": ("#", "#", "#"),
    "TETRO_O": ("##", "##"),
    "TETRO_T": ("###", ".#."),
    "TETRO_I": ("#", "#", "#", "#"),
    "TETRO_L": ("#.", "#.", "##"),
    "TETRO_Z": ("##.", ".##"),
    "PENTO_L": ("#.", "#.", "#.", "##"),
    "PENTO_T": ("###", ".#.", ".#."),
    "PENTO_V": ("#..", "#..", "###"),
    "PENTO_S": (".###", "##.."),
    "PENTO_Z": ("##.", ".#.", ".##"),
    "PENTO_I": ("#", "#", "#", "#", "#"),
    "PENTO_P": ("##", "##", "#."),
    "PENTO_W": ("#..", "##.", ".##"),
    "PENTO_U": ("#.#", "###"),
    "PENTO_R": ("..#", "###", ".#."),
    "PENTO_X": (".#.", "###", ".#."),
    "PENTO_Y": (".#", "##", ".#", ".#"),
}
NAMES = list(PICTURES)
SIDE = range(20)


def right(picture: Picture) -> Picture:
    """Turn a picture by a quarter, clockwise."""
    return tuple("".join(row) for row in zip(*reversed(picture), strict=True))


def flipped(picture: Picture) -> Picture:
    return tuple(row[::-1] for row in picture)


def lying(name: str, quarters: int, is_flipped: bool) -> Picture:
    picture = PICTURES[name]
    for _ in range(quarters):
        picture = right(picture)
    return flipped(picture) if is_flipped else picture


def pieces(name: str) -> Iterator[Piece]:
    """Yield all that a shape may cover on an empty board, some more than once."""
    for picture in {lying(name, quarters, is_flipped) for quarters in range(4) for is_flipped in (False, True)}:
        for left in range(20 - len(picture[0]) + 1):
            for top in range(20 - len(picture) + 1):
                yield frozenset(
                    (left + x, top + y) for y, row in enumerate(picture) for x, mark in enumerate(row) if mark == "#"
                )


def around(piece: Piece, steps: tuple[tuple[int, int], ...]) -> Piece:
    return frozenset((x + right, y + down) for x, y in piece for right, down in steps)


SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


class Slow:
    """A position, and what the colour whose turn it is may put where."""

    def __init__(self, state: State) -> None:
        self.colors = [frozenset(fields(covered)) for covered in state.covered]
        self.own = self.colors[state.turn % 4]
        self.taken = frozenset[tuple[int, int]]().union(*self.colors)
        self.left = [NAMES[shape] for shape in range(21) if state.left[state.turn % 4] >> shape & 1]
        self.is_first = len(self.left) == 21
        self.start = None if state.start is None else NAMES[state.start]

    def is_legal(self, piece: Piece) -> bool:
        if piece & self.taken or around(piece, SIDES) & self.own:
            return False
        if self.is_first:
            return any(x in {0, 19} or y in {0, 19} for x, y in piece)
        return bool(around(piece, CORNERS) & self.own)

    def moves(self) -> set[Piece]:
        names = [name for name in self.left if not self.is_first or name == self.start]
        return {piece for name in names for piece in pieces(name) if self.is_legal(piece)}
