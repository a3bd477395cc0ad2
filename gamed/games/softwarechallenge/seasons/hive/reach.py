"""Where a piece can go, calculated on sets of cells.

Source: docs/specs/software-challenge.md#drags. Everywhere in this module, `occupied` are the cells with a piece after
the moving piece was lifted, and `empty` are the cells without a piece that are not obstructed.
"""

from __future__ import annotations

from typing import TypeAlias

from gamed.games.softwarechallenge.seasons.hive.board import PLANE, Cells, around, connected, facing

Gates: TypeAlias = tuple[Cells, Cells, Cells, Cells, Cells, Cells]
"""For each direction of `facing`: the cells that a slide in this direction may end on."""


def gates(occupied: Cells, empty: Cells, barred: Cells) -> Gates:
    """Return where slides may end, for each direction.

    A slide passes between two cells, those next to both its start and its end. One of them must be occupied, so that
    the piece stays in contact with the swarm; the other must be empty or beyond the rim, so that the piece fits
    through. As seen from the end, they are two directions to the left and to the right of the slide's own direction:
    for a slide in direction i, they are the neighbours in the directions i + 2 and i - 2 of `facing`.
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
    """Return where one slide leads from any of the given cells."""
    g0, g1, g2, g3, g4, g5 = gates
    return cells << 12 & g0 | cells << 1 & g1 | cells >> 11 & g2 | cells >> 12 & g3 | cells >> 1 & g4 | cells << 11 & g5


def ant(start: Cells, gates: Gates, end: Cells = 0) -> Cells:
    """Return where any number of slides leads. With an end, stop when it is reached."""
    reached = edge = start
    while edge and not reached & end:
        edge = slid(edge, gates) & ~reached
        reached |= edge
    return reached & ~start


def spider(start: Cells, gates: Gates) -> Cells:
    """Return where three slides lead that visit no cell twice."""
    reached = 0
    first = slid(start, gates)
    while first:
        step = first & -first
        first ^= step
        # A slide never ends where it began. So only the return to the start, and to the first cell, must be excluded.
        reached |= slid(slid(step, gates) & ~start, gates) & ~(start | step)
    return reached


def beetle(start: Cells, occupied: Cells, barred: Cells) -> Cells:
    """Return the neighbours that a beetle can go to. Gates do not matter to it, but it must stay in contact.

    It does if there is a piece below it, at its destination, or next to both.
    """
    near = around(start) & ~barred
    if start & occupied:
        return near
    return near & (occupied | around(around(start) & occupied))


def grasshopper(start: Cells, occupied: Cells, empty: Cells) -> Cells:
    """Return the first cell behind each unbroken row of pieces, if it is empty."""
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
    """Return the cells around which the occupied neighbours are not connected: they form two or three rows.

    Only a piece on such a cell can hold the swarm together. The result may contain empty cells, and places beyond the
    rim.
    """
    f0, f1, f2, f3, f4, f5 = facing(occupied)
    once = several = 0
    for end in (f0 & ~f1, f1 & ~f2, f2 & ~f3, f3 & ~f4, f4 & ~f5, f5 & ~f0):
        several |= once & end
        once |= end
    return several


def loose(mine: Cells, occupied: Cells, high: Cells) -> Cells:
    """Return the cells of `mine` whose top piece can be lifted without dividing the swarm.

    Here `occupied` are the cells with a piece before any is lifted, and `high` those with more than one. If the swarm
    is connected, a cell can divide it only if its occupied neighbours are not connected around it (`gaps`). So the
    costly walk through the swarm is needed for these few cells only. If it is not connected, which moves with wrong
    coordinates can cause, it is needed for all.
    """
    suspects = mine & gaps(occupied) & ~high if connected(occupied) else mine
    while suspects:
        cell = suspects & -suspects
        suspects ^= cell
        if not connected(occupied if cell & high else occupied ^ cell):
            mine ^= cell
    return mine
