"""The state of a game, and what can be read from it: who is asked what, what is public, who leads.

Source: docs/specs/roborally.md#34-a-turn, docs/specs/roborally.md#36-what-channels-are-told,
docs/specs/roborally.md#38-queries, docs/specs/roborally.md#410-the-end-of-the-game (the winning order).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from attrs import define, field, frozen

from gamed.core.game import Seat
from gamed.games.roborally.rules.cards import DECK, HAND, Card
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.moves import AskFacing, AskProgram, AskRepairs, AskStayDown, Facing, Repairs, Request
from gamed.games.roborally.rules.robots import DESTROYED, REGISTERS, Robot

NOBODY: Final[frozenset[Seat]] = frozenset()


class Stage(IntEnum):
    """The step that is due next, in the order of a turn. It waits until all players who are asked have answered.

    A to E and the clean-up's numbers are the steps of the source, and MNR, MRP, MRR and MBD the protocol's requests.
    """

    FACING = 0
    """The start: robots are placed, with the facings that their players were asked for (MNR)."""

    DEAL = 1
    """Cards are dealt. This is chance's move, not an automatic step."""

    PROGRAM = 2
    """Active robots' players are asked for programs (MRP). The stage ends with the last answer."""

    REVEAL = 3
    """A: the cards of the next phase are revealed. After phase 5 the clean-up begins instead."""

    CARDS = 4
    """B: one card is played. The stage is repeated until all cards of the phase have been."""

    EXPRESS = 5
    """C1: express belts carry."""

    BELTS = 6
    """C2: all belts carry."""

    PUSHERS = 7
    """C3: pushers push."""

    GEARS = 8
    """C4: gears turn."""

    CRUSHERS = 9
    """C5: crushers crush."""

    LASERS = 10
    """D: lasers fire."""

    TOUCH = 11
    """E: robots touch flags and move their archives, and the end of the game is checked."""

    REPAIR = 12
    """Clean-up 1: robots on repair sites and flags are repaired, and their players asked what to unlock (MRR)."""

    WIPE = 13
    """Clean-up 2: the cards in open registers go back to the deck."""

    STAY_DOWN = 14
    """Clean-up 3: the players of powered-down robots are asked whether to stay so (MBD)."""

    MATERIALIZE = 15
    """Clean-up 4: virtual robots that are alone on their fields become real."""

    NEW_ROBOTS = 16
    """Clean-up 5: destroyed robots come back, with the facings that their players were asked for (MNR)."""

    POWER = 17
    """Clean-up 6: robots power down or up. Powering down repairs them; players are asked what to unlock (MRR)."""

    ENDING = 18
    """The game is decided. The step to OVER lets the channels be notified of the end."""

    OVER = 19
    """The game has ended."""


class Kind(StrEnum):
    """What a step has done: what the output channels are notified of. Views show the values."""

    PLACED = "placed"
    REVEALED = "revealed"
    PLAYED = "played"
    EXPRESS = "express"
    BELTS = "belts"
    PUSHERS = "pushers"
    GEARS = "gears"
    CRUSHERS = "crushers"
    LASERS = "lasers"
    TOUCHED = "touched"
    REPAIRED = "repaired"
    MATERIALIZED = "materialized"
    RETURNED = "returned"
    POWERED = "powered"
    LEFT = "left"
    ENDED = "ended"


class Glimpse(NamedTuple):
    """The robots after one step of a turn, kept so that viewers can draw the turn step by step."""

    turn: int
    """0 for steps before the first turn."""

    phase: int

    kind: Kind | None
    """What the step did; None for the position before the first step."""

    robots: tuple[Robot, ...]

    seat: Seat | None = None
    """The seat that played a card, if this step was one."""


Programs: TypeAlias = tuple[tuple[Card | None, ...], ...]
"""A seat's programs, one for each turn in which it had one: the cards that were revealed, beginning with register 1."""


