"""A headless Chromium for tests of boards, without a server.

Modules come from the checkout, scenes from the test.
"""

from __future__ import annotations

import json
import mimetypes
import os
import shutil
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import axe_playwright_python
from playwright.sync_api import Browser, Page, Route, sync_playwright
from twisted.trial.unittest import SynchronousTestCase

from gamed.web.compression import gzipped
from gamed.web.static_files import all_files
from tests.ending import at_end

STATIC = Path(__file__).parents[2] / "gamed" / "web" / "static"
FILES = all_files()
ORIGIN = "http://gamed.test"
SHOTS = Path("/tmp/shots")
ROUND = 40  # ms between looks at a condition
ROUNDS = 500
SIZES = {"phone": (320, 640), "desk": (1280, 800), "wall": (3840, 2160)}
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
NO_CHROMIUM = None if CHROMIUM else "Chromium is not installed: apt-get install chromium-headless-shell"

BLANK = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Board</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/static/app.css">
<link rel="stylesheet" href="/static/games/KIND/board.css"></head>
<body><main id="board"></main><p id="status"></p></body></html>"""
POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

MOUNT = """
async ([kind, scene, mode, language]) => {
  const board = await import(`/static/games/${kind}/board.js`);
  const { el } = await import("/static/dom.js");
  const { calledOn } = await import("/static/parts.js");
  const words = board.words[language];
  window.sent = [];
  window.said = [];
  window.refusal = null;
  const context = {
    t: (key, params = {}) => {
      if (!(key in words)) throw new Error(`no words for ${key}`);
      return words[key].replace(/\\{(\\w+)\\}/g, (_, name) => params[name]);
    },
    mode,
    act: async (action) => { window.sent.push(action); if (window.refusal) throw new Error(window.refusal); },
    announce: (text) => window.said.push(text),
    animate: false,
    player: (seat) => {
      const known = scene.seats.find((one) => one.seat === seat);
      return el("span", { class: "player", "data-player": seat }, known && calledOn(known));
    },
    setStatus: (text) => { document.getElementById("status").textContent = text; },
  };
  window.describe = (move, at, moves) => board.describe(move, at, context.t, moves);
  window.board = board.create(document.getElementById("board"), context);
  window.board.update(scene);
}
"""


@lru_cache(1)
def chromium() -> Browser:
    """Return the one browser of this process."""
    playwright = sync_playwright().start()
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    at_end.callback(playwright.stop)
    at_end.callback(browser.close)
    return browser


@lru_cache(1)
def blank() -> Page:
    """Return the one page of all tests of boards: another one costs more than most of these tests."""
    return chromium().new_context(reduced_motion="reduce").new_page()


AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


class BrowserTestCase(SynchronousTestCase):
    """A test with a page. `errors`: what the page's console and its exceptions said; the test fails if anything."""

    skip: ClassVar[str | None] = NO_CHROMIUM
    language: ClassVar[str] = "en"

    def setUp(self) -> None:
        self.errors: list[str] = []
        self.kind = ""
        self.take(self.opened())

    def opened(self) -> Page:
        """Return the page to test with."""
        page = blank()
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        page.mouse.move(0, 0)
        return page

    def take(self, page: Page) -> None:
        """Test with a page from now on."""
        self.page = page
        self.context = page.context
        page.set_default_timeout(20_000)
        for event, heard in (("console", self._said), ("pageerror", self._failed)):
            page.on(event, heard)
            self.addCleanup(page.remove_listener, event, heard)
        page.route("**/*", self._serve)
        self.addCleanup(page.unroute_all)
        # Cleanups run before tearDown. What a page asks for when its routes go would be looked up on the network.
        self.addCleanup(page.goto, "about:blank")

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _failed(self, error: Any) -> None:
        self.errors.append(str(error))

    def tearDown(self) -> None:
        self.assertEqual(self.errors, [])

    def _serve(self, route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0]
        if path == "/":
            headers = {"content-type": "text/html", "content-security-policy": POLICY}
            route.fulfill(status=200, headers=headers, body=BLANK.replace("KIND", self.kind))
            return
        file = FILES.find(path.removeprefix("/static/"))
        if file is None:
            route.fulfill(status=200 if path == "/favicon.ico" else 404, body="")
            return
        route.fulfill(status=200, headers={"content-type": file.mime}, body=file.content)

    def mount(self, kind: str, scene: Mapping[str, Any], mode: str = "play") -> None:
        """Show a scene on the board of a game."""
        self.kind = kind
        self.page.goto(ORIGIN + "/")
        self.page.evaluate(MOUNT, [kind, scene, mode, self.language])

    def update(self, scene: Mapping[str, Any]) -> None:
        """Show another scene on the same board."""
        self.page.evaluate("(scene) => window.board.update(scene)", scene)

    def acted(self) -> list[Any]:
        """Return the actions that the board has asked for since the last call."""
        actions: list[Any] = json.loads(self.page.evaluate("JSON.stringify(window.sent.splice(0))"))
        return actions

    def announced(self) -> list[str]:
        """Return what the board has announced since the last call."""
        said: list[str] = self.page.evaluate("window.said.splice(0)")
        return said

    def described(self, move: Mapping[str, Any], scene: Mapping[str, Any]) -> str:
        """Return the sentence for a move."""
        return str(self.page.evaluate("([move, scene]) => window.describe(move, scene)", [move, scene]))

    def wait(self, condition: str, arg: Any = None) -> None:
        """Wait for a condition on the page, an expression or function of JavaScript.

        Playwright's own waiting evaluates strings in the page, which the policy forbids.
        """
        for _ in range(ROUNDS):
            if self.page.evaluate(condition, arg):
                return
            self.page.wait_for_timeout(ROUND)
        self.fail(f"not within {ROUNDS * ROUND} ms: {condition} {arg}")

    def mislabelled(self) -> list[Any]:
        """Return the controls whose names do not hold what is seen on them."""
        self.page.evaluate(f"() => {{ {AXE} }}")
        rule = {"runOnly": ["label-content-name-mismatch"]}
        found = self.page.evaluate("(rule) => axe.run(document, rule)", rule)
        self.assertGreater(len(found["violations"] + found["passes"] + found["inapplicable"]), 0)
        return [(node["target"], node["html"][:300]) for one in found["violations"] for node in one["nodes"]]

    def shoot(self, name: str) -> None:
        """Take pictures at three sizes, light and dark, to be looked at, where the environment has SHOTS."""
        if "SHOTS" not in os.environ:
            return
        SHOTS.mkdir(exist_ok=True)
        for size, (width, height) in SIZES.items():
            self.page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                self.page.emulate_media(color_scheme=scheme)
                self.page.screenshot(path=str(SHOTS / f"{name}-{size}-{scheme}.png"))


