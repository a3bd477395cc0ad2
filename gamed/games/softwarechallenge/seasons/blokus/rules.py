"""The rules of Blokus, as the official server of the season 2027 applies them.

Source: docs/reference/blokus.md. Seat 0 plays BLUE and RED, seat 1 YELLOW and GREEN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.core.game import CHANCE, Options, Outcome, Seat, Termination
from gamed.games.softwarechallenge.seasons.blokus import moves
from gamed.games.softwarechallenge.seasons.blokus.board import RIM, SIZE, at_corners, beside, fields, is_inside, number
from gamed.games.softwarechallenge.seasons.blokus.moves import COLORS, LETTERS
from gamed.games.softwarechallenge.seasons.blokus.position import State, shapes
from gamed.games.softwarechallenge.seasons.blokus.shapes import PENTOMINOES, Shape

NOBODY: frozenset[Seat] = frozenset()

LAST_ROUND: Final = 25
"""The round with whose beginning the game ends: 24 rounds are played."""

EMPTY: Final = "-"
"""An empty field in a view."""

TEXTS: Final = {
    "wrong-color": "Nur eigene Spielfiguren können gezogen werden",
    "not-on-border": "Der erste Zug muss an den Rand gesetzt werden",
    "no-shared-corner": "Alle Teile müssen ein vorheriges Teil gleicher Farbe über mindestens eine Ecke berühren",
    "wrong-shape": "Der erste Zug muss den festgelegten Spielstein setzen",
    "skip-first-turn": "Der erste Zug muss einen Stein setzen",
    "duplicate-shape": "Der gewählte Stein wurde bereits gesetzt",
    "out-of-bounds": "Der Spielstein passt nicht vollständig auf das Spielfeld",
    "obstructed": "Der Spielstein würde eine andere Farbe überlagern",
    "touches-same-color": "Der Spielstein berührt ein Feld gleicher Farbe",
}
"""The official texts of errors, by the code of the IllegalMove."""

UNNAMED: Final = frozenset({"wrong-shape", "duplicate-shape"})
"""The errors whose official text does not name the move."""

_ONLY = {seat: frozenset({seat}) for seat in (CHANCE, 0, 1)}
_START: Final = State()


class Blokus:
    """The rules, as a `Game`. Chance moves first: it draws the shape with which each colour begins."""

    def setup(self, _options: Options) -> State:
        """Return the empty board. The rules have no options."""
        return _START

    def to_move(self, state: State) -> frozenset[Seat]:
        """Return chance before it has moved, then the mover, and nobody after the end."""
        if state.start is None:
            return _ONLY[CHANCE]
        return NOBODY if is_over(state) else _ONLY[state.mover]

    def legal_moves(self, state: State, seat: Seat) -> list[moves.Move]:
        """Return the moves of the colour whose turn it is, each once, in one spelling.

        A colour with a move may skip, too, except in its first turn; the skip is not in the list of the official
        server. A colour without a move never has a turn.
        """
        if seat == CHANCE or seat not in self.to_move(state):
            return []
        return list(_listed(state))

    def draw(self, _state: State, random: Random) -> moves.StartPiece:
        """Return one of the twelve shapes of five fields, all equally likely."""
        return moves.StartPiece(random.choice(PENTOMINOES))

    def apply(self, state: State, seat: Seat, move: moves.Action) -> State:
        """Return the state after a move.

        Raises NotYourTurn, IllegalMove (its codes are in `TEXTS`) and InvalidMove.
        """
        if seat not in self.to_move(state):
            raise NotYourTurn("It's not your turn yet.")
        if isinstance(move, moves.StartPiece):
            if seat != CHANCE:
                raise InvalidMove("only chance draws the first piece", code="chances-move")
            if move.shape not in PENTOMINOES:
                raise InvalidMove("chance draws a shape of five fields")
            return State(start=move.shape)
        if seat == CHANCE:
            raise InvalidMove("chance draws the first piece", code="not-chances-move")
        if move.color != state.color:
            raise _illegal("wrong-color")
        if isinstance(move, moves.SetMove):
            return state.placed(move.shape, _covered(state, move))
        if state.is_first:
            raise _illegal("skip-first-turn")
        return state.skipped()

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended (a draw has no winner), or None while it goes on."""
        if not is_over(state):
            return None
        winner = leader(state)
        return Outcome(Termination.DRAW if winner is None else Termination.VICTORY, winner)

    def view(self, state: State, _seat: Seat | None) -> Mapping[str, Any]:
        """Return the position as JSON values.

        `board`: the rows, with a letter of `LETTERS` for each field, or `EMPTY`; `left`: by colour, the indices of the
        shapes that it has not placed; `points`: by colour; `playing`: the colours that are still in the game; `start`:
        the shape with which each begins. `color`: whose turn it is; `to_move`: the seats that may move. `over`: whether
        the game has ended; `winner`: a seat, None while it goes on and for a draw.
        """
        rows = [[EMPTY] * SIZE for _ in range(SIZE)]
        for letter, covered in zip(LETTERS, state.covered, strict=True):
            for x, y in fields(covered):
                rows[y][x] = letter
        over = is_over(state)
        return {
            "turn": state.turn,
            "round": state.round,
            "color": state.color,
            "to_move": sorted(self.to_move(state) - _ONLY[CHANCE]),
            "start": state.start,
            "board": ["".join(row) for row in rows],
            "left": [list(shapes(left)) for left in state.left],
            "points": [state.points(color) for color in range(len(COLORS))],
            "playing": list(state.playing),
            "over": over,
            "winner": leader(state) if over else None,
        }

    def to_notation(self, move: moves.Action) -> str:
        """Return a move in the notation of records."""
        return moves.to_notation(move)

    def parse(self, text: str) -> moves.Action:
        """Return the move of a notation, as `to_notation` writes it. Raises InvalidMove (`notation`)."""
        return moves.parse(text)


