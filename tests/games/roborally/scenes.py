"""Scenes for the board in the browser, made by the rules."""

from __future__ import annotations

from random import Random
from typing import Any

from gamed.core.game import CHANCE
from gamed.games.roborally.rules.elements import Direction
from gamed.games.roborally.rules.game import RoboRally
from gamed.games.roborally.rules.moves import Deal, Facing, Program
from gamed.games.roborally.rules.state import State
from tests.games.roborally.random_play import options

GAME = RoboRally()
NAMES = ("Anna", "Bert", "Carla", "Dmitri", "Eve", "Fritz", "Gustav", "Hedwig")


def started(course: str, players: int = 2, seed: int = 1) -> State:
    """Return a game after the first deal."""
    state = GAME.setup(options(course, players))
    for seat in range(players):
        state = GAME.apply(state, seat, Facing(Direction.E))
    state = GAME.advance(state)
    return GAME.apply(state, CHANCE, GAME.draw(state, Random(seed)))


def dealt(state: State, *hands: tuple[int, ...]) -> State:
    """Return a position before a deal after this deal."""
    return GAME.apply(state, CHANCE, Deal(tuple(card for hand in hands for card in hand)))


def programmed(state: State) -> State:
    """Return the position after all who are asked have put their first cards into the registers."""
    for seat in sorted(state.waiting):
        state = GAME.apply(state, seat, Program(tuple(range(1, len(state.robots[seat].free) + 1))))
    return state


def played(state: State, until: str = "deal") -> State:
    """Return the position at a stage to come; whoever is asked before answers with the first legal move."""
    while state.stage.name.lower() != until:
        for seat in sorted(state.waiting):
            state = GAME.apply(state, seat, next(iter(GAME.legal_moves(state, seat))))
        state = GAME.advance(state)
    return state


def scene(state: State, seat: int | None = None, **you: Any) -> dict[str, Any]:
    """Return what a board is given; with a seat, what its player may do."""
    board: Any = GAME.view(state, seat)
    seats = [{"seat": number, "name": NAMES[number], "connected": True} for number in range(len(state.robots))]
    found = {
        "board": board,
        "phase": "play",
        "seats": seats,
        "options": {},
        "outcome": None,
        "last": None,
        "isLive": True,
    }
    if seat is None:
        return found
    own = board["own"]
    words = {"MNR": "facing", "MRP": "program", "MBD": "power"}
    prompt = "repair" if (own["asked"] or "").startswith("MRR") else words.get(own["asked"] or "")
    mine = {
        "seat": seat,
        "name": NAMES[seat],
        "hand": own["hand"],
        "registers": own["registers"],
        "locked": [number for number, _ in (board["robots"][seat] or {"locked": []})["locked"]],
        "prompt": prompt,
        "opens": 0,
        "down": own["announced"],
        "preview": [],
        "seconds": 60,
    }
    return {**found, "phase": prompt or "wait", "you": {**mine, **you}, "won": None}
