"""Players of Hive: random, greedy (looks at the next position), and searching ahead. They do not use a clock.

The search is limited by a number of positions and not by time, so that it gives the same move on every machine for the
same position and the same random numbers.
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
"""Larger than any value."""

SHELTER: Final = (-2000, -420, -240, -130, -60, -20, 0)
"""The value of a bee to its side, by the number of its free neighbours."""

NO_BEE: Final = -70
"""The value of a bee that is still in the hand."""

COVERED_BEE: Final = -90
"""The value of a bee under the other side's beetle, in addition."""

MOBILE: Final = 8
"""The value of a piece that can be lifted."""

DEEPEST: Final = 8
"""The largest number of moves that a search looks ahead."""


class Strategy(Protocol):
    """A way to play."""

    def choose(self, state: State, seat: Seat, random: Random) -> Move:
        """Return a legal move of the seat whose turn it is. The game has not ended."""


def legal(state: State) -> list[Move]:
    """Return the mover's legal moves. The game must not have ended."""
    return generated(state) or [SkipMove()]


def after(state: State, move: Move) -> State:
    """Return the state after a legal move, without checking it."""
    if isinstance(move, SetMove):
        return state.placed(move.type, INDEX[move.x, move.y])
    if isinstance(move, DragMove):
        assert move.start_x is not None
        assert move.start_y is not None
        return state.dragged(INDEX[move.start_x, move.start_y], INDEX[move.x, move.y])
    return state.skipped()


def value(state: State) -> int:
    """Return the value of a position to its mover; `WON` or its negative after the end."""
    ended = judged(state)
    seat = state.turn & 1
    if ended is not None:
        winner = ended[1]
        return 0 if winner is None else WON if winner == seat else -WON
    fixed = gaps(state.occupied) & ~state.high
    return _worth(state, seat, fixed) - _worth(state, 1 - seat, fixed)


def _worth(state: State, seat: Seat, fixed: Cells) -> int:
    """Return the value of a side's pieces. `fixed`: cells whose pieces probably hold the swarm together."""
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
    """Plays any legal move, all equally likely."""

    def choose(self, state: State, _seat: Seat, random: Random) -> Move:
        """Return a legal move."""
        return random.choice(legal(state))


@frozen
class Greedy:
    """Plays the move that leads to the best position; of several equal ones, any."""

    def choose(self, state: State, _seat: Seat, random: Random) -> Move:
        """Return a legal move."""
        moves = legal(state)
        random.shuffle(moves)
        return min(moves, key=lambda move: value(after(state, move)))


@frozen
class Search:
    """Plays the best move of an alpha-beta search that goes one move deeper each time, until its budget is used up."""

    nodes: int = 4000
    """The budget: how many positions are evaluated."""

    def choose(self, state: State, _seat: Seat, random: Random) -> Move:
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
    """A search."""

    left: int
    """How many positions may still be evaluated."""

    refuting: dict[int, Move] = field(factory=dict)
    """By depth, the move that caused the last cutoff ("killer move"). It often refutes the next move, too."""

    def ranked(self, state: State, moves: list[Move], depth: int) -> list[Move]:
        """Return the moves, best first, as a search of `depth` further moves ranks them.

        Moves that the search did not reach are last, in their old order.
        """
        best = -BOUND
        found: dict[Move, int] = {}
        for move in moves:
            worth = -self.searched(after(state, move), depth, -BOUND, -best)
            if self.left <= 0 and found:
                break
            found[move] = worth
            best = max(best, worth)
        # A move that is not better than the best one before it may have the same value. The sort keeps it behind that.
        return sorted(moves, key=lambda move: -found.get(move, -BOUND))

    def searched(self, state: State, depth: int, alpha: int, beta: int) -> int:
        """Return the value of a position to its mover, or a bound of it if it is not between alpha and beta."""
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
        """Return the legal moves: first the killer move, then those next to the other bee, then the rest."""
        target = around(state.bees[1 - (state.turn & 1)])
        refuting = self.refuting.get(depth)

        def rank(move: Move) -> int:
            if move == refuting:
                return 0
            return 1 if not isinstance(move, SkipMove) and BITS[INDEX[move.x, move.y]] & target else 2

        return sorted(legal(state), key=rank)


STRATEGIES: Final[Mapping[str, Callable[[], Strategy]]] = {"random": Uniform, "greedy": Greedy, "search": Search}
"""The strategies by name."""
