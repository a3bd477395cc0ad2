"""Several streams of events over one connection: a browser has six connections to a host, whatever its windows show.

Source: docs/reference/web-api.md#one-stream-for-many. What is read is fixed while the connection lasts. Who wants more
or less opens another one, and names the last event that it has of each stream: so nothing is lost, and nothing about a
browser is kept between two connections.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from attrs import define

from gamed.core.errors import GamedError
from gamed.web.answers import Call, Refusal, Route, dumped, refusal_of
from gamed.web.events import Lines, last_event
from gamed.web.feed import Stream
from gamed.web.visitors import Visitor

MOST_TOPICS: Final = 64
"""Streams that one connection reads."""

Find = Callable[[Visitor, str], Stream]
"""Returns what a visitor may read by its id. Raises GamedError."""


@define(eq=False)
class Topics:
    """The streams that can be read together, by the first word of their names: `rooms/ID` and `seats/ID`."""

    lines: Lines
    kinds: Mapping[str, Find]

    @property
    def routes(self) -> Sequence[Route]:
        """What can be asked for."""
        return (Route("GET", "events", self._events, stream=True),)

    def _events(self, call: Call, request: Any) -> None:
        topics = call.query.get("topics", "").split(",")
        if not topics[0] or len(topics) > MOST_TOPICS:
            text = f"topics names 1 to {MOST_TOPICS} streams"
            raise Refusal(400, "topics", text, "topics=rooms/ID@LAST-EVENT,seats/ID")
        line = self.lines.open(request, is_shared=True)
        for number, topic in enumerate(topics):
            name, _, last = topic.partition("@")
            prefix = b"event: topic\ndata: %d\n\n" % number
            try:
                line.read(self._find(call.visitor, name), last_event(last), prefix)
            except GamedError as error:
                # One window's room may be gone: the others' are not.
                refusal = refusal_of(error).answer()
                data = dumped({"status": refusal.status, **refusal.body})
                line.send(b"%bevent: refused\ndata: %b\n\n" % (prefix, data))

    def _find(self, visitor: Visitor, name: str) -> Stream:
        kind, _, word = name.partition("/")
        if kind not in self.kinds:
            raise Refusal(404, "not-found", "there is no such stream", "topics are rooms/ID and seats/ID")
        return self.kinds[kind](visitor, word)
