"""Hypothesis strategies for boards and messages: everything that the grammar can say."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from gamed.core.events import Event
from gamed.games.roborally import messages as m
from gamed.games.roborally.rules.board import (
    PIT,
    PLAIN,
    Belt,
    Board,
    Direction,
    Floor,
    Gear,
    Laser,
    Place,
    Pusher,
    Repair,
    Wall,
)
from gamed.games.roborally.rules.cards import Action

NUMBERS = st.integers(0, 255)
PHASES = st.lists(st.integers(1, 5), max_size=6).map(tuple)
DIRECTIONS = st.sampled_from(Direction)
TURNS = st.sampled_from(("L", "R"))

DEVICES = st.builds(Laser, NUMBERS) | st.builds(Pusher, PHASES)
WALLS = st.builds(Wall, st.none() | DEVICES, st.booleans(), st.none() | DEVICES)
BELTS = st.builds(
    Belt, DIRECTIONS, st.integers(1, 2), st.lists(st.tuples(DIRECTIONS, TURNS), max_size=4).map(tuple), PHASES
)
FLOORS: st.SearchStrategy[Floor] = st.one_of(
    st.just(PLAIN), st.just(PIT), st.builds(Gear, TURNS), st.builds(Repair, NUMBERS), BELTS
)


def places(width: int, height: int) -> list[Place]:
    """Return the places of a rectangle."""
    return list(product(range(1, width + 1), range(1, height + 1)))


@st.composite
def boards(draw: st.DrawFn, width: int | None = None, height: int | None = None) -> Board:
    """Draw a board, of 1 to 4 fields a side if no size is given; a few sorts of fields make it up."""
    width = width or draw(st.integers(1, 4))
    height = height or draw(st.integers(1, 4))
    floors = draw(st.lists(FLOORS, min_size=1, max_size=5))
    walls = draw(st.lists(WALLS, min_size=1, max_size=5))
    random = draw(st.randoms(use_true_random=False))
    return Board(
        width,
        height,
        {place: random.choice(floors) for place in places(width, height)},
        {place: random.choice(walls) for place in places(width + 1, height)},
        {place: random.choice(walls) for place in places(width, height + 1)},
        frozenset(places(width, height)),
    )


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
NAMES = st.text(LETTERS, min_size=1, max_size=32) | st.sampled_from(("ok", "error", "GSD", "B", "t"))
PLACES = st.tuples(NUMBERS, NUMBERS)
CARDS = st.builds(m.ProgramCard, st.sampled_from(Action), NUMBERS)
REGISTERS = st.lists(st.integers(1, 5), max_size=6).map(tuple)
REMOVALS = st.builds(m.Removed, st.sampled_from([reason for reason in m.Reason if reason is not m.Reason.OTHER]))
PLAYED = st.tuples(NAMES, st.lists(CARDS, min_size=1, max_size=5).map(tuple))

QUERIES: st.SearchStrategy[Event] = st.one_of(
    st.sampled_from(
        (m.GetSize(), m.GetFlags(), m.GetPlan(), m.GetNames(), m.GetGame(), m.GetPhase(), m.GetTimeout()),
    ),
    st.builds(m.FindRobot, NAMES),
    st.builds(m.GetField, PLACES),
    st.builds(m.GetRobot, NAMES),
)

PEER_EVENTS: st.SearchStrategy[Event] = st.one_of(
    QUERIES,
    st.sampled_from((m.Ok(), m.Error())),
    st.builds(m.RegisterPlayer, NAMES),
    st.builds(m.RegisterChannel, NAMES),
    st.builds(m.SignOff, NAMES),
    st.builds(m.FacingChosen, NAMES, DIRECTIONS),
    st.builds(m.ProgramChosen, NAMES, st.lists(NUMBERS, max_size=9).map(tuple), st.booleans()),
    st.builds(m.StayChosen, NAMES, st.booleans()),
    st.builds(m.RepairsChosen, NAMES, REGISTERS),
)

ANSWERS: st.SearchStrategy[Event] = st.one_of(
    st.builds(m.PlaceAnswer, PLACES),
    st.builds(m.FlagsAnswer, st.lists(PLACES, min_size=2, max_size=6).map(tuple)),
    st.builds(m.PlanAnswer, boards()),
    st.builds(m.NamesAnswer, st.lists(NAMES, max_size=8).map(tuple)),
    st.builds(m.FieldAnswer, FLOORS, st.tuples(WALLS, WALLS, WALLS, WALLS)),
    st.builds(
        m.RobotAnswer,
        DIRECTIONS,
        PLACES,
        NUMBERS,
        PLACES,
        st.integers(0, 10),
        st.integers(0, 3),
        st.lists(st.tuples(st.integers(1, 5), CARDS), max_size=5).map(tuple),
        st.booleans(),
        st.booleans(),
    ),
    st.just(m.RobotGone()),
    st.builds(m.GameAnswer, st.lists(NAMES, max_size=8).map(tuple)),
    st.just(m.PhaseAnswer()),
    st.builds(m.PhaseAnswer, st.integers(1, 5), st.lists(PLAYED, min_size=1, max_size=8).map(tuple)),
    st.builds(m.TimeoutAnswer, st.integers(0, 65_535)),
)

MANAGER_EVENTS: st.SearchStrategy[Event] = st.one_of(
    ANSWERS,
    st.sampled_from((m.Ok(), m.Error(), m.GameStarts(), m.FacingWanted(), m.StayWanted())),
    st.builds(m.Changed, st.lists(NAMES, max_size=8).map(tuple)),
    st.builds(m.ProgramWanted, st.lists(CARDS, max_size=9).map(tuple)),
    st.builds(m.RepairsWanted, NUMBERS),
    REMOVALS,
    st.builds(m.Removed, st.just(m.Reason.OTHER), st.text(LETTERS, min_size=1, max_size=20)),
)
