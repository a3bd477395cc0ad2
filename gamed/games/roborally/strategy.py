"""Strategies: how a bot answers the manager's requests.

A strategy is a pure function of the course, the bot's own robot as the wire shows it (see `as_public`), the request,
and a random generator. It ignores the other robots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final, TypeAlias

from gamed.games.roborally.planning import WIDTH, best_program
from gamed.games.roborally.rules import moves
from gamed.games.roborally.rules.cards import Card
from gamed.games.roborally.rules.elements import DIRECTIONS
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import Robot, locks, wiped
from gamed.games.roborally.terrain import Terrain, terrain

Strategy: TypeAlias = Callable[[Layout, Robot, moves.Request, Random], moves.Answer]

WEAR: Final = 3
"""With this many points of damage, or more, the planner powers down or stays powered down."""


def as_public(robot: Robot) -> Robot:
    """Return a robot as RS shows it: without the cards in open registers and an announced power down.

    Tests and benchmarks use it to play strategies without a wire.
    """
    return wiped(robot)._replace(is_announced=False, fell_in=0)


def at_random(_layout: Layout, robot: Robot, request: moves.Request, random: Random) -> moves.Answer:
    """Answer with any legal move, and power down in one turn of ten."""
    match request:
        case moves.AskFacing():
            return moves.Facing(random.choice(DIRECTIONS))
        case moves.AskProgram(cards):
            indices = random.sample(range(1, len(cards) + 1), len(robot.free))
            return moves.Program(tuple(indices), power_down=random.random() < 0.1)  # noqa: PLR2004 (one of ten)
        case moves.AskStayDown():
            return moves.StayDown(random.random() < 0.5)  # noqa: PLR2004 (a coin)
        case moves.AskRepairs(points):
            return moves.Repairs(tuple(sorted(random.sample(robot.locked, _opened(robot, points)))))


def planned(layout: Layout, robot: Robot, request: moves.Request, _random: Random) -> moves.Answer:
    """Answer so that the robot would reach the last flag soon if it were alone on the board."""
    return _planned(layout, robot, request, WIDTH)


def greedy(layout: Layout, robot: Robot, request: moves.Request, _random: Random) -> moves.Answer:
    """Answer as the planner does, but choose each register's card for the next position alone."""
    return _planned(layout, robot, request, 1)


def _planned(layout: Layout, robot: Robot, request: moves.Request, width: int) -> moves.Answer:
    match request:
        case moves.AskFacing():
            where = terrain(layout)
            return moves.Facing(min(DIRECTIONS, key=lambda facing: where.to_go(robot.place, facing, robot.flag)))
        case moves.AskProgram(cards):
            return _program(terrain(layout), robot, cards, width)
        case moves.AskStayDown():
            return moves.StayDown(
                robot.damage >= WEAR and terrain(layout).rests((robot.place, robot.facing)) is not None
            )
        case moves.AskRepairs(points):
            return moves.Repairs(robot.locked[: _opened(robot, points)])


def _program(where: Terrain, robot: Robot, hand: tuple[Card, ...], width: int) -> moves.Program:
    """Return the best program found. If it ends early, any cards fill the other registers."""
    end = best_program(where, robot, hand, width)
    rest = (index for index in range(len(hand)) if index not in end.chosen)
    chosen = (*end.chosen, *rest)[: len(robot.free)]
    pays = robot.damage >= WEAR and end.pose is not None and where.rests(end.pose) is not None
    return moves.Program(tuple(index + 1 for index in chosen), power_down=pays)


def _opened(robot: Robot, points: int) -> int:
    return len(robot.locked) - locks(robot.damage - points)


STRATEGIES: Final[Mapping[str, Strategy]] = {"planner": planned, "greedy": greedy, "random": at_random}
"""The strategies by the names that people give them."""
