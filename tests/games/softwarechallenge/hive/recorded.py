"""What the official server was seen to do: games, corner positions, counts.

Source: docs/specs/software-challenge.md#recorded-data.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from gamed.core.game import Seat
from gamed.games.softwarechallenge.seasons.hive.board import Cell
from gamed.games.softwarechallenge.seasons.hive.moves import TYPES, Action, to_notation
from gamed.games.softwarechallenge.seasons.hive.position import State, position

FOLDER = Path(__file__).parent / "recorded"
LETTERS = {name: letter for letter, name in TYPES.items()}


def cell(text: str) -> Cell:
    x, y = text.split(",")
    return int(x), int(y)


def ours(text: str, seat: Seat) -> str:
    """Return a recorded move (`S ANT 0,1`) in our notation, where letters tell the owner."""
    kind, *rest = text.split()
    if kind == "S":
        letter = LETTERS[rest[0]]
        rest[0] = letter.lower() if seat else letter
    return " ".join([kind, *rest])


def spelled(moves: list[Action]) -> list[str]:
    return sorted(to_notation(move) for move in moves)


@frozen
class Scene:
    """A recorded position; its moves in our notation. `last`: the move that led here."""

    name: str
    turn: int
    board: dict[Cell, str]
    hands: tuple[str, str]
    free: tuple[int, int]
    legal: tuple[str, ...]
    also: tuple[str, ...]
    obstructed: tuple[Cell, ...]
    result: str | None
    last: str | None
    perft: tuple[int, ...]

    @property
    def state(self) -> State:
        return position(self.board, self.hands, self.turn, self.obstructed)


def scene(data: dict[str, object], obstructed: object = (), name: str = "") -> Scene:
    turn = data["turn"]
    hands = data["hand"]
    last = data.get("last")
    return Scene(
        name=data.get("name", f"{name}, turn {turn}"),
        turn=turn,
        board={cell(where): stack for where, stack in data["board"].items()},
        hands=(hands["RED"], hands["BLUE"].upper()),
        free=tuple(data["free"]),
        legal=tuple(sorted({ours(move, turn % 2) for move in data.get("legal", ())})),
        also=tuple(sorted({ours(move, turn % 2) for move in data.get("also_accepted", ())})),
        obstructed=tuple(sorted(tuple(pair) for pair in data.get("obst", obstructed))),
        result=data.get("result"),
        last=None if last is None else ours(last, 1 - turn % 2),
        perft=tuple(data.get("perft", ())),
    )


@frozen
class Play:
    """A recorded game."""

    name: str
    obstructed: tuple[Cell, ...]
    scenes: tuple[Scene, ...]
    end: dict[str, object]


def plays() -> Iterator[Play]:
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        setup, *states, end = map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())
        scenes = tuple(scene(state, setup["obst"], path.name) for state in states)
        yield Play(path.name, scenes[0].obstructed, scenes, end)


def fixtures() -> list[Scene]:
    return [scene(json.loads(line)) for line in (FOLDER / "fixtures.jsonl").read_text("utf-8").splitlines()]


def counts() -> list[Scene]:
    return [scene(json.loads(line)) for line in (FOLDER / "perft.jsonl").read_text("utf-8").splitlines()]


def named(name: str) -> Scene:
    """Return the fixture of which the name begins so."""
    (found,) = [one for one in fixtures() if one.name.startswith(name)]
    return found
