"""The site of the web listener: the pages, the API, `/metrics`, `/healthz` and `/readyz`, with strict headers.

Source: docs/reference/metrics.md. It listens on loopback unless the configuration says otherwise. What comes in is
bounded here: connections, the length of bodies, the time that a request takes to come.
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
from gamed.web.answers import MOST_IMPORT, Answer, Refusal
from gamed.web.proxies import Networks, client_address
from gamed.web.static_files import INDEX, Files, StaticFiles, is_page

HEADERS: Mapping[bytes, bytes] = {
    b"content-security-policy": b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}

SLOW_SECONDS = 20
"""Seconds that a connection may stay idle."""

COME_WITHIN: Final = 30.0
"""Seconds that a request may take to come, however busy the connection is."""

SWEEP: Final = 5.0
"""Seconds between two looks for requests that do not come."""

READ: Final = 16 * 1024 * 1024
"""Bytes of a body that is too long which are read and thrown away, so that its sender reads the refusal."""

# A colon in brackets belongs to an address.
_PORT: Final = re.compile(rb":[^\]:]*\Z")

BANNED: Final = Refusal(403, "banned", "this address is banned")

TOO_LONG: Final = Refusal(413, "too-long", f"a body has at most {MOST_IMPORT} bytes")

NOT_TEXT: Final = Refusal(400, "header", "a header of the request is not UTF-8")

Problems = Callable[[], Mapping[str, str]]
"""Returns what is wrong, a sentence for each part; nothing if all is well."""

Telling = Callable[[Any], tuple[str, bytes]]
"""Takes a request and returns the type and the body of its answer."""


class Page(Resource):
    """A page that has nothing below it."""

    isLeaf = True

    def __init__(self, answer: Telling) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.answer = answer

    def render(self, request: Any) -> bytes:
        """Answer a GET or a HEAD; refuse everything else."""
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
        """Collect and print."""
        encode, content_type = choose_encoder(request.getHeader("accept") or "")
        return content_type, encode(self.registry)


@define
class Health:
    """Whether all is well: 200, or 503 with what is not.

    `warnings`: what an administrator should see to, although players can be served: it costs no 503, or a load
    balancer would turn a loss that has happened into an outage.
    """

    problems: Problems
    warnings: Problems = dict

    def __call__(self, request: Any) -> tuple[str, bytes]:
        """Ask, and answer in JSON."""
        problems = dict(self.problems())
        request.setResponseCode(503 if problems else 200)
        body = {"ok": not problems, "problems": problems, "warnings": dict(self.warnings())}
        return "application/json", json.dumps(body).encode() + b"\n"


class Root(Resource):
    """The root: what stands at the top of the site. `api`: what stands below /api; None: there are no pages either."""

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
        self.files = Files()
        if api is not None:
            self.putChild(b"api", api)
            self.putChild(b"static", StaticFiles(self.files))
            self.putChild(b"favicon.ico", StaticFiles(self.files, "icon.svg"))
            self.shell = StaticFiles(self.files, INDEX)

    def getChild(self, path: bytes, request: Any) -> Any:  # noqa: ARG002 (Resource's signature)
        """Return the page for an address of the pages' own, and what says that nothing is there for others."""
        if self.shell is not None and is_page(request.path):
            return self.shell
        return pages.notFound("Nothing here", "The pages begin at /; machines read /metrics, /healthz and /readyz.")


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
    """A request that is answered only if it names this host, with the headers that all answers have."""

    length = 0
    content_type = ""
    # Whether all headers are UTF-8, as Twisted takes for granted where it is asked for text.
    is_text = True
    # The browser's address and port; no port if a reverse proxy tells the address.
    origin: tuple[str, int | None] = ("local", None)

    def gotLength(self, length: int | None) -> None:  # noqa: ARG002 (Request's signature)
        """Prepare for a body, in memory: a long one is not kept."""
        self.content = BytesIO()

    def handleContentChunk(self, data: bytes) -> None:
        """Take some of the body, as far as any route may want it."""
        request: Any = self
        self.length += len(data)
        if self.length <= MOST_IMPORT:
            request.content.write(data)
        elif self.length > READ:
            request.channel.transport.abortConnection()
        else:
            self.content = BytesIO()

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """Take the request, which has come as a whole; no form is read out of its body."""
        request: Any = self
        self.is_text = all(_is_utf8(b"".join(values)) for _, values in request.requestHeaders.getAllRawHeaders())
        self.content_type = (request.getHeader(b"content-type") or b"").decode("latin-1")
        request.requestHeaders.removeHeader("content-type")
        self.origin = _origin(request, request.channel.site.proxies)
        super().requestReceived(command, path, version)  # type: ignore[no-untyped-call]

    def setResponseCode(self, code: int, message: bytes | None = None) -> None:
        """Set the status; Twisted does not know the words for all of them."""
        super().setResponseCode(code, message or HTTPStatus(code).phrase.encode())

    def process(self) -> None:
        """Take the request when its turn comes: many may have come in one piece, or from many at once."""
        # Twisted's requests have no types.
        request: Any = self
        request.channel.come()
        request.channel.site.fair_queue.enter(self)

    def serve(self, until: float) -> bool:  # noqa: ARG002 (Waiting's signature)
        """Answer it, if somebody still waits for the answer."""
        if self.channel is not None:
            self._answer()
        return False

    def _answer(self) -> None:
        """Refuse what another site's page has sent here under a name of its own (DNS rebinding)."""
        request: Any = self
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        host = _PORT.sub(b"", request.getHeader(b"host") or b"").strip(b"[]").decode("latin-1")
        if host not in request.channel.site.hosts:
            text = f"This server does not answer to {host!r}; [web] hosts lists the names that it answers to.\n"
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
        """End the answer; the connection may wait for the next request."""
        channel: Any = self.channel
        super().finish()  # type: ignore[no-untyped-call]
        if channel is not None:
            channel.wait()


