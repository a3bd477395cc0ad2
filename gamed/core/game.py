"""What a game is: rules over frozen states, without time, network or randomness.

Source: docs/topics/design.md#central-types. The names are those of OpenSpiel (chance, `legal_moves`) and python-chess
(`Outcome`, `Termination`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from attrs import frozen

Seat: TypeAlias = int
"""A place at the table, counted from 0 in the order of joining."""

CHANCE: Final[Seat] = -1
"""The player that draws cards and lots; `Game.draw` moves for it."""

Options: TypeAlias = Mapping[str, str | int | bool]
"""A game's settings that the rules depend on; they stand in the record."""


class Termination(StrEnum):
    """Why a game ended. The values are stable: they stand in records."""

    VICTORY = "victory"
    """By the rules of the game."""
    FORFEIT = "forfeit"
    """The referee enforces, and the loser broke a rule."""
    LEFT = "left"
    """The loser's connection ended before the game did."""
    IDLE = "idle"
    """Nothing was sent for longer than the listener allows."""
    TIME = "time"
    """The loser took longer for a move than the game allows."""
    CANCELLED = "cancelled"
    """An operator ended it; this costs nobody a game."""
    LIMIT = "limit"
    """A limit of the listener was passed: line length, lines, bytes, or a peer that does not read."""
    SHUTDOWN = "shutdown"
    """The daemon was stopped."""
    SERVER_FAULT = "server-fault"
    """The daemon failed or was killed; this costs nobody a game."""


@frozen
class Outcome:
    """The end of a game, as a value: why, and who won (None: nobody)."""

    termination: Termination
    winner: Seat | None = None


State = TypeVar("State")
Move = TypeVar("Move")


@runtime_checkable
class Reveals(Protocol):
    """What a Game may have besides: moves that are hidden when they are made, and become public bit by bit."""

    def revealed(self, state: Any) -> Sequence[Sequence[Sequence[object]]]:
        """Return what of the hidden moves is public in a state: by seat, of each of its hidden moves in order."""


class Game(Protocol[State, Move]):
    """The rules of one game. Pure: every method is a function of its arguments; a State is frozen."""

    def setup(self, options: Options) -> State:
        """Return the state before the first move. The options fix the number of seats."""

    def to_move(self, state: State) -> frozenset[Seat]:
        """Return the seats that may move now: a set; {CHANCE} where lots are drawn; empty at the end."""

    def legal_moves(self, state: State, seat: Seat) -> Iterable[Move]:
        """Return what `seat` may do now; nothing if it is not to move."""

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after a move; raise RuleError (InvalidMove, IllegalMove, NotYourTurn)."""

    def draw(self, state: State, random: Random) -> Move:
        """Return chance's move, where `to_move` is {CHANCE}."""

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome by the rules, or None while the game goes on."""

    def view(self, state: State, seat: Seat | None) -> object:
        """Return what `seat` may see, as JSON-ready data (None: a spectator). Secrets are cut here."""
