"""A course with its robots as text, for records and output channels.

Source: docs/specs/roborally.md#51-geometry, docs/specs/roborally.md#57-signs-in-pictures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from attrs import frozen

from gamed.games.roborally.rules.elements import Place
from gamed.games.roborally.rules.robots import DESTROYED

ARROWS: Final = {"N": "^", "E": ">", "S": "v", "W": "<"}
"""Arrows for facings and belts."""

LEGEND: Final = (
    "A> robot   a> virtual   *1 flag   O pit   + repair   l r gears   > belt   >> express   >X crusher   | -- walls"
    "   L laser   S pusher"
)

NARROW_LEGEND: Final = (
    "A robot   a virtual   & several   1 flag   O pit   + repair   l r gears   > belt   X crusher   | - walls"
    "   L laser   S pusher"
)

WIDE: Final = 3
"""The width of a field in characters: one for the wall to its west, and two for what is on it."""

NARROW: Final = 2
"""The width if what is on a field gets one character. Facings and the speed of belts are omitted then."""

MARGIN: Final = 3
"""The width of a row's number, before the first wall."""

Robots: TypeAlias = Sequence[tuple[str, Mapping[str, Any] | None]]
"""The players' names with the states of their robots (`json_views.seen`), in order of registration; `locked` has the
actions of the locked cards by their registers."""

Played: TypeAlias = Mapping[str, Sequence[str]]
"""The actions of the cards that were revealed in this turn, by the players' names."""


@frozen
class Course:
    """The signs of a course, by place."""

    width: int
    height: int
    floors: Mapping[Place, str]
    """The signs of floors that are not plain."""

    uprights: Mapping[Place, str]
    """The signs of the walls west of their places."""

    levels: Mapping[Place, str]
    """The signs of the walls south of their places."""


def course_of(tiles: Mapping[str, Any]) -> Course:
    """Return the signs of a course that is described as browsers get it (`json_views.tiles`)."""
    uprights: dict[Place, str] = {}
    levels: dict[Place, str] = {}
    # Of two devices on the two sides of a wall, the laser is shown.
    devices = [(*one[:3], "S") for one in tiles["pushers"]] + [(*one[:3], "L") for one in tiles["lasers"]]
    for x, y, side, sign in [*((*wall, "") for wall in tiles["walls"]), *devices]:
        if side in "EW":
            uprights[x + (side == "E"), y] = sign or "|"
        else:
            levels[x, y + (side == "N")] = sign or "-"
    floors = {(x, y): _floor(*rest) for x, y, *rest in tiles["floors"]}
    return Course(tiles["width"], tiles["height"], floors, uprights, levels)


def _floor(kind: str, *rest: Any) -> str:
    match kind, *rest:
        case "pit", *_:
            return "O "
        case "gear", turn:
            return f"{turn.lower()} "
        case "repair", *_:
            return "+ "
        case _, direction, speed, _, crush:
            arrow = ARROWS[direction]
            return arrow + ("X" if crush else arrow if speed > 1 else " ")
    raise AssertionError(kind)


def picture(course: Course, flags: Sequence[Sequence[int]], robots: Robots, played: Played) -> list[str]:
    """Return the lines of a picture: the board, then the robots with their revealed cards of this turn."""
    return [*board_lines(course, flags, robots), "", *robot_lines(robots, played)]


def board_lines(course: Course, flags: Sequence[Sequence[int]], robots: Robots, cell: int = WIDE) -> list[str]:
    """Return the lines of the board, from north to south. `cell`: WIDE or NARROW."""
    signs = _signs(flags, robots)
    numbers = _numbers(course, cell)
    lines = [numbers]
    for y in range(course.height, 0, -1):
        lines += _wall_line(course, y + 1, cell)
        lines.append(_field_line(course, y, signs, cell))
    return [*lines, *_wall_line(course, 1, cell), numbers]


def flat_lines(course: Course, flags: Sequence[Sequence[int]], robots: Robots, cell: int = WIDE) -> list[str]:
    """Return the board with one line for each row.

    A wall is an underscore in the field north of it, if that field is empty.
    """
    walls = {place: "._" if cell == WIDE else "_ " for place in course.levels if place not in course.floors}
    signs = {**walls, **_signs(flags, robots)}
    return [_numbers(course, cell), *(_field_line(course, y, signs, cell) for y in range(course.height, 0, -1))]


def robot_lines(robots: Robots, played: Played) -> list[str]:
    """Return a line for each robot, with its revealed cards of this turn."""
    return [_robot_line(number, name, robot, played) for number, (name, robot) in enumerate(robots)]


def label(number: int) -> str:
    """Return the letter that stands for the robot of the player with this number."""
    return chr(ord("A") + number)


def _signs(flags: Sequence[Sequence[int]], robots: Robots) -> dict[Place, str]:
    signs = {(x, y): f"*{number}" for number, (x, y) in enumerate(flags, 1)}
    standing: dict[Place, list[str]] = defaultdict(list)
    for number, (_, robot) in enumerate(robots):
        if robot is not None and robot["damage"] < DESTROYED:
            letter = label(number).lower() if robot["virtual"] else label(number)
            x, y = robot["place"]
            standing[x, y].append(letter + ARROWS[robot["facing"]])
    signs |= {place: found[0] if len(found) == 1 else f"{found[0][0]}&" for place, found in standing.items()}
    return signs


def _numbers(course: Course, cell: int) -> str:
    # Narrow columns have room for every second number only.
    step = 1 if cell == WIDE else 2
    return "    " + "".join(f"{x:<{cell * step}}" for x in range(1, course.width + 1, step)).rstrip()


def _field_line(course: Course, y: int, signs: Mapping[Place, str], cell: int) -> str:
    shown = str if cell == WIDE else _narrowed
    fields = "".join(
        course.uprights.get((x, y), " ") + shown(signs.get((x, y)) or course.floors.get((x, y), ". "))
        for x in range(1, course.width + 1)
    )
    return f"{y:>3}{fields}{course.uprights.get((course.width + 1, y), '')}".rstrip()


def _narrowed(sign: str) -> str:
    """Return the more important character of a sign: a flag's number, a crusher, or `&` for several robots."""
    return sign[1] if sign[0] == "*" or sign[1] in "X&" else sign[0]


def _wall_line(course: Course, y: int, cell: int) -> list[str]:
    """Return the line for the walls south of a row; no line if there are none."""
    walls = [course.levels.get((x, y), "") for x in range(1, course.width + 1)]
    dashes = "".join(f"{wall and wall + '-' * (cell - NARROW):<{cell}}" for wall in walls).rstrip()
    return [f"    {dashes}"] if dashes else []


def _robot_line(number: int, name: str, robot: Mapping[str, Any] | None, played: Played) -> str:
    head = f"{label(number)} {name[:32]:<12}"
    if robot is None:
        return f"{head} removed"
    x, y = robot["place"]
    damage = robot["damage"]
    where = "destroyed" if damage >= DESTROYED else f"({x},{y}) {robot['facing']}"
    cards = " ".join(played.get(name, ()))
    notes = [] if robot["active"] else ["powered down"]
    notes += [f"{action} locked in {register}" for register, action in robot["locked"].items()]
    words = f"{where:<10} flag {robot['flag']}  damage {damage:>2}  lives {robot['lives']}  {cards:<14}"
    return f"{head} {words} {', '.join(notes)}".rstrip()
