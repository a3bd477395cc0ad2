"""Rooms as browsers watch them. The first spectator, or player in a browser, makes the room a `RoomFeed`.

Source: docs/reference/web-api.md#events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamed.core.game import Outcome, Reveals, Seat
from gamed.core.table import ShowsState, Step
from gamed.lobby.lobby import Lobby
from gamed.lobby.room import Room
from gamed.web import scenes
from gamed.web.events import Lines
from gamed.web.feed import Stream
from gamed.web.moves import Moves
from gamed.web.naming import Naming
from gamed.web.scenes import Ledgers, facts, findings, outcome, refusals, turn
from gamed.web.turn_cooperator import TurnCooperator

log = Logger()

SETTLED: Final = 0.25
"""A closed room is reviewed by its referee a little later. Seconds between two checks whether that is finished."""

LOOKS: Final = 20
"""How many checks there are; after these, the stream ends anyway."""


@define
class Moment:
    """What is needed to render a room as it was at one moment."""

    moves: Moves
    """The moves of the match, with those that were made later."""

    public_moves: int
    """How many items of `moves.moves` there were at this moment."""

    last: Mapping[str, Any] | None
    """The newest move."""

    state: Any
    outcome: Outcome | None


@define(eq=False)
class RoomFeed:
    """A watched room: the source of the stream that its spectators read."""

    room: Room
    feeds: Feeds
    stream: Stream = field(init=False)

    followers: dict[Callable[[], None], None] = field(factory=dict)
    """Called after each change: the streams of seats show facts about the room, too. A dict for its order."""

    away: dict[Seat, float] = field(factory=dict)
    """For each seat whose player has closed its page: since when, by the clock of the feeds."""

    _moves: Moves = field(init=False)

    _reveals: Reveals | None = field(init=False)
    """The game, if it reveals hidden moves later."""

    _public: ShowsState | None = field(init=False)
    """The table, if it has a state that everybody may know."""

    _looks: int = 0
    """How many times it was checked whether the closed room is reviewed."""

    _shown: tuple[Any, ...] = ()
    """What `_is_news` compares, as it was after the last change."""

    _state: Any = None
    """The state after the last change."""

    def __attrs_post_init__(self) -> None:
        self._public = self.room.table if isinstance(self.room.table, ShowsState) else None
        self._begin()
        self.stream = self.feeds.stream(self)
        self.room.watchers += (self._seen,)

    def _begin(self) -> None:
        self._moves = Moves(self.feeds.lobby.game_types[self.room.history.kind])
        # Once a match, not for each step: isinstance with a protocol takes some microseconds.
        game = self.room.table.game
        self._reveals = game if isinstance(game, Reveals) else None

    @property
    def match(self) -> Moves:
        """An object that identifies the current match: each match has another one."""
        return self._moves

    # The source of the stream

    def capture(self) -> Moment:
        """Return what is needed to render the room as it is now."""
        table = self.room.table
        self._moves.take(self.room.history.entries)
        if self._reveals is not None and table.state is not None:
            self._moves.reveal(self._reveals.revealed(table.state))
        return Moment(self._moves, len(self._moves.moves), self._moves.last, table.state, table.outcome)

    def moves(self, captured: Moment) -> Sequence[Mapping[str, Any]]:
        """Return the moves so far."""
        return captured.moves.moves[: captured.public_moves]

    def scene(self, captured: Moment) -> Mapping[str, Any]:
        """Return the scene for spectators."""
        captured = self._present(captured)
        return {**self.facts(captured), "board": self.board(captured)}

    def board(self, captured: Moment) -> Any:
        """Return the board as spectators see it, None before the first match has begun."""
        return scenes.board(self.room, self.feeds.ledgers.of(self.room), self._present(captured).state)

    def _present(self, captured: Moment) -> Moment:
        """Return the moment itself, or the current one if another match has begun since."""
        return captured if captured.moves is self._moves else self.capture()

    def facts(self, captured: Moment) -> dict[str, Any]:
        """Return a scene without a board."""
        room, ledger = self.room, self.feeds.ledgers.of(self.room)
        scene = facts(room, ledger, captured.last)
        now = self.feeds.clock.seconds()
        scene["away"] = {seat: round(now - since, 1) for seat, since in self.away.items()}
        scene["refusals"] = refusals(self.feeds.lobby.refusals, room, self.feeds.naming)
        scene["findings"] = findings(room, self._moves, ledger)
        scene["outcome"] = outcome(captured.outcome)
        scene["turn"] = [] if captured.outcome is not None else turn(room, ledger, captured.state)
        if self._public is not None:
            scene["table"] = self._public.public_state()
        if ledger.is_started:
            scene["phase"] = "play" if captured.outcome is None else "over"
        return scene

    def show_away(self, seat: Seat, since: float | None) -> None:
        """Show the player on a seat as away since a moment; None: it is back."""
        if since is not None:
            self.away[seat] = since
        elif self.away.pop(seat, None) is None:
            return
        self._notify()

    # What the room calls

    def _seen(self, room: Room, step: Step) -> None:
        try:
            if step.opened:
                self._begin()
                self.stream.restart()
            if self._is_news() or step.closed:
                self._notify()
            if step.closed and not self._looks:
                self._look(room)
        except Exception:  # noqa: BLE001 (an error in a view must not become an error of the room)
            log.failure("web: cannot show a step of a room")

    def _is_news(self) -> bool:
        """Whether the step has changed anything that is shown. Answers to a peer's queries, for example, do not."""
        room, table = self.room, self.room.table
        # A peer may be refused any number of times. Only the first refusals are kept, and only these are news.
        refused = sum(len(found.first) for found in self.feeds.lobby.refusals.of(room.id).values())
        public = None if self._public is None else self._public.public_state()
        found = len(table.match.findings)
        now = (len(room.history.entries), table.outcome, table.is_paused, list(room.peers), refused, found, public)
        if now == self._shown and table.state is self._state:
            return False
        self._shown, self._state = now, table.state
        return True

    def _notify(self) -> None:
        self.stream.changed()
        for follow in list(self.followers):
            follow()

    def _look(self, room: Room) -> None:
        """End the stream when the referee has reviewed the closed room, which may still change the outcome."""
        self._looks += 1
        if self._looks > 1 and (room.id not in self.feeds.lobby.rooms or self._looks > LOOKS):
            self._notify()
            self.stream.end()
            self.feeds.forget(self)
            return
        self.feeds.clock.callLater(SETTLED, self._look, room)


