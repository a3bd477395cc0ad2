"""The interface of a season: what its game provides for the lobby protocol.

Source: docs/specs/software-challenge.md#seasons. Nothing else in the lobby's modules depends on the game of a season.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from attrs import define, frozen

from gamed.core.game import Seat
from gamed.games.softwarechallenge.dialect import IN_2020, Dialect
from gamed.wire.xmlstream import Element


class Cause(StrEnum):
    """How a game ended for one side: the attribute `cause` of `score`."""

    REGULAR = "REGULAR"
    LEFT = "LEFT"
    RULE_VIOLATION = "RULE_VIOLATION"
    SOFT_TIMEOUT = "SOFT_TIMEOUT"
    HARD_TIMEOUT = "HARD_TIMEOUT"


@frozen
class Fault:
    """Why a side lost, if the rules did not end the game."""

    seat: Seat
    cause: Cause
    reason: str
    """The text that both sides get."""


# Not frozen, for the reason given in gamed/core/events.py.
@define
class Sent:
    """A move as a client sent it."""

    move: Any
    """The move; None: the message contains none."""

    echo: str = ""
    """The text of the `lastMove` element, at its final indentation."""

    original: str = ""
    """The text of the `originalRequest` element of a refusal, at its final indentation; "": there is none."""

    hint: str = ""
    """A comment for people that the client sent with its move."""


@frozen
class Result:
    """The result of a game."""

    body: str
    """The text inside the `data` element, at its final indentation."""

    parts: tuple[tuple[str, ...], tuple[str, ...]]
    """Each side's scores, one text for each of `Season.fragments`."""


@frozen
class Fragment:
    """A column of the results."""

    name: str
    """The displayed name."""

    aggregation: str
    """SUM or AVERAGE."""


def definition(fragments: Sequence[Fragment]) -> str:
    """Return the `definition` element of results, at its final indentation."""
    columns = "".join(
        f"""\
        <fragment name="{fragment.name}">
          <aggregation>{fragment.aggregation}</aggregation>
          <relevantForRanking>true</relevantForRanking>
        </fragment>
"""
        for fragment in fragments
    )
    return f"<definition>\n{columns}      </definition>"


@frozen
class Season:
    """One game of the Software-Challenge."""

    kind: str
    """The game's name in gamed."""

    game_types: tuple[str, ...]
    """The values of `gameType` that mean this game."""

    game: Any
    """Its rules."""

    fragments: tuple[Fragment, ...]
    """The columns of its results."""

    read: Callable[[Element], Sent]
    """Returns the move in a `data` element. Raises RemoteProtocolError if it cannot be one."""

    echo: Callable[[Any], str]
    """Returns the `lastMove` element of a move that was not sent in this game, but comes from a record."""

    memento: Callable[[Any, Sequence[str], str], str]
    """Returns the `state` element of a state, the players' names, and the text of the last move, or ""."""

    result: Callable[[Any, Sequence[str], Fault | None], Result]
    """Returns the result of a game that ended in a state, by the rules or by a fault, from the players' names."""

    move_text: Callable[[Any, str], str]
    """Returns what the text of a refusal says about a move, by the move and the refusal's code."""

    dialect: Dialect = IN_2020
    """The words of the lobby's messages."""
