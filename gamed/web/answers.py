"""What the API answers, what it refuses, and which request goes where: one mechanism for all its parts.

Source: docs/reference/web-api.md#calls. A part of the API (rooms, seats, records, recordings) has `routes`, a list of
`Route`; `find` and `permit` say which one a request goes to. Who handles a request returns an `Answer`, a Deferred of
one, or raises `Refusal`; any other GamedError becomes a refusal by `refusal_of`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from attrs import field, frozen

from gamed.core.errors import DiskError, GamedError, RoomError, RuleError, StoreError, UnknownRecord

JSON: Final = "application/json"

MOST_JSON: Final = 64 * 1024
"""Bytes of a body of JSON."""

MOST_IMPORT: Final = 1024 * 1024
"""Bytes of a body that is a record's file."""


@frozen
class Answer:
    """An answer: `body` as JSON, or, where `raw` is not None, those bytes as `mime`. `headers`: further ones."""

    status: int = 200
    body: Any = None
    raw: bytes | None = None
    mime: str = JSON
    headers: Mapping[str, str] = field(factory=dict)

    def encoded(self) -> bytes:
        """Return the bytes of the body."""
        return dumped(self.body) if self.raw is None else self.raw


def dumped(value: Any) -> bytes:
    """Return a value as JSON: compact, in ASCII, so that no character of a name can mean anything to a parser."""
    return json.dumps(value, separators=(",", ":")).encode()


def download(name: str, raw: bytes, mime: str) -> Answer:
    """Return a file that is to be saved. `name`: of ASCII letters, digits, `.`, `-` and `_`."""
    return Answer(raw=raw, mime=mime, headers={"content-disposition": f'attachment; filename="{name}"'})


class Refusal(GamedError):  # noqa: N818 (what it is, as the other errors are named)
    """A request that is refused: an HTTP status, a stable code, what is wrong, and what to do instead.

    `headers`: further ones of the answer. `record`: the id of the record that a room has become.
    """

    def __init__(  # noqa: PLR0913 (what an answer consists of)
        self,
        status: int,
        code: str,
        text: str,
        hint: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        record: str | None = None,
    ) -> None:
        super().__init__(text)
        self.status, self.code, self.text, self.hint = status, code, text, hint
        self.headers: Mapping[str, str] = headers or {}
        self.record = record

    def answer(self) -> Answer:
        """Return the answer that says so."""
        error = {"code": self.code, "text": self.text, "hint": self.hint}
        if self.record is not None:
            error["record"] = self.record
        return Answer(self.status, {"error": error}, headers=self.headers)


_STATUSES: Final[tuple[tuple[type[GamedError], int, str, str], ...]] = (
    (UnknownRecord, 404, "no-record", ""),
    (RoomError, 409, "room", ""),
    (DiskError, 503, "disk", "try again in a while"),
    (StoreError, 503, "store", "try again in a while"),
)


def refusal_of(error: GamedError) -> Refusal:
    """Return the refusal that an error of gamed means to a browser."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, RuleError):
        return Refusal(409, error.code, str(error))
    for kind, status, code, hint in _STATUSES:
        if isinstance(error, kind):
            return Refusal(status, code, str(error), hint)
    return Refusal(400, getattr(error, "code", "refused"), str(error), getattr(error, "hint", ""))


class Visitor(Protocol):
    """Who asks."""

    @property
    def id(self) -> str:
        """What the session is known by; secret to others."""

    @property
    def admin(self) -> bool:
        """Whether the console's user has logged in."""


@frozen
class Call:
    """A request as it is handled.

    `path`: the parts below /api/v1/, unquoted. `query`: each name's last value. `body`: of a POST, what the JSON says,
    or the bytes where the route takes a file; else None. `visitor`: the session; `places`: what stands in the path
    where the route has `{…}`. `address`: of the browser; `secure`: whether it came by TLS.
    """

    path: Sequence[str]
    method: str
    query: Mapping[str, str]
    body: Any
    visitor: Any
    places: Mapping[str, str] = field(factory=dict)
    address: str = ""
    secure: bool = False
    cookie: str = ""
    """The name of the session's cookie."""
    port: int | None = None
    """The browser's; None if a reverse proxy tells its address."""

    host: str = ""
    """What the browser calls this host, with the port."""

    def text(self, name: str, default: str = "") -> str:
        """Return a text of the body. Raises Refusal: it is something else."""
        found = self.value(name, str)
        return default if found is None else str(found)

    def value(self, name: str, kind: type) -> Any:
        """Return a value of the body, None if it is left out. Raises Refusal: it is of another type."""
        found = self.body.get(name) if isinstance(self.body, dict) else None
        # True is an int to Python.
        if found is None or (isinstance(found, kind) and not (kind is int and isinstance(found, bool))):
            return found
        raise Refusal(400, "type", f"{name} is not of the type {kind.__name__}", "openapi.json describes the body")

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """Return a number of the query. Raises Refusal: it is none, or out of bounds."""
        text = self.query.get(name)
        if text is None:
            return default
        try:
            found = int(text) if len(text) < 20 else least - 1  # noqa: PLR2004 (more digits than any bound has)
        except ValueError:
            found = least - 1
        if not least <= found <= most:
            raise Refusal(400, "number", f"{name} is a number from {least} to {most}")
        return found


Do = Callable[..., Any]
"""Handles a Call: returns an Answer or a Deferred of one; raises GamedError."""


@frozen
class Route:
    """One thing that can be asked for. `path`: below /api/v1/, as "rooms/{id}/pause".

    `admin`: only for whoever has logged in. `file`: the body is bytes, not JSON. `stream`: `do` takes the request, too,
    and answers bit by bit.
    """

    method: str
    path: str
    do: Do
    admin: bool = False
    file: bool = False
    stream: bool = False

    @property
    def most(self) -> int:
        """How many bytes a body may have."""
        return MOST_IMPORT if self.file else MOST_JSON

    def match(self, path: Sequence[str]) -> Mapping[str, str] | None:
        """Return what stands at the places of the path, or None if it is another path."""
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
    """Return the route of a request, and what stands at its places. Raises Refusal: 404, or 405 with `allow`."""
    allowed = []
    for route in routes:
        places = route.match(path)
        if places is None:
            continue
        if route.method == method:
            return route, places
        allowed.append(route.method)
    if not allowed:
        raise Refusal(404, "not-found", "there is nothing here", "/api/v1/openapi.json lists what there is")
    allow = ", ".join(sorted(set(allowed)))
    raise Refusal(405, "method", f"{method} cannot be done here", f"allowed: {allow}", headers={"allow": allow})


def permit(route: Route, visitor: Visitor) -> None:
    """Raise Refusal if a visitor may not do this."""
    if route.admin and not visitor.admin:
        raise Refusal(401, "login", "this is for the administrator", "POST /api/v1/session/login")
