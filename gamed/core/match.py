"""A match that is played by the rules: the common part of the tables of all such games.

A table adds the messages of its dialect.

Source: docs/topics/design.md#central-types, docs/topics/design.md#chance-is-a-player.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from attrs import define, field

from gamed.core.errors import RuleError
from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import CHANCE, Game, Options, Outcome, Seat, Termination, max_moves
from gamed.core.history import DRAWN, JOINED, LEFT, MOVE, STARTED, Entry, History, Value, ended
from gamed.core.table import Step

if TYPE_CHECKING:
    from random import Random

FINDINGS_KEPT = 50
"""How many findings of one game are kept: a broken client must not fill the record."""


class NotatedGame(Game[Any, Any], Protocol):
    """A game whose moves have a notation, for the journal and the record."""

    def to_notation(self, move: Any) -> str:
        """Return a move's notation."""

    def parse(self, text: str) -> Any:
        """Return the move that a notation means. Raises InvalidMove."""


Opening: TypeAlias = Sequence[tuple[Seat, str]]
"""Moves that a match begins with, chance's included: the seat and the notation of each."""


def opening(history: History, moves: int | None) -> Opening:
    """Return the first moves of a match. `moves`: how many moves of players; None: all."""
    plies: list[tuple[Seat, str]] = []
    left = len(history.entries) if moves is None else moves
    for entry in history.entries:
        if entry.kind not in (DRAWN, MOVE) or entry.body is None:
            continue
        if entry.kind == MOVE:
            if not left:
                break
            left -= 1
        plies.append((CHANCE if entry.seat is None else entry.seat, entry.body.decode()))
    return plies


def random_opening(game: NotatedGame, options: Options, random: Callable[[int], Random], plies: int) -> Opening:
    """Return random moves that a match begins with, chance's included. `plies`: how many moves of players.

    They follow from the generator of the draw -1, and chance's from those that it has in a match. So both legs of a
    pair have the same ones. The opening is shorter if the match would be over.
    """
    state, choice, found, draws = game.setup(options), random(-1), [], 0
    while plies:
        (seat,) = game.to_move(state)
        if seat == CHANCE:
            text = game.to_notation(game.draw(state, random(draws)))
            draws += 1
        else:
            # Sorted: the order of moves need not be the same in another process.
            text = choice.choice(sorted(map(game.to_notation, game.legal_moves(state, seat))))
            plies -= 1
        state = game.apply(state, seat, game.parse(text))
        if game.outcome(state) is not None:
            break
        found.append((seat, text))
    return found


@define(weakref_slot=False)
class MatchLog:
    """The entries of a match for the journal."""

    opened_at: float
    """When the match was opened. The times of entries are relative to it."""

    entries: int = 0
    """How many entries the match has had."""

    def entry(
        self,
        now: float,
        kind: str,
        seat: Seat | None = None,
        body: bytes | None = None,
        data: Mapping[str, Value] | None = None,
    ) -> Entry:
        """Return the next entry."""
        self.entries += 1
        return Entry(self.at(now), kind, seat, body) if data is None else Entry(self.at(now), kind, seat, body, data)

    def at(self, now: float) -> int:
        """Return the milliseconds since the match was opened."""
        return int((now - self.opened_at) * 1000)