# Not slotted: a position is copied as a whole, by its instance dictionary.
@define(slots=False, eq=False)
class Draft:
    """A position in the making, which the steps of a turn change in place."""

    layout: Layout

    max_turns: int
    """The game ends after this turn, if no robot has reached the last flag before."""

    stage: Stage
    """The step that is due next."""

    turn: int
    """The number of the turn, from 1."""

    phase: int
    """The register phase that is being played, 1..5; 0 outside of the phases."""

    robots: tuple[Robot, ...]
    """The robot of each seat. A step that changes no robot keeps this very tuple."""

    hands: tuple[tuple[Card, ...], ...]
    """The dealt cards of each seat; empty once its program has arrived."""

    waiting: frozenset[Seat] = NOBODY
    """The seats that still owe an answer in this stage."""

    answers: tuple[tuple[Seat, Facing | Repairs], ...] = ()
    """Answers of this stage, by seat, that take effect together in its step."""

    order: tuple[Seat, ...] = ()
    """The seats that play a card in this phase, in the order of play."""

    played: int = 0
    """How many seats of `order` have played, or lost their robot before they could."""

    finishers: tuple[Seat, ...] = ()
    """The seats that have reached the last flag, in winning order."""

    removals: tuple[tuple[Seat, ...], ...] = ()
    """The seats that are out of the game; those that one step removed are in one group."""

    happened: Kind | None = None
    """What the last step did; None if channels are not notified of it."""

    trail: tuple[Glimpse, ...] = field(default=(), eq=False, repr=False)
    """The steps of the turn that was played last. Only views use it, so positions are compared without it."""

    programs: tuple[Programs, ...] = field(default=(), eq=False, repr=False)
    """The revealed cards of all seats and turns (`revealed_programs`). Only views use them, too."""


@frozen(slots=False)
class State(Draft):
    """A position. The fields are those of a draft."""


_Position = TypeVar("_Position", bound=Draft)


def copied(position: Draft, kind: type[_Position]) -> _Position:
    """Return a copy of a position as a draft, which can be changed, or as a state, which cannot."""
    copy = object.__new__(kind)
    copy.__dict__.update(position.__dict__)
    return copy


if TYPE_CHECKING:
    # So that mypy checks the names and types of the changes, which it does for attrs' own function only.
    from attrs import evolve as evolve  # noqa: PLC0414 (an explicit re-export)
else:

    def evolve(state: State, **changes: Any) -> State:
        """Return a copy of a position with some fields changed.

        The same as `attrs.evolve`, in a fifth of its time.
        """
        after = copied(state, State)
        after.__dict__.update(changes)
        return after


@frozen
class Event:
    """What the output channels are notified of (NTC)."""

    kind: Kind

    seats: tuple[Seat, ...]
    """The seats whose names NTC lists, in order of registration."""


_ALWAYS: Final = frozenset({Kind.PLACED, Kind.REVEALED, Kind.ENDED})
"""What the channels are notified of even if no robot has changed."""


def changed(before: State, after: State) -> Event | None:
    """Return what the channels are notified of after a step or a leaving; None: of nothing.

    `before` is the state from which `advance` or `remove` made `after`.
    """
    kind = after.happened
    if kind is None or (after.robots is before.robots and kind not in _ALWAYS):
        return None
    if kind is Kind.REVEALED:
        return Event(kind, ())
    if kind in {Kind.PLACED, Kind.ENDED}:
        return Event(kind, tuple(range(len(after.robots))))
    # A robot may be another object, and yet look the same to a channel: registers, for example, are not public.
    pairs = zip(before.robots, after.robots, strict=True)
    seats = tuple(
        seat for seat, (old, new) in enumerate(pairs) if old is not new and public_state(old) != public_state(new)
    )
    return Event(kind, seats) if seats else None


def trace(draft: Draft, robots: tuple[Robot, ...], played: int) -> None:
    """Add a step that has changed robots or revealed cards to the trail. Revealing phase 1 begins a new trail.

    `robots` and `played` are those before the step.
    """
    happened = draft.happened
    if happened is None:
        return
    is_revealed = happened is Kind.REVEALED
    is_first = is_revealed and draft.phase == 1
    if is_revealed:
        draft.programs = revealed_programs(draft)
    trail = draft.trail
    if is_first or not trail:
        trail = (Glimpse(draft.turn if is_first else 0, 0, None, robots),)
    seat = draft.order[played] if happened is Kind.PLAYED else None
    draft.trail = (*trail, Glimpse(trail[0].turn, draft.phase, happened, draft.robots, seat))


