"""The site of the web listener: the pages, the API, `/schemas/`, `/metrics`, `/healthz` and `/readyz`.

Source: docs/reference/metrics.md, docs/reference/records.md#the-base-format. All answers have strict headers. The site
listens on loopback unless it is configured otherwise. It limits the number of connections, the size of bodies, and the
time in which a request must arrive.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from io import BytesIO
from typing import Any, Final

from attrs import define
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from twisted.internet.interfaces import IAddress, IDelayedCall
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web import pages
from twisted.web.http import HTTPChannel
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from gamed.config import WebConfig
from gamed.net.addresses import host_of, port_of
from gamed.net.fair_queue import FairQueue
from gamed.net.limits import ConnectionLimits
from gamed.net.tls import refuse_handshake
from gamed.web.answers import MOST_IMPORT, Answer, Refusal
from gamed.web.proxies import Networks, client_address
from gamed.web.static_files import INDEX, StaticFiles, all_files, all_schemas, is_page

HEADERS: Mapping[bytes, bytes] = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}

SLOW_SECONDS = 20
"""The idle timeout of a connection, in seconds."""

COME_WITHIN: Final = 30.0
"""Seconds in which a request must arrive completely, even if some of its bytes arrive all the time."""

SWEEP: Final = 5.0
"""Seconds between two checks for requests that have taken too long."""

READ: Final = 16 * 1024 * 1024
"""How many bytes of a body that is too long are read and discarded. A browser reads the refusal only after it has sent
the whole body; if the connection were closed before, it would show a network error."""

_PORT: Final = re.compile(rb":[^\]:]*\Z")
"""The port at the end of a Host header. The colons of an IPv6 address are in brackets."""

BANNED: Final = Refusal(403, "banned", "this address is banned")

TOO_LONG: Final = Refusal(413, "too-long", f"the body is longer than {MOST_IMPORT} bytes")

NOT_TEXT: Final = Refusal(400, "header", "a header of the request is not UTF-8")

Problems = Callable[[], Mapping[str, str]]
"""Returns a sentence for each part of the daemon that has a problem."""

Handler = Callable[[Any], tuple[str, bytes]]
"""Takes a request and returns the media type and the body of its answer."""


class Page(Resource):
    """A page without child resources, which is read by GET or HEAD."""

    isLeaf = True

    def __init__(self, answer: Handler) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.answer = answer

    def render(self, request: Any) -> bytes:
        """Answer a GET or HEAD request; refuse other methods."""
        if request.method not in (b"GET", b"HEAD"):
            request.setResponseCode(405)
            request.setHeader(b"allow", b"GET, HEAD")
            return b""
        content_type, body = self.answer(request)
        request.setHeader(b"content-type", content_type.encode())
        return body


@define
class Metrics:
    """The metrics, in the format that the scraper asks for."""

    registry: CollectorRegistry

    def __call__(self, request: Any) -> tuple[str, bytes]:
        """Collect the metrics and return them as text."""
        encode, content_type = choose_encoder(request.getHeader("accept") or "")
        return content_type, encode(self.registry)


@define
class Health:
    """A health check: answers 200, or 503 with a list of problems."""

    problems: Problems

    warnings: Problems = dict
    """What an administrator should look into, for example a damaged file of the journal. A warning does not cause a
    503: players can still be served, and a load balancer would take the daemon out of service."""

    def __call__(self, request: Any) -> tuple[str, bytes]:
        """Check, and return the result as JSON."""
        problems = dict(self.problems())
        request.setResponseCode(503 if problems else 200)
        body = {"ok": not problems, "problems": problems, "warnings": dict(self.warnings())}
        return "application/json", json.dumps(body).encode() + b"\n"


class Root(Resource):
    """The root resource of the site. Without an `api`, there are no pages either."""

    def __init__(
        self,
        registry: CollectorRegistry,
        readiness: Problems,
        api: Resource | None = None,
        warnings: Problems = dict,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.putChild(b"metrics", Page(Metrics(registry)))
        self.putChild(b"healthz", Page(Health(dict)))
        self.putChild(b"readyz", Page(Health(readiness, warnings)))
        self.shell: Resource | None = None
        self.files = all_files()
        if api is not None:
            self.putChild(b"api", api)
            self.putChild(b"static", StaticFiles(self.files))
            self.putChild(b"favicon.ico", StaticFiles(self.files, "icon.svg"))
            self.putChild(b"schemas", StaticFiles(all_schemas(), start="index.xml"))
            self.shell = StaticFiles(self.files, INDEX)

    def getChild(self, _path: bytes, request: Any) -> Any:
        """Return the HTML page. If its router does not know the path, the status is 404, and programs get less."""
        is_known = is_page(request.path)
        if not is_known:
            request.setResponseCode(404)
        if self.shell is not None and (is_known or b"text/html" in (request.getHeader(b"accept") or b"")):
            return self.shell
        return pages.notFound("Not found", "The start page is at /. Programs can read /metrics, /healthz and /readyz.")


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _origin(request: Any, proxies: Networks) -> tuple[str, int | None]:
    peer = request.getClientAddress()
    lines = request.requestHeaders.getRawHeaders(b"x-forwarded-for", ())
    address = client_address(host_of(peer), (line.decode("latin-1") for line in lines), proxies)
    return address, port_of(peer) if address == host_of(peer) else None


class GuardedRequest(Request):
    """A request that is checked before it is answered: its host, its address, its encoding and its length."""

    length = 0
    """Bytes of the body so far."""

    content_type = ""

    is_text = True
    """Whether all headers are UTF-8. Twisted raises UnicodeDecodeError where it decodes one that is not."""

    origin: tuple[str, int | None] = ("local", None)
    """The browser's address and port; no port if the address was taken from a reverse proxy's header."""

    def gotLength(self, _length: int | None) -> None:
        """Collect the body in memory. Twisted would write a long body to a temporary file."""
        self.content = BytesIO()

    def handleContentChunk(self, data: bytes) -> None:
        """Collect a part of the body; discard the body if it is longer than any route accepts."""
        request: Any = self
        self.length += len(data)
        if self.length <= MOST_IMPORT:
            request.content.write(data)
        elif self.length > READ:
            request.channel.transport.abortConnection()
        else:
            self.content = BytesIO()

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """Handle a request that has arrived completely."""
        # Without a content type Twisted does not parse the body as a form.
        request: Any = self
        self.is_text = all(_is_utf8(b"".join(values)) for _, values in request.requestHeaders.getAllRawHeaders())
        self.content_type = (request.getHeader(b"content-type") or b"").decode("latin-1")
        request.requestHeaders.removeHeader("content-type")
        self.origin = _origin(request, request.channel.site.proxies)
        super().requestReceived(command, path, version)  # type: ignore[no-untyped-call]

    def setResponseCode(self, code: int, message: bytes | None = None) -> None:
        """Set the status, with the standard phrase: Twisted does not know the newer ones."""
        super().setResponseCode(code, message or HTTPStatus(code).phrase.encode())

    def process(self) -> None:
        """Put the request into the fair queue: one connection may pipeline many, and many may arrive at once."""
        # Twisted's requests have no types.
        request: Any = self
        request.channel.arrived()
        request.channel.site.fair_queue.enter(self)

    def serve(self, _until: float) -> bool:
        """Answer the request, unless its connection is closed. Return False: nothing of it remains in the queue."""
        if self.channel is not None:
            self._answer()
        return False

    def _answer(self) -> None:
        request: Any = self
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        request.setHeader(b"content-security-policy", request.channel.site.policy)
        # DNS rebinding: a page of another site may reach this server under a host name of its own.
        host = _PORT.sub(b"", request.getHeader(b"host") or b"").strip(b"[]").decode("latin-1")
        if host not in request.channel.site.hosts:
            text = f"This server has no host name {host!r}; [web] hosts in its configuration lists its names.\n"
            self._refuse(Answer(421, raw=text.encode(), mime="text/plain; charset=utf-8"))
        elif request.channel.site.is_banned(self.origin[0]):
            self._refuse(BANNED.answer())
        elif not self.is_text:
            self._refuse(NOT_TEXT.answer())
        elif self.length > MOST_IMPORT:
            self._refuse(TOO_LONG.answer())
        else:
            super().process()  # type: ignore[no-untyped-call]

    def _refuse(self, answer: Answer) -> None:
        request: Any = self
        request.setResponseCode(answer.status)
        request.setHeader(b"content-type", answer.mime.encode())
        request.write(answer.encoded())
        request.finish()

    def finish(self) -> None:
        """End the answer. If the connection stays open, its next request must arrive in time, too."""
        channel: Any = self.channel
        super().finish()  # type: ignore[no-untyped-call]
        if channel is not None:
            channel.wait()


class Channel(HTTPChannel):
    """A connection that speaks HTTP/1.1 only."""

    site: Any
    """The `WebSite`, which sets itself here."""

    host: str | None = None
    """The peer's address if the connection counts for the limits; set by the site."""

    def connectionMade(self) -> None:
        """Wait for the first request."""
        super().connectionMade()  # type: ignore[no-untyped-call]
        self.wait()

    def wait(self) -> None:
        """Begin to wait for the next request."""
        if self.transport is not None:
            self.site.wait_for(self)

    def arrived(self) -> None:
        """Stop waiting: the request has arrived."""
        self.site.waiting.pop(self, None)

    def lineLengthExceeded(self, _line: bytes) -> None:
        """Refuse a request with a first line or a header that is too long."""
        # Twisted adds a request to the list when its first line is complete.
        status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE if self.requests else HTTPStatus.REQUEST_URI_TOO_LONG
        transport: Any = self.transport
        transport.write(f"HTTP/1.1 {status} {status.phrase}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        self.loseConnection()  # type: ignore[no-untyped-call]

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Count the connection as closed, and log why its TLS handshake failed."""
        super().connectionLost(reason)  # type: ignore[no-untyped-call]
        if self.host is not None:
            refuse_handshake(self.site.limits, self.host, reason)
        self.site.closed(self)


def _ignore(_settings: WebConfig) -> None:
    """Ignore changed settings, until `WebSite.configure` is set."""


def policy(frame_ancestors: str) -> bytes:
    """Return the content security policy. `frame_ancestors`: as in the configuration."""
    ancestors = " ".join(frame_ancestors.split()) or "'none'"
    return f"default-src 'self'; frame-ancestors {ancestors}; base-uri 'none'; form-action 'self'".encode()


class WebSite(Site):
    """The site."""

    displayTracebacks = False
    protocol: Any = Channel

    hosts: frozenset[str]
    """The host names and addresses that requests may name in their Host header."""

    proxies: Networks
    """The reverse proxies whose X-Forwarded-For header is trusted."""

    policy: bytes
    """The content security policy."""

    limits: ConnectionLimits | None
    """The limits of connections; None: there are none."""

    waiting: dict[Channel, float]
    """The connections without a complete request, and since when each of them waits; the longest first."""

    stopping: list[Callable[[], None]]
    """Called when the site stops."""

    configure: Callable[[WebConfig], None]
    """Called with the new settings when the configuration is reloaded."""

    def __init__(
        self, root: Resource, hosts: frozenset[str], reactor: Any, limits: ConnectionLimits | None = None
    ) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            root, requestFactory=GuardedRequest, timeout=SLOW_SECONDS, reactor=reactor
        )
        self.hosts = hosts
        self.proxies = ()
        self.policy = policy("")
        self.clock = reactor
        self.limits = limits
        self.waiting = {}
        self.stopping = []
        self.configure = _ignore
        self.fair_queue = FairQueue(reactor)
        self._sweep: IDelayedCall | None = None

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Return a channel, or None if the limits do not admit the connection; Twisted then closes it."""
        host = None if self.limits is None else host_of(addr)
        if self.limits is not None and host is not None and not self.limits.admit(host):
            return None
        channel = super().buildProtocol(addr)  # type: ignore[no-untyped-call]
        channel.host = host
        return channel

    def is_banned(self, address: str) -> bool:
        """Whether a browser's address is banned.

        Bans are checked for each request, not only for each connection: the connection may be older than the ban, or
        come from a reverse proxy.
        """
        return self.limits is not None and self.limits.bans.refuses(address, self.limits.listener)

    def wait_for(self, channel: Channel) -> None:
        """Expect a request on a connection from now on."""
        self.waiting.pop(channel, None)
        self.waiting[channel] = self.clock.seconds()
        if self._sweep is None:
            self._sweep = self.clock.callLater(SWEEP, self._look)

    def closed(self, channel: Channel) -> None:
        """Forget a connection."""
        self.waiting.pop(channel, None)
        if self.limits is not None and channel.host is not None:
            self.limits.release(channel.host)

    def _look(self) -> None:
        """Abort connections whose request has taken too long. Idle ones are closed by Twisted's own timeout."""
        self._sweep = None
        ends = self.clock.seconds() - COME_WITHIN
        for channel, since in list(self.waiting.items()):
            if since > ends:
                break
            del self.waiting[channel]
            transport: Any = channel.transport
            if transport is not None:
                transport.abortConnection()
        if self.waiting:
            self._sweep = self.clock.callLater(SWEEP, self._look)

    def stopFactory(self) -> None:
        """Stop all timers."""
        super().stopFactory()
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for stop in self.stopping:
            stop()

    def log(self, request: Any) -> None:
        """Do not log requests: monitoring requests metrics and health all the time."""
