"""The interface of a game: pure rules over frozen states, without time, network or randomness.

Source: docs/topics/design.md#central-types. The names are those of OpenSpiel (chance, `legal_moves`) and python-chess
(`Outcome`, `Termination`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from attrs import frozen

if TYPE_CHECKING:
    from random import Random

Seat: TypeAlias = int
"""A player's place at the table, counted from 0 in the order of joining."""

CHANCE: Final[Seat] = -1
"""The player that draws cards and lots; `Game.draw` moves for it."""

Options: TypeAlias = Mapping[str, str | int | bool]
"""The settings that a game's rules depend on; they are part of the record."""


MOVE_TIME: Final = "move_milliseconds"
"""The option of a room for the time that a player has for each move; left out: what the listener's settings say."""


def move_seconds(options: Options) -> float:
    """Return the time for a move that a room's options set, in seconds; 0: none."""
    return int(options.get(MOVE_TIME, 0)) / 1000


def move_time(seconds: float) -> Options:
    """Return the options that set the time for a move."""
    return {MOVE_TIME: round(1000 * seconds)}


MOST_MOVES: Final = "max_moves"
"""The option of a room for the greatest length of a match; left out: what the listener's settings say."""


def max_moves(options: Options) -> int:
    """Return the greatest length of a match that a room's options set: moves of all players together; 0: none."""
    return int(options.get(MOST_MOVES, 0))


OPENING_PLIES: Final = "opening_plies"
"""The option of a room for how many random moves of players its match begins with; left out: none."""


class Termination(StrEnum):
    """Why a game ended. The values are stable, because records contain them."""

    VICTORY = "victory"
    """By the rules of the game, somebody has won."""
    DRAW = "draw"
    """By the rules of the game, nobody has won."""
    FORFEIT = "forfeit"
    """The referee enforces, and the loser broke a rule."""
    REMOVED = "removed"
    """The server removed the loser, for a message that is no message of the protocol, or as an operator wanted."""
    RESIGNED = "resigned"
    """The loser said goodbye before the end, as far as the protocol has a word for it."""
    LEFT = "left"
    """The loser's connection ended before the game did, without a goodbye."""
    IDLE = "idle"
    """Nothing was sent for longer than the listener allows."""
    TIME = "time"
    """The loser took longer for a move than the game allows."""
    CANCELLED = "cancelled"
    """An operator ended it; nobody loses."""
    LIMIT = "limit"
    """The match had its greatest length; or a limit of the listener was exceeded: lines, bytes, a peer that does not
    read."""
    SHUTDOWN = "shutdown"
    """The daemon was stopped."""
    SERVER_FAULT = "server-fault"
    """The daemon failed or was killed; nobody loses."""


@frozen
class Outcome:
    """The end of a game."""

    termination: Termination
    winner: Seat | None = None
    """None: nobody has won."""


State = TypeVar("State")
Move = TypeVar("Move")


@runtime_checkable
class Reveals(Protocol):
    """A `Game` in which moves are hidden when they are made, and become public bit by bit."""

    def revealed(self, state: Any) -> Sequence[Sequence[Sequence[object]]]:
        """Return the public part of the hidden moves in a state: by seat, for each of its hidden moves in order."""


class Game(Protocol[State, Move]):
    """The rules of one game. All methods are pure functions of their arguments, and a `State` is immutable."""

    def setup(self, options: Options) -> State:
        """Return the state before the first move. The options fix the number of seats."""

    def to_move(self, state: State) -> frozenset[Seat]:
        """Return the seats that may move now; {CHANCE} if chance moves; an empty set at the end."""

    def legal_moves(self, state: State, seat: Seat) -> Iterable[Move]:
        """Return the legal moves of a seat; none if it is not to move."""

    def apply(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after a move. Raises RuleError (InvalidMove, IllegalMove, NotYourTurn)."""

    def draw(self, state: State, random: Random) -> Move:
        """Return a random move of chance, where `to_move` is {CHANCE}."""

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome by the rules, or None while the game goes on."""

    def view(self, state: State, seat: Seat | None) -> object:
        """Return what a seat, or a spectator (None), may see, as data for JSON. This is where secrets are removed."""
