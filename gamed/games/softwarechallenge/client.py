"""A player of the Software-Challenge without I/O: it joins, answers each request for a move, and leaves after a game.

Source: software-challenge.md A ("After `left`", "Bot"), B2 to B4 and B9. It plays against gamed, and against the
official server. It knows no game of any season: a `Brain` does.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from attrs import define, field

from gamed.errors import RemoteProtocolError
from gamed.events import Event
from gamed.game import Seat
from gamed.games.softwarechallenge.client_wire import ClientConnection
from gamed.games.softwarechallenge.messages import (
    Closing,
    Join,
    Joined,
    JoinPrepared,
    Leaving,
    Left,
    Memento,
    MoveRequest,
    Refused,
    Result,
    RoomMessage,
    Welcome,
)
from gamed.games.softwarechallenge.table import COLORS
from gamed.wire.xmlstream import Element, XmlStream

MESSAGE_BYTES: Final = 1_048_576
"""How long a server's message may be: a state of Hive has 9 KB."""


class Brain(Protocol):
    """What knows the game of a season. `game_type`: its name at the lobby."""

    game_type: str

    def answer(self, state: Element, seat: Seat) -> Element:
        """Return the `data` element of a legal move in a state, for the seat that is to move.

        Raises RemoteProtocolError if it is no state, or not this seat's turn in it.
        """


@define
class Player:
    """Plays one game. `reservation`: the code of its seat; None: any seat. `moves` counts its moves.

    `seat`: 0 is red; None until the game begins. `won`: None until the result is known, and if nobody won.
    """

    brain: Brain
    reservation: str | None = None
    moves: int = 0
    won: bool | None = None
    seat: Seat | None = None
    is_done: bool = False
    _room: str | None = None
    _state: Element | None = None
    _has_result: bool = False
    _connection: ClientConnection = field(factory=lambda: ClientConnection(XmlStream(MESSAGE_BYTES)))

    def begin(self) -> bytes:
        """Return what is sent as soon as the connection stands: the wish to join."""
        wish = Join(self.brain.game_type) if self.reservation is None else JoinPrepared(self.reservation)
        return self._connection.send(wish)

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer.

        Raises RemoteProtocolError if the other side errs, or ends before the game does.
        """
        self._connection.receive_data(data)
        answer = b""
        for event in self._connection.events():
            if not self.is_done:
                answer += self._heard(event)
        return answer

    def _heard(self, event: Event) -> bytes:
        match event:
            case Joined(room=room):
                self._room = room
            case Closing():
                raise RemoteProtocolError("the server closed the connection before the game ended", code="closed")
            case Welcome() | Memento() | MoveRequest() | Refused() | Result() | Left() if event.room == self._room:
                return self._in_room(event)
        return b""

    def _in_room(self, event: Any) -> bytes:
        match event:
            case Welcome(color=color):
                self.seat = _seat(color)
            case Memento(element=state):
                self._state = state
            case MoveRequest():
                return self._move()
            case Refused(message=message):
                raise RemoteProtocolError(f"the server refused a move: {message[:200]}", code="refused")
            case Result(element=result):
                self._learn(result)
            case Left():
                return self._leave()
        return b""

    def _move(self) -> bytes:
        if self.seat is None or self._state is None:
            raise RemoteProtocolError("a move is asked for before the game has begun", code="out-of-step")
        answer = self.brain.answer(self._state, self.seat)
        self.moves += 1
        return self._connection.send(RoomMessage(self._room, answer))

    def _learn(self, result: Element | None) -> None:
        winner = None if result is None else result.find("winner")
        self._has_result = True
        if winner is not None:
            self.won = _seat(winner.get("color", "").lower()) == self.seat

    def _leave(self) -> bytes:
        if not self._has_result:
            raise RemoteProtocolError("the game was ended without a result", code="no-result")
        self.is_done = True
        return self._connection.send(Leaving())


def _seat(color: str) -> Seat:
    if color not in COLORS:
        raise RemoteProtocolError(f"there is no color {color[:20]!r}", code="unknown-value")
    return COLORS.index(color)
