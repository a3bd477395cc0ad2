"""The example session, played by the engine: its hands, and all that is told there.

Source: docs/specs/roborally.md#7-example-session.
"""

from __future__ import annotations

import re
from pathlib import Path

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import CHANCE
from gamed.games.roborally.course_files import board_directory
from gamed.games.roborally.rules.cards import ACTIONS, Card
from gamed.games.roborally.rules.elements import Direction
from gamed.games.roborally.rules.game import RoboRally
from gamed.games.roborally.rules.moves import (
    AskFacing,
    AskProgram,
    AskRepairs,
    AskStayDown,
    Deal,
    Facing,
    Program,
    Repairs,
    Request,
    StayDown,
)
from gamed.games.roborally.rules.state import Stage, State, revealed

LINES = (Path(__file__).parent / "transcript.txt").read_text().splitlines()
GAME = RoboRally()
NAMES = ["Anna", "Bert"]
PEERS = "AB"


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def names(seats: tuple[int, ...]) -> str:
    return "".join(f"{NAMES[seat]}," for seat in seats)


def card_to_notation(card: Card) -> str:
    """Return a card as the protocol writes it, such as `PK(M1,49)`."""
    return f"PK({ACTIONS[card]},{card})"


def asked(request: Request) -> str:
    match request:
        case AskFacing():
            return "MNR"
        case AskProgram(cards):
            return f"MRP({''.join(map(card_to_notation, cards))})"
        case AskStayDown():
            return "MBD"
        case AskRepairs(points):
            return f"MRR({points})"


@define
class Session:
    """The engine behind the session. `told`: answers to queries, by peer, oldest first."""

    state: State
    told: dict[str, list[str]] = field(factory=lambda: {peer: [] for peer in "ABT"})
    checked: int = 0

    def step(self) -> str | None:
        """Take an automatic step, and return the NTC that it is worth."""
        before = self.state
        self.state = GAME.advance(before)
        event = GAME.changed(before, self.state)
        return None if event is None else f"NTC({names(event.seats)})"

    def event(self) -> str:
        found = None
        while found is None:
            found = self.step()
        return found

    def request(self, seat: int) -> str:
        """Return what a seat is asked; what has to happen before must not be worth an NTC."""
        while seat not in self.state.waiting:
            assert self.step() is None
        return asked(GAME.requests(self.state)[seat])

    def deal(self, cards: tuple[int, ...]) -> None:
        while self.state.stage is not Stage.DEAL:
            assert self.step() is None
        self.state = GAME.apply(self.state, CHANCE, Deal(cards))

    def answer(self, seat: int, line: str) -> None:
        own, _, rest = line[4:-1].partition(",")
        assert own == NAMES[seat]
        match line[:3]:
            case "TNR":
                self.state = GAME.apply(self.state, seat, Facing(Direction[rest]))
            case "TRP":
                self.state = GAME.apply(self.state, seat, Program(numbers(rest), rest.endswith("t")))
            case "TBD":
                self.state = GAME.apply(self.state, seat, StayDown(rest == "t"))
            case "TRR":
                self.state = GAME.apply(self.state, seat, Repairs(numbers(rest)))

    def query(self, line: str) -> str | None:
        """Return the answer to a query about the game."""
        word, _, name = line.rstrip(")").partition("(")
        match word:
            case "GRS":
                return self.robot(NAMES.index(name))
            case "SRO":
                return "({},{})".format(*self.state.robots[NAMES.index(name)].place)
            case "GSS":
                over = GAME.outcome(self.state) is not None
                return f"SS(END,{names(GAME.ranking(self.state))})" if over else "SS(LAU)"
            case "GSA":
                shown = revealed(self.state)
                hands = "".join(f"({NAMES[seat]},{''.join(map(card_to_notation, cards))})" for seat, cards in shown)
                return f"SA({self.state.phase},{hands})" if shown else "SA()"
            case _:
                return None

    def robot(self, seat: int) -> str:
        its = self.state.robots[seat]
        locked = "".join(
            f"({number},{card_to_notation(card)})" for number, card in its.locked_cards if card is not None
        )
        flags = "".join(f"{'t' if truth else 'f'}," for truth in (its.is_active, its.is_virtual))
        place, archive = ("({},{})".format(*there) for there in (its.place, its.archive))
        return f"RS({its.facing.name},{place},{its.flag},{archive},{its.damage},{its.lives},({locked}){flags})"


class TranscriptTests(SynchronousTestCase):
    def setUp(self) -> None:
        plan = " ".join((board_directory() / "rangierhof.tile").read_text().split())
        self.session = Session(
            GAME.setup({"plan": plan, "flags": "9,1 12,3", "players": 2, "lives": 3, "max_turns": 200})
        )
        self.counts = {"NTC": 0, "asked": 0, "told": 0}

    def test_the_session(self) -> None:
        lines = [line for line in LINES if line[1:3] in {">V", ">A", ">B", ">T"}]
        for index, line in enumerate(lines):
            if line[1:3] == ">V":
                self.from_peer(line[0], line[5:])
            elif line[5:].startswith("MRP") and self.session.state.stage is not Stage.PROGRAM:
                hands = [later for later in lines[index : index + 2] if later[5:].startswith("MRP")]
                self.session.deal(tuple(number for hand in hands for number in self.cards(hand)))
                self.from_manager(line[2], line[5:])
            else:
                self.from_manager(line[2], line[5:])
        self.assertEqual(self.counts, {"NTC": 43, "asked": 10, "told": 11})
        self.assertEqual(GAME.ranking(self.session.state), (0, 1))

    def cards(self, line: str) -> list[int]:
        return [int(card) for card in re.findall(r"PK\(..,(\d+)\)", line)]

    def from_peer(self, peer: str, line: str) -> None:
        if line[:3] in {"TNR", "TRP", "TBD", "TRR"}:
            self.session.answer(PEERS.index(peer), line)
            return
        told = self.session.query(line)
        if told is not None:
            self.session.told[peer].append(told)

    def from_manager(self, peer: str, line: str) -> None:
        if line.startswith("NTC"):
            self.counts["NTC"] += 1
            self.assertEqual(self.session.event(), line)
        elif line[:3] in {"MNR", "MRP", "MBD", "MRR"}:
            self.counts["asked"] += 1
            self.assertEqual(self.session.request(PEERS.index(peer)), line)
        elif self.session.told[peer]:
            self.counts["told"] += 1
            self.assertEqual(self.session.told[peer].pop(0), line)
