"""A bot without I/O: it registers, queries what it needs for each decision, and plays one game.

Source: docs/specs/roborally.md#13-nesting, docs/specs/roborally.md#3-the-manager. It plays on gamed and on any other
manager of this protocol. It sends one query at a time. A request of the manager may arrive before the answer to the
query, because the two messages have crossed; it waits until the answer is there.
"""

from __future__ import annotations

from random import Random
from string import ascii_lowercase

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.games.roborally import messages as m
from gamed.games.roborally.follower import Follower
from gamed.games.roborally.requests import engine_request, wire_answer
from gamed.games.roborally.rules.robots import REGISTERS, Robot
from gamed.games.roborally.strategy import STRATEGIES, Strategy


def random_name(random: Random) -> str:
    """Return a name that is probably not in use."""
    return "gamed" + "".join(random.choices(ascii_lowercase, k=6))


def engine_robot(reply: m.RobotAnswer) -> Robot:
    """Return the rules' robot for an answer to GRS. Its open registers are empty, because they are not public."""
    cards = dict(reply.locked)
    # By name, so that mypy sees that there are five.
    one, two, three, four, five = (
        cards[number].priority if number in cards else None for number in range(1, REGISTERS + 1)
    )
    return Robot(
        reply.facing,
        reply.place,
        reply.archive,
        reply.lives,
        reply.flag,
        reply.damage,
        (one, two, three, four, five),
        tuple(sorted(cards)),
        reply.is_active,
        reply.is_virtual,
    )


@define
class Player:
    """Plays one game with a strategy."""

    strategy: Strategy
    random: Random

    name: str
    """The name that it registers with."""

    moves: int = 0
    """The programs that it has made: `gamed bot` reports them for all games alike."""

    _follower: Follower = field(init=False)

    _is_order_asked: bool = False
    """Whether the winning order has been queried, at the end."""

    def __attrs_post_init__(self) -> None:
        self._follower = Follower(self.name)

    @property
    def is_registered(self) -> bool:
        """Whether the manager has accepted the registration."""
        return self._follower.is_registered

    @property
    def won(self) -> bool | None:
        """Whether it has won; None until the game is over for it."""
        return self._follower.won

    @property
    def is_done(self) -> bool:
        """Whether the game is over, or the last life is lost."""
        return self.won is not None

    def begin(self) -> bytes:
        """Return what is sent when the connection is made: the registration."""
        return self._follower.register()

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the manager and return the answer.

        Raises RemoteProtocolError if the manager breaks the protocol, rejects the player, or disconnects too early.
        """
        return self._follower.receive_data(data, self._go_on)

    def _go_on(self) -> bytes:
        """Answer the next request, or query what must be known for that."""
        follower = self._follower
        if follower.is_over:
            # If another query is still open, its answer comes first: queries are answered in order.
            is_asked, self._is_order_asked = self._is_order_asked, True
            return b"" if is_asked else follower.ask(m.GetGame())
        said = []
        while follower.requests and not follower.is_asking:
            request = follower.requests[0]
            if isinstance(request, m.MoveRequest):
                said.append(self._decide(request))
            else:
                follower.requests.popleft()
                said.append(follower.say(m.Ok()))
        return b"".join(said)

    def _decide(self, request: m.MoveRequest) -> bytes:
        follower = self._follower
        if follower.board is None:
            return follower.ask(m.GetPlan())
        if follower.layout is None:
            return follower.ask(m.GetFlags())
        reply = follower.robots.pop(self.name, None)
        if reply is None:
            return follower.ask(m.GetRobot(self.name))
        if isinstance(reply, m.RobotGone):
            raise RemoteProtocolError(
                "the manager sent a request to a player whose robot it has removed", code="refused"
            )
        follower.requests.popleft()
        self.moves += isinstance(request, m.ProgramWanted)
        answer = self.strategy(follower.layout, engine_robot(reply), engine_request(request), self.random)
        return follower.say(wire_answer(self.name, answer))


def player(strategy: str, random: Random, name: str = "") -> Player:
    """Return a player with the strategy of a name."""
    return Player(STRATEGIES[strategy], random, name or random_name(random))
