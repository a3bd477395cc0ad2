"""Ways to the goal: flood fill and breadth-first search, a whole layer of cells at a time.

Source: docs/specs/quoridor.md#walls. Only walls block a way; pawns do not.
"""

from __future__ import annotations

from collections.abc import Iterable

from gamed.games.quoridor.walls import GOALS, ROW, Cell, Open, Walls, bits, fitting, joining, open_ways


def spread(cells: int, ways: Open) -> int:
    """Return these cells and all that are one step away."""
    north, west = ways
    return cells | (cells & north) >> ROW | cells << ROW & north | (cells & west) >> 1 | cells << 1 & west


def reaches(cell: Cell, goal: int, ways: Open) -> bool:
    """Whether there is a way from a cell to one of the cells of `goal`."""
    north, west = ways
    seen, before = 1 << cell, 0
    # `spread`, written out: this loop is where the legal moves of a position spend their time.
    while not seen & goal:
        if seen == before:
            return False
        before = seen
        seen |= (seen & north) >> ROW | seen << ROW & north | (seen & west) >> 1 | seen << 1 & west
    return True


def distance(cell: Cell, goal: int, ways: Open) -> int | None:
    """Return the number of steps from a cell to `goal` if there were no pawns; None if there is no way."""
    north, west = ways
    seen, before, steps = 1 << cell, 0, 0
    while not seen & goal:
        if seen == before:
            return None
        before = seen
        seen |= (seen & north) >> ROW | seen << ROW & north | (seen & west) >> 1 | seen << 1 & west
        steps += 1
    return steps


def layers(goal: int, ways: Open) -> list[int]:
    """Return the cells that are at most 0, 1, 2, ... steps from `goal`. The last set has all cells with a way to it."""
    found = [goal]
    while (cells := spread(found[-1], ways)) != found[-1]:
        found.append(cells)
    return found


def across_path(cell: Cell, goal: int, ways: Open) -> Walls | None:
    """Return the places of walls that would block one shortest path from a cell to `goal`; None if there is no way.

    A wall at any other place does not change this path.
    """
    north, west = ways
    reached = [1 << cell]
    while not reached[-1] & goal:
        cells = spread(reached[-1], ways)
        if cells == reached[-1]:
            return None
        reached.append(cells)
    horizontal = vertical = 0
    here = reached.pop() & goal
    here &= -here
    for cells in reversed(reached):
        # Back to any cell of the layer before: from the south, the north, the east or the west.
        if back := here << ROW & north & cells:
            horizontal |= back
        elif back := (here & north) >> ROW & cells:
            horizontal |= here
        elif back := here << 1 & west & cells:
            vertical |= back
        else:
            back = here >> 1
            vertical |= here
        here = back
    return Walls(horizontal | horizontal >> 1, vertical | vertical >> ROW)


def encloses(walls: Walls, pawns: Iterable[Cell]) -> bool:
    """Whether walls leave a player without a way to the goal. `pawns` are the cells, in the order of the seats."""
    ways = open_ways(walls)
    return not all(reaches(cell, goal, ways) for cell, goal in zip(pawns, GOALS, strict=False))


def legal_places(walls: Walls, pawns: Iterable[Cell]) -> Walls:
    """Return the places where one more wall is legal: it fits, and every player keeps a way to the goal.

    A wall can only enclose a player if it joins other walls and blocks the player's shortest path. So only such walls
    are tried out.
    """
    ways = open_ways(walls)
    fits, joins = fitting(walls), joining(walls)
    legal_h, legal_v = fits
    for cell, goal in zip(pawns, GOALS, strict=False):
        across = across_path(cell, goal, ways)
        if across is None:
            return Walls()
        for place in bits(legal_h & joins.horizontal & across.horizontal):
            one = 1 << place
            if not reaches(cell, goal, Open(ways.north & ~(one | one << 1), ways.west)):
                legal_h ^= one
        for place in bits(legal_v & joins.vertical & across.vertical):
            one = 1 << place
            if not reaches(cell, goal, Open(ways.north, ways.west & ~(one | one << ROW))):
                legal_v ^= one
    return Walls(legal_h, legal_v)
