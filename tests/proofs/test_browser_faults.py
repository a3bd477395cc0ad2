"""Faults between a browser and the daemon: reloads, lost connections, restarts, closed browsers, and attacks.

Beside the bad intent a game of others goes on, which must not notice.
"""

from __future__ import annotations

import socket
import statistics
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from playwright.sync_api import BrowserContext, Page, Route

from gamed.games.quoridor.client import Player as Walker
from gamed.games.quoridor.strategy import STRATEGIES
from gamed.registry import game_types
from tests.interop.browsing import Line, running_web, sit_by_mouse, until
from tests.interop.drivers import ENEMY, MOVES, STATES, Mouse, own_turn, place_ships, put_wall, votes, waits, walk
from tests.proofs import whole
from tests.proofs.live import LiveProof

FASTEST = 300.0
"""Milliseconds in which the first page can be used."""

HEAVIEST = 150_000
"""Bytes that are transferred for a page with all that it loads."""

LONG = 10_000_000

MARKUP = "<img src=x onerror=alert(1)>"
TURNED = "Ann\u202egnp.exe \u05d0\u05d1"

BOARD = """
() => [...document.querySelectorAll("[data-board] [data-cell]")].map(
  cell => cell.closest("[data-board]").dataset.board + cell.dataset.cell + cell.dataset.state).join(" ")
"""

