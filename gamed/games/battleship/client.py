"""A Battleship player without I/O: it holds a fleet, answers shots, and knows the dialect's manners.

Source: battleship.md A3, B7 and B10. It plays against gamed, and against any other server of this protocol.
"""

from __future__ import annotations

from random import Random

from attrs import define, field

from gamed.errors import LocalProtocolError, RemoteProtocolError
from gamed.games.battleship.fleet import SIZE
from gamed.games.battleship.placement import Defence, place_fleet
from gamed.games.battleship.states import Phase, Way, after
from gamed.games.battleship.strategy import Strategy
from gamed.games.battleship.wire import Code, Command, Opcode, decode, encode
from gamed.wire.lines import LineReader

__all__ = ["Phase", "Player"]

LINE_LIMIT = 4_096


@define
class Player:
    """Plays one match with a strategy. `moves` counts its shots; `phase` says where the match stands."""

    strategy: Strategy
    random: Random
    phase: Phase = Phase.INITIALIZATION
    moves: int = 0
    _defence: Defence = field(init=False)
    _shot: int = -1
    _reader: LineReader = field(factory=lambda: LineReader(LINE_LIMIT))

    def __attrs_post_init__(self) -> None:
        self._defence = Defence(place_fleet(self.random))

    @property
    def is_done(self) -> bool:
        """Whether the match is over."""
        return self.phase in (Phase.WON, Phase.LOST)

    @property
    def won(self) -> bool | None:
        """Whether the match was won; None while it is undecided."""
        return {Phase.WON: True, Phase.LOST: False}.get(self.phase)

    def begin(self) -> bytes:
        """Return nothing: the server tells the roles first."""
        return b""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer. Raises RemoteProtocolError if the other side errs."""
        self._reader.receive_data(data)
        answer = b"".join(self._line(line) for line in self._reader.lines() if line)
        if not data and self.won is None:
            raise RemoteProtocolError("the server closed the connection before the game ended", code="closed")
        return answer

    def _line(self, line: bytes) -> bytes:
        command = decode(line)
        if command is None:
            raise RemoteProtocolError(f"{line[:80]!r} is no command", code="no-command")
        replies = self._command(command)
        return b"".join(encode(reply) + b"\n" for reply in replies)

    def _command(self, command: Command) -> list[Command]:
        then = after(self.phase, Way.RECEIVES, command)
        if then is None or not self._fits(command):
            raise RemoteProtocolError(f"{encode(command)!r} while in phase {self.phase}", code="out-of-phase")
        if then is Phase.ANSWER:
            self.phase = then
            return self._defend(*command.numbers)
        if self.phase is Phase.AWAIT:
            self._learn(command.numbers[2])
        self.phase = then
        return self._attack() if then is Phase.ATTACK else []

    def _fits(self, command: Command) -> bool:
        """Whether the numbers are as many as the opcode takes, on the board, and about our shot."""
        match command:
            case (Opcode.ATTACK, (x, y)):
                return x < SIZE and y < SIZE
            case (Opcode.ANSWER, (x, y, _)):
                return (x, y) == (self._shot % SIZE, self._shot // SIZE)
            case (Opcode.ATTACK | Opcode.ANSWER, _):
                return False
        return not command.numbers

    def _learn(self, code: int) -> None:
        if not Code.WATER <= code <= Code.LAST_SUNK:
            raise RemoteProtocolError(f"result code {code} is not one of 1 to 4", code="unknown-code")
        self.strategy.learn(self._shot, code)

    def _defend(self, x: int, y: int) -> list[Command]:
        answer = Command(Opcode.ANSWER, (x, y, self._defence.answer(x + SIZE * y)))
        self._sends(answer)
        return [answer, *self._attack()] if self.phase is Phase.ATTACK else [answer]

    def _attack(self) -> list[Command]:
        try:
            self._shot = self.strategy.shoot(self.random)
        except LookupError as error:
            raise RemoteProtocolError("all cells are known, and the fleet still floats", code="dishonest") from error
        self.moves += 1
        shot = Command(Opcode.ATTACK, (self._shot % SIZE, self._shot // SIZE))
        self._sends(shot)
        return [shot]

    def _sends(self, command: Command) -> None:
        then = after(self.phase, Way.SENDS, command)
        if then is None:
            raise LocalProtocolError(f"{encode(command)!r} is not ours to send in phase {self.phase}")
        self.phase = then
