"""The checks of a move, in the order of the official server: the first check that fails determines the error's text.

Source: docs/specs/software-challenge.md#drags, docs/specs/software-challenge.md#skips,
docs/specs/software-challenge.md#more-than-the-generator-lists, docs/specs/software-challenge.md#malformed-coordinates,
docs/specs/software-challenge.md#order-of-the-checks, docs/specs/software-challenge.md#texts-of-errors.
Why wrong third coordinates are not simply refused: clients send them, and the official server accepts some. It finds a
cell by x and y alone. It uses z where it compares two triples, calculates a distance, or follows a straight line. If it
looks for the neighbours of a cell, or for a cell in a line, with a triple whose sum is not 0, it fails and drops the
connection, as it does for a cell off the board; here that is InvalidMove. All other moves with a wrong z are accepted:
sets before anybody has a piece, and some jumps of a grasshopper. A grasshopper whose start has the wrong z is not
lifted: it counts as an occupied cell while its own jump is checked.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from gamed.core.errors import IllegalMove, InvalidMove
from gamed.core.game import Seat
from gamed.games.softwarechallenge.seasons.hive import moves
from gamed.games.softwarechallenge.seasons.hive.board import BITS, INDEX, RADIUS, Cells, around, connected
from gamed.games.softwarechallenge.seasons.hive.generator import is_stuck, must_set_bee, reach
from gamed.games.softwarechallenge.seasons.hive.position import State

Triple: TypeAlias = tuple[int, int, int]
"""Three coordinates as they were sent."""

TEXTS: Final = {
    "out-of-bounds": "Destination {at} is out of bounds",
    "obstructed": "The target field is obstructed",
    "occupied": "Set destination is not empty",
    "not-your-piece": "The piece {piece} does not belong to the current Player({color})",
    "first-contact": "Your first piece has to touch the piece of the other player",
    "not-in-hand": "Piece {piece} is not an undeployed piece of the current player",
    "bee-duty": "The bee must be placed in fourth round latest",
    "no-contact": "A newly placed piece must touch an own piece",
    "enemy-contact": "A newly placed piece must not touch a piece of the other player",
    "bee-not-placed": "You have to place the Bee to be able to perform dragmoves",
    "no-piece": "There is no piece to move",
    "no-destination": "There is no destination to move to",
    "other-players-piece": "Trying to move piece of the other player",
    "same-cell": "Destination and start are equal",
    "climbing": "Only beetles are allowed to climb on other Pieces",
    "swarm": "Moving piece would disconnect swarm",
    "ant-path": "No path found for Ant move",
    "spider-path": "No path found for Spider move",
    "bee-path": "There is no path to your destination",
    "not-next": "Destination field is not next to start field",
    "off-the-swarm": "Beetle has to move along swarm",
    "not-straight": "Grasshopper can only move in straight lines",
    "no-jump": "Grasshopper has to jump over at least one piece",
    "gap": "Grasshopper can only jump over occupied fields",
    "skip": "Skipping a turn is only allowed when no other moves can be made",
}
"""The official texts of errors, by the code of the IllegalMove."""

# By the piece's type, the error for a destination that it cannot reach.
_PATHS = {"A": "ant-path", "S": "spider-path", "Q": "bee-path", "B": "off-the-swarm"}


def checked(state: State, move: moves.Move | moves.DragNowhere) -> State:
    """Return the state after a move of the mover. Raises IllegalMove (its codes are in `TEXTS`) and InvalidMove.

    The codes of InvalidMove: `off-the-board`, `off-the-plane` (x + y + z is not 0 where it matters), `no-start`.
    """
    if isinstance(move, moves.SetMove):
        return _set(state, move)
    if isinstance(move, moves.DragMove):
        return _dragged(state, move)
    if isinstance(move, moves.DragNowhere):
        raise _illegal("bee-not-placed" if "Q" in state.hands[state.turn & 1] else "no-destination")
    if not is_stuck(state):
        raise _illegal("skip")
    return state.skipped()


def _illegal(code: str, **names: str) -> IllegalMove:
    return IllegalMove(TEXTS[code].format(**names), code=code)


def _index(triple: Triple) -> int:
    index = INDEX.get(triple[:2])
    if index is None:
        raise InvalidMove(f"{_cell_text(triple)} is off the board", code="off-the-board")
    return index


def _on_plane(*triples: Triple) -> None:
    for triple in triples:
        if sum(triple):
            raise InvalidMove(f"{_cell_text(triple)} is off the plane x + y + z = 0", code="off-the-plane")


def _cell_text(triple: Triple) -> str:
    return "({},{},{})".format(*triple)


def _destination(state: State, triple: Triple) -> int:
    """Return the index of a destination, which must be on the board and not obstructed."""
    if abs(triple[0]) > RADIUS or abs(triple[1]) > RADIUS:
        raise _illegal("out-of-bounds", at=_cell_text(triple))
    index = _index(triple)
    if BITS[index] & state.barred:
        raise _illegal("obstructed")
    return index


def _set(state: State, move: moves.SetMove) -> State:
    seat = state.turn & 1
    triple = (move.x, move.y, move.z)
    index = _destination(state, triple)
    if BITS[index] & state.occupied:
        raise _illegal("occupied")
    if move.owner != seat:
        raise _illegal("not-your-piece", piece=_piece_text(move), color=moves.COLORS[seat])
    if move.type == moves.NOTHING:
        # Without a type there is nothing to set, not even where the hand is not checked (below).
        raise _illegal("not-in-hand", piece=_piece_text(move))
    if state.owned[seat]:
        _check_set(state, seat, move)
    elif state.occupied and (sum(triple) or not BITS[index] & around(state.owned[1 - seat])):
        # The official server checks neither the hand nor the bee duty here:
        # docs/specs/software-challenge.md#more-than-the-generator-lists.
        raise _illegal("first-contact")
    return state.placed(move.type, index)


def _piece_text(move: moves.SetMove) -> str:
    return "Piece(owner={}, type={})".format(*moves.named(move.owner, move.type))


def _check_set(state: State, seat: Seat, move: moves.SetMove) -> None:
    if move.type not in state.hands[seat]:
        raise _illegal("not-in-hand", piece=_piece_text(move))
    if move.type != "Q" and must_set_bee(state):
        raise _illegal("bee-duty")
    _on_plane((move.x, move.y, move.z))
    near = around(BITS[INDEX[move.x, move.y]])
    if not near & state.owned[seat]:
        raise _illegal("no-contact")
    if near & state.owned[1 - seat]:
        raise _illegal("enemy-contact")


def _dragged(state: State, move: moves.DragMove) -> State:
    there = (move.x, move.y, move.z)
    end = _destination(state, there)
    if "Q" in state.hands[state.turn & 1]:
        raise _illegal("bee-not-placed")
    if move.start_x is None or move.start_y is None or move.start_z is None:
        raise InvalidMove("a drag without a start", code="no-start")
    here = (move.start_x, move.start_y, move.start_z)
    start = _index(here)
    letter = _lifted(state, start)
    if here == there:
        raise _illegal("same-cell")
    if letter != "B" and BITS[end] & state.occupied:
        raise _illegal("climbing")
    # The official server lifts the piece from the cell that equals the start. With a wrong z no cell equals it.
    stays = sum(here) or BITS[start] & state.high
    rest = state.occupied if stays else state.occupied & ~BITS[start]
    if not connected(rest):
        raise _illegal("swarm")
    _check_way(state, letter, here, there, rest)
    return state.dragged(start, end)


def _lifted(state: State, start: int) -> str:
    """Return the upper-case letter of the piece on top of a cell, which must be the mover's."""
    if not state.stacks[start]:
        raise _illegal("no-piece")
    if not BITS[start] & state.owned[state.turn & 1]:
        raise _illegal("other-players-piece")
    return state.stacks[start][-1].upper()


