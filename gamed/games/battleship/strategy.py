"""Strategies for shooting at a hidden fleet: the original's open list, and a density of possible ships.

A strategy does not judge the answers: it believes them, and keeps shooting at unknown cells.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from random import Random
from typing import Protocol

from attrs import define, field

from gamed.games.battleship.fleet import (
    BOARD,
    EDGE_NEIGHBOURS,
    FLEET,
    HIT,
    PLACEMENTS,
    RIMS,
    SIZE,
    WATER,
    Cell,
    cells,
    component,
    edge_rim,
)


class Strategy(Protocol):
    """One attack on one fleet, from the first shot to the last ship."""

    def shoot(self, random: Random) -> Cell:
        """Return the next cell to shoot at, which is not known yet.

        Raises LookupError if all cells are known. An honest enemy's fleet is sunk before that.
        """

    def learn(self, cell: Cell, code: int) -> None:
        """Take note of the answer `code` (1 to 4) for `cell`."""


def _unknown(known: int) -> list[Cell]:
    unknown = list(cells(BOARD & ~known))
    if not unknown:
        raise LookupError("no cell is left to shoot at")
    return unknown


@define
class OpenList:
    """The original Prolog client's strategy. Source: docs/specs/battleship.md#the-open-list-strategy."""

    water: int = 0
    hits: int = 0
    queue: deque[Cell] = field(factory=deque)
    """The open list: first in, first out."""

    def shoot(self, random: Random) -> Cell:
        """Return the first unknown cell of the open list. If there is none, return a random unknown cell."""
        known = self.water | self.hits
        while self.queue:
            cell = self.queue.popleft()
            if not known >> cell & 1:
                return cell
        return random.choice(_unknown(known))

    def learn(self, cell: Cell, code: int) -> None:
        """Take note of the answer `code`, 1..4, for `cell`."""
        if code == WATER:
            self.water |= 1 << cell
            return
        self.hits |= 1 << cell
        if code == HIT:
            self._follow(cell)
        else:
            self.queue.clear()
            self.water |= edge_rim(component(self.hits, cell)) & ~self.hits

    def _follow(self, cell: Cell) -> None:
        """Append the neighbours of a hit. If the ship's direction is known, remove the cells to its sides."""
        around = EDGE_NEIGHBOURS[cell]
        unknown = around & ~(self.water | self.hits)
        # West, east, north, south. A neighbour beyond the edge is not in `around`.
        order = (cell - 1, cell + 1, cell - SIZE, cell + SIZE)
        self.queue.extend(near for near in order if near >= 0 and unknown >> near & 1)
        column, row = cell % SIZE, cell // SIZE
        hits = around & self.hits
        if hits & (1 << cell + SIZE | 1 << cell >> SIZE):
            self.queue = deque(entry for entry in self.queue if abs(entry % SIZE - column) != 1)
        elif hits:
            self.queue = deque(entry for entry in self.queue if abs(entry // SIZE - row) != 1)


@define
class AnyCell:
    """Shoot at any unknown cell with equal probability."""

    known: int = 0

    def shoot(self, random: Random) -> Cell:
        """Return a random unknown cell."""
        return random.choice(_unknown(self.known))

    def learn(self, cell: Cell, _code: int) -> None:
        """Take note of the answer `code`, 1..4, for `cell`."""
        self.known |= 1 << cell


@define
class Greedy:
    """Shoot next to a hit on a ship that is afloat, else anywhere. What is learnt of other cells is not used."""

    known: int = 0
    hits: int = 0
    """The hits on ships that are afloat."""

    def shoot(self, random: Random) -> Cell:
        """Return a random unknown cell, next to a hit if there is one."""
        around = 0
        for cell in cells(self.hits):
            around |= EDGE_NEIGHBOURS[cell]
        return random.choice(list(cells(around & ~self.known)) or _unknown(self.known))

    def learn(self, cell: Cell, code: int) -> None:
        """Take note of the answer `code`, 1..4, for `cell`."""
        self.known |= 1 << cell
        if code != WATER:
            self.hits |= 1 << cell
            if code != HIT:
                self.hits &= ~component(self.hits, cell)


_RIMS = RIMS[True]
_CELLS = {ship: tuple(cells(ship)) for ship in _RIMS}


@define
class Density:
    """Shoot at the cell that is most likely part of a ship.

    The ships are treated as independent, and each ship as equally likely at all places that are left for its length. If
    there are hits on a ship that is afloat, only places count that contain such a hit. Ships may touch at corners.
    Source: docs/specs/battleship.md#gameds-players.
    """

    known: int = 0
    """The cells that are not worth a shot: they were shot at, or are next to a sunk ship."""

    hits: int = 0
    """The hits on ships that are afloat."""

    afloat: list[int] = field(factory=lambda: list(FLEET))
    """The lengths of the ships that are afloat."""

    places: dict[int, list[int]] = field(factory=lambda: {length: list(PLACEMENTS[length]) for length in FLEET})
    """The places that are left for ships of each length."""

    def shoot(self, random: Random) -> Cell:
        """Return a random one of the unknown cells with the highest score."""
        unknown = _unknown(self.known)
        scores = self._scores()
        best = max(scores[cell] for cell in unknown)
        return random.choice([cell for cell in unknown if scores[cell] == best])

    def _scores(self) -> list[float]:
        """Return the expected number of ships on each cell; 0 everywhere if no place explains the hits."""
        scores = [0.0] * (SIZE * SIZE)
        for length in self.afloat:
            places = self.places[length]
            if self.hits:
                places = [ship for ship in places if not _RIMS[ship] & self.hits and ship & ~self.hits]
            chance = 1 / (len(places) or 1)
            for ship in places:
                if ship & self.hits or not self.hits:
                    for cell in _CELLS[ship]:
                        scores[cell] += chance
        return scores

    def learn(self, cell: Cell, code: int) -> None:
        """Take note of the answer `code`, 1..4, for `cell`."""
        if code == WATER:
            self._close(1 << cell)
            return
        self.hits |= 1 << cell
        self.known |= 1 << cell
        if code != HIT:
            ship = component(self.hits, cell)
            self.hits &= ~ship
            self._close(ship | edge_rim(ship))
            if ship.bit_count() in self.afloat:
                self.afloat.remove(ship.bit_count())

    def _close(self, closed: int) -> None:
        """Remove the places that contain a cell of `closed`."""
        self.known |= closed
        for length, places in self.places.items():
            self.places[length] = [ship for ship in places if not ship & closed]


strategies: Mapping[str, Callable[[], Strategy]] = {
    "open-list": OpenList,
    "density": Density,
    "greedy": Greedy,
    "random": AnyCell,
}
"""The strategies by their names in commands."""
