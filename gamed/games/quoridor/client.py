"""A world without I/O: it registers, votes, and plays with a strategy, game after game if others reset.

Source: docs/specs/quoridor.md#gameds-own-worlds, docs/specs/quoridor.md#what-a-world-does,
docs/reference/quoridor.md#what-worlds-send. It plays against gamed, and against the original's server. It speaks as the
authors' world does: coordinates are floats, and nothing is sent but its vote and its moves.
"""

from __future__ import annotations

from random import Random

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Seat
from gamed.games.quoridor.follower import Follower, spoken
from gamed.games.quoridor.rules import State
from gamed.games.quoridor.signup import STARTS, Call
from gamed.games.quoridor.strategy import STRATEGIES, Strategy
from gamed.games.quoridor.wire import message
from gamed.wire.datums import Symbol


@define
class Player:
    """Plays with a strategy."""

    strategy: Strategy
    random: Random

    players: int = 2
    """For how many it votes."""

    name: str = "gamed"

    stay: float = 0.0
    """Seconds for which it is to stay after a game, for another one: 0 once a world has left the table."""

    pace: float = 0.0
    """Seconds for which it is to wait before it answers: the authors' client shows a move for a while."""

    moves: int = 0
    """How many moves it has made in the last game."""

    results: list[tuple[bool, int]] = field(factory=list)
    """Of each game that has ended, whether it was won, and how many moves it made."""

    _follower: Follower = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._follower = Follower(self.name)

    @property
    def is_done(self) -> bool:
        """Whether the last game is over. Where it stays, another one may begin."""
        return self.won is not None

    @property
    def _has_left(self) -> bool:
        return self.is_done and not self.stay

    @property
    def won(self) -> bool | None:
        """Whether the game was won; None until it is over."""
        return self._follower.won

    @property
    def state(self) -> State | None:
        """The position; None before the game."""
        return self._follower.state

    @property
    def seat(self) -> Seat | None:
        """The player's seat; None as long as the mails do not tell."""
        return self._follower.seat

    def begin(self) -> bytes:
        """Return what is sent as soon as the connection stands: the registration."""
        return self._follower.begin()

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer; after a game without a stay, whatever comes is passed over.

        Raises RemoteProtocolError if the other side errs, has no seat, or ends before the game does.
        """
        answer = b""
        if self._has_left:
            return answer
        for call, number in self._follower.follow(data):
            answer += self._answer(call, number)
            if self._has_left:
                return answer
        if not data and not self.is_done:
            raise RemoteProtocolError("the server closed the connection before the game ended", code="closed")
        return answer

    def _answer(self, call: Call, number: int) -> bytes:
        if call is Call.WAIT_OR_PLAY:
            return message(Symbol("play" if self.players == 2 else "wait"))  # noqa: PLR2004 (two players)
        if call is Call.REJECTED:
            raise RemoteProtocolError("the server has no table for one more world", code="rejected")
        if call in (Call.WON, Call.LOST):
            self.results.append((call is Call.WON, self.moves))
        elif call in STARTS:
            self.moves = 0
        elif call is Call.DISCONNECT and self.is_done:
            self.stay = 0.0
        elif call is Call.DISCONNECT:
            raise RemoteProtocolError(f"world {number} left before the game ended", code="disconnect")
        return self._move() if call in (Call.START2PLAY, Call.START4PLAY, Call.PLAY) else b""

    def _move(self) -> bytes:
        """Return a legal move; nothing where there is none, as can be with four."""
        assert self.state is not None
        assert self.seat is not None
        try:
            move = self.strategy.choose(self.state, self.seat, self.random)
        except LookupError:
            return b""
        self.moves += 1
        return spoken(move)


def player(  # noqa: PLR0913 (each is an option of a bot)
    strategy: str, random: Random, *, players: str = "2", name: str = "gamed", stay: float = 0.0, pace: float = 0.0
) -> Player:
    """Return a player with the strategy of a name; `Player` has the options."""
    return Player(STRATEGIES[strategy](), random, int(players), name, stay, pace)