# A shared worker's requests do not come by the page's routes: the page holds the stream itself.
ALONE = "delete window.SharedWorker;"

STREAMS = """
(() => {
  // Streams that the test feeds, the newest last.
  window.streams = [];
  class Fed extends EventTarget {
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSED = 2;
    readyState = 0;
    constructor(url) {
      super();
      const topics = new URL(url, location).searchParams.get("topics").split(",");
      this.topics = topics.map((topic) => topic.split("@")[0]);
      window.streams.push(this);
      setTimeout(() => {
        if (this.readyState !== 0) return;
        this.readyState = window.isAway ? 2 : 1;
        this.dispatchEvent(new Event(window.isAway ? "error" : "open"));
      });
    }
    close() { this.readyState = 2; }
  }
  window.EventSource = Fed;
  // What was sent by channels inside of this window, and has come: each channel is a sender's or a reader's.
  const names = [];
  const waiting = [];
  let sent = 0;
  let come = 0;
  window.BroadcastChannel = class extends BroadcastChannel {
    constructor(name) {
      super(name);
      names.push(name);
      this.addEventListener("message", ({data}) => {
        if (!data.type) return;
        come += 1;
        for (const one of waiting) if (come >= one.sent) one.resolve();
      });
    }
    postMessage(message) {
      if (message.type && names.filter((name) => name === this.name).length > 1) sent += 1;
      super.postMessage(message);
    }
  };
  window.allHasCome = () => come >= sent ? null : new Promise((resolve) => waiting.push({sent, resolve}));
  window.streamOf = (topic) => window.streams.find((one) => one.readyState === 1 && one.topics.includes(topic));
})();
"""
HELD = "topic => Boolean(window.streamOf(topic))"
EMIT = """
([topic, name, data]) => {
  const stream = window.streamOf(topic);
  stream.dispatchEvent(new MessageEvent("topic", {data: String(stream.topics.indexOf(topic))}));
  stream.dispatchEvent(new MessageEvent(name, {data: JSON.stringify(data)}));
  return window.allHasCome();
}
"""
"""Emits an event, and waits until it has come: it goes on by a channel, which takes its time."""
LOSE = """
() => {
  window.isAway = true;
  for (const stream of window.streams.filter((one) => one.readyState === 1)) {
    stream.readyState = 2;
    stream.dispatchEvent(new Event("error"));
  }
}
"""

