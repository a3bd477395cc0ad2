"""A player of the Software-Challenge, without I/O: it joins, answers each request for a move, and leaves at the end.

Source: docs/reference/software-challenge.md#the-bot, docs/reference/software-challenge.md#the-life-of-a-game,
docs/specs/software-challenge.md#what-the-seasons-clients-need. It plays against gamed and against the official
server. It does not know the game of any season; a `Brain` does.
"""

from __future__ import annotations

from typing import Any, Protocol

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Seat
from gamed.games.softwarechallenge.follower import Follower
from gamed.games.softwarechallenge.messages import Left, MoveRequest, Refused
from gamed.wire.xmlstream import Element


class Brain(Protocol):
    """What knows the game of a season."""

    game_type: str
    """The game's name in the lobby."""

    def answer(self, state: Element, seat: Seat) -> Element:
        """Return the `data` element of a legal move in a state, for the seat that is to move.

        Raises RemoteProtocolError if the element is not a state, or if it is not this seat's turn in it.
        """


@define
class Player(Follower):
    """Plays one game."""

    brain: Brain = field(kw_only=True)

    moves: int = 0
    """How many moves it has made."""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer.

        Raises RemoteProtocolError if the server breaks the protocol, or ends the stream before the game has ended.
        """
        return b"".join([self._react(event) for event in self.follow(data)])

    def _react(self, event: Any) -> bytes:
        match event:
            case MoveRequest():
                return self._move()
            case Refused(message=message):
                raise RemoteProtocolError(f"the server refused a move: {message[:200]}", code="refused")
            case Left():
                return self._leave()
        return b""

    def _move(self) -> bytes:
        state, seat = self.state, self.seat
        assert state is not None
        assert seat is not None
        answer = self.brain.answer(state, seat)
        self.moves += 1
        return self.move(answer)

    def _leave(self) -> bytes:
        if self.result is None:
            raise RemoteProtocolError("the game ended without a result", code="no-result")
        return self.leave()
