"""A player's side of the dialect: it registers, learns what it is told, and puts aside what it is asked.

Source: docs/specs/roborally.md#13-nesting, docs/specs/roborally.md#3-the-manager. `client.py` puts a strategy behind
it, `person.py` a human.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from attrs import define, field

from gamed.core.errors import ConfigError, RemoteProtocolError
from gamed.core.events import Event
from gamed.games.roborally import messages as m
from gamed.games.roborally.messages import Reason
from gamed.games.roborally.rules.board import Board, Place
from gamed.games.roborally.rules.game import laid_out
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.wire import ClientConnection

NOT_TAKEN: Final = (
    "the manager closed the connection without an answer to the registration: it begins no games now, or it allows no "
    "more connections. Its log says why; try again later"
)


@define
class Follower:
    """Follows one game as a player.

    `name`: what it registers with; `spare_names`: what it tries next where that is in use. `requests`: those of the
    manager that have not been served, the oldest first. `layout`, `names`, `robots`, `phase`, `seconds` (for a
    decision), `order` (at the end): what was asked and answered. `is_over`: the game has ended, whose order is to be
    asked. `won`: None until it is over for this player.
    """

    name: str
    spare_names: tuple[str, ...] = ()
    is_registered: bool = False
    is_over: bool = False
    won: bool | None = None
    requests: deque[m.ManagerRequest] = field(factory=deque)
    board: Board | None = None
    layout: Layout | None = None
    names: tuple[str, ...] = ()
    robots: dict[str, m.RobotAnswer | m.RobotGone] = field(factory=dict)
    phase: m.PhaseAnswer = field(factory=m.PhaseAnswer)
    seconds: int | None = None
    order: tuple[str, ...] = ()
    removed: Reason | None = None
    """Why the manager has removed this player before the game was over for it."""
    _connection: ClientConnection = field(factory=ClientConnection)
    _asked: deque[Event] = field(factory=deque)

    @property
    def is_asking(self) -> bool:
        """Whether a question of ours is open: requests that cross with its answer wait (N5)."""
        return bool(self._asked)

    def register(self) -> bytes:
        """Return the registration."""
        return self.ask(m.RegisterPlayer(self.name))

    def ask(self, question: Event) -> bytes:
        """Return a question; its answer comes after those to the questions before it (N4)."""
        self._asked.append(question)
        return self._connection.send(question)

    def say(self, answer: Event) -> bytes:
        """Return an answer to the manager."""
        return self._connection.send(answer)

    def receive_data(self, data: bytes, go_on: Callable[[], bytes]) -> bytes:
        """Take bytes from the manager and return the answer. `go_on` says what follows after each message.

        Raises RemoteProtocolError if the other side errs, takes no player, or ends before the game does.
        """
        self._connection.receive_data(data)
        said = []
        for event in self._connection.events():
            if self.won is None:
                said.append(self._take(event))
            if self.won is None:
                said.append(go_on())
        if not data and self.won is None:
            if not self.is_registered:
                raise RemoteProtocolError(NOT_TAKEN, code="closed")
            raise RemoteProtocolError("the manager closed the connection before the game ended", code="closed")
        return b"".join(said)

    def _take(self, event: Event) -> bytes:
        if isinstance(event, m.Malformed):
            raise RemoteProtocolError(f"a line that means nothing: {event.refusal.reason}", code="malformed")
        if isinstance(event, m.Removed):
            self._removed(event)
        elif isinstance(event, m.ManagerRequest):
            self.requests.append(event)
        else:
            return self._learn(self._asked.popleft() if self._asked else None, event)
        return b""

    def _removed(self, event: m.Removed) -> None:
        self.requests.clear()
        if event.reason is Reason.LAST_LIFE:
            self.won = False
            self.robots[self.name] = m.RobotGone()
        elif event.reason is Reason.GAME_OVER:
            self.is_over = True
        else:
            self.removed = event.reason
            raise RemoteProtocolError(event.sentence, code="removed")

    def _learn(self, question: Event | None, answer: Event) -> bytes:
        """Take the answer to a question, None if none was open; only a refused name leads to something that is said."""
        match question, answer:
            case m.RegisterPlayer(), m.Error() if self.spare_names:
                self.name, *rest = self.spare_names
                self.spare_names = tuple(rest)
                return self.register()
            case m.RegisterPlayer(), m.Ok():
                self.is_registered = True
            case m.GetRobot(name), m.RobotAnswer() | m.RobotGone():
                self.robots[name] = answer
            case m.RegisterPlayer(name), m.Error():
                raise RemoteProtocolError(
                    f"the manager does not take the name {name}: another player or channel has it, or it is not of "
                    "1 to 32 letters A to Z and a to z. Choose another name",
                    code="refused",
                )
            case _, m.Error() | m.RobotGone():
                raise RemoteProtocolError("the manager refused what we are and ask", code="refused")
            case _:
                self._learn_of_game(answer)
        return b""

    def _learn_of_game(self, answer: Event) -> None:
        match answer:
            case m.PlanAnswer(board):
                self.board = board
            case m.FlagsAnswer(places) if self.board is not None:
                self.layout = _layout(self.board, places)
            case m.NamesAnswer(names):
                self.names = names
            case m.PhaseAnswer():
                self.phase = answer
            case m.TimeoutAnswer(seconds):
                self.seconds = seconds
            case m.GameAnswer(order) if order:
                self.order = order
                self.won = order[0] == self.name
            case _:
                pass


def _layout(board: Board, places: tuple[Place, ...]) -> Layout:
    """Return the course; the same object for all clients in this process, so that its distances are found once."""
    try:
        return laid_out(board.plan, " ".join(f"{x},{y}" for x, y in places))
    except ConfigError as error:
        raise RemoteProtocolError(f"the manager tells of a course that cannot be: {error}", code="course") from error
