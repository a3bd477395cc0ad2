"""A world without I/O: it registers, votes, and plays one game with a strategy.

Source: quoridor.md A ("Bot"), B5 and C2. It plays against gamed, and against the original's server. It speaks as the
authors' world does: coordinates are floats, and nothing is sent but its vote and its moves.
"""

from __future__ import annotations

from random import Random
from typing import Final

from attrs import define, field

from gamed.errors import RemoteProtocolError, RuleError
from gamed.game import Seat
from gamed.games.quoridor.messages import Placed, understood
from gamed.games.quoridor.moves import Move, PawnMove
from gamed.games.quoridor.rules import State
from gamed.games.quoridor.signup import STARTS, Call
from gamed.games.quoridor.strategy import Strategy
from gamed.games.quoridor.table import Seated
from gamed.games.quoridor.wire import Said, WorldConnection, message, registration
from gamed.wire.sexpr import Datum, DatumReader, Symbol

DATUM_BYTES: Final = 65_536
DATUM_DEPTH: Final = 100

_CALLS: Final = {call.value: call for call in Call}
_MOVE: Final = Symbol("move")
_RULES: Final = Seated()


def _out_of_step(text: str) -> RemoteProtocolError:
    return RemoteProtocolError(text, code="out-of-step")


@define
class Player:
    """Plays one game with a strategy. `players`: for how many it votes; `moves` counts its moves.

    `won`: None until the game is over. `seat`: None as long as the mails do not tell; with four, a world learns it when
    it is to move.
    """

    strategy: Strategy
    random: Random
    players: int = 2
    name: str = "gamed"
    moves: int = 0
    won: bool | None = None
    state: State | None = None
    seat: Seat | None = None
    _connection: WorldConnection = field(factory=lambda: WorldConnection(DatumReader(DATUM_BYTES, DATUM_DEPTH)))

    @property
    def is_done(self) -> bool:
        """Whether the game is over."""
        return self.won is not None

    def begin(self) -> bytes:
        """Return what is sent as soon as the connection stands: the registration."""
        return registration(self.name)

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer.

        Raises RemoteProtocolError if the other side errs, has no seat, or ends before the game does.
        """
        self._connection.receive_data(data)
        answer = b""
        for event in self._connection.events():
            if isinstance(event, Said) and not self.is_done:
                answer += self._mail(event.datum)
        if not data and not self.is_done:
            raise RemoteProtocolError("the server closed the connection before the game ended", code="closed")
        return answer

    def _mail(self, datum: Datum) -> bytes:
        match datum:
            case (Symbol(name=name), int(number), tuple(move)) if name in _CALLS:
                return self._called(_CALLS[name], number, move)
        raise RemoteProtocolError(f"{datum!r:.80} is no mail of this game", code="no-mail")

    def _called(self, call: Call, number: int, move: tuple[Datum, ...]) -> bytes:
        if call is Call.WAIT_OR_PLAY:
            return message(Symbol("play" if self.players == 2 else "wait"))  # noqa: PLR2004 (two players)
        if call is Call.REJECTED:
            raise RemoteProtocolError("the server has no table for one more world", code="rejected")
        if call is Call.DISCONNECT:
            raise RemoteProtocolError(f"world {number} left before the game ended", code="disconnect")
        if call in STARTS:
            return self._start(call, number)
        if call in (Call.PLAY, Call.WAIT, Call.WON, Call.LOST):
            return self._learn(call, number, move)
        return b""

    def _start(self, call: Call, number: int) -> bytes:
        players = 2 if call in (Call.START2PLAY, Call.START2WAIT) else 4
        try:
            self.state = _RULES.setup({"players": players, "first": number - 1})
        except RuleError as error:
            raise _out_of_step(f"world {number} of {players} cannot begin") from error
        return self._move(number - 1) if call in (Call.START2PLAY, Call.START4PLAY) else b""

    def _learn(self, call: Call, number: int, move: tuple[Datum, ...]) -> bytes:
        """Take the last move, and answer with the next one if it is asked for."""
        placed = understood((_MOVE, *move))
        if self.state is None or not isinstance(placed, Placed):
            raise _out_of_step(f"{call} without a move in a game")
        try:
            self.state = _RULES.follow(self.state, number - 1, placed.move)
        except RuleError as error:
            raise _out_of_step(f"a move of world {number}, whose turn it is not") from error
        if call in (Call.WON, Call.LOST):
            self.won = call is Call.WON
        return self._move(number % self.state.players) if call is Call.PLAY else b""

    def _move(self, seat: Seat) -> bytes:
        """Return a legal move; nothing where there is none, as can be with four."""
        assert self.state is not None
        if self.state.winner is not None:
            raise _out_of_step("the game goes on with a pawn at its goal")
        self.seat = seat
        try:
            move = self.strategy.choose(self.state, seat, self.random)
        except LookupError:
            return b""
        self.moves += 1
        return spoken(move)


def spoken(move: Move) -> bytes:
    """Return the message of a move, its numbers as the authors' world has them."""
    x, y = float(move.x), float(move.y)
    if isinstance(move, PawnMove):
        return message(_MOVE, Symbol("player"), x, y)
    return message(_MOVE, Symbol("wall"), x, y, Symbol(move.orientation))
