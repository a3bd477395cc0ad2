"""What the shell needs of a game's clients, which have no I/O: bots, people in the browser, and those that watch.

Source: docs/topics/design.md#a-person-in-the-browser.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable


class Player(Protocol):
    """A game's sans-I/O client: it plays one match against any server of the dialect."""

    def begin(self) -> bytes:
        """Return the bytes to send first; empty if the server speaks first."""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer; empty bytes mean that the server has closed."""

    @property
    def is_done(self) -> bool:
        """Whether the match is over."""

    @property
    def won(self) -> bool | None:
        """Whether the match was won; None while it is undecided, and for a draw."""

    @property
    def moves(self) -> int:
        """How many moves this player has made."""


STAY: Final = 30.0
"""Seconds that a bot stays after a game, so that people see the result and can ask for another game."""


@runtime_checkable
class TakesSides(Protocol):
    """A Player for whose results it matters which side it has."""

    @property
    def side(self) -> str:
        """The side in the current or last match, for people: for example `red`, or `first` for who moves first."""


@runtime_checkable
class Discards(Protocol):
    """A Player that discards messages it does not know, as its protocol says."""

    @property
    def discarded(self) -> Sequence[str]:
        """What it has discarded, for people; each once."""


@runtime_checkable
class PlaysOn(Player, Protocol):
    """A Player that plays several games in one connection."""

    @property
    def stay(self) -> float:
        """Seconds to stay after a game for another one; 0: there will not be another one."""

    @property
    def results(self) -> Sequence[tuple[bool, int]]:
        """For each game that has ended, whether it was won, and the number of this player's moves."""


class Person(Protocol):
    """A game's sans-I/O client for a human: it waits for an action where a Player decides.

    All that it knows comes from the wire.
    """

    def begin(self) -> bytes:
        """Return the bytes to send first; empty if the server speaks first."""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return what to answer without an action; empty bytes: the server has closed.

        Raises RemoteProtocolError if the server errs.
        """

    def act(self, action: Mapping[str, Any]) -> bytes:
        """Return the bytes to send for an action, a JSON object of the game. Raises RuleError and changes nothing."""

    def view(self) -> Mapping[str, Any]:
        """Return what the human may see and do, as JSON-ready data.

        `phase`: a word of the game; `board`: as `Game.view` has it, or None; `you`: `seat`, and what only this player
        sees and may do; `won`. Where they are there: `public`: what of the board the wire does not tell a player, but
        everybody sees; `is_blind`: whether the player must not see the moves yet.
        """

    @property
    def is_done(self) -> bool:
        """Whether the match is over."""

    @property
    def won(self) -> bool | None:
        """Whether the match was won; None while it is undecided, and if nobody won it."""


@runtime_checkable
class SupportsRefresh(Protocol):
    """A Person whose dialect reports the state of the game only when it is asked."""

    def refresh(self) -> bytes:
        """Return the bytes of questions about the present state; empty while earlier questions are not answered."""


@runtime_checkable
class LearnsOutcome(Protocol):
    """A Person whose dialect does not report the outcome."""

    def conclude(self, *, won: bool | None) -> None:
        """Take the outcome of the match; None: a draw."""


class Frame(Protocol):
    """A position that a Viewer wants shown."""

    facts: dict[str, Any]
    """The whole frame as JSON-ready data."""

    def drawn(self, width: int, height: int, *, colored: bool) -> str:
        """Return the frame as text for a terminal of this size, whose last line is left to the cursor."""


class Viewer(Protocol):
    """A game's sans-I/O client that watches: the game waits while it shows a position."""

    frames: deque[Any]
    """Frames that have not been shown yet."""

    is_registered: bool
    is_started: bool
    """Whether the game has started. Until then `ask_who` asks who has come."""

    is_done: bool

    hold: float | None
    """For how long to delay `acknowledge`, in seconds; None: nothing is owed."""

    def begin(self) -> bytes:
        """Return the bytes to send first."""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server, and return the answer. Raises RemoteProtocolError."""

    def acknowledge(self) -> bytes:
        """Return the acknowledgement that was held back."""

    def ask_who(self) -> bytes:
        """Return the question who is waiting for the start."""
