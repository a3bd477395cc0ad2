"""Blokus: what its rules and its XML cost, and rooms of instant clients over TCP.

The instant clients play prepared games, one for each shape with which a game can begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random

from gamed.games.softwarechallenge.messages import Memento
from gamed.games.softwarechallenge.seasons.blokus.client import data_of
from gamed.games.softwarechallenge.seasons.blokus.moves import Move, StartPiece
from gamed.games.softwarechallenge.seasons.blokus.position import State
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.games.softwarechallenge.seasons.blokus.shapes import PENTOMINOES, SHAPES
from gamed.games.softwarechallenge.seasons.blokus.wire import GAME_TYPES, echo, memento
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection
from tests.benchmarks import hive
from tests.benchmarks.hive import NAMES, each

BLOKUS = Blokus()
START = re.compile(rb'startPiece="(\w+)"')


@cache
def game(shape: int, seed: int = 0) -> tuple[tuple[State, Move], ...]:
    """Return the positions of a random game that begins with a shape, each with the move that was made in it."""
    random, found = Random(100 * seed + shape), []
    state = BLOKUS.apply(BLOKUS.setup({}), -1, StartPiece(shape))
    while moves := BLOKUS.legal_moves(state, state.mover):
        found.append((state, random.choice(moves)))
        state = BLOKUS.apply(state, state.mover, found[-1][1])
    return tuple(found)


def middles() -> list[State]:
    """Return middle-game positions: the turns 24 to 48 of all games."""
    return [state for shape in PENTOMINOES for state, _ in game(shape) if 24 <= state.turn < 48]


def legal() -> float:
    """Return the microseconds to list the legal moves of a middle-game position."""
    # What a position has found out already is not taken along.
    found = [State(one.turn, one.start, one.covered, one.left, one.playing, one.mono_last) for one in middles()]
    return each(lambda: [list(one.placements_of(one.color)) for one in found], len(found))


def mementos() -> float:
    """Return the microseconds to make a memento's bytes."""
    found = [
        (BLOKUS.apply(state, state.mover, move), echo(move)) for shape in PENTOMINOES for state, move in game(shape)
    ]

    def ours() -> list[bytes]:
        wire = SoftwareChallengeConnection()
        return [wire.send(Memento("R", memento(state, NAMES, last))) for state, last in found]

    return each(ours, len(found))


class Game(hive.Game):
    """Two instant clients in a room."""

    game_type = GAME_TYPES[0]
    request = b'<data class="moveRequest"/>'

    def chosen(self) -> Iterator[bytes]:
        """Return the messages that are sent in this room."""
        start, room = START.search(self.head), hive.ROOM.search(self.head)
        assert start is not None
        assert room is not None
        moves = [move for _, move in game(SHAPES.index(start[1].decode()))][: self.length]
        return hive.encoded([data_of(move) for move in moves], room[1].decode())
