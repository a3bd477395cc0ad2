"""Which pages with a board hold a stream of events: a browser has six connections to a host for all its windows."""

from __future__ import annotations

from typing import Any

from tests.web.browser import HELD
from tests.web.canned import TAMED, ShellTestCase, moves, scene

HIDE = """
(isHidden) => {
  Object.defineProperty(document, "hidden", {configurable: true, get: () => isHidden});
  document.dispatchEvent(new Event("visibilitychange"));
}
"""


class StreamTests(ShellTestCase):
    """Who watches has a stream only while the page is seen; who plays keeps it."""

    def hide(self, *, is_hidden: bool) -> None:
        self.page.evaluate(HIDE, is_hidden)

    def is_free(self, path: str) -> None:
        """Wait until nothing listens to a resource."""
        self.wait(f"(topic) => !({HELD})(topic)", path.removeprefix("/"))

    def test_who_watches_lets_go_and_comes_back_to_what_happened(self) -> None:
        for page in ("/rooms/r1", "/rooms/r1?screen=&pace=0"):
            self.visit(page, ".board button")
            self.hold("/rooms/r1")
            self.hide(is_hidden=True)
            self.is_free("/rooms/r1")
            self.hide(is_hidden=False)
            self.hold("/rooms/r1")
            self.emit("/rooms/r1", "scene", {"scene": scene(4), "moves": moves(1, 4)})
            self.see("45", ".board")

    def test_moves_that_were_missed_are_in_the_list(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.hide(is_hidden=True)
        self.is_free("/rooms/r1")
        self.hide(is_hidden=False)
        self.emit("/rooms/r1", "scene", {"scene": scene(5), "moves": moves(1, 5)})
        self.wait("document.querySelectorAll('.moves li').length === 5")

    def test_a_page_that_opens_unseen_waits_until_it_is_seen(self) -> None:
        self.page.add_init_script("Object.defineProperty(document, 'hidden', {configurable: true, get: () => true});")
        self.visit("/rooms/r1", ".board button")
        self.is_free("/rooms/r1")
        self.page.evaluate("() => window.dispatchEvent(new Event('online'))")
        self.is_free("/rooms/r1")
        self.hide(is_hidden=False)
        self.hold("/rooms/r1")

    def test_nobody_is_told_of_a_lost_line_while_the_page_is_hidden(self) -> None:
        self.page.clock.install()
        self.visit("/rooms/r1", ".board button")
        self.lose("/rooms/r1")
        self.page.clock.fast_forward(3_000)
        self.wait("!document.querySelector('.banner').hidden")
        self.hide(is_hidden=True)
        self.assertTrue(self.page.evaluate("document.querySelector('.banner').hidden"))

    def test_the_way_to_the_content_leaves_board_and_stream_alone(self) -> None:
        self.visit("/seats/s1", ".board button")
        asked = len(self.asked)
        self.page.focus(".skip")
        self.page.keyboard.press("Enter")
        self.wait("document.activeElement.id === 'content'")
        self.page.wait_for_timeout(100)
        self.assertEqual((len(self.asked), self.page.evaluate("window.destroyed ?? 0")), (asked, 0))
        self.assertTrue(self.page.evaluate("document.activeElement.id === 'content'"))

    def test_who_plays_keeps_the_stream(self) -> None:
        self.visit("/seats/s1", ".board button")
        self.hide(is_hidden=True)
        self.hold("/seats/s1")
        self.emit("/seats/s1", "scene", {"scene": {**scene(3), "you": {"seat": 0}, "won": None}, "moves": moves(3, 3)})
        self.see("34", ".board")


class WorkerTests(ShellTestCase):
    def test_a_worker_that_cannot_be_loaded_is_done_without(self) -> None:
        self.page.add_init_script(
            "window.SharedWorker = class { constructor() { setTimeout(() => this.onerror()); } };"
        )
        self.visit("/rooms/r1", ".board button")
        self.emit("/rooms/r1", "scene", {"scene": scene(4), "moves": moves(1, 4)})
        self.see("45", ".board")
        self.assertFalse(self.page.is_visible(".banner"))


class AwayTests(ShellTestCase):
    """Whose browser has gone, and what the clocks of a page do whose server has gone."""

    def setUp(self) -> None:
        super().setUp()
        self.page.clock.install()

    def show(self, path: str, language: str = "en") -> None:
        self.visit("/about")
        self.page.evaluate("(language) => localStorage.setItem('gamed.language', language)", language)
        self.visit(path, ".board button")

    def tell(self, path: str, **others: Any) -> None:
        self.emit(path, "scene", {"scene": scene(2, you={"seat": 0}, won=None, **others), "moves": []})

    def test_an_opponent_who_is_away_and_comes_back(self) -> None:
        for language, (gone, later, back, said) in {
            "en": ("away for 12 s", "away for 15 s", "is back", ("is away.", "is back.")),
            "de": ("seit 12 s weg", "seit 15 s weg", "ist wieder da", ("ist weg.", "ist wieder da.")),
        }.items():
            for path, place in (
                ("/rooms/r1", ".seats"),
                ("/seats/s1", ".seats"),
                ("/rooms/r1?screen=&pace=0", ".versus"),
            ):
                self.show(path, language)
                topic = path.partition("?")[0]
                self.tell(topic, away={"1": 12.4})
                self.see(gone, place)
                self.page.clock.run_for(3_000)
                self.see(later, place)
                self.tell(topic, away={})
                self.see(back, place)
                for words in said:
                    self.see(words, "[aria-live]")
                self.page.clock.run_for(6_000)
                self.wait(f"!document.querySelector('{place}').innerText.includes('{back}')")

    def test_clocks_stop_with_the_connection_and_say_so(self) -> None:
        for path, language, stopped in (
            ("/rooms/r1", "en", "(stopped: no connection)"),
            ("/rooms/r1", "de", "(angehalten: keine Verbindung)"),
            ("/seats/s1", "en", "(stopped: no connection)"),
        ):
            self.show(path, language)
            place = ".running" if path == "/rooms/r1" else ".countdown"
            self.tell(path, left=100.0)
            self.page.clock.run_for(2_000)
            self.assertNotIn("(", self.page.inner_text(place))
            self.lose(path)
            self.page.clock.run_for(4_000)
            self.see(stopped, place)
            before = self.page.inner_text(place)
            self.page.clock.run_for(5_000)
            self.assertEqual(self.page.inner_text(place), before)
            self.restore()
            self.page.clock.fast_forward(20_000)
            self.hold(path)
            self.page.clock.run_for(1_000)
            self.wait(f"!document.querySelector('{place}').innerText.includes('(')")
            self.assertNotIn(self.page.inner_text(place), before)


RESTING = """
import {el, replace} from "/static/dom.js";
export const words = {en: {}, de: {}};
export const describe = (move) => move.text;
export function create(root, context) {
  window.rests = [];
  window.paces = [];
  return {
    update(scene) {
      window.paces.push(context.pace);
      replace(root, el("button", {type: "button"}, String(scene.board.fields[0])));
    },
    rest: () => new Promise((resolve) => window.rests.push(resolve)),
    destroy() {},
  };
}
"""


class RestTests(ShellTestCase):
    """What a board shows in steps is seen to its end."""

    def setUp(self) -> None:
        super().setUp()
        self.files["/static/games/toy/board.js"] = RESTING

    def shown(self) -> str:
        return self.page.inner_text(".board button")

    def test_a_replay_waits_for_the_board(self) -> None:
        self.visit("/records/0a1b2c3d?move=9", ".board button")
        self.page.select_option('select[aria-label="Speed"]', "10")
        self.page.keyboard.press("Space")
        self.wait("window.rests.length === 1")
        self.page.wait_for_timeout(250)
        self.assertEqual(self.shown(), "10")
        self.assertEqual(self.page.evaluate("window.paces.at(-1)"), 10)
        self.page.evaluate("window.rests.shift()()")
        self.wait("window.rests.length === 1")
        self.assertEqual(self.shown(), "11")

    def test_a_replay_that_was_stopped_does_not_go_on(self) -> None:
        self.visit("/records/0a1b2c3d?move=9", ".board button")
        self.page.select_option('select[aria-label="Speed"]', "10")
        self.page.keyboard.press("Space")
        self.wait("window.rests.length === 1")
        self.page.keyboard.press("Space")
        self.page.evaluate("window.rests.shift()()")
        self.page.wait_for_timeout(250)
        self.assertEqual(self.shown(), "10")

    def test_the_big_screen_waits_and_hurries_where_many_moves_wait(self) -> None:
        self.visit("/rooms/r1?screen=&pace=0", ".board button")
        for n in range(3, 12):
            self.emit("/rooms/r1", "scene", {"scene": scene(n), "moves": moves(n, n)})
        self.wait("window.rests.length === 1")
        self.page.wait_for_timeout(100)
        self.assertEqual(self.shown(), "3")
        self.assertEqual(self.page.evaluate("window.paces.at(-1)"), 1)
        self.page.evaluate("window.rests.shift()()")
        self.wait("window.rests.length === 1")
        self.assertEqual(self.shown(), "4")
        self.assertEqual(self.page.evaluate("window.paces.at(-1)"), 1.875)

    def test_names_after_an_end(self) -> None:
        """Nobody is called disconnected when the game is over, and a cause follows the verdict."""
        over = scene(4, outcome={"termination": "cancelled", "winner": None}, you={"seat": 0}, won=None)
        self.visit("/seats/s1", ".board button")
        self.assertEqual(self.page.locator(".seats .warn").count(), 1)
        self.emit("/seats/s1", "scene", {"scene": over, "moves": moves(3, 4)})
        self.see("Nobody won. (cancelled)", ".ending")
        self.assertEqual(self.page.locator(".seats .warn").count(), 0)
        self.assertIn(TAMED, self.page.inner_text(".seats"))
