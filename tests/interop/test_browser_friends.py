"""Friends at a private table, with the mouse alone and in browsers that have never been here."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from tests.interop.browsing import LiveTestCase, seated

NAMES = "() => [...document.querySelectorAll('.player bdi, .seats li bdi')].map((one) => one.innerText)"
SEATED = "(count) => document.querySelectorAll('.player bdi, .seats li bdi').length >= count"


class FriendTests(LiveTestCase):
    def click(self, page: Page, selector: str) -> None:
        page.click(selector)
        self.clicks += 1

    def invited(self, game: str) -> str:
        """Open a private table from the lobby, copy its link, and return it."""
        self.clicks = 0
        self.page.goto("/")
        self.click(self.page, f"[data-game='{game}'] button:text-is('With friends')")
        self.click(self.page, "dialog button[type=submit]")
        self.page.wait_for_selector(".ways .copied")
        self.click(self.page, ".ways .copied button")
        # The clipboard as another page gets it: what was selected was copied.
        address: str = self.page.evaluate("String(getSelection())")
        self.assertIn("#", address)
        self.assertEqual(self.clicks, 3)
        return address

    def joined(self, address: str) -> Page:
        """Follow a link in another browser."""
        friend = self.tab(self.browser())
        self.clicks = 1  # the link itself
        friend.goto(address)
        self.click(friend, "dialog button[type=submit]")
        self.assertEqual(self.clicks, 2)
        seated(friend)
        return friend

    def check(self, game: str) -> None:
        friend = self.joined(self.invited(game))
        for page in (self.page, friend):
            page.wait_for_function(SEATED, arg=2)
            # In one call: a list that is drawn anew between two has no lines any longer.
            names = page.evaluate(NAMES)
            # Two guests of RoboRally may have drawn the same letter: then one has some more.
            found = [bool(re.fullmatch(r"Guest ?[A-Z][a-z]*", name)) for name in names[:2]]
            self.assertEqual(found, [True, True], names)
        if game != "quoridor":
            # In Quoridor they vote first.
            self.page.wait_for_selector(".ways", state="hidden")

    def test_battleship(self) -> None:
        self.check("battleship")

    def test_hive(self) -> None:
        self.check("hive")

    def test_quoridor(self) -> None:
        self.check("quoridor")

    def test_roborally(self) -> None:
        self.check("roborally")

    def test_from_the_page_of_somebody_who_waits(self) -> None:
        """A table for anybody becomes a private one; a program takes the place of the friend who does not come."""
        self.page.goto("/")
        self.page.click("[data-game='hive'] button:text-is('Play')")
        self.page.check("dialog input[value=wait]")
        self.page.click("dialog button[type=submit]")
        self.page.click(".ways button:text-is('Invite a friend by a link')")
        self.page.wait_for_selector(".ways .copied")
        room = self.asked(self.page, f"/seats/{self.page.url.rpartition('/')[2]}")["room"]
        self.assertEqual(self.asked(self.page, f"/rooms/{room}")["free"], 0)
        self.page.click(".ways button:text-is('Add a program')")
        self.page.wait_for_function(SEATED, arg=2)
        self.page.wait_for_selector(".ways", state="hidden")
        self.phase(self.page, "play")

    def test_a_program_for_somebody_who_waits(self) -> None:
        self.page.goto("/")
        self.page.click("[data-game='battleship'] button:text-is('Play')")
        self.page.check("dialog input[value=wait]")
        self.page.click("dialog button[type=submit]")
        self.page.click(".ways button:text-is('Add a program')")
        self.page.wait_for_function(SEATED, arg=2)
        self.page.wait_for_selector(".ways", state="hidden")

    def test_the_room_s_page_has_a_way_in_and_somebody_else_s_seat_leads_there(self) -> None:
        self.page.goto("/")
        self.page.click("[data-game='battleship'] button:text-is('Play')")
        self.page.check("dialog input[value=wait]")
        self.page.click("dialog button[type=submit]")
        self.page.wait_for_selector(".ways")
        friend = self.tab(self.browser())
        friend.goto(self.page.url)
        self.assertEqual(
            friend.locator("[role=alert]").inner_text(),
            "Somebody else sits here, in another browser: "
            "sit down in its room, if a seat is free there, or watch the game.",
        )
        friend.click("a:text-is('To the room')")
        friend.click("button:text-is('Sit down')")
        friend.click("dialog button[type=submit]")
        self.page.wait_for_selector(".ways", state="hidden")
        friend.wait_for_function(SEATED, arg=2)
