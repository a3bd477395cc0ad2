"""What is said in the lobby of the Software-Challenge, whatever the season.

Source: docs/reference/software-challenge.md#what-clients-say,
docs/reference/software-challenge.md#what-the-server-says, docs/reference/software-challenge.md#what-is-refused. A
season's own words, moves, states and results, pass through: a move as the element that came, what the server says as
text that is laid out already.

A client's message that is wrong in itself ends the connection with a RemoteProtocolError. Its code names the row of
the table there: `malformed-xml` and `doctype` (malformed XML), `unknown-element`, `duplicate-element` (a part that
stands twice), `missing-class` (data without class), `not-a-number`, `server-message`, `reply-message` (testing,
playerScore); and our limits: `message-too-long`, `message-too-deep`, `too-many-attributes`. A season's reader of moves
adds `unknown-class` and `unknown-value`. Who sent one of `KICKED` is kicked, who sent any other is dropped.
"""

from __future__ import annotations

import re
from typing import Final

from attrs import define, field

from gamed.core.events import Event
from gamed.wire.xmlstream import KEPT, Element

COLORS: Final = ("red", "blue")
"""The words for the seats."""

UNKNOWN: Final = "Unknown"
"""What the wire calls a player whose slot has no display name: the dialect has no word with which it could give one."""

KICKED: Final = frozenset({"reply-message"})
"""The codes after which CloseConnection is said (kicked); after all others only the end tag is (dropped)."""


# From clients. A text that is missing is "", unless None is said to stand for it; a missing truth is False.


@define
class Request(Event):
    """What a client says."""

    said: str = field(default="", init=False, eq=False, repr=False)
    """The beginning of the message as it came."""

    @property
    def text(self) -> bytes:
        """The same in bytes, for people."""
        return self.said.strip().encode()[:KEPT]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of its attributes, for people: those that cannot be secrets, which have digits."""
        names = [found[1] for found in _ATTRIBUTE.finditer(self.said.partition(">")[0])]
        return tuple(name for name in names if name is not None and name.isalpha())[:_NAMED]


_ATTRIBUTE: Final = re.compile(r"""([\w.:-]{1,40})\s*=\s*(?:"[^"]*"|'[^']*')""")
_NAMED: Final = 4
"""Attributes that are named to people."""


@define
class Opened(Event):
    """The document has been opened: this is the name of its root."""

    root: str


@define
class Join(Request):
    """Wants the next free seat. `game_type`: as it came; None if none did."""

    game_type: str | None


@define
class JoinPrepared(Request):
    """Wants the seat that a reservation code keeps."""

    code: str


@define
class Authenticate(Request):
    """Wants to be an administrator."""

    password: str = field(repr=False)


@define
class Slot:
    """A seat of a prepared room. `display_name`: None if the message had none."""

    display_name: str | None
    can_timeout: bool
    should_be_paused: bool


@define
class Prepare(Request):
    """Wants a room with reserved seats. `record` and `turn` (its `from` and `turn`): the position to begin with."""

    game_type: str
    slots: tuple[Slot, ...]
    record: str | None = None
    turn: int | None = None


@define
class Observe(Request):
    """Wants to see a room's games."""

    room: str


@define
class Pause(Request):
    """Holds a room, or lets it go on."""

    room: str
    pause: bool


@define
class StepOn(Request):
    """Lets a held room play one move. `forced`: also if not all seats are taken."""

    room: str
    forced: bool


@define
class Cancel(Request):
    """Ends a room."""

    room: str


@define
class SetTimeout(Request):
    """Switches a slot's time limits. `slot`: from 0, but any number may come."""

    room: str
    slot: int
    activate: bool


@define
class FreeReservation(Request):
    """Opens a reserved seat to everybody."""

    code: str


@define
class TestMode(Request):
    """Switches the counting of scores."""

    # pytest would take a class of this name for a test case.
    __test__ = False

    on: bool


@define
class ScoreForPlayer(Request):
    """Asks what a name has scored in test mode."""

    display_name: str


@define
class RoomMessage(Request):
    """A move. `room`: None if none was named. `data`: what came, with its class; None if nothing did."""

    room: str | None
    data: Element | None


@define
class Leaving(Request):
    """The client is done: it said so, ended its document, or closed its side. Nothing comes after this."""

    has_ended: bool = field(default=False, eq=False)
    """Whether it ended its document, without having said goodbye."""


# From the server.


@define
class ServerMessage(Event):
    """What the server says. `encoded`: its bytes, from when it was first sent, for all who get the same object."""

    encoded: bytes = field(default=b"", init=False, eq=False, repr=False)


@define
class Joined(ServerMessage):
    """You have a seat."""

    room: str


@define
class JoinedGameRoom(ServerMessage):
    """To administrators: somebody joined. `existing`: not as the first."""

    room: str
    existing: bool


@define
class Prepared(ServerMessage):
    """A room is ready. `codes`: the reservation codes, in the order of the slots."""

    room: str
    codes: tuple[str, ...]


@define
class Observed(ServerMessage):
    """You see a room's games from now on."""

    room: str


@define
class Welcome(ServerMessage):
    """The game begins, and this is your colour, as it is written: lower case."""

    room: str
    color: str


@define
class Memento(ServerMessage):
    """A position. `state`: the text of `<state …>`, its lines after the first indented as they are sent, by 6 and more.

    A client gets `element`, the state that came, and no text.
    """

    room: str
    state: str
    element: Element | None = None


@define
class MoveRequest(ServerMessage):
    """It is your turn."""

    room: str


@define
class Result(ServerMessage):
    """The game has ended. `body`: the text of what stands in the data element, indented as `Memento.state` is.

    A client gets `element`, the data that came, and no text.
    """

    room: str
    body: str
    element: Element | None = None


@define
class Refused(ServerMessage):
    """A move is refused. `original`: the text of `<originalRequest …>`, indented as `Memento.state` is; None: no move.

    A client gets `element`, the original request that came, and no text.
    """

    room: str
    message: str
    original: str | None
    element: Element | None = None


@define
class Left(ServerMessage):
    """The room is done with you."""

    room: str


@define
class Testing(ServerMessage):
    """Whether scores are counted."""

    # pytest would take a class of this name for a test case.
    __test__ = False

    on: bool


@define
class PlayerScore(ServerMessage):
    """What a name has scored. `body`: the text of `<score …>`, its lines after the first indented by 4 and more.

    A client gets `element`, the score that came, and no text.
    """

    body: str
    element: Element | None = None


@define
class Closing(Event):
    """The server is done with the client. `kick`: it says CloseConnection first, also as the farewell after a game."""

    kick: bool
