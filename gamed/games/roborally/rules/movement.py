"""Cards in action: turns, steps, and robots that push each other.

Source: docs/specs/roborally.md#44-playing-a-card, docs/specs/roborally.md#48-virtual-robots. The functions change the
list of robots that they are given.
"""

from __future__ import annotations

from gamed.core.game import Seat
from gamed.games.roborally.rules.cards import QUARTERS, STEPS, Card
from gamed.games.roborally.rules.elements import DIRECTIONS, Direction, Place
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import DESTROYED, Robot, destroyed


def play(layout: Layout, robots: list[Robot], seat: Seat, card: Card, phase: int) -> None:
    """Play the card of a standing robot, completely."""
    robot = robots[seat]
    quarters = QUARTERS[card]
    if quarters:
        robots[seat] = robot._replace(facing=DIRECTIONS[(robot.facing + quarters) % 4])
        return
    steps = STEPS[card]
    direction = robot.facing if steps > 0 else robot.facing.opposite
    occupied = {} if robot.is_virtual else standing(robots)
    for _ in range(abs(steps)):
        if not _step(layout, robots, occupied, seat, direction=direction, phase=phase):
            return


def standing(robots: list[Robot]) -> dict[Place, Seat]:
    """Return where real robots stand."""
    return {robot.place: seat for seat, robot in enumerate(robots) if robot.damage < DESTROYED and not robot.is_virtual}


def _step(  # noqa: PLR0913 (one step needs to know all of this, and a class for it would be made for each card)
    layout: Layout, robots: list[Robot], occupied: dict[Place, Seat], seat: Seat, *, direction: Direction, phase: int
) -> bool:
    """Move a robot by one field, with those before it; return whether it goes on.

    `occupied` says where the others stand that can be pushed; it is empty for a virtual robot.
    """
    ways = layout.ways[direction]
    row = [seat]
    ahead = ways.get(robots[seat].place)
    while ahead in occupied:
        row.append(occupied[ahead])
        ahead = ways.get(ahead)
    if ahead is None:
        return False
    for mover in row:
        occupied.pop(robots[mover].place, None)
    for mover in row:
        robot = robots[mover]
        place = ways[robot.place]
        if place in layout.ground:
            robots[mover] = robot._replace(place=place)
            if not robot.is_virtual:
                occupied[place] = mover
        else:
            robots[mover] = destroyed(robot, phase)
    return robots[seat].damage < DESTROYED
