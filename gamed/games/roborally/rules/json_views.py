"""What the public, or one player, may see of a position, as JSON-ready data; and a course as browsers draw it.

Source: docs/specs/roborally.md#38-queries, docs/specs/roborally.md#4-the-game, docs/specs/roborally.md#51-geometry.
Nothing that is hidden leaves here: hands and unrevealed registers are only shown to their owner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from gamed.core.game import Seat
from gamed.games.roborally.rules import state as positions
from gamed.games.roborally.rules.board import DIRECTIONS, LETTERS, Board
from gamed.games.roborally.rules.elements import Belt, Direction, Gear, Laser, Pit, Place, Repair
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.moves import AskFacing, AskProgram, AskRepairs, AskStayDown, Request
from gamed.games.roborally.rules.robots import Robot
from gamed.games.roborally.rules.state import Glimpse, Stage, State


def view(state: State, seat: Seat | None) -> dict[str, Any]:
    """Return what a seat may see; None: what the public may see.

    The functions `tiles`, `seen` and `trail` describe the values under `tiles`, `robots` and `trail`.
    """
    return {
        "stage": state.stage.name.lower(),
        "turn": state.turn,
        "phase": state.phase,
        "flags": [list(place) for place in state.layout.flags],
        "tiles": tiles(state.layout),
        "robots": [seen(robot) for robot in state.robots],
        "revealed": [[its, list(cards)] for its, cards in positions.revealed(state)],
        "waiting": sorted(state.waiting),
        "happened": state.happened,
        "ranking": list(positions.ranking(state)) if state.stage is Stage.OVER else None,
        "trail": trail(state.trail),
        "own": _own(state, seat) if seat is not None and 0 <= seat < len(state.robots) else None,
    }


def measures(state: State) -> Mapping[str, Sequence[int | None]]:
    """Return the `GameType.measures` of a state: the last flag and the damage of each robot on the course."""
    robots = [None if robot.is_removed else robot for robot in state.robots]
    return {
        "flag": [None if robot is None else robot.flag for robot in robots],
        "damage": [None if robot is None else robot.damage for robot in robots],
    }


def seen(robot: Robot) -> dict[str, Any] | None:
    """Return what is public of a robot; None if it has been removed."""
    return None if robot.is_removed else {**shown(robot), "locked": [list(pair) for pair in robot.locked_cards]}


def shown(robot: Any) -> dict[str, Any]:
    """Return what is public of a robot that stands on the course, but for its cards. It may be one of the wire's."""
    return {
        "facing": robot.facing.name,
        "place": list(robot.place),
        "flag": robot.flag,
        "archive": list(robot.archive),
        "damage": robot.damage,
        "lives": robot.lives,
        "active": robot.is_active,
        "virtual": robot.is_virtual,
    }


def _own(state: State, seat: Seat) -> dict[str, object]:
    robot = state.robots[seat]
    return {
        "hand": list(state.hands[seat]),
        "registers": list(robot.registers),
        "announced": robot.is_announced,
        "asked": asked(positions.requests(state).get(seat)),
    }


def asked(request: Request | None) -> str | None:
    """Return the protocol's message for a request."""
    match request:
        case None:
            return None
        case AskFacing():
            return "MNR"
        case AskProgram():
            return "MRP"
        case AskStayDown():
            return "MBD"
        case AskRepairs(points):
            return f"MRR({points})"


def trail(glimpses: tuple[Glimpse, ...]) -> dict[str, Any]:
    """Return the steps of a turn, so that viewers can draw them one after the other.

    `turn` is its number. Each of `steps` is [phase, kind, changes, seat, card]; seat and card say who played what, and
    are None if the step is not a card. A change is [seat, x, y, facing, damage, is virtual], or [seat] if the robot was
    removed.
    """
    steps = [
        [now.phase, now.kind, list(_changes(before.robots, now.robots)), now.seat, _card(now)]
        for before, now in pairwise(glimpses)
    ]
    return {"turn": glimpses[0].turn if glimpses else 0, "steps": steps}


def _card(glimpse: Glimpse) -> int | None:
    """Return the card that was played. It is public: its phase has been revealed."""
    return None if glimpse.seat is None else glimpse.robots[glimpse.seat].registers[glimpse.phase - 1]


def _changes(before: tuple[Robot, ...], after: tuple[Robot, ...]) -> Iterator[list[Any]]:
    for seat, (old, new) in enumerate(zip(before, after, strict=True)):
        if new is old:
            continue
        if new.is_removed:
            if not old.is_removed:
                yield [seat]
        elif _posed(old) != _posed(new):
            yield [seat, *_posed(new)]


def _posed(robot: Robot) -> tuple[Any, ...]:
    return (*robot.place, robot.facing.name, robot.damage, robot.is_virtual)


@lru_cache(16)
def tiles(layout: Layout) -> dict[str, Any]:
    """Return a course as browsers draw it. It is cached: do not change it.

    * `width`, `height`: in fields.
    * `floors`: all floors that are not plain: [x, y, "pit"], [x, y, "gear", "L" or "R"], [x, y, "repair", points],
      [x, y, "belt", direction, speed, turns, phases of the crusher]. Turns are pairs of letters in one text, such as
      "WLER": the side that a robot comes from, and how it is turned.
    * `walls`: [x, y, side], each wall once.
    * `lasers`: [x, y, side, strength, length of the beam].
    * `pushers`: [x, y, side, phases].
    """
    board = layout.board
    return {
        "width": board.width,
        "height": board.height,
        "floors": [floor for place in board.floors for floor in _floor(board, place)],
        "walls": list(_walls(board)),
        "lasers": list(_lasers(board)),
        "pushers": [
            [*place, LETTERS[direction.opposite], list(pusher.phases)]
            for place, pushers in board.pushers.items()
            for direction, pusher in pushers
        ],
    }


def _floor(board: Board, place: Place) -> Iterator[list[Any]]:
    match board.floors[place]:
        case Pit():
            yield [*place, "pit"]
        case Gear(turn):
            yield [*place, "gear", turn]
        case Repair(points):
            yield [*place, "repair", points]
        case Belt(direction, speed, turns, crush):
            bends = "".join(f"{LETTERS[side]}{turn}" for side, turn in turns)
            yield [*place, "belt", LETTERS[direction], speed, bends, list(crush)]


def _walls(board: Board) -> Iterator[list[Any]]:
    """Yield each wall once: as the northern or eastern wall of a field, or at the southern or western edge."""
    for x, y in board.floors:
        for side in DIRECTIONS:
            is_edge = (side is Direction.S and y == 1) or (side is Direction.W and x == 1)
            if board.is_walled(x, y, side) and (side in (Direction.N, Direction.E) or is_edge):
                yield [x, y, LETTERS[side]]


def _lasers(board: Board) -> Iterator[list[Any]]:
    for place, side, device in board.devices:
        if isinstance(device, Laser):
            beam = next(its for its in board.beams if its.path[0] == place and its.direction is side.opposite)
            yield [*place, LETTERS[side], device.strength, len(beam.path)]
