"""The rules of Hive, as the official server of the season 2020 applies them.

Source: docs/specs/software-challenge.md. Seat 0 is RED, seat 1 is BLUE.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import Any, Final

from gamed.core.errors import InvalidMove, NotYourTurn
from gamed.core.game import CHANCE, Options, Outcome, Seat, Termination
from gamed.games.softwarechallenge.seasons.hive import moves
from gamed.games.softwarechallenge.seasons.hive.board import CELLS, INDEX
from gamed.games.softwarechallenge.seasons.hive.checks import checked
from gamed.games.softwarechallenge.seasons.hive.generator import generated
from gamed.games.softwarechallenge.seasons.hive.position import HAND, State, position

NOBODY: frozenset[Seat] = frozenset()

OBSTRUCTED: Final = 3
"""The number of cells that chance obstructs."""

LAST_TURN: Final = 60
"""The turn with which the game ends: then both sides have moved thirty times."""

_ONLY = {seat: frozenset({seat}) for seat in (CHANCE, 0, 1)}
_START: Final = position({}, (HAND, HAND), 0, ())


class Reason(StrEnum):
    """Why a game ended by the rules; it determines the text of the result."""

    BEE = "bee"
    """One bee is enclosed, and the other one is not."""
    FREE = "free"
    """The round limit was reached, and one bee has more free neighbours than the other one."""
    EQUAL = "equal"
    """Both bees are enclosed, or the round limit was reached and they have equally many free neighbours."""


class Hive:
    """The rules, as a `Game`. Chance moves first: it obstructs three cells."""

    def setup(self, _options: Options) -> State:
        """Return the empty board. The rules have no options."""
        return _START

    def to_move(self, state: State) -> frozenset[Seat]:
        """Return chance before it has moved, then the mover, and nobody after the end."""
        if not state.turn and not state.barred:
            return _ONLY[CHANCE]
        return NOBODY if judged(state) else _ONLY[state.mover]

    def legal_moves(self, state: State, seat: Seat) -> list[moves.Move]:
        """Return the moves that the official server lists, each once; if it lists none, only the skip."""
        if seat == CHANCE or seat not in self.to_move(state):
            return []
        return generated(state) or [moves.SkipMove()]

    def draw(self, _state: State, random: Random) -> moves.Obstructed:
        """Return three different cells, all choices equally likely."""
        return moves.Obstructed(tuple(sorted(random.sample(CELLS, OBSTRUCTED))))

    def apply(self, state: State, seat: Seat, move: moves.Action | moves.DragNowhere) -> State:
        """Return the state after a move. Raises NotYourTurn, and what `checks.checked` raises.

        The text of an IllegalMove is the official one. Some moves are accepted that `legal_moves` does not return:
        docs/specs/software-challenge.md#more-than-the-generator-lists.
        """
        if seat not in self.to_move(state):
            raise NotYourTurn("It's not your turn yet.")
        if not isinstance(move, moves.Obstructed):
            if seat == CHANCE:
                raise InvalidMove("chance obstructs cells", code="not-chances-move")
            return checked(state, move)
        if seat != CHANCE:
            raise InvalidMove("only chance obstructs cells", code="chances-move")
        if len(set(move.cells)) != OBSTRUCTED or len(move.cells) != OBSTRUCTED or not INDEX.keys() >= set(move.cells):
            raise InvalidMove("chance obstructs three different cells of the board", code="obstructed-cells")
        return position({}, state.hands, state.turn, move.cells)

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended (a draw has no winner), or None while it goes on."""
        found = judged(state)
        if found is None:
            return None
        return Outcome(Termination.DRAW if found[1] is None else Termination.VICTORY, found[1])

    def reason(self, state: State) -> Reason | None:
        """Return why the game has ended, or None while it goes on."""
        found = judged(state)
        return None if found is None else found[0]

    def view(self, state: State, _seat: Seat | None) -> Mapping[str, Any]:
        """Return the position as JSON values.

        `board`: the stacks, bottom to top, upper case for RED; `hands`: upper case, RED's first. By seat: `free`, the
        number of free cells around the bee, -1 if it is not on the board; `gaps`, these cells; `bees`, the bee's cell
        or None. `to_move`: the seats that may move. `reason`: a `Reason`; `winner`: a seat; both are None while the
        game goes on.
        """
        found = judged(state)
        bees = [state.bee(side) for side in (0, 1)]
        return {
            "turn": state.turn,
            "to_move": sorted(self.to_move(state) - _ONLY[CHANCE]),
            "obstructed": [list(cell) for cell in state.obstructed],
            "board": {f"{x},{y}": stack for (x, y), stack in state.board().items()},
            "hands": list(state.hands),
            "free": [state.free(0), state.free(1)],
            "bees": [None if bee is None else list(bee) for bee in bees],
            "gaps": [[list(cell) for cell in state.gaps(side)] for side in (0, 1)],
            "winner": None if found is None else found[1],
            "reason": None if found is None else str(found[0]),
        }

    def to_notation(self, move: moves.Action) -> str:
        """Return a move in the notation of records."""
        return moves.to_notation(move)

    def parse(self, text: str) -> moves.Action:
        """Return the move of a notation, as `to_notation` writes it. Raises InvalidMove (`notation`)."""
        return moves.parse(text)


def measures(state: State) -> Mapping[str, Sequence[int | None]]:
    """Return the `GameType.measures` of a state: the free fields around each bee."""
    return {"free": [None if free < 0 else free for free in state.both_free]}


def judged(state: State) -> tuple[Reason, Seat | None] | None:
    """Return why the game has ended and who has won, or None while it goes on."""
    # The official server looks for the end only after whole rounds: BLUE may still answer RED's last move.
    if state.turn & 1:
        return None
    red, blue = state.both_free
    if not red or not blue:
        return (Reason.EQUAL, None) if red == blue else (Reason.BEE, 1 if not red else 0)
    if state.turn != LAST_TURN:
        return None
    return (Reason.EQUAL, None) if red == blue else (Reason.FREE, 0 if red > blue else 1)