# When the first button of a game is on the page, in ms from the beginning of the navigation.
WATCHED = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("[data-game] button")) return;
  observer.disconnect();
  window.usable = performance.now();
}).observe(document, {childList: true, subtree: true});
"""

# A page of another site that sends the cookies that the browser has.
EVIL = """<!doctype html><title>evil</title><form method="post" enctype="text/plain" action="%s/api/v1/seats">
<input name='{"game": "battleship", "name": "Eve", "x": "' value='"}'></form>
<button onclick="document.forms[0].submit()">win a prize</button>"""
FETCHED = """
async ([address, method, type]) => {
  const body = method === "GET" ? undefined : '{"game": "battleship", "name": "Eve"}';
  const options = {method, body, credentials: "include",
    headers: type ? {"content-type": type} : {}, mode: type === "application/json" ? "cors" : "no-cors"};
  try { return (await (await fetch(address, options)).text()).length; } catch { return "refused"; }
}
"""


def shows(page: Page, board: str) -> None:
    """Wait until a page shows this board: events that are close together may reach two pages at different times."""
    page.wait_for_function(f"board => ({BOARD})() === board", arg=board)


def settled(page: Page) -> int:
    """Wait until a page may shoot and shows all moves, and return their number.

    The last one may come after the turn: the page's own answer to the shot of the other. Each shot has an answer.
    """
    waits(page, "shoot")
    page.wait_for_function("moves => document.querySelectorAll(moves).length % 2 === 0", arg=MOVES)
    return page.locator(MOVES).count()


def shoot(page: Page, shots: int) -> None:
    """Shoot so often, at the first unknown cells."""
    # Chromium draws a tab behind another one once a second.
    page.bring_to_front()
    for _ in range(shots):
        waits(page, "shoot")
        cell = next(at for at, state in page.evaluate(STATES).items() if state == "unknown")
        page.click(f"{ENEMY} [data-cell='{cell}']")
        page.wait_for_selector(f"{ENEMY} [data-cell='{cell}']:not([data-state=unknown])", state="attached")


class ReturnTests(LiveProof):
    """A page that is left and opened again shows the present state."""

    def test_a_reload_in_the_middle_of_a_game(self) -> None:
        sit_by_mouse(self.page, "battleship", "Ann", "open-list")
        place_ships(Mouse(self.page))
        shoot(self.page, 3)
        moves = settled(self.page)
        before = self.page.evaluate(BOARD)
        self.page.reload()
        self.assertEqual(settled(self.page), moves)
        self.assertEqual(self.page.evaluate(BOARD), before)
        # From the lobby, too, it is found again.
        self.page.goto("/")
        self.page.click("a.button.primary[href^='/seats/']")
        waits(self.page, "shoot")
        self.assertEqual(self.page.evaluate(BOARD), before)
        shoot(self.page, 1)

    def test_two_tabs_of_one_player_stay_equal(self) -> None:
        seat = sit_by_mouse(self.page, "battleship", "Ann", "open-list")
        other = self.tab(self.context)
        other.goto(f"/seats/{seat}")
        waits(other, "placing")
        ships = "[...document.querySelectorAll('[data-ship]')].map(ship => ship.dataset.at).join(' ')"
        before = self.page.evaluate(ships)
        self.assertEqual(other.evaluate(ships), before)
        other.click("[data-do=roll]")
        other.wait_for_function(f"before => {ships} !== before", arg=before)
        rolled = other.evaluate(ships)
        self.page.wait_for_function(f"rolled => {ships} === rolled", arg=rolled)
        self.page.click("[data-do=ready]")
        for page in (other, self.page, other):
            shoot(page, 1)
            length = settled(page)
            for tab in (self.page, other):
                tab.wait_for_selector(f"{MOVES} >> nth={length - 1}", state="attached")
                shows(tab, page.evaluate(BOARD))

    def test_a_player_who_is_offline_is_told_and_goes_on(self) -> None:
        sit_by_mouse(self.page, "quoridor", "Ann", "random")
        self.assertTrue(own_turn(self.page))
        self.context.set_offline(True)
        self.page.click("[data-wall='3,4,horizontal']")
        self.page.wait_for_selector(".complaint:not([hidden])")
        self.assertEqual(self.page.locator("[data-built]").count(), 0)
        self.context.set_offline(False)
        put_wall(Mouse(self.page), 3, 4, "horizontal")
        # The stream may be faster than the answer.
        self.page.wait_for_selector(".complaint", state="hidden")
        walk(Mouse(self.page))
        record = self.record(self.page)
        self.assertEqual((record["termination"], self.page.locator(MOVES).count()), ("victory", record["length"]))

    def test_pages_of_a_computer_that_slept(self) -> None:
        line = Line(self.daemon.ports["web"])
        self.addCleanup(line.close)
        seat = sit_by_mouse(self.page, "battleship", "Ann", "open-list")
        place_ships(Mouse(self.page))
        shoot(self.page, 1)
        before = settled(self.page)
        playing, watching = self.tab(self.context), self.tab(self.context)
        # The session's cookie is that of a port, and the line has another one.
        (session,) = [one for one in self.context.cookies() if one["name"].startswith("gamed-")]
        port = line.origin.rpartition(":")[2]
        self.context.add_cookies([{"name": f"gamed-{port}", "value": session["value"], "url": line.origin}])
        playing.goto(f"{line.origin}/seats/{seat}")
        watching.goto(f"{line.origin}/rooms/{self.asked(self.page, f'/seats/{seat}')['room']}")
        for page in (playing, watching):
            page.wait_for_selector(f"{MOVES} >> nth={before - 1}", state="attached")
        line.sleep()
        shoot(self.page, 3)
        length = settled(self.page)
        for page in (playing, watching):
            self.assertEqual(page.locator(MOVES).count(), before)
        line.wake()
        for page in (playing, watching):
            page.wait_for_selector(f"{MOVES} >> nth={length - 1}", state="attached")
        shows(playing, self.page.evaluate(BOARD))
        shoot(playing, 1)
        for page in (self.page, watching):
            page.wait_for_selector(f"{MOVES} >> nth={length + 1}", state="attached")

    def test_a_daemon_that_is_started_anew(self) -> None:
        with running_web(Path(self.mktemp())) as daemon:
            context = self.browser(base_url=daemon.origin)
            page = self.tab(context)
            seat = sit_by_mouse(page, "battleship", "Ann", "open-list")
            place_ships(Mouse(page))
            shoot(page, 2)
            watching = self.tab(context)
            watching.goto(f"/rooms/{page.request.get(f'/api/v1/seats/{seat}').json()['room']}")
            watching.wait_for_selector(f"{MOVES} >> nth=3", state="attached")
            daemon.kill()
            for tab in (page, watching):
                tab.wait_for_selector(".banner:not([hidden])")
            daemon.start()
            for tab in (page, watching):
                tab.wait_for_selector(".banner", state="hidden")
                tab.wait_for_selector(".complaint:not([hidden]), .ending:not([hidden])")
            # A player that plays on begins another game, without a reload.
            page.click(".brand")
            page.wait_for_selector("[data-game=battleship] button.primary")
            sit_by_mouse(page, "battleship", "Ann", "open-list")
            waits(page, "placing")
            self.assertEqual(daemon.unexpected(), [])


class LostTests(LiveProof):
    """A player whose browser does not return has left."""

    settings: ClassVar[Mapping[str, str]] = {"web": "grace_seconds = 1.0"}

    def test_a_closed_browser_loses_like_a_lost_peer(self) -> None:
        context = self.browser()
        page = self.tab(context)
        sit_by_mouse(page, "quoridor", "Ann")
        guest = self.guest("quoridor", Walker("Ben", strategy=STRATEGIES["path"](), random=Random(1)))
        votes(page, page.click)
        room = self.room(page, "quoridor", "playing")
        self.page.goto(f"/rooms/{room}")
        self.page.wait_for_selector(".board[data-kind]")
        context.close()
        self.page.wait_for_selector(".ending a")
        guest.close()
        record = self.record(self.page)
        # The remaining player has won, as if the connection had been lost.
        self.assertEqual((record["termination"], record["winner"]), ("left", 1))

    def test_a_page_that_is_only_looked_at_keeps_its_seat(self) -> None:
        seat = sit_by_mouse(self.page, "battleship", "Ann")
        path = f"/seats/{seat}"
        # Three times the grace; nothing is clicked.
        ends = self.page.evaluate("() => performance.now() + 3_000")
        self.page.wait_for_function("ends => performance.now() > ends", arg=ends)
        self.assertTrue(self.asked(self.page, path)["isLive"])


class HostileTests(LiveProof):
    """Attacks by others on a player's seat and on the daemon, while another game goes on."""

    def setUp(self) -> None:
        super().setUp()
        self.seat = sit_by_mouse(self.page, "battleship", "Ann", "open-list")
        place_ships(Mouse(self.page))
        self.token = self.asked(self.page, "/session")["token"]

    def is_unharmed(self) -> None:
        """Go on with the game: what has been tried has harmed nobody."""
        shoot(self.page, 2)
        troubles = self.page.locator(".complaint, .banner").filter(visible=True)
        until(lambda: not troubles.count(), "somebody is harmed")

    def sends(self, context: BrowserContext, path: str, method: str = "POST", **more: Any) -> tuple[int, str]:
        """Send what a page would not, and return the status and the code of the refusal."""
        headers = {"x-gamed-token": self.token, "content-type": "application/json", **more.pop("headers", {})}
        answer = context.request.fetch(
            f"/api/v1{path}",
            method=method,
            headers={name: value for name, value in headers.items() if value},
            data=more.pop("data", "{}" if method != "GET" else None),
            **more,
        )
        body = answer.json()
        return answer.status, body["error"]["code"] if "error" in body else ""

    def test_forged_tokens_and_other_origins(self) -> None:
        act = f"/seats/{self.seat}/act"
        for headers, refused in (
            ({"x-gamed-token": ""}, (403, "token")),
            ({"x-gamed-token": "A" * 32}, (403, "token")),
            ({"x-gamed-token": self.token[:-1]}, (403, "token")),
            ({"origin": "http://evil.test"}, (403, "origin")),
            ({"origin": "null"}, (403, "origin")),
            ({"sec-fetch-site": "cross-site"}, (403, "origin")),
            ({"content-type": "text/plain"}, (415, "type")),
        ):
            self.assertEqual(self.sends(self.context, act, headers=headers, data='{"do": "roll"}'), refused, headers)
        self.assertEqual(self.sends(self.browser(), act)[0], 401)
        self.assertEqual(self.sends(self.context, act, data="[1]"), (400, "json"))
        self.assertEqual(self.sends(self.context, act, data='{"do": '), (400, "json"))
        self.assertEqual(self.sends(self.context, act, data='{"do": {"do": []}}')[0], 409)
        self.is_unharmed()

    def test_other_peoples_seats(self) -> None:
        eve = self.browser()
        self.token = eve.request.get("/api/v1/session").json()["token"]
        path = f"/seats/{self.seat}"
        for method, below in (("GET", ""), ("GET", "/events"), ("POST", "/act"), ("DELETE", "")):
            self.assertEqual(self.sends(eve, path + below, method), (403, "not-yours"), below)
        self.assertEqual(self.sends(eve, "/seats/nobody"[:-1] + "x", "GET"), (404, "no-seat"))
        self.assertEqual(eve.request.get("/api/v1/seats").json(), [])
        page = self.tab(eve)
        page.goto(path)
        page.wait_for_selector("main [role=alert]")
        room = self.asked(self.page, path)["room"]
        for what in ("pause", "resume", "step", "cancel"):
            self.assertEqual(self.sends(eve, f"/rooms/{room}/{what}"), (401, "login"))
        self.assertEqual(self.sends(eve, "/import", data="<x/>"), (401, "login"))
        self.is_unharmed()

    def test_a_page_of_another_site(self) -> None:
        evil = self.tab(self.context)
        evil.route("http://evil.test/**", self.serve)
        seats = len(self.asked(self.page, "/seats"))
        evil.goto("http://evil.test/")
        for method, type_ in (("POST", ""), ("POST", "application/json"), ("GET", ""), ("DELETE", "application/json")):
            address = f"{self.daemon.origin}/api/v1/seats"
            self.assertIn(evil.evaluate(FETCHED, [address, method, type_]), (0, "refused"))
        evil.click("button")
        evil.wait_for_url("**/api/v1/seats")
        self.assertIn("error", evil.text_content("body"))
        self.assertEqual(len(self.asked(self.page, "/seats")), seats)
        # Chromium logs the refused request, too.
        self.errors = [error for error in self.errors if "evil.test" not in error]
        # Nor may it be framed.
        self.assertIn("frame-ancestors 'none'", self.page.request.get("/").headers["content-security-policy"])
        self.is_unharmed()

    def serve(self, route: Route) -> None:
        """Be the other site."""
        route.fulfill(content_type="text/html", body=EVIL % self.daemon.origin)

    def test_long_bodies(self) -> None:
        self.assertEqual(self.sends(self.context, "/seats", data="x" * LONG), (413, "too-long"))
        self.assertEqual(self.sends(self.context, "/import", data="x" * LONG), (413, "too-long"))
        self.assertEqual(self.sends(self.context, f"/seats/{self.seat}/act", data="x" * 70_000), (413, "too-long"))
        self.is_unharmed()

    def test_slow_requests(self) -> None:
        head = b"POST /api/v1/seats HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        for n in range(100):
            wire = socket.create_connection(("127.0.0.1", self.daemon.ports["web"]))
            self.addCleanup(wire.close)
            # A byte more than the one before: they stop everywhere.
            wire.sendall((head + b"x" * 50)[: n + 1])
        self.page.reload()
        waits(self.page, "shoot")
        self.is_unharmed()


