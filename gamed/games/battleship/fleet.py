"""Battleship fleets as bit masks, and what one defender's answers reveal about a fleet.

A board is an ``int`` of 100 bits: the cell in column ``x`` and row ``y`` is bit ``x + 10 * y``. A ship, the water and a
set of shots are all such masks. Ships are straight and never touch at an edge. Whether they may touch at corners is the
option `corner_contact`: both original programs allow it, the text forbids it.

How a lie is found. A `Sea` keeps one whole fleet that gives all answers so far, the *witness*. Nearly always it gives
the next answer, too, and nothing is to be done. If not, one ship of it is moved (`_repaired`), and if that is not
enough, an exhaustive search tries all fleets (`_Search`). If there is no other witness, the answer is untrue.

Source: docs/reference/battleship.md#the-referee, docs/reference/battleship.md#messages,
docs/specs/battleship.md#ship-placement, docs/specs/battleship.md#the-text-and-the-programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from attrs import define, field, frozen

from gamed.core.errors import IllegalMove
from gamed.games.battleship.wire import Code

Cell: TypeAlias = int
"""A cell's index, ``x + 10 * y``, 0..99."""

SIZE = 10
"""Cells along each side of the board."""

FLEET = (5, 4, 3, 3, 2)
"""The lengths of a fleet's ships, in the order in which they are placed.

Source: docs/reference/battleship.md#messages.
"""

BOARD = (1 << SIZE * SIZE) - 1
"""The mask of all cells."""

# Plain numbers, because reading a member of an enum costs more than the comparison that it is used for.
WATER, HIT, SUNK, LAST_SUNK = map(int, Code)
"""The codes of an answer: water, hit, hit and sunk, last ship sunk (replaces 3).

Source: docs/reference/battleship.md#messages.
"""

_WEST = sum(1 << SIZE * y for y in range(SIZE))
_EAST = _WEST << SIZE - 1


def cells(mask: int) -> Iterator[Cell]:
    """Yield the cells of `mask`, lowest index first."""
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit


def edge_rim(mask: int) -> int:
    """Return the cells outside `mask` that share an edge with one of its cells."""
    spread = (mask & ~_EAST) << 1 | (mask & ~_WEST) >> 1 | mask << SIZE | mask >> SIZE
    return spread & BOARD & ~mask


def full_rim(mask: int) -> int:
    """Return the cells outside `mask` that share an edge or a corner with one of its cells."""
    rows = mask | (mask & ~_EAST) << 1 | (mask & ~_WEST) >> 1
    return (rows | rows << SIZE | rows >> SIZE) & BOARD & ~mask


def component(mask: int, cell: Cell) -> int:
    """Return the cells of `mask` that are connected by edges with `cell`, which is one of them."""
    grown, found = 1 << cell, 0
    while grown != found:
        found = grown
        grown |= edge_rim(found) & mask
    return found


def _runs(length: int) -> tuple[int, ...]:
    across = (1 << length) - 1
    down = sum(1 << SIZE * step for step in range(length))
    starts = [(along, other) for other in range(SIZE) for along in range(SIZE - length + 1)]
    return (
        *(across << x + SIZE * y for x, y in starts),
        *(down << x + SIZE * y for y, x in starts),
    )


EDGE_NEIGHBOURS: tuple[int, ...] = tuple(edge_rim(1 << cell) for cell in range(SIZE * SIZE))
"""For each cell the mask of the cells that share an edge with it."""

PLACEMENTS: Mapping[int, tuple[int, ...]] = {length: _runs(length) for length in sorted(set(FLEET))}
"""For each length all ships of that length that fit on the board."""

PLACEMENTS_THROUGH: Mapping[int, tuple[tuple[int, ...], ...]] = {
    length: tuple(tuple(ship for ship in ships if ship >> cell & 1) for cell in range(SIZE * SIZE))
    for length, ships in PLACEMENTS.items()
}
"""For each length and cell all ships of that length that lie on that cell."""

RIMS: Mapping[bool, Mapping[int, int]] = {
    corner_contact: {ship: rim(ship) for ships in PLACEMENTS.values() for ship in ships}
    for corner_contact, rim in ((True, edge_rim), (False, full_rim))
}
"""``RIMS[corner_contact][ship]``: the cells around a placement that no other ship may occupy."""


class AnswerError(IllegalMove):
    """An answer that an honest defender cannot give. Source: docs/reference/battleship.md#the-referee.

    `code` is ``"contradiction"`` if it contradicts an earlier answer for the same cell, and ``"no-legal-fleet"`` if no
    legal fleet gives all the answers.
    """

    code = "no-legal-fleet"


