"""The manager's requests to a peer: at most one is open, the others wait in a queue, and each has a time limit.

Source: docs/specs/roborally.md#13-nesting, docs/specs/roborally.md#33-the-start,
docs/specs/roborally.md#35-move-requests, docs/specs/roborally.md#36-what-channels-are-told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from math import inf
from typing import Final

from attrs import define, field

from gamed.core.clocks import MoveClock
from gamed.core.errors import InvalidMove
from gamed.core.events import Event
from gamed.core.game import Seat, Termination
from gamed.core.history import Value
from gamed.games.roborally import messages as m
from gamed.games.roborally.queries import wire_cards
from gamed.games.roborally.rules import moves

FITTING: Final[Mapping[type[m.ManagerRequest], type[Event]]] = {
    m.GameStarts: m.Acknowledgement,
    m.Changed: m.Acknowledgement,
    m.FacingWanted: m.FacingChosen,
    m.ProgramWanted: m.ProgramChosen,
    m.StayWanted: m.StayChosen,
    m.RepairsWanted: m.RepairsChosen,
}
"""The kind of message that answers each request. The request stays open after any other message."""


@define
class OpenRequest:
    """A request that was sent, or is about to be."""

    event: m.ManagerRequest

    clock: MoveClock
    """Runs from the moment when the request has left, which may be later if the peer reads slowly."""

    def is_answered_by(self, event: Event) -> bool:
        """Whether this is the kind of message that answers the request."""
        return isinstance(event, FITTING[type(self.event)])


@define
class Member:
    """A registered peer."""

    seat: Seat
    """Its seat in the room."""

    name: str
    is_channel: bool

    open: OpenRequest | None = None
    """The request that the peer has to answer next."""

    waiting: deque[tuple[m.ManagerRequest, float]] = field(factory=deque)
    """Requests that are sent after the open one is answered, each with its time limit in seconds."""

    violations: int = 0
    """Messages of the peer that were answered with `error`."""

    spent: float = 0.0
    """Seconds that a channel has taken for its `ok`s in this turn."""

    is_out: bool = False
    """Whether the game is over for the peer (REN(LL) or REN(GO)). It may still send queries."""

    @property
    def is_busy(self) -> bool:
        """Whether a request is open or waiting."""
        return self.open is not None or bool(self.waiting)

    @property
    def is_notified(self) -> bool:
        """Whether an NTC is open or waiting. What waits behind the open request of a channel is always an NTC."""
        return bool(self.waiting) or (self.open is not None and isinstance(self.open.event, m.Changed))

    def ask(self, request: m.ManagerRequest, seconds: float) -> m.ManagerRequest | None:
        """Add a request with its time limit (0: any time). Return it if it is to be sent now."""
        self.waiting.append((request, seconds))
        return self.next()

    def next(self) -> m.ManagerRequest | None:
        """Open the next waiting request if none is open. Return it, because it is to be sent now."""
        if self.open is not None or not self.waiting:
            return None
        request, seconds = self.waiting.popleft()
        self.open = OpenRequest(request, MoveClock(seconds or inf, seconds or inf))
        return request

    def close(self, arrived: float) -> None:
        """Close the open request, which was answered by a message that arrived at this moment."""
        assert self.open is not None
        if isinstance(self.open.event, m.Changed) and self.open.clock.asked_at is not None:
            # An `ok` may have arrived before the NTC had left: a channel may send it in advance, and it counts.
            self.spent += max(0.0, arrived - self.open.clock.asked_at)
        self.open = None

    def put_out(self) -> None:
        """Take note that the game is over for the peer. Drop all requests, open and waiting ones."""
        self.is_out = True
        self.open = None
        self.waiting.clear()

    @property
    def due(self) -> float:
        """The moment when the time for the open request is over; infinity if none is open, or its clock stands."""
        due = None if self.open is None else self.open.clock.due
        return inf if due is None else due


class Members(dict[Seat, Member]):
    """The connected peers, by their seats in the room, in the order of registration."""

    @property
    def players(self) -> list[Member]:
        """The players, in the order of registration."""
        return [member for member in self.values() if not member.is_channel]

    @property
    def channels(self) -> list[Member]:
        """The output channels that have not been told that the game is over."""
        return [member for member in self.values() if member.is_channel and not member.is_out]

    @property
    def due(self) -> float:
        """When the time for the first open request is over; infinity if no clock runs."""
        return min((member.due for member in self.values()), default=inf)

    def overdue(self, now: float) -> list[Seat]:
        """Return the seats of those that have not answered in time."""
        return [member.seat for member in self.values() if member.due <= now]

    def has_name(self, name: str) -> bool:
        """Whether somebody has the name."""
        return any(member.name == name for member in self.values())

    def start_clocks(self, now: float, unsent: Collection[Seat]) -> None:
        """Start the clocks of the requests that have been sent: all but those to the seats of `unsent`."""
        for member in self.values():
            if member.open is not None and member.open.clock.asked_at is None and member.seat not in unsent:
                member.open.clock.ask(now)

    def shift(self, paused_at: float, now: float) -> None:
        """Move the limits of open requests by the length of a pause."""
        for member in self.values():
            clock = None if member.open is None else member.open.clock
            if clock is not None and clock.asked_at is not None:
                # A request of single steps was sent during the pause: its time begins now.
                clock.asked_at += now - max(clock.asked_at, paused_at)


def wire_request(request: moves.Request) -> m.MoveRequest:
    """Return the wire's message for a request of the rules."""
    match request:
        case moves.AskFacing():
            return m.FacingWanted()
        case moves.AskProgram(cards):
            return m.ProgramWanted(wire_cards(cards))
        case moves.AskStayDown():
            return m.StayWanted()
        case moves.AskRepairs(points):
            return m.RepairsWanted(points)


def engine_request(request: m.MoveRequest) -> moves.Request:
    """Return the rules' request for a message of the wire."""
    match request:
        case m.ProgramWanted(cards):
            return moves.AskProgram(tuple(card.priority for card in cards))
        case m.StayWanted():
            return moves.AskStayDown()
        case m.RepairsWanted(points):
            return moves.AskRepairs(points)
        case _:
            return moves.AskFacing()


def engine_answer(answer: m.MoveAnswer) -> moves.Answer:
    """Return the rules' answer for a player's message."""
    match answer:
        case m.FacingChosen(_, direction):
            return moves.Facing(direction)
        case m.ProgramChosen(_, indices, powers_down):
            return moves.Program(indices, powers_down)
        case m.StayChosen(_, stays):
            return moves.StayDown(stays)
        case m.RepairsChosen(_, registers):
            return moves.Repairs(registers)
        case _:
            raise InvalidMove(f"{answer!r} is not an answer")


def wire_answer(name: str, answer: moves.Answer) -> m.MoveAnswer:
    """Return the player's message for an answer of the rules."""
    match answer:
        case moves.Facing(direction):
            return m.FacingChosen(name, direction)
        case moves.Program(indices, power_down):
            return m.ProgramChosen(name, indices, power_down)
        case moves.StayDown(stays):
            return m.StayChosen(name, stays)
        case moves.Repairs(registers):
            return m.RepairsChosen(name, registers)


@define
class Leaver:
    """A player who has left, and whose robot is on the board until the channels have acknowledged the present step."""

    number: Seat
    """The player's number in the match."""

    why: Termination

    data: Mapping[str, Value]
    """The numbers behind a verdict of time, for the journal."""

    broken: tuple[str, str] | None = None
    """The code and the description of the rule that the player broke, if any."""
