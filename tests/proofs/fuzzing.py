"""Random requests and messages, valid and damaged, for all listeners of a daemon. They depend only on a `Random`.

HTTP requests are made from the API's description, and filled with ids that the daemon has told. On the four game wires
the project's own players play, and some of what they say is damaged; so games come into all their states.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import select
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final
from urllib.parse import quote

from attrs import define, field

from gamed.registry import game_types
from gamed.web.static_files import FOLDER
from tests.proofs.clients import connection
from tests.proofs.guests import LISTENERS, Guest

API: Final = "/api/v1"
DESCRIPTION: Final = json.loads((FOLDER / "openapi.json").read_text(encoding="utf-8"))
METHODS: Final = ("get", "post", "delete")
DAMAGED: Final = 0.15
"""How much of what is sent is damaged."""

GUESTS, STREAMS, KEPT = 6, 12, 40
"""Players of a listener at once; streams that are held open; ids of each kind that are remembered."""

PATIENCE, SHORT = 5.0, 0.05
"""Seconds to wait for an answer. Damaged messages may get none."""

JUNK: Final = ("", "0", "-1", "é", "\u202e", "\0", "a" * 300, "../..", "%00", "'\"<>", "1e999", "null", "[]", "🂡")
KINDS: Final = (*game_types(), "go", "chess", "")
ACTIONS: Final[tuple[Mapping[str, Any], ...]] = (
    {"do": "roll"},
    {"do": "ready"},
    {"do": "place", "ships": [[0, 0, 5, "h"], [0, 2, 4, "h"], [0, 4, 3, "h"], [0, 6, 3, "h"], [0, 8, 2, "h"]]},
    {"do": "shoot", "at": [3, 4]},
    {"do": "vote", "players": 2},
    {"do": "move", "to": [4, 1]},
    {"do": "wall", "at": [1, 1, "vertical"]},
    {"do": "reset"},
    {"do": "set", "piece": "BEE", "to": [0, 0, 0]},
    {"do": "move", "from": [0, 0, 0], "to": [1, -1, 0]},
    {"do": "skip"},
    {"do": "facing", "facing": "N"},
    {"do": "program", "cards": [10, 20, 30, 40, 50], "down": False},
    {"do": "power", "down": True},
    {"do": "repair", "registers": [3, 5]},
    {"do": "play", "point": [3, 3]},
    {"do": "pass"},
    {"do": "resign"},
    {"do": "undo"},
    {"do": "back", "count": 2},
    {"do": "goto", "node": 1},
    {"do": "branch", "point": [4, 4]},
    {"do": "comment", "text": "so"},
    {"do": "setup", "black": [[1, 1]], "white": [[2, 2]]},
    {"do": "handicap", "count": 2},
    {"do": "facts", "title": "t", "komi": 6.5, "players": ["a", "b"]},
    {"do": "points", "points": [10, 20.5]},
)
FILES: Final = (
    b"(;GM[1]SZ[9];B[aa];W[bb])",
    b"<gofans/>",
    b"<?xml version='1.0'?><a><b/></a>",
    b"\xff\xfe\0",
    b"(;" * 99,
)
COMMANDS: Final = (
    *(b"rooms", b"rooms hive", b"room 0a1b", b"players", b"watch", b"limits", b"stats", b"who", b"bans", b"records"),
    *(b"course roborally anlauf", b"step 0a1b2c3d4e --forced", b"resume 0a1b2c3d4e", b"ban 203.0.113.9", b"help rooms"),
    *(b"unban 203.0.113.9", b"records list --limit 3", b"records show 0a1b", b"save", b"reload", b"help", b"quit"),
)
"""Without those that would end the games of others, the daemon, or its log."""


def damaged(random: Random, data: bytes) -> bytes:
    """Return bytes after one random kind of damage."""
    at, to = sorted((random.randrange(len(data) + 1), random.randrange(len(data) + 1)))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data[:at],
        lambda: data[:at] + data[to:],
        lambda: data[:at] + random.randbytes(random.randrange(1, 9)) + data[at:],
        lambda: data[:at] + data[at:to] * random.randrange(2, 50) + data[to:],
        lambda: data[:at] + bytes(random.choices(b'\r\n\0\xff<>(){}[]",;:%', k=3)) + data[at + 1 :],
        lambda: data[:at] + str(random.choice((-1, 2**31, 2**63, 10**30))).encode() + data[to:],
        lambda: random.randbytes(random.randrange(1, 400)),
    )
    return random.choice(ways)()


def closed(client: socket.socket, random: Random) -> None:
    """Close a connection, now and then by a reset."""
    with contextlib.suppress(OSError):
        if random.random() < 0.3:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()


@define(eq=False)
class Web:
    """Sends requests. `ids`: ids that the daemon has sent, by the first part of the path that they belong to."""

    port: int
    random: Random
    password: str
    ids: dict[str, deque[str]] = field(factory=dict)
    statuses: dict[int, int] = field(factory=dict)
    streams: deque[socket.socket] = field(factory=deque)
    sessions: list[tuple[str, str, str]] = field(factory=list)
    """Cookie, token and address of each."""

    def act(self) -> None:
        """Do one thing."""
        random = self.random
        roll = random.random()
        if not self.sessions or roll < 0.01:
            self.begin()
        elif roll < 0.05:
            self.stream()
        elif roll < 0.08:
            self.send(
                damaged(random, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * random.randrange(1, 5)),
                "127.66.0.9",
                SHORT,
            )
        elif roll < 0.12:
            method, path = (
                random.choice(("GET", "HEAD", "PUT")),
                random.choice(("/", "/records", "/static/app.js", "/x")),
            )
            self.request(method, path + random.choice(("", "?" + quote(random.choice(JUNK)))), None)
        else:
            self.call()

    def begin(self) -> None:
        """Begin a session; some are the administrator's."""
        address = f"127.66.0.{self.random.randrange(1, 9)}"
        status, headers, body = self.send(self._request("GET", f"{API}/session", None, {}), address)
        if status != 200:
            return
        self.sessions = self.sessions[-20:]
        self.sessions.append((headers.get("set-cookie", "").partition(";")[0], json.loads(body)["token"], address))
        if len(self.sessions) % 5 == 1:
            right = {"user": "admin", "password": self.password if self.random.random() < 0.8 else "wrong"}
            status, headers, body = self.request("POST", f"{API}/session/login", json.dumps(right).encode())
            if status == 200:
                cookie = headers.get("set-cookie", "").partition(";")[0]
                # Now and then the request has asked for that.
                text = gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
                self.sessions[-1] = (cookie, json.loads(text)["token"], address)

    def call(self) -> None:
        """Make a random call of the API's description."""
        random = self.random
        template = random.choice([*DESCRIPTION["paths"], *["/seats", "/seats/{id}/act", "/recordings/{id}/act"] * 3])
        item = DESCRIPTION["paths"][template]
        method = random.choice([name for name in METHODS if name in item])
        if template == "/session/logout" and random.random() < 0.8:
            return
        root = template.split("/")[1]
        path = template.replace("{id}", quote(self.id_of(root), safe=""))
        query = [
            f"{given['name']}={quote(self.text(given['name']))}"
            for given in item[method].get("parameters", ())
            if "name" in given and random.random() < 0.5
        ]
        body = None
        if method == "post":
            body = random.choice(FILES) if template == "/import" else json.dumps(self.body(template)).encode()
        found = self.request(method.upper(), f"{API}{path}{'?' if query else ''}{'&'.join(query)}", body)
        if found[0] == 200:
            self.learn(root, found[2])

    def learn(self, root: str, body: bytes) -> None:
        """Note the ids in an answer."""
        with contextlib.suppress(ValueError, AttributeError, RecursionError):
            found = json.loads(body)
            kept = self.ids.setdefault(root, deque(maxlen=KEPT))
            rows = found if isinstance(found, list) else next((v for v in found.values() if isinstance(v, list)), [])
            for row in [found, *rows]:
                if isinstance(row, dict):
                    kept.extend(row[name] for name in ("id", "room") if isinstance(row.get(name), str))
                    self.ids.setdefault("codes", deque(maxlen=KEPT)).extend(row.get("reservations") or ())

    def id_of(self, root: str) -> str:
        """Return an existing or an invented id."""
        known = self.ids.get(root)
        return (
            self.random.choice(known) if known and self.random.random() < 0.85 else self.random.choice((*JUNK, "0a1b"))
        )

    def text(self, name: str) -> str:
        """Return a value for the query string."""
        numbers = ("0", "1", "5", "63", "64", "200", "100000000000000000000")
        known = {"game": KINDS, "termination": ("victory", "left", "x"), "format": ("xml", "sgf", "gofans", "replay")}
        return self.random.choice((*known.get(name, numbers), *JUNK[:3]))

    def body(self, template: str) -> Any:
        """Return the body for a call."""
        random = self.random
        name = random.choice(("Ada", "Grace", "Bot", *JUNK))
        bots: list[Any] = [random.choice(("random", "open-list", "path", "x"))] * random.choice((0, 1, 1, 2, 3))
        code = self.id_of("codes") if random.random() < 0.2 else None
        origin = {"record": self.id_of("records"), "move": random.choice((0, 1, 5, None, "x"))}
        bodies: dict[str, Any] = {
            "/seats": {"game": random.choice(KINDS), "name": name, "bots": bots, "reservation": code},
            "/rooms": {"game": random.choice(KINDS), "names": [name], "from": random.choice((None, origin))},
            "/recordings": {
                "size": random.choice((9, 19, 1, 52, 0)),
                "handicap": 0,
                "komi": 6.5,
                "players": [name, name],
            },
            "/session/login": {"user": "admin", "password": "wrong"},
        }
        body: Any = bodies.get(template, random.choice(ACTIONS))
        if random.random() < DAMAGED and isinstance(body, dict) and body:
            key = random.choice(list(body))
            body = {**body, key: random.choice((None, True, -1, 1e300, [], [[]], {}, [None] * 99, 2**70, *JUNK))}
        return body if random.random() > 0.02 else random.choice((None, [], 1, "x", [[[[]]]]))

    def _request(self, method: str, path: str, body: bytes | None, more: Mapping[str, str]) -> bytes:
        headers = {"Host": "localhost", "Connection": "close", **more}
        if body is not None:
            headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")

    def request(self, method: str, path: str, body: bytes | None) -> tuple[int, dict[str, str], bytes]:
        """Send a request in a session, damaged or not; return status, headers and body: 0 without an answer."""
        random = self.random
        cookie, token, address = random.choice(self.sessions) if path[-5:] != "login" else self.sessions[-1]
        more = {"Cookie": cookie, "X-Gamed-Token": token if random.random() > 0.03 else "wrong"}
        if random.random() < 0.05:
            names = ("Origin", "Sec-Fetch-Site", "Content-Type", "Accept-Encoding", "Last-Event-ID", "X-Forwarded-For")
            more[random.choice(names)] = random.choice(("null", "gzip", "cross-site", "a-1", "\x7f", "é" * 9))
        data = self._request(method, path, body, more)
        if random.random() < DAMAGED:
            return self.send(damaged(random, data), address, SHORT)
        return self.send(data, address)

    def send(self, data: bytes, address: str, patience: float = PATIENCE) -> tuple[int, dict[str, str], bytes]:
        """Send bytes on a new connection, and return the answer."""
        with contextlib.closing(connection(self.port, address)) as client:
            client.settimeout(patience)
            got = b""
            with contextlib.suppress(OSError):
                client.sendall(data)
                until = time.monotonic() + patience
                while time.monotonic() < until and (more := client.recv(1 << 20)):
                    got += more
                    if b"text/event-stream" in got:
                        break
        head, _, body = got.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1]) if lines[0].startswith("HTTP/1.1 ") else 0
        self.statuses[status] = self.statuses.get(status, 0) + 1
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        return status, headers, body

    def stream(self) -> None:
        """Open a stream, and close the oldest one; some are never read."""
        cookie, _, address = self.random.choice(self.sessions)
        root = self.random.choice(("rooms", "seats"))
        path = f"{API}/{root}/{quote(self.id_of(root), safe='')}/events"
        client = connection(self.port, address)
        with contextlib.suppress(OSError):
            client.settimeout(0.2)
            client.sendall(self._request("GET", path, None, {"Cookie": cookie, "Last-Event-ID": "0a1b2c3d-3"}))
        self.streams.append(client)
        if len(self.streams) > STREAMS:
            closed(self.streams.popleft(), self.random)
        for other in self.streams:
            if self.random.random() < 0.5 and select.select([other], [], [], 0)[0]:
                with contextlib.suppress(OSError):
                    other.recv(1 << 20)

    def end(self) -> None:
        """Close all connections."""
        for client in self.streams:
            closed(client, self.random)


