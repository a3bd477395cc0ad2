"""A Battleship player without I/O: it holds a fleet, answers shots, and knows the dialect's manners.

Source: battleship.md A3, B7 and B10. It plays against gamed, and against any other server of this protocol.
"""

from __future__ import annotations

from enum import StrEnum
from random import Random

from attrs import define, field

from gamed.errors import RemoteProtocolError
from gamed.games.battleship.fleet import SIZE
from gamed.games.battleship.placement import Defence, place_fleet
from gamed.games.battleship.strategy import Strategy
from gamed.games.battleship.wire import Code, Command, Opcode, decode, encode
from gamed.wire.lines import LineReader

LINE_LIMIT = 4_096


class Phase(StrEnum):
    """The states of TEXT's figures 2 and 3, named from this player's side."""

    INITIALIZATION = "initialization"
    ATTACK = "attack"
    AWAIT = "await answer"
    DEFENCE = "defence"
    WON = "won"
    LOST = "lost"


@define
class Player:
    """Plays one match with a strategy. `moves` counts its shots; `phase` says where the match stands."""

    strategy: Strategy
    random: Random
    phase: Phase = Phase.INITIALIZATION
    moves: int = 0
    _defence: Defence = field(init=False)
    _first: Phase | None = None
    _shot: int = -1
    _reader: LineReader = field(factory=lambda: LineReader(LINE_LIMIT))

    def __attrs_post_init__(self) -> None:
        self._defence = Defence(place_fleet(self.random))

    @property
    def won(self) -> bool | None:
        """Whether the match was won; None while it is undecided."""
        return {Phase.WON: True, Phase.LOST: False}.get(self.phase)

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
        match command:
            case (Opcode.DEFEND_FIRST | Opcode.ATTACK_FIRST as opcode, ()) if self._first is None:
                self._first = Phase.ATTACK if opcode == Opcode.ATTACK_FIRST else Phase.DEFENCE
                return []
            case (Opcode.START, ()) if self.phase is Phase.INITIALIZATION and self._first is not None:
                self.phase = self._first
                return [self._attack()] if self.phase is Phase.ATTACK else []
            case (Opcode.ATTACK, (x, y)) if self.phase is Phase.DEFENCE and x < SIZE and y < SIZE:
                return self._defend(x, y)
            case (Opcode.ANSWER, (x, y, code)) if self.phase is Phase.AWAIT and x + SIZE * y == self._shot:
                return self._learn(code)
        raise RemoteProtocolError(f"{encode(command)!r} while in phase {self.phase}", code="out-of-phase")

    def _attack(self) -> Command:
        self._shot = self.strategy.shoot(self.random)
        self.moves += 1
        self.phase = Phase.AWAIT
        return Command(Opcode.ATTACK, (self._shot % SIZE, self._shot // SIZE))

    def _defend(self, x: int, y: int) -> list[Command]:
        code = self._defence.answer(x + SIZE * y)
        answer = Command(Opcode.ANSWER, (x, y, code))
        if code == Code.LAST_SUNK:
            self.phase = Phase.LOST
            return [answer]
        return [answer, self._attack()]

    def _learn(self, code: int) -> list[Command]:
        if not Code.WATER <= code <= Code.LAST_SUNK:
            raise RemoteProtocolError(f"result code {code} is not one of 1 to 4", code="unknown-code")
        self.strategy.learn(self._shot, code)
        self.phase = Phase.WON if code == Code.LAST_SUNK else Phase.DEFENCE
        return []
