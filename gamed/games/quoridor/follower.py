"""A world's view of the game, as the mails tell it. A bot or a person decides its moves.

Source: docs/specs/quoridor.md#what-a-world-does, docs/reference/quoridor.md#what-worlds-are-told. It understands gamed
and the original's server.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import define, field

from gamed.core.errors import RemoteProtocolError, RuleError
from gamed.core.game import Seat
from gamed.games.quoridor.messages import Placed, understood
from gamed.games.quoridor.moves import Move, PawnMove
from gamed.games.quoridor.rules import State, TableRules
from gamed.games.quoridor.signup import STARTS, Call
from gamed.games.quoridor.wire import Said, WorldConnection, message, registration
from gamed.wire.datums import Datum, Symbol
from gamed.wire.sexpr import DatumReader

DATUM_BYTES: Final = 65_536
DATUM_DEPTH: Final = 100

RULES: Final = TableRules()
"""The rules that a world applies to the moves in its mails."""

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
"""The seat of a world by its first mails, which differ for each seat of a table."""


def _out_of_step(text: str) -> RemoteProtocolError:
    return RemoteProtocolError(text, code="out-of-step")


@define
class Follower:
    """A world that registers, follows the game and sends nothing else."""

    name: str
    """The name that it registers with."""

    state: State | None = None
    """The position; None before the first game."""

    seat: Seat | None = None
    """Its seat; None until a mail shows it. In a game of four that is the first mail that asks for a move."""

    won: bool | None = None
    """Whether the last game was won; None until it is over."""

    _arrival: tuple[Call, ...] = ()
    """The first two mails at this table, see `_ARRIVALS`."""

    _is_dissolved: bool = False
    """Whether a world has left the table."""

    _connection: WorldConnection = field(factory=lambda: WorldConnection(DatumReader(DATUM_BYTES, DATUM_DEPTH)))

    def begin(self) -> bytes:
        """Return the registration, which is sent as soon as the connection is made."""
        return registration(self.name)

    def follow(self, data: bytes) -> Iterator[tuple[Call, int]]:
        """Take bytes from the server, apply each mail, and yield its symbol and number.

        Raises RemoteProtocolError if the server breaks the protocol ("not-accepted", "no-mail", "out-of-step"), and as
        DatumReader does.
        """
        self._connection.receive_data(data)
        for event in self._connection.events():
            if isinstance(event, Said):
                yield self._mail(event.datum)

    @property
    def place(self) -> Seat | None:
        """The seat if it is known, from `seat` or from the first mails at the table; else None."""
        if self.seat is not None:
            return self.seat
        return _ARRIVALS.get(self._arrival[:1], _ARRIVALS.get(self._arrival))

    @property
    def was_asked(self) -> bool:
        """Whether one of its first two mails has asked how many players there should be."""
        return Call.WAIT_OR_PLAY in self._arrival

    def _mail(self, datum: Datum) -> tuple[Call, int]:
        match datum:
            case (Symbol(name=name), int(number), tuple(move)) if name in _CALLS:
                call = _CALLS[name]
                self._follow(call, number, move)
                return call, number
        raise RemoteProtocolError(f"{datum!r:.80} is not a mail of this game", code="no-mail")

    def _follow(self, call: Call, number: int, move: tuple[Datum, ...]) -> None:
        if call is Call.DISCONNECT:
            self._is_dissolved = True
            return
        if self._is_dissolved:
            # A world whose table was dissolved may get a seat at another one.
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
        """Apply the move in a mail."""
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
    """Return the message for a move, with floats, as the authors' world writes it."""
    x, y = float(move.x), float(move.y)
    if isinstance(move, PawnMove):
        return message(_MOVE, Symbol("player"), x, y)
    return message(_MOVE, Symbol("wall"), x, y, Symbol(move.orientation))
