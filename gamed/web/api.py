"""The API below /api/v1/: requests become calls, and whatever goes wrong becomes an answer in JSON.

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

FAULT: Final = Refusal(500, "fault", "this is a fault of gamed's own; the log has it")


Compress: TypeAlias = Callable[[bytes], Deferred[bytes]]
"""Compresses a body, where it keeps nothing else waiting."""


@define(eq=False)
class Exchange:
    """A request and its answer."""

    request: Any
    compress: Compress
    # Whether the browser has closed the connection.
    is_gone: bool = False

    def __attrs_post_init__(self) -> None:
        self.request.notifyFinish().addErrback(self._lost)

    def _lost(self, _failure: Failure) -> None:
        self.is_gone = True

    def send(self, answer: Answer) -> None:
        """Answer."""
        body = answer.encoded()
        if len(body) < LEAST or not takes_gzip(self.request):
            self._write(answer, body, {})
            return
        compressed = self.compress(body).addCallback(partial(self._write, answer), more={"content-encoding": "gzip"})
        compressed.addErrback(self.fail)

    def _write(self, answer: Answer, body: bytes, more: Mapping[str, str]) -> None:
        if self.is_gone:
            return
        request = self.request
        request.setResponseCode(answer.status)
        request.setHeader(b"content-type", answer.mime.encode())
        request.setHeader(b"content-length", str(len(body)).encode())
        request.setHeader(b"vary", b"accept-encoding")
        for name, value in {**answer.headers, **more}.items():
            request.setHeader(name.encode(), value.encode())
        request.write(body)
        request.finish()

    def fail(self, failure: Failure) -> None:
        """Answer with what went wrong; a fault of ours costs this answer, and nothing else."""
        error = failure.value
        if isinstance(error, GamedError):
            self.send(refusal_of(error).answer())
            return
        log.failure("web: cannot answer {method} {path}", failure=failure, method=self.request.method, path=self.path)
        self.send(FAULT.answer())

    @property
    def path(self) -> str:
        """The path, for the log."""
        return ascii(self.request.path[:200])


class Api(Resource):
    """All that stands below /api."""

    isLeaf = True

    def __init__(self, routes: Sequence[Route], visitors: Visitors) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.routes = routes
        self.visitors = visitors
        self.compress: Compress = partial(maybeDeferred, gzipped)

    def render(self, request: Any) -> int:
        """Answer a request, at once or later."""
        exchange = Exchange(request, self.compress)
        try:
            answer = self._answer(request)
        except Exception:  # noqa: BLE001 (whatever it is, it costs this answer alone)
            exchange.fail(Failure())
        else:
            if isinstance(answer, Deferred):
                answer.addCallback(exchange.send).addErrback(exchange.fail)
            elif answer is not None:
                exchange.send(answer)
        return NOT_DONE_YET

    def _answer(self, request: Any) -> Any:
        """Return the answer, a Deferred of it, or None where it comes bit by bit. Raises GamedError."""
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
            # Each request may come from elsewhere, and the audit log says from where.
            visitor.operator.address, visitor.operator.port = address, port
        secure, host = bool(request.isSecure()), headers.get("host", "")
        call = Call(path, method, _query(request), body, visitor, places, address, secure, name, port, host)
        if not route.stream:
            return route.do(call)
        if request.method == b"HEAD":
            return Answer(mime="text/event-stream; charset=utf-8", raw=b"")
        stream: Any = route.do
        return stream(call, request)


def _headers(request: Any) -> Mapping[str, str]:
    found = {}
    for name, values in request.requestHeaders.getAllRawHeaders():
        found[name.lower().decode("latin-1")] = values[0].decode("latin-1")
    return found


def _path(request: Any) -> list[str]:
    """Return the parts of the path below the prefix."""
    try:
        prefix, _, path = request.path.decode("ascii").partition(PREFIX)
        if not prefix:
            return [unquote_to_bytes(part).decode() for part in path.split("/")]
    except UnicodeDecodeError:
        pass
    raise Refusal(404, "not-found", "there is nothing here", "/api/v1/openapi.json lists what there is")


def _query(request: Any) -> Mapping[str, str]:
    return {
        name.decode("utf-8", "replace"): values[-1].decode("utf-8", "replace") for name, values in request.args.items()
    }


def _cookie_name(request: Any) -> str:
    """Return what the session's cookie is called.

    Browsers send cookies to all ports of a host. The port in the name keeps the daemons of a host apart.
    """
    port = (request.getHeader(b"host") or b"").rpartition(b":")[2].decode("latin-1")
    if not re.fullmatch("[0-9]{1,5}", port):
        port = "443" if request.isSecure() else "80"
    return f"{COOKIE}-{port}"


def _body(request: Any, route: Route) -> Any:
    """Return what the body says. Raises Refusal."""
    body = request.content.read(route.most + 1)
    if len(body) > route.most:
        raise Refusal(413, "too-long", f"a body has at most {route.most} bytes here")
    if route.file:
        return body
    if not body:
        return {}
    if request.content_type.partition(";")[0].strip().lower() != JSON:
        raise Refusal(415, "type", f"the body is {JSON}, and its content-type says so")
    return parsed(body)


def parsed(body: bytes) -> dict[str, Any]:
    """Return a JSON object that is what it seems: no endless nesting, no half characters. Raises Refusal."""
    try:
        value = json.loads(body.decode(), parse_constant=_no_number)
        # Half a character (a lone surrogate) could not be sent on.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "json", "the body is not JSON", "RFC 8259 says what is") from error
    if not isinstance(value, dict):
        raise Refusal(400, "json", "the body is not an object", 'write {"name": value, …}')
    return value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON")
