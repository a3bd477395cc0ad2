"""Fifteen bots that nearly play Hive, with one mistake each, and what gamed says of them.

`python -m tests.students.softwarechallenge` prints for each bot what its developer can read: the log, the refusals of
the console's `room` and `players`, and those of the room's page. The bots' names do not give their mistakes away.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from attrs import field, frozen
from twisted.logger import capturedLogs, formatEvent

from gamed.console.listings import refused
from gamed.core.refusals import Refusals
from gamed.games.softwarechallenge.seasons.hive import game_type
from gamed.lobby.room import Room
from gamed.web import scenes
from gamed.web.naming import Naming
from tests.games.softwarechallenge.harness import HIVE, Client, SeasonHarness, setmove
from tests.games.softwarechallenge.seated import SeatedClient

ROOM, CODE = b"%ROOM%", b"%CODE%"
"""Stand for the room that the bot heard of last, and for its reservation code."""

WATCHED: int = 30
"""Seconds that a bot is watched."""

JOIN = f'<join gameType="{HIVE}"/>'.encode()


@frozen
class Student:
    """A bot with a mistake."""

    name: str
    mistake: str
    script: tuple[tuple[float, bytes], ...]
    """What it sends, and at which second."""

    place: str = ""
    """Where a correct opponent is: "red" or "blue" is the bot's own colour, "reserved": it is red and has a code."""


@frozen
class Told:
    """What a bot's developer can read."""

    refusals: Refusals
    log: list[str]
    console: list[str]
    page: list[dict[str, Any]] = field(factory=list)

    @property
    def codes(self) -> list[str]:
        """The codes of all refusals, in their order."""
        return [refusal.code for refusal in self.refusals.first]


def _move(data: str, room: str = 'roomId="%ROOM%"') -> bytes:
    return f"<room {room}>{data}</room>".encode()


def _first(owner: str = "RED", kind: str = "ANT", x: int = 0, y: int = 0) -> str:
    return setmove(owner, kind, x, y)


def _started(*then: tuple[float, bytes]) -> tuple[tuple[float, bytes], ...]:
    return ((0, b"<protocol>" + JOIN), *then)


BOTS = [
    Student("bot-01", "it does not begin with <protocol>", ((0, JOIN),)),
    Student("bot-02", "it speaks HTTP", ((0, b"GET / HTTP/1.1\r\nHost: localhost:13050\r\nAccept: */*\r\n\r\n"),)),
    Student("bot-03", "no quotation marks around a value", ((0, b"<protocol><join gameType=swc_2020_hive/>"),)),
    Student("bot-04", "the game of another season", ((0, b'<protocol><join gameType="swc_2021_blokus"/>'),)),
    Student(
        "bot-05", "it wraps each message in <protocol> and </protocol>", ((0, b"<protocol>" + JOIN + b"</protocol>"),)
    ),
    Student(
        "bot-06", "no </room> after the move", _started((2, _move(_first()).removesuffix(b"</room>"))), place="red"
    ),
    Student("bot-07", "it moves without being asked", _started((0, _move(_first("BLUE", x=1)))), place="blue"),
    Student(
        "bot-08",
        "its first piece is far from the opponent's",
        _started((0.5, _move(_first("BLUE", x=5, y=-3)))),
        place="blue",
    ),
    Student(
        "bot-09",
        "the class is spelt SetMove",
        _started((2, _move(_first().replace("setm", "SetM")))),
        "red",
    ),
    Student("bot-10", "the owner is in lower case", _started((2, _move(_first("red")))), place="red"),
    Student("bot-11", "roomid instead of roomId", _started((2, _move(_first(), 'roomid="%ROOM%"'))), place="red"),
    Student(
        "bot-12",
        "the attribute is called reservationCode",
        ((0, b'<protocol><joinPrepared reservation="%CODE%"/>'),),
        place="reserved",
    ),
    Student("bot-13", "it waits for the server to speak first", ((0, b"<protocol>"),)),
    Student(
        "bot-14",
        "it prepares a room and is not an administrator",
        ((0, f'<protocol><prepare gameType="{HIVE}"><slot displayName="A"/></prepare>'.encode()),),
    ),
    Student("bot-15", "it thinks for too long", _started((4.5, _move(_first()))), place="red"),
]
"""Written before the refusals were: what students do."""


def _opponent(harness: SeasonHarness) -> SeatedClient:
    return SeatedClient(game_type.players["random"](Random(1)), harness.connect())


def played(student: Student) -> Told:
    """Return what is told of a bot that has played."""
    harness = SeasonHarness()
    harness.factory.doStart()
    rooms: dict[Room, None] = {}
    with capturedLogs() as events:
        bot, opponents, code = _seated(harness, student)
        for tenth in _played(harness, student, bot, code):
            if tenth == 10 and student.place == "red":
                opponents.append(_opponent(harness))
            for seated_client in opponents:
                seated_client.listen()
            rooms.update(dict.fromkeys(harness.lobby.rooms.values()))
    log = [line for event in events if (line := formatEvent(event)) and line.startswith("refused")]
    refusals = bot.session.refusals
    pages = [one for room in rooms for one in scenes.refusals(harness.lobby.refusals, room, Naming())]
    return Told(refusals, log, refused(refusals, harness.lobby.refusals), pages)


def _seated(harness: SeasonHarness, student: Student) -> tuple[Client, list[SeatedClient], bytes]:
    """Return the bot, its opponents, who are there first where the bot is blue, and the bot's reservation code."""
    if student.place == "reserved":
        _, codes = harness.admin().prepare()
        seated_client = SeatedClient(game_type.players["random"](Random(1), codes[1]), harness.connect())
        return harness.connect(), [seated_client], codes[0].encode()
    opponents = [_opponent(harness)] if student.place == "blue" else []
    return harness.connect(), opponents, b""


def _played(harness: SeasonHarness, student: Student, bot: Client, code: bytes) -> Iterator[int]:
    """Have a bot play; yield ten times a second."""
    script = list(student.script)
    for tenth in range(10 * WATCHED):
        while script and script[0][0] <= tenth / 10:
            _, said = script.pop(0)
            bot.feed(said.replace(ROOM, bot.room.encode() if ROOM in said else b"").replace(CODE, code))
            harness.turn()
        yield tenth
        harness.wait(0.1, 0.1)


def main() -> None:
    """Print what is told of each bot."""
    for student in BOTS:
        told = played(student)
        print(f"=== {student.name}\nlog:")
        for line in told.log:
            print(f"  {line}")
        print("console, room and players:")
        for line in told.console:
            print(f"  {line}")
        print(f"page: {json.dumps(told.page, indent=2, ensure_ascii=False)}\n")


if __name__ == "__main__":
    main()
