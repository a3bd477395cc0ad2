"""An output channel without I/O: it draws the board after each step, and delays its `ok` so that people can look.

Source: docs/specs/roborally.md#13-nesting, docs/specs/roborally.md#36-what-channels-are-told,
docs/specs/roborally.md#38-queries. The manager makes no step before a channel has sent its `ok`, so the channel queries
all that it wants to show first. An `ok` may take `ack_timeout` seconds, and all `ok`s of a turn together `ack_budget`
seconds. The protocol has no query for these limits, so half of the manager's defaults is used.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.core.events import Event
from gamed.games.roborally import messages as m
from gamed.games.roborally.messages import Reason
from gamed.games.roborally.rules.elements import Place
from gamed.games.roborally.rules.json_views import shown, tiles
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import REGISTERS
from gamed.games.roborally.screen import Frame
from gamed.games.roborally.text_course import Course, course_of
from gamed.games.roborally.wire import ClientConnection

LONGEST_HOLD: Final = 5.0
"""The longest delay of one `ok`, in seconds: half of the manager's default `ack_timeout`."""

TURN_HOLDS: Final = 15.0
"""The longest delay of all `ok`s of a turn together: half of the manager's default `ack_budget`."""

PHASE_STEPS: Final = 4
"""How many notified steps a phase usually has besides the cards: the reveal, belts, lasers and flags."""


