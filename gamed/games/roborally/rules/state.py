"""Where a game stands, and what follows from that alone.

Source: docs/specs/roborally.md#34-a-turn, docs/specs/roborally.md#36-what-channels-are-told,
docs/specs/roborally.md#38-queries, docs/specs/roborally.md#410-the-end-of-the-game (the winning order).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from attrs import field, frozen

from gamed.core.game import Seat
from gamed.games.roborally.rules.cards import DECK, HAND, Card
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.moves import AskFacing, AskProgram, AskRepairs, AskStayDown, Facing, Repairs, Request
from gamed.games.roborally.rules.robots import DESTROYED, REGISTERS, Robot

NOBODY: Final[frozenset[Seat]] = frozenset()


class Stage(IntEnum):
    """What is to be done next, in the order of a turn. While players are asked, it waits for them."""

    FACING = 0
    """MNR to all; then the robots are placed."""
    DEAL = 1
    """Chance deals."""
    PROGRAM = 2
    """MRP to active robots."""
    REVEAL = 3
    """A: the cards of the next phase are revealed; after phase 5, the clean-up begins."""
    CARDS = 4
    """B: the next card is played."""
    EXPRESS = 5
    """C1: belts of speed 2."""
    BELTS = 6
    """C2: all belts."""
    PUSHERS = 7
    """C3."""
    GEARS = 8
    """C4."""
    CRUSHERS = 9
    """C5."""
    LASERS = 10
    """D."""
    TOUCH = 11
    """E: flags and archives."""
    REPAIR = 12
    """Clean-up 1: MRR; repair sites and flags."""
    WIPE = 13
    """Clean-up 2: registers."""
    STAY_DOWN = 14
    """Clean-up 3: MBD."""
    MATERIALIZE = 15
    """Clean-up 4: virtual robots become real."""
    NEW_ROBOTS = 16
    """Clean-up 5: MNR; destroyed robots come back."""
    POWER = 17
    """Clean-up 6: MRR; robots go down and wake up."""
    ENDING = 18
    """The end is certain, but has not been told."""
    OVER = 19
    """The game has ended."""


class Kind(StrEnum):
    """What has happened, as the output channels are to be told. The values stand in views."""

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
    """The robots after a step of a turn.

    `turn`: 0 before the first one. `kind`: of the step, None before the first step; `seat`: who played a card.
    """

    turn: int
    phase: int
    kind: Kind | None
    robots: tuple[Robot, ...]
    seat: Seat | None = None


Programs: TypeAlias = tuple[tuple[Card | None, ...], ...]
"""A seat's programs, one for each turn in which it had one: the cards that were revealed, from register 1 on."""


# Not slotted: `evolve` copies the instance dictionary.
@frozen(slots=False)
class State:
    """A position.

    `phase`: the register phase that runs, 1..5; 0 outside of the phases. `robots`: one for each seat. `hands`: the
    dealt cards, until the program is there. `waiting`: the seats that still owe an answer in this stage. `answers`:
    those given in this stage that take effect when all are there, by seat. `order`: the seats in the order in which
    they play in this phase, and `played`: how many of them have had their turn. `finishers`: who reached the last
    flag, in winning order. `removals`: the removed seats, those of one step together. `happened`: what the last step
    was; None where there is nothing to be told. `trail`: the steps of the last turn that was played, for views alone.
    `programs`: see `revealed_programs`, for views alone, too.
    """

    layout: Layout
    max_turns: int
    stage: Stage
    turn: int
    phase: int
    robots: tuple[Robot, ...]
    hands: tuple[tuple[Card, ...], ...]
    waiting: frozenset[Seat] = NOBODY
    answers: tuple[tuple[Seat, Facing | Repairs], ...] = ()
    order: tuple[Seat, ...] = ()
    played: int = 0
    finishers: tuple[Seat, ...] = ()
    removals: tuple[tuple[Seat, ...], ...] = ()
    happened: Kind | None = None
    trail: tuple[Glimpse, ...] = field(default=(), eq=False, repr=False)
    programs: tuple[Programs, ...] = field(default=(), eq=False, repr=False)


if TYPE_CHECKING:
    # So that mypy checks the names and types of the changes, which it does for attrs' own function only.
    from attrs import evolve
else:

    def evolve(state: State, **changes: Any) -> State:
        """Return a copy of a position with some fields changed.

        The same as `attrs.evolve` in a fifth of its time. A turn makes about seventy positions, and copying them field
        by field was a third of a turn's time.
        """
        after = object.__new__(State)
        fields = after.__dict__
        fields.update(state.__dict__)
        fields.update(changes)
        return after


