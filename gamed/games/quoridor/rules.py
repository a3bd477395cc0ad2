"""The rules of Quoridor for two and four, strictly or as an observer follows them.

Source: docs/specs/quoridor.md#the-end-of-a-game, docs/specs/quoridor.md#walls, docs/specs/quoridor.md#pawns. Seat 0 is
the world with the id 1, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final

from attrs import evolve, frozen

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.core.game import Options, Outcome, Seat, Termination
from gamed.games.quoridor.moves import (
    HORIZONTAL,
    HORIZONTAL_WALLS,
    PAWN_MOVES,
    VERTICAL_WALLS,
    Move,
    PawnMove,
    Wall,
    cell_of,
    parse,
    to_notation,
    xy,
)
from gamed.games.quoridor.paths import encloses, legal_places
from gamed.games.quoridor.walls import (
    GOALS,
    HORIZONTAL_PLACES,
    ROW,
    VERTICAL_PLACES,
    Cell,
    Open,
    Walls,
    bits,
    cell_at,
    crossed,
    open_ways,
    overlapped,
)

NOBODY: frozenset[Seat] = frozenset()
STARTS: Final = (cell_at(4, 0), cell_at(4, 8), cell_at(0, 4), cell_at(8, 4))
"""The cell on which each seat's pawn begins."""

_ONLY = tuple(frozenset({seat}) for seat in range(4))
_STOCKS = {2: 10, 4: 5}


@frozen
class State:
    """A position."""

    pawns: tuple[Cell, ...]
    """The cell of each seat's pawn."""

    walls: Walls
    """The walls on the board."""

    left: tuple[int, ...]
    """How many walls each seat may still place."""

    mover: Seat = 0
    """The seat whose turn it is. After the last move, the seat whose turn it would be."""

    winner: Seat | None = None
    """The seat whose pawn is at its goal; None while the game runs."""

    @property
    def players(self) -> int:
        """The number of players, 2 or 4."""
        return len(self.pawns)


class Quoridor:
    """The rules, as a `Game`.

    With four players the seat to move may have no legal move. Nobody moves for it, and it cannot pass.
    """

    def setup(self, options: Options) -> State:
        """Return the first position. Options: `players`, 2 or 4. Raises InvalidMove ("players") for other numbers."""
        players = int(options["players"])
        if players not in _STOCKS:
            raise InvalidMove(f"Quoridor is played by 2 or 4, not by {players}", code="players")
        return State(STARTS[:players], Walls(), (_STOCKS[players],) * players)

    def to_move(self, state: State) -> frozenset[Seat]:
        """Return the seat whose turn it is, or no seat once a pawn is at its goal."""
        return _ONLY[state.mover] if state.winner is None else NOBODY

    def legal_moves(self, state: State, seat: Seat) -> Iterator[Move]:
        """Yield the moves of the pawn of `seat`, then the walls that it may place."""
        if seat not in self.to_move(state):
            return
        for cell in bits(destinations(state, seat)):
            yield PAWN_MOVES[cell]
        if state.left[seat]:
            yield from walls_at(legal_places(state.walls, state.pawns))

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after a legal move.

        Raises NotYourTurn, InvalidMove as `cell_of` does, and IllegalMove ("pawn-unreachable", "no-walls-left",
        "wall-out-of-range", "wall-overlaps", "wall-crosses", "wall-encloses").
        """
        self._check_turn(state, seat)
        cell = cell_of(move)
        if isinstance(move, Wall):
            _check_wall(state, seat, move)
        elif not destinations(state, seat) >> cell & 1:
            raise IllegalMove(f"the pawn at {xy(state.pawns[seat])} cannot go to {xy(cell)}", code="pawn-unreachable")
        return after(state, move)

    def follow(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after a move that is applied as it is, legal or not.

        The pawn goes where the move says, and wins if that is a goal cell. The wall is placed even if the seat has none
        left. Raises NotYourTurn, and InvalidMove as `cell_of` does. Source: docs/specs/quoridor.md#the-end-of-a-game.
        """
        self._check_turn(state, seat)
        return after(state, move)

    def _check_turn(self, state: State, seat: Seat) -> None:
        if seat != state.mover or state.winner is not None:
            raise NotYourTurn("another player is to move" if state.winner is None else "the game is over")

    def draw(self, _state: State, _random: Random) -> Move:
        """Raise IllegalMove: there is no chance in Quoridor."""
        raise IllegalMove("chance has no move in Quoridor")

    def outcome(self, state: State) -> Outcome | None:
        """Return the victory of the seat whose pawn is at its goal; None before that."""
        return None if state.winner is None else Outcome(Termination.VICTORY, state.winner)

    def view(self, state: State, seat: Seat | None) -> dict[str, Any]:
        """Return the position; nothing is hidden.

        A pawn or a cell is [x, y], and a wall is [x, y, orientation]. `goals` are the goal cells of each seat. `reach`
        are the cells to which the pawn of the seat to move may go. `moves` and `places` are the cells and walls that
        `seat` may choose now. They are empty for a spectator, and for a seat whose turn it is not.
        """
        moves = [] if seat is None else list(self.legal_moves(state, seat))
        return {
            "pawns": _points(state.pawns),
            "walls": [_place(wall) for wall in walls_at(state.walls)],
            "left": list(state.left),
            "to_move": sorted(self.to_move(state)),
            "goals": [_points(bits(GOALS[player])) for player in range(state.players)],
            "reach": _points(bits(destinations(state, state.mover))) if state.winner is None else [],
            "moves": [[move.x, move.y] for move in moves if isinstance(move, PawnMove)],
            "places": [_place(move) for move in moves if isinstance(move, Wall)],
            "winner": state.winner,
        }

    def to_notation(self, move: Move) -> str:
        """Return a move's notation: `player 4 1`, `wall 5 6 horizontal`."""
        return to_notation(move)

    def parse(self, text: str) -> Move:
        """Return the move that a notation means. Raises InvalidMove ("notation")."""
        return parse(text)


