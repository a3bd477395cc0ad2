"""A course with its robots as text, for records and output channels.

Source: docs/specs/roborally.md#51-geometry, docs/specs/roborally.md#57-signs-in-pictures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from gamed.games.roborally import messages as m
from gamed.games.roborally.rules.board import (
    LETTERS,
    Belt,
    Board,
    Direction,
    Gear,
    Laser,
    Pit,
    Place,
    Pusher,
    Repair,
    Wall,
)
from gamed.games.roborally.rules.robots import DESTROYED

ARROWS: Final = "^>v<"
"""Arrows for facings and belts, indexed by Direction."""

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

Robots = Sequence[tuple[str, m.RobotAnswer | m.RobotGone]]
"""The players' names with the states of their robots, in order of registration."""

Played = Mapping[str, Sequence[m.ProgramCard]]
"""The cards that were revealed in this turn, by the players' names."""


def picture(board: Board, flags: Sequence[Place], robots: Robots, played: Played) -> list[str]:
    """Return the lines of a picture: the board, then the robots with their revealed cards of this turn."""
    return [*board_lines(board, flags, robots), "", *robot_lines(robots, played)]


def board_lines(board: Board, flags: Sequence[Place], robots: Robots, cell: int = WIDE) -> list[str]:
    """Return the lines of the board, from north to south. `cell`: WIDE or NARROW."""
    signs = _signs(flags, robots)
    numbers = _numbers(board, cell)
    lines = [numbers]
    for y in range(board.height, 0, -1):
        lines += _wall_line(board, y + 1, cell)
        lines.append(_field_line(board, y, signs, cell))
    return [*lines, *_wall_line(board, 1, cell), numbers]


def flat_lines(board: Board, flags: Sequence[Place], robots: Robots, cell: int = WIDE) -> list[str]:
    """Return the board with one line for each row.

    A wall is an underscore in the field north of it, if that field is empty.
    """
    walls = {
        (x, y): "._" if cell == WIDE else "_ "
        for y in range(1, board.height + 1)
        for x in range(1, board.width + 1)
        if board.wall(x, y, Direction.S).is_wall and _floor(board, x, y) == ". "
    }
    signs = {**walls, **_signs(flags, robots)}
    return [_numbers(board, cell), *(_field_line(board, y, signs, cell) for y in range(board.height, 0, -1))]


def robot_lines(robots: Robots, played: Played) -> list[str]:
    """Return a line for each robot, with its revealed cards of this turn."""
    return [_robot_line(number, name, robot, played) for number, (name, robot) in enumerate(robots)]


def label(number: int) -> str:
    """Return the letter that stands for the robot of the player with this number."""
    return chr(ord("A") + number)


def _signs(flags: Sequence[Place], robots: Robots) -> dict[Place, str]:
    signs = {place: f"*{number}" for number, place in enumerate(flags, 1)}
    standing: dict[Place, list[str]] = defaultdict(list)
    for number, (_, robot) in enumerate(robots):
        if isinstance(robot, m.RobotAnswer) and robot.damage < DESTROYED:
            letter = label(number).lower() if robot.is_virtual else label(number)
            standing[robot.place].append(letter + ARROWS[robot.facing])
    signs |= {place: found[0] if len(found) == 1 else f"{found[0][0]}&" for place, found in standing.items()}
    return signs


def _numbers(board: Board, cell: int) -> str:
    # Narrow columns have room for every second number only.
    step = 1 if cell == WIDE else 2
    return "    " + "".join(f"{x:<{cell * step}}" for x in range(1, board.width + 1, step)).rstrip()


def _field_line(board: Board, y: int, signs: Mapping[Place, str], cell: int) -> str:
    shown = str if cell == WIDE else _narrowed
    fields = "".join(
        _upright(board.wall(x, y, Direction.W)) + shown(signs.get((x, y)) or _floor(board, x, y))
        for x in range(1, board.width + 1)
    )
    return f"{y:>3}{fields}{_upright(board.wall(board.width, y, Direction.E))}".rstrip()


def _narrowed(sign: str) -> str:
    """Return the more important character of a sign: a flag's number, a crusher, or `&` for several robots."""
    return sign[1] if sign[0] == "*" or sign[1] in "X&" else sign[0]


def _floor(board: Board, x: int, y: int) -> str:
    match board.floor(x, y):
        case Pit():
            return "O "
        case Gear(turn):
            return "l " if turn == "L" else "r "
        case Repair():
            return "+ "
        case Belt() as belt:
            arrow = ARROWS[belt.direction]
            return arrow + ("X" if belt.crush else arrow if belt.speed > 1 else " ")
        case _:
            return ". "


def _device(wall: Wall) -> str:
    devices = (wall.left, wall.right)
    if any(isinstance(device, Laser) for device in devices):
        return "L"
    return "S" if any(isinstance(device, Pusher) for device in devices) else ""


def _upright(wall: Wall) -> str:
    return _device(wall) or ("|" if wall.is_wall else " ")


def _wall_line(board: Board, y: int, cell: int) -> list[str]:
    """Return the line for the walls south of a row; no line if there are none."""
    walls = [board.wall(x, y, Direction.S) for x in range(1, board.width + 1)]
    if not any(wall.is_wall for wall in walls):
        return []
    dashes = ((_device(wall) or "-") + "-" * (cell - NARROW) if wall.is_wall else "" for wall in walls)
    return [("    " + "".join(f"{dash:<{cell}}" for dash in dashes)).rstrip()]


def _robot_line(number: int, name: str, robot: m.RobotAnswer | m.RobotGone, played: Played) -> str:
    head = f"{label(number)} {name[:32]:<12}"
    if isinstance(robot, m.RobotGone):
        return f"{head} removed"
    x, y = robot.place
    where = "destroyed" if robot.damage >= DESTROYED else f"({x},{y}) {LETTERS[robot.facing]}"
    cards = " ".join(card.action for card in played.get(name, ()))
    notes = [] if robot.is_active else ["powered down"]
    notes += [f"{card.action} locked in {register}" for register, card in robot.locked]
    words = f"{where:<10} flag {robot.flag}  damage {robot.damage:>2}  lives {robot.lives}  {cards:<14}"
    return f"{head} {words} {', '.join(notes)}".rstrip()