def measures(state: State) -> Mapping[str, Sequence[int | None]]:
    """Return the `GameType.measures` of a state: the points of each side."""
    return {"points": [state.team_points(seat) for seat in (0, 1)]}


def is_over(state: State) -> bool:
    """Whether the game has ended: no colour has a move, or the last round begins."""
    return not state.playing or state.round >= LAST_ROUND


def leader(state: State) -> Seat | None:
    """Return the seat with more points, or None if both have the same."""
    first, second = state.team_points(0), state.team_points(1)
    return None if first == second else 0 if first > second else 1


def _listed(state: State) -> Iterator[moves.Move]:
    for variant, corners in state.placements:
        for x, y in fields(corners):
            yield moves.SetMove(state.color, variant.shape, variant.rotation, variant.is_flipped, x, y)


def _covered(state: State, move: moves.SetMove) -> int:
    """Return the fields that a legal move covers, checked in the order of the official server. Raises IllegalMove."""
    _check_shape(state, move.shape)
    own, occupied = state.covered[move.color], state.occupied
    next_to_own, covered = beside(own), 0
    for x, y in move.places():
        if not is_inside(x, y):
            raise _illegal("out-of-bounds")
        bit = 1 << number(x, y)
        if bit & occupied:
            raise _illegal("obstructed")
        if bit & next_to_own:
            raise _illegal("touches-same-color")
        covered |= bit
    if state.is_first:
        if not covered & RIM:
            raise _illegal("not-on-border")
    elif not covered & at_corners(own):
        raise _illegal("no-shared-corner")
    return covered


def _check_shape(state: State, shape: Shape) -> None:
    if state.is_first:
        if shape != state.start:
            raise _illegal("wrong-shape")
    elif not state.left[state.color] >> shape & 1:
        raise _illegal("duplicate-shape")


def _illegal(code: str) -> IllegalMove:
    return IllegalMove(TEXTS[code], code=code)
