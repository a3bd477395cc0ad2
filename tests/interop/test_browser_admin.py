"""The administrator in the browser: logs in, holds games and ends them, prepares a room; others may not.

Source: docs/reference/web-api.md#calls. What takes longer is in tests/proofs/test_browser_admin.py.
"""

from __future__ import annotations

import subprocess
from random import Random

from playwright.sync_api import Route

from gamed.games.battleship.client import Player as Gunner
from gamed.games.battleship.strategy import strategies
from tests.daemon import SCRIPTS
from tests.interop.administrator import AdminTestCase, button, codes_of, hive
from tests.interop.browsing import PATIENCE, log_in, seated, until
from tests.interop.drivers import MOVES, waits
from tests.interop.programs import end
from tests.web.test_daemon import Browser


class AdminTests(AdminTestCase):
    def test_a_wrong_password_then_the_right_one_and_out_again(self) -> None:
        page = self.page
        page.goto("/")
        page.wait_for_selector("[data-game=hive] button.primary")
        prepare = "[data-game=hive] button:text-is('Prepare')"
        self.assertEqual(page.locator(prepare).count(), 0)
        log_in(page, password="open")
        page.wait_for_selector("dialog .complaint:has-text('wrong user or password')")
        self.assertFalse(self.asked(page, "/session")["admin"])
        page.fill("dialog input[name=password]", "open sesame")
        page.click("dialog button[type=submit]")
        page.wait_for_selector("dialog", state="detached")
        page.wait_for_selector(prepare)
        self.assertTrue(self.asked(page, "/session")["admin"])
        # It holds for other tabs of this browser, and for no other browser.
        other, strange = self.tab(self.context), self.tab(self.browser())
        for tab, count in ((other, 1), (strange, 0)):
            tab.goto("/")
            tab.wait_for_selector("[data-game=hive] button.primary")
            self.assertEqual(tab.locator(prepare).count(), count)
        page.click("header button:text-is('Log out')")
        page.wait_for_selector("header button:text-is('Log in')")
        # The page shows the old lobby until it is redrawn.
        page.wait_for_selector(prepare, state="detached")
        page.wait_for_selector("[data-game=hive] button.primary")
        self.assertFalse(self.asked(page, "/session")["admin"])
        log = self.daemon.text()
        self.assertIn("wrong user or password: address=127.0.0.1", log)
        for word in ("in", "out"):
            self.assertRegex(log, rf"web: logged {word}: user=admin from=web 127\.0\.0\.1:\d+")
        self.assertNotIn("open sesame", log)

    def test_who_has_not_logged_in_may_not(self) -> None:
        self.held("battleship", Gunner(strategies["density"](), Random(1)))
        room = self.room(self.page, "battleship")
        self.watched(self.page, room)
        self.assertEqual(self.can(self.page), [])
        token = self.asked(self.page, "/session")["token"]
        self.page.goto("/")
        self.page.wait_for_selector("[data-game=hive] button.primary")
        self.assertEqual(self.page.locator("button:text-is('Prepare')").count(), 0)
        nobody = self.browser()
        paths = [f"/rooms/{room}/{what}" for what in ("pause", "resume", "step", "cancel")]
        for path, body in (*((path, {}) for path in paths), ("/rooms", {"game": "hive"})):
            for context, headers, status in (
                (self.context, {"x-gamed-token": token}, 401),
                (self.context, {}, 403),
                (nobody, {"x-gamed-token": token}, 401),
            ):
                answer = context.request.post(f"/api/v1{path}", headers=headers, data=body)
                self.assertEqual(answer.status, status, (path, headers))
                self.assertGreater(len(answer.json()["error"]["text"]), 10)
        self.assertEqual(self.asked(self.page, f"/rooms/{room}")["state"], "waiting")
        self.has_noted()

    def test_a_game_of_hive_bots(self) -> None:
        bots = self.red_and_blue(1)
        room = self.room(self.page, "hive", "playing")
        self.watched(self.page, room)
        for n in range(3):
            bots[n % 2].let(1)
        self.stands(self.page, "playing", 3)
        self.assertEqual(self.can(self.page), [])
        self.logged_in()
        self.page.wait_for_selector(button("Pause"))
        self.assertEqual(self.can(self.page), ["Pause", "Cancel the game"])
        self.page.click(button("Pause"))
        self.page.wait_for_selector(".title .badge:text-is('paused')")
        self.assertEqual(self.can(self.page), ["Resume", "One step", "Cancel the game"])
        # One move was asked for before; from now on each step is one.
        for bot in bots:
            bot.open()
        self.stands(self.page, "paused", 4)
        for n in (5, 6):
            self.page.click(button("One step"))
            self.stands(self.page, "paused", n)
        # A visitor that opens the page now sees the game, and can do nothing.
        other = self.tab(self.browser())
        self.watched(other, room)
        self.stands(other, "paused", 6)
        self.assertEqual(self.can(other), [])
        self.page.click(button("Resume"))
        self.page.wait_for_selector(".ending a")
        other.wait_for_selector(".ending a")
        self.assertEqual(self.can(self.page), [])
        self.assertIn(self.record(self.page)["termination"], ("victory", "draw"))
        for guest in self.guests:
            guest.finish()
        self.has_noted(
            (f"pause {room}", f"Room {room} is paused."),
            *[(f"step {room}", f"Room {room} goes one step.")] * 2,
            (f"resume {room}", f"Room {room} goes on."),
        )

    def test_a_room_that_is_gone_before_the_page_looks_is_no_complaint(self) -> None:
        """A cancelled room is forgotten a quarter of a second later: on a long line the page asks for it too late."""
        self.held("hive", hive(5))
        room = self.room(self.page, "hive")
        self.watched(self.page, room)
        self.logged_in()
        self.page.wait_for_selector(button("Cancel the game"))
        beside = Browser(self.daemon.ports["web"])
        path = f"/api/v1/rooms/{room}"

        def late(route: Route) -> None:
            until(lambda: beside.asked("GET", f"rooms/{room}")[0] == 404, "the room is not forgotten")
            route.continue_()

        self.page.route(f"**{path}", late)
        self.page.click(button("Cancel the game"))
        with self.page.expect_response(f"**{path}") as answer:
            self.page.click("dialog button.danger")
        self.assertEqual(answer.value.status, 404)
        self.page.wait_for_selector(".ending:has-text('cancelled')")
        # What is asked now is answered when the page has heard that.
        self.page.evaluate("path => fetch(path).then(answer => answer.text())", path)
        self.assertFalse(self.page.locator(".complaint").is_visible(), self.page.locator(".complaint").inner_text())

    def test_an_answer_that_the_stream_has_overtaken_changes_nothing(self) -> None:
        """After a step the page requests the room. The answer may be older than a move that has arrived meanwhile."""
        bots = self.red_and_blue(6)
        room = self.room(self.page, "hive", "playing")
        self.watched(self.page, room)
        self.logged_in()
        path = f"/api/v1/rooms/{room}"
        with self.page.expect_response(f"**{path}"):
            self.page.click(button("Pause"))
        bots[0].open()
        self.stands(self.page, "paused", 1)
        before = self.asked(self.page, f"/rooms/{room}")
        routes: list[Route] = []
        self.page.route(f"**{path}", lambda route: routes.append(route))  # noqa: PLW0108 (a list takes no marks of Playwright's)
        with self.page.expect_request(f"**{path}"):
            self.page.click(button("One step"))
        bots[1].open()
        self.stands(self.page, "paused", 2)
        routes[0].fulfill(json=before)
        # What is asked now is answered when the page has heard that.
        self.page.evaluate("() => fetch('/api/v1/session').then(answer => answer.text())")
        self.assertEqual(self.page.locator(MOVES).count(), 2)
        self.page.unroute_all()
        self.cancel()

    def test_a_room_of_hive_that_starts_paused(self) -> None:
        page = self.page
        page.goto("/")
        self.logged_in()
        page.click("[data-game=hive] button:text-is('Prepare')")
        page.fill("dialog textarea[name=names]", "Ada\nGrace")
        page.check("dialog input[name=paused]")
        page.click("dialog button[type=submit]")
        page.wait_for_url("**/rooms/*")
        codes = codes_of(page)
        self.assertEqual(len(set(codes)), 2)
        room = page.url.rpartition("/")[2]
        page.wait_for_selector(".title .badge:text-is('paused')")
        # The second seat's player connects first: seats depend on the codes, not on the order.
        for seat in (1, 0):
            self.held("hive", hive(seat, codes[seat])).open()
        page.wait_for_selector(".player:has-text('Ada')")
        page.wait_for_selector(".player:has-text('Grace')")
        page.wait_for_selector(".codes > li:nth-child(2) .badge:text-is('used')")
        self.stands(page, "paused", 0)
        page.click(button("One step"))
        self.stands(page, "paused", 1)
        page.click(button("Resume"))
        page.wait_for_selector(".ending a")
        record = self.record(page)
        self.assertEqual([seat["name"] for seat in record["seats"]], ["Ada", "Grace"])
        self.assertIn(record["termination"], ("victory", "draw"))
        for guest in self.guests:
            guest.finish()
        self.assertEqual([guest.player.player.seat for guest in self.guests], [1, 0])
        self.has_noted(
            ("prepare hive", f"room={room}"),
            (f"step {room}", f"Room {room} goes one step."),
            (f"resume {room}", f"Room {room} goes on."),
        )
        # Whoever has a code has the seat: no log has one.
        self.assertFalse([code for code in codes if code in self.daemon.text()])

    def test_codes_are_handed_on(self) -> None:
        """One seat is taken by the link in another browser, the other one by the command, after a reload."""
        page = self.page
        self.prepares_hive()
        codes = codes_of(page)
        page.reload()
        self.assertEqual(codes_of(page), codes)
        page.click(".codes > li:first-child summary:text-is('QR code of the link')")
        picture = ".codes > li:first-child img"
        page.wait_for_function("where => document.querySelector(where).naturalWidth > 100", arg=picture)
        # The lobby has them, too, and says to others that the seats are reserved.
        page.click(".brand")
        page.wait_for_selector("[data-room]")
        self.assertEqual(codes_of(page), codes)
        other = self.tab(self.browser())
        other.goto("/")
        other.wait_for_selector("[data-room]:has-text('2 reserved seats')")
        self.assertEqual(other.locator("[data-room] button:text-is('Play')").count(), 0)
        self.assertFalse([code for code in codes if code in other.content()])
        other.goto(page.locator(".codes > li:first-child .copied:nth-of-type(2) code").inner_text())
        other.fill("dialog input[name=name]", "Ann")
        other.click("dialog button[type=submit]")
        seated(other)
        page.wait_for_selector(".codes > li:first-child .badge:text-is('used')")
        page.click(".codes > li:last-child summary:text-is('For a program')")
        command = page.locator(".codes > li:last-child details .copied code").inner_text().split()
        self.assertEqual(command[:3], ["gamed", "bot", "hive"])
        bot = subprocess.Popen([SCRIPTS / "gamed", *command[1:]], stdout=subprocess.DEVNULL)
        self.addCleanup(end, bot)
        waits(other, "play", "wait")
        page.wait_for_selector(".prepared", state="hidden")
        other.click("main button:text-is('Leave')")
        other.click("dialog .danger")
        self.assertEqual(bot.wait(PATIENCE), 0)
        self.assertFalse([code for code in codes if code in self.daemon.text()])
