"""A player's view of a game, kept up to date from the manager's messages.

Source: docs/specs/roborally.md#13-nesting, docs/specs/roborally.md#3-the-manager. It registers, notes the answers to
queries, and queues the manager's requests. `client.py` answers these with a strategy, `person.py` asks a human.
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
    "the manager closed the connection without an answer to the registration: it starts no new games now, or it allows "
    "no more connections. Its log says why; try again later"
)


@define
class Follower:
    """Follows one game as a player. What it has not queried yet is None or empty."""

    name: str
    """The name that it registers with."""

    spare_names: tuple[str, ...] = ()
    """The names that it tries next if that one is in use."""

    is_registered: bool = False

    is_over: bool = False
    """Whether the game has ended. Its winning order must be queried then."""

    won: bool | None = None
    """Whether the player has won; None until the game is over for it."""

    requests: deque[m.ManagerRequest] = field(factory=deque)
    """Requests of the manager that have not been answered, the oldest first."""

    board: Board | None = None
    """The answer to GPL."""

    layout: Layout | None = None
    """The board with the flags, once GFL is answered, too."""

    names: tuple[str, ...] = ()
    """The players, by the last answer to GSN."""

    robots: dict[str, m.RobotAnswer | m.RobotGone] = field(factory=dict)
    """The last answers to GRS, by the players' names."""

    phase: m.PhaseAnswer = field(factory=m.PhaseAnswer)
    """The last answer to GSA."""

    seconds: int | None = None
    """The time for a decision (GTO); 0: any time."""

    order: tuple[str, ...] = ()
    """The winning order (GSS), at the end."""

    removed: Reason | None = None
    """Why the manager has removed this player before the game was over for it."""

    _connection: ClientConnection = field(factory=ClientConnection)

    _asked: deque[Event] = field(factory=deque)
    """Our queries that have not been answered, the oldest first. The registration is one of them."""

    @property
    def is_asking(self) -> bool:
        """Whether a query of ours is open. Requests that have crossed with its answer wait for that."""
        return bool(self._asked)

    def register(self) -> bytes:
        """Return the bytes of the registration."""
        return self.ask(m.RegisterPlayer(self.name))

    def ask(self, question: Event) -> bytes:
        """Return the bytes of a query, and note that it is open. The manager answers queries in order."""
        self._asked.append(question)
        return self._connection.send(question)

    def say(self, answer: Event) -> bytes:
        """Return the bytes of an answer to the manager."""
        return self._connection.send(answer)

    def follow(self, data: bytes, go_on: Callable[[], bytes]) -> bytes:
        """Take bytes from the manager and return the answer. `go_on` is called after each message and may add to it.

        Raises RemoteProtocolError if the manager breaks the protocol, rejects the player, or disconnects too early.
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
            raise RemoteProtocolError(
                f"the manager sent a line that is not in the protocol: {event.refusal.reason}", code="malformed"
            )
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
        """Note the answer to a query; None: no query was open. Return a new registration if the name was refused."""
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
                raise RemoteProtocolError(
                    "the manager refused a query of ours, or our part in the game", code="refused"
                )
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
    """Return the layout of a course: the same object for all clients in this process, so that caches are shared."""
    try:
        return laid_out(board.plan, " ".join(f"{x},{y}" for x, y in places))
    except ConfigError as error:
        raise RemoteProtocolError(
            f"the manager plays on a course that is not possible: {error}", code="course"
        ) from error
