"""A real daemon with its web listener, and a headless Chromium before it.

Waits are for conditions, never for a time; each gives up after `PATIENCE`.
"""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from playwright.sync_api import BrowserContext, Page
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.clients import Player
from tests.daemon import SCRIPTS, Daemon, free_port, section
from tests.ending import at_end
from tests.interop.programs import end
from tests.net.certificates import Authority
from tests.web.browser import NO_CHROMIUM, chromium

PATIENCE = 60.0
"""Seconds until a condition counts as missed."""

PASSWORD = "open sesame"

TABBED = 150
"""Presses of the Tab key after which something counts as out of the keyboard's reach."""

PLAIN_TILE = "\n".join(("_" * 12, "_B" * 12 + "_") * 12 + ("_" * 12,))
COURSE = {
    "name": "Short",
    "tiles": [{"file": "plain.tile", "at": [1, 1], "rot": 0}],
    "flags": [[6, 3], [6, 6]],
    "lives": 1,
    "min_players": 2,
    "max_players": 2,
}

LISTENERS: Mapping[str, str] = {
    "quoridor": "tables = 0",
    # Bots may be slow on a busy machine.
    "softwarechallenge": "soft_seconds = 60.0\nhard_seconds = 60.0",
    "roborally": 'courses = ["short.course"]\nseed = 4\nmax_turns = 8\nmove_timeout = 120\nlinger = 1.0',
}
"""The games' sections: settings with which whole games are short, and nobody loses by a busy machine's clock."""

ERRORS = re.compile(r"the server responded with a status of|net::ERR_", re.IGNORECASE)
"""Chromium's own log lines for answers that are errors or do not come. The page must handle these answers."""


class WebDaemon(Daemon):
    """A daemon with listeners for all games and the web. `ports`: by section. `web`: further keys of that section.

    `scheme`: "http", or "https" for pages by TLS, with a certificate that nobody trusts.
    """

    def __init__(
        self, directory: Path, *, web: str = "", battleship: str = "", scheme: str = "http", **listeners: str
    ) -> None:
        self.scheme = scheme
        self.ports = {name: free_port() for name in (*LISTENERS, "web")}
        more = "".join(section(name, self.ports[name], listeners.get(name, keys)) for name, keys in LISTENERS.items())
        endpoint = f"{self.ports['web']}:interface=127.0.0.1"
        if scheme == "https":
            endpoint = f"ssl:{endpoint}:privateKey={Authority(directory.absolute()).issue('localhost')}"
        else:
            endpoint = f"tcp:{endpoint}"
        more += f'[web]\nendpoint = "{endpoint}"\n{web}\n'
        more += f'[console]\ntelnet = ""\npassword = "{PASSWORD}"\n'
        super().__init__(directory, battleship=battleship, more=more)
        self.ports["battleship"] = self.port
        (self.directory / "plain.tile").write_text(PLAIN_TILE)
        (self.directory / "short.course").write_text(json.dumps(COURSE))

    @property
    def origin(self) -> str:
        """Where the pages are."""
        return f"{self.scheme}://127.0.0.1:{self.ports['web']}"

    def bot(self, game: str, strategy: str, *more: str) -> subprocess.Popen[str]:
        """Start `gamed bot` for one game."""
        port = self.ports["softwarechallenge" if game == "hive" else game]
        at_once = ("--pace", "0", "--stay", "0") if game == "quoridor" else ()
        command = [SCRIPTS / "gamed", "bot", game, "--port", str(port), "--strategy", strategy, *at_once, *more]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextlib.contextmanager
def running_web(directory: Path) -> Iterator[WebDaemon]:
    """Run a daemon with pages for the time of a with-block: stopped cleanly at the end, killed after a failure."""
    daemon = WebDaemon(directory)
    daemon.start()
    try:
        yield daemon
        daemon.stop()
    finally:
        if daemon.process.poll() is None:
            daemon.kill()


