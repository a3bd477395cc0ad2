"""Deals and answers: which of them are legal, and the state after them.

Source: docs/specs/roborally.md#35-move-requests, docs/specs/roborally.md#412-start-and-deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate, combinations, permutations
from typing import Final

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.core.game import CHANCE, Seat
from gamed.games.roborally.rules.elements import DIRECTIONS, Direction
from gamed.games.roborally.rules.moves import Answer, Deal, Facing, Program, Repairs, StayDown
from gamed.games.roborally.rules.robots import locks, programmed
from gamed.games.roborally.rules.state import (
    Stage,
    State,
    deck,
    evolve,
    hand_sizes,
    programs_complete,
    repair_points,
    replaced,
)

_EXPECTED: Final[Mapping[Stage, type]] = {
    Stage.FACING: Facing,
    Stage.PROGRAM: Program,
    Stage.REPAIR: Repairs,
    Stage.STAY_DOWN: StayDown,
    Stage.NEW_ROBOTS: Facing,
    Stage.POWER: Repairs,
}
"""The answer that each stage asks for."""


def deal(state: State, seat: Seat, move: Deal) -> State:
    """Return the state after chance's deal, in which active robots' players are asked for programs.

    Raises NotYourTurn, and IllegalMove with `deal-count` or `deal-card`.
    """
    if seat != CHANCE or state.stage is not Stage.DEAL:
        raise NotYourTurn("no cards are to be dealt by this seat now")
    sizes = hand_sizes(state)
    cards = move.cards
    if len(cards) != sum(sizes):
        raise IllegalMove(f"{len(cards)} cards are dealt where {sum(sizes)} are due", code="deal-count")
    if len(deck(state).intersection(cards)) != len(cards):
        raise IllegalMove("a card is dealt twice, or is not in the deck", code="deal-card")
    hands = tuple(cards[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True))
    asked = frozenset(asked for asked, robot in enumerate(state.robots) if robot.is_active and robot.is_standing)
    return programs_complete(evolve(state, stage=Stage.PROGRAM, hands=hands, waiting=asked, happened=None))


def take(state: State, seat: Seat, answer: Answer) -> State:
    """Return the state after one answer. The stage goes on until all others have answered.

    Raises NotYourTurn if nothing is asked of the seat (`out-of-turn`), or something else (`other-question`);
    IllegalMove if the answer breaks the rules: `card-count`, `card-index`, `card-twice`, `register-count`,
    `register-twice`, `register-open`; InvalidMove for a facing that is not a direction.
    """
    if seat not in state.waiting:
        raise NotYourTurn(f"nothing is asked of seat {seat}")
    expected = _EXPECTED[state.stage]
    if not isinstance(answer, expected):
        raise NotYourTurn(f"{type(answer).__name__} where {expected.__name__} is asked", code="other-question")
    after = evolve(_taken(state, seat, answer), waiting=state.waiting - {seat}, happened=None)
    return programs_complete(after)


def _taken(state: State, seat: Seat, answer: Answer) -> State:
    robot = state.robots[seat]
    match answer:
        case Program(indices, power_down):
            hand = state.hands[seat]
            _check_program(indices, len(robot.free), len(hand))
            robot = programmed(robot, tuple(hand[index - 1] for index in indices))._replace(is_announced=power_down)
            return evolve(state, robots=replaced(state.robots, seat, robot), hands=replaced(state.hands, seat, ()))
        case StayDown(stays):
            return evolve(state, robots=replaced(state.robots, seat, robot._replace(is_announced=stays)))
        case Repairs(registers):
            _check_repairs(registers, robot.locked, opening(state, seat))
        case Facing(direction):
            if not isinstance(direction, Direction):
                raise InvalidMove(f"{direction!r} is no direction")
    answers = sorted((*state.answers, (seat, answer)), key=lambda pair: pair[0])
    return evolve(state, answers=tuple(answers))


def _check_program(indices: tuple[int, ...], free: int, dealt: int) -> None:
    if len(indices) != free:
        raise IllegalMove(f"{len(indices)} cards for {free} open registers", code="card-count")
    if not all(1 <= index <= dealt for index in indices):
        raise IllegalMove(f"a card outside of the {dealt} that were dealt", code="card-index")
    if len(set(indices)) != len(indices):
        raise IllegalMove("a card for two registers", code="card-twice")


def _check_repairs(registers: tuple[int, ...], locked: tuple[int, ...], count: int) -> None:
    if len(registers) != count:
        raise IllegalMove(f"{len(registers)} registers where {count} are opened", code="register-count")
    if len(set(registers)) != len(registers):
        raise IllegalMove("a register is named twice", code="register-twice")
    if not set(registers) <= set(locked):
        raise IllegalMove("a register is not locked", code="register-open")


def opening(state: State, seat: Seat) -> int:
    """Return how many registers the repair of this stage opens: those that the damage left does not lock."""
    robot = state.robots[seat]
    return len(robot.locked) - locks(robot.damage - repair_points(state, seat))


def legal(state: State, seat: Seat) -> Iterable[Answer]:
    """Yield the legal answers of a seat that owes one. They are made lazily: there are up to 30,240 programs."""
    robot = state.robots[seat]
    match state.stage:
        case Stage.PROGRAM:
            indices = range(1, len(state.hands[seat]) + 1)
            for down in (False, True):
                yield from (Program(chosen, down) for chosen in permutations(indices, len(robot.free)))
        case Stage.STAY_DOWN:
            yield from (StayDown(stays) for stays in (False, True))
        case Stage.REPAIR | Stage.POWER:
            yield from map(Repairs, combinations(robot.locked, opening(state, seat)))
        case _:
            yield from map(Facing, DIRECTIONS)
