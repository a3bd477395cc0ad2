"""Whole games in a headless Chromium against a real daemon: watched, played by the mouse, played by keys alone."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from gamed.games.battleship.client import Player
from gamed.games.battleship.fleet import cells
from gamed.games.battleship.placement import place_fleet
from gamed.games.battleship.strategy import strategies
from tests.interop.browsing import PATIENCE, sit_by_keys, sit_by_mouse
from tests.interop.drivers import (
    Hand,
    Keys,
    Mouse,
    drag_card,
    own_turn,
    place_ships,
    play_hive,
    play_roborally,
    put_wall,
    shoot_all,
    votes,
    walk,
)
from tests.proofs.live import LiveProof

ENDED = ".ending a"

Sit = Callable[..., str]


def ships_of(seed: int) -> list[tuple[int, int]]:
    """Return the cells of the ships that a player with this seed has."""
    fleet = place_fleet(Random(seed))
    return [(cell % 10, cell // 10) for ship in fleet for cell in cells(ship)]


class WatchTests(LiveProof):
    """Bots play by the games' ports, and a spectator sees all of it."""

    def watch(self, game: str, strategy: str, *more: str) -> None:
        """Watch a game of two bots from before its beginning to its end."""
        first = self.bot(game, strategy, *more)
        room = self.room(self.page, game)
        self.page.goto("/")
        self.page.click(f"[data-room='{room}'] a.button")
        self.page.wait_for_url(f"**/rooms/{room}")
        self.page.wait_for_selector(".board[data-kind]")
        second = self.bot(game, strategy, *more)
        self.page.wait_for_selector(ENDED)
        shown = self.page.locator(".moves li").count()
        self.assertEqual(self.page.locator(".title .badge").inner_text(), "ended")
        # The record is stored a little later, so the test waits for it.
        self.page.click(ENDED)
        self.page.wait_for_selector(".moves li button")
        for bot in (first, second):
            out, err = bot.communicate(timeout=PATIENCE)
            self.assertEqual((bot.returncode, err), (0, ""), out)
        record = self.asked(self.page, f"/records/{self.page.url.rpartition('/')[2].partition('?')[0]}")
        self.assertIn(record["termination"], ("victory", "draw"))
        self.assertEqual(record["length"], shown)
        self.assertGreater(shown, 3)

    def test_battleship(self) -> None:
        self.watch("battleship", "density")

    def test_quoridor(self) -> None:
        self.watch("quoridor", "path")

    def test_hive(self) -> None:
        self.watch("hive", "greedy")

    def test_roborally(self) -> None:
        self.watch("roborally", "planner")


class PlayTests(LiveProof):
    """A person plays whole games against bots, by the mouse and by keys alone."""

    def ends(self) -> dict[str, Any]:
        """Return the record of the game that has just ended on the page."""
        record = self.record(self.page)
        self.assertIn(record["termination"], ("victory", "draw"))
        # Hive knows draws.
        verdicts = ("Nobody won.",) if record["winner"] is None else ("You won.", "You lost.")
        self.assertIn(self.page.locator(".ending strong").inner_text().strip(), verdicts)
        return record

    def test_battleship_by_mouse(self) -> None:
        hand = Mouse(self.page)
        sit_by_mouse(self.page, "battleship", "Ann", "density")
        place_ships(hand)
        shots = shoot_all(hand)
        self.assertIn("Ann (you)", " ".join(self.page.locator(".player, .seats li").all_inner_texts()))
        self.assertGreater(shots, 14)
        # A line for each shot, and one for its answer.
        self.assertGreaterEqual(self.ends()["length"], 4 * shots - 2)

    def test_battleship_by_keys(self) -> None:
        seed = 5
        fleet = Player(strategies["density"](), Random(seed))
        sit_by_keys(self.page, "battleship", "Ann")
        place_ships(Keys(self.page))
        guest = self.guest("battleship", fleet)
        shots = shoot_all(Keys(self.page), sorted(ships_of(seed)))
        guest.finish()
        self.assertEqual((shots, guest.player.won), (17, False))
        self.ends()
        self.assertEqual(self.page.locator(".ending strong").inner_text().strip(), "You won.")

    def test_quoridor_by_mouse(self) -> None:
        self.quoridor(Mouse(self.page), sit_by_mouse, "random")

    def test_quoridor_by_keys(self) -> None:
        self.quoridor(Keys(self.page), sit_by_keys, "path")

    def quoridor(self, hand: Hand, sit: Sit, bot: str) -> None:
        sit(self.page, "quoridor", "Ann", bot)
        votes(self.page, hand.press)
        self.assertTrue(own_turn(self.page))
        put_wall(hand, 3, 4, "horizontal")
        steps = walk(hand)
        self.assertGreater(steps, 4)
        self.assertGreater(self.ends()["length"], steps)

    def test_hive_by_mouse(self) -> None:
        self.hive(Mouse(self.page), sit_by_mouse)

    def test_hive_by_keys(self) -> None:
        self.hive(Keys(self.page), sit_by_keys)

    def hive(self, hand: Hand, sit: Sit) -> None:
        sit(self.page, "hive", "Ann", "greedy")
        moves = play_hive(hand, Random(8))
        self.assertGreater(moves, 3)
        self.assertGreater(self.ends()["length"], moves)

    def test_roborally_by_mouse(self) -> None:
        sit_by_mouse(self.page, "roborally", "Ann", "planner")
        self.page.click("button[data-facing=N]")
        self.page.wait_for_selector("[data-card]")
        drag_card(self.page)
        play_roborally(Mouse(self.page))
        self.ends()

    def test_roborally_by_keys(self) -> None:
        sit_by_keys(self.page, "roborally", "Ann", "planner")
        play_roborally(Keys(self.page))
        self.ends()


