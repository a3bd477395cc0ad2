"""The messages of the Software-Challenge's lobby, which are the same in every season.

Source: docs/reference/software-challenge.md#what-clients-say,
docs/reference/software-challenge.md#what-the-server-says, docs/reference/software-challenge.md#what-is-refused. What
only a season understands (moves, states and results) passes through: a move as the element that was received, and what
the server sends as text in its final layout.

A message that is wrong in itself ends the client's connection with a RemoteProtocolError. Its code names the row of the
table on that page: `malformed-xml` and `doctype` (malformed XML), `unknown-element`, `duplicate-element` (a part that
is there twice), `missing-class` (data without a class), `not-a-number`, `out-of-range`, `server-message`,
`reply-message` (testing, playerScore). Our own limits add `message-too-long`, `message-too-deep` and
`too-many-attributes`. A season's reader of moves adds `unknown-class` and `unknown-value`. After a code in `KICKED` the
client is kicked, after any other one it is dropped.
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
"""The name, on the wire, of a player whose slot has no display name. No message lets a player choose one."""

KICKED: Final = frozenset({"reply-message"})
"""The codes after which the server sends CloseConnection (kicked). After all others it sends the end tag (dropped)."""


# From clients. A missing text is "", unless the field can be None; a missing boolean is False.


@define
class Request(Event):
    """A message from a client."""

    said: str = field(default="", init=False, eq=False, repr=False)
    """The beginning of the message as it was received."""

    @property
    def text(self) -> bytes:
        """The beginning of the message in bytes, to be shown to people."""
        return self.said.strip().encode()[:KEPT]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of its attributes, to be shown to people.

        Only names of letters: a secret in the wrong place (a password, a reservation code) has digits.
        """
        names = [found[1] for found in _ATTRIBUTE.finditer(self.said.partition(">")[0])]
        return tuple(name for name in names if name is not None and name.isalpha())[:_NAMED]


_ATTRIBUTE: Final = re.compile(r"""([\w.:-]{1,40})\s*=\s*(?:"[^"]*"|'[^']*')""")
_NAMED: Final = 4
"""How many attributes are shown."""


@define
class Opened(Event):
    """The document has begun."""

    root: str
    """The name of its root element."""


@define
class Join(Request):
    """Wants the next free seat."""

    game_type: str | None
    """As it was received; None: the message has no gameType."""


@define
class JoinPrepared(Request):
    """Wants the seat that is reserved by a code."""

    code: str


@define
class JoinRoom(Request):
    """Wants a free seat in a room."""

    room: str


@define
class Authenticate(Request):
    """Wants to be an administrator."""

    password: str = field(repr=False)


@define
class Slot:
    """A seat of a prepared room."""

    display_name: str | None
    """None: the message has none."""

    can_timeout: bool
    should_be_paused: bool

    reserved: bool = True
    """Whether it gets a reservation code, in dialects with slots for everybody."""


@define
class Prepare(Request):
    """Wants a room with reserved seats."""

    game_type: str
    slots: tuple[Slot, ...]

    record: str | None = None
    """The attribute `from`: the id of a record with whose position the game begins; None: at the beginning."""

    turn: str | None = None
    """The turn of the record, as it came; None: its end."""

    pause: bool = False
    """Whether the game starts paused."""


@define
class Observe(Request):
    """Wants to watch a room."""

    room: str


@define
class Pause(Request):
    """Pauses a room, or resumes it."""

    room: str
    pause: bool


@define
class StepOn(Request):
    """Lets a paused room play one move."""

    room: str
    forced: bool
    """Whether to start the game even if not all seats are taken."""


@define
class Cancel(Request):
    """Ends a room."""

    room: str


@define
class SetTimeout(Request):
    """Switches a slot's time limits on or off."""

    room: str
    slot: int
    """Counted from 0; a client may send any number."""
    activate: bool


@define
class FreeReservation(Request):
    """Revokes a reservation: the seat is open to everybody."""

    code: str


@define
class TestMode(Request):
    """Switches the counting of scores on or off."""

    # pytest would take a class of this name for a test case.
    __test__ = False

    on: bool


@define
class ScoreForPlayer(Request):
    """Asks for the score of a display name in test mode."""

    display_name: str


@define
class RoomMessage(Request):
    """A move."""

    room: str | None
    """None: the message names no room."""

    data: Element | None
    """The `data` element with its class; None: there is none in the message."""


@define
class Leaving(Request):
    """The client leaves: it sent CloseConnection, ended its document, or closed the connection. The last event."""

    has_ended: bool = field(default=False, eq=False)
    """Whether it ended its document, without CloseConnection."""


# From the server.


@define
class ServerMessage(Event):
    """A message from the server."""

    encoded: bytes = field(default=b"", init=False, eq=False, repr=False)
    """Its bytes, once it was sent to a first peer. All who get the same object get these."""


@define
class Joined(ServerMessage):
    """The receiver has a seat."""

    room: str


@define
class JoinedGameRoom(ServerMessage):
    """To administrators: somebody has joined a room."""

    room: str
    existing: bool
    """Whether somebody else was in the room before."""

    players: int | None = None
    """The number of players in the room, in dialects that have this instead."""


@define
class Prepared(ServerMessage):
    """A room was prepared."""

    room: str
    codes: tuple[str, ...]
    """The reservation codes, in the order of the slots."""


@define
class Observed(ServerMessage):
    """The receiver watches a room from now on."""

    room: str


@define
class Welcome(ServerMessage):
    """The game begins."""

    room: str
    color: str
    """The receiver's colour in lower case, as on the wire."""


@define
class Memento(ServerMessage):
    """A position."""

    room: str

    state: str
    """The text of `<state …>`. Its lines after the first are indented as they are sent, by 6 or more. "" at clients."""

    element: Element | None = None
    """What a client has received, instead of the text."""


@define
class MoveRequest(ServerMessage):
    """It is the receiver's turn."""

    room: str
    kind: str
    """The class of the data."""


@define
class Paused(ServerMessage):
    """To observers: the game was paused, or resumed."""

    room: str
    paused: bool


@define
class ErrorPacket(ServerMessage):
    """A request is refused."""

    message: str
    original: str
    """The text of `<originalRequest …>`, indented by 4."""


@define
class Result(ServerMessage):
    """The game has ended."""

    room: str

    body: str
    """The text inside the `data` element, indented as `Memento.state` is. "" at clients."""

    element: Element | None = None
    """The `data` element that a client has received, instead of the text."""


@define
class Refused(ServerMessage):
    """A move is refused."""

    room: str
    message: str

    original: str | None
    """The text of `<originalRequest …>`, indented as `Memento.state` is; None: there was no move. None at clients."""

    element: Element | None = None
    """The original request that a client has received, instead of the text."""


@define
class Left(ServerMessage):
    """The receiver has left the room."""

    room: str


@define
class Testing(ServerMessage):
    """Whether scores are counted."""

    # pytest would take a class of this name for a test case.
    __test__ = False

    on: bool


@define
class PlayerScore(ServerMessage):
    """The score of a display name."""

    body: str
    """The text of `<score …>`. Its lines after the first are indented by 4 or more. "" at clients."""

    element: Element | None = None
    """What a client has received, instead of the text."""


@define
class Unknown(Event):
    """A message of the server that this client does not know and discards."""

    what: str
    """The element or its class, for people."""


@define
class Closing(Event):
    """The server ends the stream."""

    kick: bool
    """Whether it sends CloseConnection before the end tag. It does so after a game, too."""
