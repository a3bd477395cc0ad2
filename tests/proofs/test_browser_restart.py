"""The daemon is killed and started again while people play and watch."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.interop.browsing import seated
from tests.proofs.live import LiveProof


class RestartTests(LiveProof):
    def sit(self, game: str) -> Page:
        """Take a seat against a program; return another browser, which watches."""
        self.page.goto("/")
        self.page.click(f"[data-game='{game}'] button:text-is('Play')")
        self.page.check("dialog input[value=bots]")
        self.page.click("dialog button[type=submit]")
        seated(self.page)
        watching = self.tab(self.browser())
        room = self.room(self.page, game, "playing")
        watching.goto(f"/rooms/{room}")
        watching.wait_for_selector(".clock.running")
        return watching

    def check(self, game: str) -> None:
        watching = self.sit(game)
        self.daemon.kill()
        self.daemon.start()
        page = self.page
        page.wait_for_selector(".ending a")
        self.assertEqual(page.locator(".ending").inner_text(), "Your seat at the table has been closed. To the record")
        self.assertEqual(page.locator(".clock.running, .complaint:not([hidden])").count(), 0)
        page.click(".ending a")
        for one in (page, watching):
            one.wait_for_selector(".steering")

    def test_hive(self) -> None:
        self.check("hive")

    def test_battleship(self) -> None:
        self.check("battleship")

    def test_roborally(self) -> None:
        self.check("roborally")
        self.assertEqual(self.page.locator(".rr-panel:visible, [data-card]:visible").count(), 0)

    def test_quoridor(self) -> None:
        self.check("quoridor")
