"""A person's client in the lobby: it follows one game, waits for the human at each request, and leaves after the game.

Source: docs/reference/software-challenge.md#what-clients-say,
docs/reference/software-challenge.md#what-the-server-says, docs/reference/software-challenge.md#results. It does
not know the game of any season; a `Guide` does. In this dialect players have no names when they join, and nobody learns
how long a move may take.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from attrs import define, field

from gamed.core.errors import NotYourTurn
from gamed.core.game import Seat
from gamed.games.softwarechallenge.follower import Follower, names_of
from gamed.games.softwarechallenge.messages import Left, Memento, Refused
from gamed.wire.xmlstream import Element

JOINING, WAITING, HELD, PLAY, WAIT, OVER = "joining", "waiting", "held", "play", "wait", "over"
"""The phases: no room yet; alone in a room; this side's turn, but paused; to move; the other side's turn; the end."""

SKIP: Final = {"do": "skip"}
"""The action that passes."""


class Guide(Protocol):
    """What knows the game of a season. A position is what `read` returns."""

    game_type: str
    """The game's name in the lobby."""

    def read(self, state: Element) -> Any:
        """Return the position in a `state` element. Raises RemoteProtocolError if the element is not a state."""

    def last(self, state: Element, position: Any) -> Mapping[str, Any] | None:
        """Return the `seat` and `text` of the last move in a `state` element, whose position is given.

        The text is the notation of records. Raises RemoteProtocolError.
        """

    def mover(self, position: Any) -> Seat:
        """Return the seat to move."""

    def view(self, position: Any) -> Mapping[str, Any]:
        """Return a position as `Game.view` shows it."""

    def legal(self, position: Any, seat: Seat) -> list[Mapping[str, Any]]:
        """Return a seat's legal moves as actions; `SKIP` is one."""

    def answer(self, position: Any, seat: Seat, action: Mapping[str, Any]) -> Element:
        """Return the `data` element of an action. Raises InvalidMove, IllegalMove, NotYourTurn."""


@define
class Person(Follower):
    """Follows one game for a human."""

    guide: Guide = field(kw_only=True)
    _position: Any = None
    _last: Mapping[str, Any] | None = None
    _names: list[str] | None = None
    _refusal: str | None = None
    _is_answered: bool = False
    """Whether this side has sent a move in the present position."""

    @property
    def phase(self) -> str:
        """One of the phases above."""
        if self.is_done or self.result is not None:
            return OVER
        if self.room is None:
            return JOINING
        if self.seat is None:
            return WAITING
        if self.is_asked:
            return PLAY
        # A paused start sends the first state; the request comes when the game goes on.
        is_mine = self._position is not None and self.guide.mover(self._position) == self.seat
        return HELD if is_mine and not self._is_answered else WAIT

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer: after the game, that the client leaves.

        Raises RemoteProtocolError.
        """
        return b"".join([self._react(event) for event in self.follow(data)])

    def _react(self, event: Any) -> bytes:
        match event:
            case Memento(element=Element() as state):
                self._position = self.guide.read(state)
                self._last = self.guide.last(state, self._position)
                self._names = names_of(state)
                self._is_answered = False
            case Refused(message=message):
                # The result follows, because a player who breaks a rule loses.
                self._refusal = message
            case Left():
                return self.leave()
        return b""

    def act(self, action: Mapping[str, Any]) -> bytes:
        """Return what is sent for an action. Raises NotYourTurn, InvalidMove, IllegalMove; then nothing has changed."""
        seat = self.seat
        if not self.is_asked or seat is None:
            over = self.phase == OVER
            raise NotYourTurn("The game is over." if over else "Wait until you are asked for a move.")
        sent = self.move(self.guide.answer(self._position, seat, action))
        self._is_answered = True
        return sent

    def view(self) -> Mapping[str, Any]:
        """Return what the human may see and do: `phase`, `board`, `you`, `won`, `players` (None: not known yet).

        In `you`: `seat`; `legal`, the actions that may be sent now; `mustSkip`, whether a skip is the only one; `last`,
        with `seat` and `text` of the latest move; `refusal`, why the server refused a move; `result`, with `scores`,
        which has for each seat `cause`, `reason` and `points` as the server wrote them.
        """
        return {
            "phase": self.phase,
            "board": None if self._position is None else self.guide.view(self._position),
            "you": self._you(),
            "won": self.won,
            "players": self._names or [None, None],
        }

    def _you(self) -> Mapping[str, Any]:
        seat = self.seat
        legal = self.guide.legal(self._position, seat) if self.is_asked and seat is not None else []
        return {
            "seat": seat,
            "legal": legal,
            "mustSkip": legal == [SKIP],
            "last": self._last,
            "refusal": self._refusal,
            "result": None if self.result is None else {"scores": self._connection.dialect.scores_in(self.result)},
        }