VERSION = "/static/@0123456789abcdef/"

Answer = Callable[[Any], tuple[int, Any]]


class PageTestCase(BrowserTestCase):
    """A test of a whole page against an API that the test makes up, under the daemon's own policy.

    `api`: by method and path below /api/v1, what is answered: JSON, or a callable that takes the body and returns a
    status and JSON. `asked`: the requests so far, as method, path with query, and body. `files`: further static files.
    `feeds`: whether event streams are fed by the test (`emit`, `lose`, `restore`); else the browser's own ask the
    routes.
    """

    feeds: ClassVar[bool] = True

    def setUp(self) -> None:
        super().setUp()
        self.api: dict[str, Any] = {}
        self.asked: list[tuple[str, str, Any]] = []
        self.files: dict[str, str] = {}
        self.weights: dict[str, int] = {}
        self.is_away = False
        self.page.add_init_script(ALONE)
        if self.feeds:
            self.page.add_init_script(STREAMS)

    def opened(self) -> Page:
        """Return a page that remembers nothing."""
        context = chromium().new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        self.addCleanup(context.close)
        return context.new_page()

    def _serve(self, route: Route) -> None:
        address = route.request.url.removeprefix(ORIGIN)
        path = address.partition("?")[0]
        if path.startswith("/api/v1/"):
            self._answer(route, address.removeprefix("/api/v1"))
            return
        # The page names a version of the files, as the daemon's does.
        path = path.replace(VERSION, "/static/")
        if path in self.files:
            self._send(route, path, self.files[path].encode())
        elif path.startswith("/static/") or path == "/favicon.ico":
            file = FILES.find(path.removeprefix("/static/"))
            if file is not None:
                self._send(route, path, file.content)
            else:
                route.fulfill(status=200 if path == "/favicon.ico" else 404, body="")
        else:
            index = (STATIC / "index.html").read_bytes().replace(b"/static/", VERSION.encode())
            self._send(route, "/index.html", index)

    def _send(self, route: Route, path: str, body: bytes) -> None:
        self.weights[path] = len(gzipped(body))
        content_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
        route.fulfill(status=200, headers={"content-type": content_type, "content-security-policy": POLICY}, body=body)

    def _answer(self, route: Route, address: str) -> None:
        request = route.request
        sent = request.post_data
        body = json.loads(sent) if sent else None
        self.asked.append((request.method, address, body))
        if self.is_away:
            route.abort("connectionrefused")
            return
        answer = self.api.get(
            f"{request.method} {address}", self.api.get(f"{request.method} {address.partition('?')[0]}")
        )
        if answer is None and address.endswith("/measures"):
            answer = {}  # most games of these tests have none
        if answer is None:
            missing = {"error": {"code": "not-found", "text": "", "hint": ""}}
            route.fulfill(status=404, content_type="application/json", body=json.dumps(missing))
        elif isinstance(answer, bytes):
            route.fulfill(status=200, content_type="text/event-stream", body=answer)
        else:
            status, content = answer(body) if callable(answer) else (200, answer)
            route.fulfill(status=status, content_type="application/json", body=json.dumps(content))

    def visit(self, path: str, ready: str = "h1") -> None:
        """Open a page and wait for it."""
        self.page.goto(ORIGIN + path)
        self.page.wait_for_selector(f"main {ready}", state="attached")

    def hold(self, path: str) -> str:
        """Wait until what happens in this resource below /api/v1 is listened to; return the name of its topic."""
        topic = path.removeprefix("/")
        self.wait(HELD, topic)
        return topic

    def emit(self, path: str, name: str, data: Any) -> None:
        """Send an event to who listens to a resource."""
        self.page.evaluate(EMIT, [self.hold(path), name, data])

    def lose(self, path: str) -> None:
        """Break the stream; each further one fails until `restore`."""
        self.hold(path)
        self.page.evaluate(LOSE)

    def restore(self) -> None:
        """Let streams be opened again."""
        self.page.evaluate("window.isAway = false")

    def requests(self, method: str, path: str, count: int = 0) -> list[Any]:
        """Return the bodies of the requests of this kind so far, as soon as there are so many."""
        for _ in range(ROUNDS):
            found = [body for one, address, body in self.asked if (one, address.partition("?")[0]) == (method, path)]
            if len(found) >= count:
                return found
            self.page.wait_for_timeout(ROUND)
        raise AssertionError(f"not {count} times {method} {path}: {self.asked}")
