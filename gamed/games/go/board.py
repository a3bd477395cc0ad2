"""A Go board with moves that can be undone, and the rule sets.

Source: docs/reference/records.md#gofans. The board is mutable and never copied, to be fast. `rules.Position` is an
immutable position that is based on it.

A cell is an index from 0, row by row from the top, left to right. Its value is the number of the colour of its stone,
or 0 if it is empty. Captures are found by a flood fill of each group next to the stone played, which stops at the first
liberty. Most of these searches are short, and groups that are maintained incrementally would have to be undone, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

from attrs import define, field, frozen

from gamed.core.errors import IllegalMove, InvalidMove, RuleError
from gamed.games.go.tree import Point, Stone, name

LARGEST = 52
BLACK, WHITE = "black", "white"
FIRST_COLORS = (BLACK, WHITE)
_MOST_COLORS = 255

Ko: TypeAlias = tuple[int, int, int]
"""A cell, a colour, and the cell of the last move.

The colour must not play on the first cell now, if that captures only the stone on the second."""

_Near: TypeAlias = tuple[tuple[int, ...], ...]
"""The neighbours of each cell."""

_Taken: TypeAlias = Sequence[tuple[int, int]]
"""Captured stones: the cell and the colour of each."""


class _Done(NamedTuple):
    """What is needed to undo a move."""

    cell: int
    """Where the stone was played; -1 for a pass."""

    number: int
    """The number of its colour."""

    taken: _Taken

    ko: Ko | None
    """The ko before the move."""

    position: bytes | None
    """The digest of the position that the move has led to, if superko applies and it was new."""


_PASS = _Done(-1, 0, (), None, None)


@frozen
class Ruleset:
    """The differences between rule sets."""

    name: str

    suicide: bool = False
    """Whether a move may capture its own group."""

    superko: bool = False
    """Whether no position may be repeated (positional superko), or else only simple ko applies."""

    area: bool = False
    """Whether stones and territory are counted, or else territory and prisoners."""


UNKNOWN = Ruleset("unknown")
_RULESETS = {
    "japanese": Ruleset("japanese"),
    "chinese": Ruleset("chinese", superko=True, area=True),
    "aga": Ruleset("aga", superko=True, area=True),
    "newzealand": Ruleset("new-zealand", suicide=True, superko=True, area=True),
    "tromptaylor": Ruleset("tromp-taylor", suicide=True, superko=True, area=True),
    # Ing's ko rule is not implemented. Simple ko does not reject anything that it allows.
    "goe": Ruleset("goe", suicide=True, area=True),
}
_ALIASES = {"nz": "newzealand", "ing": "goe"}


def ruleset(name: str | None) -> Ruleset:
    """Return the rules with a name as in records or in SGF's `RU`; case, spaces and punctuation are ignored.

    For None or an unknown name, these are the most common rules: no suicide, simple ko, territory.
    """
    plain = "".join(filter(str.isalnum, (name or "").casefold()))
    return _RULESETS.get(_ALIASES.get(plain, plain), UNKNOWN)


@cache
def neighbours(size: int) -> _Near:
    """Return the neighbours of each cell."""
    return tuple(tuple(_beside(size, cell)) for cell in range(size * size))


def _beside(size: int, cell: int) -> Iterator[int]:
    y, x = divmod(cell, size)
    if y > 0:
        yield cell - size
    if x > 0:
        yield cell - 1
    if x < size - 1:
        yield cell + 1
    if y < size - 1:
        yield cell + size


@cache
def points(size: int) -> tuple[Point, ...]:
    """Return the point of each cell."""
    return tuple(Point(cell % size + 1, cell // size + 1) for cell in range(size * size))


@define(eq=False)
class Board:
    """A board after some moves."""

    size: int

    rules: Ruleset
    """The rules that `play` applies."""

    cells: bytearray
    """The number of the colour of each stone, or 0."""

    colors: list[str] = field(factory=lambda: list(FIRST_COLORS))
    """The names of the colours; the first has the number 1."""

    ko: Ko | None = None

    _seen: set[bytes] = field(factory=set)
    """Digests of the positions so far, if superko applies."""

    _done: list[_Done] = field(factory=list)
    """The moves so far."""

    _near: _Near = field(init=False)

    effort: int = field(init=False, default=0)
    """The number of cells that were visited to find captures. A small file can cause very many visits; see `replay`."""

    def __attrs_post_init__(self) -> None:
        self._near = neighbours(self.size)

    @classmethod
    def start(cls, size: int, setup: Iterable[Stone] = (), rules: Ruleset = UNKNOWN) -> Board:
        """Return a board with stones set up. Raises InvalidMove: "size", "off-board", "occupied", "too-many-colors"."""
        if not 1 <= size <= LARGEST:
            raise InvalidMove(f"a board has 1 to {LARGEST} lines, not {size}", code="size")
        board = cls(size, rules, bytearray(size * size))
        for point, color in setup:
            board._put(board._cell(point), board._number(color), InvalidMove)
        board._seen.add(digest(board.cells))
        return board

    @property
    def moves(self) -> int:
        """The number of moves so far."""
        return len(self._done)

    @property
    def stones(self) -> dict[Point, str]:
        """The stones, row by row."""
        return stones(self.size, self.cells, self.colors)

    @property
    def prisoners(self) -> dict[str, int]:
        """The number of stones of other colours that each colour has captured, if any."""
        counts: Counter[str] = Counter()
        for done in self._done:
            if done.taken:
                counts.update(self.colors[done.number - 1] for _, number in done.taken if number != done.number)
        return dict(counts)

    def play(self, point: Point | None, color: str) -> tuple[Point, ...]:
        """Play a move by the rules (None: pass); return the points of the captured stones, sorted by y, then x.

        Raises InvalidMove ("off-board", "too-many-colors") and IllegalMove ("occupied", "suicide", "ko", "superko");
        then the board is unchanged.
        """
        if point is None:
            self._done.append(_PASS if self.ko is None else _PASS._replace(ko=self.ko))
            self.ko = None
            return ()
        cell, number = self._cell(point), self._number(color)
        self._put(cell, number, IllegalMove)
        taken = self._dead_beside(cell, number)
        if not taken:
            self._remember(cell, number, (), None, is_new=True)
            return ()
        lone = taken[0] if len(taken) == 1 and taken[0] != cell else None
        if lone is not None and self.ko == (cell, number, lone):
            self.cells[cell] = 0
            raise IllegalMove("this recaptures a ko at once", code="ko")
        ko = None if lone is None else (lone, self.cells[lone], cell)
        self._remember(cell, number, self._lift(taken), ko, is_new=True)
        return tuple([points(self.size)[cell] for cell in sorted(taken)])

    def place(self, point: Point | None, color: str, removes: Sequence[Point]) -> tuple[Point, ...]:
        """Place a stone (None: pass) and remove the stones on `removes`, without rules. Return `removes` by y, then x.

        Raises InvalidMove ("off-board", "occupied", "remove-empty", "too-many-colors"); then the board is unchanged.
        Source: docs/reference/records.md#gofans.
        """
        cell, number = -1, self._number(color)
        gone = [self._cell(there) for there in removes]
        if point is not None:
            cell = self._cell(point)
            self._put(cell, number, InvalidMove)
        if len(set(gone)) < len(gone) or not all(self.cells[there] for there in gone):
            if cell >= 0:
                self.cells[cell] = 0
            raise InvalidMove("a stone is removed where there is none", code="remove-empty")
        self._remember(cell, number, self._lift(gone), None)
        return tuple(points(self.size)[there] for there in sorted(gone))

    def undo(self) -> None:
        """Undo the last move. Raises IndexError if there is none."""
        cell, _, taken, self.ko, position = self._done.pop()
        for there, number in taken:
            self.cells[there] = number
        if cell >= 0:
            self.cells[cell] = 0
        if position is not None:
            self._seen.discard(position)

    def legal(self, color: str) -> Iterator[Point]:
        """Yield the points where `color` may play, sorted by y, then x."""
        for point in points(self.size):
            try:
                self.play(point, color)
            except RuleError:
                continue
            self.undo()
            yield point

    def _cell(self, point: Point) -> int:
        x, y = point
        size = self.size
        if 0 < x <= size and 0 < y <= size:
            return (y - 1) * size + x - 1
        raise InvalidMove(f"({x},{y}) is off the board", code="off-board")

    def _number(self, color: str) -> int:
        try:
            return self.colors.index(color) + 1
        except ValueError:
            if len(self.colors) == _MOST_COLORS:
                raise InvalidMove(f"there are more than {_MOST_COLORS} colours", code="too-many-colors") from None
            self.colors.append(color)
            return len(self.colors)

    def _put(self, cell: int, number: int, error: type[RuleError]) -> None:
        if self.cells[cell]:
            place = name(points(self.size)[cell], self.size)
            raise error(f"there is a stone on {place} already", code="occupied")
        self.cells[cell] = number

    def _dead_beside(self, cell: int, number: int) -> list[int]:
        """Return the cells of all stones that the stone on `cell` captures: of other colours, or else its own group."""
        cells = self.cells
        taken: list[int] = []
        is_free = False
        for there in self._near[cell]:
            other = cells[there]
            if not other:
                is_free = True
            elif other != number and there not in taken:
                taken += self._dead(there)
        if is_free or taken:
            return taken
        taken = self._dead(cell)
        if taken and not self.rules.suicide:
            cells[cell] = 0
            raise IllegalMove("this is suicide", code="suicide")
        return taken

    def _dead(self, start: int) -> list[int]:
        """Return the cells of the group on `start` if it has no liberty, or else an empty list."""
        cells, near = self.cells, self._near
        color = cells[start]
        group, members = [start], {start}
        # The list grows during the iteration.
        for cell in group:
            for there in near[cell]:
                other = cells[there]
                if not other:
                    self.effort += len(group)
                    return []
                if other == color and there not in members:
                    members.add(there)
                    group.append(there)
        self.effort += len(group)
        return group

    def _lift(self, gone: Sequence[int]) -> _Taken:
        cells = self.cells
        taken = [(there, cells[there]) for there in gone]
        for there in gone:
            cells[there] = 0
        return taken

    def _remember(self, cell: int, number: int, taken: _Taken, ko: Ko | None, *, is_new: bool = False) -> None:
        """Add a move, and its position if superko applies. `is_new`: reject a move that repeats a position."""
        position = None
        if self.rules.superko and (cell >= 0 or taken):
            position = digest(self.cells)
            if position in self._seen:
                position = None
                if is_new:
                    self._done.append(_Done(cell, number, taken, self.ko, None))
                    self.undo()
                    raise IllegalMove("this repeats an earlier position", code="superko")
            else:
                self._seen.add(position)
        self._done.append(_Done(cell, number, taken, self.ko, position))
        self.ko = ko


def digest(cells: bytes | bytearray) -> bytes:
    """Return a digest by which positions are compared: one is kept for each move, and a position may be large."""
    return blake2b(cells, digest_size=16).digest()


def stones(size: int, cells: Iterable[int], colors: Sequence[str]) -> dict[Point, str]:
    """Return the stones of a position, row by row."""
    return {point: colors[number - 1] for point, number in zip(points(size), cells, strict=True) if number}
