"""The rules of the small season, and its XML: a move is one or two steps, and the third step wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from gamed.core.errors import IllegalMove, InvalidMove
from gamed.core.game import Options, Outcome, Seat, Termination
from gamed.games.softwarechallenge.season import Fault, Fragment, Result, Season, Sent
from gamed.wire.xmlstream import Element

LAST: Final = 3

State = tuple[int, Seat]
"""The steps that were made, and who moves."""


class Small:
    """The rules."""

    def setup(self, _options: Options) -> State:
        return 0, 0

    def to_move(self, state: State) -> frozenset[Seat]:
        return frozenset({state[1]} if state[0] < LAST else ())

    def legal_moves(self, state: State, seat: Seat) -> list[int]:
        return [steps for steps in (1, 2) if state[0] + steps <= LAST] if seat in self.to_move(state) else []

    def draw(self, _state: State, _random: Random) -> int:
        raise AssertionError("chance never moves")

    def apply(self, state: State, seat: Seat, move: int) -> State:
        if move not in self.legal_moves(state, seat):
            raise IllegalMove("too many steps")
        return state[0] + move, 1 - seat

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(Termination.VICTORY, 1 - state[1]) if state[0] == LAST else None

    def view(self, state: State, _seat: Seat | None) -> Mapping[str, int]:
        return {"steps": state[0]}

    def to_notation(self, move: int) -> str:
        return str(move)

    def parse(self, text: str) -> int:
        if text not in ("1", "2"):
            raise InvalidMove(f"{text} is not a move", code="notation")
        return int(text)


def _read(data: Element) -> Sent:
    return Sent(int(data.get("steps", "1")), "<lastMove/>")


def _echo(_move: int) -> str:
    return "<lastMove/>"


def _memento(state: State, _names: Sequence[str], echo: str) -> str:
    return f'<state steps="{state[0]}">{echo}</state>'


def _result(_state: State, _names: Sequence[str], fault: Fault | None) -> Result:
    return Result(f'<small fault="{fault is not None}"/>', (("2",), ("0",)))


def _move_text(_move: int, _code: str) -> str:
    return ""


SEASON: Final = Season(
    "small", ("swc_2099_small",), Small(), (Fragment("Gewinner", "SUM"),), _read, _echo, _memento, _result, _move_text
)