def revealed_programs(revealed: Draft) -> tuple[Programs, ...]:
    """Return all programs with the cards of the phase that was just revealed.

    Revealed cards stay listed, also those of robots that are destroyed or removed later.
    """
    programs = list(revealed.programs) or [()] * len(revealed.robots)
    for seat, robot in enumerate(revealed.robots):
        if robot.is_active and robot.is_standing:
            # In phase 1 the seat begins a new program; later its last one gets longer.
            *done, now = (*programs[seat], ()) if revealed.phase == 1 else programs[seat]
            programs[seat] = (*done, (*now, robot.registers[revealed.phase - 1]))
    return tuple(programs)


def public_state(robot: Robot) -> tuple[object, ...]:
    """Return what the answer to GRS shows of a robot: the arguments of RS, or nothing for a removed robot (RSE)."""
    if robot.lives == 0:
        return ()
    return (
        robot.facing,
        robot.place,
        robot.flag,
        robot.archive,
        robot.damage,
        robot.lives,
        robot.locked_cards,
        robot.is_active,
        robot.is_virtual,
    )


def revealed(state: State) -> tuple[tuple[Seat, tuple[Card, ...]], ...]:
    """Return the cards revealed in this turn, by seat in order of registration; nothing outside of the phases.

    A destroyed robot's cards are listed up to the phase of its destruction. Powered-down and removed robots are
    omitted.
    """
    if state.phase == 0 or state.stage is Stage.OVER:
        return ()
    shown = ((seat, _shown(robot, state.phase)) for seat, robot in enumerate(state.robots))
    return tuple((seat, cards) for seat, cards in shown if cards)


def _shown(robot: Robot, phase: int) -> tuple[Card, ...]:
    if not robot.is_active or robot.lives == 0:
        return ()
    last = robot.fell_in if robot.damage >= DESTROYED else phase
    return tuple(card for card in robot.registers[:last] if card is not None)


def deck(state: State) -> frozenset[Card]:
    """Return the cards that can be dealt: those that are in no robot's registers."""
    return DECK.difference(*(robot.registers for robot in state.robots))


def hand_sizes(state: State) -> tuple[int, ...]:
    """Return how many cards each seat is dealt in this turn."""
    return tuple(HAND - robot.damage if robot.is_active and robot.is_standing else 0 for robot in state.robots)


def is_in_phase(state: Draft) -> bool:
    """Whether a register phase is being played, or another one follows in this turn."""
    # After phase 5, REVEAL is the step that begins the clean-up.
    is_last_over = state.phase == REGISTERS and state.stage is Stage.REVEAL
    return state.phase > 0 and state.stage <= Stage.TOUCH and not is_last_over


def repair_points(state: Draft, seat: Seat) -> int:
    """Return how many points of damage this stage repairs: those of the robot's place, or all at a power down."""
    robot = state.robots[seat]
    return robot.damage if state.stage is Stage.POWER else state.layout.repairs.get(robot.place, 0)


def requests(state: State) -> Mapping[Seat, Request]:
    """Return the open request of each seat that owes an answer."""
    return {seat: _request(state, seat) for seat in sorted(state.waiting)}


def _request(state: State, seat: Seat) -> Request:
    match state.stage:
        case Stage.PROGRAM:
            return AskProgram(state.hands[seat])
        case Stage.STAY_DOWN:
            return AskStayDown()
        case Stage.REPAIR | Stage.POWER:
            return AskRepairs(repair_points(state, seat))
        case _:
            return AskFacing()


def ranking(state: State) -> tuple[Seat, ...]:
    """Return all seats in winning order, also while the game is running."""
    robots = state.robots
    out = [seat for group in reversed(state.removals) for seat in sorted(group, key=lambda it: (-robots[it].flag, it))]
    rest = [seat for seat in range(len(robots)) if seat not in state.finishers and robots[seat].lives]
    rest.sort(key=lambda seat: (-robots[seat].flag, -robots[seat].lives, robots[seat].damage, seat))
    return (*state.finishers, *rest, *(seat for seat in out if seat not in state.finishers))


def programs_complete(state: State) -> State:
    """Return the state in which phase 1 is due if the last program has arrived, else the state itself."""
    if state.stage is Stage.PROGRAM and not state.waiting:
        return evolve(state, stage=Stage.REVEAL)
    return state


_Item = TypeVar("_Item")


def replaced(items: tuple[_Item, ...], seat: Seat, item: _Item) -> tuple[_Item, ...]:
    """Return a tuple of one item a seat, with this seat's item replaced."""
    return (*items[:seat], item, *items[seat + 1 :])
