"""RoboRally as a `Game`: its options, its moves, and what each seat may see.

Source: docs/reference/roborally.md#configuration, docs/specs/roborally.md#38-queries,
docs/specs/roborally.md#4-the-game, docs/specs/roborally.md#56-flags.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Final

from gamed.core.errors import ConfigError, InvalidMove, NotYourTurn
from gamed.core.game import CHANCE, Options, Outcome, Seat, Termination
from gamed.games.roborally.rules import answers, json_views, moves, turn
from gamed.games.roborally.rules import state as positions
from gamed.games.roborally.rules.board import parse_plan
from gamed.games.roborally.rules.courses import MOST_LIVES, MOST_PLAYERS
from gamed.games.roborally.rules.elements import Direction, Place
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.moves import (
    Deal,
    Facing,
    Leave,
    Move,
    Program,
    Repairs,
    Request,
    StayDown,
)
from gamed.games.roborally.rules.robots import Robot
from gamed.games.roborally.rules.state import Event, Stage, State, deck, hand_sizes

_CHANCE: Final = frozenset({CHANCE})


class RoboRally:
    """The rules. Seats are counted in order of registration; chance deals.

    Where `to_move` is empty and there is no outcome, the table calls `advance`, step by step.
    """

    def setup(self, options: Options) -> State:
        """Return the start: all robots virtual on the first flag, to be asked how they face.

        Options: `plan` (as GPL tells it), `flags` (places such as "9,1 12,3"), `players` (1..8), `lives` (1..3) and
        `max_turns`. Raises ConfigError, and NotationError for the plan.
        """
        layout = laid_out(str(options["plan"]), str(options["flags"]))
        players = _number(options, "players", MOST_PLAYERS)
        lives = _number(options, "lives", MOST_LIVES)
        start = layout.flags[0]
        return State(
            layout,
            _number(options, "max_turns"),
            Stage.FACING,
            turn=1,
            phase=0,
            robots=(Robot(Direction.N, start, start, lives, is_virtual=True),) * players,
            hands=((),) * players,
            waiting=frozenset(range(players)),
        )

    def to_move(self, state: State) -> frozenset[Seat]:
        """Return the seats that owe an answer; {CHANCE} if cards are to be dealt; no seats if `advance` is due."""
        return _CHANCE if state.stage is Stage.DEAL else state.waiting

    def requests(self, state: State) -> Mapping[Seat, Request]:
        """Return what each player in `to_move` is asked."""
        return positions.requests(state)

    def legal_moves(self, state: State, seat: Seat) -> Iterable[Move]:
        """Return the legal answers of a seat, made lazily. Deals and leaving are not included."""
        return answers.legal(state, seat) if seat in state.waiting else ()

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after a move.

        Raises NotYourTurn if nothing is asked of the seat (`out-of-turn`), or something else (`other-question`);
        IllegalMove for what the protocol calls cheating (`card-count`, `card-index`, `card-twice`, `register-count`,
        `register-twice`, `register-open`) and for a wrong deal (`deal-count`, `deal-card`); InvalidMove if `move` is
        not a move at all.
        """
        match move:
            case Deal():
                return answers.deal(state, seat, move)
            case Leave():
                return self.remove(state, seat)
            case Facing() | Program() | StayDown() | Repairs():
                return answers.take(state, seat, move)
            case _:
                raise InvalidMove(f"{move!r} is not a move")

    def to_notation(self, move: Move) -> str:
        """Return a move as records write it."""
        return moves.to_notation(move)

    def parse(self, text: str) -> Move:
        """Return the move of a notation. Raises InvalidMove (`notation`)."""
        return moves.parse(text)

    def draw(self, state: State, random: Random) -> Deal:
        """Return the hands of this turn, drawn from the cards that are not in registers."""
        return Deal(tuple(random.sample(sorted(deck(state)), sum(hand_sizes(state)))))

    def advance(self, state: State) -> State:
        """Return the state after exactly one automatic step. Raises ValueError if none is due."""
        return turn.followed_up(state, turn.advance(state))

    def settle(self, state: State) -> tuple[State, int]:
        """Return the state after the automatic steps that are due, up to the clean-up, and their number."""
        return turn.settle(state)

    def remove(self, state: State, seat: Seat) -> State:
        """Return the state after a player has left or was removed. Raises NotYourTurn where there is no such seat."""
        if not 0 <= seat < len(state.robots):
            raise NotYourTurn(f"there is no seat {seat}")
        return turn.followed_up(state, turn.remove(state, seat))

    def changed(self, before: State, after: State) -> Event | None:
        """Return what the output channels are notified of after a step or a leaving, or None."""
        return positions.changed(before, after)

    def outcome(self, state: State) -> Outcome | None:
        """Return the winner once the game is over: the first in winning order."""
        return Outcome(Termination.VICTORY, self.ranking(state)[0]) if state.stage is Stage.OVER else None

    def ranking(self, state: State) -> tuple[Seat, ...]:
        """Return all seats in winning order."""
        return positions.ranking(state)

    def revealed(self, state: State) -> Sequence[Sequence[Sequence[object]]]:
        """Return the revealed cards, by seat and turn (see `state.revealed_programs`)."""
        return state.programs

    def view(self, state: State, seat: Seat | None) -> object:
        """Return what a seat may see (see `json_views.view`): hands and unrevealed registers are its own only."""
        return json_views.view(state, seat)


@lru_cache(16)
def laid_out(plan: str, flags: str) -> Layout:
    """Return the layout of a plan with flags such as "9,1 12,3". Raises NotationError; ConfigError for the flags."""
    layout = Layout(parse_plan(plan), tuple(map(_flag, flags.split())))
    if len(set(layout.flags)) != len(layout.flags) or len(layout.flags) <= 1:
        raise ConfigError(f"flags {flags!r}: at least two are needed, all different")
    if not layout.ground.issuperset(layout.flags):
        raise ConfigError(f"flags {flags!r}: one is not on the plan, or is on a pit")
    return layout


def _flag(text: str) -> Place:
    x, comma, y = text.partition(",")
    if not comma or not all(number.isascii() and number.isdigit() for number in (x, y)):
        raise ConfigError(f"flag {text[:20]!r}: expected a place such as 9,1")
    return int(x), int(y)


def _number(options: Options, key: str, most: int | None = None) -> int:
    value = options[key]
    if type(value) is not int or value < 1 or (most is not None and value > most):
        raise ConfigError(f"{key} = {value!r}: expected a whole number from 1{f' to {most}' if most else ''}")
    return value
