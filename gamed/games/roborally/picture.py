"""A course with its robots as text, for records and output channels.

Source: roborally.md 5.1; the signs are those of 5.7 as far as they go.
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

ARROWS: Final = "^>v<"
"""The facings and the ways of belts, indexed by Direction."""

LEGEND: Final = (
    "A> robot   a> virtual   *1 flag   O pit   + repair   l r gears   > belt   >> express   >X crusher   | -- walls"
    "   L laser   S pusher"
)

Robots = Sequence[tuple[str, m.RobotAnswer | m.RobotGone]]
Played = Mapping[str, Sequence[m.ProgramCard]]


def picture(board: Board, flags: Sequence[Place], robots: Robots, played: Played) -> list[str]:
    """Return the lines of a picture: the board, then the robots with the cards that they have shown in this turn."""
    signs = _signs(flags, robots)
    lines = [_numbers(board)]
    for y in range(board.height, 0, -1):
        lines += _wall_line(board, y + 1)
        lines.append(_field_line(board, y, signs))
    lines += _wall_line(board, 1)
    names = [_robot_line(number, name, robot, played) for number, (name, robot) in enumerate(robots)]
    return [*lines, _numbers(board), "", *names]


def label(number: int) -> str:
    """Return the letter of a robot by its player's number."""
    return chr(ord("A") + number)


def _signs(flags: Sequence[Place], robots: Robots) -> dict[Place, str]:
    signs = {place: f"*{number}" for number, place in enumerate(flags, 1)}
    standing: dict[Place, list[str]] = defaultdict(list)
    for number, (_, robot) in enumerate(robots):
        if isinstance(robot, m.RobotAnswer) and robot.damage < 10:  # noqa: PLR2004 (destroyed, 3.8.2)
            letter = label(number).lower() if robot.is_virtual else label(number)
            standing[robot.place].append(letter + ARROWS[robot.facing])
    signs |= {place: found[0] if len(found) == 1 else f"{found[0][0]}&" for place, found in standing.items()}
    return signs


def _numbers(board: Board) -> str:
    return "    " + "".join(f"{x:<3}" for x in range(1, board.width + 1)).rstrip()


def _field_line(board: Board, y: int, signs: Mapping[Place, str]) -> str:
    fields = "".join(
        _upright(board.wall(x, y, Direction.W)) + (signs.get((x, y)) or _floor(board, x, y))
        for x in range(1, board.width + 1)
    )
    return f"{y:>3}{fields}{_upright(board.wall(board.width, y, Direction.E))}".rstrip()


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


def _wall_line(board: Board, y: int) -> list[str]:
    """Return the line of walls south of a row, or nothing where there is none."""
    walls = [board.wall(x, y, Direction.S) for x in range(1, board.width + 1)]
    if not any(wall.is_wall for wall in walls):
        return []
    return [("    " + "".join(f"{_device(wall) or '-'}- " if wall.is_wall else "   " for wall in walls)).rstrip()]


def _robot_line(number: int, name: str, robot: m.RobotAnswer | m.RobotGone, played: Played) -> str:
    head = f"{label(number)} {name[:32]:<12}"
    if isinstance(robot, m.RobotGone):
        return f"{head} removed"
    x, y = robot.place
    where = "destroyed" if robot.damage >= 10 else f"({x},{y}) {LETTERS[robot.facing]}"  # noqa: PLR2004 (3.8.2)
    cards = " ".join(card.action for card in played.get(name, ()))
    notes = [] if robot.is_active else ["powered down"]
    notes += [f"{card.action} locked in {register}" for register, card in robot.locked]
    words = f"{where:<10} flag {robot.flag}  damage {robot.damage:>2}  lives {robot.lives}  {cards:<14}"
    return f"{head} {words} {', '.join(notes)}".rstrip()
