"""Several event streams over one connection: a browser opens only six connections to a host, for all of its windows.

Source: docs/reference/web-api.md#one-stream-for-many. The set of streams is fixed for the life of a connection. To
change it, the browser opens another connection and names the last event that it has of each stream. So no event is
lost, and the server stores nothing about a browser between two connections.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from attrs import define

from gamed.core.errors import GamedError
from gamed.web.answers import Call, Refusal, Route, refusal_of, to_json
from gamed.web.events import Lines, last_event
from gamed.web.feed import Stream
from gamed.web.visitors import Visitor

MOST_TOPICS: Final = 64
"""The maximal number of streams on one connection."""

Find = Callable[[Visitor, str], Stream]
"""Returns the stream with an id. Raises GamedError if there is none, or the visitor may not read it."""


@define(eq=False)
class Topics:
    """The handler for connections with several streams."""

    lines: Lines

    kinds: Mapping[str, Find]
    """Finds a stream by its id, for each kind of stream: a topic is `KIND/ID`, for example `rooms/ID`."""

    @property
    def routes(self) -> Sequence[Route]:
        """The routes of this part of the API."""
        return (Route("GET", "events", self._events, stream=True),)

    def _events(self, call: Call, request: Any) -> None:
        topics = call.query.get("topics", "").split(",")
        if not topics[0] or len(topics) > MOST_TOPICS:
            text = f"topics must name 1 to {MOST_TOPICS} streams"
            raise Refusal(400, "topics", text, "topics=rooms/ID@LAST-EVENT,seats/ID")
        line = self.lines.open(request, is_shared=True)
        for number, topic in enumerate(topics):
            name, _, last = topic.partition("@")
            prefix = b"event: topic\ndata: %d\n\n" % number
            try:
                line.read(self._find(call.visitor, name), last_event(last), prefix)
            except GamedError as error:
                # The room of one window may have closed. The streams of the other windows go on.
                refusal = refusal_of(error).answer()
                data = to_json({"status": refusal.status, **refusal.body})
                line.send(b"%bevent: refused\ndata: %b\n\n" % (prefix, data))

    def _find(self, visitor: Visitor, name: str) -> Stream:
        kind, _, which = name.partition("/")
        if kind not in self.kinds:
            raise Refusal(404, "not-found", "there is no such stream", "topics are rooms/ID and seats/ID")
        return self.kinds[kind](visitor, which)
