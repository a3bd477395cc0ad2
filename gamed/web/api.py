"""The API below /api/v1/: turns requests into calls, and every error into an answer in JSON.

Source: docs/reference/web-api.md#calls.
"""

# ruff: noqa: N815 (Twisted's name)

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias
from urllib.parse import unquote_to_bytes

from attrs import define
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET

from gamed.core.errors import GamedError
from gamed.web.answers import JSON, Answer, Call, Refusal, Route, find, permit, refusal_of
from gamed.web.compression import LEAST, gzipped, takes_gzip
from gamed.web.visitors import COOKIE, Visitors, check_origin, check_token

log = Logger()

PREFIX: Final = "/api/v1/"

FAULT: Final = Refusal(500, "fault", "internal error; the server's log has the details")


Compress: TypeAlias = Callable[[bytes], Deferred[bytes]]
"""Compresses a body without blocking the reactor."""


@define(eq=False)
class Exchange:
    """One request, which may be answered later: by then the browser may have closed the connection."""

    request: Any
    compress: Compress

    is_gone: bool = False
    """Whether the browser has closed the connection."""

    def __attrs_post_init__(self) -> None:
        self.request.notifyFinish().addErrback(self._lost)

    def _lost(self, _failure: Failure) -> None:
        self.is_gone = True

    def send(self, answer: Answer) -> None:
        """Send the answer, compressed if the browser accepts that."""
        body = answer.encoded()
        if len(body) < LEAST or not takes_gzip(self.request):
            self._write(answer, body, {})
            return
        compressed = self.compress(body).addCallback(partial(self._write, answer), extra={"content-encoding": "gzip"})
        compressed.addErrback(self.fail)

    def _write(self, answer: Answer, body: bytes, extra: Mapping[str, str]) -> None:
        if self.is_gone:
            return
        request = self.request
        request.setResponseCode(answer.status)
        request.setHeader(b"content-type", answer.mime.encode())
        request.setHeader(b"content-length", str(len(body)).encode())
        request.setHeader(b"vary", b"accept-encoding")
        for name, value in {**answer.headers, **extra}.items():
            request.setHeader(name.encode(), value.encode())
        request.write(body)
        request.finish()

    def fail(self, failure: Failure) -> None:
        """Send the error as an answer. An unexpected exception is logged, and affects only this request."""
        error = failure.value
        if isinstance(error, GamedError):
            self.send(refusal_of(error).answer())
            return
        log.failure("web: cannot answer {method} {path}", failure=failure, method=self.request.method, path=self.path)
        self.send(FAULT.answer())

    @property
    def path(self) -> str:
        """The path, shortened and escaped for the log."""
        return ascii(self.request.path[:200])


class Api(Resource):
    """Everything below /api."""

    isLeaf = True

    def __init__(self, routes: Sequence[Route], visitors: Visitors) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.routes = routes
        self.visitors = visitors
        self.compress: Compress = partial(maybeDeferred, gzipped)

    def render(self, request: Any) -> int:
        """Answer a request, either immediately or when its Deferred fires."""
        exchange = Exchange(request, self.compress)
        try:
            answer = self._answer(request)
        except Exception:  # noqa: BLE001 (any error affects only this request)
            exchange.fail(Failure())
        else:
            if isinstance(answer, Deferred):
                answer.addCallback(exchange.send).addErrback(exchange.fail)
            elif answer is not None:
                exchange.send(answer)
        return NOT_DONE_YET

    def _answer(self, request: Any) -> Any:
        """Return the answer or a Deferred of it; None if the route streams its answer itself. Raises GamedError."""
        headers = _headers(request)
        method = "GET" if request.method == b"HEAD" else request.method.decode("latin-1")
        path = _path(request)
        route, places = find(self.routes, path, method)
        check_origin(headers, method)
        name = _cookie_name(request)
        cookie = request.getCookie(name.encode())
        visitor = self.visitors.find(None if cookie is None else cookie.decode("latin-1"))
        if method != "GET":
            check_token(visitor, headers.get("x-gamed-token"))
        permit(route, visitor)
        body = None if method == "GET" else _body(request, route)
        address, port = request.origin
        if visitor.operator is not None:
            # An administrator's requests may come from different addresses; the audit log has that of each request.
            visitor.operator.address, visitor.operator.port = address, port
        secure, host = bool(request.isSecure()), headers.get("host", "")
        browser = headers.get("x-gamed-browser", "")
        query, key = _query(request), headers.get("x-gamed-key", "")
        call = Call(path, method, query, body, visitor, places, address, secure, name, port, host, browser, key)
        if not route.stream:
            return route.do(call)
        if request.method == b"HEAD":
            # A stream would never end, and a HEAD request wants only the headers.
            return Answer(mime="text/event-stream; charset=utf-8", raw=b"")
        stream: Any = route.do
        return stream(call, request)


def _headers(request: Any) -> Mapping[str, str]:
    found = {}
    for name, values in request.requestHeaders.getAllRawHeaders():
        found[name.lower().decode("latin-1")] = values[0].decode("latin-1")
    return found


def _path(request: Any) -> list[str]:
    """Return the segments of the path below the prefix, unquoted."""
    try:
        prefix, _, path = request.path.decode("ascii").partition(PREFIX)
        if not prefix:
            return [unquote_to_bytes(part).decode() for part in path.split("/")]
    except UnicodeDecodeError:
        pass
    raise Refusal(404, "not-found", "there is no such path", "/api/v1/openapi.json lists all paths")


def _query(request: Any) -> Mapping[str, str]:
    return {
        name.decode("utf-8", "replace"): values[-1].decode("utf-8", "replace") for name, values in request.args.items()
    }


def _cookie_name(request: Any) -> str:
    """Return the name of the session's cookie.

    Browsers send a host's cookies to all of its ports, so the name contains the port: two daemons on one host must not
    overwrite each other's cookies.
    """
    port = (request.getHeader(b"host") or b"").rpartition(b":")[2].decode("latin-1")
    if not re.fullmatch("[0-9]{1,5}", port):
        port = "443" if request.isSecure() else "80"
    return f"{COOKIE}-{port}"


def _body(request: Any, route: Route) -> Any:
    """Return the decoded body, or its bytes if the route takes a file. Raises Refusal."""
    body = request.content.read(route.most + 1)
    if len(body) > route.most:
        raise Refusal(413, "too-long", f"the body is longer than {route.most} bytes")
    if route.file:
        return body
    if not body:
        return {}
    if request.content_type.partition(";")[0].strip().lower() != JSON:
        raise Refusal(415, "type", f"the body must be JSON, with the content-type {JSON}")
    return parse_object(body)


def parse_object(body: bytes) -> dict[str, Any]:
    """Return a JSON object. Raises Refusal if it is nested too deeply or contains NaN or lone surrogates."""
    try:
        value = json.loads(body.decode(), parse_constant=_no_number)
        # A lone surrogate cannot be encoded as UTF-8 when the text is sent to others.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "json", "the body is not valid JSON", "see RFC 8259") from error
    if not isinstance(value, dict):
        raise Refusal(400, "json", "the body is not a JSON object", 'send {"name": value, …}')
    return value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not JSON")
