"""Handlers for /api/v1/rooms: the list of rooms, their streams, and the administrator's actions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, NoReturn

from attrs import define, field
from twisted.internet.defer import Deferred, fail
from twisted.python.failure import Failure

from gamed.admin import room_actions
from gamed.core.errors import GamedError, UnknownRecord
from gamed.core.history import History
from gamed.core.reception import SupportsReservations
from gamed.lobby.lobby import Lobby
from gamed.lobby.room import Room
from gamed.net.game_listeners import GameListeners
from gamed.records.own import to_history
from gamed.records.record import Record
from gamed.web.answers import Answer, Call, Refusal, Route, not_shown
from gamed.web.events import last_event
from gamed.web.feed import Stream
from gamed.web.live import Feeds
from gamed.web.moves import newest
from gamed.web.prepared import Prepared, PreparedRooms
from gamed.web.scenes import row
from gamed.web.seats import LONGEST_NAME
from gamed.web.visitors import Visitor

MOST_ROWS: Final = 500
"""The maximal length of the list, which begins with the newest room."""

FRESH: Final = 0.5
"""Seconds for which the list is cached."""

FORKS: Final = 4
"""How many rooms that continue a record one visitor may have waiting for players."""

_LONGEST_ID: Final = 40
_ID: Final = re.compile("[0-9a-f-]{36}")
_MOST_MOVES: Final = 1_000_000


@define(eq=False)
class Rooms:
    """The handlers for rooms."""

    lobby: Lobby
    games: GameListeners
    feeds: Feeds
    prepared: PreparedRooms

    _list: tuple[float, list[dict[str, Any]]] = (-FRESH, [])
    """The cached list, and when it was made."""

    _asking: list[Deferred[Answer]] = field(factory=list)
    """The requests that wait for a new list."""

    @property
    def routes(self) -> Sequence[Route]:
        """The routes of this part of the API."""
        actions = [Route("POST", f"rooms/{{id}}/{name}", partial(self._act, name), admin=True) for name in _ACTIONS]
        return (
            Route("GET", "rooms", self._rooms),
            Route("POST", "rooms", self._open),
            Route("GET", "rooms/{id}", self._room),
            Route("GET", "rooms/{id}/events", self._events, stream=True),
            *actions,
        )

    # Looking

    def _rooms(self, _call: Call) -> Any:
        told_at, rows = self._list
        if self.feeds.clock.seconds() - told_at < FRESH:
            return Answer(body=rows)
        asked: Deferred[Answer] = Deferred()
        self._asking.append(asked)
        if len(self._asking) == 1:
            self.feeds.work.add(self._look())
        return asked

    def _look(self) -> Iterator[None]:
        """Make the list: a job of the `TurnCooperator`."""
        withheld = self.lobby.withheld
        shown = (room for room in reversed(self.lobby.rooms.values()) if not room.is_closed and room.id not in withheld)
        newest = list(islice(shown, MOST_ROWS))
        rows = []
        try:
            for room in newest:
                rows.append(self._row(room))
                yield
        finally:
            self._list = self.feeds.clock.seconds(), rows
            asking, self._asking = self._asking, []
            for asked in asking:
                asked.callback(Answer(body=rows))

    def _row(self, room: Room) -> dict[str, Any]:
        return row(room, self.feeds.ledgers.of(room), self.feeds.watchers(room), self.lobby.reservations)

    def _find(self, call: Call) -> Room:
        return self._room_of(call.visitor, call.places["id"])

    def _room_of(self, visitor: Visitor, id: str) -> Room:  # noqa: A002 (the path parameter's name)
        room = self.lobby.rooms.get(id)
        if room is None:
            raise _no_room()
        if id in self.lobby.withheld and not visitor.admin:
            raise not_shown()
        return room

    def _ended(self, call: Call) -> Deferred[Any] | None:
        """Return None if the room is open, else a Deferred that fails with a refusal, which names the room's record."""
        room_id, lobby = call.places["id"], self.lobby
        if room_id in lobby.rooms:
            return None
        if lobby.recorder.is_on_its_way(room_id):
            return fail(_has_ended(room_id))
        # The store would also find a record by the beginning of its id, but a room has only a whole one.
        found = lobby.store.record(room_id) if _ID.fullmatch(room_id) else fail(UnknownRecord(room_id))
        return found.addCallbacks(_recorded, _unrecorded)

    def _room(self, call: Call) -> Any:
        if (ended := self._ended(call)) is not None:
            return ended
        room = self._find(call)
        feed = self.feeds.of(room)
        moment = feed.capture()
        described = {**self._row(room), "scene": feed.scene(moment), "moves": newest(feed.moves(moment))}
        if call.visitor.admin:
            described["peers"] = [{"seat": seat, "peer": peer.name} for seat, peer in sorted(room.peers.items())]
        return Answer(body=described)

    def _events(self, call: Call, request: Any) -> Deferred[Any] | None:
        if (ended := self._ended(call)) is not None:
            return ended
        stream = self.stream(call.visitor, call.places["id"])
        self.feeds.lines.open(request).read(stream, last_event(request.getHeader("last-event-id")))
        return None

    def stream(self, visitor: Visitor, id: str) -> Stream:  # noqa: A002 (the path parameter's name)
        """Return the stream of a room, which everybody may read unless it is withheld. Raises Refusal."""
        return self.feeds.of(self._room_of(visitor, id)).stream

    # Actions of administrators, and opening rooms

    def _act(self, name: str, call: Call) -> Answer:
        room = self._find(call)
        options = {"forced": bool(call.value("forced", bool))} if name == "step" else {}
        line = f"{name} {room.id}{' --forced' if options.get('forced') else ''}"
        operator = call.visitor.operator
        try:
            result = _ACTIONS[name](room, **options)
        except GamedError as error:
            operator.noted(line, f"failed: {error}")
            raise Refusal(409, "room", str(error)) from error
        operator.noted(line, str(result))
        return Answer(body={"result": str(result)})

    def _open(self, call: Call) -> Any:
        game, origin = call.text("game"), call.value("from", dict)
        if call.body.get("options"):
            raise Refusal(400, "options", "options cannot be chosen: they come from the configuration or the record")
        if origin is None and not call.visitor.admin:
            raise Refusal(401, "login", "only an administrator may do this", "log in: POST /api/v1/session/login")
        paused = bool(call.value("paused", bool))
        if paused and not call.visitor.admin:
            raise Refusal(401, "login", "only an administrator may pause", "log in: POST /api/v1/session/login")
        reserve = partial(self._reception(game).reserve, game, _names(call), paused=paused)
        made = partial(self._made, call, f"prepare {game}")
        if origin is None:
            return made(partial(reserve, turn=None), None)
        record, move = _origin(origin)
        self._check_forks(call.visitor)
        found = self.lobby.store.record(record).addCallback(to_history)
        return found.addCallback(partial(made, partial(reserve, turn=move)))

    def _reception(self, game: str) -> SupportsReservations:
        factory = self.games.of(game)
        if factory is None or not isinstance(factory.reception, SupportsReservations):
            raise Refusal(409, "no-reservations", "seats of this game cannot be reserved")
        return factory.reception

    def _check_forks(self, visitor: Visitor) -> None:
        if self.prepared.waiting(visitor) >= FORKS and not visitor.admin:
            raise Refusal(429, "rooms", f"{FORKS} of your rooms are already waiting for players")

    def _made(self, call: Call, line: str, reserve: Callable[..., Any], history: History | None) -> Answer:
        room, kept = reserve(history=history)
        self.prepared.add(call.visitor, Prepared(room, _names(call), kept))
        if call.visitor.operator is not None:
            call.visitor.operator.noted(line, f"room={room.id}")
        return Answer(body={"room": room.id, "reservations": [reservation.code for reservation in kept]})


_ACTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "pause": room_actions.pause,
    "resume": room_actions.resume,
    "step": room_actions.step,
    "cancel": room_actions.cancel,
}


def _no_room() -> Refusal:
    hint = "it may have closed; if a match was played in it, there is a record of that"
    return Refusal(404, "no-room", "there is no such room", hint)


def _has_ended(record: str) -> Refusal:
    return Refusal(404, "room-ended", "this room has closed", f"its record is at /records/{record}", record=record)


def _recorded(record: Record) -> NoReturn:
    raise _has_ended(record.id)


def _unrecorded(failure: Failure) -> NoReturn:
    failure.trap(UnknownRecord)
    raise _no_room()


def _names(call: Call) -> list[str]:
    names = call.value("names", list) or []
    if not all(isinstance(name, str) and name.isprintable() and len(name) <= LONGEST_NAME for name in names):
        raise Refusal(400, "name", f"a name must have at most {LONGEST_NAME} characters, all of them printable")
    return names


def _origin(origin: Mapping[str, Any]) -> tuple[str, int | None]:
    record, move = origin.get("record"), origin.get("move")
    if not isinstance(record, str) or not 0 < len(record) <= _LONGEST_ID:
        raise Refusal(400, "type", "from.record must be the id of a record")
    if move is not None and (type(move) is not int or not 0 <= move <= _MOST_MOVES):
        raise Refusal(400, "type", "from.move must be the number of a move")
    return record, move