@frozen
class Event:
    """What the output channels are told: `seats` are the names in NTC, in order of registration."""

    kind: Kind
    seats: tuple[Seat, ...]


_ALWAYS: Final = frozenset({Kind.PLACED, Kind.REVEALED, Kind.ENDED})
"""What the channels are told of although no robot has changed."""


def changed(before: State, after: State) -> Event | None:
    """Return what is to be told of the last step or leaving, or None where nothing is.

    `before`: the state from which `advance` or `remove` made `after`.
    """
    kind = after.happened
    if kind is None or (after.robots is before.robots and kind not in _ALWAYS):
        return None
    if kind is Kind.REVEALED:
        return Event(kind, ())
    if kind in {Kind.PLACED, Kind.ENDED}:
        return Event(kind, tuple(range(len(after.robots))))
    pairs = zip(before.robots, after.robots, strict=True)
    seats = tuple(
        seat for seat, (old, new) in enumerate(pairs) if old is not new and public_state(old) != public_state(new)
    )
    return Event(kind, seats) if seats else None


def traced(before: State, after: State) -> State:
    """Return `after` with what the step to it did on its trail, which begins anew with the first phase of a turn."""
    is_revealed = after.happened is Kind.REVEALED
    if after.happened is None or (after.robots is before.robots and not is_revealed):
        return after
    is_first = is_revealed and before.phase == 0
    programs = revealed_programs(before, after) if is_revealed else before.programs
    trail = before.trail
    if is_first or not trail:
        trail = (Glimpse(before.turn if is_first else 0, 0, None, before.robots),)
    seat = before.order[before.played] if after.happened is Kind.PLAYED else None
    trail = (*trail, Glimpse(trail[0].turn, after.phase, after.happened, after.robots, seat))
    return evolve(after, trail=trail, programs=programs)


def revealed_programs(before: State, after: State) -> tuple[Programs, ...]:
    """Return the programs of all seats as far as they are public, after the step that revealed a phase's cards.

    What was revealed stays: of robots that are destroyed or removed later, too.
    """
    programs = list(before.programs) or [()] * len(after.robots)
    for seat, robot in enumerate(after.robots):
        if robot.is_active and robot.is_standing:
            *done, now = (*programs[seat], ()) if after.phase == 1 else programs[seat]
            programs[seat] = (*done, (*now, robot.registers[after.phase - 1]))
    return tuple(programs)


def public_state(robot: Robot) -> tuple[object, ...]:
    """Return what GRS tells of a robot: the fields of RS, or nothing once it has been removed (RSE)."""
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

    Of a destroyed robot, those up to the phase of its destruction. Powered-down and removed robots are left out.
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
    """Return the cards that are neither locked nor kept nor programmed: those that are dealt from."""
    return DECK.difference(*(robot.registers for robot in state.robots))


def hand_sizes(state: State) -> tuple[int, ...]:
    """Return how many cards each seat is dealt in this turn."""
    return tuple(HAND - robot.damage if robot.is_active and robot.is_standing else 0 for robot in state.robots)


def is_in_phase(state: State) -> bool:
    """Whether a register phase runs, or the next one is to begin."""
    is_last_over = state.phase == REGISTERS and state.stage is Stage.REVEAL
    return state.phase > 0 and state.stage <= Stage.TOUCH and not is_last_over


def repair_points(state: State, seat: Seat) -> int:
    """Return the points that the stage repairs of a robot: by its place, or all of them for a power down."""
    robot = state.robots[seat]
    return robot.damage if state.stage is Stage.POWER else state.layout.repairs.get(robot.place, 0)


def requests(state: State) -> Mapping[Seat, Request]:
    """Return what each seat is asked that owes an answer."""
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
    """Return all seats in winning order, also of a game that still runs."""
    robots = state.robots
    out = [seat for group in reversed(state.removals) for seat in sorted(group, key=lambda it: (-robots[it].flag, it))]
    rest = [seat for seat in range(len(robots)) if seat not in state.finishers and robots[seat].lives]
    rest.sort(key=lambda seat: (-robots[seat].flag, -robots[seat].lives, robots[seat].damage, seat))
    return (*state.finishers, *rest, *(seat for seat in out if seat not in state.finishers))


def programs_complete(state: State) -> State:
    """Return the state in which the first phase is next if all programs are there, or else the same."""
    if state.stage is Stage.PROGRAM and not state.waiting:
        return evolve(state, stage=Stage.REVEAL)
    return state


_Item = TypeVar("_Item")


def replaced(items: tuple[_Item, ...], seat: Seat, item: _Item) -> tuple[_Item, ...]:
    """Return a tuple of one item for each seat, with another one for this seat."""
    return (*items[:seat], item, *items[seat + 1 :])