class Channel(HTTPChannel):
    """A connection, of HTTP/1.1 alone."""

    # Both are set by the site.
    site: Any
    host: str | None = None

    def connectionMade(self) -> None:
        """Wait for the first request."""
        super().connectionMade()  # type: ignore[no-untyped-call]
        self.wait()

    def wait(self) -> None:
        """Take note that a request is waited for."""
        if self.transport is not None:
            self.site.wait_for(self)

    def come(self) -> None:
        """Take note that it has come."""
        self.site.waiting.pop(self, None)

    def lineLengthExceeded(self, line: bytes) -> None:  # noqa: ARG002 (HTTPChannel's signature)
        """Refuse a request whose first line does not end, or one of its headers."""
        # A request is among them as soon as its first line has come.
        status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE if self.requests else HTTPStatus.REQUEST_URI_TOO_LONG
        transport: Any = self.transport
        transport.write(f"HTTP/1.1 {status} {status.phrase}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        self.loseConnection()  # type: ignore[no-untyped-call]

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Give the place free."""
        super().connectionLost(reason)  # type: ignore[no-untyped-call]
        self.site.closed(self)


def _ignore(_settings: WebConfig) -> None:
    """Take no settings: who made the site has not said what to change."""


class WebSite(Site):
    """The site. `hosts`: the names and addresses by which it may be called; `limits`: of connections.

    `configure`: takes changed settings. `waiting`: since when each connection waits for a request, the longest first.
    """

    displayTracebacks = False
    protocol: Any = Channel

    def __init__(
        self, root: Resource, hosts: frozenset[str], reactor: Any, limits: ConnectionLimits | None = None
    ) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            root, requestFactory=GuardedRequest, timeout=SLOW_SECONDS, reactor=reactor
        )
        self.hosts = hosts
        self.proxies: Networks = ()
        self.clock = reactor
        self.limits = limits
        self.waiting: dict[Channel, float] = {}
        self.stopping: list[Callable[[], None]] = []
        self.configure: Callable[[WebConfig], None] = _ignore
        self.fair_queue = FairQueue(reactor)
        self._sweep: IDelayedCall | None = None

    def acceptableProtocols(self) -> list[bytes]:
        """Return what TLS may agree on."""
        return [b"http/1.1"]

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Return a channel, or None: the connection is closed at once."""
        host = None if self.limits is None else host_of(addr)
        if self.limits is not None and host is not None and not self.limits.admit(host):
            return None
        channel = super().buildProtocol(addr)  # type: ignore[no-untyped-call]
        channel.host = host
        return channel

    def is_banned(self, address: str) -> bool:
        """Whether a browser's address is banned: connections may be older than a ban, or a proxy's."""
        return self.limits is not None and self.limits.bans.refuses(address, self.limits.listener)

    def wait_for(self, channel: Channel) -> None:
        """Take note that a connection waits for a request from now on."""
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
        """Cut off who sends a request, but too slowly; who sends nothing is cut off by its own clock."""
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
        """Stop with everything that goes on by itself."""
        super().stopFactory()
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for stop in self.stopping:
            stop()

    def log(self, request: Any) -> None:
        """Log nothing of single requests: metrics and health are asked for all day."""
