"""The big screen: each move for its time, one game after the other, and the television."""

from __future__ import annotations

from itertools import pairwise

from tests.web.canned import OPEN, ROOM, ShellTestCase, move, moves, scene


class BigScreenTests(ShellTestCase):
    def test_the_big_screen_shows_each_move_for_its_time(self) -> None:
        self.visit("/rooms/r1?screen&pace=400", ".board button")
        self.assertFalse(self.page.is_visible(".top"))
        self.page.evaluate("""() => {
            window.seen = [];
            new MutationObserver(() => {
                const now = performance.now();
                const text = document.querySelector('.board').innerText;
                if (window.seen.at(-1)?.[0] !== text) window.seen.push([text, now]);
            }).observe(document.querySelector('.board'), {childList: true, subtree: true});
        }""")
        for n in range(3, 7):
            self.emit("/rooms/r1", "scene", {"scene": scene(n), "moves": [move(n)]})
        self.wait("window.seen.length === 4")
        seen = self.page.evaluate("window.seen")
        self.assertEqual([text.split()[0] for text, _ in seen], ["34", "45", "56", "67"])
        for (_, before), (_, after) in pairwise(seen):
            # The observer is called a moment after what it observes.
            self.assertGreater(after - before, 300)

    def test_the_television_shows_the_game_that_most_watch_and_then_another_one(self) -> None:
        rooms = [{**ROOM, "id": f"r{n}", "state": "playing", "watchers": n % 3, "moves": n} for n in (1, 2, 3)]
        self.page.clock.install()
        self.api["GET /rooms"] = []
        self.visit("/", "table")
        self.page.click("text=Show one after the other on a big screen")
        self.see("No game is running. The next one will be shown here.")
        self.api["GET /rooms"] = rooms
        self.api["GET /rooms/r2"] = {**self.api["GET /rooms/r1"], "id": "r2"}
        self.page.clock.run_for(2_500)
        self.wait("location.pathname === '/rooms/r2'")
        self.page.wait_for_selector("body.screen .board button")
        self.api["GET /rooms"] = rooms[:1]
        self.emit("/rooms/r2", "gone", {})
        self.page.clock.run_for(8_500)
        self.wait("location.pathname === '/rooms/r1' && location.search === '?screen&tv'")
        # What has closed meanwhile is passed over.
        gone = {"code": "no-room", "text": "no", "hint": ""}
        self.api["GET /rooms/r1"] = lambda _: (404, {"error": gone})
        self.page.reload()
        self.api["GET /rooms"] = []
        self.wait("location.pathname === '/tv'")
        self.errors.clear()

    def test_the_big_screen_goes_on_to_the_next_game(self) -> None:
        self.page.clock.install()
        self.api["GET /rooms/r2"] = {**ROOM, "id": "r2", "scene": scene(2), "moves": moves(1, 2)}
        self.visit("/rooms/r1?screen", ".board button")
        self.emit("/rooms/r1", "gone", None)
        self.page.clock.run_for(8_500)
        # Nobody plays. The result stays.
        self.wait("location.pathname === '/rooms/r1'")
        self.api["GET /rooms"] = [ROOM, OPEN, {**ROOM, "id": "r2"}]
        self.page.clock.run_for(8_500)
        self.wait("location.pathname === '/rooms/r2' && location.search === '?screen'")
        self.page.wait_for_selector("body.screen .board button")