@define(eq=False)
class Wires:
    """Plays in the four protocols, and damages some of the messages."""

    ports: Mapping[str, int]
    random: Random
    guests: dict[str, list[Guest]] = field(factory=lambda: {name: [] for name in LISTENERS})
    sent: int = 0
    ended: int = 0

    def act(self) -> None:
        """Let a player join, or one continue."""
        listener = self.random.choice(LISTENERS)
        guests = self.guests[listener]
        if len(guests) < GUESTS and self.random.random() < 0.1:
            with contextlib.suppress(OSError):
                guest = Guest.come(listener, self.ports[listener], self.random)
                guest.socket.settimeout(0.2)
                guests.append(guest)
        elif guests:
            guest = self.random.choice(guests)
            if not self._go_on(guest) or guest.player.is_done or self.random.random() < 0.002:
                closed(guest.socket, self.random)
                guests.remove(guest)
                self.ended += 1

    def _go_on(self, guest: Guest) -> bool:
        answer = b""
        if select.select([guest.socket], [], [], 0)[0]:
            try:
                answer = guest.read()
            except Exception:  # noqa: BLE001 (our own player, which an opponent sends nonsense to)
                return False
        roll = self.random.random()
        if answer and roll < DAMAGED / 5:
            answer = damaged(self.random, answer)
        elif roll < 0.005:
            answer += damaged(self.random, answer or b"(1,[3,4]).\n<protocol/>\n")
        if answer:
            self.sent += 1
            with contextlib.suppress(OSError):
                guest.socket.sendall(answer)
        return not guest.ended

    def end(self) -> None:
        """Close all connections."""
        for guests in self.guests.values():
            for guest in guests:
                closed(guest.socket, self.random)


