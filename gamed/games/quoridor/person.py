"""A world that a human plays: it registers, and then sends what the human chooses.

Source: docs/reference/quoridor.md#what-worlds-send, docs/reference/quoridor.md#states-of-a-table,
docs/reference/quoridor.md#ends. It sends what the authors' world would send, and refuses illegal moves itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from random import Random
from typing import Any, Final

from attrs import define

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.games.quoridor.follower import RULES, Follower, spoken
from gamed.games.quoridor.moves import HORIZONTAL, VERTICAL, Move, PawnMove, Wall
from gamed.games.quoridor.signup import Call
from gamed.games.quoridor.walls import SIZE
from gamed.games.quoridor.wire import message
from gamed.wire.datums import Symbol


class Phase(StrEnum):
    """Where the game is for this person, by the last mail."""

    REGISTERING = "registering"
    WAITING = "waiting"
    VOTING = "voting"
    VOTED = "voted"
    PLAY = "play"
    WAIT = "wait"
    WON = "won"
    LOST = "lost"
    REJECTED = "rejected"
    DISCONNECT = "disconnect"
    CLOSED = "closed"
    """The server has closed the connection before the game was over."""


_PHASES: Final = {
    Call.WAIT_FOR_PLAYERS: Phase.WAITING,
    Call.WAIT_OR_PLAY: Phase.VOTING,
    Call.VOTED: Phase.VOTED,
    Call.REJECTED: Phase.REJECTED,
    Call.START2PLAY: Phase.PLAY,
    Call.START2WAIT: Phase.WAIT,
    Call.START4PLAY: Phase.PLAY,
    Call.START4WAIT: Phase.WAIT,
    Call.PLAY: Phase.PLAY,
    Call.WAIT: Phase.WAIT,
    Call.WON: Phase.WON,
    Call.LOST: Phase.LOST,
    Call.DISCONNECT: Phase.DISCONNECT,
}
_OVER: Final = frozenset({Phase.WON, Phase.LOST, Phase.REJECTED, Phase.DISCONNECT, Phase.CLOSED})
_PLAYED: Final = frozenset({Phase.WON, Phase.LOST})
_VOTES: Final = {2: Symbol("play"), 4: Symbol("wait")}


@define
class Person(Follower):
    """One connection of a human, for as many games as the table plays."""

    phase: Phase = Phase.REGISTERING

    pending: str | None = None
    """The action that was sent and has not been answered; None if there is none."""

    leaver: int | None = None
    """The seat whose world has left the table."""

    is_closed: bool = False
    """Whether the server has closed the connection."""

    @property
    def is_done(self) -> bool:
        """Whether the game is over. The action `reset` begins another one in the same connection."""
        return self.phase in _OVER

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server. The answer is empty: only the human acts. Raises as `Follower.follow` does."""
        for call, number in self.follow(data):
            self._note(call, number)
        if not data:
            self.is_closed, self.pending = True, None
            if not self.is_done:
                self.phase = Phase.CLOSED
        return b""

    def _note(self, call: Call, number: int) -> None:
        self.leaver = number - 1 if call is Call.DISCONNECT else None
        self.phase, self.pending = _PHASES[call], None

    # What the human does

    def act(self, action: Mapping[str, Any]) -> bytes:
        """Return the message that is sent for an action.

        Actions: `{"do": "vote", "players": 2 | 4}`, `{"do": "move", "to": [x, y]}`, `{"do": "wall", "at": [x, y,
        "horizontal" | "vertical"]}`, `{"do": "reset"}`; columns and rows are 0..8 from the upper left. Raises
        InvalidMove for anything else, NotYourTurn, and IllegalMove as the rules do or with one of the codes "closed",
        "pending", "no-vote", "no-game", "no-reset".
        """
        match action:
            case {"do": "vote", "players": 2 | 4 as players}:
                self._check_phase({Phase.VOTING}, "there is no vote now", "no-vote")
                return self._sent("vote", message(_VOTES[players]))
            case {"do": "move", "to": [x, y]} if _is_on_board(x, y):
                return self._place(PawnMove(x, y))
            case {"do": "wall", "at": [x, y, str(way)]} if _is_on_board(x, y) and way in {HORIZONTAL, VERTICAL}:
                return self._place(Wall(x, y, way))
            case {"do": "reset"}:
                self._check_phase(_PLAYED, "a new game can begin when this one is over", "no-reset")
                return self._sent("reset", message(Symbol("reset")))
        raise InvalidMove("the actions are: vote for 2 or 4 players, move to [x, y], wall at [x, y, way], and reset")

    def _place(self, move: Move) -> bytes:
        state, seat = self.state, self.seat
        self._check_phase({Phase.PLAY, Phase.WAIT}, "there is no game now", "no-game")
        if state is None or seat is None or self.phase is Phase.WAIT:
            raise NotYourTurn("another player is to move: wait for your turn")
        RULES.apply(state, seat, move)
        return self._sent("move", spoken(move))

    def _check_phase(self, phases: Collection[Phase], text: str, code: str) -> None:
        """Raise IllegalMove with this text and code, unless the phase is one of these and nothing is pending."""
        if self.is_closed:
            raise IllegalMove("the server has closed the connection: take a seat at another table", code="closed")
        if self.pending is not None:
            raise IllegalMove(f"the server has not answered your {self.pending} yet", code="pending")
        if self.phase not in phases:
            raise IllegalMove(text, code=code)

    def _sent(self, what: str, data: bytes) -> bytes:
        self.pending = what
        return data

    # What the human sees

    def view(self) -> Mapping[str, Any]:
        """Return the position as a spectator has it, and what this human may do.

        The keys of `you`: `seat` is None until it is known. `moves` and `places` are those of `Quoridor.view`, empty
        when it is another player's turn. `pending` and `leaver` are the fields above. `players` is the number of
        players, None until it is decided.
        """
        state, is_free = self.state, self.pending is None and not self.is_closed
        legal = RULES.view(state, self.seat) if state is not None and is_free and self.phase is Phase.PLAY else {}
        return {
            "phase": str(self.phase),
            "board": None if state is None else RULES.view(state, None),
            "you": {
                "seat": self.place,
                "moves": legal.get("moves", []),
                "places": legal.get("places", []),
                "canVote": is_free and self.phase is Phase.VOTING,
                "canReset": is_free and self.phase in _PLAYED,
                "pending": self.pending,
                "leaver": self.leaver,
                "players": self._players,
            },
            "won": self.won,
        }

    @property
    def _players(self) -> int | None:
        if self.state is not None:
            return self.state.players
        # A world that waits after the vote waits for a game of four.
        return 4 if self.was_asked and self.phase is Phase.WAITING else None


def _is_on_board(x: object, y: object) -> bool:
    # A check by type, because a boolean is an integer in Python.
    return all(type(number) is int and number in range(SIZE) for number in (x, y))


def person(_random: Random, name: str, _reservation: str | None = None) -> Person:
    """Return a person. Nothing is left to chance here, and a universe knows no reservations."""
    return Person(name)
