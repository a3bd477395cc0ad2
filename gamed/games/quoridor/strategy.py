"""Strategies for Quoridor: a random move, the shortest path with walls when behind, and a search.

Source: docs/specs/quoridor.md#gameds-own-worlds. A strategy is a function of the position, the seat and a random
generator, which chooses among moves of equal worth. It has neither a clock nor a memory. It also plays from positions
that illegal moves have led to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Final, NamedTuple, Protocol, TypeAlias

from attrs import frozen

from gamed.core.game import Seat
from gamed.games.quoridor.moves import PAWN_MOVES, Move
from gamed.games.quoridor.paths import across_path, distance, layers
from gamed.games.quoridor.rules import Quoridor, State, after, destinations, walls_at
from gamed.games.quoridor.walls import GOALS, Walls, bits, fitting, open_ways

_RULES: Final = Quoridor()


class Strategy(Protocol):
    """A way to play."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:
        """Return a legal move for `seat`, whose turn it is. Raises LookupError if there is none."""


@frozen
class AnyMove:
    """Choose any legal move with equal probability."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:
        """Return a legal move for `seat`, whose turn it is. Raises LookupError if there is none."""
        return random.choice(list(_RULES.legal_moves(state, seat)))


def distances(state: State) -> tuple[int, ...] | None:
    """Return how many steps each seat is from its goal, ignoring pawns; None if a seat has no way."""
    ways = open_ways(state.walls)
    found = []
    for cell, goal in zip(state.pawns, GOALS, strict=False):
        steps = distance(cell, goal, ways)
        if steps is None:
            return None
        found.append(steps)
    return tuple(found)


def measures(state: State) -> Mapping[str, Sequence[int | None]]:
    """Return the `GameType.measures` of a state: the steps of each seat to its goal."""
    return {"steps": distances(state) or (None,) * state.players}


def rounds(state: State, steps: Sequence[int]) -> list[float]:
    """Return how many rounds each seat needs to its goal if all just run. The mover is first in a round."""
    return [count + (seat - state.mover) % len(steps) / len(steps) for seat, count in enumerate(steps)]


def first_rival(state: State, steps: Sequence[int]) -> Seat:
    """Return the seat, other than the mover's, that is at its goal first if all just run."""
    arrivals = rounds(state, steps)
    return min((seat for seat in range(state.players) if seat != state.mover), key=arrivals.__getitem__)


def hindering(state: State, seat: Seat) -> Iterable[Move]:
    """Return the walls that would block one shortest path of `seat`. No other wall makes its way longer."""
    across = across_path(state.pawns[seat], GOALS[seat], open_ways(state.walls))
    if across is None:
        return ()
    fits = fitting(state.walls)
    return walls_at(Walls(fits.horizontal & across.horizontal, fits.vertical & across.vertical))


@frozen
class ShortestPath:
    """Follow a shortest path. While a rival has a shorter one, place the wall that gains most steps on the rival."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:
        """Return a legal move for `seat`, whose turn it is. Raises LookupError if there is none."""
        steps = distances(state)
        if steps is not None and state.left[seat]:
            rival = first_rival(state, steps)
            if steps[rival] < steps[seat] and (walls := _gaining(state, seat, rival, steps)):
                return random.choice(walls)
        return random.choice(_nearing(state, seat) or list(_RULES.legal_moves(state, seat)))


def _gaining(state: State, seat: Seat, rival: Seat, steps: Sequence[int]) -> list[Move]:
    """Return the legal walls that gain most steps on the rival; an empty list if no wall gains any."""
    gains: list[tuple[int, Move]] = []
    for wall in hindering(state, rival):
        then = distances(after(state, wall))
        if then is not None:
            gains.append((then[rival] - steps[rival] - then[seat] + steps[seat], wall))
    best = max((gain for gain, _ in gains), default=0)
    return [wall for gain, wall in gains if gain == best > 0]


def _nearing(state: State, seat: Seat) -> list[Move]:
    """Return the pawn's moves to the cells nearest to its goal, or all its moves if there is no way."""
    cells = destinations(state, seat)
    reached = layers(GOALS[seat], open_ways(state.walls))
    nearest = next((layer & cells for layer in reached if layer & cells), cells)
    return [PAWN_MOVES[cell] for cell in bits(nearest)]


