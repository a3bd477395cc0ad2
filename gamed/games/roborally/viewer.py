"""An output channel without I/O: it draws the board whenever another phase is shown, and acknowledges at once.

Source: roborally.md 1.3, 3.6 and 3.8. It asks all that it wants to know of a change, and says `ok` behind its
questions in the same breath: the manager answers in the order in which it reads, before anything changes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from attrs import define, field

from gamed.errors import RemoteProtocolError
from gamed.events import Event
from gamed.games.roborally import messages as m
from gamed.games.roborally.messages import Reason
from gamed.games.roborally.picture import LEGEND, picture
from gamed.games.roborally.rules.board import Board, Place
from gamed.games.roborally.wire import ClientConnection


@define
class Frame:
    """What is to be shown. `caption`: when; `lines`: a picture; `facts`: the same as JSON-ready data."""

    caption: str
    lines: Sequence[str]
    facts: dict[str, Any]


@define
class Viewer:
    """Watches one game under a name.

    `frames`: what is to be shown and has not been taken yet; `is_registered`: the manager took it.
    """

    name: str
    frames: deque[Frame] = field(factory=deque)
    is_registered: bool = False
    is_done: bool = False
    _connection: ClientConnection = field(factory=ClientConnection)
    _asked: deque[Event] = field(factory=deque)
    _board: Board | None = None
    _flags: tuple[Place, ...] = ()
    _robots: dict[str, m.RobotAnswer | m.RobotGone] = field(factory=dict)
    _phase: m.PhaseAnswer = field(factory=m.PhaseAnswer)
    _shown: int | None = -1
    _turn: int = 0
    _order: tuple[str, ...] = ()

    def begin(self) -> bytes:
        """Return what is sent as soon as the connection stands: the registration."""
        return self._ask(m.RegisterChannel(self.name))

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the manager and return the answer; empty bytes mean that it has closed.

        Raises RemoteProtocolError if the manager takes no channel, or ends before the game does. Lines that mean
        nothing are passed over (3.6).
        """
        self._connection.receive_data(data)
        answer = b"".join(self._take(event) for event in self._connection.events() if not self.is_done)
        if not data and not self.is_done:
            raise RemoteProtocolError("the manager closed the connection before the game ended", code="closed")
        return answer

    def _ask(self, *questions: Event) -> bytes:
        self._asked += questions
        return b"".join(map(self._connection.send, questions))

    def _take(self, event: Event) -> bytes:
        match event:
            case m.Malformed():
                return b""
            case m.GameStarts():
                return self._ask(m.GetPlan(), m.GetFlags(), m.GetNames()) + self._connection.send(m.Ok())
            case m.Changed(names):
                return self._ask(*map(m.GetRobot, names), m.GetPhase()) + self._connection.send(m.Ok())
            case m.Removed(reason, note) if reason is not Reason.GAME_OVER:
                raise RemoteProtocolError(f"the manager removed us: {reason} {note}".rstrip(), code="removed")
            case m.Removed():
                return self._ask(m.GetGame())
            case _:
                self._learn(self._asked.popleft() if self._asked else None, event)
                return b""

    def _learn(self, question: Event | None, answer: Event) -> None:
        match question, answer:
            case m.RegisterChannel(), m.Error():
                raise RemoteProtocolError(f"the name {self.name} is in use", code="refused")
            case m.RegisterChannel(), m.Ok():
                self.is_registered = True
            case _, m.PlanAnswer(board):
                self._board = board
            case m.GetFlags(), m.FlagsAnswer(places):
                self._flags = places
            case m.GetNames(), m.NamesAnswer(names):
                self._robots = {name: m.RobotGone() for name in names}
            case m.GetRobot(name), m.RobotAnswer() | m.RobotGone():
                self._robots[name] = answer
            case m.GetPhase(), m.PhaseAnswer():
                self._show(answer)
            case m.GetGame(), m.GameAnswer(order):
                self._order, self.is_done = order, True
                self._draw("the game is over: " + ", ".join(order))

    def _show(self, phase: m.PhaseAnswer) -> None:
        """Draw the board if another phase has begun, or the clean-up, or the first turn."""
        self._phase = phase
        if phase.phase == self._shown:
            return
        self._turn += phase.phase == 1
        self._shown = phase.phase
        between = f"turn {self._turn}, clean-up" if self._turn else "the start"
        self._draw(between if phase.phase is None else f"turn {self._turn}, phase {phase.phase}")

    def _draw(self, caption: str) -> None:
        if self._board is None:
            return
        played = dict(self._phase.played)
        lines = picture(self._board, self._flags, list(self._robots.items()), played)
        self.frames.append(Frame(caption, [*lines, "", LEGEND], self._facts(played)))

    def _facts(self, played: dict[str, tuple[m.ProgramCard, ...]]) -> dict[str, Any]:
        return {
            "turn": self._turn,
            "phase": self._phase.phase,
            "robots": {name: _robot_facts(robot) for name, robot in self._robots.items()},
            "played": {name: [str(card.action) for card in cards] for name, cards in played.items()},
            "order": list(self._order),
        }


def _robot_facts(robot: m.RobotAnswer | m.RobotGone) -> dict[str, Any] | None:
    if isinstance(robot, m.RobotGone):
        return None
    return {
        "facing": robot.facing.name,
        "place": list(robot.place),
        "flag": robot.flag,
        "archive": list(robot.archive),
        "damage": robot.damage,
        "lives": robot.lives,
        "locked": {str(register): str(card.action) for register, card in robot.locked},
        "active": robot.is_active,
        "virtual": robot.is_virtual,
    }
