"""Whether any legal fleet gives some answers: tries all places of all ships, independently of gamed's search.

Source: docs/reference/battleship.md#the-referee, docs/reference/battleship.md#messages. A cell is (x, y). Ships may
touch at corners.
"""

from __future__ import annotations

from collections.abc import Iterable

Cell = tuple[int, int]
Ship = frozenset[Cell]

LENGTHS = (5, 4, 3, 3, 2)


def _straight(length: int) -> list[Ship]:
    across = [frozenset((x + step, y) for step in range(length)) for x in range(11 - length) for y in range(10)]
    return across + [frozenset((y, x) for x, y in ship) for ship in across]


SHIPS = {length: _straight(length) for length in set(LENGTHS)}


def rim(ship: Iterable[Cell]) -> Ship:
    """Return a ship and the cells that share an edge with it."""
    return frozenset(near for x, y in ship for near in ((x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)))


def connected(cells: set[Cell], start: Cell) -> Ship:
    """Return the cells that are connected with one of them by edges."""
    found: Ship = frozenset({start})
    while (grown := rim(found) & cells) != found:
        found = frozenset(grown)
    return found


def is_possible(answers: Iterable[tuple[Cell, int]]) -> bool:
    """Return whether a legal fleet gives these answers in this order, each about another cell."""
    closed: set[Cell] = set()
    hits: set[Cell] = set()
    afloat = list(LENGTHS)
    for cell, code in answers:
        if code == 1:
            closed.add(cell)
            continue
        hits.add(cell)
        if code == 2:
            continue
        ship = connected(hits, cell)
        if len(ship) not in afloat or ship not in SHIPS[len(ship)] or ship & closed:
            return False
        afloat.remove(len(ship))
        if (code == 4) != (not afloat):
            return False
        hits -= ship
        closed |= rim(ship)
    return not hits & closed and _can_place(tuple(afloat), frozenset(hits), frozenset(hits), frozenset(closed))


def _can_place(lengths: tuple[int, ...], uncovered: Ship, hits: Ship, closed: Ship) -> bool:
    if not lengths:
        return not uncovered
    wanted = min(uncovered, default=None)
    for length in set(lengths) if uncovered else lengths[:1]:
        rest = list(lengths)
        rest.remove(length)
        for ship in SHIPS[length]:
            # A ship that is afloat is not hit on all its cells, and no hit of another ship is next to it.
            if (wanted is not None and wanted not in ship) or ship & closed or ship <= hits:
                continue
            around = rim(ship)
            if not (around - ship) & hits and _can_place(tuple(rest), uncovered - ship, hits, closed | around):
                return True
    return False
