"""More of the administrator's work in the browser: cancelled games, and the pages that show it.

Source: docs/reference/web-api.md#calls.
"""

from __future__ import annotations

from random import Random
from typing import ClassVar

from gamed.games.battleship.client import Player as Gunner
from gamed.games.battleship.strategy import strategies
from tests.interop.administrator import AdminTestCase, button
from tests.interop.browsing import sit_by_mouse, until
from tests.interop.drivers import MOVES, Mouse, move_hive, waits
from tests.proofs.live import LiveProof


class AdminProofs(AdminTestCase):
    skip: ClassVar[str | None] = LiveProof.skip

    def test_a_game_of_hive_bots_is_cancelled(self) -> None:
        bots = self.red_and_blue(3)
        room = self.room(self.page, "hive", "playing")
        other = self.tab(self.browser())
        self.watched(other, room)
        self.watched(self.page, room)
        self.logged_in()
        bots[0].let(1)
        self.stands(self.page, "playing", 1)
        self.cancel()
        other.wait_for_selector(".ending:has-text('cancelled')")
        for page in (self.page, other):
            page.wait_for_selector(".ending a")
            record = self.record(page)
            self.assertEqual((record["termination"], record["winner"], record["length"]), ("cancelled", None, 1))
        self.has_noted((f"cancel {room}", f"Room {room} is cancelled."))

    def test_a_game_of_battleship(self) -> None:
        bots = [self.held("battleship", Gunner(strategies["density"](), Random(seed))) for seed in (1, 2)]
        room = self.room(self.page, "battleship", "playing")
        self.watched(self.page, room)
        self.logged_in()
        self.page.wait_for_selector(button("Pause"))
        # The attacker's shot is released; the other bot's answer and next shot are held back.
        for bot in bots:
            bot.let(1)
        self.page.wait_for_selector(f"{MOVES} >> nth=0", state="attached")
        self.page.click(button("Pause"))
        self.page.wait_for_selector(".title .badge:text-is('paused')")
        told = self.page.locator(MOVES).count()
        for bot in bots:
            bot.open()
        for n in (told + 1, told + 2):
            self.step(room, n)
        self.assertEqual(self.asked(self.page, f"/rooms/{room}")["state"], "paused")
        self.cancel()
        self.page.wait_for_selector(".ending a")
        record = self.record(self.page)
        self.assertEqual((record["termination"], record["winner"], record["length"]), ("cancelled", None, told + 2))
        found = [one[2:] for one in self.noted()[self.already :]]
        self.assertEqual(found[0], (f"pause {room}", f"Room {room} is paused."))
        self.assertEqual(found[-1], (f"cancel {room}", f"Room {room} is cancelled."))

    def step(self, room: str, moves: int) -> None:
        """Press until so many moves stand there: what is held must have come before it can be let through."""

        def stepped() -> bool:
            if self.asked(self.page, f"/rooms/{room}")["moves"][moves - 1 :]:
                return True
            with self.page.expect_response("**/step"):
                self.page.click(button("One step"))
            return False

        until(stepped, "a step lets nothing through")
        self.stands(self.page, "paused", moves)

    def test_a_room_that_nobody_comes_to_is_cancelled(self) -> None:
        page = self.page
        room = self.prepares_hive()
        page.wait_for_selector(".title .badge:text-is('waiting')")
        self.cancel()
        self.has_noted(("prepare hive", f"room={room}"), (f"cancel {room}", f"Room {room} is cancelled."))
        page.click(".brand")
        page.wait_for_selector("h2:text-is('Open rooms')")
        page.wait_for_selector(f"[data-room='{room}']", state="detached")

    def test_a_person_is_told(self) -> None:
        """The players of a paused room see that it is paused, and no clock runs meanwhile."""
        playing = self.tab(self.browser())
        seat = sit_by_mouse(playing, "hive", "Ann", "greedy")
        waits(playing, "play")
        room = self.asked(playing, f"/seats/{seat}")["room"]
        playing.wait_for_selector(".clock.running:has-text('+')")
        self.watched(self.page, room)
        self.logged_in()
        self.page.click(button("Pause"))
        self.page.wait_for_selector(".title .badge:text-is('paused')")
        playing.wait_for_selector("main :text('paused')")
        playing.wait_for_function("() => !document.querySelector('.clock.running')?.textContent")
        # The move that was asked for before is still taken, and is the last one for now.
        move_hive(Mouse(playing), Random(1))
        waits(playing, "wait")
        self.page.click(button("Resume"))
        playing.wait_for_selector("main :text('paused')", state="detached")
        waits(playing, "play")
        self.cancel()
        playing.wait_for_selector(".ending:has-text('cancelled')")
