"""Peers of a manager in memory: they say lines, and hear lines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from attrs import define, field

from gamed.core.game import Outcome
from gamed.core.history import History
from gamed.games.roborally import Settings
from gamed.games.roborally.rules.game import RoboRally
from gamed.games.roborally.rules.moves import Deal
from gamed.games.roborally.rules.state import State, hand_sizes
from gamed.games.roborally.table import Manager
from gamed.lobby.room import Room
from gamed.records.own import to_history
from gamed.testing.harness import Harness, Wire

SEED = 26
"""In the first turn with it no robot that plays its first cards is destroyed."""

COURSE = str(Path(__file__).with_name("session.course"))
"""One tile, rangierhof, with the flags (9,1) and (12,3)."""

ANSWERS = {
    "NTS": "ok",
    "NTC": "ok",
    "MNR": "TNR({name},E)",
    "MBD": "TBD({name},f)",
}


@define(eq=False, repr=False)
class Peer:
    """One connection. `name`: what it registered with."""

    wire: Wire
    name: str = ""
    read: int = 0

    def says(self, *lines: str) -> list[str]:
        """Send lines, all in one piece; return what is heard then."""
        self.wire.send("".join(f"{line}\n" for line in lines).encode())
        return self.hears()

    def hears(self) -> list[str]:
        """Return the lines that have come since the last time."""
        text = self.wire.received[self.read :].decode()
        self.read += len(text)
        assert not text or text.endswith("\n")
        return text.splitlines()

    def unhears(self, lines: list[str]) -> None:
        """Have the last lines be heard again."""
        self.read -= sum(len(line) + 1 for line in lines)

    @property
    def is_closed(self) -> bool:
        return self.wire.is_closed

    def leaves(self) -> None:
        self.wire.leave()


def cards_of(request: str) -> int:
    """Return how many cards an MRP tells of."""
    return request.count("PK(")


def usual(name: str, request: str, registers: int = 5) -> str:
    """Return an answer to a request of the manager: the first cards in dealing order."""
    head = request.partition("(")[0]
    if head == "MRP":
        return f"TRP({name},({''.join(f'{index},' for index in range(1, registers + 1))}),f)"
    return ANSWERS[head].format(name=name)


@define(eq=False, repr=False)
class Gathering:
    """A room service with a listener of RoboRally, and its peers. `settings`: those that differ from the usual."""

    settings: Settings
    harness: Harness = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.harness = Harness("roborally", self.settings)

    @property
    def rooms(self) -> list[Room]:
        return [room for room in self.harness.lobby.rooms.values() if not room.is_closed]

    @property
    def table(self) -> Manager:
        """The only table."""
        (room,) = self.rooms
        assert isinstance(room.table, Manager)
        return room.table

    def connects(self) -> Peer:
        return Peer(self.harness.connect())

    def joins(self, *names: str) -> list[Peer]:
        """Register players."""
        return [self._registers(name, "RGS") for name in names]

    def watches(self, name: str = "Tafel") -> Peer:
        """Register an output channel."""
        return self._registers(name, "RGA")

    def _registers(self, name: str, word: str) -> Peer:
        peer = self.connects()
        peer.name = name
        heard = peer.says(f"{word}({name})")
        assert heard[0] == "ok", heard
        peer.unhears(heard[1:])
        return peer

    def passes(self, seconds: float) -> None:
        self.harness.clock.advance(seconds)
        self.harness.clock.advance(0)
        self.harness.clock.advance(0)

    def starts(self, *peers: Peer) -> None:
        """Let the start delay pass, and NTS and MNR be answered; each MRP, and NTC, waits to be heard."""
        self.passes(self.settings.start_delay)
        for peer in peers:
            assert peer.hears() == ["NTS"]
            heard = peer.says("ok")
            if heard == ["MNR"]:
                peer.says(f"TNR({peer.name},E)")
            else:
                peer.unhears(heard)

    @property
    def records(self) -> list[History]:
        """The games that were recorded, as histories."""
        self.harness.settle()
        return [to_history(record) for record in self.harness.store.records.values()]


def gathering(**settings: Any) -> Gathering:
    """Return a gathering on the course of the example session, with the same hands each time."""
    return Gathering(Settings(**{"courses": (COURSE,), "seed": SEED, **settings}))


def dealt(*hands: tuple[int, ...]) -> Any:
    """Return a `draw` that deals these hands in each turn: all of a turn in a row."""
    rest = list(hands)

    def draw(_self: RoboRally, state: State, _random: Any) -> Deal:
        deal = rest.pop(0)
        assert len(deal) == sum(hand_sizes(state))
        return Deal(deal)

    return draw


def priorities(line: str) -> tuple[int, ...]:
    """Return the cards of a line, as priorities."""
    return tuple(map(int, re.findall(r"PK\([A-Z0-9]+,(\d+)\)", line)))


def ended(found: Gathering) -> Outcome | None:
    (history,) = found.records
    return history.outcome
