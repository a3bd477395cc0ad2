"""One match after the other at the same table: who watches is led on from one to the next, without a reload.

Source: docs/reference/quoridor.md#states-of-a-table (reset). A connection of Battleship is one match: there is no next
one.
"""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.interop.browsing import sit_by_mouse
from tests.interop.drivers import MOVES, Keys, Mouse, own_turn, put_wall, step, waits
from tests.proofs.live import LiveProof

MARK = "() => { window.marked = true; }"
WON = ".ending:has-text('{} won')"


class NextMatchTests(LiveProof):
    def test_quoridor(self) -> None:
        """Two persons play, reset by a key, and play again; a spectator and a big screen follow."""
        ann, ben = self.page, self.tab(self.browser())
        self.seat = sit_by_mouse(ann, "quoridor", "Ann")
        sit_by_mouse(ben, "quoridor", "Ben")
        if waits(ann, "voting", "play", "wait") == "voting":
            ann.click("[data-do=vote-2]")
        room = self.room(ann, "quoridor", "playing")
        watching, screen = self.watching(f"/rooms/{room}"), self.watching(f"/rooms/{room}?screen&pace=0")
        self.assertTrue(own_turn(ann))
        put_wall(Mouse(ann), 0, 4, "horizontal")
        moves = self.play(ben, ann)
        self.ends(watching, moves + 1)
        first = self.record(watching)
        self.assertEqual((first["length"], first["termination"]), (moves + 1, "victory"))
        screen.wait_for_selector(WON.format(self.winner(first)))
        self.assertEqual(watching.locator("[data-built]").count(), 1)
        # Anybody may begin the next one.
        Keys(ben).press(".q-board [data-cell]")
        ben.keyboard.press("r")
        for page in (ann, ben, watching, screen):
            waits(page, "play", "wait")
            page.wait_for_selector(".ending", state="hidden")
            page.wait_for_selector("[data-built]", state="detached")
        for page in (ann, ben, watching):
            page.wait_for_selector(MOVES, state="detached")
        watching.wait_for_selector(".title .badge:text-is('playing')")
        # The loser begins.
        moves = self.play(*((ann, ben) if self.winner(first) == "Ben" else (ben, ann)))
        self.ends(watching, moves)
        second = self.record(watching)
        self.assertNotEqual(second["id"], first["id"])
        self.assertEqual((second["length"], second["termination"]), (moves, "victory"))
        screen.wait_for_selector(WON.format(self.winner(second)))
        # No page was reloaded.
        self.assertTrue(watching.evaluate("window.marked") and screen.evaluate("window.marked"))
        # What the page of the match before led to is still that one.
        watching.goto(f"/records/{first['id']}")
        watching.wait_for_selector(f".moves li >> nth={first['length'] - 1}")

    def winner(self, record: dict[str, Any]) -> str:
        """Return the name of the winner."""
        return str(next(seat["name"] for seat in record["seats"] if seat["seat"] == record["winner"]))

    def watching(self, path: str) -> Page:
        """Return a page that watches, with a mark that a reload would wipe out."""
        page = self.tab(self.context)
        page.goto(path)
        page.wait_for_selector(".board[data-kind]")
        page.evaluate(MARK)
        return page

    def play(self, first: Page, second: Page) -> int:
        """Walk in turns until the one who begins has won, and return the number of moves."""
        for moves in range(100):
            mover = (first, second)[moves % 2]
            # Chromium draws a tab behind another one once a second.
            mover.bring_to_front()
            if not own_turn(mover):
                return moves
            step(Mouse(mover))
        raise AssertionError("the game does not end")

    def ends(self, page: Page, moves: int) -> None:
        """Wait until a page shows a match to its end."""
        page.wait_for_selector(f"{MOVES} >> nth={moves - 1}", state="attached")
        page.wait_for_selector(".ending a")
        self.assertEqual(page.locator(MOVES).count(), moves)
        self.assertEqual(page.locator(".title .badge").inner_text(), "ended")
