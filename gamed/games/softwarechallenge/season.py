"""What a season brings to the lobby protocol: its rules, its moves and its texts.

Source: docs/specs/software-challenge.md#seasons. The lobby layer knows no game of any season; what it has to know
stands here.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Protocol

from attrs import define, frozen

from gamed.core.game import Seat
from gamed.wire.xmlstream import Element


class Cause(StrEnum):
    """How a game went for one side: what stands in `score`."""

    REGULAR = "REGULAR"
    LEFT = "LEFT"
    RULE_VIOLATION = "RULE_VIOLATION"
    SOFT_TIMEOUT = "SOFT_TIMEOUT"
    HARD_TIMEOUT = "HARD_TIMEOUT"


@frozen
class Fault:
    """Why a side lost otherwise than by the rules. `reason`: the text that both sides read."""

    seat: Seat
    cause: Cause
    reason: str


# Not frozen, for the reason given in gamed/core/events.py.
@define
class Sent:
    """A move as it was sent. `move`: None where there is no move object.

    `echo`: the `lastMove` element, and `original`: the `originalRequest` element of a refusal, or nothing; both are
    texts at their final indentation. `hint`: what the client says to people beside its move.
    """

    move: Any
    echo: str = ""
    original: str = ""
    hint: str = ""


@frozen
class Result:
    """A result. `body`: the text within `data`, at its final indentation; `parts`: each side's scores, as texts."""

    body: str
    parts: tuple[tuple[str, ...], tuple[str, ...]]


@frozen
class Fragment:
    """A column of the results. `name`: as it is displayed; `aggregation`: SUM or AVERAGE."""

    name: str
    aggregation: str


class Season(Protocol):
    """One game of the Software-Challenge.

    `kind`: the game's name in gamed; `game_types`: the values of gameType that mean it; `game`: its rules;
    `fragments`: the columns of its results.
    """

    kind: str
    game_types: tuple[str, ...]
    game: Any
    fragments: tuple[Fragment, ...]

    def read(self, data: Element) -> Sent:
        """Return the move in a `data` element. Raises RemoteProtocolError if it cannot be one."""

    def echo(self, move: Any) -> str:
        """Return the `lastMove` element of a move that nobody sent now: one out of a record."""

    def memento(self, state: Any, names: Sequence[str], echo: str) -> str:
        """Return the `state` element. `echo`: of the move that led here, or nothing."""

    def result(self, state: Any, names: Sequence[str], fault: Fault | None) -> Result:
        """Return the result of a game that ended by the rules, or by a fault."""

    def suffix(self, move: Any) -> str:
        """Return what a refusal's text says of the move, after its reason."""
