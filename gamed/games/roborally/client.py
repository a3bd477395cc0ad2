"""A player without I/O: it registers, asks what it must know before each decision, and plays one game.

Source: roborally.md 1.3 and 3. It plays against gamed, and against any other manager of this protocol. It asks one
question at a time, and puts requests aside that cross with the answer (N5).
"""

from __future__ import annotations

from collections import deque
from random import Random
from string import ascii_lowercase

from attrs import define, field

from gamed.errors import RemoteProtocolError
from gamed.events import Event
from gamed.games.roborally import messages as m
from gamed.games.roborally.messages import Reason
from gamed.games.roborally.requests import engine_request, wire_answer
from gamed.games.roborally.rules.board import Board
from gamed.games.roborally.rules.game import laid_out
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import EMPTY, Robot
from gamed.games.roborally.strategy import Strategy
from gamed.games.roborally.wire import ClientConnection


def random_name(random: Random) -> str:
    """Return a name that hardly anybody else has."""
    return "gamed" + "".join(random.choices(ascii_lowercase, k=6))


def engine_robot(told: m.RobotAnswer) -> Robot:
    """Return a robot as the rules have it, of which only the locked registers are known."""
    cards = dict(told.locked)
    registers = [cards[number].priority if number in cards else empty for number, empty in enumerate(EMPTY, 1)]
    one, two, three, four, five = registers
    return Robot(
        told.facing,
        told.place,
        told.archive,
        told.lives,
        told.flag,
        told.damage,
        (one, two, three, four, five),
        tuple(sorted(cards)),
        told.is_active,
        told.is_virtual,
    )


@define
class Player:
    """Plays one game with a strategy.

    `moves` counts its programs; `won`: None until the game is over for it; `is_registered`: the manager took it.
    """

    strategy: Strategy
    random: Random
    name: str
    moves: int = 0
    won: bool | None = None
    is_registered: bool = False
    _connection: ClientConnection = field(factory=ClientConnection)
    _requests: deque[m.ManagerRequest] = field(factory=deque)
    _is_asking: bool = False
    _board: Board | None = None
    _layout: Layout | None = None
    _robot: Robot | None = None

    @property
    def is_done(self) -> bool:
        """Whether the game is over, or the last life is lost."""
        return self.won is not None

    def begin(self) -> bytes:
        """Return what is sent as soon as the connection stands: the registration."""
        return self._ask(m.RegisterPlayer(self.name))

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the manager and return the answer.

        Raises RemoteProtocolError if the other side errs, takes no player, or ends before the game does.
        """
        self._connection.receive_data(data)
        answer = b"".join(self._take(event) for event in self._connection.events() if not self.is_done)
        if not data and not self.is_done:
            raise RemoteProtocolError("the manager closed the connection before the game ended", code="closed")
        return answer

    def _ask(self, question: Event) -> bytes:
        self._is_asking = True
        return self._connection.send(question)

    def _take(self, event: Event) -> bytes:
        if isinstance(event, m.Malformed):
            raise RemoteProtocolError(f"a line that means nothing: {event.reason}", code="malformed")
        if isinstance(event, m.Removed):
            return self._removed(event)
        if isinstance(event, m.ManagerRequest):
            self._requests.append(event)
        else:
            self._learn(event)
        return b"" if self._is_asking or self.is_done else self._serve()

    def _removed(self, event: m.Removed) -> bytes:
        self._requests.clear()
        if event.reason is Reason.LAST_LIFE:
            self.won = False
            return b""
        if event.reason is not Reason.GAME_OVER:
            raise RemoteProtocolError(f"the manager removed us: {event.reason} {event.note}".rstrip(), code="removed")
        # Its answer comes after that to whatever is open: the oldest question is answered first.
        return self._ask(m.GetGame())

    def _learn(self, event: Event) -> None:
        """Take the answer to our question."""
        self._is_asking = False
        match event:
            case m.Error() | m.RobotGone():
                raise RemoteProtocolError("the manager refused what we are and ask", code="refused")
            case m.Ok():
                self.is_registered = True
            case m.PlanAnswer(board):
                self._board = board
            case m.FlagsAnswer(places) if self._board is not None:
                flags = " ".join(f"{x},{y}" for x, y in places)
                # The same object for all players in this process, so that its distances are found once.
                self._layout = laid_out(self._board.plan, flags)
            case m.RobotAnswer():
                self._robot = engine_robot(event)
            case m.GameAnswer(order) if order:
                self.won = order[0] == self.name
            case _:
                pass

    def _serve(self) -> bytes:
        """Answer the next request, or ask what must be known for that."""
        if not self._requests:
            return b""
        request = self._requests[0]
        if not isinstance(request, m.MoveRequest):
            self._requests.popleft()
            return self._connection.send(m.Ok()) + self._serve()
        if self._board is None:
            return self._ask(m.GetPlan())
        if self._layout is None:
            return self._ask(m.GetFlags())
        if self._robot is None:
            return self._ask(m.GetRobot(self.name))
        self._requests.popleft()
        return self._decide(request, self._layout, self._robot) + self._serve()

    def _decide(self, request: m.MoveRequest, layout: Layout, robot: Robot) -> bytes:
        self.moves += isinstance(request, m.ProgramWanted)
        answer = self.strategy(layout, robot, engine_request(request), self.random)
        self._robot = None
        return self._connection.send(wire_answer(self.name, answer))
