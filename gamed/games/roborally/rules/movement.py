"""How a robot plays a card: it turns, or takes steps and pushes the robots in its way.

Source: docs/specs/roborally.md#44-playing-a-card, docs/specs/roborally.md#48-virtual-robots. The functions change the
list of robots that they get.
"""

from __future__ import annotations

from gamed.core.game import Seat
from gamed.games.roborally.rules.cards import QUARTERS, STEPS, Card
from gamed.games.roborally.rules.elements import DIRECTIONS, Direction, Place
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import DESTROYED, Robot, destroyed


def play(layout: Layout, robots: list[Robot], seat: Seat, card: Card, phase: int) -> None:
    """Play one card of a standing robot, all its steps included."""
    robot = robots[seat]
    quarters = QUARTERS[card]
    if quarters:
        robots[seat] = robot._replace(facing=DIRECTIONS[(robot.facing + quarters) % 4])
        return
    steps = STEPS[card]
    direction = robot.facing if steps > 0 else robot.facing.opposite
    # A virtual robot meets nobody: for its steps the board is empty.
    occupied = {} if robot.is_virtual else standing(robots)
    for _ in range(abs(steps)):
        if not _step(layout, robots, occupied, seat, direction=direction, phase=phase):
            return


def standing(robots: list[Robot]) -> dict[Place, Seat]:
    """Return the seats of the real robots on the board, by their places."""
    return {robot.place: seat for seat, robot in enumerate(robots) if robot.damage < DESTROYED and not robot.is_virtual}


def _step(  # noqa: PLR0913 (one step needs to know all of this, and a class for it would be made for each card)
    layout: Layout, robots: list[Robot], occupied: dict[Place, Seat], seat: Seat, *, direction: Direction, phase: int
) -> bool:
    """Move a robot and the row of robots that it pushes by one field; return whether it can take another step.

    `occupied` has the places of all real robots, and is kept up to date. It is empty for a virtual robot.
    """
    ways = layout.ways[direction]
    row = [seat]
    ahead = ways.get(robots[seat].place)
    while ahead in occupied:
        row.append(occupied[ahead])
        ahead = ways.get(ahead)
    if ahead is None:
        return False
    # All leave their places before any is entered: each place but the first becomes the one of the robot behind.
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
