"""RoboRally's board in the shell of its pages: limits, the list of moves, and when an end is told."""

from __future__ import annotations

from typing import Any, ClassVar

from tests.games.roborally.scenes import scene, started
from tests.web.canned import SESSION, UNREMARKABLE, ShellTestCase
from tests.web.test_board_roborally import laser_end


class TimeTests(ShellTestCase):
    """A seat with a limit, through the shell."""

    def sit(self, seen: dict[str, Any]) -> None:
        games = [{"kind": "roborally", "name": "RoboRally", "can": ["play"], "bots": [], "options": {}}]
        self.api["GET /session"] = {**SESSION, "games": games}
        self.api["GET /seats/r1"] = {"id": "r1", "game": "roborally", "name": "Me", "scene": seen, "moves": []}
        self.visit("/seats/r1", ".rr-panel")

    def remove(self, phase: str = "removed", reason: str = "time") -> None:
        asked = scene(started("anlauf", 2), 0)
        you = {**asked["you"], "prompt": None, "removed": reason}
        after = {**asked, "phase": phase, "you": you, "left": None}
        self.emit("/seats/r1", "scene", {"scene": after, "moves": [], "reset": False})

    def test_a_countdown_and_the_reason(self) -> None:
        asked = scene(started("anlauf", 2), 0)
        self.sit({**asked, "left": 59.5})
        self.see("0:59 left")
        self.see("0:58 left")
        self.emit("/seats/r1", "scene", {"scene": {**asked, "left": 3.0}, "moves": [], "reset": False})
        self.see("0:02 left")
        self.see("0:03 left", "[aria-live]")
        self.remove()
        reason = "You were removed from the game because you did not decide within 60 s."
        self.see(reason)
        self.assertEqual(self.text().count("You were removed"), 1)
        self.assertTrue(self.page.locator(".countdown").is_hidden())
        self.assertNotIn("Waiting for the others", self.text())

    def test_in_german(self) -> None:
        self.sit({**scene(started("anlauf", 2), 0), "left": 59.5})
        self.page.select_option('select[aria-label="Language"]', "de")
        self.see("noch 0:5")
        self.page.wait_for_selector(".rr-panel")
        self.remove()
        self.see("Du bist ausgeschieden, weil du dich nicht innerhalb von 60 s entschieden hast.")

    def test_an_end_is_told_once_above_the_course(self) -> None:
        asked = scene(started("anlauf", 2), 0)
        self.sit(asked)
        self.assertTrue(self.page.locator(".rr-panel").is_visible())
        for phase, words in {"removed": "broke the rules", "out": "You have lost your last life."}.items():
            self.remove(phase, "rules")
            self.see(words)
            self.assertEqual(self.text().count(words), 1)
            self.assertTrue(self.page.locator(".rr-panel").is_hidden())


