"""The universe dialect, for both sides: a registration, and then one datum a line.

Source: docs/specs/quoridor.md#framing, docs/specs/quoridor.md#registration-of-a-world,
docs/specs/quoridor.md#checklist, docs/reference/quoridor.md#what-worlds-send.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from attrs import define, evolve, field

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event, Unread
from gamed.core.refusals import Refusal
from gamed.games.quoridor.signup import Call
from gamed.wire.datums import Datum, Symbol, write
from gamed.wire.sexpr import DatumReader

OKAY: Final = (Symbol("OKAY"),)
"""The answer to a registration, and the first datum that a world gets."""

NAME_LENGTH: Final = 80
"""The most characters that are kept of a world's name, which may be any datum."""

REGISTRATION: Final = '(REGISTER ((name "student")))'
"""A registration, as an example."""

_SECOND: Final = Refusal(
    "second-datum",
    "only the first datum of a line counts, and the rest of this line was discarded",
    "one message a line, with a line feed after each",
)
_HALF: Final = "the connection ended within a message"
_LINE_FEED: Final = "a line feed, because the message is complete otherwise: call (newline) and (flush-output)"
_MEANS_NOTHING: Final = re.compile(r"\s*(?:;.*)?|\s*#\|.*\|#\s*")
_HTTP: Final = frozenset({"GET", "POST", "HEAD", "PUT", "OPTIONS", "CONNECT"})
_REGISTER: Final = Symbol("REGISTER")
_NAME: Final = Symbol("name")


@define
class Registered(Event):
    """A world has registered."""

    name: str
    """The characters of a string or symbol; of another datum, what `write` prints, or `?` if it is not written."""


@define
class Said(Event):
    """A world has sent a datum."""

    datum: Datum
    text: str = field(default="", eq=False)
    """The first characters of the message, as they came. It is shown when the message is refused."""


@define
class Accepted(Event):
    """The registration of a world is accepted."""


@define
class Told(Event):
    """A mail to a world."""

    call: Call

    id: int = 0
    """The id of the world that the mail is about, or 0."""

    move: str = "()"
    """The move as it is written in the mail, `()` for none."""


@define
class UniverseConnection:
    """The server's side of one connection."""

    is_answered: ClassVar[bool] = True

    _reader: DatumReader
    _is_registered: bool = False
    _second: bytes = b""
    """The last message with the rest of its line, if that rest must still be reported."""

    _has_ended: bool = False
    """Whether the world has closed, and an unfinished message must still be reported."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the world; empty bytes mean that it has closed."""
        self._has_ended = not data
        self._reader.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Yield `Registered`, then a `Said` for each datum, and an `Unread` for each part that is discarded.

        Raises RemoteProtocolError("no-registration") if the first datum is not a registration, and as DatumReader does.
        """
        if self._second:
            yield self._discarded()
        for datum, text, rest in self._reader.messages():
            # Change the state before the event: its receiver may stop taking events for now.
            if rest and not _MEANS_NOTHING.fullmatch(rest):
                self._second = text.rstrip().encode()
            if self._is_registered:
                yield Said(datum, text)
            else:
                self._is_registered = True
                yield Registered(_name(datum, text))
            if self._second:
                yield self._discarded()
        if self._has_ended and self.unfinished:
            self._has_ended = False
            yield Unread(Refusal("unfinished", _HALF, self.ending, self.unfinished))

    def _discarded(self) -> Unread:
        """Report the rest of the last message's line."""
        text, self._second = self._second, b""
        return Unread(evolve(_SECOND, text=text))

    def send(self, event: Event) -> bytes:
        """Return a line for the world."""
        if isinstance(event, Told):
            return f"({event.call.value} {event.id} {event.move})\n".encode()
        if isinstance(event, Accepted):
            return write(OKAY) + b"\n"
        raise LocalProtocolError(f"the universe dialect cannot say {event!r}")

    @property
    def begun(self) -> bool:
        """False: a world may take any time for a message, and the reception limits the time of a registration."""
        return False

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that has not ended."""
        return self._reader.unfinished

    @property
    def ending(self) -> str:
        """What is missing of that message."""
        return self._reader.ending or _LINE_FEED

    def close(self) -> bytes:
        """Return nothing: the dialect has no message for it."""
        return b""


def _name(datum: Datum, text: str) -> str:
    """Return the name in `(REGISTER ((name NAME)))`. Raises RemoteProtocolError("no-registration")."""
    match datum:
        case (first, ((second, name),)) if (first, second) == (_REGISTER, _NAME):
            return _called(name)
    raise RemoteProtocolError(
        f"{_no_registration(datum)}; the connection is closed",
        code="no-registration",
        hint=f"{REGISTRATION} and a line feed",
        text=text.rstrip().encode(),
    )


def _no_registration(datum: Datum) -> str:
    """Return what is wrong with the first datum."""
    word = datum[0] if isinstance(datum, tuple) and datum else datum
    if isinstance(word, Symbol) and word.name in _HTTP:
        return "this is an HTTP request, but this port is for worlds of Racket's 2htdp/universe"
    if word == _REGISTER:
        return "the registration has another form: the name must be in a list in a list"
    if isinstance(word, Symbol | str) and str(getattr(word, "name", word)).upper() == _REGISTER.name:
        return "the word REGISTER must be a symbol in capitals"
    return "the first message is not a registration"


def _called(name: Datum) -> str:
    if isinstance(name, Symbol):
        text = name.name
    elif isinstance(name, str):
        text = name
    else:
        try:
            text = write(name).decode()
        except LocalProtocolError:
            # It is, or has in it, a datum that is not written, such as a vector.
            text = "?"
    return text if len(text) <= NAME_LENGTH else text[: NAME_LENGTH - 1] + "…"


def registration(name: str) -> bytes:
    """Return the registration of a world."""
    return write((_REGISTER, ((_NAME, name),))) + b"\n"


def message(*elements: Datum) -> bytes:
    """Return a message of a world: a list of these elements."""
    return write(elements) + b"\n"


@define
class WorldConnection:
    """The world's side of one connection. Its events are `Accepted`, and then a `Said` for each mail."""

    _reader: DatumReader
    _is_accepted: bool = field(default=False)

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the universe; empty bytes mean that it has closed."""
        self._reader.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Yield `Accepted`, and then a `Said` for each mail.

        Raises RemoteProtocolError("not-accepted") if the first datum is not `(OKAY)`, and as DatumReader does.
        """
        for datum, _, _ in self._reader.messages():
            if self._is_accepted:
                yield Said(datum)
            elif datum != OKAY:
                raise RemoteProtocolError("the server does not answer as a universe", code="not-accepted")
            else:
                self._is_accepted = True
                yield Accepted()