@frozen
class Sea:
    """What the answers of one defender have revealed so far; immutable.

    Source: docs/reference/battleship.md#the-referee.
    """

    water: int
    """The cells that were answered with 1."""

    open_hits: int
    """The cells that were answered with 2, and whose ship is still afloat."""

    sunk: tuple[int, ...]
    """The sunk ships, in the order in which they were sunk."""

    witness: tuple[int, ...] = field(eq=False)
    """A fleet that gives all these answers: first the ships of `sunk`, then one possible place of each other ship."""

    corner_contact: bool

    @classmethod
    def start(cls, corner_contact: bool = True) -> Sea:  # noqa: FBT001, FBT002
        """Return the sea before the first answer."""
        return _STARTS[corner_contact]

    @property
    def known(self) -> int:
        """The cells that have an answer."""
        # Ships are disjoint, so their sum is their union.
        return self.water | self.open_hits | sum(self.sunk)

    def answered(self, cell: Cell, code: int) -> Sea:
        """Return the sea after the answer `code` (1..4) for `cell` (0..99).

        A repeated answer changes nothing. Raises AnswerError if the answer contradicts an earlier one for the cell, or
        if no legal fleet gives all the answers; ValueError for any other code.
        """
        bit = 1 << cell
        if bit & self.known:
            return self._repeated(cell, code)
        if code == WATER:
            return self._missed(bit)
        if code == HIT:
            return self._hit(bit)
        if code in (SUNK, LAST_SUNK):
            return self._sunk(cell, code)
        raise ValueError(f"answer code {code} is none of 1..4")

    def with_answers(self, answers: Iterable[tuple[Cell, int]]) -> Sea:
        """Return the sea after several answers for different new cells, with one search for all of them.

        Raises AnswerError if no legal fleet gives them all, or if one repeats a cell. Use `answered` to find out which
        one it is.
        """
        water, hits, sunk = self.water, self.open_hits, self.sunk
        known = water | hits | sum(sunk)
        for cell, code in answers:
            bit = 1 << cell
            if known & bit or not WATER <= code <= LAST_SUNK:
                raise AnswerError(f"{_named(cell)} is known already", code="contradiction")
            known |= bit
            if code == WATER:
                water |= bit
                continue
            hits |= bit
            if code != HIT:
                if (len(sunk) == len(FLEET) - 1) != (code == LAST_SUNK):
                    raise _no_legal_fleet()
                ship = component(hits, cell)
                hits &= ~ship
                sunk = (*sunk, ship)
        return self._refitted(water, hits, sunk)

    def _refitted(self, water: int, hits: int, sunk: tuple[int, ...]) -> Sea:
        sea = self
        for ship in sunk[len(self.sunk) :]:
            afloat = sea._afloat_without(ship)
            fleet = sunk[: len(sea.sunk) + 1]
            sea = Sea(water, hits, fleet, fleet + afloat, self.corner_contact)
        witness = sea.witness
        if not _fits(witness, len(sunk), water, hits, RIMS[self.corner_contact]):
            witness = _fitting(water, hits, sunk, sea._afloat(), self.corner_contact)
        return Sea(water, hits, sunk, witness, self.corner_contact)

    def _repeated(self, cell: Cell, code: int) -> Sea:
        if self.water >> cell & 1:
            allowed: tuple[int, ...] = (WATER,)
        elif self.open_hits >> cell & 1:
            allowed = (HIT,)
        else:
            allowed = (HIT, SUNK)
        if code in allowed:
            return self
        earlier = f"answer {code} for {_named(cell)}, where the earlier one allows {allowed}"
        raise AnswerError(earlier, code="contradiction")

    def _missed(self, bit: int) -> Sea:
        water = self.water | bit
        witness = self.witness
        if sum(witness) & bit:
            witness = _fitting(water, self.open_hits, self.sunk, self._afloat(), self.corner_contact)
        return Sea(water, self.open_hits, self.sunk, witness, self.corner_contact)

    def _hit(self, bit: int) -> Sea:
        hits = self.open_hits | bit
        witness = self.witness
        if not _ship_on(bit, witness) & ~hits:
            witness = _fitting(self.water, hits, self.sunk, self._afloat(), self.corner_contact)
        return Sea(self.water, hits, self.sunk, witness, self.corner_contact)

    def _sunk(self, cell: Cell, code: int) -> Sea:
        if (len(self.sunk) == len(FLEET) - 1) != (code == LAST_SUNK):
            raise AnswerError(f"answer {code} for {_named(cell)} with {len(self.sunk)} ships sunk before")
        hits = self.open_hits | 1 << cell
        ship = _ship_on(1 << cell, self.witness)
        if ship and not ship & ~hits:
            sunk = (*self.sunk, ship)
            witness = (*sunk, *(other for other in self._afloat() if other != ship))
        else:
            # Ships never touch at edges, so all hits that are connected with this one are the ship.
            ship = component(hits, cell)
            sunk = (*self.sunk, ship)
            rest = self._afloat_without(ship)
            witness = _fitting(self.water, hits & ~ship, sunk, rest, self.corner_contact)
        return Sea(self.water, hits & ~ship, sunk, witness, self.corner_contact)

    def _afloat(self) -> tuple[int, ...]:
        return self.witness[len(self.sunk) :]

    def _afloat_without(self, ship: int) -> tuple[int, ...]:
        """Return the witness's ships that are afloat, without the one that was in fact at `ship`."""
        afloat = list(self._afloat())
        same = [other for other in afloat if other.bit_count() == ship.bit_count()]
        if not same or ship not in RIMS[True]:
            raise AnswerError(f"sunk at {_named(*cells(ship))}, where no ship afloat can have been")
        afloat.remove(max(same, key=lambda other: (other & ship).bit_count()))
        return tuple(afloat)


