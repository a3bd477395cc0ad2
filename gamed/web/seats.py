"""The seats of people who play in a browser.

Source: docs/reference/web-api.md#calls, docs/topics/design.md#a-person-in-the-browser. A `PlayerSession` joins a
`Person`, which is the game's client without I/O, a `Loopback` that connects it to the game's listener, and a stream
that shows the browser what the person sees. If the browser neither reads the stream nor requests anything for
`Seats.grace` seconds, the seat is left, as if a connection were lost. A seat that is over stays readable for a while.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final

from attrs import define, evolve, field
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from gamed.core.clients import STAY, LearnsOutcome, Person, SupportsRefresh
from gamed.core.errors import GamedError
from gamed.core.game import Termination
from gamed.core.peer import Party
from gamed.core.reception import HostedRoom
from gamed.core.table import HasDeadlines, HasTimeLimits
from gamed.lobby.lobby import Lobby
from gamed.net.factory import SessionFactory
from gamed.net.game_listeners import GameListeners
from gamed.registry import GameType
from gamed.web.answers import Refusal
from gamed.web.feed import Stream
from gamed.web.joining import NO_BOT, NO_PLACE, TAKEN, JoinRequest, bot_name, new_code, party_of
from gamed.web.live import Feeds, Moment, RoomFeed
from gamed.web.loopback import Call, Client, Loopback
from gamed.web.moves import newest
from gamed.web.visitors import Visitor

log = Logger()

INTERVAL: Final = 0.05
"""The minimal pause of a seat's stream between two jobs, in seconds."""

PLAYED: Final = 8
"""How many seats one visitor may hold at the same time."""

MOST: Final = 2_000
"""How many seats all visitors together may hold at the same time."""

LOOK: Final = 1.0
"""Seconds between two looks at all seats: a person whose protocol sends nothing unless it is asked queries then, and a
seat that is abandoned is left."""

KEPT: Final = 8
"""How many seats of one visitor stay readable after they are over."""

KEPT_IN_ALL: Final = 500
"""The same for all visitors together: each of these seats keeps its last scene in memory."""

KEPT_SECONDS: Final = 1_800.0
"""Seconds for which a seat stays readable after it is over."""

AWAY: Final = 2.0
"""Seconds without a reader after which the room shows the person as away. Reloading a page takes less."""

LONGEST_NAME: Final = 40
"""The maximal length of a player's name, in characters."""

_FOR_US: Final = ("players", "public", "is_blind")
"""The keys of a person's view that `PlayerSession.scene` uses and does not pass on to the page."""

_NOWHERE: Final[Mapping[str, Any]] = {"seats": [], "options": {}, "outcome": None, "last": None, "turn": []}
"""The facts of a scene as long as the person is not in a room."""


