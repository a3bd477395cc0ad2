"""The server's side of the lobby's dialect: XML in the official server's layout, byte for byte.

Source: docs/reference/software-challenge.md#framing, docs/reference/software-challenge.md#what-clients-say,
docs/reference/software-challenge.md#what-the-server-says, docs/reference/software-challenge.md#what-is-refused. What
depends on the season is in the season's own module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar, Final

from attrs import define, field

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event, Unread
from gamed.core.refusals import Refusal
from gamed.games.softwarechallenge import messages
from gamed.games.softwarechallenge.dialect import IN_2020, SINCE_2021
from gamed.wire.xmlstream import Element, XmlStream

CLOSE_CONNECTION: Final = IN_2020.farewell
"""The element with which either side ends the conversation, in 2020."""

_SERVER_MESSAGES: Final = frozenset(
    ["joined", "joinedGameRoom", "observed", "prepared", "left", "paused", "memento", "error", "string", "null"]
)
_REPLIES: Final = frozenset({"testing", "playerScore"})

# A number as Java's Long.decode reads it: with a sign, in base 16 after 0x or #, in base 8 after a 0, with the digits
# of any script that has a char of its own.
_NUMBER: Final = re.compile(r"([+-]?)(?:(0[xX]|#)(?=.)|(0)(?=.))?([\da-fA-F]{1,64})")
_CHARS: Final = 0x10000
# The official server takes what has 32 bits, with a sign or without one, for an Integer.
_NUMBERS: Final = range(-(2**31), 2**32)
SMALL: Final = {str(value): value for value in range(-16, 17)}
"""Nearly all numbers that clients send. A move has up to six, and to match and convert one takes ten times as long."""

_IN_TEXT: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", "\r": "&#xd;"}
_TEXT: Final = str.maketrans(_IN_TEXT)
_ATTRIBUTE: Final = str.maketrans({**_IN_TEXT, "\n": "&#xa;", "\t": "&#x9;"})


def escaped(text: str) -> str:
    """Return a text as the official server writes it between tags."""
    return text.translate(_TEXT)


# Each memento quotes a room's id and two names, which are the same for the whole game.
@lru_cache(maxsize=1024)
def quoted(text: str) -> str:
    """Return a text as the official server writes it for an attribute, in its quotation marks."""
    return f'"{text.translate(_ATTRIBUTE)}"'


def truth(*, value: bool) -> str:
    """Return a boolean as an attribute in its quotation marks."""
    return '"true"' if value else '"false"'


# Reading


def texts(element: Element, names: frozenset[str], parts: str = "") -> Mapping[str, str]:
    """Return an element's attributes. A child element may be in the place of each attribute (session 77).

    `names`: the names that such children may have. `parts`: the name of children of another kind, which are skipped.
    Attributes may have any names (sessions 46, 68). Raises RemoteProtocolError: `unknown-element`, `duplicate-element`.
    """
    if not len(element):
        return element.attrib
    found = dict(element.attrib)
    for child in element:
        if child.tag == parts:
            continue
        if child.tag not in names:
            raise unknown_element(child, (*sorted(names), parts))
        if child.tag in found:
            raise RemoteProtocolError(f"{child.tag!r} appears twice", code="duplicate-element")
        found[child.tag] = child.text or ""
    return found


def unknown_element(element: Element, known: Iterable[str]) -> RemoteProtocolError:
    """Return the error for an element in the wrong place. `known`: the elements that may be there; "" is ignored."""
    named = [f"<{name}>" for name in known if name]
    hint = f"{', '.join(named) or 'none'}; names are case-sensitive"
    return RemoteProtocolError(f"there is no element {element.tag[:80]!r} here", code="unknown-element", hint=hint)


def number(text: str) -> int:
    """Return a whole number. Raises RemoteProtocolError: `not-a-number`, `out-of-range`."""
    if text in SMALL:
        return SMALL[text]
    found, value = _NUMBER.fullmatch(text), None
    if found is not None and max(map(ord, text)) < _CHARS:
        sign, hexadecimal, octal, digits = found.groups()
        try:
            value = int(sign + digits, 16 if hexadecimal else 8 if octal else 10)
        except ValueError:
            # It has digits that its base does not have.
            value = None
    if value is None:
        raise RemoteProtocolError(
            f"{text[:80]!r} is not a number", code="not-a-number", hint="a whole number, such as -5"
        )
    if value not in _NUMBERS:
        most = f"a whole number from {_NUMBERS[0]} to {_NUMBERS[-1]}"
        raise RemoteProtocolError(f"{text[:80]!r} is out of range", code="out-of-range", hint=most)
    return value - 2**32 if value >= 2**31 else value


def _is_true(found: Mapping[str, str], name: str) -> bool:
    return found.get(name, "").lower() == "true"


def _slot(element: Element) -> messages.Slot:
    found = texts(element, frozenset({"displayName", "canTimeout", "shouldBePaused", "reserved"}))
    return messages.Slot(
        found.get("displayName"),
        _is_true(found, "canTimeout"),
        _is_true(found, "shouldBePaused"),
        found.get("reserved", "true").lower() == "true",
    )


def _prepare(element: Element) -> messages.Request:
    found = texts(element, frozenset({"gameType", "pause"}), "slot")
    return messages.Prepare(
        found.get("gameType", ""),
        tuple(_slot(slot) for slot in element.iterfind("slot")),
        found.get("from"),
        found.get("turn"),
        _is_true(found, "pause"),
    )


_OF_ROOM: Final = frozenset({"roomId"})


def _room(element: Element) -> messages.Request:
    room = texts(element, _OF_ROOM, "data").get("roomId")
    data = element.findall("data")
    if len(data) > 1:
        raise RemoteProtocolError("'data' appears twice", code="duplicate-element")
    if data and not data[0].get("class"):
        raise RemoteProtocolError("data needs a class", code="missing-class", hint='<data class="setmove">')
    return messages.RoomMessage(room, data[0] if data else None)


def _leaving(_element: Element) -> messages.Request:
    return messages.Leaving()


def _plain(names: str, make: Callable[[Mapping[str, str]], messages.Request]) -> Callable[[Element], messages.Request]:
    known = frozenset(names.split())
    return lambda element: make(texts(element, known))


_READERS: Final[Mapping[str, Callable[[Element], messages.Request]]] = {
    "join": _plain("gameType", lambda found: messages.Join(found.get("gameType"))),
    "joinPrepared": _plain("reservationCode", lambda found: messages.JoinPrepared(found.get("reservationCode", ""))),
    "joinRoom": _plain("roomId", lambda found: messages.JoinRoom(found.get("roomId", ""))),
    "authenticate": _plain("password", lambda found: messages.Authenticate(found.get("password", ""))),
    "prepare": _prepare,
    "observe": _plain("roomId", lambda found: messages.Observe(found.get("roomId", ""))),
    "pause": _plain("roomId pause", lambda found: messages.Pause(found.get("roomId", ""), _is_true(found, "pause"))),
    "step": _plain("roomId forced", lambda found: messages.StepOn(found.get("roomId", ""), _is_true(found, "forced"))),
    "cancel": _plain("roomId", lambda found: messages.Cancel(found.get("roomId", ""))),
    "timeout": _plain(
        "roomId slot activate",
        lambda found: messages.SetTimeout(
            found.get("roomId", ""), number(found.get("slot", "0")), _is_true(found, "activate")
        ),
    ),
    "freeReservation": _plain("reservation", lambda found: messages.FreeReservation(found.get("reservation", ""))),
    "testMode": _plain("testMode", lambda found: messages.TestMode(_is_true(found, "testMode"))),
    "scoreForPlayer": _plain("displayName", lambda found: messages.ScoreForPlayer(found.get("displayName", ""))),
    "room": _room,
    CLOSE_CONNECTION: _leaving,
    SINCE_2021.farewell: _leaving,
}


MESSAGE_CLASSES: Final = (
    frozenset(_READERS) | _SERVER_MESSAGES | _REPLIES | {"welcomeMessage", "result", IN_2020.move_request}
) - {"string"}
"""The classes of the lobby's messages. As `data` of a room they are not moves. A string cannot be read there at all."""


