"""A player's marks on the enemy's board. They are the enemy's answers, true or not.

Unlike a `Sea`, a chart does not check whether any fleet gives the answers.

Source: docs/specs/battleship.md#the-open-list-strategy.
"""

from __future__ import annotations

from attrs import define, field

from gamed.games.battleship.fleet import FLEET, HIT, WATER, Cell, cells, component


@define
class Chart:
    """The marks of one board, as masks of cells."""

    water: int = 0
    hits: int = 0
    """The hits on ships that are afloat."""

    sunk: int = 0
    """The cells of sunk ships."""

    afloat: list[int] = field(factory=lambda: list(FLEET))
    """The lengths of the ships that are afloat."""

    @property
    def known(self) -> int:
        """The cells that have an answer."""
        return self.water | self.hits | self.sunk

    def mark(self, cell: Cell, code: int) -> None:
        """Mark the answer `code` (1 to 4) for a cell that is not known."""
        if code == WATER:
            self.water |= 1 << cell
            return
        self.hits |= 1 << cell
        if code != HIT:
            ship = component(self.hits, cell)
            self.hits &= ~ship
            self.sunk |= ship
            if ship.bit_count() in self.afloat:
                self.afloat.remove(ship.bit_count())

    def facts(self) -> dict[str, list[int]]:
        """Return the marks in the format of `revealed`."""
        masks = {"water": self.water, "hits": self.hits, "sunk": self.sunk}
        return {**{name: list(cells(mask)) for name, mask in masks.items()}, "afloat": list(self.afloat)}