class Line:
    """A line between a browser and a daemon that a test can break: a relay on a port of its own, in threads."""

    def __init__(self, port: int) -> None:
        self.there = port
        self.is_asleep = False
        self.wires: list[socket.socket] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                here, _ = self.listener.accept()
                there = socket.create_connection(("127.0.0.1", self.there))
                self.wires += (here, there)
                for pair in ((here, there), (there, here)):
                    threading.Thread(target=self._forward, args=pair, daemon=True).start()

    def _forward(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                if not self.is_asleep:
                    other.sendall(data)
            if not self.is_asleep:
                other.shutdown(socket.SHUT_WR)

    def sleep(self) -> None:
        """Let what is sent get lost without a word, as while a computer sleeps."""
        self.is_asleep = True

    def wake(self) -> None:
        """Break all connections that there were; new ones are possible."""
        for wire in list(self.wires):
            with contextlib.suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
        self.is_asleep = False

    def close(self) -> None:
        """Close everything."""
        self.wake()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for wire in self.wires:
            wire.close()


class Guest:
    """A client without I/O that plays over a socket in its own thread: a bot whose state the test can read."""

    def __init__(self, port: int, player: Player) -> None:
        self.player = player
        self.wire = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _play(self) -> None:
        try:
            self.wire.sendall(self.player.begin())
            while not self.player.is_done:
                self.wire.sendall(self.player.receive_data(self.wire.recv(65_536)))
        except Exception as error:  # noqa: BLE001 (told to the test)
            self.error = error

    def finish(self) -> None:
        """Wait until its game is over, and close."""
        self._thread.join(PATIENCE)
        self.close()
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        """Close the connection, whatever the state of the game."""
        with contextlib.suppress(OSError):
            self.wire.shutdown(socket.SHUT_RDWR)
        self.wire.close()


class Held:
    """A player whose answers are held back: `let(n)` releases the next n, `open()` all."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.is_open = False
        self._passes = threading.Semaphore(0)

    @property
    def is_done(self) -> bool:
        return self.player.is_done

    @property
    def won(self) -> bool | None:
        return self.player.won

    def begin(self) -> bytes:
        return self.player.begin()

    def receive_data(self, data: bytes) -> bytes:
        answer = self.player.receive_data(data)
        if answer and not self.is_open and not self._passes.acquire(timeout=2 * PATIENCE):
            raise AssertionError("nobody has let this player answer")
        return answer

    def let(self, answers: int) -> None:
        """Release the next answers."""
        self._passes.release(answers)

    def open(self) -> None:
        """Let everything pass from now on."""
        self.is_open = True
        self.let(1)


def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Wait until a condition holds that no page shows, and return its value. `what`: the error's text otherwise."""
    ends = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > ends:
            raise AssertionError(f"{what}, in {seconds} s")
        time.sleep(0.02)
    return found


class LiveTestCase(SynchronousTestCase):
    """Tests of pages of one daemon, which is shared by a class.

    `errors`: what pages' consoles and exceptions said; a test fails if there is anything but what Chromium itself says
    of refused requests. `settings`: of the daemon.
    """

    skip: ClassVar[str | None] = NO_CHROMIUM
    settings: ClassVar[Mapping[str, str]] = {}
    _shared: ClassVar[WebDaemon | None] = None

    @classmethod
    def shared(cls) -> WebDaemon:
        """Return the class's daemon, started by its first test."""
        if cls.__dict__.get("_shared") is None:
            daemon = WebDaemon(Path(f"{cls.__name__}-{Random().getrandbits(32):x}"), **cls.settings)
            daemon.start()
            cls._shared = daemon
            # trial knows nothing of tearDownClass.
            at_end.callback(cls.tearDownClass)
        assert cls._shared is not None
        return cls._shared

    @classmethod
    def tearDownClass(cls) -> None:
        daemon, cls._shared = cls._shared, None
        if daemon is not None and daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()

    def setUp(self) -> None:
        self.daemon = self.shared()
        self.errors: list[str] = []
        self.context = self.browser()
        self.page = self.tab(self.context)

    def tearDown(self) -> None:
        self.assertEqual(self.errors, [])
        self.assertEqual(self.daemon.unexpected(), [])

    def browser(self, **options: Any) -> BrowserContext:
        """Return another browser: cookies and caches of its own."""
        given = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", "locale": "en-US"}
        given["ignore_https_errors"] = True
        context = chromium().new_context(**{"base_url": self.daemon.origin, **given, **options})
        context.set_default_timeout(PATIENCE * 1_000)
        self.addCleanup(context.close)
        return context

    def tab(self, context: BrowserContext) -> Page:
        """Return another tab of a browser."""
        page = context.new_page()
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(f"{error.message}\n{error.stack}"))
        return page

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning") and not ERRORS.search(message.text):
            self.errors.append(message.text)

    def bot(self, game: str, strategy: str, *more: str) -> subprocess.Popen[str]:
        """Start `gamed bot` for one game; it is killed if it still plays when the test ends."""
        process = self.daemon.bot(game, strategy, *more)
        self.addCleanup(end, process)
        return process

    def guest(self, game: str, player: Player) -> Guest:
        """Connect a client of the test's own to the game's port."""
        guest = Guest(self.daemon.ports["softwarechallenge" if game == "hive" else game], player)
        self.addCleanup(guest.close)
        return guest

    # What the API says

    def asked(self, page: Page, path: str) -> Any:
        """Return what the API answers to a GET of a page's browser."""
        response = page.request.get(f"/api/v1{path}")
        self.assertEqual(response.status, 200, response.text())
        return response.json()

    def room(self, page: Page, game: str, state: str = "waiting") -> str:
        """Wait for a room of a game, and return its id."""

        def found() -> str | None:
            rooms = self.asked(page, "/rooms")
            return next((room["id"] for room in rooms if room["game"] == game and room["state"] == state), None)

        return str(until(found, f"no room of {game} is {state}"))

    def record(self, page: Page) -> dict[str, Any]:
        """Wait until a page whose game is over has a link to the record, and return the record."""
        address = page.locator(".ending a").get_attribute("href")

        def found() -> Any:
            # It is stored a little after the end.
            response = page.request.get(f"/api/v1{address}")
            return response.json() if response.ok else None

        record: dict[str, Any] = until(found, "the record is not stored")
        return record

    # What pages say

    def phase(self, page: Page, *phases: str) -> str:
        """Wait until a board is in one of some phases, and return which."""
        page.wait_for_function("words => words.includes(document.querySelector('.board')?.dataset.phase)", arg=phases)
        return str(page.locator(".board").get_attribute("data-phase"))


