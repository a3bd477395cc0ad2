"""Go: an immutable position, and the game for two players as the `Game` of a room.

Source: docs/reference/records.md#gofans. There may be any number of colours. A group has one colour. A move first
captures all groups of other colours that it leaves without a liberty; only then its own group is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from random import Random
from typing import TypeAlias

from attrs import evolve, field, frozen

from gamed.core.errors import IllegalMove, NotYourTurn
from gamed.core.game import Options, Outcome, Seat, Termination
from gamed.games.go.board import BLACK, FIRST_COLORS, UNKNOWN, WHITE, Board, Ko, Ruleset, digest, ruleset, stones
from gamed.games.go.hoshi import handicap
from gamed.games.go.scoring import count
from gamed.games.go.tree import Point, Stone

NOBODY: frozenset[Seat] = frozenset()
_ONLY = (frozenset({0}), frozenset({1}))
_PASSES = 2


@frozen
class Position:
    """A position. `cells`, `colors` and `ko` are as in `Board`."""

    size: int
    cells: bytes
    colors: tuple[str, ...] = FIRST_COLORS
    ko: Ko | None = None

    removed: tuple[Point, ...] = ()
    """The captures of the last move, sorted by y, then x."""

    # Digests of all positions so far.
    seen: frozenset[bytes] = field(default=frozenset(), hash=False, repr=False)

    @classmethod
    def start(cls, size: int, setup: Iterable[Stone] = ()) -> Position:
        """Return the position before the first move. Raises InvalidMove as `Board.start` does."""
        board = Board.start(size, setup)
        cells = bytes(board.cells)
        return cls(size, cells, tuple(board.colors), seen=frozenset({digest(cells)}))

    @property
    def stones(self) -> dict[Point, str]:
        """The stones, row by row."""
        return stones(self.size, self.cells, self.colors)

    def board(self, rules: Ruleset = UNKNOWN) -> Board:
        """Return a new board with this position."""
        return Board(self.size, rules, bytearray(self.cells), list(self.colors), self.ko, set(self.seen))

    def play(self, point: Point | None, color: str, rules: Ruleset) -> Position:
        """Return the position after a move by the rules (None: pass). Raises RuleError as `Board.play` does."""
        board = self.board(rules)
        return self._after(board, board.play(point, color))

    def place(self, point: Point | None, color: str, removes: Sequence[Point]) -> Position:
        """Return the position after a move of a 2.x record, without rules. Raises InvalidMove as `Board.place` does."""
        board = self.board()
        return self._after(board, board.place(point, color, removes))

    def _after(self, board: Board, removed: tuple[Point, ...]) -> Position:
        cells = bytes(board.cells)
        return Position(self.size, cells, tuple(board.colors), board.ko, removed, self.seen | {digest(cells)})


class Word(StrEnum):
    """A move that does not place a stone."""

    PASS = "pass"  # noqa: S105 (not a password)
    RESIGN = "resign"


Move: TypeAlias = Point | Word


@frozen
class State:
    """The state of a game for two players."""

    position: Position
    rules: Ruleset
    komi: float

    mover: Seat
    """The seat to move, unless the game is over."""

    passes: int = 0
    """The number of passes in a row at the end of the game so far."""

    prisoners: tuple[int, int] = (0, 0)
    """The number of stones that each seat has captured."""

    resigned: Seat | None = None
    """The seat that has resigned."""


class Go:
    """Go for two players as a `Game`: seat 0 is black, seat 1 is white."""

    def setup(self, options: Options) -> State:
        """Return the start.

        Options: `size` (lines), `handicap` (stones), `rules` (a name), `komi` (a number as a string). With two or more
        handicap stones white begins. Raises InvalidMove ("size", "handicap").
        """
        size, stones_given = int(options["size"]), int(options["handicap"])
        setup = handicap(size, stones_given)
        return State(
            Position.start(size, setup), ruleset(str(options["rules"])), float(options["komi"]), 1 if setup else 0
        )

    def to_move(self, state: State) -> frozenset[Seat]:
        """Return the seat to move; nobody after two passes or a resignation."""
        return NOBODY if _is_over(state) else _ONLY[state.mover]

    def legal_moves(self, state: State, seat: Seat) -> Iterable[Move]:
        """Yield the points where `seat` may play, then `Word.PASS` and `Word.RESIGN`."""
        if seat in self.to_move(state):
            yield from state.position.board(state.rules).legal(FIRST_COLORS[seat])
            yield from Word

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after a move. Raises NotYourTurn, and RuleError as `Board.play` does."""
        if seat not in self.to_move(state):
            raise NotYourTurn("the game is over" if _is_over(state) else "the other side is to move")
        if move is Word.RESIGN:
            return evolve(state, resigned=seat)
        point = None if isinstance(move, Word) else move
        position = state.position.play(point, FIRST_COLORS[seat], state.rules)
        prisoners = list(state.prisoners)
        # The stones of a suicide are not prisoners.
        prisoners[seat] += 0 if point in position.removed else len(position.removed)
        return evolve(
            state,
            position=position,
            mover=1 - seat,
            passes=state.passes + 1 if point is None else 0,
            prisoners=(prisoners[0], prisoners[1]),
        )

    def draw(self, _state: State, _random: Random) -> Move:
        """Raise IllegalMove: there is no chance in Go."""
        raise IllegalMove("chance has no move in Go")

    def score(self, state: State) -> dict[str, float]:
        """Return the points of black and white, without removing dead stones."""
        position = state.position
        prisoners = dict(zip(FIRST_COLORS, state.prisoners, strict=True))
        return count(position.size, position.stones, prisoners, state.rules, state.komi)

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome after a resignation, or after two passes: the player with more points wins, if any."""
        if state.resigned is not None:
            return Outcome(Termination.RESIGNED, 1 - state.resigned)
        if not _is_over(state):
            return None
        points = self.score(state)
        lead = points[BLACK] - points[WHITE]
        return Outcome(Termination.VICTORY, int(lead < 0)) if lead else Outcome(Termination.DRAW)

    def view(self, state: State, _seat: Seat | None) -> object:
        """Return the position; points are [x, y], as in GoFans."""
        placed = state.position.stones
        return {
            "size": state.position.size,
            "stones": {color: [list(at) for at, is_of in placed.items() if is_of == color] for color in FIRST_COLORS},
            "removed": [list(point) for point in state.position.removed],
            "prisoners": list(state.prisoners),
            "to_move": sorted(self.to_move(state)),
            "passes": state.passes,
            "resigned": state.resigned,
        }


def _is_over(state: State) -> bool:
    return state.resigned is not None or state.passes >= _PASSES