def _named(*some: Cell) -> str:
    return " ".join(f"({cell % SIZE},{cell // SIZE})" for cell in some)


def _ship_on(bit: int, ships: Sequence[int]) -> int:
    for ship in ships:
        if ship & bit:
            return ship
    return 0


def _fitting(
    water: int,
    hits: int,
    sunk: tuple[int, ...],
    afloat: tuple[int, ...],
    corner_contact: bool,  # noqa: FBT001
) -> tuple[int, ...]:
    """Return a fleet that gives all answers: the sunk ships, and other places for the rest.

    `afloat`: the places of the rest so far, which are changed as little as possible. Raises AnswerError if there is no
    such fleet.
    """
    rims = RIMS[corner_contact]
    taken = water
    for ship in sunk:
        if ship & taken:
            raise _no_legal_fleet()
        taken |= ship | rims[ship]
    found = _repaired(afloat, taken, hits, rims)
    if found is None:
        found = _searched(afloat, taken, hits, corner_contact)
    if found is None:
        raise _no_legal_fleet()
    return sunk + found


def _fits(fleet: tuple[int, ...], sunk: int, water: int, hits: int, rims: Mapping[int, int]) -> bool:
    """Return whether a fleet gives all answers. Its first `sunk` ships are the sunk ones."""
    taken = water
    for index, ship in enumerate(fleet):
        if ship & taken or (index >= sunk and not ship & ~hits):
            return False
        taken |= ship | rims[ship]
    return not hits & ~sum(fleet[sunk:])


def _no_legal_fleet() -> AnswerError:
    return AnswerError("no legal fleet gives all the answers")


def _repaired(afloat: tuple[int, ...], taken: int, hits: int, rims: Mapping[int, int]) -> tuple[int, ...] | None:
    """Return `afloat` with one ship moved to avoid `taken` and explain `hits`; None if no move does."""
    for index, ship in enumerate(afloat):
        others = afloat[:index] + afloat[index + 1 :]
        closed = taken
        for other in others:
            if other & taken or not other & ~hits:
                break
            closed |= other | rims[other]
        else:
            moved = _placed(ship.bit_count(), closed, hits & ~sum(others), hits)
            if moved:
                return (*others, moved)
    return None


def _placed(length: int, closed: int, needed: int, hits: int) -> int:
    """Return a ship that avoids `closed`, covers `needed` and is not all `hits`; 0 if there is none."""
    if not needed:
        for ship in PLACEMENTS[length]:
            if not ship & closed:
                return ship
        return 0
    for ship in PLACEMENTS_THROUGH[length][needed.bit_length() - 1]:
        if not ship & closed and not needed & ~ship and ship & ~hits:
            return ship
    return 0


# The search for a whole fleet. A set of placements of one length is a mask, too: bit `i` is `PLACEMENTS[length][i]`.
# So the placements that remain for a ship after another one is placed are found by one operation instead of 150.

_THROUGH: Mapping[int, tuple[int, ...]] = {
    length: tuple(
        sum(1 << index for index, ship in enumerate(ships) if ship >> cell & 1) for cell in range(SIZE * SIZE)
    )
    for length, ships in PLACEMENTS.items()
}
"""For each length and cell the set of placements that lie on that cell."""