@define
class Match(MatchLog):
    """One match."""

    game: Any
    """The rules."""

    options: Options
    random: Callable[[int], Random]
    """Returns the random generator of a draw, by the draw's number. Restoring a match does not need it."""

    opened_at: float

    enforce: bool = True
    """Whether an illegal move is refused. Otherwise it becomes a finding, and is played."""

    most: float = inf
    """The greatest length, in moves of all players together: what the options set, else this."""

    names: dict[Seat, str] = field(factory=dict)
    left_by: dict[Seat, Termination] = field(factory=dict)
    """Why players have left, or were removed."""

    outcome: Outcome | None = None
    findings: list[Finding] = field(factory=list)
    unjudged: int | None = None
    """See `Judged`. Here every move is judged."""

    is_started: bool = False
    state: Any = None
    """The position."""

    entries: int = 0

    draws: int = 0
    """How many of them were chance's moves."""

    moves: int = 0
    """How many of them were players' moves."""

    def __attrs_post_init__(self) -> None:
        self.state = self.game.setup(self.options)
        self.most = max_moves(self.options) or self.most

    def seat(self, seat: Seat, name: str, now: float, side: str = "") -> Entry:
        """Seat a player. `side`: what the game calls the seat, for a player without a name."""
        self.names[seat] = name
        return self.entry(now, JOINED, seat, data={"name": name} if name or not side else {"name": "", "side": side})

    def start(self, now: float, opening: Opening = ()) -> tuple[Entry, ...]:
        """Start the match, play the opening, and let chance move. Raises RuleError."""
        self.is_started = True
        return (self.entry(now, STARTED), *[self._open(*ply, now) for ply in opening], *self.draw(now))

    def _open(self, seat: Seat, text: str, now: float) -> Entry:
        self.state = self.game.apply(self.state, seat, self.game.parse(text))
        if seat == CHANCE:
            self.draws += 1
            return self.entry(now, DRAWN, body=text.encode())
        self.moves += 1
        return self.entry(now, MOVE, seat, text.encode(), {"replayed": True})

    def draw(self, now: float) -> tuple[Entry, ...]:
        """Let chance move for as long as it is to move."""
        drawn = []
        while self.game.to_move(self.state) == {CHANCE}:
            move = self.game.draw(self.state, self.random(self.draws))
            self.state = self.game.apply(self.state, CHANCE, move)
            self.draws += 1
            drawn.append(self.entry(now, DRAWN, body=self.game.to_notation(move).encode()))
        return tuple(drawn)

    def play(self, seat: Seat, move: Any, now: float, data: Mapping[str, Value] | None = None) -> tuple[Entry, ...]:
        """Apply a move; return its entry and those of chance's moves after it.

        Raises RuleError, and changes nothing then.
        """
        before = self.entries
        self._apply(seat, move, before)
        entry = self.entry(now, MOVE, seat, self.game.to_notation(move).encode(), data)
        return (entry, *self.draw(now))

    def _apply(self, seat: Seat, move: Any, number: int) -> None:
        try:
            self.state = self.game.apply(self.state, seat, move)
        except RuleError as error:
            if self.enforce:
                raise
            if len(self.findings) < FINDINGS_KEPT:
                self.findings.append(Finding(error.code, seat, number, str(error)))
            self.state = self.game.follow(self.state, seat, move)
        self.moves += 1

    def finding(self, code: str, seat: Seat, text: str) -> Finding:
        """Add a finding about the next entry."""
        finding = Finding(code, seat, self.entries, text)
        self.findings.append(finding)
        return finding

    def left(self, seat: Seat, why: Termination, now: float, data: Mapping[str, Value] | None = None) -> Entry:
        """Return the entry of a player who has left. `data`: the numbers behind it."""
        self.left_by[seat] = why
        return self.entry(now, LEFT, seat, data={"why": str(why), **(data or {})})

    def end(self, outcome: Outcome, now: float) -> Entry:
        """End the match."""
        self.outcome = outcome
        return ended(self.at(now), outcome)

    def restore(self, entry: Entry) -> None:
        """Replay an entry."""
        self.entries += 1
        if entry.kind == JOINED:
            assert entry.seat is not None
            self.names[entry.seat] = str(entry.data["name"])
        elif entry.kind == STARTED:
            self.is_started = True
        elif entry.kind == DRAWN:
            self.draws += 1
            self.state = self.game.apply(self.state, CHANCE, self._parsed(entry))
        elif entry.kind == MOVE:
            assert entry.seat is not None
            self._apply(entry.seat, self._parsed(entry), self.entries - 1)

    def _parsed(self, entry: Entry) -> Any:
        assert entry.body is not None
        return self.game.parse(entry.body.decode())


class MatchTable:
    """A table whose matches are played by the rules.

    The methods fit a game without time limits and without messages for observers. A table overrides what its game does
    differently.
    """

    __slots__ = ()

    match: Match

    @property
    def game(self) -> Any:
        """The rules."""
        return self.match.game

    @property
    def state(self) -> Any:
        """The position."""
        return self.match.state

    @state.setter
    def state(self, state: Any) -> None:
        self.match.state = state

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended; None while it runs, and before it."""
        return self.match.outcome

    @outcome.setter
    def outcome(self, outcome: Outcome | None) -> None:
        self.match.outcome = outcome

    @property
    def is_running(self) -> bool:
        """Whether a match is running."""
        return self.match.is_started and self.match.outcome is None

    # Moves, and the end of a match

    def play(self, seat: Seat, move: Any, now: float, data: Mapping[str, Value] | None = None) -> Step:
        """Apply a move, and end the match if the rules say so, or if it has its greatest length.

        Raises RuleError, and changes nothing then.
        """
        known = len(self.match.findings)
        journal = self.match.play(seat, move, now, data)
        outcome = self.game.outcome(self.match.state)
        if outcome is None and self.match.moves >= self.match.most:
            outcome = Outcome(Termination.LIMIT)
        if outcome is not None:
            journal = (*journal, self.match.end(outcome, now))
        return Step(journal=journal, findings=tuple(self.match.findings[known:]), outcome=outcome)

    def lose(self, seat: Seat, why: Termination, now: float, data: Mapping[str, Value] | None = None) -> Step:
        """End the match because a player has left or is too late. If there are two players, the other one wins.

        `data`: the numbers behind it, for the record.
        """
        others = [other for other in self.match.names if other != seat]
        outcome = Outcome(why, others[0] if len(others) == 1 else None)
        journal = (self.match.left(seat, why, now, data), self.match.end(outcome, now))
        return Step(journal=journal, outcome=outcome)

    # The methods of a table without clocks and without messages for observers

    def is_player(self, _seat: Seat) -> bool:
        """Return True: the protocol has no seats for programs that watch."""
        return True

    def delivered(self, _now: float, _unsent: Collection[Seat] = ()) -> float | None:
        """Start no clock: players may think for as long as they like."""
        return None

    def overdue(self, _now: float) -> Collection[Seat]:
        """Return no seats: there are no time limits."""
        return ()

    def tick(self, _now: float) -> Step:
        """Do nothing: there is no clock."""
        return Step()

    def review(self) -> Step:
        """Do nothing: moves are judged when they come."""
        return Step()

    def observe(self) -> tuple[Event, ...]:
        """Return nothing: this dialect has no messages for observers."""
        return ()

    def restore(self, entry: Entry) -> None:
        """Replay an entry. Raises RuleError if it is an illegal move."""
        self.match.restore(entry)
