"""Where a piece can go, on sets of cells.

Source: docs/specs/software-challenge.md#drags. In everything here `occupied` are the cells that hold a piece once the
moving one is lifted, and `empty` those that hold none and are not obstructed.
"""

from __future__ import annotations

from typing import TypeAlias

from gamed.games.softwarechallenge.seasons.hive.board import PLANE, Cells, around, connected, facing

Gates: TypeAlias = tuple[Cells, Cells, Cells, Cells, Cells, Cells]
"""For each direction of `facing`: the cells that a slide in this direction may end on."""


def gates(occupied: Cells, empty: Cells, barred: Cells) -> Gates:
    """Return where slides may end.

    The two cells beside a slide lie, as seen from its end, two directions to the left and to the right of its own. One
    of them must be occupied, and one empty or beyond the rim.
    """
    o0, o1, o2, o3, o4, o5 = facing(occupied)
    e0, e1, e2, e3, e4, e5 = facing(PLANE & ~(occupied | barred))
    return (
        empty & (o2 | o4) & (e2 | e4),
        empty & (o3 | o5) & (e3 | e5),
        empty & (o4 | o0) & (e4 | e0),
        empty & (o5 | o1) & (e5 | e1),
        empty & (o0 | o2) & (e0 | e2),
        empty & (o1 | o3) & (e1 | e3),
    )


def slid(cells: Cells, gates: Gates) -> Cells:
    """Return where one slide leads from any of some cells."""
    g0, g1, g2, g3, g4, g5 = gates
    return cells << 12 & g0 | cells << 1 & g1 | cells >> 11 & g2 | cells >> 12 & g3 | cells >> 1 & g4 | cells << 11 & g5


def ant(start: Cells, gates: Gates, end: Cells = 0) -> Cells:
    """Return where any number of slides leads; or some of that, with the end in it, if the end can be reached."""
    reached = edge = start
    while edge and not reached & end:
        edge = slid(edge, gates) & ~reached
        reached |= edge
    return reached & ~start


def spider(start: Cells, gates: Gates) -> Cells:
    """Return where three slides lead that never come to a cell twice."""
    reached = 0
    first = slid(start, gates)
    while first:
        step = first & -first
        first ^= step
        # The third cell is not the second one, for a slide goes somewhere; so only start and first are to be kept out.
        reached |= slid(slid(step, gates) & ~start, gates) & ~(start | step)
    return reached


def beetle(start: Cells, occupied: Cells, barred: Cells) -> Cells:
    """Return the neighbours that a beetle can go to: with a piece below, there, or beside the way. No gate counts."""
    near = around(start) & ~barred
    if start & occupied:
        return near
    return near & (occupied | around(around(start) & occupied))


def grasshopper(start: Cells, occupied: Cells, empty: Cells) -> Cells:
    """Return the first cell behind each unbroken row of pieces, where it is empty."""
    reached = 0
    for step in (12, 1, 11):
        up = start << step
        down = start >> step
        if up & occupied:
            while up & occupied:
                up <<= step
            reached |= up
        if down & occupied:
            while down & occupied:
                down >>= step
            reached |= down
    return reached & empty


def gaps(occupied: Cells) -> Cells:
    """Return the cells whose occupied neighbours do not hang together round them: they form two rows or three.

    What is returned may hold empty cells and bits beyond the board.
    """
    f0, f1, f2, f3, f4, f5 = facing(occupied)
    once = several = 0
    for end in (f0 & ~f1, f1 & ~f2, f2 & ~f3, f3 & ~f4, f4 & ~f5, f5 & ~f0):
        several |= once & end
        once |= end
    return several


def loose(mine: Cells, occupied: Cells, high: Cells) -> Cells:
    """Return those of `mine` whose top piece can be lifted and leaves all others connected.

    `occupied` here holds the pieces before any is lifted, and `high` the cells with more than one of them. In a
    connected swarm nothing depends on a cell whose neighbours hang together round it; only for the others the swarm is
    walked through.
    """
    suspects = mine & gaps(occupied) & ~high if connected(occupied) else mine
    while suspects:
        cell = suspects & -suspects
        suspects ^= cell
        if not connected(occupied if cell & high else occupied ^ cell):
            mine ^= cell
    return mine
