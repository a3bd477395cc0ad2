"""The administrator's part of pages, and bots that wait for the test: for tests of what administrators do.

Source: docs/reference/console.md#the-audit-log.
"""

from __future__ import annotations

import re
from random import Random

from playwright.sync_api import Page

from gamed.core.clients import Player
from gamed.registry import game_types
from tests.interop.browsing import Guest, Held, LiveTestCase, log_in, until
from tests.interop.drivers import MOVES

ACTIONS = ("Pause", "Resume", "One step", "Cancel the game")
NOTED = re.compile(r"audit: user=(\S+) from=(\S+ \S+) did=(.*?) result=(.*)")

Noted = list[tuple[str, ...]]


def hive(seed: int, reservation: str | None = None) -> Player:
    """Return a bot of Hive."""
    return game_types()["hive"].players["greedy"](Random(seed), reservation=reservation)


def button(text: str) -> str:
    """Return the selector of a button outside of dialogs."""
    return f"main button:text-is('{text}')"


def codes_of(page: Page) -> list[str]:
    """Return the codes of a prepared room with two seats that its maker sees."""
    page.wait_for_selector(".codes > li >> nth=1")
    return page.locator(".codes > li > .copied:nth-of-type(1) code").all_inner_texts()


class AdminTestCase(LiveTestCase):
    """One daemon, and bots whose moves the test releases one by one."""

    def setUp(self) -> None:
        super().setUp()
        self.guests: list[Guest] = []
        self.already = len(self.noted())

    def held(self, game: str, player: Player) -> Held:
        """Connect a bot to the game's port. Its answers are held back."""
        held = Held(player)
        guest = self.guest(game, held)
        # Whoever is still held back then is not waited for.
        self.addCleanup(held.open)
        self.guests.append(guest)
        return held

    def red_and_blue(self, seed: int) -> list[Held]:
        """Let two bots play Hive, in this order."""
        red = self.held("hive", hive(seed))
        self.room(self.page, "hive")
        return [red, self.held("hive", hive(seed + 1))]

    def noted(self) -> Noted:
        """Return all lines of the audit log: user, address, command and result."""
        found = (line.groups() for line in NOTED.finditer(self.daemon.text()))
        # Each request of a browser may have another port.
        return [(user, origin.rpartition(":")[0], *rest) for user, origin, *rest in found]

    def has_noted(self, *done: tuple[str, str]) -> None:
        """Hold what was done, and the beginning of what came of it, against the audit log since the test began."""
        wanted = [("admin", "web 127.0.0.1", *one) for one in done]
        until(lambda: len(self.noted()) >= self.already + len(done), "it is not noted")
        found = self.noted()[self.already :]
        self.assertEqual([(*one[:3], one[3][: len(want[3])]) for one, want in zip(found, wanted, strict=True)], wanted)

    def watched(self, page: Page, room: str) -> None:
        """Show a room."""
        page.goto(f"/rooms/{room}")
        page.wait_for_selector(".board[data-kind]")

    def stands(self, page: Page, state: str, moves: int) -> None:
        """Wait until a room's page shows this state and exactly so many moves."""
        page.wait_for_selector(f".title .badge:text-is('{state}')")
        page.wait_for_function("n => document.querySelectorAll('.moves li').length >= n", arg=moves)
        self.assertEqual(page.locator(MOVES).count(), moves)

    def can(self, page: Page) -> list[str]:
        """Return which of the administrator's buttons are there, and may be pressed."""
        found: list[str] = page.evaluate(
            """words => [...document.querySelectorAll("main button:not(:disabled)")].map(
                 one => one.textContent).filter(text => words.includes(text))""",
            ACTIONS,
        )
        return found

    def logged_in(self) -> None:
        """Log in on the present page."""
        log_in(self.page)
        self.page.wait_for_selector("header button:text-is('Log out')")

    def prepares_hive(self) -> str:
        """Log in in the lobby and prepare a room of Hive, which is then shown; return its id."""
        self.page.goto("/")
        self.logged_in()
        self.page.click("[data-game=hive] button:text-is('Prepare')")
        self.page.click("dialog button[type=submit]")
        self.page.wait_for_url("**/rooms/*")
        return self.page.url.rpartition("/")[2]

    def cancel(self) -> None:
        """Cancel the game of the room that is shown."""
        self.page.click(button("Cancel the game"))
        self.page.click("dialog button.danger")
        self.page.wait_for_selector(".title .badge:text-is('ended')")
        self.page.wait_for_selector(".ending:has-text('cancelled')")
        self.assertFalse(self.page.locator(".complaint").is_visible(), self.page.locator(".complaint").inner_text())
