"""A world's side of the game: what it learns from the mails, whoever decides its moves.

Source: docs/specs/quoridor.md#what-a-world-does, docs/reference/quoridor.md#what-worlds-are-told. It follows gamed, and
the original's server.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import define, field

from gamed.core.errors import RemoteProtocolError, RuleError
from gamed.core.game import Seat
from gamed.games.quoridor.messages import Placed, understood
from gamed.games.quoridor.moves import Move, PawnMove
from gamed.games.quoridor.rules import State
from gamed.games.quoridor.signup import STARTS, Call
from gamed.games.quoridor.table import TableRules
from gamed.games.quoridor.wire import Said, WorldConnection, message, registration
from gamed.wire.datums import Datum, Symbol
from gamed.wire.sexpr import DatumReader

DATUM_BYTES: Final = 65_536
DATUM_DEPTH: Final = 100

RULES: Final = TableRules()
"""The rules by which a world follows the game."""

_CALLS: Final = {call.value: call for call in Call}
_MOVE: Final = Symbol("move")
_FOR_TWO: Final = frozenset({Call.START2PLAY, Call.START2WAIT})
_TO_MOVE: Final = frozenset({Call.START2PLAY, Call.START4PLAY})

_ARRIVALS: Final = {
    (Call.WAIT_FOR_PLAYERS, Call.WAIT_OR_PLAY): 0,
    (Call.WAIT_OR_PLAY,): 1,
    (Call.WAIT_FOR_PLAYERS, Call.START4WAIT): 2,
    (Call.START4WAIT,): 3,
}
"""The seats by the mails that a world hears first: no two of a table are signed up in the same way."""


def _out_of_step(text: str) -> RemoteProtocolError:
    return RemoteProtocolError(text, code="out-of-step")


@define
class Follower:
    """A world that has nothing to say but its name.

    `state`: the position, None before a game; `won`: None until the game is over. `seat`: None as long as the mails do
    not tell; with four, they tell it when the world is to move.
    """

    name: str
    state: State | None = None
    seat: Seat | None = None
    won: bool | None = None
    _arrival: tuple[Call, ...] = ()
    _is_dissolved: bool = False
    _connection: WorldConnection = field(factory=lambda: WorldConnection(DatumReader(DATUM_BYTES, DATUM_DEPTH)))

    def begin(self) -> bytes:
        """Return what is sent as soon as the connection stands: the registration."""
        return registration(self.name)

    def follow(self, data: bytes) -> Iterator[tuple[Call, int]]:
        """Take bytes from the server; follow each mail, and yield its symbol and number.

        Raises RemoteProtocolError if the other side errs ("not-accepted", "no-mail", "out-of-step", and as DatumReader
        does).
        """
        self._connection.receive_data(data)
        for event in self._connection.events():
            if isinstance(event, Said):
                yield self._mail(event.datum)

    @property
    def place(self) -> Seat | None:
        """The seat, as soon as it can be concluded: from `seat`, and from how the world was signed up."""
        if self.seat is not None:
            return self.seat
        return _ARRIVALS.get(self._arrival[:1], _ARRIVALS.get(self._arrival))

    @property
    def was_asked(self) -> bool:
        """Whether it was asked for how many the game is to be: by its first or second mail, or never."""
        return Call.WAIT_OR_PLAY in self._arrival

    def _mail(self, datum: Datum) -> tuple[Call, int]:
        match datum:
            case (Symbol(name=name), int(number), tuple(move)) if name in _CALLS:
                call = _CALLS[name]
                self._follow(call, number, move)
                return call, number
        raise RemoteProtocolError(f"{datum!r:.80} is no mail of this game", code="no-mail")

    def _follow(self, call: Call, number: int, move: tuple[Datum, ...]) -> None:
        if call is Call.DISCONNECT:
            self._is_dissolved = True
            return
        if self._is_dissolved:
            # Who is left behind may be given a seat at another table.
            self.state = self.seat = self.won = None
            self._arrival, self._is_dissolved = (), False
        if len(self._arrival) < 2:  # noqa: PLR2004 (the first two mails)
            self._arrival += (call,)
        if call in STARTS:
            self._start(call, number)
        elif call in (Call.PLAY, Call.WAIT, Call.WON, Call.LOST):
            self._learn(call, number, move)

    def _start(self, call: Call, number: int) -> None:
        players = 2 if call in _FOR_TWO else 4
        try:
            self.state = RULES.setup({"players": players, "first": number - 1})
        except RuleError as error:
            raise _out_of_step(f"world {number} of {players} cannot begin") from error
        self.won = None
        if call in _TO_MOVE:
            self.seat = number - 1
        elif call is Call.START2WAIT:
            self.seat = 2 - number

    def _learn(self, call: Call, number: int, move: tuple[Datum, ...]) -> None:
        """Take the last move."""
        placed = understood((_MOVE, *move))
        if self.state is None or not isinstance(placed, Placed):
            raise _out_of_step(f"{call} without a move in a game")
        try:
            self.state = RULES.follow(self.state, number - 1, placed.move)
        except RuleError as error:
            raise _out_of_step(f"a move of world {number}, whose turn it is not") from error
        if call in (Call.WON, Call.LOST):
            self.won = call is Call.WON
        elif call is Call.PLAY:
            if self.state.winner is not None:
                raise _out_of_step("the game goes on with a pawn at its goal")
            self.seat = number % self.state.players


def spoken(move: Move) -> bytes:
    """Return the message of a move, its numbers as the authors' world has them."""
    x, y = float(move.x), float(move.y)
    if isinstance(move, PawnMove):
        return message(_MOVE, Symbol("player"), x, y)
    return message(_MOVE, Symbol("wall"), x, y, Symbol(move.orientation))