@define(eq=False)
class Console:
    """Types commands at the console by telnet, and sends damaged SSH."""

    telnet: int
    ssh: int
    random: Random
    password: str
    sessions: deque[socket.socket] = field(factory=deque)

    def act(self) -> None:
        """Open a session, type in one, or send something to the SSH port."""
        random, roll = self.random, self.random.random()
        if roll < 0.2:
            with contextlib.closing(connection(self.ssh, "127.66.1.1")) as client, contextlib.suppress(OSError):
                client.settimeout(0.2)
                data = b"SSH-2.0-fuzz\r\n" + struct.pack(">IB", random.choice((12, 0, 2**31)), 4) + random.randbytes(40)
                client.sendall(data if random.random() < 0.5 else damaged(random, data))
                client.recv(4_096)
        elif roll < 0.4 or not self.sessions:
            client = connection(self.telnet, "127.66.1.2")
            client.settimeout(0.2)
            self.sessions.append(client)
            self._type(client, b"admin\r\n" + (self.password.encode() if random.random() < 0.9 else b"no") + b"\r\n")
            if len(self.sessions) > 3:
                closed(self.sessions.popleft(), random)
        else:
            line = random.choice(COMMANDS) + b"\r\n"
            roll = random.random()
            if roll < DAMAGED and not line.startswith((b"ban", b"step")):
                line = damaged(random, line).replace(b"l", b"1")
            elif roll < 2 * DAMAGED:
                line = b"\xff" + bytes(random.choices(range(240, 256), k=2)) + random.randbytes(5) + line
            self._type(random.choice(self.sessions), line)

    def _type(self, client: socket.socket, data: bytes) -> None:
        with contextlib.suppress(OSError):
            client.sendall(data)
            while select.select([client], [], [], 0)[0] and client.recv(1 << 16):
                pass

    def end(self) -> None:
        """Close all connections."""
        for client in self.sessions:
            closed(client, self.random)
