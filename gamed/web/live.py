"""Rooms as browsers watch them: a feed for each room that is watched, made when the first spectator comes.

Source: docs/reference/web-api.md#events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamed.core.game import Outcome, Reveals, Seat
from gamed.core.table import Step
from gamed.lobby.lobby import Lobby
from gamed.lobby.room import Room
from gamed.web import scenes
from gamed.web.events import Lines
from gamed.web.feed import Stream
from gamed.web.moves import Moves
from gamed.web.naming import Naming
from gamed.web.scenes import Ledgers, facts, outcome, refusals, turn
from gamed.web.turn_cooperator import TurnCooperator

log = Logger()

SETTLED: Final = 0.25
"""Seconds between two looks whether a closed room is judged to its end."""

LOOKS: Final = 20
"""How many such looks there are; then its readers are let go anyway."""


@define
class Moment:
    """What a room's view of one moment is rendered from. `told`: how many items of the match's moves there were."""

    moves: Moves
    public_moves: int
    last: Mapping[str, Any] | None
    state: Any
    outcome: Outcome | None


@define(eq=False)
class RoomFeed:
    """A watched room. `followers`: called after each change, for seats, which show the room's facts, too."""

    room: Room
    feeds: Feeds
    stream: Stream = field(init=False)
    followers: dict[Callable[[], None], None] = field(factory=dict)
    away: dict[Seat, float] = field(factory=dict)
    """Since when no browser shows the seat of a person, by the clock of the feeds."""
    _moves: Moves = field(init=False)
    _reveals: Reveals | None = field(init=False)
    _looks: int = 0
    _shown: tuple[Any, ...] = ()
    _state: Any = None

    def __attrs_post_init__(self) -> None:
        self._begin()
        self.stream = self.feeds.stream(self)
        self.room.watchers.append(self._seen)

    def _begin(self) -> None:
        self._moves = Moves(self.feeds.lobby.game_types[self.room.history.kind])
        # Asked once a match: to ask a protocol takes some microseconds, and each step is captured.
        game = self.room.table.game
        self._reveals = game if isinstance(game, Reveals) else None

    @property
    def match(self) -> Moves:
        """What stands for the present match: another object for each."""
        return self._moves

    # The source of the stream

    def capture(self) -> Moment:
        """Return the moment."""
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
        """Return a moment of the present match: another one may have begun meanwhile."""
        return captured if captured.moves is self._moves else self.capture()

    def facts(self, captured: Moment) -> dict[str, Any]:
        """Return a scene without a board."""
        room, ledger = self.room, self.feeds.ledgers.of(self.room)
        scene = facts(room, ledger, captured.last)
        now = self.feeds.clock.seconds()
        scene["away"] = {seat: round(now - since, 1) for seat, since in self.away.items()}
        scene["refusals"] = refusals(self.feeds.lobby.refusals, room, self.feeds.naming)
        scene["outcome"] = outcome(captured.outcome)
        scene["turn"] = [] if captured.outcome is not None else turn(room, ledger, captured.state)
        if ledger.is_started:
            scene["phase"] = "play" if captured.outcome is None else "over"
        return scene

    def leave(self, seat: Seat, since: float | None) -> None:
        """Take note that a person's seat is shown nowhere since a moment; None: it is shown again."""
        if since is not None:
            self.away[seat] = since
        elif self.away.pop(seat, None) is None:
            return
        self._notify()

    # What the room says

    def _seen(self, room: Room, step: Step) -> None:
        # What goes wrong here must not go wrong for the room.
        with log.failureHandler("web: cannot show a step"):
            if step.opened:
                self._begin()
                self.stream.restart()
            if self._is_news() or step.closed:
                self._notify()
            if step.closed and not self._looks:
                self._look(room)

    def _is_news(self) -> bool:
        """Whether anything has changed that is shown: peers may ask what they like."""
        room, table = self.room, self.room.table
        # Of refusals only those that are kept are news: a peer may send any number of them.
        refused = sum(len(found.first) for found in self.feeds.lobby.refusals.of(room.id).values())
        now = (len(room.history.entries), table.outcome, table.is_paused, list(room.peers), refused)
        if now == self._shown and table.state is self._state:
            return False
        self._shown, self._state = now, table.state
        return True

    def _notify(self) -> None:
        self.stream.changed()
        for follow in list(self.followers):
            follow()

    def _look(self, room: Room) -> None:
        """End the stream when the room is judged to its end: until then its last scene is not the last."""
        self._looks += 1
        if self._looks > 1 and (room.id not in self.feeds.lobby.rooms or self._looks > LOOKS):
            self._notify()
            self.stream.end()
            self.feeds.forget(self)
            return
        self.feeds.clock.callLater(SETTLED, self._look, room)


@define(eq=False)
class Feeds:
    """The feeds of all watched rooms, and what the streams of rooms and seats share."""

    lobby: Lobby
    clock: IReactorTime
    naming: Naming = field(factory=Naming)
    work: TurnCooperator = field(init=False)
    ledgers: Ledgers = field(init=False)
    lines: Lines = field(init=False)
    _feeds: dict[str, RoomFeed] = field(factory=dict)

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
        """Return how many seats of a room anybody may take."""
        return scenes.free(room, self.ledgers.of(room), self.lobby.reservations)

    def forget(self, feed: RoomFeed) -> None:
        """Forget a feed whose room is closed."""
        self._feeds.pop(feed.room.id, None)

    def stream(self, source: Any, **settings: Any) -> Stream:
        """Return a new stream."""
        return Stream(source, self.work, self.clock, **settings)

    def stop(self) -> None:
        """Tell nobody anything any more."""
        self.work.stop()
        self.lines.stop()
