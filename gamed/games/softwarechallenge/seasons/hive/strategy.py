"""Players of Hive: at random, by the next position, and by searching ahead. They know no clock.

What is searched counts nodes, so the same position and the same random numbers give the same move on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final, Protocol

from attrs import define, field, frozen

from gamed.core.game import Seat
from gamed.games.softwarechallenge.seasons.hive.board import BITS, INDEX, Cells, around
from gamed.games.softwarechallenge.seasons.hive.generator import generated
from gamed.games.softwarechallenge.seasons.hive.moves import DragMove, Move, SetMove, SkipMove
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.reach import gaps
from gamed.games.softwarechallenge.seasons.hive.rules import judged

WON: Final = 100_000
"""The value of a won game."""

BOUND: Final = 2 * WON
"""More than anything is worth."""

SHELTER: Final = (-2000, -420, -240, -130, -60, -20, 0)
"""What a bee with this many free neighbours is worth to its side."""

NO_BEE: Final = -70
"""What it is worth to have the bee still in the hand."""

COVERED_BEE: Final = -90
"""What it is worth to have the other side's beetle on the own bee."""

MOBILE: Final = 8
"""What a piece that can be lifted is worth."""

DEEPEST: Final = 8
"""How many moves a search looks ahead at most."""


class Strategy(Protocol):
    """One player."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:
        """Return a legal move of `seat`, whose turn it is in a game that goes on."""


def legal(state: State) -> list[Move]:
    """Return the mover's legal moves in a game that goes on."""
    return generated(state) or [SkipMove()]


def after(state: State, move: Move) -> State:
    """Return the state after a legal move, which is not checked."""
    if isinstance(move, SetMove):
        return state.placed(move.type, INDEX[move.x, move.y])
    if isinstance(move, DragMove):
        assert move.start_x is not None
        assert move.start_y is not None
        return state.dragged(INDEX[move.start_x, move.start_y], INDEX[move.x, move.y])
    return state.skipped()


def value(state: State) -> int:
    """Return what a position is worth to its mover; `WON` or its negative at the end."""
    ended = judged(state)
    seat = state.turn & 1
    if ended is not None:
        winner = ended[1]
        return 0 if winner is None else WON if winner == seat else -WON
    fixed = gaps(state.occupied) & ~state.high
    return _worth(state, seat, fixed) - _worth(state, 1 - seat, fixed)


def _worth(state: State, seat: Seat, fixed: Cells) -> int:
    """Return what a side has. `fixed`: cells that may hold the swarm together; nearly all of them do."""
    bees = state.bees[seat]
    if not bees:
        return NO_BEE
    worth = SHELTER[state.free(seat)]
    if bees & state.owned[1 - seat]:
        worth += COVERED_BEE
    loose = state.owned[seat] & ~fixed
    return worth + MOBILE * loose.bit_count()


@frozen
class Uniform:
    """Any legal move, all equally likely."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:  # noqa: ARG002 (the interface of Strategy)
        """Return a legal move."""
        return random.choice(legal(state))


@frozen
class Greedy:
    """The move after which the position is worth most; of several, any."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:  # noqa: ARG002 (the interface of Strategy)
        """Return a legal move."""
        moves = legal(state)
        random.shuffle(moves)
        return min(moves, key=lambda move: value(after(state, move)))


@frozen
class Search:
    """Alpha-beta, one move deeper each time, until `nodes` positions have been looked at."""

    nodes: int = 4000

    def choose(self, state: State, seat: Seat, random: Random) -> Move:  # noqa: ARG002 (the interface of Strategy)
        """Return a legal move."""
        moves = legal(state)
        random.shuffle(moves)
        tree = _Tree(self.nodes)
        for depth in range(DEEPEST):
            if tree.left <= 0 or len(moves) == 1:
                break
            moves = tree.ranked(state, moves, depth)
        return moves[0]


@define
class _Tree:
    """A search.

    `left`: how many positions may still be looked at; `refuting`: by the depth below, the move that last refuted one.
    """

    left: int
    refuting: dict[int, Move] = field(factory=dict)

    def ranked(self, state: State, moves: list[Move], depth: int) -> list[Move]:
        """Return the moves, the best first, by what lies up to `depth` moves beyond each.

        Those that the search did not come to stay in their order, behind the others.
        """
        best = -BOUND
        found: dict[Move, int] = {}
        for move in moves:
            worth = -self.searched(after(state, move), depth, -BOUND, -best)
            if self.left <= 0 and found:
                break
            found[move] = worth
            best = max(best, worth)
        # A move that cannot be better than the best one before it has the same number, and stays behind that one.
        return sorted(moves, key=lambda move: -found.get(move, -BOUND))

    def searched(self, state: State, depth: int, alpha: int, beta: int) -> int:
        """Return what a position is worth to its mover, or a bound where it is not between alpha and beta."""
        self.left -= 1
        if not depth or self.left <= 0 or judged(state) is not None:
            return value(state)
        for move in self._promising_first(state, depth):
            alpha = max(alpha, -self.searched(after(state, move), depth - 1, -beta, -alpha))
            if alpha >= beta:
                self.refuting[depth] = move
                break
        return alpha

    def _promising_first(self, state: State, depth: int) -> list[Move]:
        """Return the legal moves: what refuted another one, then what goes next to the other bee, then the rest."""
        target = around(state.bees[1 - (state.turn & 1)])
        refuting = self.refuting.get(depth)

        def rank(move: Move) -> int:
            if move == refuting:
                return 0
            return 1 if not isinstance(move, SkipMove) and BITS[INDEX[move.x, move.y]] & target else 2

        return sorted(legal(state), key=rank)


STRATEGIES: Final[Mapping[str, Callable[[], Strategy]]] = {"random": Uniform, "greedy": Greedy, "search": Search}
"""The strategies by the names that people give them."""
