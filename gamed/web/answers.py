"""Routes, calls, answers and refusals of the API.

Source: docs/reference/web-api.md#calls. Each part of the API (rooms, seats, records, recordings) has `routes`, a list
of `Route`. `find` returns the route of a request, and `permit` checks that the visitor may use it. A route's function
returns an `Answer` or a Deferred of one, or raises `Refusal`. `refusal_of` turns any other GamedError into a refusal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from attrs import field, frozen

from gamed.core.errors import DiskError, GamedError, RoomError, RuleError, StoreError, UnknownRecord

JSON: Final = "application/json"
"""The media type."""

MOST_JSON: Final = 64 * 1024
"""The maximal size of a JSON body, in bytes."""

MOST_IMPORT: Final = 1024 * 1024
"""The maximal size of an uploaded record, in bytes."""


@frozen
class Answer:
    """An answer to a request."""

    status: int = 200
    """The HTTP status."""

    body: Any = None
    """A value that is encoded as JSON, unless there is a `raw` body."""

    raw: bytes | None = None
    """The body as it is sent."""

    mime: str = JSON
    """The media type of the body."""

    headers: Mapping[str, str] = field(factory=dict)
    """Additional headers."""

    def encoded(self) -> bytes:
        """Return the bytes of the body."""
        return to_json(self.body) if self.raw is None else self.raw


def to_json(value: Any) -> bytes:
    """Return a value as compact JSON. It is ASCII, so no character of a name can end a line of an event stream."""
    return _encode(value).encode()


_encode: Final = json.JSONEncoder(separators=(",", ":")).encode
"""`json.dumps` would make a new encoder each time."""


def download(name: str, raw: bytes, mime: str) -> Answer:
    """Return an answer that the browser saves as a file. `name` has only ASCII letters, digits, `.`, `-` and `_`."""
    return Answer(raw=raw, mime=mime, headers={"content-disposition": f'attachment; filename="{name}"'})


class Refusal(GamedError):  # noqa: N818 (named for what it means, as the other errors are)
    """A request is refused: an HTTP status, a stable code, what is wrong, and a hint what to do instead.

    `headers` are added to the answer. `record` is the id of the record if the request names a room that has ended,
    `room` that of the room where to go instead.
    """

    def __init__(  # noqa: PLR0913 (the parts of an error answer)
        self,
        status: int,
        code: str,
        text: str,
        hint: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        record: str | None = None,
        room: str | None = None,
    ) -> None:
        super().__init__(text)
        self.status, self.code, self.text, self.hint = status, code, text, hint
        self.headers: Mapping[str, str] = headers or {}
        self.places = {name: value for name, value in (("record", record), ("room", room)) if value is not None}

    def answer(self) -> Answer:
        """Return the answer that is sent."""
        error = {"code": self.code, "text": self.text, "hint": self.hint, **self.places}
        return Answer(self.status, {"error": error}, headers=self.headers)


def not_shown() -> Refusal:
    """Return the refusal of a room or record that is withheld (`Lobby.withheld`)."""
    return Refusal(403, "withheld", "this game is shown when both games of its pair are over", "come back later")


_STATUSES: Final[tuple[tuple[type[GamedError], int, str, str], ...]] = (
    (UnknownRecord, 404, "no-record", ""),
    (RoomError, 409, "room", ""),
    (DiskError, 503, "disk", "try again later"),
    (StoreError, 503, "store", "try again later"),
)


def refusal_of(error: GamedError) -> Refusal:
    """Return the refusal for any of gamed's errors."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, RuleError):
        return Refusal(409, error.code, str(error))
    for kind, status, code, hint in _STATUSES:
        if isinstance(error, kind):
            return Refusal(status, code, str(error), hint)
    return Refusal(400, getattr(error, "code", "refused"), str(error), getattr(error, "hint", ""))


class Visitor(Protocol):
    """The session that a request belongs to."""

    @property
    def id(self) -> str:
        """The session's id, which others do not know."""

    @property
    def admin(self) -> bool:
        """Whether an administrator has logged in."""


