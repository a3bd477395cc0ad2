"""A student's night, Battleship: 15 bots that nearly work, written before what the server says of them.

Each plays in memory against a real lobby. Where it needs an opponent that plays correctly, that is gamed's own player.
`python -m tests.students.battleship` prints what operators and spectators are shown, without naming the mistakes.
"""

from __future__ import annotations

import json
from random import Random

from attrs import define, field, frozen
from twisted.logger import capturedLogs, formatEvent

from gamed.console.listings import room_facts
from gamed.console.render import render
from gamed.core.errors import RemoteProtocolError
from gamed.core.refusals import Refusal
from gamed.games.battleship import Settings, game_type
from gamed.games.battleship.client import Player
from gamed.games.battleship.strategy import OpenList
from gamed.lobby.room import Room
from gamed.testing.harness import Harness, Wire
from gamed.web import scenes
from gamed.web.naming import Naming

FIRST, SECOND, ALONE = "first", "second", "alone"
"""When a bot connects: the first one defends, the second one attacks; some never get an opponent."""


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
    Student("bot-05", "takes (3,[]) for the word to attack", "early", FIRST, ((0.0, b"(1,[5,5]).\n"),)),
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
    Student("bot-15", "does not answer at all", "no-answer", FIRST, ((1_000.0, b""),)),
]


@define
class Opponent:
    """A client that does everything right, and leaves when the other side does not."""

    wire: Wire
    player: Player
    read: int = 0

    def answer(self) -> None:
        """Answer what has come since the last time."""
        while len(self.wire.received) > self.read:
            data = self.wire.received[self.read :]
            self.read += len(data)
            try:
                reply = self.player.receive_data(data)
            except RemoteProtocolError:
                self.wire.leave()
                return
            if reply:
                self.wire.send(reply)


@define
class Night:
    """A student's bot at a lobby of its own. `lines`: what the log says."""

    student: Student
    harness: Harness
    lines: list[str] = field(factory=list)
    pages: list[str] = field(factory=list)
    room: Room = field(init=False)
    wire: Wire = field(init=False)

    @property
    def refusals(self) -> list[Refusal]:
        """What the student can learn."""
        return self.wire.session.refusals.first

    def page(self) -> str:
        """Return what the room's public page has of refusals now."""
        return json.dumps(scenes.refusals(self.harness.lobby.refusals, self.room, Naming()), ensure_ascii=False)

    def console(self) -> str:
        """Return what the console says of the room."""
        return render(room_facts(self.room, game_type, self.harness.lobby.refusals))


def play(student: Student) -> Night:
    """Have a bot play until it has nothing more to say."""
    night = Night(student, Harness("battleship", Settings()))
    with capturedLogs() as events:
        _play(night)
    night.lines = [formatEvent(event) for event in events]
    return night


def _play(night: Night) -> None:
    harness, student = night.harness, night.student
    harness.factory.doStart()
    opponent = _opponent(harness) if student.place == SECOND else None
    night.wire = harness.connect()
    (night.room,) = harness.lobby.rooms.values()
    for seconds, data in student.script:
        if seconds and opponent is None and student.place == FIRST:
            opponent = _opponent(harness)
            opponent.answer()
        _wait(harness, seconds)
        night.wire.send(_filled(data, night.wire.received))
        if opponent is None and student.place == FIRST:
            opponent = _opponent(harness)
        if opponent is not None:
            opponent.answer()
        harness.clock.advance(0.3)
        night.pages.append(night.page())
    night.wire.leave()
    harness.settle()
    night.pages.append(night.page())
    harness.factory.doStop()


def _wait(harness: Harness, seconds: float) -> None:
    for _ in range(int(seconds / 2.5)):
        harness.clock.advance(2.5)
    harness.clock.advance(seconds % 2.5)


def _opponent(harness: Harness) -> Opponent:
    return Opponent(harness.connect(), Player(OpenList(), Random(3)))


def _filled(data: bytes, received: bytes) -> bytes:
    """Put the cell in that was shot at last."""
    shot = received.rpartition(b"(1,[")[2]
    return data.replace(b"{x}", shot[:1]).replace(b"{y}", shot[2:3])


if __name__ == "__main__":
    for each in BOTS:
        seen = play(each)
        print(f"\n=== {each.name}\n--- log")
        print("\n".join(seen.lines))
        print(f"--- console: room\n{seen.console()}\n--- page, while the match ran and after it")
        print("\n".join(dict.fromkeys(seen.pages)))
