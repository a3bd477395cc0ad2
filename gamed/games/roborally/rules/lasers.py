"""Lasers of the board and of the robots: all fire at once.

Source: docs/specs/roborally.md#46-lasers-damage-flags, docs/specs/roborally.md#48-virtual-robots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gamed.core.game import Seat
from gamed.games.roborally.rules.elements import Place
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.movement import standing
from gamed.games.roborally.rules.robots import DESTROYED, Robot, damaged


def fire(layout: Layout, robots: list[Robot], phase: int) -> bool:
    """Let all lasers fire, and then apply all hits; return whether a robot was hit.

    Hits are counted first, so that a robot that this step destroys still fires and still shields those behind it.
    """
    points = [0] * len(robots)
    occupied = standing(robots)
    for strength, seat in _board_hits(layout, robots):
        points[seat] += strength
    for seat in _robot_hits(layout, robots, occupied):
        points[seat] += 1
    for seat, hit in enumerate(points):
        if hit:
            robots[seat] = damaged(robots[seat], hit, phase)
    return any(points)


def _board_hits(layout: Layout, robots: list[Robot]) -> Iterable[tuple[int, Seat]]:
    """Yield the strength and the target of each hit. A beam hits the first real robot in it, and all virtual ones."""
    first: dict[int, tuple[int, Seat]] = {}
    for seat, robot in enumerate(robots):
        beams = layout.lit.get(robot.place)
        if beams is None or robot.damage >= DESTROYED:
            continue
        for index, distance in beams:
            if robot.is_virtual:
                yield layout.strengths[index], seat
            elif index not in first or distance < first[index][0]:
                first[index] = distance, seat
    for index, (_, seat) in first.items():
        yield layout.strengths[index], seat


def _robot_hits(layout: Layout, robots: list[Robot], occupied: Mapping[Place, Seat]) -> Iterable[Seat]:
    """Yield the target of each robot's shot: the first real robot ahead, if no wall is in between."""
    for seat in occupied.values():
        robot = robots[seat]
        if not robot.is_active:
            continue
        ways = layout.ways[robot.facing]
        place = ways.get(robot.place)
        while place is not None:
            if place in occupied:
                yield occupied[place]
                break
            place = ways.get(place)
