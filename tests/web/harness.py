"""A daemon in memory with its web listener: no network, no files, and no time but a `Clock`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from attrs import define, field
from twisted.internet.address import IPv4Address
from twisted.internet.defer import maybeDeferred
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from gamed.admin.accounts import Accounts
from gamed.admin.operators import Operators
from gamed.config import ConsoleConfig, WebConfig
from gamed.core.stats import Stats
from gamed.net.game_listeners import GameListeners
from gamed.net.limits import Bans, ConnectionLimits
from gamed.registry import game_types
from gamed.testing.harness import Harness
from gamed.web.answers import Call, Route, find, permit
from gamed.web.api import Api
from gamed.web.live import Feeds
from gamed.web.metrics import DaemonCollector, registry
from gamed.web.naming import Naming
from gamed.web.play import Play
from gamed.web.prepared import Address, PreparedRooms
from gamed.web.proxies import networks
from gamed.web.rooms import Rooms
from gamed.web.seats import Seats
from gamed.web.sessions import Sessions
from gamed.web.site import Root, WebSite
from gamed.web.topics import Topics
from gamed.web.visitors import Visitors

HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
PASSWORD = "open sesame"


class PlainSecret:
    """A password that is looked at at once: the real one takes 50 ms."""

    def __init__(self, password: str) -> None:
        self.password = password

    def may_match(self, password: str) -> bool:
        return password == self.password

    def thd_matches(self, password: str) -> bool:
        return password == self.password


@define
class Reply:
    """An answer as a browser reads it."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a refusal."""
        return self.json["error"]["code"]


def reply_of(data: bytes) -> Reply:
    """Return the answer in the bytes of a connection; raise AssertionError if there is none."""
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    if not status.startswith("HTTP/1.1 "):
        raise AssertionError(f"no answer: {data[:200]!r}")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = unchunked(body)
    return Reply(int(status.split()[1]), headers, body)


def unchunked(data: bytes) -> bytes:
    """Return what chunks hold, as far as they have come."""
    whole = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        length = int(size, 16)
        whole, data = whole + data[:length], data[length + 2 :]
    return whole


@define(eq=False)
class Wire:
    """A connection of a browser, for an answer that comes bit by bit."""

    transport: StringTransport
    channel: Any
    pump: Callable[[], None]

    @property
    def body(self) -> bytes:
        self.pump()
        return reply_of(self.transport.value()).body

    def events(self) -> list[tuple[str, str, Any]]:
        """Return all events so far but pings: type, id and data."""
        found = []
        for block in self.body.decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and line[0] != ":")
            if fields.get("event", "ping") != "ping":
                found.append((fields["event"], fields.get("id", ""), json.loads(fields["data"])))
        return found

    def close(self) -> None:
        """Close from the browser's side."""
        self.channel.connectionLost(Failure(ConnectionDone()))
        self.pump()


