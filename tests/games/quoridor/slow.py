"""A second implementation of the rules for the tests: slow, sets of coordinates, as the rules are worded.

Source: docs/specs/quoridor.md#walls, docs/specs/quoridor.md#pawns. A wall is (x, y, "h" or "v"), a cell is (x, y), a
player is a number from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attrs import evolve, frozen

Cell: TypeAlias = tuple[int, int]
Wall: TypeAlias = tuple[int, int, str]
Move: TypeAlias = Cell | Wall

BOARD = frozenset((x, y) for x in range(9) for y in range(9))
PLACES = [(x, y, "h") for y in range(1, 9) for x in range(8)] + [(x, y, "v") for y in range(8) for x in range(1, 9)]
DIRECTIONS = ((0, -1), (-1, 0), (1, 0), (0, 1))
BESIDE = {(x, y): {(x + dx, y + dy) for dx, dy in DIRECTIONS} & BOARD for x, y in BOARD}


def separates(wall: Wall) -> set[frozenset[Cell]]:
    """Return the two pairs of cells that a wall keeps apart."""
    x, y, orientation = wall
    if orientation == "h":
        return {frozenset({(x, y - 1), (x, y)}), frozenset({(x + 1, y - 1), (x + 1, y)})}
    return {frozenset({(x - 1, y), (x, y)}), frozenset({(x - 1, y + 1), (x, y + 1)})}


def is_goal(player: int, cell: Cell) -> bool:
    return {1: cell[1] == 8, 2: cell[1] == 0, 3: cell[0] == 8, 4: cell[0] == 0}[player]


@frozen
class Slow:
    """A position: a cell and a stock for each player, the walls, and the player to move."""

    pawns: tuple[Cell, ...]
    walls: frozenset[Wall]
    left: tuple[int, ...]
    mover: int = 1

    def is_open(self, one: Cell, other: Cell) -> bool:
        """Whether one may step from a cell to the one beside it, pawns apart."""
        return other in BOARD and not any(frozenset({one, other}) in separates(wall) for wall in self.walls)

    def steps(self, player: int) -> set[Cell]:
        """Return the cells where the player's pawn may go."""
        x, y = self.pawns[player - 1]
        taken = set(self.pawns)
        found = set()
        for dx, dy in DIRECTIONS:
            near, behind = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if not self.is_open((x, y), near):
                continue
            if near not in taken:
                found.add(near)
            elif self.is_open(near, behind) and behind not in taken:
                found.add(behind)
            else:
                beside = [(near[0] + dy, near[1] + dx), (near[0] - dy, near[1] - dx)]
                found |= {cell for cell in beside if self.is_open(near, cell) and cell not in taken}
        return found

    def fits(self, wall: Wall) -> bool:
        """Whether a wall of the 128 lies on no other and crosses none."""
        x, y, orientation = wall
        refused = (
            {wall, (x - 1, y, "h"), (x + 1, y, "h"), (x + 1, y - 1, "v")}
            if orientation == "h"
            else {wall, (x, y - 1, "v"), (x, y + 1, "v"), (x - 1, y + 1, "h")}
        )
        return not refused & self.walls

    def distance(self, player: int) -> int | None:
        """Return the number of steps to the goal, pawns apart; None: there is no way."""
        blocked = {pair for wall in self.walls for pair in separates(wall)}
        edge = {self.pawns[player - 1]}
        seen = set(edge)
        steps = 0
        while edge:
            if any(is_goal(player, cell) for cell in edge):
                return steps
            edge = {there for here in edge for there in BESIDE[here] if {here, there} not in blocked} - seen
            seen |= edge
            steps += 1
        return None

    def places(self, player: int) -> set[Wall]:
        """Return the walls that the player may put."""
        if not self.left[player - 1]:
            return set()
        fitting = [wall for wall in PLACES if self.fits(wall)]
        return {wall for wall in fitting if self.with_wall(wall).all_have_a_way()}

    def with_wall(self, wall: Wall) -> Slow:
        return evolve(self, walls=self.walls | {wall})

    def all_have_a_way(self) -> bool:
        return all(self.distance(player) is not None for player in range(1, len(self.pawns) + 1))

    def is_over(self) -> bool:
        return any(is_goal(player, cell) for player, cell in enumerate(self.pawns, 1))

    def after(self) -> Iterator[tuple[Move, Slow]]:
        """Yield the legal moves and the positions after them; nothing at the end of the game."""
        if self.is_over():
            return
        index, then = self.mover - 1, self.mover % len(self.pawns) + 1
        for cell in self.steps(self.mover):
            yield cell, evolve(self, pawns=(*self.pawns[:index], cell, *self.pawns[self.mover :]), mover=then)
        left = (*self.left[:index], self.left[index] - 1, *self.left[self.mover :])
        for wall in self.places(self.mover):
            yield wall, evolve(self, walls=self.walls | {wall}, left=left, mover=then)
