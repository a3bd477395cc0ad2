"""Tiles (Kacheln) of 12 x 12 fields: how they are read, rotated, and put together to a board.

Source: docs/specs/roborally.md#53-courses-of-tiles, docs/specs/roborally.md#54-files.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final

from attrs import evolve, frozen

from gamed.core.errors import GamedError
from gamed.games.roborally.rules.board import (
    LARGEST,
    OPEN,
    PIT,
    Belt,
    Board,
    Floor,
    NotationError,
    Place,
    Wall,
    parse_plan,
)

SIZE: Final = 12
"""Fields in a row or a column of a tile."""

ROTATIONS: Final = (0, 90, 180, 270)
"""Degrees, clockwise."""


class CompositionError(GamedError):
    """The tiles cannot be put together as described. The message says which tile is wrong, and why."""


@frozen
class PlacedTile:
    """A tile on a board."""

    tile: Board

    at: Place = (1, 1)
    """The place of its south-western field."""

    rotation: int = 0
    """One of ROTATIONS."""


def parse_tile(text: str) -> Board:
    """Return the tile of a file. Raises NotationError, which names the row, counted from 1."""
    if "." in text:
        raise NotationError("a full stop ends a plan, but is not part of a tile: remove it")
    tile = parse_plan(text)
    if (tile.width, tile.height) != (SIZE, SIZE):
        raise NotationError(f"{tile.width} x {tile.height} fields: a tile has {SIZE} x {SIZE}")
    return tile


def rotated(board: Board, rotation: int) -> Board:
    """Return a board turned clockwise by one of ROTATIONS."""
    for _ in range(rotation // 90):
        board = _quarter_turn(board)
    return board


def _quarter_turn(board: Board) -> Board:
    # The field (x, y) moves to (y, last - x).
    last = board.width + 1
    return Board(
        board.height,
        board.width,
        {(y, last - x): _turned_floor(floor) for (x, y), floor in board.floors.items()},
        {(y, last - x): _mirrored(wall) for (x, y), wall in board.horizontal.items()},
        {(y, last - x + 1): wall for (x, y), wall in board.vertical.items()},
        frozenset((y, last - x) for x, y in board.covered),
    )


def _turned_floor(floor: Floor) -> Floor:
    if not isinstance(floor, Belt):
        return floor
    turns = tuple((side.right, turn) for side, turn in floor.turns)
    return evolve(floor, direction=floor.direction.right, turns=turns)


def _mirrored(wall: Wall) -> Wall:
    # What was north of a horizontal wall is east of the vertical wall that it becomes.
    return Wall(wall.right, wall.is_wall, wall.left)


def compose(placed: Iterable[PlacedTile]) -> Board:
    """Return the board that tiles make: the smallest rectangle around them, which must begin at (1, 1).

    Raises CompositionError if tiles overlap, or if the rectangle begins elsewhere or is larger than 255 x 255.
    """
    composition = _Composition({}, {}, {})
    for number, tile in enumerate(placed, 1):
        composition.add(number, rotated(tile.tile, tile.rotation), *tile.at)
    return composition.board()


@frozen
class _Composition:
    floors: dict[Place, Floor]
    vertical: dict[Place, Wall]
    horizontal: dict[Place, Wall]

    def add(self, number: int, tile: Board, east: int, north: int) -> None:
        for (x, y), floor in tile.floors.items():
            place = (x + east - 1, y + north - 1)
            if place in self.floors:
                raise CompositionError(f"tile {number} overlaps an earlier one at {place}: move one of them")
            self.floors[place] = floor
        for (x, y), wall in tile.vertical.items():
            _join(self.vertical, (x + east - 1, y + north - 1), _own(wall, x > 1, x <= tile.width))
        for (x, y), wall in tile.horizontal.items():
            # The left device of a horizontal wall is the northern one.
            _join(self.horizontal, (x + east - 1, y + north - 1), _own(wall, y <= tile.height, y > 1))

    def board(self) -> Board:
        if not self.floors:
            raise CompositionError("there are no tiles: a board needs at least one")
        self._check_corner()
        width, height = (max(place[axis] for place in self.floors) for axis in (0, 1))
        if max(width, height) > LARGEST:
            raise CompositionError(f"the board has {width} x {height} fields: {LARGEST} x {LARGEST} is the most")
        return Board(
            width,
            height,
            {place: self.floors.get(place, PIT) for place in _places(width, height)},
            {place: self.vertical.get(place, OPEN) for place in _places(width + 1, height)},
            {place: self.horizontal.get(place, OPEN) for place in _places(width, height + 1)},
            frozenset(self.floors),
        )

    def _check_corner(self) -> None:
        corner = tuple(min(place[axis] for place in self.floors) for axis in (0, 1))
        if corner != (1, 1):
            raise CompositionError(f"the south-western corner is {corner}: move all tiles so that it is (1, 1)")


def _own(wall: Wall, has_left: bool, has_right: bool) -> Wall:  # noqa: FBT001 (the two fields beside the wall)
    # At the edge of a tile, only the device on the tile's own side of the wall is the tile's.
    if has_left and has_right:
        return wall
    return Wall(wall.left if has_left else None, wall.is_wall, wall.right if has_right else None)


def _join(walls: dict[Place, Wall], place: Place, wall: Wall) -> None:
    other = walls.setdefault(place, wall)
    if other is not wall:
        walls[place] = Wall(other.left or wall.left, other.is_wall or wall.is_wall, other.right or wall.right)


def _places(width: int, height: int) -> Iterable[Place]:
    return product(range(1, width + 1), range(1, height + 1))
