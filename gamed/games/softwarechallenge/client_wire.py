"""The client's side of the lobby's dialect, for our bots and for tests.

Source: docs/reference/software-challenge.md#framing, docs/reference/software-challenge.md#what-clients-say,
docs/reference/software-challenge.md#what-the-server-says. It is as strict as the official clients: it
refuses all messages that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from xml.etree.ElementTree import tostring

from attrs import define, field

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event
from gamed.games.softwarechallenge import messages
from gamed.games.softwarechallenge.dialect import DIALECTS, IN_2020, Dialect
from gamed.games.softwarechallenge.wire import CLOSE_CONNECTION, Outgoing, line, number, quoted, truth
from gamed.wire.xmlstream import Element, XmlStream

# Reading


def _needed(element: Element, name: str) -> str:
    value = element.get(name)
    if value is None:
        raise RemoteProtocolError(f"{element.tag[:80]!r} without {name!r}", code="missing-attribute")
    return value


def _first(element: Element, name: str) -> Element:
    child = element.find(name)
    if child is None:
        raise RemoteProtocolError(f"{element.tag[:80]!r} without {name!r}", code="missing-element")
    return child


def _refused(room: str, data: Element) -> Event:
    return messages.Refused(room, _needed(data, "message"), None, data.find("originalRequest"))


_DATA: Final[Mapping[str, Callable[[str, Element], Event]]] = {
    "welcomeMessage": lambda room, data: messages.Welcome(room, _needed(data, "color")),
    "memento": lambda room, data: messages.Memento(room, "", _first(data, "state")),
    **{
        dialect.move_request: lambda room, data: messages.MoveRequest(room, data.get("class", ""))
        for dialect in DIALECTS
    },
    "result": lambda room, data: messages.Result(room, "", data),
    "error": _refused,
}


def _room(element: Element) -> Event:
    data = _first(element, "data")
    kind = _needed(data, "class")
    reader = _DATA.get(kind)
    return (
        messages.Unknown(f"data of the class {kind[:80]!r}")
        if reader is None
        else reader(_needed(element, "roomId"), data)
    )


def _count(text: str | None) -> int | None:
    return None if text is None else number(text)


def _prepared(element: Element) -> Event:
    codes = tuple(code.text or "" for code in element.iterfind("reservation"))
    return messages.Prepared(_needed(element, "roomId"), codes)


_READERS: Final[Mapping[str, Callable[[Element], Event]]] = {
    "joined": lambda element: messages.Joined(_needed(element, "roomId")),
    "joinedGameRoom": lambda element: messages.JoinedGameRoom(
        _needed(element, "roomId"), element.get("existing") == "true", _count(element.get("playerCount"))
    ),
    "prepared": _prepared,
    "observed": lambda element: messages.Observed(_needed(element, "roomId")),
    "room": _room,
    "left": lambda element: messages.Left(_needed(element, "roomId")),
    "testing": lambda element: messages.Testing(_needed(element, "testMode") == "true"),
    "errorpacket": lambda element: messages.ErrorPacket(_needed(element, "message"), ""),
    "playerScore": lambda element: messages.PlayerScore("", _first(element, "score")),
    CLOSE_CONNECTION: lambda _element: messages.Closing(kick=True),
}


def read(element: Element) -> Event:
    """Return the event that a message of the server means. Raises RemoteProtocolError.

    Clients discard what the protocol does not define, so that a later version of it can add messages
    (docs/specs/software-challenge.md#what-the-seasons-clients-need).
    """
    reader = _READERS.get(element.tag)
    return messages.Unknown(f"the element {element.tag[:80]!r}") if reader is None else reader(element)


# Writing


def _slot(slot: messages.Slot) -> str:
    name = "" if slot.display_name is None else f" displayName={quoted(slot.display_name)}"
    timeout, paused = truth(value=slot.can_timeout), truth(value=slot.should_be_paused)
    return f"<slot{name} canTimeout={timeout} shouldBePaused={paused}/>"


def _prepare(event: messages.Prepare) -> str:
    record = "" if event.record is None else f" from={quoted(event.record)}"
    turn = "" if event.turn is None else f" turn={quoted(event.turn)}"
    slots = "".join(map(_slot, event.slots))
    return f"<prepare gameType={quoted(event.game_type)}{record}{turn}>{slots}</prepare>"


def _room_message(event: messages.RoomMessage) -> str:
    room = "" if event.room is None else f" roomId={quoted(event.room)}"
    data = "" if event.data is None else tostring(event.data, encoding="unicode")
    return f"<room{room}>{data}</room>"


_LAYOUTS: Final[Mapping[type[Event], Callable[[Any], str]]] = {
    messages.Join: lambda event: (
        "<join/>" if event.game_type is None else f"<join gameType={quoted(event.game_type)}/>"
    ),
    messages.JoinPrepared: lambda event: f"<joinPrepared reservationCode={quoted(event.code)}/>",
    messages.Authenticate: lambda event: f"<authenticate password={quoted(event.password)}/>",
    messages.Prepare: _prepare,
    messages.Observe: lambda event: f"<observe roomId={quoted(event.room)}/>",
    messages.Pause: lambda event: f"<pause roomId={quoted(event.room)} pause={truth(value=event.pause)}/>",
    messages.StepOn: lambda event: f"<step roomId={quoted(event.room)} forced={truth(value=event.forced)}/>",
    messages.Cancel: lambda event: f"<cancel roomId={quoted(event.room)}/>",
    messages.SetTimeout: lambda event: (
        f'<timeout roomId={quoted(event.room)} slot="{event.slot}" activate={truth(value=event.activate)}/>'
    ),
    messages.FreeReservation: lambda event: f"<freeReservation reservation={quoted(event.code)}/>",
    messages.TestMode: lambda event: f"<testMode testMode={truth(value=event.on)}/>",
    messages.ScoreForPlayer: lambda event: f"<scoreForPlayer displayName={quoted(event.display_name)}/>",
    messages.RoomMessage: _room_message,
}


@define(eq=False)
class ClientConnection:
    """The client's side of one connection."""

    _stream: XmlStream = field(factory=XmlStream)
    """What the server sends; it has the limits on messages."""

    dialect: Dialect = IN_2020
    """The dialect of the season; it is known when the game begins."""

    _outgoing: Outgoing = field(factory=Outgoing, init=False)
    _has_closed: bool = field(default=False, init=False)

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the server; empty bytes mean that it has closed."""
        self._stream.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Yield the server's messages; the last is `Closing`.

        Raises RemoteProtocolError; then the connection cannot be used any longer.
        """
        while not self._has_closed:
            element = self._stream.take()
            if element is not None:
                event = read(element)
            elif self._stream.closed:
                event = messages.Closing(kick=False)
            else:
                return
            self._has_closed = isinstance(event, messages.Closing)
            yield event

    def send(self, event: Event) -> bytes:
        """Return the bytes of an event for the server; none after `Leaving`."""
        if isinstance(event, messages.Leaving):
            return self._outgoing.say(line(f"<{self.dialect.farewell}/>")) + self._outgoing.end()
        layout = _LAYOUTS.get(type(event))
        if layout is None:
            raise LocalProtocolError(f"a client of the Software-Challenge cannot say {event!r}")
        return self._outgoing.say(line(layout(event)))

    def close(self) -> bytes:
        """Return the last bytes: the end tag; nothing after `Leaving`."""
        return self._outgoing.end()
