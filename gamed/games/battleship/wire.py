"""The Battleship dialect: Prolog terms, one a line.

Source: docs/reference/battleship.md#messages, docs/reference/battleship.md#line-ends. The text calls a message a
"Kommando" (command): an opcode and up to three numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache
from typing import ClassVar, NamedTuple

from attrs import define

from gamed.core.errors import LocalProtocolError
from gamed.core.events import Event, Moved, Seated, Started, Unread
from gamed.core.refusals import Refusal
from gamed.wire.lines import LineReader

END = b"\r"
"""The end of the server's lines. Clients end theirs with LF, CR or CRLF."""

# Prolog's reader accepts blanks between any two tokens, and does not need parentheses. The older form has no full stop,
# either. Nine digits and eight numbers are more than any command needs.
_COMMAND = re.compile(
    rb"_(\(_)?0{0,8}([1-5])_,_\[_((?:N(?:_,_N){0,7}_)?)\]_(?(1)\)_\.|\.?)_".replace(b"_", rb"[ \t\v\f]*+").replace(
        b"N", rb"-?[0-9]{1,9}"
    )
)


class Opcode(IntEnum):
    """The five commands of the protocol's text."""

    ATTACK = 1
    ANSWER = 2
    DEFEND_FIRST = 3
    ATTACK_FIRST = 4
    START = 5


class Code(IntEnum):
    """The answers of the protocol's text."""

    WATER = 1
    HIT = 2
    SUNK = 3
    LAST_SUNK = 4


class Command(NamedTuple):
    """A message: an opcode from 1 to 5, and up to three numbers if it is correct.

    Coordinates are x (column) and then y (row), from 0.
    """

    opcode: int
    numbers: tuple[int, ...] = ()


# Honest games have 500 different lines, so all of them are in the cache.
@lru_cache(1024)
def decode(line: bytes) -> Command | None:
    """Return the command of a line without its terminator, as Prolog reads it, or None if it is not a command."""
    match = _COMMAND.fullmatch(line)
    if match is None:
        return None
    opcode, numbers = match.group(2, 3)
    return Command(int(opcode), tuple(map(int, numbers.split(b","))) if numbers else ())


def encode(command: Command) -> bytes:
    """Return the line of a command, without its terminator."""
    return b"(%d,[%s])." % (command.opcode, b",".join(b"%d" % number for number in command.numbers))


@lru_cache(1024)
def plain(line: bytes) -> bytes:
    """Return a command's line by the grammar of the protocol's text. A line that is not a command is not changed."""
    command = decode(line)
    return line if command is None else encode(command)


DEFEND_FIRST = encode(Command(Opcode.DEFEND_FIRST))
ATTACK_FIRST = encode(Command(Opcode.ATTACK_FIRST))
START = encode(Command(Opcode.START))

_EMPTY = Unread(Refusal("empty-line", "an empty line, which is not forwarded", "one line feed after each command"))


@define
class BattleshipConnection:
    """The server's side of one connection. Lines pass unchanged, except empty ones, which would stop Java clients."""

    ending: ClassVar[str] = "a line feed"

    _reader: LineReader
    _last: bytes = b""
    """The last line, which says whether an answer is due."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client. Empty bytes mean that it has closed its side."""
        self._reader.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Return a `Moved` for each line, or `Unread` if it is empty. Raises RemoteProtocolError("line-too-long")."""
        return map(self._event, self._reader.lines())

    def _event(self, line: bytes) -> Event:
        self._last = line
        return Moved(line) if line else _EMPTY

    def send(self, event: Event) -> bytes:
        """Return a line for the client."""
        if isinstance(event, Moved):
            return event.body + END
        if isinstance(event, Seated):
            return (ATTACK_FIRST if event.first else DEFEND_FIRST) + END
        if isinstance(event, Started):
            return START + END
        raise LocalProtocolError(f"the Battleship dialect has no message for {event!r}")

    @property
    def begun(self) -> bool:
        """False: a person may type slowly, and there is an idle timeout."""
        return False

    @property
    def is_answered(self) -> bool:
        """Whether the last line is a shot. Its sender waits for the answer, but after an answer it shoots."""
        command = decode(self._last)
        return command is not None and command.opcode == Opcode.ATTACK

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a line that has not ended."""
        return self._reader.unfinished

    def close(self) -> bytes:
        """Return nothing: the dialect has no message for it."""
        return b""
