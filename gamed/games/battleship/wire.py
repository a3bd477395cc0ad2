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
"""What the server ends a line with. Clients end theirs with LF, CR or CRLF."""

# Prolog's reader takes blanks between any two tokens and needs no parentheses; the older form has no full stop, either.
# Nine digits and eight numbers are more than any command needs.
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
    """A message: opcode 1..5 and numbers, 0 to 3 if it is right. Coordinates are x (column), then y (row), from 0."""

    opcode: int
    numbers: tuple[int, ...] = ()


# An honest game knows 500 lines; what a dishonest one sends is forgotten again.
@lru_cache(1024)
def decode(line: bytes) -> Command | None:
    """Return what a line without its terminator says to a reader of Prolog terms, or None if it is no command."""
    match = _COMMAND.fullmatch(line)
    if match is None:
        return None
    opcode, numbers = match.group(2, 3)
    return Command(int(opcode), tuple(map(int, numbers.split(b","))) if numbers else ())


def encode(command: Command) -> bytes:
    """Return the line that says a command, without terminator."""
    return b"(%d,[%s])." % (command.opcode, b",".join(b"%d" % number for number in command.numbers))


@lru_cache(1024)
def plain(line: bytes) -> bytes:
    """Return the line that says the same by the text's own grammar; a line that is not a command stays."""
    command = decode(line)
    return line if command is None else encode(command)


DEFEND_FIRST = encode(Command(Opcode.DEFEND_FIRST))
ATTACK_FIRST = encode(Command(Opcode.ATTACK_FIRST))
START = encode(Command(Opcode.START))

_EMPTY = Unread(Refusal("empty-line", "an empty line, which is not forwarded", "one line feed after each command"))


def _event(line: bytes) -> Event:
    return Moved(line) if line else _EMPTY


@define
class BattleshipConnection:
    """The server's side of one connection. Lines pass untouched; empty ones, which kill Java clients, do not."""

    ending: ClassVar[str] = "a line feed"

    _reader: LineReader

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client; empty bytes mean that it has closed."""
        self._reader.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Return what lines are: `Moved`, or `Unread` if empty. Raises RemoteProtocolError(code="line-too-long")."""
        return map(_event, self._reader.lines())

    def send(self, event: Event) -> bytes:
        """Return a line for the client."""
        if isinstance(event, Moved):
            return event.body + END
        if isinstance(event, Seated):
            return (ATTACK_FIRST if event.first else DEFEND_FIRST) + END
        if isinstance(event, Started):
            return START + END
        raise LocalProtocolError(f"the Battleship dialect cannot say {event!r}")

    @property
    def begun(self) -> bool:
        """Whether a line must end soon: a person may take any time for one, and silence has limits of its own."""
        return False

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a line that has not ended."""
        return self._reader.unfinished

    def close(self) -> bytes:
        """Say nothing: there is no word for it."""
        return b""
