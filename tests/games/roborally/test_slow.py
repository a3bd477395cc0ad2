"""The engine against the slow one: random boards with everything on them, crowds of robots, step by step."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.state import Stage, State
from gamed.games.roborally.rules.turn import advance
from tests.games.roborally.crowds import some_position
from tests.games.roborally.slow import Bot, Slow


def slow(position: State) -> Slow:
    bots = [
        Bot(
            *robot.place,
            robot.facing,
            robot.archive,
            list(robot.registers),
            robot.damage,
            robot.lives,
            robot.flag,
            set(robot.locked),
            robot.is_active,
            robot.is_virtual,
        )
        for robot in position.robots
    ]
    return Slow(position.layout.board, position.layout.flags, bots)


def seen(position: State) -> list[object]:
    return [
        (its.place, its.facing, its.archive, its.damage, its.lives, its.flag, its.locked, its.is_active, its.is_virtual)
        for its in position.robots
    ]


def slowly_seen(engine: Slow) -> list[object]:
    return [
        (
            its.at,
            its.d,
            its.archive,
            its.damage,
            its.lives,
            its.flag,
            tuple(sorted(its.locked)),
            its.active,
            its.virtual,
        )
        for its in engine.bots
    ]


def follow(case: SynchronousTestCase, position: State) -> set[Stage]:
    """Play one phase with both engines, and compare after each step; return the steps in which robots changed."""
    engine = slow(position)
    position = advance(position)
    k = position.phase
    steps: tuple[tuple[Stage, Callable[[], None]], ...] = (
        (Stage.CARDS, lambda: engine.cards(k)),
        (Stage.EXPRESS, lambda: engine.belts(express=True)),
        (Stage.BELTS, lambda: engine.belts(express=False)),
        (Stage.PUSHERS, lambda: engine.pushers(k)),
        (Stage.GEARS, engine.gears),
        (Stage.CRUSHERS, lambda: engine.crushers(k)),
        (Stage.LASERS, engine.lasers),
        (Stage.TOUCH, engine.touch),
    )
    changed = set()
    for stage, step in steps:
        before = position.robots
        while position.stage is stage:
            position = advance(position)
        step()
        case.assertEqual(seen(position), slowly_seen(engine), stage.name)
        if before != position.robots:
            changed.add(stage)
    return changed


class SlowTests(SynchronousTestCase):
    def test_single_phases(self) -> None:
        random = Random(19)
        changes = [follow(self, some_position(random)) for _ in range(600)]
        for stage in range(Stage.CARDS, Stage.REPAIR):
            self.assertGreater(sum(stage in changed for changed in changes), 50, Stage(stage).name)

    def test_without_robots_that_fire_or_play(self) -> None:
        """Only the board works: crowds on belts and pushers collide in more ways than after cards."""
        random = Random(20)
        for _ in range(600):
            position = some_position(random)
            robots = tuple(robot._replace(is_active=False, is_virtual=False) for robot in position.robots)
            crowd = [robot.place for robot in robots]
            if len(set(crowd)) == len(crowd):
                follow(self, evolve(position, robots=robots))