def log_in(page: Page, user: str = "admin", password: str = PASSWORD) -> None:
    """Fill in and send a page's dialog for administrators. The page shows the result."""
    page.click("header button:text-is('Log in')")
    page.fill("dialog input[name=user]", user)
    page.fill("dialog input[name=password]", password)
    page.click("dialog button[type=submit]")


# Sitting down


def sit_by_mouse(page: Page, game: str, name: str, bot: str | None = None) -> str:
    """Take a seat from the lobby with the mouse, against a bot or the next player, and return the seat's id."""
    page.goto("/")
    page.click(f"[data-game={game}] button.primary")
    page.locator("dialog input[name=name]").fill(name)
    page.check(f"dialog input[value={'wait' if bot is None else 'bots'}]")
    if bot is not None:
        page.select_option("dialog .bots select", bot)
    page.click("dialog button[type=submit]")
    return seated(page)


def sit_by_keys(page: Page, game: str, name: str, bot: str | None = None) -> str:
    """Take a seat from the lobby by keys alone."""
    page.goto("/")
    tab_to(page, f"[data-game={game}] button.primary")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog input[name=name]:focus")
    page.keyboard.type(name)
    if bot is None:
        tab_to(page, "dialog input[type=radio]")
        for way in ("friends", "wait"):
            page.keyboard.press("ArrowDown")
            page.wait_for_selector(f"dialog input[value={way}]:checked")
    else:
        tab_to(page, "dialog .bots select")
        page.keyboard.type(bot[:3])
        page.wait_for_function("bot => document.activeElement.value === bot", arg=bot)
    tab_to(page, "dialog button[type=submit]")
    page.keyboard.press("Enter")
    return seated(page)


def seated(page: Page) -> str:
    """Wait for the page of a seat, and return its id."""
    page.wait_for_url("**/seats/*")
    page.wait_for_selector(".board[data-phase]")
    return page.url.rpartition("/")[2]


def tab_to(page: Page, selector: str) -> None:
    """Press the Tab key until something has the focus; raise AssertionError if it cannot be reached so."""
    page.wait_for_selector(selector)
    for _ in range(TABBED):
        if page.evaluate("selector => Boolean(document.activeElement?.matches(selector))", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {selector}")