@define
class Viewer:
    """Watches one game."""

    name: str
    """The name that it registers with."""

    pace: float = 0.0
    """The wished delay of each `ok`, in seconds. It is shortened to what the manager allows."""

    spare_names: tuple[str, ...] = ()
    """The names that it tries next if that one is in use."""

    frames: deque[Frame] = field(factory=deque)
    """Frames that have not been shown yet."""

    is_registered: bool = False

    is_started: bool = False
    """Whether the game has started. Until then `ask_who` queries who has come."""

    is_done: bool = False

    hold: float | None = None
    """For how long to delay the `ok` that is owed, in seconds; None: none is owed."""

    _connection: ClientConnection = field(factory=ClientConnection)

    _asked: deque[Event] = field(factory=deque)
    """Our queries that have not been answered, the oldest first."""

    _course: Course | None = None
    _flags: tuple[Place, ...] = ()

    _names: tuple[str, ...] | None = None
    """The players; None before the first answer."""

    _robots: dict[str, m.RobotAnswer | m.RobotGone] = field(factory=dict)
    _phase: m.PhaseAnswer = field(factory=m.PhaseAnswer)

    _changed: tuple[str, ...] = ()
    """The players whose robots the last step has changed; empty if it revealed cards."""

    _reveals: int = 0
    """How often cards were revealed: five times a turn."""

    _order: tuple[str, ...] = ()
    """The winning order, at the end."""

    _is_over: bool = False
    """Whether the manager has said that the game is over. Nothing is acknowledged after that."""

    _held: float = 0.0
    """Seconds by which the `ok`s of this turn have been delayed so far."""

    _held_between: float = 0.0
    """The part of that since the last phase. It counts for the next turn as well: the manager's turn begins with the
    deal, which a channel does not see, so steps after the last phase may belong to either turn."""

    def begin(self) -> bytes:
        """Return what is sent when the connection is made: the registration."""
        return self._ask(m.RegisterChannel(self.name))

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the manager and return the answer; empty bytes mean that it has closed.

        Raises RemoteProtocolError if the manager rejects the channel, or disconnects before the game ends. Lines that
        are not in the protocol are ignored.
        """
        self._connection.receive_data(data)
        answer = b"".join(self._take(event) for event in self._connection.events() if not self.is_done)
        if not data and not self.is_done:
            raise RemoteProtocolError("the manager closed the connection before the game ended", code="closed")
        return answer

    def ask_who(self) -> bytes:
        """Return a query of the players who wait for the start. The manager does not announce them by itself."""
        return self._ask(m.GetNames())

    def acknowledge(self) -> bytes:
        """Return the `ok` that is owed."""
        self.hold = None
        return self._connection.send(m.Ok())

    def _ask(self, *questions: Event) -> bytes:
        self._asked += questions
        return b"".join(map(self._connection.send, questions))

    def _take(self, event: Event) -> bytes:
        match event:
            case m.Malformed():
                return b""
            case m.GameStarts():
                self.is_started = True
                return self.ask_who() + self._connection.send(m.Ok())
            case m.Changed(names):
                self._changed = names
                return self._ask(*map(m.GetRobot, names), m.GetPhase(), m.GetGame())
            case m.Removed(reason) if reason is not Reason.GAME_OVER:
                raise RemoteProtocolError(event.sentence, code="removed")
            case m.Removed():
                # gamed notifies channels of the end, and the order is known by then. Other managers must be asked.
                self._is_over, self.is_done = True, bool(self._order)
                return b"" if self.is_done else self._ask(m.GetGame())
            case _:
                return self._learn(self._asked.popleft() if self._asked else None, event)

    def _learn(self, question: Event | None, answer: Event) -> bytes:
        match question, answer:
            case m.RegisterChannel(), m.Error() if self.spare_names:
                self.name, *rest = self.spare_names
                self.spare_names = tuple(rest)
                return self.begin()
            case m.RegisterChannel(), m.Error():
                raise RemoteProtocolError(f"the name {self.name} is in use", code="refused")
            case m.RegisterChannel(), m.Ok():
                self.is_registered = True
                return self._ask(m.GetPlan(), m.GetFlags(), m.GetNames())
            case _, m.PlanAnswer(board):
                self._course = course_of(tiles(Layout(board, ())))
            case m.GetFlags(), m.FlagsAnswer(places):
                self._flags = places
            case m.GetNames(), m.NamesAnswer(names):
                self._gather(names)
            case m.GetRobot(name), m.RobotAnswer() | m.RobotGone():
                self._robots[name] = answer
            case m.GetPhase(), m.PhaseAnswer():
                self._phase = answer
            case m.GetGame(), m.GameAnswer(order):
                self._step(order)
        return b""

    def _gather(self, names: tuple[str, ...]) -> None:
        """Draw who waits for the start, or that the game starts, if that is new."""
        if self.is_started:
            self._draw(f"the game starts: {', '.join(names)}", names)
        elif names != self._names:
            self._draw(f"waiting for the start: {', '.join(names) or 'nobody has come yet'}", names)
        self._names = names

    def _step(self, order: tuple[str, ...]) -> None:
        """Draw the position after a step, and begin to delay the `ok`."""
        if not self._changed and not self._is_over:
            self._reveals += 1
            if self._reveals % REGISTERS == 1:
                self._held, self._held_between = self._held_between, 0.0
        self._order = order
        if self._is_over:
            self.is_done = True
        else:
            self.hold = self._time_to_look()
        self._draw(f"the game is over: {', '.join(order)}" if order else self._caption)

    @property
    def _turn(self) -> int:
        return -(-self._reveals // REGISTERS)

    @property
    def _caption(self) -> str:
        changed = ", ".join(self._changed) or "the cards are shown"
        if not self._reveals:
            return f"the start: {changed}"
        when = "between the phases" if self._phase.phase is None else f"phase {self._phase.phase}"
        return f"turn {self._turn}, {when}: {changed}"

    def _time_to_look(self) -> float:
        """Return for how long the `ok` may be delayed, so that the later ones of this turn can be delayed as well.

        Each gets a part of the time that is left, so a turn never exceeds its time, however many steps it has.
        """
        standing = sum(isinstance(robot, m.RobotAnswer) for robot in self._robots.values())
        phases = 1 if self._phase.phase is None else REGISTERS + 1 - self._phase.phase
        share = (TURN_HOLDS - self._held) / (phases * (standing + PHASE_STEPS))
        hold = min(self.pace, LONGEST_HOLD, share)
        self._held += hold
        self._held_between = self._held_between + hold if self._phase.phase is None else 0.0
        return hold

    def _draw(self, caption: str, waiting: Sequence[str] = ()) -> None:
        if self._course is None or not self._flags:
            return
        focus = next((robot.place for robot in self._in_focus), self._flags[0])
        self.frames.append(Frame(caption, self._facts(waiting), self._course, self._flags, focus))

    @property
    def _in_focus(self) -> Sequence[m.RobotAnswer]:
        """The robots that have changed, then the others."""
        names = (*self._changed, *self._robots)
        found = (self._robots.get(name) for name in names)
        return [robot for robot in found if isinstance(robot, m.RobotAnswer)]

    def _facts(self, waiting: Sequence[str]) -> dict[str, Any]:
        return {
            "waiting": list(waiting),
            "turn": self._turn,
            "phase": self._phase.phase,
            "changed": list(self._changed),
            "robots": {name: _robot_facts(robot) for name, robot in self._robots.items()},
            "played": {name: [str(card.action) for card in cards] for name, cards in self._phase.played},
            "order": list(self._order),
        }


def _robot_facts(robot: m.RobotAnswer | m.RobotGone) -> dict[str, Any] | None:
    if isinstance(robot, m.RobotGone):
        return None
    return {**shown(robot), "locked": {str(register): str(card.action) for register, card in robot.locked}}
