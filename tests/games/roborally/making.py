"""Short ways to layouts, robots and positions for the tests."""

from __future__ import annotations

from typing import Any

from gamed.games.roborally.rules.board import parse_plan
from gamed.games.roborally.rules.elements import Direction, Place
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import Robot
from gamed.games.roborally.rules.state import Stage, State

N, E, S, W = Direction
CARDS = (50, 9, 68, 10, 51)
"""M1, RL, M2, RR, M1: cards for five registers."""


def row(*fields: str, width: int = 0) -> Layout:
    """Return a layout of one row of fields, without walls; `width` fields `B` follow."""
    floors = [*fields, *["B"] * width]
    walls = "_" * len(floors)
    return plan(walls, "_" + "".join(f"{floor}_" for floor in floors), walls)


def plan(*rows: str, flags: tuple[Place, ...] = ()) -> Layout:
    """Return the layout of a plan, northern rows first."""
    return Layout(parse_plan(" ".join(rows)), flags)


def empty(width: int, height: int, flags: tuple[Place, ...] = ()) -> Layout:
    """Return a layout without anything on it."""
    fields = ["_" + "B_" * width, "_" * width]
    return plan("_" * width, *fields * height, flags=flags)


def robot(x: int, y: int, facing: Direction = N, **its: Any) -> Robot:
    """Return a real robot on its archive, with three lives."""
    return Robot(**{"facing": facing, "place": (x, y), "archive": (x, y), "lives": 3, **its})


def ghost(x: int, y: int, facing: Direction = N, **its: Any) -> Robot:
    """Return a virtual robot."""
    return robot(x, y, facing, is_virtual=True, **its)


def state(layout: Layout, *robots: Robot, stage: Stage, phase: int = 0, **its: Any) -> State:
    """Return a position in turn 1 of 200."""
    its = {"max_turns": 200, "turn": 1, "hands": ((),) * len(robots), **its}
    return State(layout=layout, stage=stage, phase=phase, robots=robots, **its)


def places(robots: list[Robot]) -> list[Place | None]:
    """Return where robots stand, None for those that do not."""
    return [robot.place if robot.is_standing else None for robot in robots]
