"""Random boards with everything on them, and crowds of robots there."""

from __future__ import annotations

from itertools import product
from random import Random

from gamed.games.roborally.rules.board import (
    PIT,
    PLAIN,
    Belt,
    Board,
    Device,
    Direction,
    Floor,
    Gear,
    Laser,
    Place,
    Pusher,
    Repair,
    Wall,
)
from gamed.games.roborally.rules.cards import DECK
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import Robot
from gamed.games.roborally.rules.state import Stage, State
from tests.games.roborally.making import state

DIRECTIONS = list(Direction)
PHASES = range(1, 6)


def some_phases(random: Random) -> tuple[int, ...]:
    return tuple(phase for phase in PHASES if random.random() < 0.5)


def some_floor(random: Random) -> Floor:
    what = random.random()
    if what < 0.5:
        turns = tuple((side, random.choice("LR")) for side in DIRECTIONS if random.random() < 0.3)
        crush = some_phases(random) if random.random() < 0.3 else ()
        return Belt(random.choice(DIRECTIONS), random.choice((1, 2)), turns, crush)
    if what < 0.58:
        return PIT
    if what < 0.66:
        return Gear(random.choice("LR"))
    return Repair(1) if what < 0.72 else PLAIN


def some_device(random: Random) -> Device | None:
    what = random.random()
    if what < 0.4:
        return None
    return Laser(random.choice((1, 1, 2))) if what < 0.55 else Pusher(some_phases(random))


def some_wall(random: Random) -> Wall:
    if random.random() > 0.25:
        return Wall(None, is_wall=False, right=None)
    return Wall(some_device(random), is_wall=True, right=some_device(random))


def some_board(random: Random) -> Board:
    width, height = random.randint(2, 6), random.randint(2, 5)

    def places(right: int, up: int) -> list[Place]:
        return list(product(range(1, width + right + 1), range(1, height + up + 1)))

    return Board(
        width,
        height,
        {place: some_floor(random) for place in places(0, 0)},
        {place: some_wall(random) for place in places(1, 0)},
        {place: some_wall(random) for place in places(0, 1)},
        frozenset(places(0, 0)),
    )


def some_position(random: Random) -> State:
    """Return a position with 2 to 8 robots before step A of some phase."""
    layout = Layout(some_board(random), ())
    ground = sorted(layout.ground) or [(1, 1)]
    layout = Layout(layout.board, tuple(random.sample(ground, min(3, len(ground)))))
    cards = random.sample(sorted(DECK), 40)
    robots: list[Robot] = []
    for number in range(random.randint(2, 8)):
        taken = {robot.place for robot in robots if not robot.is_virtual}
        is_virtual = random.random() < 0.25
        free = ground if is_virtual else [place for place in ground if place not in taken]
        if not free:
            break
        damage = random.choice((0, 0, 3, 5, 8, 9))
        robots.append(
            Robot(
                random.choice(DIRECTIONS),
                random.choice(free),
                random.choice(ground),
                3,
                damage=damage,
                registers=tuple(cards[5 * number : 5 * number + 5]),
                locked=tuple(sorted(random.sample(range(1, 6), max(0, damage - 4)))),
                is_active=random.random() < 0.85,
                is_virtual=is_virtual,
            )
        )
    return state(layout, *robots, stage=Stage.REVEAL, phase=random.randint(0, 4))