class MovesTests(ShellTestCase):
    """The list of moves has the cards of the programs as they are revealed."""

    HIDDEN: ClassVar[dict[str, Any]] = {"n": 2, "seat": 0, "text": "", "at": 10, "took": None}
    FACING: ClassVar[dict[str, Any]] = {"n": 1, "seat": 0, "text": "E", "at": 5, "took": None}

    def setUp(self) -> None:
        super().setUp()
        games = [{"kind": "roborally", "name": "RoboRally", "can": ["play"], "bots": [], "options": {}}]
        self.api["GET /session"] = {**SESSION, "games": games}

    def lines(self) -> list[str]:
        found = self.page.locator(".moves li .unseen, .moves li bdi:not([aria-hidden])").all_text_contents()
        return [line.replace("\u2068", "").replace("\u2069", "") for line in found]

    def check(self, path: str, page: str, **more: Any) -> None:
        before = {**scene(started("anlauf", 2)), **more, "last": self.HIDDEN}
        here = {
            "id": "r1",
            "game": "roborally",
            "name": "Me",
            "state": "playing",
            "seats": [],
            "started": "2026-01-01T00:00:00Z",
        }
        self.api[f"GET {path}"] = {**here, "moves": [self.FACING, self.HIDDEN], "scene": before}
        self.visit(page, ".moves li")
        self.assertEqual(self.lines(), ["Anna faces east", "Anna has programmed the robot"])
        self.assertEqual(self.page.locator(".moves [aria-hidden]:is(bdi)").all_inner_texts(), ["east", "•••••"])
        second = {**self.HIDDEN, "n": 3, "seat": 1}
        for moves, expected in (
            ([{**self.HIDDEN, "cards": [60, 10]}, second], "1 Move 1 (60), 2 Turn right (10)"),
            ([{**self.HIDDEN, "cards": [60, 10, 44, 1, 80]}], "3 Back up (44), 4 U-turn (1), 5 Move 3 (80)"),
        ):
            self.emit(path, "scene", {"scene": {**before, "last": second}, "moves": moves})
            self.see(expected, ".moves")
        self.assertEqual(self.lines()[2], "Bert has programmed the robot")
        self.assertEqual(
            self.page.locator(".moves [aria-hidden]:is(bdi)").nth(1).inner_text(), "1\u2009↱\u2009↓\u2009↻\u20093"
        )

    def test_in_a_room(self) -> None:
        self.check("/rooms/r1", "/rooms/r1")

    def test_in_a_seat(self) -> None:
        self.check("/seats/r1", "/seats/r1", you=scene(started("anlauf", 2), 0)["you"], won=None)

    def test_in_a_replay(self) -> None:
        move = {**self.HIDDEN, "n": 1, "text": "4,1,9,2,8 down", "cards": [60, 10]}
        seats = [{"seat": seat, "name": name} for seat, name in enumerate(("Anna", "Bert"))]
        columns = {"id": "0a1b2c3d", "publisher": "gamed-roborally", "version": "1.0", "game": "roborally"}
        facts = {"started": "2026-01-01T00:00:00Z", "ended": "", "length": 1, "options": {}, "outcome": None}
        more = {**UNREMARKABLE, "formats": ["xml"], "boards": True}
        self.api["GET /records/0a1b2c3d"] = {**columns, **facts, **more, "seats": seats, "moves": [move]}
        there = {**scene(started("anlauf", 2)), "n": 0, "turn": []}
        self.api["GET /records/0a1b2c3d/positions?from=0&to=1"] = [there, {**there, "n": 1}]
        self.visit("/records/0a1b2c3d", ".moves li")
        self.assertEqual(
            self.lines(), ["Anna has programmed the robot and will power down: 1 Move 1 (60), 2 Turn right (10)"]
        )


class SuspenseTests(ShellTestCase):
    """The shell tells how a game ended when the board has come there, to players and to spectators."""

    RESULT = ".ending:not([hidden])"

    def setUp(self) -> None:
        super().setUp()
        self.page.emulate_media(reduced_motion="no-preference")
        games = [{"kind": "roborally", "name": "RoboRally", "can": ["play"], "bots": [], "options": {}}]
        self.api["GET /session"] = {**SESSION, "games": games}
        self.before, _, self.over = laser_end()

    def check(self, path: str, page: str, said: str, **more: Any) -> None:
        """Let a game end: nothing of it is told with the first step, and all of it after the last."""
        here = {"id": "r1", "game": "roborally", "name": "Me", "state": "playing", "seats": [], "moves": []}
        self.api[f"GET {path}"] = {**here, "started": "2026-01-01T00:00:00Z", "scene": {**self.before, **more}}
        self.visit(page, ".rr-crew li")
        after = {**self.over, **more, "phase": "over", "won": False if more else None}
        self.emit(path, "scene", {"scene": after, "moves": [], "reset": False})
        # The step says what happens in it.
        self.see("Lasers fire. ", ".rr-now")
        self.assertIn("is destroyed by lasers", self.text(".rr-now"))
        self.assertEqual(self.page.locator(self.RESULT).count(), 0)
        for told in ("won", "wins", "You lost", "Ranking"):
            self.assertNotIn(told, self.text("body"))
        self.assertNotIn("destroyed", self.text(".rr-crew"))
        self.page.wait_for_selector(self.RESULT)
        self.see(said)
        self.see("destroyed", ".rr-crew")

    def test_a_spectator(self) -> None:
        self.check("/rooms/r1", "/rooms/r1", "Bert won")

    def test_the_big_screen(self) -> None:
        self.check("/rooms/r1", "/rooms/r1?screen", "Bert won")

    def test_a_player(self) -> None:
        you = {**scene(started("anlauf", 2), 0)["you"], "prompt": None, "hand": []}
        self.check("/seats/s1", "/seats/s1", "You lost.", you=you)