_Scores: TypeAlias = tuple[float, ...]
"""The worth of a position to each seat, in rounds."""

_WALL: Final = 0.6
"""The worth of a wall in stock, in rounds. It was found by playing matches."""
_AHEAD: Final = 50.0
"""The worth of being ahead when nobody else has a wall left."""
_WON: Final = 1_000.0


class _Line(NamedTuple):
    """A move, the position after it, and the worth of that position without further search."""

    scores: _Scores
    move: Move
    state: State


def judge(state: State) -> _Scores | None:
    """Return the worth of a position to each seat, or None if a seat has no way.

    It is the seat's lead over its rivals, as the mean of its lead over the first of them and over their average, plus
    the worth of its stock of walls compared with their average stock.
    """
    if state.winner is not None:
        return tuple(_WON if seat == state.winner else -_WON for seat in range(state.players))
    steps = distances(state)
    if steps is None:
        return None
    arrivals = rounds(state, steps)
    total, stock, others = sum(arrivals), sum(state.left), state.players - 1
    order = sorted(range(state.players), key=arrivals.__getitem__)
    runner, second = order[0], arrivals[order[1]]
    bonus = _AHEAD if state.left[runner] == stock else 0.0
    scores = []
    for seat, arrival in enumerate(arrivals):
        first = second if seat == runner else arrivals[runner]
        ahead = (first + (total - arrival) / others) / 2 - arrival
        left = state.left[seat] - (stock - state.left[seat]) / others
        scores.append(ahead + _WALL * left + (bonus if seat == runner else -bonus))
    return tuple(scores)


@frozen
class Search:
    """Search some moves ahead, as if each player chose the best for itself (max^n; with two players, minimax).

    The only walls that are considered are those that block a shortest path of the first rival.
    """

    depth: int = 3
    """How many moves ahead."""

    width: int = 6
    """How many moves are followed in each position: those that look best."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:
        """Return a legal move for `seat`, whose turn it is. Raises LookupError if there is none."""
        lines = _lines(state)
        if not lines:
            return ShortestPath().choose(state, seat, random)
        random.shuffle(lines)
        return self._best(state, lines, self.depth, _WON)[1]

    def _best(self, state: State, lines: list[_Line], depth: int, enough: float) -> tuple[_Scores, Move]:
        """Return the worth and the move of the mover's best line.

        `enough`: at this worth the search stops, because the player before would not choose this position.
        """
        seat = state.mover
        lines.sort(key=lambda line: line.scores[seat], reverse=True)
        best = lines[0]
        if depth == 1 or best.state.winner is not None:
            return best.scores, best.move
        found: tuple[_Scores, Move] | None = None
        for line in lines[: self.width]:
            following = _lines(line.state)
            # With two players, what one wins the other loses. With four, there is no such bound.
            bound = -found[0][seat] if found is not None and len(line.scores) == 2 else _WON  # noqa: PLR2004 (two)
            scores = self._best(line.state, following, depth - 1, bound)[0] if following else line.scores
            if found is None or scores[seat] > found[0][seat]:
                found = scores, line.move
            if found[0][seat] >= enough:
                break
        assert found is not None
        return found


def _lines(state: State) -> list[_Line]:
    """Return the lines of one move that are considered; an empty list if a seat has no way."""
    steps = distances(state)
    if steps is None:
        return []
    moves: list[Move] = [PAWN_MOVES[cell] for cell in bits(destinations(state, state.mover))]
    if state.left[state.mover]:
        moves += hindering(state, first_rival(state, steps))
    found = []
    for move in moves:
        then = after(state, move)
        scores = judge(then)
        if scores is not None:
            found.append(_Line(scores, move, then))
    return found


STRATEGIES: Mapping[str, Callable[[], Strategy]] = {
    "path": ShortestPath,
    "search": Search,
    "greedy": partial(Search, depth=1),
    "random": AnyMove,
}
"""The strategies by the names that users type."""
