"""The runner's side of the control connection.

Source: docs/topics/design.md#control.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from attrs import frozen
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.protocols.amp import AMP, Command
from twisted.python.failure import Failure

from gamed.control import commands
from gamed.core.errors import GamedError
from gamed.core.game import Options, Seat
from gamed.registry import Scores
from gamed.tournament.results import Result, from_data

Means: TypeAlias = Mapping[Seat, Mapping[str, float]]
"""The means of the numbers that the programs of a game have told of themselves, by seat and name."""


class DaemonLost(GamedError):  # noqa: N818 (it says what has happened)
    """The connection to the daemon is lost."""


@frozen
class Opening:
    """A fixture's room that is to be opened."""

    game: str
    id: str
    seed: int
    options: Options
    names: Sequence[str]
    """The players' names, by seat."""


class Follower(Protocol):
    """What is told of the rooms."""

    def seated(self, room: str, seat: Seat) -> None:
        """Take note that a seat is taken."""

    def begun(self, room: str) -> None:
        """Take note that a game has begun."""

    def ended(self, result: Result) -> None:
        """Take note that a room is closed."""

    def recorded(self, room: str) -> None:
        """Take note that a record is stored."""

    def testify(self, room: str, seat: Seat) -> Deferred[Mapping[str, Any]]:
        """Say what became of the program of a seat; fire with the data of an `ATTESTED` entry."""

    def lost(self, reason: str) -> None:
        """Take note that the connection to the daemon is lost."""


class DaemonClient(AMP):
    """A connection to a daemon."""

    def __init__(self, follower: Follower) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._follower = follower

    def _call(self, command: type[Command], **arguments: Any) -> Deferred[dict[str, Any]]:
        called: Deferred[dict[str, Any]] = self.callRemote(command, **arguments)  # type: ignore[no-untyped-call]
        return called.addErrback(_lost)

    # Commands

    def begin(self, key: str) -> Deferred[list[str]]:
        """Say who is there; fire with the ids of the rooms that are still open."""
        return self._call(commands.Begin, key=key).addCallback(_take("rooms"))

    def adopt(self, entrance: int, game: str, listening: socket.socket) -> Deferred[Any]:
        """Give the daemon a listening socket. The caller's own copy can be closed when this has fired."""
        return self._call(commands.Adopt, entrance=entrance, game=game, socket=listening.fileno())

    def open(self, opening: Opening, entrances: Sequence[int], stale: Sequence[int] = ()) -> Deferred[list[str]]:
        """Open a room; fire with the reservation codes of its seats. Fails with RoomError, StoreError.

        `stale`: see `commands.Open`.
        """
        names = {"game": opening.game, "id": opening.id, "seed": opening.seed}
        fixture = json.dumps({**names, "options": dict(opening.options), "names": list(opening.names)})
        opened = self._call(commands.Open, fixture=fixture, entrances=list(entrances), stale=list(stale))
        return opened.addCallback(_take("codes"))

    def withhold(self, rooms: Sequence[str]) -> Deferred[Any]:
        """Have the web show games to administrators only."""
        return self._call(commands.Withhold, rooms=list(rooms))

    def disclose(self, rooms: Sequence[str]) -> Deferred[Any]:
        """Have the web show games that were withheld."""
        return self._call(commands.Disclose, rooms=list(rooms))

    def absent(self, room: str, seat: Seat, word: Mapping[str, Any]) -> Deferred[Any]:
        """Say that the program of a seat never came, and what became of it."""
        return self._call(commands.Absent, room=room, seat=seat, word=json.dumps(word))

    def evidence(self, room: str, seat: Seat, data: str) -> Deferred[Any]:
        """Have evidence on the program of a seat stored. The game must be recorded. Fails with StoreError."""
        return self._call(commands.Evidence, room=room, seat=seat, data=data)

    def void(self, room: str) -> Deferred[Any]:
        """End a game so that it counts for nobody."""
        return self._call(commands.Void, room=room)

    def results(self, rooms: Sequence[str]) -> Deferred[list[Result]]:
        """Fire with the results of those games that are recorded, at most a hundred."""
        return self._call(commands.Results, rooms=list(rooms)).addCallback(
            lambda found: [from_data(json.loads(text)) for text in found["results"]]
        )

    def means(self, rooms: Sequence[str]) -> Deferred[list[Means]]:
        """Fire with the means of what the programs of at most twenty games have told of themselves."""
        return self._call(commands.Means, rooms=list(rooms)).addCallback(
            lambda found: [{int(seat): told for seat, told in json.loads(text).items()} for text in found["means"]]
        )

    def scores(self, rooms: Sequence[str]) -> Deferred[list[Scores]]:
        """Fire with the scores of at most twenty recorded games; {} for a game without any."""
        return self._call(commands.Scores, rooms=list(rooms)).addCallback(
            lambda found: [json.loads(text) for text in found["scores"]]
        )

    # What the daemon says

    @commands.Testify.responder
    def testify(self, room: str, seat: Seat) -> Deferred[dict[str, Any]]:
        """Answer `Testify`."""
        return self._follower.testify(room, seat).addCallback(lambda word: {"word": json.dumps(word)})

    @commands.Seated.responder
    def seated(self, room: str, seat: Seat) -> dict[str, Any]:
        """Take `Seated`."""
        self._follower.seated(room, seat)
        return {}

    @commands.Begun.responder
    def begun(self, room: str) -> dict[str, Any]:
        """Take `Begun`."""
        self._follower.begun(room)
        return {}

    @commands.Ended.responder
    def ended(self, result: str) -> dict[str, Any]:
        """Take `Ended`."""
        self._follower.ended(from_data(json.loads(result)))
        return {}

    @commands.Recorded.responder
    def recorded(self, room: str) -> dict[str, Any]:
        """Take `Recorded`."""
        self._follower.recorded(room)
        return {}

    def connectionLost(self, reason: Any = None) -> None:
        """Take note that the daemon has gone."""
        # First, so that whoever waits for an answer learns why there is none.
        self._follower.lost("" if reason is None else reason.getErrorMessage())
        super().connectionLost(reason)  # type: ignore[no-untyped-call]


def _lost(failure: Failure) -> Failure:
    failure.trap(ConnectionDone, ConnectionLost)
    raise DaemonLost(f"the daemon has ended: {failure.getErrorMessage()}")


def _take(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda answer: answer[name]