class NextTurnTests(ShellTestCase):
    """Nothing of the next turn is shown before the board has shown this one: prompt, hand, list of moves."""

    def test_a_player(self) -> None:
        self.page.emulate_media(reduced_motion="no-preference")
        games = [{"kind": "roborally", "name": "RoboRally", "can": ["play"], "bots": [], "options": {}}]
        self.api["GET /session"] = {**SESSION, "games": games}
        asked = scene(started("anlauf", 2), 0)
        trail = {"turn": 1, "steps": []}
        before = {**asked, "board": {**asked["board"], "trail": trail}, "you": {**asked["you"], "prompt": None}}
        here = {"id": "r1", "game": "roborally", "name": "Me", "state": "playing", "seats": [], "moves": []}
        self.api["GET /seats/r1"] = {**here, "started": "2026-01-01T00:00:00Z", "scene": before}
        self.visit("/seats/r1", ".rr-crew li")
        hit = [1, "lasers", [[0, 1, 1, "E", 3, False]], None, None]
        steps = [hit, [1, "touched", [], None, None], hit]
        after = {**asked, "board": {**asked["board"], "trail": {"turn": 1, "steps": steps}}}
        move = {"n": 1, "seat": 1, "text": "", "at": 10, "took": None, "cards": [60, 10]}
        self.emit("/seats/r1", "scene", {"scene": {**after, "last": move}, "moves": [move], "reset": False})
        self.see("Lasers fire", ".rr-now")
        self.assertEqual(self.page.locator("[data-card]").count(), 0)
        self.assertNotIn("Move 1", self.text())
        self.assertNotIn("program", self.text(".rr-panel h2").lower())
        self.page.wait_for_selector("[data-card]")
        self.see("1 Move 1 (60), 2 Turn right (10)", ".moves")


class WideTests(ShellTestCase):
    """The greatest course fits a window of 1280 pixels beside the page's column, with its axes."""

    def test_36_columns(self) -> None:
        games = [{"kind": "roborally", "name": "RoboRally", "can": ["play"], "bots": [], "options": {}}]
        self.api["GET /session"] = {**SESSION, "games": games}
        small = scene(started("anlauf", 2), 0)
        wide = {**small, "board": {**small["board"], "tiles": {**small["board"]["tiles"], "width": 36}}}
        here = {"id": "r1", "game": "roborally", "name": "Me", "state": "playing", "seats": [], "moves": []}
        for path in ("/rooms/r1", "/seats/r1", "/rooms/r1?screen"):
            self.api[f"GET {path.partition('?')[0]}"] = {**here, "started": "2026-01-01T00:00:00Z", "scene": wide}
            self.visit(path, ".rr-crew li")
            self.assertEqual(self.page.locator(".rr-axes text").count(), 36 + 2 * 12)
            cut = self.page.evaluate("""() => {
                const box = document.querySelector(".rr-scroll");
                const {left, right, top} = box.getBoundingClientRect();
                const labels = [...document.querySelectorAll(".rr-axes text")];
                const cut = labels.filter((one) => {
                    const place = one.getBoundingClientRect();
                    return place.left < left || place.right > right || place.top < top || place.height < 8;
                });
                const page = document.documentElement.scrollWidth;
                return [box.scrollWidth - box.clientWidth, page, cut.map((one) => one.textContent)];
            }""")
            self.assertLessEqual(cut[0], 0, path)
            self.assertLessEqual(cut[1], 1280, path)
            self.assertEqual(cut[2], [], path)
            self.shoot(f"wide{path.replace('/', '-').replace('?', '-')}")
            self.page.set_viewport_size({"width": 1280, "height": 800})