def read(element: Element) -> messages.Request:
    """Return the request that a client's message means. Raises RemoteProtocolError: see `messages`."""
    reader = _READERS.get(element.tag)
    if reader is not None:
        return reader(element)
    if element.tag in _SERVER_MESSAGES:
        raise RemoteProtocolError(f"only the server says {element.tag!r}", code="server-message", hint=_REQUESTS)
    if element.tag in _REPLIES:
        raise RemoteProtocolError(f"only the server says {element.tag!r}", code="reply-message", hint=_REQUESTS)
    error = unknown_element(element, _FOR_EVERYBODY)
    if element.tag in _PLACES:
        error.hint = _PLACES[element.tag]
    raise error


_FOR_EVERYBODY: Final = ("join", "joinPrepared", "room", "authenticate", CLOSE_CONNECTION)
_REQUESTS: Final = ", ".join(f"<{name}>" for name in _FOR_EVERYBODY)
_BEGINNING: Final = "<protocol> once, at the beginning, and all messages in it"
_PLACES: Final = {"data": '<room roomId="…"> around it', "slot": "<prepare> around it", "protocol": _BEGINNING}
"""Where elements belong that are not messages."""

_HINTS: Final = {
    "malformed-xml": 'well-formed XML, as <protocol><join gameType="…"/>',
    "doctype": "<protocol> without a DOCTYPE",
    "message-too-long": "an end tag; a move has some 200 bytes",
}
"""What was expected, by the error codes of `XmlStream`."""

