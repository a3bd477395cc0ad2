"""Strategies for Quoridor: any legal move, the shortest path with walls in need, and a search.

Source: docs/specs/quoridor.md#gameds-own-worlds. A strategy is a function of the position, the seat and a generator
that decides between moves it holds for equal: no clock, no memory. It takes positions as `Quoridor.follow` leaves them,
lawful or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
        """Return a legal move for `seat`, which is to move. Raises LookupError where it has none."""


@frozen
class AnyMove:
    """Any legal move, all equally likely."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:
        """Return a legal move for `seat`, which is to move. Raises LookupError where it has none."""
        return random.choice(list(_RULES.legal_moves(state, seat)))


def distances(state: State) -> tuple[int, ...] | None:
    """Return how many steps each seat has to its goal, pawns apart; None: somebody has no way."""
    ways = open_ways(state.walls)
    found = []
    for cell, goal in zip(state.pawns, GOALS, strict=False):
        steps = distance(cell, goal, ways)
        if steps is None:
            return None
        found.append(steps)
    return tuple(found)


def rounds(state: State, steps: Sequence[int]) -> list[float]:
    """Return after how many rounds of the table each seat is at its goal if all run; the mover is first in a round."""
    return [count + (seat - state.mover) % len(steps) / len(steps) for seat, count in enumerate(steps)]


def first_rival(state: State, steps: Sequence[int]) -> Seat:
    """Return which of those who wait is at the goal first if all run."""
    arrivals = rounds(state, steps)
    return min((seat for seat in range(state.players) if seat != state.mover), key=arrivals.__getitem__)


def hindering(state: State, seat: Seat) -> Iterable[Move]:
    """Return the walls that fit across one shortest path of `seat`: no other wall makes its way longer."""
    across = across_path(state.pawns[seat], GOALS[seat], open_ways(state.walls))
    if across is None:
        return ()
    fits = fitting(state.walls)
    return walls_at(Walls(fits.horizontal & across.horizontal, fits.vertical & across.vertical))


@frozen
class ShortestPath:
    """Walk along a shortest path; as long as another one has a shorter one, put the wall that gains most on it."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:
        """Return a legal move for `seat`, which is to move. Raises LookupError where it has none."""
        steps = distances(state)
        if steps is not None and state.left[seat]:
            rival = first_rival(state, steps)
            if steps[rival] < steps[seat] and (walls := _gaining(state, seat, rival, steps)):
                return random.choice(walls)
        return random.choice(_nearing(state, seat) or list(_RULES.legal_moves(state, seat)))


def _gaining(state: State, seat: Seat, rival: Seat, steps: Sequence[int]) -> list[Move]:
    """Return the legal walls that cost the rival most steps more than the seat; none if no wall does."""
    gains: list[tuple[int, Move]] = []
    for wall in hindering(state, rival):
        then = distances(after(state, wall))
        if then is not None:
            gains.append((then[rival] - steps[rival] - then[seat] + steps[seat], wall))
    best = max((gain for gain, _ in gains), default=0)
    return [wall for gain, wall in gains if gain == best > 0]


def _nearing(state: State, seat: Seat) -> list[Move]:
    """Return the moves of the pawn to the cells nearest to its goal; all its moves where there is no way."""
    cells = destinations(state, seat)
    reached = layers(GOALS[seat], open_ways(state.walls))
    nearest = next((layer & cells for layer in reached if layer & cells), cells)
    return [PAWN_MOVES[cell] for cell in bits(nearest)]


_Scores: TypeAlias = tuple[float, ...]
"""What a position is worth to each seat, in rounds of the table."""

_WALL: Final = 0.6
"""What a wall in stock is worth, in rounds: found by matches."""
_AHEAD: Final = 50.0
"""What it is worth to be ahead when nobody else has a wall left."""
_WON: Final = 1_000.0


class _Line(NamedTuple):
    """A move, the position after it, and what that is worth before any further search."""

    scores: _Scores
    move: Move
    state: State


def judge(state: State) -> _Scores | None:
    """Return what a position is worth to each seat, or None if somebody has no way.

    A seat's worth is by how much it is ahead of its rivals, half of the first and half of their mean, with its stock
    of walls against their mean stock.
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
    """Look some moves ahead; everybody is taken to choose what is best for himself (max^n; with two, minimax).

    `depth`: how many moves; `width`: how many of the moves that look best in each position are followed. Walls are
    looked at where they hinder the first rival.
    """

    depth: int = 3
    width: int = 6

    def choose(self, state: State, seat: Seat, random: Random) -> Move:
        """Return a legal move for `seat`, which is to move. Raises LookupError where it has none."""
        lines = _lines(state)
        if not lines:
            return ShortestPath().choose(state, seat, random)
        random.shuffle(lines)
        return self._best(state, lines, self.depth, _WON)[1]

    def _best(self, state: State, lines: list[_Line], depth: int, enough: float) -> tuple[_Scores, Move]:
        """Return the mover's best line: what it is worth, and its move.

        `enough`: from this worth on the player before will not let it come to this.
        """
        seat = state.mover
        lines.sort(key=lambda line: line.scores[seat], reverse=True)
        best = lines[0]
        if depth == 1 or best.state.winner is not None:
            return best.scores, best.move
        found: tuple[_Scores, Move] | None = None
        for line in lines[: self.width]:
            following = _lines(line.state)
            # What one of two wins the other loses; with four, there is no such bound.
            bound = -found[0][seat] if found is not None and len(line.scores) == 2 else _WON  # noqa: PLR2004 (two)
            scores = self._best(line.state, following, depth - 1, bound)[0] if following else line.scores
            if found is None or scores[seat] > found[0][seat]:
                found = scores, line.move
            if found[0][seat] >= enough:
                break
        assert found is not None
        return found


def _lines(state: State) -> list[_Line]:
    """Return the lines of one move that are looked at; none where somebody has no way."""
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


STRATEGIES: Mapping[str, Callable[[], Strategy]] = {"path": ShortestPath, "search": Search, "random": AnyMove}
"""The strategies by the names that people give them."""
