"""A position: the stacks on the board, the hands, and the sets of cells that the rules need.

Source: docs/specs/software-challenge.md#board, docs/specs/software-challenge.md#pieces-and-turns,
docs/specs/software-challenge.md#the-end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from attrs import field, frozen

from gamed.core.game import Seat
from gamed.games.softwarechallenge.seasons.hive.board import (
    BITS,
    BOARD,
    CELLS,
    INDEX,
    Cell,
    Cells,
    around,
    gathered,
    indices,
)

HAND: Final = "QSSSGGBBAAA"
"""What a player starts with, in the official order."""


@frozen
class State:
    """A position; the function `position` makes one.

    `owned`, `bees` and `high` follow from `stacks`. They are kept up to date with each move, so that the checks are a
    few operations on sets, and need not look at the stacks.
    """

    turn: int
    """How many moves were made. RED moves if it is even."""

    barred: Cells
    """The obstructed cells; none before chance has drawn them."""

    stacks: tuple[str, ...]
    """For each of `CELLS` the letters of its pieces, bottom to top, upper case for RED, lower case for BLUE."""

    hands: tuple[str, str]
    """By seat the letters of the pieces that are not on the board, upper case."""

    owned: tuple[Cells, Cells] = field(eq=False, repr=False)
    """By seat the cells with a piece of that seat on top."""

    bees: tuple[Cells, Cells] = field(eq=False, repr=False)
    """By seat the cells with a bee of that seat, on top or not."""

    high: Cells = field(eq=False, repr=False)
    """The cells with more than one piece."""

    @property
    def mover(self) -> Seat:
        """The seat whose turn it is, 0 (RED) or 1 (BLUE)."""
        return self.turn & 1

    @property
    def occupied(self) -> Cells:
        """The cells that hold a piece."""
        return self.owned[0] | self.owned[1]

    @property
    def empty(self) -> Cells:
        """The cells that hold no piece and are not obstructed."""
        return BOARD & ~(self.owned[0] | self.owned[1] | self.barred)

    @property
    def obstructed(self) -> tuple[Cell, ...]:
        """The obstructed cells in order; none before chance has drawn them."""
        return tuple(CELLS[index] for index in indices(self.barred))

    def stack(self, x: int, y: int) -> str:
        """Return the letters on a cell, bottom to top. Raises KeyError off the board."""
        return self.stacks[INDEX[x, y]]

    def hand(self, seat: Seat) -> str:
        """Return the letters in a hand, upper case, in the official order."""
        return self.hands[seat]

    def free(self, seat: Seat) -> int:
        """Return how many neighbours of a seat's bee are empty; -1 if it is not on the board.

        A seat can have several bees, because a first set is not checked against the hand. The first in `CELLS` counts.
        """
        return self._gaps(seat).bit_count() if self.bees[seat] else -1

    @cached_property
    def both_free(self) -> tuple[int, int]:
        """The result of `free` for each seat.

        It is cached, because the end of the game depends on it, and is looked for five times a move.
        """
        return self.free(0), self.free(1)

    def _gaps(self, seat: Seat) -> Cells:
        bees = self.bees[seat]
        return around(bees & -bees) & self.empty

    def gaps(self, seat: Seat) -> tuple[Cell, ...]:
        """Return the empty neighbours of a seat's bee, which `free` counts; none if it is not on the board."""
        return tuple(CELLS[index] for index in indices(self._gaps(seat)))

    def bee(self, seat: Seat) -> Cell | None:
        """Return the cell of a seat's bee, of several the one that `free` uses; None if it is not on the board."""
        return next((CELLS[index] for index in indices(self.bees[seat])), None)

    def board(self) -> dict[Cell, str]:
        """Return the stacks of the occupied cells."""
        return {CELLS[index]: self.stacks[index] for index in indices(self.occupied)}

    def placed(self, letter: str, index: int) -> State:
        """Return the state after a set of a piece of the mover's, in upper case. The hand need not have it."""
        seat = self.turn & 1
        red, blue = self.hands
        if seat:
            blue = blue.replace(letter, "", 1)
            letter = letter.lower()
        else:
            red = red.replace(letter, "", 1)
        return self._after(((index, self.stacks[index] + letter),), (red, blue))

    def dragged(self, start: int, end: int) -> State:
        """Return the state after the top piece of a cell was moved to another one."""
        rest, letter = self.stacks[start][:-1], self.stacks[start][-1]
        return self._after(((start, rest), (end, self.stacks[end] + letter)), self.hands)

    def skipped(self) -> State:
        """Return the state after a pass."""
        return self._after((), self.hands)

    def _after(self, changes: Sequence[tuple[int, str]], hands: tuple[str, str]) -> State:
        stacks = list(self.stacks)
        (red, blue), (red_bees, blue_bees), high = self.owned, self.bees, self.high
        for index, stack in changes:
            stacks[index] = stack
            bit = BITS[index]
            others = ~bit
            red, blue, red_bees, blue_bees = red & others, blue & others, red_bees & others, blue_bees & others
            if not stack:
                continue
            if stack[-1].isupper():
                red |= bit
            else:
                blue |= bit
            if "Q" in stack:
                red_bees |= bit
            if "q" in stack:
                blue_bees |= bit
            high = high | bit if len(stack) > 1 else high & others
        return State(self.turn + 1, self.barred, tuple(stacks), hands, (red, blue), (red_bees, blue_bees), high)


def position(board: Mapping[Cell, str], hands: tuple[str, str], turn: int, obstructed: Iterable[Cell]) -> State:
    """Return a position. `board`: the stacks of the occupied cells, with letters as in `State.stacks`.

    Only the cells are checked. Raises KeyError for a cell that is off the board.
    """
    stacks = [""] * len(CELLS)
    for cell, stack in board.items():
        stacks[INDEX[cell]] = stack

    def where(holds: Callable[[str], bool]) -> Cells:
        return gathered(*(cell for cell, stack in board.items() if holds(stack)))

    owned = where(lambda stack: stack[-1].isupper()), where(lambda stack: stack[-1].islower())
    bees = where(lambda stack: "Q" in stack), where(lambda stack: "q" in stack)
    high = where(lambda stack: len(stack) > 1)
    return State(turn, gathered(*obstructed), tuple(stacks), hands, owned, bees, high)
