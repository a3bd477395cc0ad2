"""The moves of players and of chance, the requests to players, and the notation of moves in records.

Source: docs/specs/roborally.md#35-move-requests, docs/specs/roborally.md#37-removal-and-leaving. The notation of moves:

| move                            | written          |
|---------------------------------|------------------|
| `Facing(Direction.E)`           | `E`              |
| `Program((4, 1, 9, 2, 8))`      | `4,1,9,2,8`      |
| the same, then powering down    | `4,1,9,2,8 down` |
| `Program(())`                   | `-`              |
| `StayDown(stays=True)`          | `stay`           |
| `StayDown(stays=False)`         | `wake`           |
| `Repairs((3, 5))`               | `open 3,5`       |
| `Leave()`                       | `leave`          |
| `Deal((79, 7, 8))`              | `deal 79,7,8`    |

An empty list is a hyphen. Numbers are 0..255 without leading zeros, as everywhere in the protocol.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from attrs import frozen

from gamed.core.errors import InvalidMove
from gamed.games.roborally.rules.cards import Card
from gamed.games.roborally.rules.elements import Direction
from gamed.games.roborally.rules.notation import NUMBER


@frozen
class Facing:
    """A facing for a new robot (TNR)."""

    direction: Direction


@frozen
class Program:
    """A program (TRP)."""

    indices: tuple[int, ...]
    """For each open register in ascending order, the index of a dealt card, counted from 1."""

    power_down: bool = False
    """Whether the robot powers down at the end of this turn."""


@frozen
class StayDown:
    """Whether a powered-down robot stays powered down for another turn (TBD)."""

    stays: bool


@frozen
class Repairs:
    """The numbers of the registers that a repair opens (TRR)."""

    registers: tuple[int, ...]


@frozen
class Leave:
    """A player leaves, for whatever reason, at any time between two steps (RLE, REN)."""


@frozen
class Deal:
    """Chance's move: the dealt cards, one hand after the other in order of registration."""

    cards: tuple[Card, ...]


Answer: TypeAlias = Facing | Program | StayDown | Repairs
"""A player's answer to a request."""

Move: TypeAlias = Answer | Leave | Deal


@frozen
class AskFacing:
    """How is the new robot to face (MNR)? Answered by `Facing`."""


@frozen
class AskProgram:
    """Which of the dealt `cards` go into the open registers (MRP)? Answered by `Program`."""

    cards: tuple[Card, ...]


@frozen
class AskStayDown:
    """Does the robot stay powered down (MBD)? Answered by `StayDown`."""


@frozen
class AskRepairs:
    """Which registers are to be opened (MRR)? Answered by `Repairs`."""

    points: int
    """How many points are repaired at most; there may be less damage."""


Request: TypeAlias = AskFacing | AskProgram | AskStayDown | AskRepairs
"""What a player is asked."""

_LIST: Final = rf"-|{NUMBER}(?:,{NUMBER})*"
_NOTATION: Final = re.compile(
    rf"(?P<facing>[NESW])|(?P<program>{_LIST})(?P<down> down)?|(?P<stay>stay)|(?P<wake>wake)"
    rf"|open (?P<open>{_LIST})|(?P<leave>leave)|deal (?P<deal>{_LIST})"
)


def to_notation(move: Move) -> str:
    """Return a move as records write it."""
    match move:
        case Facing(direction):
            return direction.name
        case Program(indices, power_down):
            return _list_to_notation(indices) + (" down" if power_down else "")
        case StayDown(stays):
            return "stay" if stays else "wake"
        case Repairs(registers):
            return f"open {_list_to_notation(registers)}"
        case Leave():
            return "leave"
        case Deal(cards):
            return f"deal {_list_to_notation(cards)}"


def _list_to_notation(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers)) or "-"


def parse(text: str) -> Move:
    """Return the move of a notation. Raises InvalidMove, code `notation`."""
    found = _NOTATION.fullmatch(text)
    if found is None:
        raise InvalidMove(f"{text[:80]!r} is not the notation of a move", code="notation")
    match found.lastgroup:
        case "facing":
            return Facing(Direction[text])
        case "program" | "down":
            return Program(_parse_list(found["program"]), found["down"] is not None)
        case "stay" | "wake":
            return StayDown(text == "stay")
        case "open":
            return Repairs(_parse_list(found["open"]))
        case "deal":
            return Deal(_parse_list(found["deal"]))
        case _:
            return Leave()


def _parse_list(text: str) -> tuple[int, ...]:
    return () if text == "-" else tuple(map(int, text.split(",")))