@define(eq=False)
class PlayerSession:
    """The seat of a person in a browser."""

    id: str
    visitor: Visitor
    join_request: JoinRequest

    person: Person
    """The game's client, for which the human in the browser decides."""

    feeds: Feeds

    seen: float
    """When the browser last requested something, or stopped reading the stream."""

    on_over: Callable[[PlayerSession], None]

    loopback: Loopback = field(init=False)
    """The connection between the person and the game's listener."""

    stream: Stream = field(init=False)

    bots: list[Loopback] = field(factory=list)
    """The connections of the bots that came with the person."""

    feed: RoomFeed | None = None
    """The feed of the room, once the person is in one."""

    seat: int | None = None

    final: tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]] | None = None
    """The last scene and all moves, once the connection to the game has ended."""

    record: str | None = None
    """The id of the match's record, once there is one."""

    started: str | None = None

    party: Party | None = None
    """The person and its bots, who are seated together."""

    invitation: str | None = None
    """The code by which others join the party; None if this person has not invited anybody."""

    is_guest: bool = False
    """Whether the party is somebody else's."""

    ended: float = 0.0

    _absence: IDelayedCall | None = None
    """The call that shows the person as away, while the stream has no reader."""

    _away_since: float | None = None

    _match: object = None
    """Identifies the match that the stream shows."""

    _view: Mapping[str, Any] | None = None
    """The person's view, as it was sent last."""

    def __attrs_post_init__(self) -> None:
        self.stream = self.feeds.stream(self, interval=INTERVAL, watched=self._watched)
        self.loopback = Loopback(self.person, self.feeds.clock, self._changed)

    @property
    def is_over(self) -> bool:
        """Whether the connection to the game has ended."""
        return self.final is not None

    @property
    def is_watched(self) -> bool:
        """Whether a browser reads the stream."""
        return bool(self.stream.readers)

    def touch(self) -> None:
        """Note that the browser has requested something."""
        self.seen = self.feeds.clock.seconds()

    def _watched(self) -> None:
        self.touch()
        self._set_absence(None)
        if self.is_watched:
            self._show_away(None)
        elif not self.is_over:
            self._set_absence(self.feeds.clock.callLater(AWAY, self._show_away, self.seen))

    def _set_absence(self, absence: IDelayedCall | None) -> None:
        if self._absence is not None and self._absence.active():
            self._absence.cancel()
        self._absence = absence

    def _show_away(self, since: float | None) -> None:
        """Have the room show that the person is away since a moment; None: is back."""
        self._away_since = since
        if self.feed is not None and self.seat is not None:
            self.feed.show_away(self.seat, since)

    def act(self, action: Mapping[str, Any]) -> None:
        """Do what the human wants. Raises RuleError if the rules do not allow it, and Refusal if the game is over."""
        self.loopback.check()
        self.loopback.send(self.person.act(action))
        self.stream.changed()

    # What the loopback and the room call

    def _changed(self) -> None:
        self._look_for_room()
        if self.loopback.is_lost and self.final is None:
            self._conclude()
            captured = self.capture()
            self.final = self.scene(captured), self.moves(captured)
            self.ended = self.feeds.clock.seconds()
            self._set_absence(None)
            self._follow(None)
            self.stream.changed()
            self.stream.end()
            self.on_over(self)
        elif not self.is_watched:
            self.stream.changed()
        else:
            view = self.person.view()
            if view != self._view:
                # Do not send a view that has not changed.
                self._view = view
                self.stream.changed()

    def _conclude(self) -> None:
        """Tell the person how its match ended, if the game's protocol does not."""
        if self.feed is None or not isinstance(self.person, LearnsOutcome):
            return
        room = self.feed.room
        outcome = room.table.outcome
        if outcome is not None and room.history.was_started:
            self.person.conclude(won=None if outcome.winner is None else outcome.winner == self.seat)

    def look(self) -> None:
        """Query the state of the game, if its protocol sends that only on request."""
        is_idle = self.is_watched and not self.is_over and not self.loopback.is_busy
        if is_idle and isinstance(self.person, SupportsRefresh):
            self.loopback.send(self.person.refresh())

    def _look_for_room(self) -> None:
        places = self.loopback.session.places
        room = places[0][0] if places else None
        if room is not None and (self.feed is None or self.feed.room is not room):
            self._follow(self.feeds.of(room))
            self.seat = places[0][1]
            self._show_away(self._away_since)
            _switch_off_time_limits(room, self.seat)

    def _follow(self, feed: RoomFeed | None) -> None:
        if self.feed is not None:
            self.feed.followers.pop(self._room_changed, None)
            if self.seat is not None:
                self.feed.show_away(self.seat, None)
        if feed is not None:
            self.feed = feed
            self._match = feed.match
            feed.followers[self._room_changed] = None

    def _room_changed(self) -> None:
        assert self.feed is not None
        if self.feed.match is not self._match:
            self._match = self.feed.match
            self.stream.restart()
        self.stream.changed()

    # The source of the stream

    def capture(self) -> tuple[Mapping[str, Any], Moment | None]:
        """Return the person's view, and the moment of its room."""
        return self.person.view(), None if self.feed is None else self.feed.capture()

    def scene(self, captured: tuple[Mapping[str, Any], Moment | None]) -> Mapping[str, Any]:
        """Return the scene: what the person sees, and the public facts about the room."""
        if self.final is not None:
            return self.final[0]
        view, moment = captured
        facts: Mapping[str, Any] = _NOWHERE
        if self.feed is not None and moment is not None:
            facts = self.feed.facts(moment)
            self.record, self.started = facts["record"], self.feed.room.history.started_at
        scene = {**facts, **{key: value for key, value in view.items() if key not in _FOR_US}}
        if self.feed is not None and self.feed.room.table.forwards:
            # The clients of a relay do not learn their seats by the protocol.
            scene["you"] = {**scene["you"], "seat": self.seat}
        if view.get("is_blind"):
            scene["last"] = None
        if view.get("public") and scene["board"] and self.feed is not None and moment is not None:
            seen = self.feed.board(moment) or {}
            scene["board"] = {**scene["board"], **{key: seen[key] for key in view["public"] if key in seen}}
        if not scene["seats"]:
            scene["seats"] = _seats(view.get("players") or ())
        scene["left"] = self._left()
        scene["isLive"] = not self.loopback.is_lost
        scene["error"] = self.loopback.error
        # Somebody else may have taken the last seat of the chosen room in the same turn of the reactor.
        is_refused = self.loopback.is_lost and self.feed is None and self.join_request.room
        scene["refused"] = TAKEN.code if is_refused else None
        return scene

    def _left(self) -> float | None:
        """Return the seconds until the person's deadline; None if there is none."""
        if self.feed is None or self.seat is None or self.loopback.is_lost:
            return None
        table = self.feed.room.table
        due = table.due_of(self.seat) if isinstance(table, HasDeadlines) else None
        return None if due is None else round(max(0.0, due - self.feeds.lobby.seconds()), 1)

    def moves(self, captured: tuple[Mapping[str, Any], Moment | None]) -> Sequence[Mapping[str, Any]]:
        """Return the public moves."""
        if self.final is not None:
            return self.final[1]
        view, moment = captured
        if self.feed is None or moment is None or view.get("is_blind"):
            return ()
        return self.feed.moves(moment)

    def summary(self) -> dict[str, Any]:
        """Return the seat's entry in the list of seats."""
        room = None if self.feed is None else self.feed.room.id
        return {
            "id": self.id,
            "game": self.join_request.game,
            "name": self.join_request.name,
            "room": room,
            "record": self.record,
            "started": self.started,
            "isLive": not self.is_over,
        }

    def facts(self) -> dict[str, Any]:
        """Return the seat with its scene and moves."""
        captured = ({}, None) if self.final is not None else self.capture()
        # The scene before the summary: rendering it sets `record`.
        found = {"scene": self.scene(captured), "moves": newest(self.moves(captured))}
        is_waiting = self.feed is None or not self.feed.room.history.was_started
        invited = {"invitation": self.invitation if is_waiting else None, "isGuest": self.is_guest}
        return {**self.summary(), **invited, **found}


