"""The register phases, step by step, and players who leave between two steps.

Source: docs/specs/roborally.md#42-a-register-phase, docs/specs/roborally.md#37-removal-and-leaving,
docs/specs/roborally.md#410-the-end-of-the-game.

A turn is a chain of stages (`state.Stage`), and each stage has one function here or in `cleanup.py` that makes the next
position and names the stage after it. One call of `advance` makes exactly one step, even if the step changes nothing,
because channels are notified after each step, journal entries count steps, and an operator may play a game step by
step.

Within a step robots change in a list of their own, because cards, belts and lasers move several robots in ways that
depend on each other. The functions that do that (`movement`, `carrying`, `lasers`) get the list and change it; the
position that they started from is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from gamed.core.game import Seat
from gamed.games.roborally.rules import cleanup
from gamed.games.roborally.rules.carrying import carry, push
from gamed.games.roborally.rules.elements import DIRECTIONS
from gamed.games.roborally.rules.lasers import fire
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.movement import play
from gamed.games.roborally.rules.moves import Facing
from gamed.games.roborally.rules.robots import DESTROYED, REGISTERS, Robot, destroyed, removed
from gamed.games.roborally.rules.state import (
    NOBODY,
    Kind,
    Stage,
    State,
    evolve,
    is_in_phase,
    programs_complete,
    replaced,
)

Effect: TypeAlias = Callable[[Layout, list[Robot], int], bool]
"""What a board element does to the robots in a phase. It changes the list, and returns whether it has changed it."""


def advance(state: State) -> State:
    """Return the state after the next automatic step. Playing one card is a step.

    Raises ValueError if no step is due: players still owe answers, cards must be dealt first, or the game is over.
    """
    step = None if state.waiting else _STEPS.get(state.stage)
    if step is None:
        raise ValueError(f"no automatic step is due in stage {state.stage.name}")
    return step(state)


def remove(state: State, seat: Seat) -> State:
    """Return the state after a player has left or was removed, between two steps.

    Nothing changes if the player is out of the game already, or if the game is over.
    """
    if state.stage is Stage.OVER or state.robots[seat].lives == 0:
        return state
    state = evolve(
        state,
        robots=replaced(state.robots, seat, removed(state.robots[seat])),
        hands=replaced(state.hands, seat, ()),
        waiting=state.waiting - {seat},
        removals=(*state.removals, (seat,)),
        happened=Kind.LEFT,
    )
    if is_in_phase(state):
        # A phase that has begun is played to its end: the survivor may still lose its last life, or reach the last
        # flag. Step E checks for the end. Only the order of play must not stop at a robot that is gone.
        return _due(state) if state.stage is Stage.CARDS else state
    # The leaver may have been the last one whose program was missing.
    return _ending(state) if _too_few(state.robots) else programs_complete(state)


def _too_few(robots: tuple[Robot, ...]) -> bool:
    """Whether a game of several players has at most one left. A game that began with one player goes on."""
    return sum(robot.lives > 0 for robot in robots) <= 1 < len(robots)


def unless_deserted(state: State) -> State:
    """Return the state itself, or its end if no player is left.

    Then the game ends at once, not at step E of the phase, and a game of one player ends, too.
    """
    for robot in state.robots:
        if robot.lives:
            return state
    return state if state.stage >= Stage.ENDING else _ending(state)


def _ending(state: State) -> State:
    return evolve(state, stage=Stage.ENDING, waiting=NOBODY)


def _stepped(state: State, robots: list[Robot], **changes: Any) -> State:
    """Return the state after a step that may have cost robots their last lives, with these other changes.

    All robots that one step removes form one group in `removals`: within it the winning order goes by flags.
    """
    gone = tuple(
        seat
        for seat, (old, new) in enumerate(zip(state.robots, robots, strict=True))
        if new.lives == 0 and old.lives > 0
    )
    removals = (*state.removals, gone) if gone else state.removals
    return evolve(state, robots=tuple(robots), removals=removals, **changes)


def _place(state: State) -> State:
    """Place all robots at the start of the game, with the facings that their players chose."""
    robots = list(state.robots)
    for seat, answer in state.answers:
        # A player may have chosen a facing and left before all had chosen.
        if isinstance(answer, Facing) and robots[seat].lives:
            robots[seat] = robots[seat]._replace(facing=answer.direction)
    return evolve(state, stage=Stage.DEAL, robots=tuple(robots), answers=(), happened=Kind.PLACED)


def _reveal(state: State) -> State:
    """Do step A of the next phase: reveal the cards, and fix the order of play. After phase 5 begin the clean-up."""
    if state.phase == REGISTERS:
        return cleanup.clean_up(state)
    # A card is its priority, and no two are equal: sorting the cards downwards gives the order of play.
    cards = [
        (card, seat)
        for seat, robot in enumerate(state.robots)
        if robot.is_active and robot.damage < DESTROYED and (card := robot.registers[state.phase])
    ]
    cards.sort(reverse=True)
    return _due(
        evolve(
            state,
            stage=Stage.CARDS,
            phase=state.phase + 1,
            order=tuple(seat for _, seat in cards),
            played=0,
            happened=Kind.REVEALED,
        )
    )


def _due(state: State) -> State:
    """Return the state in which the next card of a standing robot is due, or step C1 if no such card is left.

    A robot that was pushed into a pit, or whose player left, before its turn in this phase does not play its card.
    """
    played, order = state.played, state.order
    while played < len(order) and not state.robots[order[played]].is_standing:
        played += 1
    if played == len(order):
        return evolve(state, stage=Stage.EXPRESS, played=played)
    return state if played == state.played else evolve(state, played=played)


def _play(state: State) -> State:
    """Play the next card of step B."""
    seat = state.order[state.played]
    card = state.robots[seat].registers[state.phase - 1]
    assert card is not None
    robots = list(state.robots)
    play(state.layout, robots, seat, card, state.phase)
    return _due(_stepped(state, robots, played=state.played + 1, happened=Kind.PLAYED))


def _element(effect: Effect, happened: Kind, following: Stage) -> Callable[[State], State]:
    """Return the function that makes the step of a board element."""

    def step(state: State) -> State:
        robots = list(state.robots)
        if effect(state.layout, robots, state.phase):
            return _stepped(state, robots, stage=following, happened=happened)
        # Keep the very tuple of robots: `state.changed` and `state.traced` recognise by it that nothing happened.
        return evolve(state, stage=following, happened=happened)

    return step


def _turn_on_gears(layout: Layout, robots: list[Robot], _phase: int) -> bool:
    """Do step C4."""
    turned = [
        (seat, robot, layout.gears[robot.place])
        for seat, robot in enumerate(robots)
        if robot.place in layout.gears and robot.damage < DESTROYED
    ]
    for seat, robot, quarters in turned:
        robots[seat] = robot._replace(facing=DIRECTIONS[(robot.facing + quarters) % 4])
    return bool(turned)


def _crush(layout: Layout, robots: list[Robot], phase: int) -> bool:
    """Do step C5."""
    places = layout.crushers[phase]
    crushed = [seat for seat, robot in enumerate(robots) if robot.place in places and robot.damage < DESTROYED]
    for seat in crushed:
        robots[seat] = destroyed(robots[seat], phase)
    return bool(crushed)


def _touch(state: State) -> State:
    """Do step E: robots touch flags and move their archives. Then check whether the game is at its end."""
    layout = state.layout
    robots = tuple(_touched(layout, robot) for robot in state.robots)
    last = len(layout.flags)
    reached = [
        seat
        for seat, (old, new) in enumerate(zip(state.robots, robots, strict=True))
        if old is not new and old.flag < new.flag == last
    ]
    # If several robots reach the last flag in the same phase, the one that played first wins. A powered-down robot has
    # played no card and may still have been pushed or carried onto the flag: it comes after those that have.
    order = {seat: index for index, seat in enumerate(state.order)}
    reached.sort(key=lambda seat: (order.get(seat, len(order)), seat))
    stage = Stage.ENDING if reached or _too_few(robots) else Stage.REVEAL
    # There were no finishers before: the first phase with one is the last of the game.
    return evolve(state, stage=stage, robots=robots, finishers=tuple(reached), happened=Kind.TOUCHED)


def _touched(layout: Layout, robot: Robot) -> Robot:
    place = robot.place
    if place not in layout.archives or robot.damage >= DESTROYED:
        return robot
    # Flags count in their order only: any other flag moves the archive and is not touched.
    flag = robot.flag + (layout.numbers.get(place) == robot.flag + 1)
    if place == robot.archive and flag == robot.flag:
        return robot
    return robot._replace(archive=place, flag=flag)


def _end(state: State) -> State:
    return evolve(state, stage=Stage.OVER, happened=Kind.ENDED)


_STEPS: Final[Mapping[Stage, Callable[[State], State]]] = {
    Stage.FACING: _place,
    Stage.REVEAL: _reveal,
    Stage.CARDS: _play,
    Stage.EXPRESS: _element(
        lambda layout, robots, phase: carry(layout, robots, layout.express, phase), Kind.EXPRESS, Stage.BELTS
    ),
    # Express belts are among all belts: they carry a second time here.
    Stage.BELTS: _element(
        lambda layout, robots, phase: carry(layout, robots, layout.belts, phase), Kind.BELTS, Stage.PUSHERS
    ),
    Stage.PUSHERS: _element(push, Kind.PUSHERS, Stage.GEARS),
    Stage.GEARS: _element(_turn_on_gears, Kind.GEARS, Stage.CRUSHERS),
    Stage.CRUSHERS: _element(_crush, Kind.CRUSHERS, Stage.LASERS),
    Stage.LASERS: _element(fire, Kind.LASERS, Stage.TOUCH),
    Stage.TOUCH: _touch,
    Stage.REPAIR: cleanup.repair,
    Stage.WIPE: cleanup.wipe,
    Stage.STAY_DOWN: cleanup.stay_down,
    Stage.MATERIALIZE: cleanup.materialize,
    Stage.NEW_ROBOTS: cleanup.new_robots,
    Stage.POWER: cleanup.power,
    Stage.ENDING: _end,
}
"""The automatic step of each stage that has one. Each step names the stage after it, so their order here is free."""
