"""Fifteen broken Quoridor worlds, as students write them whose world nearly works.

`mistake` says what is wrong with each, and `code` the refusal that tells its author; `name` gives neither away. Each is
played in memory against a real lobby, beside a world that does everything right.
"""

from __future__ import annotations

import json
from random import Random
from typing import TypeAlias

from attrs import define, field, frozen
from twisted.logger import capturedLogs, formatEvent

from gamed.console.listings import refused
from gamed.core.refusals import Refusal
from gamed.games.quoridor.client import Player
from gamed.games.quoridor.strategy import ShortestPath
from gamed.testing.harness import Harness, Wire
from gamed.web import scenes
from gamed.web.naming import Naming
from tests.games.quoridor.worlds import universe

Step: TypeAlias = bytes | float
"""What a world sends, or for how many seconds it waits."""

HELLO = b'(REGISTER ((name "student")))\n'


@frozen
class Student:
    """A broken world. `is_second`: the other world sits at the table before it comes."""

    name: str
    mistake: str
    code: str
    script: tuple[Step, ...]
    is_second: bool = False
    referee: str = "observe"


BOTS = [
    Student(
        "bot-01",
        "quotes the orientation inside of a list that is quoted already",
        "quoted-symbol",
        (HELLO, b"(move wall 3 4 (quote horizontal))\n"),
    ),
    Student(
        "bot-02",
        "sends the orientation as a string",
        "string-for-symbol",
        (HELLO, b'(move wall 3.0 4.0 "horizontal")\n'),
    ),
    Student(
        "bot-03",
        "says pawn instead of player",
        "unknown-kind",
        (HELLO, b"(move pawn 4 1)\n"),
    ),
    Student(
        "bot-04",
        "divides the pixels of a click by the size of a cell, and does not round",
        "not-whole",
        (HELLO, b"(move player 4.37 1.02)\n"),
    ),
    Student(
        "bot-05",
        "sends a vector instead of a list",
        "not-a-list",
        (HELLO, b"#(move player 4 1)\n"),
    ),
    Student(
        "bot-06",
        "greets the server with a word of its own",
        "unknown-word",
        (HELLO, b"(hello)\n"),
    ),
    Student(
        "bot-07",
        "moves again before the opponent has moved",
        "out-of-turn",
        (HELLO, b"(move player 4.0 1.0)\n(move player 4.0 2.0)\n"),
    ),
    Student(
        "bot-08",
        "resets at the start of the game, to have a clean board",
        "no-reset",
        (HELLO, b"(reset)\n"),
    ),
    Student(
        "bot-09",
        "writes two messages on one line",
        "second-datum",
        (HELLO, b"(move player 4.0 1.0) (move player 4.0 2.0)\n"),
    ),
    Student(
        "bot-10",
        "forgets the closing bracket of its move",
        "unfinished",
        (HELLO, b"(move player 4.0 1.0\n", 15.0),
    ),
    Student(
        "bot-11",
        "registers without a line feed, and waits",
        "register-too-late",
        (HELLO.removesuffix(b"\n"), 40.0),
    ),
    Student(
        "bot-12",
        "counts columns and rows from 1",
        "off-board",
        (HELLO, b"(move player 5 9)\n"),
        is_second=True,
    ),
    Student(
        "bot-13",
        "votes before there is anybody else, and never again",
        "no-vote",
        (HELLO + b"(play)\n",),
    ),
    Student(
        "bot-14",
        "is a web browser",
        "no-registration",
        (b"GET / HTTP/1.1\r\nHost: localhost:4567\r\n\r\n",),
    ),
    Student(
        "bot-15",
        "takes a wall's cell for the one above it: its wall would lie on the rim; the referee is strict",
        "wall-out-of-range",
        (HELLO, b"(move wall 3.0 0.0 horizontal)\n"),
        referee="strict",
    ),
]


@define(eq=False)
class Opponent:
    """A world that does everything right."""

    wire: Wire
    player: Player
    read: int = 0

    def answer(self) -> None:
        """Answer what has come, until nothing more comes."""
        while new := self.wire.received[self.read :]:
            self.read += len(new)
            if self.player.is_done:
                return
            self.wire.send(self.player.receive_data(new))


@define(eq=False)
class Night:
    """What becomes of a student's world. `lines`: what the log says; `pages`: the room's public page, step by step."""

    harness: Harness
    lines: list[str] = field(factory=list)
    pages: list[str] = field(factory=list)
    wire: Wire = field(init=False)

    @property
    def refusals(self) -> list[Refusal]:
        """What its author learns."""
        return self.wire.session.refusals.first

    @property
    def codes(self) -> list[str]:
        return [refusal.code for refusal in self.refusals]

    @property
    def player(self) -> str:
        """Return what the console says of its peer."""
        return "\n".join(refused(self.wire.session.refusals, self.harness.lobby.refusals))

    def look(self) -> None:
        """Take note of what the page shows now."""
        for room in list(self.harness.lobby.rooms.values()):
            self.pages.append(
                json.dumps(scenes.refusals(self.harness.lobby.refusals, room, Naming()), ensure_ascii=False)
            )


def play(student: Student) -> Night:
    """Have a student's world play."""
    night = Night(universe(referee=student.referee))
    with capturedLogs() as events:
        _play(student, night)
    night.lines = [formatEvent(event) for event in events]
    return night


def _play(student: Student, night: Night) -> None:
    harness = night.harness
    harness.factory.doStart()
    opponent = _opponent(harness) if student.is_second else None
    night.wire = harness.connect()
    for step in student.script:
        if isinstance(step, float):
            harness.clock.pump([1.0] * int(step))
        else:
            night.wire.send(step)
        if opponent is None:
            opponent = _opponent(harness)
        opponent.answer()
        harness.clock.advance(0)
        night.look()
    harness.factory.doStop()


def _opponent(harness: Harness) -> Opponent:
    opponent = Opponent(harness.connect(), Player("opponent", strategy=ShortestPath(), random=Random(1)))
    opponent.wire.send(opponent.player.begin())
    return opponent


if __name__ == "__main__":
    for each in BOTS:
        seen = play(each)
        print(f"\n=== {each.name}\n--- log")
        print("\n".join(seen.lines))
        print(f"--- console: players\n{seen.player}\n--- page of the room")
        print("\n".join(dict.fromkeys(seen.pages)))
