"""Handlers for /api/v1/seats: a visitor's own seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from attrs import define

from gamed.web.answers import Answer, Call, Refusal, Route
from gamed.web.events import last_event
from gamed.web.feed import Stream
from gamed.web.joining import JoinRequest
from gamed.web.seats import PlayerSession, Seats
from gamed.web.visitors import Visitor, check_session

_LONGEST_CODE: Final = 100


@define(eq=False)
class Play:
    """The handlers for a visitor's seats."""

    seats: Seats

    @property
    def routes(self) -> Sequence[Route]:
        """The routes of this part of the API."""
        return (
            Route("GET", "seats", self._list),
            Route("POST", "seats", self._open),
            Route("GET", "seats/{id}", self._seat),
            Route("DELETE", "seats/{id}", self._leave),
            Route("GET", "seats/{id}/events", self._events, stream=True),
            Route("POST", "seats/{id}/act", self._act),
            Route("POST", "seats/{id}/bots", self._bring),
        )

    def _find(self, call: Call) -> PlayerSession:
        return self._seat_of(call.visitor, call.places["id"])

    def _seat_of(self, visitor: Visitor, id: str) -> PlayerSession:  # noqa: A002 (the path parameter's name)
        check_session(visitor)
        return self.seats.find(visitor, id)

    def _list(self, call: Call) -> Answer:
        check_session(call.visitor)
        return Answer(body=[player_session.summary() for player_session in self.seats.of(call.visitor)])

    def _open(self, call: Call) -> Answer:
        bots = tuple(map(_bot, call.value("bots", list) or []))
        code, room = _code(call.value("reservation", str)), call.value("room", str)
        friends = call.value("friends", int) or 0
        is_second = call.value("second", bool) or False
        join_request = JoinRequest(call.text("game"), call.text("name"), code, bots, room, friends, is_second)
        return Answer(body={"id": self.seats.open(call.visitor, join_request, call.address).id})

    def _seat(self, call: Call) -> Answer:
        return Answer(body=self._find(call).facts())

    def _leave(self, call: Call) -> Answer:
        self.seats.leave(self._find(call))
        return Answer(body={})

    def _act(self, call: Call) -> Answer:
        self._find(call).act(call.body)
        return Answer(body={})

    def _bring(self, call: Call) -> Answer:
        self.seats.bring(self._find(call), call.text("strategy"))
        return Answer(body={})

    def _events(self, call: Call, request: Any) -> None:
        stream = self.stream(call.visitor, call.places["id"])
        self.seats.feeds.lines.open(request).read(stream, last_event(request.getHeader("last-event-id")))

    def stream(self, visitor: Visitor, id: str) -> Stream:  # noqa: A002 (the path parameter's name)
        """Return the stream of a seat, which only its visitor may read. Raises Refusal."""
        return self._seat_of(visitor, id).stream


def _bot(wanted: Any) -> tuple[str, str | None]:
    """Return a bot's strategy, and the code of its reservation or None. `wanted` is the strategy, or has both."""
    given = {"strategy": wanted} if isinstance(wanted, str) else wanted
    if not isinstance(given, dict) or not isinstance(given.get("strategy"), str):
        raise Refusal(400, "bots", "each bot must be the name of a strategy, or {strategy, reservation}")
    code = given.get("reservation")
    if code is not None and not isinstance(code, str):
        raise Refusal(400, "type", "reservation must be a string")
    return given["strategy"], _code(code)


def _code(code: str | None) -> str | None:
    if code is not None and (len(code) > _LONGEST_CODE or not code.isprintable()):
        raise Refusal(400, "reservation", "this is not the code of a reservation")
    return code or None