class NameTests(LiveProof):
    """Names are text, whatever they look like."""

    def test_markup_and_signs_that_turn_text(self) -> None:
        self.context.on("dialog", lambda dialog: self.errors.append(f"{dialog.message} {dialog.dismiss()}"))
        first = self.guest("quoridor", Walker(MARKUP, strategy=STRATEGIES["path"](), random=Random(1)))
        room = self.room(self.page, "quoridor")
        self.page.goto("/")
        self.page.wait_for_selector(f"[data-room='{room}']")
        watching = self.tab(self.context)
        watching.goto(f"/rooms/{room}")
        watching.wait_for_selector(".board[data-kind]")
        second = self.guest("quoridor", Walker(TURNED, strategy=STRATEGIES["path"](), random=Random(2)))
        first.finish()
        second.finish()
        watching.wait_for_selector(".ending a")
        self.is_text(watching)
        record = self.record(watching)
        self.page.goto(f"/records/{record['id']}?move=5")
        # The players' lines come with the position.
        self.page.locator(".player, .seats li", has_text=MARKUP).wait_for()
        self.is_text(self.page)
        for path in ("/", "/records"):
            self.page.goto(path)
            self.page.wait_for_selector("main table")
            self.is_text(self.page)
        sit_by_mouse(self.page, "battleship", MARKUP, "open-list")
        self.page.locator(".player, .seats li", has_text=MARKUP).wait_for()
        self.assertEqual(self.page.locator("img:not([src$='icon.svg'])").count(), 0)

    def is_text(self, page: Page) -> None:
        """Both names are on the page as text, each isolated from the text next to it."""
        self.assertEqual(page.locator("img:not([src$='icon.svg'])").count(), 0)
        self.assertIn(MARKUP, page.locator("main").inner_text())
        loose = page.evaluate(
            """() => [...document.querySelectorAll("main *")].filter(one => [...one.childNodes].some(
                 node => node.nodeType === 3 && /[\\u202a-\\u202e]/.test(node.data)) && !one.closest("bdi")).length"""
        )
        self.assertEqual(loose, 0)


