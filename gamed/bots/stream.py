"""Watches a room of a daemon by its event stream.

Source: docs/reference/web-api.md#events.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectError, DNSLookupError
from twisted.internet.interfaces import ITransport
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.task import deferLater
from twisted.python.failure import Failure
from twisted.web.client import Agent, ResponseFailed, readBody
from twisted.web.http import OK

from gamed.bots.play import BotError, unreachable
from gamed.bots.watch import ASK_AGAIN

Data: TypeAlias = Mapping[str, Any]

LONGEST: Final = 4_194_304
"""The most bytes of an event."""


@define(eq=False)
class SceneReader(Protocol):
    """The events of a room: it shows each scene, until the match is over."""

    show: Callable[[Data, Sequence[Data]], None]
    """Shows a scene, with all moves so far."""

    done: Deferred[None]
    """Fires with None when the match is over, or fails with BotError."""

    _moves: dict[int, Data] = field(factory=dict)
    """The moves by their numbers."""

    _unread: bytes = b""
    """The beginning of an event."""

    _is_over: bool = False
    _error: str = "the connection to the daemon is lost"

    def dataReceived(self, data: bytes) -> None:
        """Show the scenes."""
        *events, self._unread = (self._unread + data).split(b"\n\n")
        try:
            for event in events:
                self._take(dict(line.split(b": ", 1) for line in event.split(b"\n")))
        except (LookupError, TypeError, ValueError) as error:
            self._stop(f"the daemon sends what is no scene: {error}")
        if len(self._unread) > LONGEST:
            self._stop(f"the daemon sends an event of more than {LONGEST} bytes")

    def _take(self, event: Mapping[bytes, bytes]) -> None:
        if event.get(b"event") == b"gone":
            self._stop("the room is closed")
        elif event.get(b"event") == b"scene" and not self._is_over:
            found = json.loads(event[b"data"])
            if found.get("reset"):
                self._moves.clear()
            self._moves |= {move["n"]: move for move in found["moves"]}
            self.show(found["scene"], list(self._moves.values()))
            self._is_over = found["scene"]["outcome"] is not None
            if self._is_over:
                self._stop("")

    def _stop(self, error: str) -> None:
        self._error, self._unread = error, b""
        cast("ITransport", self.transport).loseConnection()

    def connectionLost(self, _reason: Failure = connectionDone) -> None:
        """Report the end of the match, or why it cannot be watched any longer."""
        if self._is_over:
            self.done.callback(None)
        else:
            self.done.errback(BotError(self._error))


async def watch_room(reactor: Any, origin: str, game: str, show: Callable[[Data, Sequence[Data]], None]) -> None:
    """Watch the newest game of a kind at a daemon until it is over; wait if there is none. Raises BotError.

    `origin`: where its pages are, such as `http://localhost:8054`.
    """
    agent = Agent(reactor, connectTimeout=10)
    while not (found := await _newest(agent, origin, game)):
        await deferLater(reactor, ASK_AGAIN)
    response = await _get(agent, f"{origin}/api/v1/rooms/{found}/events")
    reader = SceneReader(show, Deferred())
    response.deliverBody(reader)
    await reader.done


async def _newest(agent: Agent, origin: str, game: str) -> str | None:
    """Return the newest running room of a game; if there is none, the newest that waits for players."""
    address = f"{origin}/api/v1/rooms"
    body = await readBody(await _get(agent, address))
    try:
        rooms = [room for room in reversed(json.loads(body)) if room["game"] == game and room["state"] != "ended"]
        found = {room["state"] == "waiting": str(room["id"]) for room in rooms}
    except (LookupError, TypeError, ValueError) as error:
        raise BotError(f"{address} is no list of rooms: are there the pages of a daemon?") from error
    return found.get(False) or found.get(True)


async def _get(agent: Agent, address: str) -> Any:
    try:
        response = await agent.request(b"GET", address.encode())
    except (ConnectError, DNSLookupError, ResponseFailed) as error:
        raise unreachable(address, error) from error
    if response.code != OK:
        raise BotError(f"{address} answers {response.code}: are there the pages of a daemon?")
    return response