_HTTP: Final = re.compile(rb"[A-Z]+ \S+ HTTP/")


def _stray(text: bytes) -> Unread:
    """Return what developers learn about text outside of all messages."""
    if _HTTP.match(text):
        reason = "an HTTP request was ignored: this port takes XML over plain TCP; the website has another port"
        return Unread(Refusal("http-request", reason, _BEGINNING, text))
    reason = "text outside of the messages' elements was ignored"
    return Unread(Refusal("stray-text", reason, f"XML: {_BEGINNING}", text))


_TAG: Final = re.compile(rb"<(/?)([\w.]+)(?:[^<>\"']|\"[^\"]*\"|'[^']*')*?(/?)>")


def open_element(text: bytes) -> str:
    """Return the name of the innermost element that is open at the end of a message's beginning; "" if none is."""
    opened: list[str] = []
    for end, name, is_empty in _TAG.findall(text):
        if not end and not is_empty:
            opened.append(name.decode())
        elif end and opened:
            opened.pop()
    return opened[-1] if opened else ""


# Writing


def _in_room(room: str, data: str) -> str:
    return f"<room roomId={quoted(room)}>\n    {data}\n  </room>"


def _data(kind: str, body: str) -> str:
    return f"<data {kind}>\n      {body}\n    </data>"


def _prepared(event: messages.Prepared) -> str:
    codes = "".join(f"\n    <reservation>{escaped(code)}</reservation>" for code in event.codes)
    return f"<prepared roomId={quoted(event.room)}" + (f">{codes}\n  </prepared>" if codes else "/>")


def originally(said: str) -> str:
    """Return the `originalRequest` element for a request as it was received, indented by 4.

    It is empty if the request cannot be read: of an ill-formed or very long one only the beginning is kept.
    """
    stream = XmlStream()
    try:
        stream.receive_data(f"<protocol>{said}".encode())
        element = stream.take()
    except RemoteProtocolError:
        element = None
    return "<originalRequest/>" if element is None else "\n".join(_laid_out(element, "originalRequest", 4)).lstrip()


def _laid_out(element: Element, name: str, indent: int) -> Iterator[str]:
    pad, kind = " " * indent, f' class="{element.tag}"' if name != element.tag else ""
    tag = f"{pad}<{name}{kind}" + "".join(f" {key}={quoted(value)}" for key, value in element.attrib.items())
    text = escaped((element.text or "").strip())
    if not len(element):
        yield f"{tag}>{text}</{name}>" if text else f"{tag}/>"
        return
    yield f"{tag}>"
    for child in element:
        yield from _laid_out(child, child.tag, indent + 2)
    yield f"{pad}</{name}>"


def _joined_game_room(event: messages.JoinedGameRoom) -> str:
    found = f"existing={truth(value=event.existing)}" if event.players is None else f'playerCount="{event.players}"'
    return f"<joinedGameRoom roomId={quoted(event.room)} {found}/>"


def _refused(event: messages.Refused) -> str:
    kind = f'class="error" message={quoted(event.message)}'
    return _in_room(event.room, f"<data {kind}/>" if event.original is None else _data(kind, event.original))


_LAYOUTS: Final[Mapping[type[Event], Callable[[Any], str]]] = {
    messages.Joined: lambda event: f"<joined roomId={quoted(event.room)}/>",
    messages.JoinedGameRoom: _joined_game_room,
    messages.Prepared: _prepared,
    messages.Observed: lambda event: f"<observed roomId={quoted(event.room)}/>",
    messages.Welcome: lambda event: _in_room(event.room, f'<data class="welcomeMessage" color={quoted(event.color)}/>'),
    # In one text, and not by `_in_room` and `_data`: each of them would copy the state, which has 8 KB.
    messages.Memento: lambda event: (
        f'<room roomId={quoted(event.room)}>\n    <data class="memento">\n      {event.state}\n    </data>\n  </room>'
    ),
    messages.MoveRequest: lambda event: _in_room(event.room, f'<data class="{event.kind}"/>'),
    messages.Paused: lambda event: _in_room(event.room, f'<data class="paused" paused={truth(value=event.paused)}/>'),
    messages.ErrorPacket: lambda event: (
        f"<errorpacket message={quoted(event.message)}>\n    {event.original}\n  </errorpacket>"
    ),
    messages.Result: lambda event: _in_room(event.room, _data('class="result"', event.body)),
    messages.Refused: _refused,
    messages.Left: lambda event: f"<left roomId={quoted(event.room)}/>",
    messages.Testing: lambda event: f"<testing testMode={truth(value=event.on)}/>",
    messages.PlayerScore: lambda event: f"<playerScore>\n    {event.body}\n  </playerScore>",
}


