"""Positions for the tests: in writing, as the slow rules have them, from the corpus, and from games at random.

A written position is pawns, horizontal walls, vertical walls, stocks and the player to move, as in
`40.48 33.25 56 9.8 1`; a cell or wall is its column and row, `-` stands for no wall, players are numbered from 1.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from attrs import frozen

from gamed.games.quoridor.moves import HORIZONTAL, VERTICAL, Move, PawnMove, Wall, xy
from gamed.games.quoridor.rules import Quoridor, State, walls_at
from gamed.games.quoridor.strategy import AnyMove, ShortestPath
from gamed.games.quoridor.walls import Cell, Walls, cell_at
from tests.games.quoridor import slow

CORPUS = Path(__file__).parent / "rules-corpus.jsonl.gz"
ORIENTATIONS = {"h": HORIZONTAL, "v": VERTICAL}
RULES = Quoridor()


def mask(text: str) -> int:
    """Return the set of the cells written as columns and rows: `40.48`."""
    return sum(1 << cell for cell in cells(text))


def cells(text: str) -> tuple[Cell, ...]:
    return () if text == "-" else tuple(cell_at(int(xy[0]), int(xy[1])) for xy in text.split("."))


def written(cells: Iterable[Cell]) -> str:
    return ".".join(f"{x}{y}" for x, y in map(xy, cells)) or "-"


def read(text: str) -> State:
    """Return the position that was written."""
    pawns, horizontal, vertical, left, mover = text.split()
    stocks = tuple(int(count) for count in left.split("."))
    return State(cells(pawns), Walls(mask(horizontal), mask(vertical)), stocks, int(mover) - 1)


def as_slow(state: State) -> slow.Slow:
    """Return a position for the slow rules."""
    walls = frozenset((wall.x, wall.y, wall.orientation[0]) for wall in walls_at(state.walls))
    return slow.Slow(tuple(xy(cell) for cell in state.pawns), walls, state.left, state.mover + 1)


def as_move(move: slow.Move) -> Move:
    """Return a move of the slow rules."""
    return Wall(move[0], move[1], ORIENTATIONS[move[2]]) if len(move) == 3 else PawnMove(*move)


@frozen
class Entry:
    """An entry of the corpus: a position, where each pawn may go, and the walls that player 1 may put.

    It is seen with player 1 to move.
    """

    state: State
    moves: dict[int, list[tuple[int, int]]]
    places: list[Wall]


def corpus() -> Iterator[Entry]:
    """Yield the positions with the real client's answers."""
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield entry(json.loads(line))


def entry(data: dict) -> Entry:
    pawns = tuple(cell_at(x, y) for _, x, y in data["pawns"])
    of = {name: sum(1 << cell_at(x, y) for x, y, kind in data["walls"] if kind == name) for name in ORIENTATIONS}
    state = State(pawns, Walls(of["h"], of["v"]), tuple(data["left"]))
    moves = {int(player): [(x, y) for x, y in found] for player, found in data["moves"].items()}
    return Entry(state, moves, [Wall(x, y, ORIENTATIONS[kind]) for x, y, kind in data["okwalls"]])


def random_game(players: int, random: Random, plies: int = 400) -> Iterator[tuple[State, Move, State]]:
    """Yield position, move and next position of a strict game; two moves in three are any, one is a good one."""
    state = RULES.setup({"players": players})
    for _ in range(plies):
        if not any(True for _ in RULES.legal_moves(state, state.mover)):
            return
        player = random.choice((AnyMove(), AnyMove(), ShortestPath()))
        move = player.choose(state, state.mover, random)
        then = RULES.apply(state, state.mover, move)
        yield state, move, then
        state = then