class TableRules(Quoridor):
    """The rules for the worlds at a table: any of them may begin."""

    def setup(self, options: Options) -> State:
        """Return the first position.

        Options: `players`, 2 (the default) or 4; `first`, the seat that begins, 0 by default. Raises InvalidMove
        ("players", "first").
        """
        state = super().setup({"players": 2, **options})
        first = int(options.get("first", 0))
        if first not in range(state.players):
            raise InvalidMove(f"seat {first} cannot begin: there are {state.players}", code="first")
        return evolve(state, mover=first)


def destinations(state: State, seat: Seat) -> int:
    """Return the set of cells to which the pawn of `seat` may go, whoever is to move.

    The pawn may jump over a pawn next to it. If a wall, the border or a third pawn is behind that pawn, it may go to
    the cells at the sides of that pawn instead.
    """
    ways = open_ways(state.walls)
    others = _others(state.pawns, seat)
    found = 0
    for direction, near in enumerate(_around(1 << state.pawns[seat], ways)):
        if not near & others:
            found |= near
            continue
        beyond = _around(near, ways)
        sides = beyond[2:] if direction < 2 else beyond[:2]  # noqa: PLR2004 (north and south come first)
        found |= beyond[direction] & ~others or (sides[0] | sides[1]) & ~others
    return found


def _others(pawns: Sequence[Cell], seat: Seat) -> int:
    others = 0
    for player, cell in enumerate(pawns):
        if player != seat:
            others |= 1 << cell
    return others


def _around(cell: int, ways: Open) -> tuple[int, int, int, int]:
    """Return the neighbours of a cell to the north, south, west and east, each as a set; 0 if a wall is between.

    `cell` is a set of one cell.
    """
    north, west = ways
    return (cell & north) >> ROW, cell << ROW & north, (cell & west) >> 1, cell << 1 & west


def walls_at(places: Walls) -> Iterator[Wall]:
    """Yield the walls at these places, the horizontal ones first."""
    for cell in bits(places.horizontal):
        yield HORIZONTAL_WALLS[cell]
    for cell in bits(places.vertical):
        yield VERTICAL_WALLS[cell]


def _as_walls(wall: Wall) -> Walls:
    one = 1 << cell_of(wall)
    return Walls(one, 0) if wall.orientation == HORIZONTAL else Walls(0, one)


def _is_among(wall: Walls, places: Walls) -> bool:
    return bool(wall.horizontal & places.horizontal | wall.vertical & places.vertical)


def _check_wall(state: State, seat: Seat, move: Wall) -> None:
    """Raise IllegalMove if the wall may not be placed."""
    wall = _as_walls(move)
    if not state.left[seat]:
        raise IllegalMove("no wall is left", code="no-walls-left")
    if not _is_among(wall, Walls(HORIZONTAL_PLACES, VERTICAL_PLACES)):
        raise IllegalMove(_out_of_range(move), code="wall-out-of-range")
    if _is_among(wall, overlapped(state.walls)):
        raise IllegalMove("the wall lies on another one", code="wall-overlaps")
    if _is_among(wall, crossed(state.walls)):
        raise IllegalMove("the wall crosses another one", code="wall-crosses")
    if encloses(_together(state.walls, wall), state.pawns):
        raise IllegalMove("the wall leaves a player without a way to the goal", code="wall-encloses")


def _out_of_range(wall: Wall) -> str:
    what = f"a {wall.orientation} wall at {wall.x},{wall.y} would"
    if wall.orientation == HORIZONTAL:
        if wall.y == 0:
            return f"{what} lie on the upper rim of the board: it stands above its row"
        return f"{what} stick out of the board on the right: it is two cells long"
    if wall.x == 0:
        return f"{what} lie on the left rim of the board: it stands to the left of its column"
    return f"{what} stick out of the board at the bottom: it is two cells long"


def _together(walls: Walls, more: Walls) -> Walls:
    return Walls(walls.horizontal | more.horizontal, walls.vertical | more.vertical)


def after(state: State, move: Move) -> State:
    """Return the state after a move of the mover, without checking it. Raises InvalidMove as `cell_of` does."""
    seat = state.mover
    following = (seat + 1) % state.players
    if isinstance(move, PawnMove):
        cell = cell_of(move)
        pawns = (*state.pawns[:seat], cell, *state.pawns[seat + 1 :])
        return State(pawns, state.walls, state.left, following, seat if GOALS[seat] >> cell & 1 else None)
    left = (*state.left[:seat], max(state.left[seat] - 1, 0), *state.left[seat + 1 :])
    return State(state.pawns, _together(state.walls, _as_walls(move)), left, following)


def _points(cells: Iterable[Cell]) -> list[list[int]]:
    return [list(xy(cell)) for cell in cells]


def _place(wall: Wall) -> list[int | str]:
    return [wall.x, wall.y, wall.orientation]