@cache
def _beside(ship: int, corner_contact: bool) -> Mapping[int, int]:  # noqa: FBT001
    """Return, for each length, the set of placements that cannot be in the same fleet as this ship."""
    closed = tuple(cells(ship | RIMS[corner_contact][ship]))
    return {length: _union(through, closed) for length, through in _THROUGH.items()}


def _union(through: Sequence[int], some: Iterable[Cell]) -> int:
    found = 0
    for cell in some:
        found |= through[cell]
    return found


def _open(length: int, taken: int, hits: int, corner_contact: bool) -> int:  # noqa: FBT001
    """Return the placements that avoid `taken`, do not touch a hit that they do not cover, and are not all hits."""
    through, rim = _THROUGH[length], edge_rim if corner_contact else full_rim
    closed = _union(through, cells(taken))
    covering = 0
    for cell in cells(hits):
        covering |= through[cell]
        closed |= _union(through, cells(rim(1 << cell))) & ~through[cell]
    found = (1 << len(PLACEMENTS[length])) - 1 & ~closed
    for index in cells(found & covering):
        if not PLACEMENTS[length][index] & ~hits:
            found ^= 1 << index
    return found


def _searched(
    afloat: tuple[int, ...],
    taken: int,
    hits: int,
    corner_contact: bool,  # noqa: FBT001
) -> tuple[int, ...] | None:
    """Return ships as long as `afloat` that avoid `taken` and explain `hits`; None if there are none."""
    lengths = tuple(ship.bit_count() for ship in afloat)
    domains = {length: _open(length, taken, hits, corner_contact) for length in lengths}
    groups = {
        length: {PLACEMENTS[length][index] & hits for index in cells(domain & _union(_THROUGH[length], cells(hits)))}
        for length, domain in domains.items()
    }
    return _Search(corner_contact, groups).fleet(domains, lengths, hits)


@define
class _Search:
    """An exhaustive search for the ships afloat."""

    corner_contact: bool

    groups: Mapping[int, set[int]]
    """For each length, the sets of open hits that one ship of that length can explain together."""

    explained: dict[tuple[int, tuple[int, ...]], bool] = field(factory=dict)
    """The results of `explain`."""

    def fleet(self, domains: dict[int, int], lengths: tuple[int, ...], hits: int) -> tuple[int, ...] | None:
        """Return ships out of `domains` that cover `hits` and do not touch; None if there are none."""
        if not lengths:
            return None if hits else ()
        if not self.explain(hits, lengths):
            return None
        for length, ship in _branches(domains, hits):
            left, beside = _without(lengths, length), _beside(ship, self.corner_contact)
            narrowed = {rest: domains[rest] & ~beside[rest] for rest in left}
            found = self.fleet(narrowed, left, hits & ~ship) if all(narrowed.values()) else None
            if found is not None:
                return (ship, *found)
        return None

    def explain(self, hits: int, lengths: tuple[int, ...]) -> bool:
        """Return whether ships of these `lengths` could cover `hits` if they were allowed to touch and cross.

        If they could not, no search of their places is needed.
        """
        if not hits or not lengths:
            return not hits
        key = (hits, lengths)
        known = self.explained.get(key)
        if known is None:
            known = self.explained[key] = any(
                self.explain(hits & ~group, _without(lengths, length))
                for length in set(lengths)
                for group in self.groups[length]
                if group & hits & -hits
            )
        return known


def _branches(domains: dict[int, int], hits: int) -> Iterator[tuple[int, int]]:
    """Yield length and ship of all ways to cover one hit: the one with the fewest ways.

    Without hits, yield all places of the length that has the fewest.
    """
    if hits:
        ways = ([(length, some & _THROUGH[length][cell]) for length, some in domains.items()] for cell in cells(hits))
        for length, covering in min(ways, key=lambda choice: sum(some.bit_count() for _, some in choice)):
            for index in cells(covering):
                yield length, PLACEMENTS[length][index]
        return
    length = min(domains, key=lambda length: domains[length].bit_count())
    while domains[length]:
        index = domains[length].bit_length() - 1
        # A place that failed for this ship fails for the other one of the same length, too.
        domains[length] ^= 1 << index
        yield length, PLACEMENTS[length][index]


def _without(lengths: tuple[int, ...], length: int) -> tuple[int, ...]:
    index = lengths.index(length)
    return lengths[:index] + lengths[index + 1 :]


def _start(corner_contact: bool) -> Sea:  # noqa: FBT001
    lanes = tuple(PLACEMENTS[length][0] << 2 * SIZE * lane for lane, length in enumerate(FLEET))
    return Sea(0, 0, (), lanes, corner_contact)


_STARTS = {corner_contact: _start(corner_contact) for corner_contact in (True, False)}
