"""The client's side of one game in the lobby: it joins, keeps what the server sends, and leaves. It decides nothing.

Source: docs/reference/software-challenge.md#what-the-server-says,
docs/reference/software-challenge.md#the-life-of-a-game. It does not know the game of any season.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.core.events import Event
from gamed.core.game import Seat
from gamed.games.softwarechallenge import messages
from gamed.games.softwarechallenge.client_wire import ClientConnection
from gamed.games.softwarechallenge.dialect import DIALECTS, seat_of
from gamed.wire.xmlstream import Element, XmlStream

MESSAGE_BYTES: Final = 1_048_576
"""How long a message from the server may be; the largest state of a season has 18 KB."""


MOST_UNKNOWN: Final = 20
"""The most different unknown messages that are noted."""


@define
class Follower:
    """Follows one game."""

    game_type: str
    """The game's name in the lobby."""

    reservation: str | None = None
    """The reservation code of a seat; None: any seat."""

    room: str | None = None
    """The id of the room; None until the server has sent it."""

    seat: Seat | None = None
    """0 is red; None until the game begins."""

    side: str = ""
    """What the server calls the seat."""

    state: Element | None = None
    """The latest state."""

    is_asked: bool = False
    """Whether the server waits for a move."""

    result: Element | None = None
    """None until it is known."""

    won: bool | None = None
    """None until the result is known, and if nobody has won."""

    is_done: bool = False
    """Whether the client has left."""

    discarded: list[str] = field(factory=list)
    """What the server has sent and this client does not know, for people; each once, up to `MOST_UNKNOWN`."""

    _connection: ClientConnection = field(factory=lambda: ClientConnection(XmlStream(MESSAGE_BYTES)))

    def begin(self) -> bytes:
        """Return what is sent once the connection is made: the request to join."""
        wish = messages.Join(self.game_type) if self.reservation is None else messages.JoinPrepared(self.reservation)
        return self._connection.send(wish)

    def follow(self, data: bytes) -> Iterator[Event]:
        """Take bytes from the server, and yield the events of the client's room, each after the fields have changed.

        Yields nothing after `leave`. Raises RemoteProtocolError if the server breaks the protocol, or ends the stream
        before the game has ended.
        """
        self._connection.receive_data(data)
        for event in self._connection.events():
            if not self.is_done and self._concerns(event):
                self._take(event)
                yield event

    def move(self, data: Element) -> bytes:
        """Return the answer to a request for a move. `data`: the move's element."""
        self.is_asked = False
        return self._connection.send(messages.RoomMessage(self.room, data))

    def leave(self) -> bytes:
        """Return the bytes with which the client leaves."""
        self.is_asked, self.is_done = False, True
        return self._connection.send(messages.Leaving())

    def _concerns(self, event: Event) -> bool:
        match event:
            case messages.Joined(room=room):
                self.room = room
            case messages.Closing():
                raise self._closed()
            case messages.ErrorPacket(message=message):
                raise RemoteProtocolError(f"the server refused a request: {message[:200]}", code="refused")
            case messages.Unknown(what=what):
                if what not in self.discarded and len(self.discarded) < MOST_UNKNOWN:
                    self.discarded.append(what)
            case (
                messages.Welcome()
                | messages.Memento()
                | messages.MoveRequest()
                | messages.Refused()
                | messages.Result()
                | messages.Left()
            ):
                return event.room == self.room
        return False

    def _closed(self) -> RemoteProtocolError:
        hint = "" if self.reservation is None or self.room else "a reservation code is good for one seat, once"
        return RemoteProtocolError("the server closed the connection before the game ended", code="closed", hint=hint)

    def _take(self, event: Any) -> None:
        match event:
            case messages.Welcome(color=color):
                self.side, self.seat = color, seat_of(color)
                self._connection.dialect = next(one for one in DIALECTS if color in one.teams)
            case messages.Memento(element=state):
                self.state = state
            case messages.MoveRequest():
                if self.seat is None or self.state is None:
                    raise RemoteProtocolError("the server requested a move before the game began", code="out-of-step")
                self.is_asked = True
            case messages.Result(element=result):
                self._learn(result)

    def _learn(self, result: Element | None) -> None:
        self.result, self.is_asked = result, False
        winner = None if result is None else self._connection.dialect.winner_in(result)
        self.won = None if winner is None else winner == self.seat


def names_of(state: Element) -> list[str]:
    """Return the players' names in a `state` element, by seat; "" where there is none."""
    sides = [state.find(color) for color in messages.COLORS]
    return ["" if side is None else side.get("displayName", "") for side in sides]
