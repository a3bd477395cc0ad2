"""The client's side of a Battleship match: it checks the server's messages, and keeps track of the phase.

The phases are those of `states.py`. Subclasses decide what to answer and where to shoot: by a strategy (`client.py`) or
as a human says (`person.py`).

Source: docs/specs/battleship.md#gameds-players, docs/reference/battleship.md#messages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from attrs import define, field

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.games.battleship.fleet import SIZE, Cell
from gamed.games.battleship.states import Phase, Way, after
from gamed.games.battleship.wire import Code, Command, Opcode, decode, encode
from gamed.wire.lines import LineReader

LINE_LIMIT = 4_096
"""The longest line that is accepted from the server, in bytes without its terminator."""

BROKEN_OFF = (
    "the server closed the connection before the game ended: the opponent left or broke a rule, or the server ended "
    "the game. This wire does not say which, nor who has won; the record on the server does"
)


@define
class Follower(ABC):
    """Follows one match on the wire."""

    phase: Phase = field(default=Phase.INITIALIZATION, init=False)
    _shot: Cell = field(default=-1, init=False)
    """The cell of our last shot; -1: there was none."""

    _reader: LineReader = field(factory=lambda: LineReader(LINE_LIMIT), init=False)

    @abstractmethod
    def _learn(self, code: int) -> None:
        """Take note of the answer (1 to 4) to the last shot. May raise RemoteProtocolError."""

    @abstractmethod
    def _defend(self, cell: Cell) -> list[Command]:
        """Return the commands that answer a shot at once."""

    @abstractmethod
    def _attack(self) -> list[Command]:
        """Return the commands to send at once when it is this side's turn to shoot."""

    @property
    def is_done(self) -> bool:
        """Whether the match is over."""
        return self.phase in (Phase.WON, Phase.LOST)

    @property
    def won(self) -> bool | None:
        """Whether the match was won; None while it is undecided."""
        return {Phase.WON: True, Phase.LOST: False}.get(self.phase)

    def begin(self) -> bytes:
        """Return nothing: the server sends the first message."""
        return b""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server, and return the answer. Raises RemoteProtocolError if the other side is wrong."""
        self._reader.receive_data(data)
        answer = b"".join(self._line(line) for line in self._reader.lines() if line)
        if not data and self.won is None:
            raise RemoteProtocolError(BROKEN_OFF, code="closed")
        return answer

    def _line(self, line: bytes) -> bytes:
        command = decode(line)
        if command is None:
            raise RemoteProtocolError(f"{line[:80]!r} is not a command", code="no-command")
        return spoken(self._command(command))

    def _command(self, command: Command) -> list[Command]:
        then = after(self.phase, Way.RECEIVES, command)
        if then is None or not self._fits(command):
            raise RemoteProtocolError(f"{encode(command)!r} while in phase {self.phase}", code="out-of-phase")
        if then is Phase.ANSWER:
            self.phase = then
            x, y = command.numbers
            return self._defend(x + SIZE * y)
        if self.phase is Phase.AWAIT:
            self._answered(command.numbers[2])
        self.phase = then
        return self._attack() if then is Phase.ATTACK else []

    def _fits(self, command: Command) -> bool:
        """Whether the opcode has the right count of numbers, on the board, and an answer is about our last shot."""
        match command:
            case (Opcode.ATTACK, (x, y)):
                return 0 <= x < SIZE and 0 <= y < SIZE
            case (Opcode.ANSWER, (x, y, _)):
                return (x, y) == (self._shot % SIZE, self._shot // SIZE)
            case (Opcode.ATTACK | Opcode.ANSWER, _):
                return False
        return not command.numbers

    def _answered(self, code: int) -> None:
        if not Code.WATER <= code <= Code.LAST_SUNK:
            raise RemoteProtocolError(f"result code {code} is not one of 1 to 4", code="unknown-code")
        self._learn(code)

    def _answers(self, cell: Cell, code: int) -> Command:
        return self._sends(Command(Opcode.ANSWER, (cell % SIZE, cell // SIZE, code)))

    def _shoots(self, cell: Cell) -> Command:
        self._shot = cell
        return self._sends(Command(Opcode.ATTACK, (cell % SIZE, cell // SIZE)))

    def _sends(self, command: Command) -> Command:
        then = after(self.phase, Way.SENDS, command)
        if then is None:
            raise LocalProtocolError(f"{encode(command)!r} must not be sent in phase {self.phase}")
        self.phase = then
        return command


def spoken(commands: list[Command]) -> bytes:
    """Return commands as a client sends them, a line each."""
    return b"".join(encode(command) + b"\n" for command in commands)
