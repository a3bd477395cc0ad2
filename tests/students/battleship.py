"""A student's night, Battleship: 15 bots that nearly work, written before what the server says of them.

Each plays in memory against a real lobby. Where it needs an opponent that plays correctly, that is gamed's own player.
`python -m tests.students.battleship` prints what operators and spectators are shown, without naming the mistakes.
"""

from __future__ import annotations

from random import Random

from attrs import define, field, frozen

from gamed.errors import RemoteProtocolError
from gamed.games.battleship import Settings
from gamed.games.battleship.client import Player
from gamed.games.battleship.strategy import OpenList
from gamed.testing.house import House, Wire

FIRST, SECOND, ALONE = "first", "second", "alone"
"""When a bot connects: who comes first defends, who comes second attacks; some never get an opponent."""


@frozen
class Student:
    """A broken bot: `script` is what it sends, each part with the seconds that it waits before that.

    `code`: that of the refusal that names its mistake. `place`: FIRST, SECOND or ALONE.
    """

    name: str
    mistake: str
    code: str
    place: str
    script: tuple[tuple[float, bytes], ...]


def _says(*parts: bytes) -> tuple[tuple[float, bytes], ...]:
    return tuple((0.5, part) for part in parts)


BOTS = [
    Student("bot-01", "no full stop at the end", "illegible", SECOND, _says(b"(1,[4,4])\n")),
    Student(
        "bot-02",
        "is a web browser",
        "illegible",
        ALONE,
        _says(b"GET / HTTP/1.1\r\nHost: localhost:54321\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\r\n"),
    ),
    Student("bot-03", "counts columns and rows from 1", "off-board", SECOND, _says(b"(1,[10,10]).\n")),
    Student("bot-04", "does not wait for the answer", "out-of-turn", SECOND, _says(b"(1,[0,0]).\n(1,[0,1]).\n")),
    Student("bot-05", "takes (3,[]) for the word to attack", "out-of-turn", FIRST, _says(b"(1,[5,5]).\n")),
    Student("bot-06", "never ends its line", "unfinished", SECOND, ((0.5, b"(1,[3,3])."), (20.0, b""))),
    Student("bot-07", "writes a backslash and an n", "illegible", SECOND, _says(b"(1,[3,3]).\\n\n")),
    Student("bot-08", "answers with row and column swapped", "other-cell", FIRST, _says(b"(2,[{y},{x},1]).\n")),
    Student(
        "bot-09", "writes UTF-16, as Java's writeChars", "illegible", SECOND, _says("(1,[2,2]).\n".encode("utf-16-be"))
    ),
    Student(
        "bot-10",
        "sends answer and shot on one line",
        "illegible",
        FIRST,
        _says(b"(2,[{x},{y},1]).(1,[5,5]).\n"),
    ),
    Student("bot-11", "says 0 for water", "unknown-code", FIRST, _says(b"(2,[{x},{y},0]).\n(1,[5,5]).\n")),
    Student("bot-12", "says sunk for each hit", "no-legal-fleet", FIRST, _says(b"(2,[{x},{y},3]).\n(1,[5,5]).\n")),
    Student("bot-13", "shoots and does not answer first", "wrong-opcode", FIRST, _says(b"(1,[5,5]).\n")),
    Student("bot-14", "leaves the square brackets out", "illegible", SECOND, _says(b"(1,6,6).\n")),
    Student("bot-15", "does not answer at all", "idle", FIRST, ((1_000.0, b""),)),
]