class GoTests(LiveProof):
    """A game of Go is written down, saved and replayed."""

    def test_captures_and_a_variation(self) -> None:
        page = self.page
        page.goto("/recorder")
        page.fill("input[name=size]", "9")
        page.fill("input[name=black]", "Ann")
        page.fill("input[name=white]", "Ben")
        page.click("form.search button[type=submit]")
        page.wait_for_url("**/recorder/*")
        # Black takes the stone in the corner.
        self.play((1, 2), (1, 1), (2, 1))
        self.assertEqual(self.stones(), {"1,2": "black", "2,1": "black"})
        page.fill(".noting textarea", "A corner stone is taken.")
        page.click(".noting button[type=submit]")
        page.wait_for_selector(".moves li >> nth=2")
        # With keys: the point next to the last one, where white goes on.
        self.play((5, 5))
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-stone='6,5'][data-side=black]", state="attached")
        # In place of that, another move: a variation.
        page.click("[title='One move back']")
        page.wait_for_selector("[data-stone='6,5']", state="detached")
        self.play((5, 6))
        page.click("[title='One move back']")
        page.wait_for_selector("[data-stone='5,6']", state="detached")
        page.click("[title='One move forward']")
        page.wait_for_selector("[data-stone='6,5']", state="attached")
        page.click("[data-do=pass]")
        page.wait_for_selector(".moves li >> nth=5")
        page.click("button:text-is('Save as a record')")
        page.click("a:text-is('To the record')")
        page.wait_for_url("**/records/*")
        self.replay()

    def play(self, *points: tuple[int, int]) -> None:
        """Put stones by the mouse."""
        for x, y in points:
            self.page.click(f"[data-point='{x},{y}']", force=True)
            self.page.wait_for_selector(f"[data-stone='{x},{y}']", state="attached")

    def stones(self) -> dict[str, str]:
        """Return the stones on the board."""
        found: dict[str, str] = self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll("[data-stone]")].map(
                 one => [one.dataset.stone, one.dataset.side]))"""
        )
        return found

    def replay(self) -> None:
        """Replay the game that was saved, by keys, and its variation by the mouse."""
        page = self.page
        page.wait_for_selector(".moves li >> nth=5")
        page.locator("h1").focus()
        # It opens at its end.
        page.wait_for_selector(".moves li.here[data-n='6']")
        page.keyboard.press("Home")
        page.wait_for_function("() => !document.querySelector('[data-stone]')")
        for n, stones in enumerate((1, 2, 2, 3, 4, 4), 1):
            page.keyboard.press("ArrowRight")
            page.wait_for_function("n => document.querySelectorAll('[data-stone]').length === n", arg=stones)
            page.wait_for_selector(f".moves li.here[data-n='{n}']")
            self.assertEqual(page.locator(".comment").is_visible(), n == 3)
        self.assertEqual(self.stones()["6,5"], "black")
        page.wait_for_url("**/records/*?move=6")
        variation = page.locator("[data-node]").last
        variation.click()
        page.wait_for_selector("[data-stone='5,6'][data-side=black]", state="attached")
        self.assertNotIn("6,5", self.stones())
        # A link to this position leads here again.
        page.wait_for_url("**&node=*")
        page.reload()
        page.wait_for_selector("[data-stone='5,6'][data-side=black]", state="attached")
        for format_, start in (("sgf", b"(;"), ("gofans", b"<"), ("xml", b"<?xml")):
            href = page.locator(f"a[href$='format={format_}']").get_attribute("href")
            file = page.request.get(href)
            self.assertEqual((file.status, file.body()[: len(start)]), (200, start))
