"""The register phases, step by step, and players who leave between two steps.

Source: docs/specs/roborally.md#42-a-register-phase, docs/specs/roborally.md#37-removal-and-leaving,
docs/specs/roborally.md#410-the-end-of-the-game.

A turn is a chain of stages (`state.Stage`), and each stage has one function here or in `cleanup.py` that makes its step
and names the stage after it. One call of `advance` makes exactly one step, even if the step changes nothing, because
channels are notified after each step, journal entries count steps, and an operator may play a game step by step. Where
nobody looks at the positions in between, `settle` makes all steps that are due on one draft.

Within a step robots change in a list of their own, because cards, belts and lasers move several robots in ways that
depend on each other. The functions that do that (`movement`, `carrying`, `lasers`) get the list and change it; the
position that they started from is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

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
    Draft,
    Kind,
    Stage,
    State,
    copied,
    is_in_phase,
    programs_complete,
    replaced,
    trace,
)

Effect: TypeAlias = Callable[[Layout, list[Robot], int], bool]
"""What a board element does to the robots in a phase. It changes the list, and returns whether it has changed it."""


def advance(state: State) -> State:
    """Return the state after the next automatic step. Playing one card is a step.

    Raises ValueError if no step is due: players still owe answers, cards must be dealt first, or the game is over.
    """
    draft = copied(state, Draft)
    _step(draft)
    return copied(draft, State)


def settle(state: State) -> tuple[State, int]:
    """Return the state after the automatic steps that are due, and their number. It stops where the clean-up begins.

    The steps are in its trail. Raises ValueError if no step is due.
    """
    draft, steps = copied(state, Draft), 0
    while not steps or (not draft.waiting and draft.stage in _STEPS and draft.stage is not Stage.REPAIR):
        if draft.stage is Stage.EXPRESS and not _is_on_elements(draft):
            draft.stage = Stage.LASERS
            steps += Stage.LASERS - Stage.EXPRESS
            continue
        robots, played = draft.robots, draft.played
        _step(draft)
        _follow_up(draft, robots, played)
        steps += 1
    return copied(draft, State), steps


def _is_on_elements(draft: Draft) -> bool:
    """Whether a robot stands where one of the steps C1 to C5 of this phase may do something."""
    places = draft.layout.moving[draft.phase]
    return any(robot.place in places and robot.damage < DESTROYED for robot in draft.robots)


def followed_up(before: State, after: State) -> State:
    """Return the state `after` a step or a leaving, with its trail, and ended if no player is left."""
    draft = copied(after, Draft)
    _follow_up(draft, before.robots, before.played)
    return copied(draft, State)


def _follow_up(draft: Draft, robots: tuple[Robot, ...], played: int) -> None:
    """Add the step to the trail. If no player is left, end the game at once, and not at step E of the phase.

    `robots` and `played` are those before the step. A game of one player ends, too.
    """
    if draft.robots is not robots or draft.happened is Kind.REVEALED:
        trace(draft, robots, played)
    for robot in draft.robots:
        if robot.lives:
            return
    if draft.stage < Stage.ENDING:
        _end_soon(draft)


def _step(draft: Draft) -> None:
    """Make the next automatic step."""
    step = None if draft.waiting else _STEPS.get(draft.stage)
    if step is None:
        raise ValueError(f"no automatic step is due in stage {draft.stage.name}")
    step(draft)


def remove(state: State, seat: Seat) -> State:
    """Return the state after a player has left or was removed, between two steps.

    Nothing changes if the player is out of the game already, or if the game is over.
    """
    if state.stage is Stage.OVER or state.robots[seat].lives == 0:
        return state
    draft = copied(state, Draft)
    draft.robots = replaced(state.robots, seat, removed(state.robots[seat]))
    draft.hands = replaced(state.hands, seat, ())
    draft.waiting = state.waiting - {seat}
    draft.removals = (*state.removals, (seat,))
    draft.happened = Kind.LEFT
    if is_in_phase(draft):
        # A phase that has begun is played to its end: the survivor may still lose its last life, or reach the last
        # flag. Step E checks for the end. Only the order of play must not stop at a robot that is gone.
        if draft.stage is Stage.CARDS:
            _pass_over(draft)
    elif _too_few(draft.robots):
        _end_soon(draft)
    # The leaver may have been the last one whose program was missing.
    return programs_complete(copied(draft, State))


def _too_few(robots: tuple[Robot, ...]) -> bool:
    """Whether a game of several players has at most one left. A game that began with one player goes on."""
    return sum(robot.lives > 0 for robot in robots) <= 1 < len(robots)


def _end_soon(draft: Draft) -> None:
    draft.stage, draft.waiting = Stage.ENDING, NOBODY


def _set_robots(draft: Draft, robots: list[Robot]) -> None:
    """Take the robots after a step that may have cost some of them their last lives.

    All robots that one step removes form one group in `removals`: within it the winning order goes by flags.
    """
    gone = [
        seat
        for seat, (old, new) in enumerate(zip(draft.robots, robots, strict=True))
        if new.lives == 0 and old.lives > 0
    ]
    if gone:
        draft.removals = (*draft.removals, tuple(gone))
    draft.robots = tuple(robots)


def _place(draft: Draft) -> None:
    """Place all robots at the start of the game, with the facings that their players chose."""
    robots = list(draft.robots)
    for seat, answer in draft.answers:
        # A player may have chosen a facing and left before all had chosen.
        if isinstance(answer, Facing) and robots[seat].lives:
            robots[seat] = robots[seat]._replace(facing=answer.direction)
    draft.stage, draft.happened = Stage.DEAL, Kind.PLACED
    draft.robots, draft.answers = tuple(robots), ()


def _reveal(draft: Draft) -> None:
    """Do step A of the next phase: reveal the cards, and fix the order of play. After phase 5 begin the clean-up."""
    if draft.phase == REGISTERS:
        cleanup.clean_up(draft)
        return
    # A card is its priority, and no two are equal: sorting the cards downwards gives the order of play.
    cards = [
        (card, seat)
        for seat, robot in enumerate(draft.robots)
        if robot.is_active and robot.damage < DESTROYED and (card := robot.registers[draft.phase])
    ]
    cards.sort(reverse=True)
    draft.stage, draft.happened = Stage.CARDS, Kind.REVEALED
    draft.phase += 1
    draft.order = tuple([seat for _, seat in cards])
    draft.played = 0
    _pass_over(draft)


def _pass_over(draft: Draft) -> None:
    """Go on to the next card of a standing robot, or to step C1 if no such card is left.

    A robot that was pushed into a pit, or whose player left, before its turn in this phase does not play its card.
    """
    order = draft.order
    while draft.played < len(order):
        if draft.robots[order[draft.played]].damage < DESTROYED:
            return
        draft.played += 1
    draft.stage = Stage.EXPRESS


def _play(draft: Draft) -> None:
    """Play the next card of step B."""
    seat = draft.order[draft.played]
    card = draft.robots[seat].registers[draft.phase - 1]
    assert card is not None
    robots = list(draft.robots)
    play(draft.layout, robots, seat, card, draft.phase)
    _set_robots(draft, robots)
    draft.happened = Kind.PLAYED
    draft.played += 1
    _pass_over(draft)


def _element(effect: Effect, happened: Kind, following: Stage) -> Callable[[Draft], None]:
    """Return the function that makes the step of a board element."""

    def step(draft: Draft) -> None:
        robots = list(draft.robots)
        if effect(draft.layout, robots, draft.phase):
            _set_robots(draft, robots)
        # Otherwise keep the very tuple of robots: `state.changed` and `state.trace` recognise by it that nothing
        # happened.
        draft.stage, draft.happened = following, happened

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


def _touch(draft: Draft) -> None:
    """Do step E: robots touch flags and move their archives. Then check whether the game is at its end."""
    layout = draft.layout
    robots = tuple([_touched(layout, robot) for robot in draft.robots])
    last = len(layout.flags)
    reached = [
        seat
        for seat, (old, new) in enumerate(zip(draft.robots, robots, strict=True))
        if old is not new and old.flag < new.flag == last
    ]
    # If several robots reach the last flag in the same phase, the one that played first wins. A powered-down robot has
    # played no card and may still have been pushed or carried onto the flag: it comes after those that have.
    order = {seat: index for index, seat in enumerate(draft.order)}
    reached.sort(key=lambda seat: (order.get(seat, len(order)), seat))
    draft.stage = Stage.ENDING if reached or _too_few(robots) else Stage.REVEAL
    draft.happened = Kind.TOUCHED
    draft.robots = robots
    # There were no finishers before: the first phase with one is the last of the game.
    draft.finishers = tuple(reached)


def _touched(layout: Layout, robot: Robot) -> Robot:
    place = robot.place
    if place not in layout.archives or robot.damage >= DESTROYED:
        return robot
    # Flags count in their order only: any other flag moves the archive and is not touched.
    flag = robot.flag + (layout.numbers.get(place) == robot.flag + 1)
    if place == robot.archive and flag == robot.flag:
        return robot
    return robot._replace(archive=place, flag=flag)


def _end(draft: Draft) -> None:
    draft.stage, draft.happened = Stage.OVER, Kind.ENDED


_STEPS: Final[Mapping[Stage, Callable[[Draft], None]]] = {
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
