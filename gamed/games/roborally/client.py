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
class Player(Follower):
    """Plays one game with a strategy."""

    strategy: Strategy = field(kw_only=True)
    random: Random = field(kw_only=True)

    moves: int = 0
    """The programs that it has made: `gamed bot` reports them for all games alike."""

    _is_order_asked: bool = False
    """Whether the winning order has been queried, at the end."""

    @property
    def is_done(self) -> bool:
        """Whether the game is over, or the last life is lost."""
        return self.won is not None

    def begin(self) -> bytes:
        """Return what is sent when the connection is made: the registration."""
        return self.register()

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the manager and return the answer.

        Raises RemoteProtocolError if the manager breaks the protocol, rejects the player, or disconnects too early.
        """
        return self.follow(data, self._go_on)

    def _go_on(self) -> bytes:
        """Answer the next request, or query what must be known for that."""
        if self.is_over:
            # If another query is still open, its answer comes first: queries are answered in order.
            is_asked, self._is_order_asked = self._is_order_asked, True
            return b"" if is_asked else self.ask(m.GetGame())
        said = []
        while self.requests and not self.is_asking:
            request = self.requests[0]
            if isinstance(request, m.MoveRequest):
                said.append(self._decide(request))
            else:
                self.requests.popleft()
                said.append(self.say(m.Ok()))
        return b"".join(said)

    def _decide(self, request: m.MoveRequest) -> bytes:
        if self.board is None:
            return self.ask(m.GetPlan())
        if self.layout is None:
            return self.ask(m.GetFlags())
        reply = self.robots.pop(self.name, None)
        if reply is None:
            return self.ask(m.GetRobot(self.name))
        if isinstance(reply, m.RobotGone):
            raise RemoteProtocolError(
                "the manager sent a request to a player whose robot it has removed", code="refused"
            )
        self.requests.popleft()
        self.moves += isinstance(request, m.ProgramWanted)
        answer = self.strategy(self.layout, engine_robot(reply), engine_request(request), self.random)
        return self.say(wire_answer(self.name, answer))


def player(strategy: str, random: Random, name: str = "") -> Player:
    """Return a player with the strategy of a name."""
    return Player(name or random_name(random), strategy=STRATEGIES[strategy], random=random)
