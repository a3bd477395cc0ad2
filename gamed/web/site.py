"""The site of the web listener: `/metrics`, `/healthz` and `/readyz`, with strict headers.

Source: issue "Running it"; docs/reference/metrics.md. It listens on loopback unless the configuration says otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from twisted.web import pages
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

HEADERS: Mapping[bytes, bytes] = {
    b"content-security-policy": b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}

SLOW_SECONDS = 20
"""Seconds that a request may take to come, and a connection to stay idle."""

Problems = Callable[[], Mapping[str, str]]
"""Returns what is wrong, a sentence for each part; nothing if all is well."""

Answer = Callable[[Any], tuple[str, bytes]]
"""Takes a request and returns the type and the body of its answer."""


class Page(Resource):
    """A page that has nothing below it."""

    isLeaf = True

    def __init__(self, answer: Answer) -> None:
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
    """Whether all is well: 200, or 503 with what is not."""

    problems: Problems

    def __call__(self, request: Any) -> tuple[str, bytes]:
        """Ask, and answer in JSON."""
        problems = dict(self.problems())
        request.setResponseCode(503 if problems else 200)
        body = {"ok": not problems, "problems": problems}
        return "application/json", json.dumps(body).encode() + b"\n"


class Root(Resource):
    """The root: what stands at the top of the site."""

    def __init__(self, registry: CollectorRegistry, readiness: Problems) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.putChild(b"metrics", Page(Metrics(registry)))
        self.putChild(b"healthz", Page(Health(dict)))
        self.putChild(b"readyz", Page(Health(readiness)))

    def getChild(self, path: bytes, request: Any) -> Any:  # noqa: ARG002 (Resource's signature)
        """Return the page for what is not there."""
        return pages.notFound("Nothing here", "There are /metrics, /healthz and /readyz.")


class GuardedRequest(Request):
    """A request that is answered only if it names this host, with the headers that all answers have."""

    def process(self) -> None:
        """Refuse what another site's page has sent here under a name of its own (DNS rebinding)."""
        # Twisted's requests have no types.
        request: Any = self
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        host = (request.getHeader(b"host") or b"").rsplit(b":", 1)[0].strip(b"[]").decode("latin-1")
        if host in request.channel.site.hosts:
            super().process()  # type: ignore[no-untyped-call]
            return
        request.setResponseCode(421)
        request.setHeader(b"content-type", b"text/plain; charset=utf-8")
        text = f"This server does not answer to {host!r}; [web] hosts lists the names that it answers to.\n"
        request.write(text.encode())
        request.finish()


class WebSite(Site):
    """The site. `hosts`: the names and addresses by which it may be called."""

    displayTracebacks = False

    def __init__(self, root: Resource, hosts: frozenset[str], reactor: Any) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            root, requestFactory=GuardedRequest, timeout=SLOW_SECONDS, reactor=reactor
        )
        self.hosts = hosts

    def log(self, request: Any) -> None:
        """Log nothing of single requests: metrics and health are asked for all day."""
