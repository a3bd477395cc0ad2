"""Broken RoboRally bots, each with one typical mistake, beside two correct players.

`python -m tests.students.roborally` prints what an operator and a visitor see of each of them, without its mistake.
"""

from __future__ import annotations

import json

from attrs import define, field, frozen
from twisted.logger import capturedLogs

from gamed.console.listings import refused, room_facts
from gamed.web.scenes import refusals
from tests.games.roborally.gathering import Gathering, Peer, gathering, usual
from tests.store.logs import sentences

PATIENCE = 150
"""Seconds for which a bot waits for a message of the manager, at most, and for which the night goes on at its end."""

Act = tuple[str, bytes]
"""What is waited for, the beginning of a line of the manager ("" for nothing), and what is sent then."""

REGISTERED = ("", b"RGS(Emil)\n")
STARTED = ("NTS", b"ok\n")
FACED = ("MNR", b"TNR(Emil,E)\n")


@frozen
class Student:
    """A broken bot. `name` does not give its `mistake` away; `code`: what the refusal is to be."""

    name: str
    mistake: str
    code: str
    script: tuple[Act, ...]


BOTS = (
    Student(
        "bot-01",
        "the name has a digit",
        "malformed",
        (("", b"RGS(Bot7)\n"), ("error", b"RGS(Bot7)\n"), ("error", b"RGS(Bot7)\n")),
    ),
    Student("bot-02", "keywords in lower case", "wrong-case", (("", b"rgs(Emil)\n"),)),
    Student("bot-03", "no line feed after the message", "register-too-late", (("", b"RGS(Emil)"),)),
    Student(
        "bot-04",
        "speaks HTTP",
        "http",
        (("", b"GET / HTTP/1.1\r\nHost: localhost:19990\r\nUser-Agent: bot\r\n\r\n"),),
    ),
    Student("bot-05", "an umlaut in the name, in UTF-8", "illegal-byte", (("", "RGS(Jörg)\n".encode()),)),
    Student("bot-06", "asks for the plan before it registers", "not-registered", (("", b"GPL\n"), ("error", b"GFL\n"))),
    Student("bot-07", "takes a name that is in use, again and again", "name-taken", (("", b"RGS(Anna)\n"),) * 3),
    Student(
        "bot-08",
        "registers as an output channel, too, on the same connection",
        "registered-already",
        (REGISTERED, ("ok", b"RGA(EmilsTafel)\n")),
    ),
    Student(
        "bot-09",
        "sends the facing without waiting for MNR",
        "not-asked",
        (REGISTERED, ("ok", b"TNR(Emil,E)\n"), STARTED),
    ),
    Student(
        "bot-10",
        "writes O (Ost) for east",
        "malformed",
        (REGISTERED, STARTED, ("MNR", b"TNR(Emil,O)\n")),
    ),
    Student(
        "bot-11",
        "counts the dealt cards from 0",
        "card-index",
        (REGISTERED, STARTED, FACED, ("MRP", b"TRP(Emil,(0,1,2,3,4,),f)\n")),
    ),
    Student(
        "bot-12",
        "sends the cards instead of their places in the hand",
        "malformed",
        (REGISTERED, STARTED, FACED, ("MRP", b"TRP(Emil,(PK(M1,49)PK(M2,71)PK(RR,38)PK(RR,8)PK(RL,29)),f)\n")),
    ),
    Student(
        "bot-13",
        "writes true and false for t and f",
        "malformed",
        (REGISTERED, STARTED, FACED, ("MRP", b"TRP(Emil,(1,2,3,4,5,),false)\n")),
    ),
    Student(
        "bot-14",
        "never answers MRP: it waits for its next MNR",
        "mrp-too-late",
        (REGISTERED, STARTED, FACED, ("MNR", b"TNR(Emil,E)\n")),
    ),
    Student(
        "bot-15",
        "an output channel that does not acknowledge NTC",
        "ntc-too-late",
        (("", b"RGA(Emil)\n"), STARTED, ("NTC", b"GRS(Anna)\n"), ("RS", b"GSA\n")),
    ),
)


@define
class Night:
    """One broken bot in a lobby with two correct players, in memory."""

    student: Student
    found: Gathering
    bot: Peer
    others: list[Peer]
    lines: list[str] = field(factory=list)
    unread: list[str] = field(factory=list)

    def play(self) -> None:
        """Have the bot do what its script says; then time passes until it is gone, or for a while."""
        for awaited, said in self.student.script:
            if awaited and not self._waits_for(awaited):
                break
            self.bot.wire.send(said)
        self._waits_for("nothing that is ever said")

    def _waits_for(self, awaited: str) -> bool:
        for _ in range(PATIENCE):
            self.unread += self.bot.hears()
            while self.unread:
                if self.unread.pop(0).startswith(awaited):
                    return True
            if self.bot.is_closed:
                return False
            self._others_answer()
            self.found.passes(1)
        return False

    def _others_answer(self) -> None:
        for peer in self.others:
            while requests := [line for line in peer.hears() if line.startswith(("NT", "M"))]:
                peer.wire.send("".join(f"{usual(peer.name, line)}\n" for line in requests).encode())


def night(student: Student) -> Night:
    """Return the night of a student, played, with what the log has said."""
    found = gathering(max_players=3, start_delay=5.0)
    # Messages that do not end are found as they are under a listener.
    found.harness.factory.doStart()
    others = found.joins("Anna", "Bert")
    played = Night(student, found, found.connects(), others)
    with capturedLogs() as logs:
        played.play()
    found.harness.factory.doStop()
    played.lines = [line for line in sentences(logs) if line.startswith("refused")]
    return played


def main() -> None:
    """Print what is to be seen of each bot, and nothing else of it."""
    for student in BOTS:
        played = night(student)
        lobby = played.found.harness.lobby
        print(f"== {student.name}\n-- the log", *played.lines, sep="\n")
        print("-- players", *refused(played.bot.wire.session.refusals, lobby.refusals), sep="\n")
        for room in lobby.rooms.values():
            facts = room_facts(room, lobby.game_types["roborally"], lobby.refusals)
            print("-- room", facts.values["refused"].rows, sep="\n")
            print("-- the page", json.dumps(refusals(lobby.refusals, room), indent=1), sep="\n")


if __name__ == "__main__":
    main()