class FirstPageTests(LiveProof):
    """How soon, and how much."""

    def test_the_first_page_can_be_used_soon(self) -> None:
        times = []
        for _ in range(7):
            context = self.browser()
            page = self.tab(context)
            page.add_init_script(WATCHED)
            page.goto("/")
            page.wait_for_function("() => window.usable")
            times.append(page.evaluate("() => window.usable"))
            context.close()
        median = statistics.median(times)
        print(f"\nfirst page usable after {min(times):.0f}, {median:.0f}, {max(times):.0f} ms (best, median, worst)")
        if whole():
            # The best: the machine may have other things to do.
            self.assertLess(min(times), FASTEST)

    def test_what_pages_weigh(self) -> None:
        weights = {path: self.weight(path) for path in ("/", "/records", "/recorder")}
        for game in game_types():
            seat = sit_by_mouse(self.page, game, "Ann", self.strategy(game))
            weights[f"{game} seat"] = self.weight(f"/seats/{seat}")
            room = until(lambda seat=seat: self.asked(self.page, f"/seats/{seat}")["room"], "no room")
            weights[f"{game} room"] = self.weight(f"/rooms/{room}")
        recording = self.sends("/recordings", {"size": 9, "players": ["Ann", "Ben"]})["id"]
        weights["go recorder"] = self.weight(f"/recorder/{recording}")
        self.sends(f"/recordings/{recording}/act", {"do": "play", "point": [5, 5]})
        record = self.sends(f"/recordings/{recording}/save", {})["record"]
        weights["go record"] = self.weight(f"/records/{record}")
        print("\n" + ", ".join(f"{name} {weight / 1000:.0f} kB" for name, weight in weights.items()))
        for name, weight in weights.items():
            self.assertLess(weight, HEAVIEST, name)

    def sends(self, path: str, body: Mapping[str, Any]) -> Any:
        """Send what a page would, and return the answer."""
        headers = {"x-gamed-token": self.asked(self.page, "/session")["token"]}
        answer = self.page.request.post(f"/api/v1{path}", headers=headers, data=body)
        self.assertTrue(answer.ok, answer.text())
        return answer.json()

    def strategy(self, game: str) -> str:
        """Return a bot of a game."""
        games = self.asked(self.page, "/session")["games"]
        return str(next(one["bots"][-1] for one in games if one["kind"] == game))

    def weight(self, path: str) -> int:
        """Return the bytes that are transferred for a page with an empty cache, the stream left aside."""
        context = self.browser(storage_state=self.context.storage_state())
        page = self.tab(context)
        found = []
        page.on("response", lambda response: found.append(response))  # noqa: PLW0108 (a list takes no marks of Playwright's)
        page.goto(path)
        page.wait_for_selector("main h1")
        page.wait_for_load_state("load")
        if path.count("/") > 1:
            page.wait_for_selector(".board[data-phase]", state="attached")
        sizes = [response.request.sizes() for response in found if not response.url.endswith("/events")]
        total = sum(size["responseBodySize"] for size in sizes)
        context.close()
        return total
