"""The end of a turn: repairs, wiping, powering down and up, new robots.

Source: docs/specs/roborally.md#34-a-turn, docs/specs/roborally.md#47-power-down,
docs/specs/roborally.md#49-the-end-of-a-turn.
"""

from __future__ import annotations

from collections import Counter

from gamed.games.roborally.rules.moves import Facing, Repairs
from gamed.games.roborally.rules.robots import DESTROYED, NEW_DAMAGE, Robot, opened, wiped
from gamed.games.roborally.rules.state import Kind, Stage, State, evolve, repair_points


def clean_up(state: State) -> State:
    """Return the state at the beginning of the clean-up.

    A player whose robot is repaired and has locked registers is asked which of them to open.
    """
    places = state.layout.repairs
    asked = frozenset(
        seat
        for seat, robot in enumerate(state.robots)
        if robot.locked and robot.damage < DESTROYED and places.get(robot.place, 0)
    )
    return evolve(state, stage=Stage.REPAIR, phase=0, order=(), played=0, waiting=asked, happened=None)


def repair(state: State) -> State:
    """Do clean-up 1: repair the robots on repair sites and flags.

    The cards in the opened registers stay there until they are wiped.
    """
    robots = list(state.robots)
    answers = dict(state.answers)
    for seat, robot in enumerate(robots):
        if robot.damage and robot.is_standing and (points := repair_points(state, seat)):
            answer = answers.get(seat)
            numbers = answer.registers if isinstance(answer, Repairs) else ()
            robots[seat] = opened(robot, max(0, robot.damage - points), numbers)
    return evolve(state, stage=Stage.WIPE, robots=tuple(robots), answers=(), happened=Kind.REPAIRED)


def wipe(state: State) -> State:
    """Do clean-up 2: empty the open registers, and ask the players of powered-down robots whether they stay so.

    A robot that is powered down or is about to be keeps its cards: `power` wipes them when it wakes up.
    """
    robots = tuple(wiped(robot) if robot.is_active and not robot.is_announced else robot for robot in state.robots)
    down = frozenset(seat for seat, robot in enumerate(robots) if not robot.is_active)
    return evolve(state, stage=Stage.STAY_DOWN, robots=robots, hands=((),) * len(robots), waiting=down, happened=None)


def stay_down(state: State) -> State:
    """Do clean-up 3. The answers are announcements already, and take effect in clean-up 6."""
    return evolve(state, stage=Stage.MATERIALIZE, happened=None)


def materialize(state: State) -> State:
    """Do clean-up 4: virtual robots that are alone on their fields become real. Ask for the facings of new robots."""
    crowd = Counter(robot.place for robot in state.robots if robot.is_standing)
    robots = tuple(
        robot._replace(is_virtual=False) if robot.is_virtual and crowd[robot.place] == 1 else robot
        for robot in state.robots
    )
    waiting = frozenset(seat for seat, robot in enumerate(robots) if robot.lives and not robot.is_standing)
    return evolve(state, stage=Stage.NEW_ROBOTS, robots=robots, waiting=waiting, happened=Kind.MATERIALIZED)


def new_robots(state: State) -> State:
    """Do clean-up 5: destroyed robots come back. Ask what to open where a robot powers down with locked registers."""
    answers = dict(state.answers)
    # A destroyed robot's place is its archive, so this counts those that appear there together, too.
    crowd = Counter(robot.place for robot in state.robots if robot.lives)
    robots = tuple(
        _new(robot, answers.get(seat), is_virtual=crowd[robot.place] > 1)
        if robot.lives and not robot.is_standing
        else robot
        for seat, robot in enumerate(state.robots)
    )
    waiting = frozenset(
        seat for seat, robot in enumerate(robots) if robot.is_announced and robot.locked and robot.is_standing
    )
    return evolve(state, stage=Stage.POWER, robots=robots, waiting=waiting, answers=(), happened=Kind.RETURNED)


def _new(robot: Robot, answer: Facing | Repairs | None, *, is_virtual: bool) -> Robot:
    facing = answer.direction if isinstance(answer, Facing) else robot.facing
    return robot._replace(facing=facing, damage=NEW_DAMAGE, is_virtual=is_virtual, fell_in=0)


def power(state: State) -> State:
    """Do clean-up 6: robots power down, stay down or wake up. Then the next turn begins, or the game ends."""
    robots = tuple(map(_powered, state.robots))
    state = evolve(state, stage=Stage.DEAL, robots=robots, answers=(), happened=Kind.POWERED)
    if state.turn >= state.max_turns:
        return evolve(state, stage=Stage.ENDING)
    return evolve(state, turn=state.turn + 1)


def _powered(robot: Robot) -> Robot:
    if robot.is_announced:
        return robot._replace(damage=0, locked=(), is_active=False, is_announced=False)
    return robot if robot.is_active else wiped(robot)._replace(is_active=True)