def _seats(players: Iterable[str | None]) -> list[dict[str, Any]]:
    return [{"seat": seat, "name": name or "", "connected": name is not None} for seat, name in enumerate(players)]


def _switch_off_time_limits(room: HostedRoom, seat: int) -> None:
    """Give a person any time to think, if the game allows that."""
    if isinstance(room.table, HasTimeLimits):
        room.table.set_timed(seat, timed=False)


@define(eq=False)
class Seats:
    """The seats of all people in browsers."""

    lobby: Lobby
    games: GameListeners
    feeds: Feeds

    grace: float = field(kw_only=True)
    """Seconds without a request or a reader after which a seat is left."""

    random: Callable[[], Random] = field(kw_only=True)

    elsewhere: Call | None = field(default=None, kw_only=True)
    """Runs the bots, for example in a thread; None: they run in the reactor."""

    player_sessions: dict[str, PlayerSession] = field(factory=dict)
    _inviters: dict[str, PlayerSession] = field(factory=dict)
    """Who has invited others, by the code of the invitation."""

    _looking: IDelayedCall | None = None
    """The next look at all seats."""

    @property
    def live(self) -> int:
        """How many seats are not over."""
        return sum(not player_session.is_over for player_session in self.player_sessions.values())

    def of(self, visitor: Visitor) -> list[PlayerSession]:
        """Return a visitor's seats, the oldest first."""
        return [player_session for player_session in self.player_sessions.values() if player_session.visitor is visitor]

    def find(self, visitor: Visitor, id: str) -> PlayerSession:  # noqa: A002 (the path parameter's name)
        """Return a visitor's seat. Raises Refusal if there is none, or if it belongs to another visitor."""
        player_session = self.player_sessions.get(id)
        if player_session is None:
            raise Refusal(404, "no-seat", "there is no such seat", "a seat is forgotten some time after its end")
        if player_session.visitor is not visitor:
            hint = "sit down in its room, if a seat is free there, or watch the game"
            room = None if player_session.feed is None else player_session.feed.room.id
            raise Refusal(403, "not-yours", "somebody else sits here, in another browser", hint, room=room)
        player_session.touch()
        return player_session

    # Joining

    def open(self, visitor: Visitor, join_request: JoinRequest, host: str) -> PlayerSession:
        """Join a game as a person, with bots. Raises Refusal."""
        game_type, factory = self._listener(join_request.game)
        self._check(visitor, join_request, game_type)
        self._check_room(join_request)
        inviter = self._inviter(join_request)
        if inviter is not None:
            join_request = evolve(join_request, reservation=None)
        self._take_reserved(join_request.reservation)
        person = self._person(game_type, join_request)
        seat, now = secrets.token_urlsafe(12), self.feeds.clock.seconds()
        player_session = PlayerSession(seat, visitor, join_request, person, self.feeds, now, self._over)
        player_session.party = party_of(join_request) if inviter is None else inviter.party
        player_session.is_guest = inviter is not None
        player_session.loopback.browser = visitor.browser
        if not join_request.is_second:
            self._sit(player_session, factory, host)
        try:
            for strategy, code in join_request.bots:
                self._bring(player_session, strategy, host, code)
            if join_request.is_second:
                self._sit(player_session, factory, host)
        except Refusal:
            for loopback in player_session.bots if join_request.is_second else (player_session.loopback,):
                loopback.leave()
            raise
        return player_session

    def _sit(self, player_session: PlayerSession, factory: SessionFactory, host: str) -> None:
        join_request = player_session.join_request
        player_session.loopback.join(factory, host, join_request.name, player_session.party, join_request.room)
        self.player_sessions[player_session.id] = player_session
        player_session.visitor.seats += 1
        self._look_later()
        if join_request.friends:
            player_session.invitation = new_code()
            self._inviters[player_session.invitation] = player_session

    def _inviter(self, join_request: JoinRequest) -> PlayerSession | None:
        """Return whose invitation a code is; None if it is none. Raises Refusal if nobody can join any longer."""
        host = self._inviters.get(join_request.reservation or "")
        if host is None or host.join_request.game != join_request.game:
            return None
        self._require_place(host)
        return host

    def _require_place(self, host: PlayerSession) -> None:
        """Raise Refusal if nobody can join a person's party: there is none, it is complete, or the match has begun."""
        sessions = [other for other in self.player_sessions.values() if other.party is host.party and not other.is_over]
        members = len(sessions) + sum(not bot.is_lost for other in sessions for bot in other.bots)
        has_begun = host.feed is not None and host.feed.room.history.was_started
        if host.party is None or host.is_over or has_begun or members >= host.party.size:
            raise NO_PLACE

    def bring(self, player_session: PlayerSession, strategy: str) -> None:
        """Have a program take one of the places to which a person has invited others. Raises Refusal."""
        self._require_place(player_session)
        if strategy not in self.lobby.game_types[player_session.join_request.game].players:
            raise NO_BOT
        self._bring(player_session, strategy, player_session.loopback.session.address)

    def _listener(self, game: str) -> tuple[GameType, SessionFactory]:
        game_type, factory = self.lobby.game_types.get(game), self.games.of(game)
        if game_type is None or game_type.person is None:
            text = f"there is no game {game[:LONGEST_NAME]!r} to play here"
            raise Refusal(404, "no-game", text, "GET /api/v1/session lists the games")
        if factory is None:
            raise Refusal(503, "no-listener", f"{game} has no listener")
        return game_type, factory

    def _check(self, visitor: Visitor, join_request: JoinRequest, game_type: GameType) -> None:
        name = join_request.name
        if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            raise Refusal(400, "name", f"a name must have 1 to {LONGEST_NAME} printable characters")
        opponents = game_type.opponents(self.lobby.settings[join_request.game])
        others = len(join_request.bots) + join_request.friends
        if join_request.friends < 0 or (others and others not in opponents):
            numbers = " or ".join(map(str, opponents)) or "no"
            raise Refusal(400, "bots", f"you can play this game with {numbers} others, not {others}")
        if any(strategy not in game_type.players for strategy, _ in join_request.bots):
            raise NO_BOT
        lobby = self.lobby
        if lobby.is_draining or lobby.delivery.outage.reason:
            raise Refusal(503, "closed", "no new games can begin at the moment", "try again later")
        if visitor.seats >= PLAYED:
            raise Refusal(429, "seats", f"you already have {PLAYED} seats: leave one first")
        if self.live >= MOST:
            raise Refusal(503, "seats", "too many seats are taken on this server", "try again later")

    def _check_room(self, join_request: JoinRequest) -> None:
        if join_request.room is None:
            return
        if join_request.bots or join_request.friends or join_request.reservation is not None:
            raise Refusal(400, "room-alone", "a request that names a room cannot have bots, friends or a reservation")
        room = self.lobby.room(join_request.room)
        if room is None or room.history.kind != join_request.game or not self.feeds.free(room):
            raise TAKEN

    def _person(self, game_type: GameType, join_request: JoinRequest) -> Person:
        assert game_type.person is not None
        try:
            return game_type.person(self.random(), join_request.name, join_request.reservation)
        except GamedError as error:
            raise Refusal(400, getattr(error, "code", "person"), str(error)) from error

    def _take_reserved(self, code: str | None) -> None:
        if code is None:
            return
        kept = self.lobby.reservations.find(code)
        if kept is None:
            text = "there is no reservation with this code: it was used or revoked, or its room has closed"
            raise Refusal(404, "reservation", text, "ask for another code, or join without one")
        # Before the person joins: the first move may be requested before the person learns that it has a seat.
        _switch_off_time_limits(kept.room, kept.seat)

    def _bring(self, player_session: PlayerSession, strategy: str, host: str, code: str | None = None) -> None:
        join_request, party = player_session.join_request, player_session.party
        game_type, factory = self._listener(join_request.game)
        name = bot_name(strategy, (join_request.name, *(bot.session.own_name or "" for bot in player_session.bots)))
        players = len(join_request.bots) + 1 if party is None else party.size
        known = {"stay": STAY, "reservation": code, "name": name, "players": players}
        options = {option: known[option] for option in game_type.player_options if option in known}
        client: Client = game_type.players[strategy](self.random(), **options)
        loopback = Loopback(client, self.feeds.clock, _say_nothing, self.elsewhere, leaves=True)
        loopback.join(factory, host, name, party if code is None else None)
        player_session.bots.append(loopback)

    # Leaving

    def leave(self, player_session: PlayerSession) -> None:
        """Leave a seat by closing its connection to the game. If the seat is over already, forget it."""
        if player_session.is_over:
            self.player_sessions.pop(player_session.id, None)
        else:
            player_session.loopback.leave()

    def _over(self, player_session: PlayerSession) -> None:
        player_session.visitor.seats -= 1
        self._inviters.pop(player_session.invitation or "", None)
        if player_session.party is not None and not player_session.is_guest:
            self._close_waiting(player_session.join_request.game, player_session.party)
        party = {player_session.loopback.session, *(bot.session for bot in player_session.bots)}
        for bot in player_session.bots:
            if not bot.is_lost and not bot.plays_with_others(party):
                bot.leave()
        player_session.bots.clear()
        over = [other for other in self.player_sessions.values() if other.is_over]
        own = [other for other in over if other.visitor is player_session.visitor]
        for other in (*own[: max(0, len(own) - KEPT)], *over[: max(0, len(over) - KEPT_IN_ALL)]):
            self.player_sessions.pop(other.id, None)

    def _close_waiting(self, game: str, party: Party) -> None:
        """Close a party's room if its match has not begun: nobody else can join it."""
        for room in self.lobby.rooms_of(game):
            if room.party is party and not room.history.was_started and room.table.outcome is None:
                room.stop(Termination.CANCELLED)

    def _look_later(self) -> None:
        if self._looking is None and self.player_sessions:
            self._looking = self.feeds.clock.callLater(LOOK, self._look)

    def _look(self) -> None:
        self._looking, now = None, self.feeds.clock.seconds()
        for player_session in list(self.player_sessions.values()):
            player_session.look()
            if player_session.is_over:
                if now - max(player_session.ended, player_session.seen) > KEPT_SECONDS:
                    del self.player_sessions[player_session.id]
            elif not player_session.is_watched and now - player_session.seen > self.grace:
                log.info(
                    "web: the browser of a seat is gone: seat={id} peer={peer}",
                    id=player_session.id[:6],
                    peer=player_session.loopback.session.name,
                )
                player_session.loopback.leave()
        self._look_later()

    def stop(self) -> None:
        """Stop looking."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None


def _say_nothing() -> None:
    """Do nothing when a bot's loopback changes: no browser shows it."""
