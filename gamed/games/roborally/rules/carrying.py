"""Belts and pushers, which move several robots at the same time.

Source: docs/specs/roborally.md#45-belts-pushers-gears-and-crushers, docs/specs/roborally.md#48-virtual-robots.

A robot on an element has an *intent*: the direction in which the element would move it. Whether an intent is carried
out depends on the others: a robot may move onto a field only if the robot there moves away. So `_rows` starts with all
intents, drops those that cannot be carried out, and checks again, because a robot that stays may block the next one.
Robots in conflict stay where they are. Virtual robots are left out: they neither block nor are blocked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from gamed.core.game import Seat
from gamed.games.roborally.rules.elements import DIRECTIONS, Direction, Place
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.movement import standing
from gamed.games.roborally.rules.robots import DESTROYED, Robot, destroyed

Intents: TypeAlias = dict[Seat, Direction]
"""The direction in which each robot on an element would be moved."""

Row: TypeAlias = list[Seat]
"""A robot with an intent, and after it the robots that it pushes, in the order in which they stand."""


def carry(layout: Layout, robots: list[Robot], belts: Mapping[Place, Direction], phase: int) -> bool:
    """Let belts carry robots by one field, and turn them in bends; return whether a robot moved."""
    intents = _intents(robots, belts)
    if not intents:
        return False
    moves = _virtual_moves(layout, robots, intents)
    moves.update((row[0], direction) for row, direction in _rows(layout, robots, intents, pushes=False))
    for seat, direction in moves.items():
        # One after the other is the same as all at once: it is decided who moves, and each reads only its own place.
        _move(layout, robots, seat, direction, phase)
        robot = robots[seat]
        quarters = layout.bends[direction].get(robot.place) if robot.damage < DESTROYED else None
        if quarters:
            robots[seat] = robot._replace(facing=DIRECTIONS[(robot.facing + quarters) % 4])
    return bool(moves)


def push(layout: Layout, robots: list[Robot], phase: int) -> bool:
    """Let the pushers of a phase push robots, and these the ones behind; return whether a robot moved."""
    intents = _intents(robots, layout.pushers[phase])
    if not intents:
        return False
    moves = _virtual_moves(layout, robots, intents)
    for row, direction in _rows(layout, robots, intents, pushes=True):
        moves.update((seat, direction) for seat in row)
    for seat, direction in moves.items():
        _move(layout, robots, seat, direction, phase)
    return bool(moves)


def _intents(robots: list[Robot], movers: Mapping[Place, Direction]) -> Intents:
    return {
        seat: movers[robot.place]
        for seat, robot in enumerate(robots)
        if robot.place in movers and robot.damage < DESTROYED
    }


def _virtual_moves(layout: Layout, robots: list[Robot], intents: Intents) -> Intents:
    """Remove the virtual robots from `intents`, and return the intents of those that no wall stops."""
    virtual = {seat: intents.pop(seat) for seat in list(intents) if robots[seat].is_virtual}
    return {seat: direction for seat, direction in virtual.items() if robots[seat].place in layout.ways[direction]}


def _move(layout: Layout, robots: list[Robot], seat: Seat, direction: Direction, phase: int) -> None:
    robot = robots[seat]
    place = layout.ways[direction][robot.place]
    robots[seat] = robot._replace(place=place) if place in layout.ground else destroyed(robot, phase)


def _rows(layout: Layout, robots: list[Robot], intents: Intents, *, pushes: bool) -> list[tuple[Row, Direction]]:
    """Return the rows of real robots that move, with their directions; `intents` keeps those that are carried out.

    Each round drops the intents that break one of the rules 2 to 4 of the source, and the next round begins again with
    the rows. A rule is applied only if no intent breaks the rule before it: a robot that cannot move anyway must not
    stop others by a collision that will not happen. Each round but the last drops an intent, so this ends.
    """
    occupied = standing(robots)
    while intents:
        rows = {seat: _row(layout, robots, occupied, intents, seat, pushes=pushes) for seat in intents}
        failed = {seat for seat, row in rows.items() if not row} or _shared(rows)
        failed = failed or _colliding(layout, robots, occupied, intents, rows)
        if not failed:
            return [(row, intents[seat]) for seat, row in rows.items()]
        for seat in failed:
            del intents[seat]
    return []


def _row(  # noqa: PLR0913 (what a row depends on)
    layout: Layout, robots: list[Robot], occupied: Mapping[Place, Seat], intents: Intents, seat: Seat, *, pushes: bool
) -> Row:
    """Return the row that an intent moves (rule 1); empty if a wall is in the way, or a robot that cannot be pushed."""
    ways = layout.ways[intents[seat]]
    row = [seat]
    place = ways.get(robots[seat].place)
    while place is not None and place in occupied and occupied[place] not in intents:
        if not pushes:
            return []
        row.append(occupied[place])
        place = ways.get(place)
    return row if place is not None else []


def _shared(rows: Mapping[Seat, Row]) -> set[Seat]:
    """Return the intents whose rows share a robot with another row (rule 3)."""
    counts = Counter(seat for row in rows.values() for seat in row)
    return {seat for seat, row in rows.items() if any(counts[member] > 1 for member in row)}


def _colliding(
    layout: Layout, robots: list[Robot], occupied: Mapping[Place, Seat], intents: Intents, rows: Mapping[Seat, Row]
) -> set[Seat]:
    """Return the intents that would put two robots on one field, or exchange two robots (rule 4)."""
    reached = {member: layout.ways[intents[seat]][robots[member].place] for seat, row in rows.items() for member in row}
    there = Counter(_on_ground(layout, (reached.get(seat, place) for place, seat in occupied.items())))

    def fails(member: Seat) -> bool:
        place = reached[member]
        other = occupied.get(place)
        return there[place] > 1 or (other in reached and reached[other] == robots[member].place)

    return {seat for seat, row in rows.items() if any(map(fails, row))}


def _on_ground(layout: Layout, places: Iterable[Place]) -> Iterable[Place]:
    return (place for place in places if place in layout.ground)
