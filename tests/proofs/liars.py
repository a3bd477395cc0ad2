"""Players that lie, and matches between one of them and an honest one.

Source: docs/reference/battleship.md#the-referee.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from attrs import define

from gamed.core.clients import Player
from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Seat
from gamed.games.battleship import game_type
from gamed.games.battleship.wire import ATTACK_FIRST, DEFEND_FIRST, START, Code, Command, Opcode, decode, encode

Alteration = Callable[[Command], list[Command]]


class Transcript(NamedTuple):
    """A match: the sender of each line, and the number of the first line that was a lie, or None."""

    lines: list[tuple[Seat, bytes]]
    lied_at: int | None


@define
class Lie:
    """A liar's answers. `due`: how many opportunities it ignores first."""

    due: int
    sunk: int = 0

    def water(self, said: Command) -> list[Command]:
        """Deny the last ship."""
        is_denied = self.sunk == 4 and _code(said) > Code.WATER
        self.sunk += _code(said) == Code.SUNK
        return [_with(said, Code.WATER)] if is_denied else [said]

    def sunk_too_early(self, said: Command) -> list[Command]:
        """Say once that a ship is sunk when it is only hit."""
        return [_with(said, Code.SUNK)] if _code(said) == Code.HIT and self._is_due() else [said]

    def last_too_early(self, said: Command) -> list[Command]:
        """Say that all ships are sunk when they are not."""
        return [_with(said, Code.LAST_SUNK)] if 0 < _code(said) < Code.LAST_SUNK and self._is_due() else [said]

    def never_sunk(self, said: Command) -> list[Command]:
        """Never say that a ship is sunk."""
        return [_with(said, Code.HIT)] if _code(said) > Code.HIT else [said]

    def another_cell(self, said: Command) -> list[Command]:
        """Answer once for a neighbouring cell."""
        if _code(said) and self._is_due():
            x, y, code = said.numbers
            return [Command(Opcode.ANSWER, ((x + 1) % 10, y, code))]
        return [said]

    def out_of_turn(self, said: Command) -> list[Command]:
        """Shoot twice, once."""
        return [said, said] if said.opcode == Opcode.ATTACK and self._is_due() else [said]

    def _is_due(self) -> bool:
        self.due -= 1
        return self.due == -1


def _code(said: Command) -> int:
    return said.numbers[2] if said.opcode == Opcode.ANSWER else 0


def _with(said: Command, code: Code) -> Command:
    return Command(Opcode.ANSWER, (*said.numbers[:2], int(code)))


LIES: Mapping[str, tuple[Callable[[Lie], Alteration], int, str]] = {
    "water": (lambda lie: lie.water, 1, "no-legal-fleet"),
    "sunk too early": (lambda lie: lie.sunk_too_early, 10, "no-legal-fleet"),
    "4 too early": (lambda lie: lie.last_too_early, 25, "no-legal-fleet"),
    "never sunk": (lambda lie: lie.never_sunk, 1, "no-legal-fleet"),
    "another cell": (lambda lie: lie.another_cell, 25, "other-cell"),
    "out of turn": (lambda lie: lie.out_of_turn, 25, "out-of-turn"),
}
"""By name: the lie, how many occasions it lets pass at most, and the code of the finding."""


def match(name: str, liar: Seat, seed: int) -> Transcript:
    """Play a match in which one seat lies; it ends when somebody has won or breaks off."""
    random = Random(f"{name} {liar} {seed}")
    alteration, most, _ = LIES[name]
    alter = alteration(Lie(random.randrange(most)))
    players = [game_type.players[random.choice(("open-list", "density"))](random) for _ in range(2)]
    transcript = Transcript([], None)
    waiting = [(0, DEFEND_FIRST), (0, START), (1, ATTACK_FIRST), (1, START)]
    while waiting:
        receiver, line = waiting.pop(0)
        for reply in _replies(players[receiver], line):
            said = [reply] if receiver != liar else [encode(command) for command in alter(_decoded(reply))]
            if said != [reply] and transcript.lied_at is None:
                transcript = transcript._replace(lied_at=len(transcript.lines) + len(said) - 1)
            transcript.lines.extend((receiver, line) for line in said)
            waiting += [(1 - receiver, line) for line in said]
    return transcript


def _replies(player: Player, line: bytes) -> list[bytes]:
    try:
        return player.receive_data(line + b"\r").split(b"\n")[:-1]
    except RemoteProtocolError:
        # It would close the connection now.
        return []


def _decoded(line: bytes) -> Command:
    command = decode(line)
    assert command is not None
    return command
