"""Hive's board in words: its sentences, the end of a match, German, and its size on pages and screens."""

from __future__ import annotations

from typing import Any

from tests.web.browser import FILES
from tests.web.hive_boards import (
    PASSING,
    STACKS,
    HiveBoardTestCase,
    of,
    recorded,
    scene,
)


class WordTests(HiveBoardTestCase):
    def test_moves_are_told(self) -> None:
        shown = of(STACKS)
        self.mount("hive", shown, "watch")
        for seat, text, sentence in (
            (0, "S A 0,1", "Red places an ant on (0,\u00a01)."),
            (1, "S q -1,2", "Blue places the bee on (-1,\u00a02)."),
            (1, "S q -1,2,7", "Blue places the bee on (-1,\u00a02)."),
            (0, "D 0,1 1,1", "Red moves a piece from (0,\u00a01) to (1,\u00a01)."),
            (1, "D - 1,1", "Blue: D - 1,1"),
            (1, "P", "Blue passes."),
            (-1, "O 0,0 1,1 2,-2", "These fields are obstructed: (0,\u00a00), (1,\u00a01), (2,\u00a0-2)."),
        ):
            self.assertEqual(self.described({"n": 1, "seat": seat, "text": text}, shown), sentence)
        last = {"n": 4, "seat": 0, "text": "D 0,1 0,0"}
        self.assertEqual(
            self.described(last, {**shown, "last": last}), "Red moves a beetle from (0,\u00a01) to (0,\u00a00)."
        )

    def test_moves_are_counted(self) -> None:
        self.mount("hive", of("first move"), "watch")
        self.assertEqual(self.page.text_content(".h-turn"), "Move 1 of 60")
        self.update(of("turn 60, red more free"))
        self.assertEqual(self.page.text_content(".h-turn"), "Move 60 of 60")


class EndTests(HiveBoardTestCase):
    def ended(self, name: str, scores: list[dict[str, Any]], **more: Any) -> str:
        shown = of(name, 0, phase="over", **more)
        shown["you"]["legal"] = []
        shown["you"]["result"] = {"scores": scores}
        self.mount("hive", shown)
        return str(self.page.inner_text(".h-end"))

    def test_a_bee_is_enclosed(self) -> None:
        scores = [{"cause": "REGULAR", "reason": "…", "points": points} for points in (["0", "0"], ["2", "3"])]
        told = self.ended("red bee enclosed by rim", scores, won=False)
        self.assertIn("You have lost.\n\nA bee is surrounded.", told)
        self.assertIn("Red: points 0, free fields 0\n\nBlue: points 2, free fields 3", told)
        self.assertEqual(self.status(), "")
        self.assertTrue(self.page.locator(".h-help").is_hidden())

    def test_a_draw(self) -> None:
        self.assertIn("A draw.", self.ended("both bees enclosed", []))

    def test_a_fault(self) -> None:
        faults = (
            ("LEFT", "You have won.", "Blue left the game."),
            ("HARD_TIMEOUT", "You have won.", "Blue took too long for a move."),
            ("RULE_VIOLATION", "You have won.", "Blue broke a rule: <i>no</i>"),
        )
        for cause, verdict, why in faults:
            scores = [
                {"cause": "REGULAR", "reason": "", "points": ["2", "1"]},
                {"cause": cause, "reason": "<i>no</i>", "points": ["0", "-1"]},
            ]
            told = self.ended(STACKS, scores, won=True)
            self.assertIn(verdict, told)
            self.assertIn(why, told)

    def test_who_watches_is_told_as_well(self) -> None:
        self.mount("hive", of("turn 60, red more free"), "watch")
        self.assertIn("Red wins.", self.page.inner_text(".h-end"))
        self.update(of(STACKS, outcome={"termination": "cancelled", "winner": None}))
        self.assertEqual(self.page.inner_text(".h-end"), "The game ended without a winner.")
        self.update(of(STACKS))
        self.assertFalse(self.page.locator(".h-end").is_visible())


class GermanTests(HiveBoardTestCase):
    language = "de"

    def test_the_pieces_have_their_names(self) -> None:
        self.mount("hive", of(STACKS, 0))
        self.assertIn(
            "Stapel aus 2, von oben: Käfer (Rot), Biene (Blau)", self.field("0,0").get_attribute("aria-label")
        )
        names = [self.held(piece).get_attribute("aria-label") for piece in ("SPIDER", "GRASSHOPPER", "BEETLE", "ANT")]
        self.assertEqual([name.split(",")[0] for name in names], ["Spinne", "Grashüpfer", "Käfer", "Ameise"])
        self.assertIn("Du bist am Zug.", self.status())

    def test_moves_are_told(self) -> None:
        shown = of(STACKS)
        self.mount("hive", shown, "watch")
        move = {"n": 1, "seat": 1, "text": "S g 0,1"}
        self.assertEqual(self.described(move, shown), "Blau setzt einen Grashüpfer auf (0,\u00a01).")
        self.assertEqual(self.described({"n": 1, "seat": 0, "text": "P"}, shown), "Rot setzt aus.")


class SizeTests(HiveBoardTestCase):
    def test_no_page_grows_too_large(self) -> None:
        self.assertLess(len(FILES.find("games/hive/board.js").content), 25_000)
        self.assertLess(len(FILES.find("games/hive/board.css").content), 6_000)

    def test_it_is_never_wider_than_the_window(self) -> None:
        self.mount("hive", of("first move", 0))
        for width in (320, 700, 1280, 3840):
            self.page.set_viewport_size({"width": width, "height": 800})
            self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), width)

    def test_pictures(self) -> None:
        shown = scene(recorded(40).state, recorded(40).state.mover, last=recorded(40).last)
        self.mount("hive", shown)
        self.shoot("hive-play")
        self.mount("hive", of(STACKS, 0))
        self.field("0,0").click()
        self.page.mouse.move(0, 0)
        self.shoot("hive-chosen")
        self.mount("hive", of("stack of five"), "watch")
        self.field("0,0").hover()
        self.shoot("hive-stack")
        self.mount("hive", of(PASSING, 0))
        self.shoot("hive-skip")
        self.mount("hive", of("turn 60, red more free"), "watch")
        self.shoot("hive-over")