def _check_way(state: State, letter: str, here: Triple, there: Triple, rest: Cells) -> None:
    """Check the rule of the piece's type. `rest`: the cells of the other pieces."""
    if letter == "G":
        _check_jump(here, there, rest)
        return
    if letter in "QB":
        if _distance(here, there) != 1:
            raise _illegal("not-next")
        _on_plane(here, there)
    else:
        _on_plane(here)
    end = BITS[INDEX[there[:2]]]
    if sum(there) or not end & reach(state, INDEX[here[:2]], end):
        raise _illegal(_PATHS[letter])


def _distance(here: Triple, there: Triple) -> int:
    return (abs(here[0] - there[0]) + abs(here[1] - there[1]) + abs(here[2] - there[2])) // 2


def _check_jump(here: Triple, there: Triple, rest: Cells) -> None:
    ways = [a - b for a, b in zip(here, there, strict=True)]
    if all(ways):
        raise _illegal("not-straight")
    if _distance(here, there) == 1:
        raise _illegal("no-jump")
    x, y, z = there
    step_x, step_y, step_z = ((way > 0) - (way < 0) for way in ways)
    row = 0
    for count in range(1, abs(ways[0] or ways[1])):
        between = (x + count * step_x, y + count * step_y, z + count * step_z)
        _on_plane(between)
        row |= BITS[_index(between)]
    if row & ~rest:
        raise _illegal("gap")
