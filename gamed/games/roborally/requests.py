"""The requests of the manager: one is open on a connection at most, the others wait, and each has its time.

Source: docs/specs/roborally.md#13-nesting, docs/specs/roborally.md#33-the-start,
docs/specs/roborally.md#35-move-requests, docs/specs/roborally.md#36-what-channels-are-told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from math import inf
from typing import Final

from attrs import define, field

from gamed.core.clocks import MoveClock
from gamed.core.errors import InvalidMove
from gamed.core.events import Event
from gamed.core.game import Seat
from gamed.games.roborally import messages as m
from gamed.games.roborally.queries import wire_cards
from gamed.games.roborally.rules.moves import (
    Answer,
    AskFacing,
    AskProgram,
    AskRepairs,
    AskStayDown,
    Facing,
    Program,
    Repairs,
    Request,
    StayDown,
)

FITTING: Final[Mapping[type[m.ManagerRequest], type[Event]]] = {
    m.GameStarts: m.Acknowledgement,
    m.Changed: m.Acknowledgement,
    m.FacingWanted: m.FacingChosen,
    m.ProgramWanted: m.ProgramChosen,
    m.StayWanted: m.StayChosen,
    m.RepairsWanted: m.RepairsChosen,
}
"""What answers fit a request (N3)."""


@define
class OpenRequest:
    """A request that was sent. `clock` runs from the moment at which it was handed over."""

    event: m.ManagerRequest
    clock: MoveClock

    def is_answered_by(self, event: Event) -> bool:
        """Whether this is the kind of answer that was asked for."""
        return isinstance(event, FITTING[type(self.event)])


@define
class Member:
    """A registered peer. `seat`: its place in the room.

    `open`: the request that is open, and `waiting`: those that are to be sent when it is not. `violations`: of the
    protocol so far. `spent`: the seconds that a channel has taken for its acknowledgements in this turn. `is_out`: it
    was told REN(LL) or REN(GO), and may only ask.
    """

    seat: Seat
    name: str
    is_channel: bool
    open: OpenRequest | None = None
    waiting: deque[tuple[m.ManagerRequest, float]] = field(factory=deque)
    violations: int = 0
    spent: float = 0.0
    is_out: bool = False

    @property
    def is_busy(self) -> bool:
        """Whether a request is open here, or waits."""
        return self.open is not None or bool(self.waiting)

    @property
    def is_notified(self) -> bool:
        """Whether an NTC has not been acknowledged, or waits."""
        return bool(self.waiting) or (self.open is not None and isinstance(self.open.event, m.Changed))

    def ask(self, request: m.ManagerRequest, seconds: float) -> m.ManagerRequest | None:
        """Ask something, within so many seconds (0: any time); return it if it is to be sent now."""
        self.waiting.append((request, seconds))
        return self.next()

    def next(self) -> m.ManagerRequest | None:
        """Open the next request that waits, if none is open; return it to be sent."""
        if self.open is not None or not self.waiting:
            return None
        request, seconds = self.waiting.popleft()
        self.open = OpenRequest(request, MoveClock(seconds or inf, seconds or inf))
        return request

    def close(self, arrived: float) -> None:
        """Take the open request as answered at a moment, or as void."""
        assert self.open is not None
        if isinstance(self.open.event, m.Changed) and self.open.clock.asked_at is not None:
            # What was sent before the request had left may answer it.
            self.spent += max(0.0, arrived - self.open.clock.asked_at)
        self.open = None

    def silence(self) -> None:
        """Ask nothing more, and wait for nothing."""
        self.open = None
        self.waiting.clear()

    @property
    def due(self) -> float:
        """The moment at which the open request has lasted too long; infinity if there is none."""
        due = None if self.open is None else self.open.clock.due
        return inf if due is None else due


def wire_request(request: Request) -> m.MoveRequest:
    """Return what the rules ask a player as the wire has it."""
    match request:
        case AskFacing():
            return m.FacingWanted()
        case AskProgram(cards):
            return m.ProgramWanted(wire_cards(cards))
        case AskStayDown():
            return m.StayWanted()
        case AskRepairs(points):
            return m.RepairsWanted(points)


def engine_request(request: m.MoveRequest) -> Request:
    """Return what a player is asked as the rules have it."""
    match request:
        case m.ProgramWanted(cards):
            return AskProgram(tuple(card.priority for card in cards))
        case m.StayWanted():
            return AskStayDown()
        case m.RepairsWanted(points):
            return AskRepairs(points)
        case _:
            return AskFacing()


def engine_answer(answer: m.MoveAnswer) -> Answer:
    """Return a player's answer as the rules have it."""
    match answer:
        case m.FacingChosen(_, direction):
            return Facing(direction)
        case m.ProgramChosen(_, indices, powers_down):
            return Program(indices, powers_down)
        case m.StayChosen(_, stays):
            return StayDown(stays)
        case m.RepairsChosen(_, registers):
            return Repairs(registers)
        case _:
            raise InvalidMove(f"{answer!r} is no answer")


def wire_answer(name: str, answer: Answer) -> m.MoveAnswer:
    """Return a player's answer as the wire has it."""
    match answer:
        case Facing(direction):
            return m.FacingChosen(name, direction)
        case Program(indices, power_down):
            return m.ProgramChosen(name, indices, power_down)
        case StayDown(stays):
            return m.StayChosen(name, stays)
        case Repairs(registers):
            return m.RepairsChosen(name, registers)