@define(eq=False)
class Feeds:
    """The feeds of all watched rooms, and what the streams of rooms and seats have in common."""

    lobby: Lobby
    clock: IReactorTime
    naming: Naming = field(factory=Naming)

    work: TurnCooperator = field(init=False)
    """Renders and sends all streams."""

    ledgers: Ledgers = field(init=False)

    lines: Lines = field(init=False)
    """The connections on which streams are read."""

    _feeds: dict[str, RoomFeed] = field(factory=dict)
    """By the id of the room."""

    def __attrs_post_init__(self) -> None:
        self.work = TurnCooperator(self.clock)
        self.ledgers = Ledgers(self.lobby.rooms, self.naming)
        self.lines = Lines(self.clock, self.work)

    def of(self, room: Room) -> RoomFeed:
        """Return the feed of an open room."""
        feed = self._feeds.get(room.id)
        if feed is None:
            feed = self._feeds[room.id] = RoomFeed(room, self)
        return feed

    def watchers(self, room: Room) -> int:
        """Return how many browsers watch a room."""
        feed = self._feeds.get(room.id)
        return 0 if feed is None else len(feed.stream.readers)

    def free(self, room: Room) -> int:
        """Return how many seats of a room are free for anybody."""
        return scenes.free(room, self.ledgers.of(room), self.lobby.reservations)

    def forget(self, feed: RoomFeed) -> None:
        """Remove a feed whose room is closed."""
        self._feeds.pop(feed.room.id, None)

    def stream(self, source: Any, **settings: Any) -> Stream:
        """Return a new stream."""
        return Stream(source, self.work, self.clock, **settings)

    def stop(self) -> None:
        """Send nothing more."""
        self.work.stop()
        self.lines.stop()