@define(eq=False)
class WebHarness:
    """A house of one game with the web listener. `config`: keys of [web]."""

    kind: str
    settings: Any = None
    config: Mapping[str, Any] = field(factory=dict)
    more: tuple[Any, ...] = ()
    harness: Harness = field(init=False)
    games: GameListeners = field(init=False)
    accounts: Accounts = field(init=False)
    operators: Operators = field(init=False)
    bans: Bans = field(init=False)
    naming: Naming = field(init=False)
    feeds: Feeds = field(init=False)
    seats: Seats = field(init=False)
    visitors: Visitors = field(init=False)
    routes: list[Route] = field(init=False)
    site: WebSite = field(init=False)
    _ports: int = 50_000

    def __attrs_post_init__(self) -> None:
        settings = game_types()[self.kind].settings() if self.settings is None else self.settings
        self.harness = harness = Harness(self.kind, settings)
        web = WebConfig(**self.config)
        self.games = GameListeners({self.kind: harness.listener})
        self.accounts = Accounts({"admin": PlainSecret(PASSWORD)}, harness.clock, maybeDeferred, harness.lobby.logins)
        self.operators = Operators(ConsoleConfig().idle_seconds)
        harness.lobby.logins.administrators.append(self.operators.addresses)
        self.bans = Bans()
        self.naming = Naming(web.addresses)
        self.feeds = Feeds(harness.lobby, harness.clock, self.naming)
        self.feeds.work.now = harness.clock.seconds
        self.seats = Seats(harness.lobby, self.games, self.feeds, grace=web.grace_seconds, random=lambda: Random(7))
        self.visitors = Visitors(harness.clock, self.accounts, self.operators)
        prepared = PreparedRooms(harness.lobby, lambda _: Address(13_050, tls=False))
        rooms, play = Rooms(harness.lobby, self.games, self.feeds, prepared), Play(self.seats)
        topics = Topics(self.feeds.lines, {"rooms": rooms.stream, "seats": play.stream})
        made = (Sessions(self.visitors, harness.lobby, self.games), prepared, rooms, play, topics, *self.more)
        self.routes = [route for part in made for route in part.routes]
        api = Api(self.routes, self.visitors)
        limits = ConnectionLimits("web", web.connections, web.connections_per_address, self.bans)
        root = Root(registry(DaemonCollector(Stats(), list, int)), dict, api)
        self.site = WebSite(root, HOSTS, harness.clock, limits)
        self.site.proxies = networks(web.proxies)
        self.site.stopping += (self.seats.stop, self.feeds.stop)
        self.site.startFactory()

    def pump(self, seconds: float = 1.0) -> None:
        """Let the reactor turn for a while."""
        for _ in range(round(seconds / 0.05)):
            self.harness.clock.advance(0.05)

    def sent(self, data: bytes, address: str = "127.0.0.1") -> Wire:
        """Send bytes on a new connection."""
        self._ports += 1
        channel = self.site.buildProtocol(IPv4Address("TCP", address, self._ports))
        if channel is None:
            raise AssertionError("the connection is refused")
        transport = StringTransport(peerAddress=IPv4Address("TCP", address, self._ports))
        channel.makeConnection(transport)
        channel.dataReceived(data)
        self.harness.clock.advance(0)
        return Wire(transport, channel, self.pump)

    def opened(self, path: str, **headers: str) -> Wire:
        """Ask for something that comes bit by bit. Underscores in names of headers are hyphens."""
        return self.sent(request("GET", path, None, headers))

    def asked(self, method: str, path: str, body: Any = None, address: str = "127.0.0.1", **headers: str) -> Reply:
        """Send a request, wait for its answer, and close."""
        wire = self.sent(request(method, path, body, headers), address)
        if not wire.transport.value():
            self.pump(0.2)
        if not wire.transport.value():
            self.pump(35)
        answer = reply_of(wire.transport.value())
        wire.close()
        return answer

    def visitor(self, address: str = "127.0.0.1") -> Guest:
        """Return somebody with a session."""
        answer = self.asked("GET", "/api/v1/session", address=address)
        return Guest(self, answer.headers["set-cookie"].partition(";")[0], answer.json["token"], address)

    def stop(self) -> None:
        """Stop what goes on by itself."""
        self.site.stopFactory()


@define(eq=False)
class Guest:
    """Somebody with a session."""

    harness: WebHarness
    cookie: str
    token: str
    address: str

    def get(self, path: str) -> Reply:
        return self.harness.asked("GET", f"/api/v1/{path}", address=self.address, cookie=self.cookie)

    def post(self, path: str, body: Any = None, method: str = "POST") -> Reply:
        body = {} if body is None and method == "POST" else body
        headers = {"cookie": self.cookie, "x_gamed_token": self.token}
        return self.harness.asked(method, f"/api/v1/{path}", body, self.address, **headers)

    def delete(self, path: str) -> Reply:
        return self.post(path, method="DELETE")

    def events(self, path: str, **headers: str) -> Wire:
        return self.harness.opened(f"/api/v1/{path}/events", cookie=self.cookie, **headers)

    def login(self, password: str = PASSWORD, user: str = "admin") -> Reply:
        """Log in, and go on with the new cookie."""
        answer = self.post("session/login", {"user": user, "password": password})
        if answer.status == 200:
            self.cookie, self.token = answer.headers["set-cookie"].partition(";")[0], answer.json["token"]
        return answer


def request(method: str, path: str, body: Any, headers: Mapping[str, str]) -> bytes:
    """Return a request's bytes. `body`: bytes as they are, all else as JSON."""
    lines = [f"{method} {path} HTTP/1.1"]
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    given.setdefault("host", "localhost:8054")
    data = b""
    if body is not None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given.setdefault("content-type", "application/json")
        given.setdefault("content-length", str(len(data)))
    lines += [f"{name}: {value}" for name, value in given.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def dispatch(  # noqa: PLR0913, PLR0917 (what a request consists of)
    routes: Iterable[Route], path: Sequence[str], method: str, query: Mapping[str, str], body: Any, visitor: Any
) -> Any:
    """Do what a request asks of some routes, without HTTP. Raises Refusal, and what the route's function raises."""
    route, places = find(routes, path, method)
    permit(route, visitor)
    if route.file and not isinstance(body, bytes):
        # A file comes as it is.
        body = json.dumps(body).encode()
    return route.do(Call(path, method, query, body, visitor, places))
