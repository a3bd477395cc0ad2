"""A world without I/O: it registers, votes, and plays with a strategy, game after game if others reset.

Source: docs/specs/quoridor.md#gameds-own-worlds, docs/specs/quoridor.md#what-a-world-does,
docs/reference/quoridor.md#what-worlds-send. It plays on gamed and on the original's server. It writes what the authors'
world writes: coordinates are floats, and it sends nothing but its vote and its moves.
"""

from __future__ import annotations

from random import Random
from typing import Final

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Seat
from gamed.games.quoridor.follower import Follower, spoken
from gamed.games.quoridor.signup import STARTS, Call
from gamed.games.quoridor.strategy import STRATEGIES, Strategy
from gamed.games.quoridor.wire import message
from gamed.wire.datums import Symbol

_TURNS: Final = ("first", "second", "third", "fourth")


@define
class Player(Follower):
    """Plays with a strategy."""

    strategy: Strategy = field(kw_only=True)
    random: Random = field(kw_only=True)

    players: int = 2
    """The number of players that it votes for, 2 or 4."""

    stay: float = 0.0
    """Seconds to stay connected after a game, for another one. Set to 0 when a world has left the table."""

    moves: int = 0
    """The number of its moves in the last game."""

    results: list[tuple[bool, int]] = field(factory=list)
    """For each game that has ended, whether it was won, and the number of its moves."""

    _first: Seat = 0
    """The seat that began the last game."""

    @property
    def is_done(self) -> bool:
        """Whether the last game is over. Another one may begin as long as the player stays."""
        return self.won is not None

    @property
    def _has_left(self) -> bool:
        return self.is_done and not self.stay

    @property
    def side(self) -> str:
        """Whether it moves first, second and so on in the current or last game; nothing until that is known."""
        if self.seat is None or self.state is None:
            return ""
        return _TURNS[(self.seat - self._first) % self.state.players]

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer. Bytes after the last game are ignored.

        Raises RemoteProtocolError if the server breaks the protocol, has no free seat, or closes during a game.
        """
        answer = b""
        if self._has_left:
            return answer
        for call, number in self.follow(data):
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
            self.moves, self._first = 0, number - 1
        elif call is Call.DISCONNECT and self.is_done:
            self.stay = 0.0
        elif call is Call.DISCONNECT:
            raise RemoteProtocolError(f"world {number} left before the game ended", code="disconnect")
        return self._move() if call in (Call.START2PLAY, Call.START4PLAY, Call.PLAY) else b""

    def _move(self) -> bytes:
        """Return a legal move. Return nothing if there is none, which can happen with four players."""
        assert self.state is not None
        assert self.seat is not None
        try:
            move = self.strategy.choose(self.state, self.seat, self.random)
        except LookupError:
            return b""
        self.moves += 1
        return spoken(move)


def player(strategy: str, random: Random, *, players: str = "2", name: str = "gamed", stay: float = 0.0) -> Player:
    """Return a player with the strategy of a name; `Player` has the options."""
    return Player(name, strategy=STRATEGIES[strategy](), random=random, players=int(players), stay=stay)