@define
class Outgoing:
    """One direction of a stream: `<protocol>` is sent with the first message, and nothing is sent after the end tag."""

    _head: bytes = b"<protocol>"
    _has_ended: bool = False

    def say(self, message: bytes) -> bytes:
        """Return the bytes to send for a message, which begins with a line end; none after the end."""
        if self._has_ended:
            return b""
        head, self._head = self._head, b""
        return head + message

    def end(self) -> bytes:
        """Return the bytes that end the stream; none if it has ended already."""
        last = b"<protocol/>" if self._head else b"\n</protocol>"
        said = b"" if self._has_ended else last
        self._has_ended = True
        return said


def line(text: str) -> bytes:
    """Return the bytes of a message, with its line end and indentation."""
    return f"\n  {text}".encode()


def _encode(event: messages.ServerMessage) -> bytes:
    layout = _LAYOUTS.get(type(event))
    if layout is None:
        raise LocalProtocolError(f"the Software-Challenge dialect cannot say {event!r}")
    event.encoded = line(layout(event))
    return event.encoded


@define(eq=False)
class SoftwareChallengeConnection:
    """The server's side of one connection."""

    ending: ClassVar[str] = "the end tag of the message"
    is_answered: ClassVar[bool] = True

    _stream: XmlStream = field(factory=XmlStream)
    """What the client sends; it has the limits on messages."""

    _outgoing: Outgoing = field(factory=Outgoing, init=False)

    _has_ended: bool = field(default=False, init=False)
    """If the stream has ended: whether by an end tag, and not because the client has closed the connection."""

    _has_begun: bool = field(default=False, init=False)
    """Whether the root's tag was reported as an event."""

    _has_left: bool = field(default=False, init=False)
    """Whether `Leaving` was yielded, the last event."""

    _error: RemoteProtocolError | None = field(default=None, init=False)
    """The error that ended the conversation. It is raised again each time that events are asked for."""

    @property
    def begun(self) -> bool:
        """Whether a message has begun and not ended. Its rest must arrive within a time limit."""
        return self._stream.begun and not self._has_left

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that has not ended."""
        return self._stream.unfinished

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client; empty bytes mean that it has closed."""
        if not self._has_left and not self._stream.closed:
            self._has_ended = bool(data)
            self._stream.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Yield the client's messages; the last is `Leaving`. Raises RemoteProtocolError: see `messages`."""
        if self._error is not None:
            raise self._error.fresh()
        while not self._has_left and (event := self._next()) is not None:
            self._has_left = isinstance(event, messages.Leaving)
            yield event

    def _next(self) -> Event | None:
        if not self._has_begun and (opened := self._opened()) is not None:
            return opened
        if text := self._stream.stray():
            return _stray(text)
        element = None
        try:
            element = self._stream.take()
            if element is not None:
                request = read(element)
                request.said = self._stream.last
                return request
        except RemoteProtocolError as error:
            error.hint = error.hint or _HINTS.get(error.code, "")
            if element is not None:
                error.text = error.text or self._stream.last.strip().encode()
            self._error = error.fresh()
            raise
        return messages.Leaving(self._has_ended) if self._stream.closed else None

    def _opened(self) -> messages.Opened | Unread | None:
        """Return the event for the beginning of the document, once."""
        root, tag = self._stream.opening
        if not root:
            return None
        self._has_begun = True
        # The root may have any name. But a root of this name was meant to be a message, and will not be read as one.
        if root in _READERS:
            reason = f"<{root}> was taken for the beginning of the document, and not for a message"
            return Unread(Refusal("no-protocol", reason, _BEGINNING, tag.encode()))
        return messages.Opened(root)

    def send(self, event: Event) -> bytes:
        """Return the bytes of an event for the client; none after the end tag.

        An event for several clients should be one object, because it keeps its bytes.
        """
        if isinstance(event, messages.ServerMessage):
            return self._outgoing.say(event.encoded or _encode(event))
        if isinstance(event, messages.Closing):
            said = self._outgoing.say(line(f"<{CLOSE_CONNECTION}/>")) if event.kick else b""
            return said + self._outgoing.end()
        raise LocalProtocolError(f"the Software-Challenge dialect cannot say {event!r}")

    def close(self) -> bytes:
        """Return the last bytes: the end tag, or a whole empty document; nothing after a `Closing`."""
        return self._outgoing.end()
