"""The system clock is set in the midst of games: no limit fires early or late, and all records are there.

libfaketime (Debian: faketime) gives the daemon and the bots a wall clock of their own; the monotonic clock is left
alone.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import re
import selectors
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.clients import Player
from tests.daemon import SCRIPTS, free_port
from tests.interop.programs import end
from tests.proofs import skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.clients import connection, named
from tests.proofs.guests import daemon_of_all, make_player

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
STEPS = (-7_200, -40, 3_600)
PASSWORD = "Aster und Distel"

IDLE, REGISTER, SOFT, HARD, PROGRAM, ACK, CONSOLE, WRONG, WATCHDOG = 4.0, 4.0, 4.0, 6.0, 4.0, 3.0, 5.0, 1.0, 2.0
"""The limits, in seconds. WRONG: how long the first wrong password of an address waits; WATCHDOG: what systemd allows
from ping to ping."""

EARLY, LATE = 0.02, 10.0
"""Seconds by which a limit may be missed: a client has sent before the daemon has read, and the machine may be busy.
A timer that follows the system clock is at least 40 s late.
"""

KEYS = {
    "battleship": f"idle_seconds = {IDLE}\n",
    "quoridor": f"register_seconds = {REGISTER}\n",
    "softwarechallenge": f'soft_seconds = {SOFT}\nhard_seconds = {HARD}\npassword = "{PASSWORD}"\n',
    "roborally": f"move_timeout = {int(PROGRAM)}\nack_timeout = {ACK}\nmin_players = 2\nmax_turns = 2\n",
}
JOIN = b'<protocol><join gameType="swc_2020_hive"/>'
MOVE = (
    b'<room roomId="%s"><data class="setmove"><piece owner="RED" type="ANT"/>'
    b'<destination x="%s" y="%s" z="%s"/></data></room>'
)
FREE = re.compile(rb'<field x="([^"]+)" y="([^"]+)" z="([^"]+)" isObstructed="false"')
ROOM = re.compile(rb'roomId="([^"]+)"')


def as_it_is(data: bytes) -> Callable[[bytes], bytes]:
    """Return a function that returns these bytes, whatever was received."""
    return lambda _received: data


def first_move(received: bytes) -> bytes:
    """Return red's first move in Hive, to a cell that chance has not obstructed."""
    room, free = ROOM.search(received), FREE.search(received)
    assert room is not None
    assert free is not None
    return MOVE % (room[1], *free.groups())


@define(eq=False)
class Scripted:
    """A client that follows a script, and then sends nothing more.

    `script`: the bytes that it waits for, the pause after them, and the bytes that it sends then.
    """

    name: str
    socket: socket.socket
    script: list[tuple[bytes, float, Callable[[bytes], bytes]]]

    limit: float | None
    """Seconds from the script's end to `end`. None: nobody measures them."""

    end: bytes = b""
    """What tells of the limit; nothing for the end of the connection."""

    received: bytes = b""
    silent_at: float | None = None
    """When the script's end came, at the earliest: the daemon's clock has not started before."""

    ended_at: float | None = None
    heard_at: list[float] = field(factory=list)
    _due: float | None = None

    def pump(self, since: float) -> None:
        """Send what is due. `since`: a time before all of the new input came."""
        now = time.monotonic()
        while self.script and self.silent_at is None:
            awaited, delay, answer = self.script[0]
            if self._due is None and awaited in self.received:
                self._due = now + delay
            if self._due is None or now < self._due:
                return
            data = answer(self.received)
            if data:
                self.socket.sendall(data)
                since = now
            self.script.pop(0)
            self._due = None
        if self.silent_at is None:
            self.silent_at = since

    def heard(self, data: bytes, since: float) -> None:
        """Read what has arrived; nothing at the end of the connection."""
        now = time.monotonic()
        self.received += data
        self.heard_at.append(now)
        if self.ended_at is None and (not data or (self.end and self.end in self.received)):
            self.ended_at = now
        self.pump(since)


@define(eq=False)
class Honest:
    """A player that makes no mistakes."""

    name: str
    socket: socket.socket
    player: Player
    ended_at: float | None = None

    def __attrs_post_init__(self) -> None:
        self.socket.sendall(self.player.begin())

    def pump(self, since: float) -> None:
        """Wait for what comes."""

    def heard(self, data: bytes, since: float) -> None:  # noqa: ARG002 (nobody measures it)
        """Answer the messages that have come."""
        if not data:
            self.ended_at = time.monotonic()
        elif not self.player.is_done and (answer := self.player.receive_data(data)):
            self.socket.sendall(answer)