@frozen
class Call:
    """A request, decoded."""

    path: Sequence[str]
    """The segments below /api/v1/, unquoted."""

    method: str
    """The HTTP method; GET for a HEAD request."""

    query: Mapping[str, str]
    """The parameters of the query. If a name is repeated, its last value counts."""

    body: Any
    """The JSON object of the body, or its bytes if the route takes a file; None for a GET."""

    visitor: Any
    """The session."""

    places: Mapping[str, str] = field(factory=dict)
    """The path parameters: the segments where the route has `{…}`."""

    address: str = ""
    """The browser's IP address."""

    secure: bool = False
    """Whether the request came over TLS."""

    cookie: str = ""
    """The name of the session's cookie."""

    port: int | None = None
    """The browser's port; None if the address was taken from a reverse proxy's header."""

    host: str = ""
    """The Host header: this host's name as the browser knows it, with the port."""

    browser: str = ""
    """The header X-Gamed-Browser: the browser's key; see `Visitor.browser`."""

    key: str = ""
    """The header X-Gamed-Key: the key that opens evidence."""

    def text(self, name: str, default: str = "") -> str:
        """Return a string of the body. Raises Refusal if it is of another type."""
        found = self.value(name, str)
        return default if found is None else str(found)

    def value(self, name: str, kind: type) -> Any:
        """Return a value of the body; None if it is missing. Raises Refusal if it is of another type."""
        found = self.body.get(name) if isinstance(self.body, dict) else None
        # True is an int in Python.
        if found is None or (isinstance(found, kind) and not (kind is int and isinstance(found, bool))):
            return found
        raise Refusal(400, "type", f"{name} must be {_JSON_TYPES[kind]}", "openapi.json describes the body")

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """Return an integer of the query. Raises Refusal if it is not an integer between `least` and `most`."""
        text = self.query.get(name)
        if text is None:
            return default
        try:
            # int() takes quadratic time, and no bound has so many digits.
            found = int(text) if len(text) < 20 else least - 1  # noqa: PLR2004 (see above)
        except ValueError:
            found = least - 1
        if not least <= found <= most:
            raise Refusal(400, "number", f"{name} must be a number from {least} to {most}")
        return found


_JSON_TYPES: Final = {str: "a string", int: "an integer", bool: "true or false", list: "an array", dict: "an object"}


Do = Callable[..., Any]
"""Handles a Call: returns an Answer or a Deferred of one; raises GamedError."""


@frozen
class Route:
    """A method and a path of the API, and the function that handles it."""

    method: str

    path: str
    """The path below /api/v1/, for example "rooms/{id}/pause"."""

    do: Do

    admin: bool = False
    """Whether only an administrator may use it."""

    file: bool = False
    """Whether the body is a file, which `do` gets as bytes, instead of JSON."""

    stream: bool = False
    """Whether `do` also gets Twisted's request and sends an event stream on it."""

    @property
    def most(self) -> int:
        """The maximal size of the body, in bytes."""
        return MOST_IMPORT if self.file else MOST_JSON

    def match(self, path: Sequence[str]) -> Mapping[str, str] | None:
        """Return the path parameters, or None if the path is a different one."""
        parts = self.path.split("/")
        if len(parts) != len(path):
            return None
        places: dict[str, str] = {}
        for part, word in zip(parts, path, strict=True):
            if part.startswith("{"):
                places[part[1:-1]] = word
            elif part != word:
                return None
        return places


def find(routes: Iterable[Route], path: Sequence[str], method: str) -> tuple[Route, Mapping[str, str]]:
    """Return the route of a request and its path parameters. Raises Refusal: 404, or 405 with `allow`."""
    allowed = []
    for route in routes:
        places = route.match(path)
        if places is None:
            continue
        if route.method == method:
            return route, places
        allowed.append(route.method)
    if not allowed:
        raise Refusal(404, "not-found", "there is no such path", "/api/v1/openapi.json lists all paths")
    allow = ", ".join(sorted(set(allowed)))
    raise Refusal(405, "method", f"{method} is not allowed here", f"allowed: {allow}", headers={"allow": allow})


def permit(route: Route, visitor: Visitor) -> None:
    """Raise Refusal if a visitor may not use this route."""
    if route.admin and not visitor.admin:
        raise Refusal(401, "login", "only an administrator may do this", "log in: POST /api/v1/session/login")
