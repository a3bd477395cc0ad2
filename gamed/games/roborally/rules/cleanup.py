"""The end of a turn: repairs, wiping, powering down and up, new robots.

Source: docs/specs/roborally.md#34-a-turn, docs/specs/roborally.md#47-power-down,
docs/specs/roborally.md#49-the-end-of-a-turn.
"""

from __future__ import annotations

from collections import Counter

from gamed.games.roborally.rules.moves import Facing, Repairs
from gamed.games.roborally.rules.robots import DESTROYED, NEW_DAMAGE, Robot, opened, wiped
from gamed.games.roborally.rules.state import Draft, Kind, Stage, repair_points


def clean_up(draft: Draft) -> None:
    """Begin the clean-up.

    A player whose robot is repaired and has locked registers is asked which of them to open.
    """
    places = draft.layout.repairs
    asked = frozenset(
        seat
        for seat, robot in enumerate(draft.robots)
        if robot.locked and robot.damage < DESTROYED and places.get(robot.place, 0)
    )
    draft.stage, draft.happened = Stage.REPAIR, None
    draft.phase, draft.order, draft.played = 0, (), 0
    draft.waiting = asked


def repair(draft: Draft) -> None:
    """Do clean-up 1: repair the robots on repair sites and flags.

    The cards in the opened registers stay there until they are wiped.
    """
    robots = list(draft.robots)
    answers = dict(draft.answers)
    for seat, robot in enumerate(robots):
        if robot.damage and robot.is_standing and (points := repair_points(draft, seat)):
            answer = answers.get(seat)
            numbers = answer.registers if isinstance(answer, Repairs) else ()
            robots[seat] = opened(robot, max(0, robot.damage - points), numbers)
    draft.stage, draft.happened = Stage.WIPE, Kind.REPAIRED
    draft.robots, draft.answers = tuple(robots), ()


def wipe(draft: Draft) -> None:
    """Do clean-up 2: empty the open registers, and ask the players of powered-down robots whether they stay so.

    A robot that is powered down or is about to be keeps its cards: `power` wipes them when it wakes up.
    """
    draft.stage, draft.happened = Stage.STAY_DOWN, None
    draft.robots = tuple(
        wiped(robot) if robot.is_active and not robot.is_announced else robot for robot in draft.robots
    )
    draft.hands = ((),) * len(draft.robots)
    draft.waiting = frozenset(seat for seat, robot in enumerate(draft.robots) if not robot.is_active)


def stay_down(draft: Draft) -> None:
    """Do clean-up 3. The answers are announcements already, and take effect in clean-up 6."""
    draft.stage, draft.happened = Stage.MATERIALIZE, None


def materialize(draft: Draft) -> None:
    """Do clean-up 4: virtual robots that are alone on their fields become real. Ask for the facings of new robots."""
    crowd = Counter(robot.place for robot in draft.robots if robot.is_standing)
    draft.stage, draft.happened = Stage.NEW_ROBOTS, Kind.MATERIALIZED
    draft.robots = tuple(
        robot._replace(is_virtual=False) if robot.is_virtual and crowd[robot.place] == 1 else robot
        for robot in draft.robots
    )
    draft.waiting = frozenset(seat for seat, robot in enumerate(draft.robots) if robot.lives and not robot.is_standing)


def new_robots(draft: Draft) -> None:
    """Do clean-up 5: destroyed robots come back. Ask what to open where a robot powers down with locked registers."""
    answers = dict(draft.answers)
    # A destroyed robot's place is its archive, so this counts those that appear there together, too.
    crowd = Counter(robot.place for robot in draft.robots if robot.lives)
    draft.stage, draft.happened = Stage.POWER, Kind.RETURNED
    draft.robots = tuple(
        _new(robot, answers.get(seat), is_virtual=crowd[robot.place] > 1)
        if robot.lives and not robot.is_standing
        else robot
        for seat, robot in enumerate(draft.robots)
    )
    draft.answers = ()
    draft.waiting = frozenset(
        seat for seat, robot in enumerate(draft.robots) if robot.is_announced and robot.locked and robot.is_standing
    )


def _new(robot: Robot, answer: Facing | Repairs | None, *, is_virtual: bool) -> Robot:
    facing = answer.direction if isinstance(answer, Facing) else robot.facing
    return robot._replace(facing=facing, damage=NEW_DAMAGE, is_virtual=is_virtual, fell_in=0)


def power(draft: Draft) -> None:
    """Do clean-up 6: robots power down, stay down or wake up. Then the next turn begins, or the game ends."""
    draft.happened = Kind.POWERED
    draft.robots, draft.answers = tuple(map(_powered, draft.robots)), ()
    if draft.turn >= draft.max_turns:
        draft.stage = Stage.ENDING
    else:
        draft.stage = Stage.DEAL
        draft.turn += 1


def _powered(robot: Robot) -> Robot:
    if robot.is_announced:
        return robot._replace(damage=0, locked=(), is_active=False, is_announced=False)
    return robot if robot.is_active else wiped(robot)._replace(is_active=True)