class StepTests(SynchronousTestCase):
    def setUp(self) -> None:
        if not LIBRARY.exists():
            self.fail("libfaketime is not installed (Debian: faketime)")
        folder = Path(self.mktemp()).resolve()
        self.web, self.telnet = free_port(), free_port()
        more = (
            f'[web]\nendpoint = "tcp:{self.web}:interface=127.0.0.1"\n[console]\npassword = "{PASSWORD}"\n'
            f'telnet = "tcp:{self.telnet}:interface=127.0.0.1"\nidle_seconds = {CONSOLE}\n'
        )
        self.daemon, self.ports = daemon_of_all(folder, KEYS, more)
        self.clock = folder / "clock"
        self.set(0)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.addCleanup(self.manager.shutdown, socket.SHUT_RDWR)
        address = f"gamed-clock-steps-{os.getpid()}"
        self.manager.bind("\0" + address)
        self.pings: list[float] = []
        threading.Thread(target=self.note_pings, daemon=True).start()
        self.faked = {
            "LD_PRELOAD": str(LIBRARY),
            "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        told = {"NOTIFY_SOCKET": "@" + address, "WATCHDOG_USEC": str(int(1_000_000 * WATCHDOG))}
        self.daemon.program = [
            "env",
            *(f"{name}={value}" for name, value in {**self.faked, **told}.items()),
            *self.daemon.program,
        ]
        self.daemon.start()
        self.addCleanup(lambda: self.daemon.process.poll() is None and self.daemon.kill())
        # While the test waits for an import, its clients could not move in time.
        for port in (*self.ports.values(), self.web, self.telnet):
            self.daemon.load(port)
        self.selector = selectors.DefaultSelector()
        self.addCleanup(self.selector.close)
        self.begun_after: dict[str, int] = {}
        self.looked = time.monotonic()
        self.clients: list[Scripted | Honest] = []

    def set(self, seconds: int) -> None:
        """Set the daemon's system clock to so many seconds from the real time."""
        new = self.clock.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.rename(self.clock)

    def note_pings(self) -> None:
        """Note when the daemon gives its signs of life, as systemd does, until the socket is shut."""
        while told := self.manager.recv(4_096):
            if told == b"WATCHDOG=1":
                self.pings.append(time.monotonic())

    # Clients

    def scripted(
        self,
        name: str,
        port: int,
        *script: tuple[bytes, float, Callable[[bytes], bytes]],
        limit: float | None = None,
        end: bytes = b"",
        host: str | None = None,
    ) -> Scripted:
        since = time.monotonic()
        client = Scripted(name, connection(port, host), list(script), limit, end)
        client.pump(since)
        self.join(client)
        return client

    def honest(self, listener: str, number: int, name: str) -> None:
        self.join(Honest(name, connection(self.ports[listener]), make_player(listener, Random(number), name)))

    def join(self, client: Scripted | Honest) -> None:
        self.clients.append(client)
        self.addCleanup(client.socket.close)
        self.selector.register(client.socket, selectors.EVENT_READ, client)
        self.pump(0.05)

    def pump(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Let the clients play for a while."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and not until():
            since, self.looked = self.looked, time.monotonic()
            for key, _ in self.selector.select(0.01):
                self.hear(key.data, since)
            for client in self.clients:
                if client.ended_at is None:
                    client.pump(time.monotonic())

    def hear(self, client: Scripted | Honest, since: float) -> None:
        try:
            data = client.socket.recv(1 << 16)
        except ConnectionError:
            data = b""
        if not data:
            self.selector.unregister(client.socket)
        client.heard(data, since)

    def come(self) -> tuple[Scripted, Scripted]:
        """Connect clients to all listeners that then send nothing. Return one that moves in time, and its observer."""
        sc, rr = self.ports["softwarechallenge"], self.ports["roborally"]
        # Channels and players of a game of RoboRally register before its last player does: then it begins.
        ok = as_it_is(b"ok\n")
        tafel = as_it_is(b"RGA(Tafel)\n")
        self.scripted("channel", rr, (b"", 0, tafel), (b"NTS", 0, ok), (b"NTC", 0, as_it_is(b"")), limit=ACK)
        for number, name in enumerate(("Anna", "Berta")):
            self.honest("roborally", number, name)
        register, face = as_it_is(b"RGS(Emil)\n"), as_it_is(b"TNR(Emil,E)\n")
        emil = (b"", 0, register), (b"NTS", 0, ok), (b"MNR", 0, face), (b"MRP", 0, as_it_is(b""))
        self.scripted("program", rr, *emil, limit=PROGRAM)
        self.honest("roborally", 7, "Carla")
        join, nothing = (b"", 0.0, as_it_is(JOIN)), as_it_is(b"")
        request, result = b"MoveRequest", b'class="result"'
        self.scripted("hard", sc, join, (request, 0, nothing), limit=HARD, end=result)
        self.scripted("its partner", sc, join)
        self.scripted("soft", sc, join, (request, SOFT + 0.9, first_move), limit=0.0, end=b"SOFT_TIMEOUT")
        self.scripted("its partner", sc, join)
        moves = self.scripted("in time", sc, join, (request, SOFT - 1.5, first_move))
        self.scripted("asked after the step", sc, join, (request, 0, nothing), limit=HARD, end=result)
        self.pump(10, lambda: ROOM.search(moves.received) is not None)
        found = ROOM.search(moves.received)
        assert found is not None
        watch = b"GET /api/v1/rooms/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n" % found[1]
        watches = self.scripted("feed", self.web, (b"", 0, as_it_is(watch)))
        self.scripted("wrong password", sc, (b"", 0, as_it_is(b'<protocol><authenticate password="?"/>')), limit=WRONG)
        self.scripted("registration", self.ports["quoridor"], limit=REGISTER)
        self.scripted(
            "console",
            self.telnet,
            (b"user: ", 0, as_it_is(b"admin\r\n")),
            (b"password: ", 0, as_it_is(PASSWORD.encode() + b"\r\n")),
            limit=CONSOLE,
            host="127.0.0.1",
        )
        first = self.scripted("first", self.ports["battleship"], limit=IDLE)
        second = self.scripted("second", self.ports["battleship"], limit=IDLE)
        # On a busy machine the match must have begun, and have its date, before the clock is set.
        self.pump(10, lambda: bool(second.received))
        # The second player starts the clock.
        first.silent_at = second.silent_at
        return moves, watches

    def bots(self) -> list[subprocess.Popen[str]]:
        """Start two bots of Quoridor by the same wall clock, and wait until both play."""
        already = self.logged("opened: ")
        command = [SCRIPTS / "gamed", "bot", "quoridor", "--port", str(self.ports["quoridor"]), "--json"]
        bots = [
            subprocess.Popen(
                [*command, "--pace", "0.2", "--stay", "1", "--strategy", "path"],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, **self.faked},
            )
            for _ in range(2)
        ]
        for bot in bots:
            self.addCleanup(end, bot)
        self.pump(60, lambda: self.logged("opened: ") > already)
        return bots

    def logged(self, text: str) -> int:
        """Return how often the log has a text."""
        return self.daemon.text().count(text)

    def said_steps(self) -> list[int]:
        """Return the steps of the system clock that the log has, but for those of seconds: the machine's own.

        libfaketime reads its file at each look at the clock, and while one thread does, another one may be told the
        real time. A step that is taken back and made again is such a look.
        """
        found = re.findall(r"the system clock was set by ([+-][\d.]+) s", self.daemon.text())
        steps = [int(step) for step in (round(float(text), -1) for text in found) if abs(step) >= 30]
        while again := [at for at in range(len(steps) - 2) if steps[at] == -steps[at + 1] == steps[at + 2]]:
            del steps[again[0] : again[0] + 2]
        return steps

    # The administrator's browser

    def asked(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[Any, str]:
        """Return the web's answer, and the cookie that it sets."""
        client = http.client.HTTPConnection("127.0.0.1", self.web, timeout=20)
        client.request(method, f"/api/v1/{path}", json.dumps(body), {"Content-Type": "application/json", **headers})
        answer = client.getresponse()
        found = json.loads(answer.read()), (answer.getheader("set-cookie") or "").partition(";")[0]
        client.close()
        return found

    def log_in(self) -> str:
        session, cookie = self.asked("GET", "session")
        user = {"user": "admin", "password": PASSWORD}
        return self.asked("POST", "session/login", user, Cookie=cookie, **{"X-Gamed-Token": session["token"]})[1]

    # What is to be seen

    def assert_in_time(self, step: int) -> None:
        for client in self.clients:
            if isinstance(client, Scripted) and client.limit is not None:
                assert client.silent_at is not None, (step, client.name, client.received)
                assert client.ended_at is not None, (step, client.name, client.received)
                if client.name == "soft" and client.end not in client.received:
                    # The daemon stood still as the move came: it counts as arrived before, and the partner loses later.
                    self.assertGreater(self.logged("stalled: "), 0)
                    continue
                took = client.ended_at - client.silent_at
                print(f"{step:+} s: {client.name}: {took:.3f} s for {client.limit:.0f} s")
                self.assertTrue(client.limit - EARLY <= took < client.limit + LATE, (step, client.name, took))

    def stepped(self, step: int) -> None:
        """Set the clock while all wait, and set it back when everything has ended."""
        self.clients.clear()
        bots = self.bots()
        cookie = self.log_in()
        moves, watches = self.come()
        self.set(step)
        self.pump(0.3)
        # By the system clock it has been silent for an hour, or connected in the future.
        self.assertTrue(self.asked("GET", "session", Cookie=cookie)[0]["admin"], step)
        after = [connection(self.daemon.port) for _ in range(2)]
        self.begun_after[named(after[0])] = step
        # The second one is told nothing before the match begins.
        self.assertTrue(after[1].recv(100))
        for client in after:
            client.close()
        measured = [client for client in self.clients if isinstance(client, Scripted) and client.limit is not None]
        self.pump(30, lambda: all(client.ended_at is not None for client in measured))
        self.assert_in_time(step)
        assert moves.silent_at is not None
        told = [moment - moves.silent_at for moment in watches.heard_at if moment > moves.silent_at]
        self.assertLess(told[0], LATE, (step, "feed"))
        self.pump(60, lambda: all(bot.poll() is not None for bot in bots))
        for bot in bots:
            (game,) = json.loads(bot.communicate(timeout=1)[0])
            self.assertTrue(0 < game["seconds"] < 60, (step, game))
        for each in self.clients:
            if each.ended_at is None:
                self.selector.unregister(each.socket)
            each.socket.close()
        self.set(0)

    def test_limits_hold_and_records_are_made(self) -> None:
        began = time.monotonic()
        for step in STEPS:
            self.stepped(step)
        # Idle, cut short after the step, three of Hive, two of RoboRally, one of Quoridor.
        games = 8 * len(STEPS)
        self.pump(30, lambda: self.logged("recorded: ") >= games and len(self.said_steps()) >= 2 * len(STEPS))
        self.assertEqual(self.said_steps(), [there for step in STEPS for there in (step, -step)])
        self.assert_dated(self.daemon.records(), time.monotonic() - began)
        pauses = [later - sooner for sooner, later in itertools.pairwise(self.pings)]
        self.assertGreater(len(pauses), 10)
        # The daemon gives them twice as often as it must.
        print(f"watchdog: {len(self.pings)} signs of life, {min(pauses):.3f} to {max(pauses):.3f} s apart")
        self.assertLess(max(pauses), WATCHDOG / 2 + LATE)
        self.assertLess(self.daemon.stop(), 5)
        self.assertEqual(self.daemon.unexpected(), [])

    def assert_dated(self, records: list[dict[str, Any]], seconds: float) -> None:
        """Whether all records have the date that the clock had as they began, and their true length."""
        self.assertEqual(len(records), 8 * len(STEPS))
        now, found = datetime.now(UTC), []
        folder = self.daemon.directory / "exported"
        self.assertEqual(self.daemon.gamed("records", "export", "--all", str(folder)).returncode, 0)
        for record in records:
            document = (folder / f"{record['id']}.xml").read_text()
            step = next((step for peer, step in self.begun_after.items() if peer in document), 0)
            age = (now - datetime.fromisoformat(str(record["started"]))).total_seconds() + step
            self.assertTrue(0 < age < seconds + 1, (step, record))
            (length,) = re.findall(r'<ended at="(\d+)"', document)
            self.assertLess(int(length), 60_000, record)
            found.append(step)
        self.assertEqual([found.count(step) for step in STEPS], [1] * len(STEPS))
