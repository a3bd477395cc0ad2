"""The universe dialect: one datum a line, a registration first; both sides of it.

Source: docs/specs/quoridor.md#framing, docs/specs/quoridor.md#registration-of-a-world,
docs/specs/quoridor.md#checklist, docs/reference/quoridor.md#what-worlds-send.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attrs import define, evolve, field

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event, Unread
from gamed.core.refusals import Refusal
from gamed.games.quoridor.signup import Call
from gamed.wire.datums import Datum, Symbol, write
from gamed.wire.sexpr import DatumReader

OKAY: Final = (Symbol("OKAY"),)
"""The answer to a registration, and the first thing that a world is told."""

NAME_LENGTH: Final = 80
"""How many characters are kept of a world's name, which may be any datum."""

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
    """A world has registered. `name`: the characters of a string or symbol, or what `write` prints of another datum."""

    name: str


@define
class Said(Event):
    """A world has sent a datum. `text`: its message as it came, or the beginning of it; it says nothing more."""

    datum: Datum
    text: str = field(default="", eq=False)


@define
class Accepted(Event):
    """A world is told that its registration is accepted."""


@define
class Told(Event):
    """A world is told something. `id`: a world's, or 0; `move`: as it stands in the mail, `()` for none."""

    call: Call
    id: int = 0
    move: str = "()"


@define
class UniverseConnection:
    """The server's side of one connection."""

    _reader: DatumReader
    _is_registered: bool = False
    _second: bytes = b""
    """The last message with the rest of its line, if that is still to be told of."""
    _has_ended: bool = False

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the world; empty bytes mean that it has closed."""
        self._has_ended = not data
        self._reader.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Yield `Registered`, then a `Said` for each datum, and `Unread` for what is discarded of messages.

        Raises RemoteProtocolError("no-registration") if the first datum is not a registration, and as DatumReader does.
        """
        yield from self._discarded()
        for datum, text, rest in self._reader.messages():
            # All before the event: who takes it may take no more for now.
            if rest and not _MEANS_NOTHING.fullmatch(rest):
                self._second = text.rstrip().encode()
            if self._is_registered:
                yield Said(datum, text)
            else:
                self._is_registered = True
                yield Registered(_name(datum, text))
            yield from self._discarded()
        if self._has_ended and self.unfinished:
            self._has_ended = False
            yield Unread(Refusal("unfinished", _HALF, self.ending, self.unfinished))

    def _discarded(self) -> Iterator[Unread]:
        """Yield what was discarded of the line of the last message."""
        text, self._second = self._second, b""
        if text:
            yield Unread(evolve(_SECOND, text=text))

    def send(self, event: Event) -> bytes:
        """Return a line for the world."""
        if isinstance(event, Told):
            return f"({event.call.value} {event.id} {event.move})\n".encode()
        if isinstance(event, Accepted):
            return write(OKAY) + b"\n"
        raise LocalProtocolError(f"the universe dialect cannot say {event!r}")

    @property
    def begun(self) -> bool:
        """Whether a datum must end soon: worlds may take any time, and the registration's is the reception's affair."""
        return False

    @property
    def unfinished(self) -> bytes:
        """The beginning of a message that has not ended."""
        return self._reader.unfinished

    @property
    def ending(self) -> str:
        """What is missing of it."""
        return self._reader.ending or _LINE_FEED

    def close(self) -> bytes:
        """Say nothing: there is no word for it."""
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
            # A vector, say, which nobody writes.
            text = "?"
    return text if len(text) <= NAME_LENGTH else text[: NAME_LENGTH - 1] + "…"


def registration(name: str) -> bytes:
    """Return what a world registers with."""
    return write((_REGISTER, ((_NAME, name),))) + b"\n"


def message(*elements: Datum) -> bytes:
    """Return what a world sends."""
    return write(elements) + b"\n"


@define
class WorldConnection:
    """The world's side of one connection: it tells `Accepted`, then what the universe sends, as data."""

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
