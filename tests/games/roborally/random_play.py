"""Random legal games for the tests, and what must hold in each of their positions.

Source: docs/specs/roborally.md#6-scenarios.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from gamed.core.game import CHANCE, Options, Seat
from gamed.games.roborally.course_files import load_course
from gamed.games.roborally.rules.cards import DECK
from gamed.games.roborally.rules.courses import Limits
from gamed.games.roborally.rules.game import RoboRally
from gamed.games.roborally.rules.moves import Move
from gamed.games.roborally.rules.robots import locks
from gamed.games.roborally.rules.state import Stage, State, deck
from gamed.games.roborally.strategy import Strategy, as_public, at_random

GAME = RoboRally()


def options(course: str, players: int, max_turns: int = 200) -> Options:
    """Return the options of a game on a course that gamed brings along."""
    its = load_course(course, Limits())
    flags = " ".join(f"{x},{y}" for x, y in its.flags)
    return {"plan": its.board.plan, "flags": flags, "players": players, "lives": 3, "max_turns": max_turns}


def answer(state: State, seat: Seat, random: Random, strategy: Strategy = at_random) -> Move:
    """Return what a strategy answers to what it is asked."""
    return strategy(state.layout, as_public(state.robots[seat]), GAME.requests(state)[seat], random)


def positions(state: State, random: Random, strategy: Strategy = at_random, leaving: float = 0.0) -> Iterator[State]:
    """Yield the positions of a game. `leaving`: how likely a player leaves before a step."""
    while GAME.outcome(state) is None:
        asked = GAME.to_move(state)
        if leaving and random.random() < leaving:
            state = GAME.remove(state, random.randrange(len(state.robots)))
        elif asked == {CHANCE}:
            state = GAME.apply(state, CHANCE, GAME.draw(state, random))
        elif asked:
            seat = random.choice(sorted(asked))
            state = GAME.apply(state, seat, answer(state, seat, random, strategy))
        else:
            state = GAME.advance(state)
        yield state


def broken(state: State) -> list[str]:
    """Return which invariants do not hold."""
    robots = [robot for robot in state.robots if robot.is_standing]
    real = [robot.place for robot in robots if not robot.is_virtual]
    held = [card for robot in state.robots for card in robot.registers if card is not None]
    dealt = [card for hand in state.hands for card in hand]
    removed = {seat for group in state.removals for seat in group}
    rules = {
        "two real robots stand on one field": len(set(real)) == len(real),
        "a robot stands on a pit": all(robot.place in state.layout.ground for robot in robots),
        "locks do not fit the damage": all(len(robot.locked) == locks(robot.damage) for robot in robots),
        "a locked register is empty": all(card is not None for robot in robots for _, card in robot.locked_cards),
        "a destroyed robot has locks": all(robot.is_standing or not robot.locked for robot in state.robots),
        "cards are held twice": len(set(held)) == len(held),
        "a dealt card is in a register": not set(held) & set(dealt),
        "cards are lost": deck(state) | set(held) == DECK,
        "a standing robot has no life": all(robot.lives > 0 for robot in robots),
        "removals and lives differ": removed == {seat for seat, robot in enumerate(state.robots) if not robot.lives},
        "a removed seat is asked": not removed & state.waiting,
        "cards are kept without need": state.stage is not Stage.DEAL
        or all(robot.registers[number - 1] is None for robot in robots if robot.is_active for number in robot.free),
        "a powered-down robot lacks cards": all(robot.is_active or None not in robot.registers for robot in robots),
    }
    return [rule for rule, holds in rules.items() if not holds]
