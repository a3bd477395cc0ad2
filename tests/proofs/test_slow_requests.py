"""Requests that are sent a byte a second, or never end: a real daemon closes them, and nobody else is affected.

Source: docs/reference/web-api.md#limits: 20 seconds without a byte, 30 in all.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from collections.abc import Iterator

from attrs import define, field

from gamed.web.site import COME_WITHIN, SLOW_SECONDS
from tests.interop.browsing import sit_by_mouse
from tests.interop.drivers import ENEMY, STATES, Mouse, place_ships, waits
from tests.proofs.live import LiveProof

PACE = 1.0
"""Seconds between two bytes."""

HANG = 180.0
"""Seconds after which a connection counts as never cut off: the machine may have other things to do."""

SKEW = 1.0
"""Seconds by which two clocks may differ."""

POST = b"POST /api/v1/seats HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@define(eq=False)
class Drip:
    """A connection that sends its head at once, and then a byte a second of `drop` over and over; nothing if empty.

    `lasted`: the seconds until the other side closed it. `got`: what it was answered.
    """

    head: bytes
    drop: bytes
    least: float
    wire: socket.socket = field(init=False)
    sent: int = 0
    got: bytes = b""
    began: float = field(factory=time.monotonic)
    lasted: float | None = None

    def open(self, port: int) -> None:
        """Connect, and send the head."""
        self.wire = socket.create_connection(("127.0.0.1", port))
        self.wire.sendall(self.head)
        self.wire.setblocking(False)

    def read(self) -> bool:
        """Read all input. Return whether the connection has ended."""
        with contextlib.suppress(BlockingIOError):
            try:
                data = self.wire.recv(65_536)
            except ConnectionResetError:
                data = b""
            self.got += data
            if not data:
                self.lasted = time.monotonic() - self.began
        return self.lasted is not None

    def send(self) -> None:
        """Send the next byte."""
        if self.drop:
            at = self.sent % len(self.drop)
            # `read` finds out whether the connection was closed.
            with contextlib.suppress(OSError):
                self.wire.send(self.drop[at : at + 1])
            self.sent += 1


def drip(drips: list[Drip]) -> None:
    """Let all drip until each was cut off, or hangs."""
    with selectors.DefaultSelector() as selector:
        for one in drips:
            selector.register(one.wire, selectors.EVENT_READ, one)
        due = began = time.monotonic()
        while selector.get_map() and time.monotonic() < began + HANG:
            for key, _ in selector.select(max(0.0, due - time.monotonic())):
                if key.data.read():
                    selector.unregister(key.fileobj)
            if time.monotonic() >= due:
                due += PACE
                for key in selector.get_map().values():
                    key.data.send()


class SlowTests(LiveProof):
    """Many slow ones at a time, while a person plays."""

    @contextlib.contextmanager
    def dripping(self, drips: list[Drip]) -> Iterator[threading.Thread]:
        """Let them drip during the block."""
        for one in drips:
            one.open(self.daemon.ports["web"])
            self.addCleanup(one.wire.close)
        thread = threading.Thread(target=drip, args=(drips,), daemon=True)
        thread.start()
        yield thread
        thread.join(2 * HANG)

    def shoot(self) -> None:
        """Shoot at the first unknown cell, as a page does."""
        waits(self.page, "shoot")
        cell = next(at for at, state in self.page.evaluate(STATES).items() if state == "unknown")
        self.page.click(f"{ENEMY} [data-cell='{cell}']")
        self.page.wait_for_selector(f"{ENEMY} [data-cell='{cell}']:not([data-state=unknown])", state="attached")

    def test_they_are_cut_off_and_nobody_else_notices(self) -> None:
        sit_by_mouse(self.page, "battleship", "Ann", "open-list")
        place_ships(Mouse(self.page))
        watching = self.tab(self.context)
        watching.goto("/")
        watching.wait_for_selector("h2:text-is('Running games')")
        drips = [
            Drip(POST + b"Content-Length: 1000\r\n\r\n", b'{"game": "battleship", "name": "Eve"}', COME_WITHIN),
            # It would be a whole request at last.
            Drip(POST + b"Content-Length: 45\r\n\r\n", b" " * 45, COME_WITHIN),
            Drip(POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", COME_WITHIN),
            Drip(POST, b"X-More: and more\r\n", COME_WITHIN),
            Drip(POST + b"X-Long: ", b"x", COME_WITHIN),
            Drip(b"", b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n", COME_WITHIN),
            Drip(POST + b"Content-Length: 1000\r\n\r\n{", b"", SLOW_SECONDS),
            Drip(POST, b"", SLOW_SECONDS),
            Drip(b"", b"", SLOW_SECONDS),
        ]
        with self.dripping([*drips, *(Drip(POST, b"X-More: and more\r\n", COME_WITHIN) for _ in range(50))]) as thread:
            shots = 0
            while thread.is_alive() and shots < 5:
                self.shoot()
                shots += 1
            # The page that began before is kept awake all the time, and hears of what happens last.
            thread.join(2 * HANG)
            self.shoot()
        self.assertEqual(shots, 5)
        for one in drips:
            self.assertIsNotNone(one.lasted, one.head)
            # The daemon must not close it too soon: a slow line is permitted.
            self.assertGreater(one.lasted, one.least - SKEW, one.head)
            # Its answer, if any, is an HTTP status other than 200.
            self.assertIn(one.got.partition(b" ")[0], (b"", b"HTTP/1.1"), one.head)
            self.assertNotIn(b" 200 ", one.got.partition(b"\r\n")[0] + b" ", one.head)
        self.assertEqual(len(self.asked(self.page, "/seats")), 1)
        for tab in (self.page, watching):
            self.assertFalse(tab.locator(".complaint, .banner").filter(visible=True).count())

    def test_who_is_slow_but_in_time_is_answered(self) -> None:
        """Ten bytes, one a second, end a request as any other."""
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        one = Drip(request[:-10], request[-10:], COME_WITHIN)
        with self.dripping([one]) as thread:
            while thread.is_alive() and b'"ok": true' not in one.got:
                thread.join(PACE)
            self.assertEqual(one.got.partition(b"\r\n")[0], b"HTTP/1.1 200 OK")
