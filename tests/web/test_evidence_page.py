"""The page of a record: the times of the moves beside the limit, and what the programs did, for whoever has the key."""

from __future__ import annotations

import re
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.tournament.results import Cause
from tests.web.browser import FILES
from tests.web.canned import TRICKY, WHOLE, ShellTestCase

BOT = {
    "seat": 1,
    "cpu": 1_230,
    "memory": 52_400,
    "limits": {"memory": 1_500},
    "stderr": f"first line\n{TRICKY}",
    "stderr_bytes": 4_321,
    "numbers": {TRICKY: [[5, -2.0], [9, 3.5]]},
    "messages": [
        {"at": 1_234, "from": "daemon", "text": "(5,[]).\\r", "bytes": 8},
        {"at": 1_500, "from": "bot", "text": TRICKY, "bytes": 8_000},
    ],
}
MOVES = [{**move, "took": 400 + 10 * move["n"]} for move in WHOLE["moves"][:4]]
ADDRESS = "/records/0a1b2c3d"


class EvidencePageTest(ShellTestCase):
    def setUp(self) -> None:
        super().setUp()
        timed: dict[str, Any] = {"options": {"move_milliseconds": 420}, "moves": MOVES, "length": len(MOVES)}
        self.api["GET /records/0a1b2c3d"] = {**WHOLE, **timed}
        self.api["GET /records/0a1b2c3d/positions?from=0&to=4"] = self.api[
            "GET /records/0a1b2c3d/positions?from=0&to=63"
        ]
        self.api["GET /records/0a1b2c3d/evidence"] = {"bots": [BOT]}

    def test_a_limit_that_is_far_above_the_times_is_only_named(self) -> None:
        self.api["GET /records/0a1b2c3d"]["options"] = {"move_milliseconds": 4 * 440}
        self.visit(ADDRESS, ".graph")
        self.assertEqual(self.page.locator(".graph .limit").count(), 0)
        self.see("limit 1.8 s")

    def test_moves_with_a_note_are_ticks_on_the_slider(self) -> None:
        finding = {"move": 3, "seat": 0, "code": "bad", "text": "Not so."}
        self.api["GET /records/0a1b2c3d"]["findings"] = [finding]
        self.visit(ADDRESS, ".graph")
        ticks = self.page.locator("datalist option").evaluate_all("all => all.map((one) => one.value)")
        self.assertIn("3", ticks)
        self.assertEqual(self.page.evaluate("document.querySelector('.steering input[type=range]').list.id"), "ticks")

    def test_without_a_key_nothing_is_asked_for(self) -> None:
        self.visit(ADDRESS, ".graph")
        self.assertEqual(self.page.locator(".graph .limit").count(), 1)
        self.assertEqual(self.page.locator(".graph .over").count(), 2)
        self.see("limit 0.4 s")
        self.assertEqual([address for _, address, _ in self.asked if "evidence" in address], [])
        self.assertEqual(self.text(".privately"), "")

    def test_the_graphs_the_list_and_the_board_move_together(self) -> None:
        self.api["GET /records/0a1b2c3d/measures"] = {"ground": [[0, 1, 2, 3, 4], [None, 1, 1, 0, 0]]}
        self.visit(f"{ADDRESS}?move=1", ".curve")
        figures = self.page.locator("figure:has(.at)")
        self.assertEqual(figures.count(), 2)
        said = figures.nth(1).locator("figcaption").inner_text()
        self.assertEqual(said.split(), ["Ground,", "0\N{EN DASH}4", "1", "1", "2", "1"])
        label = figures.nth(1).locator("svg").get_attribute("aria-label") or ""
        self.assertIn("from 0 to 4, at last 4", label)
        self.assertIn("from 0 to 1, at last 0", label)
        curve = self.page.locator(".curve.seat-1").get_attribute("d") or ""
        self.assertEqual((curve[:2], curve.count("M")), ("M1", 1), "a curve begins where there is a number")
        box = figures.nth(0).locator("svg").bounding_box()
        assert box is not None
        self.page.mouse.click(box["x"] + 0.76 * box["width"], box["y"] + 5)
        self.page.wait_for_selector('.moves .here[data-n="3"]')
        marks = self.page.locator(".graph .at").evaluate_all("all => all.map((one) => one.getAttribute('x1'))")
        self.assertEqual(marks, ["3", "3"])

    def test_the_key_is_taken_out_of_the_address_and_goes_with_the_tab(self) -> None:
        self.visit("/records#key=5e5e", "table")
        self.wait("location.hash === ''")
        self.page.goto(self.page.url.replace("/records", ADDRESS))
        self.see("What the programs did")
        said = self.text(".privately")
        for text in (
            "1.2 s of processor time, at most 52 of 1500 MB of memory",
            "1.234 s > (5,[]).\\r",
            f"1.500 s < {TRICKY}… (8000 bytes)",
            "End of its standard error (4321 bytes)",
            TRICKY,
            "from -2 to 3.5, at last 3.5",
            "gamed play --again 0a1b2c3d",
        ):
            self.assertIn(text, said)

    def test_a_key_of_another_game_shows_nothing(self) -> None:
        self.api["GET /records/0a1b2c3d/evidence"] = {"bots": []}
        self.visit(f"{ADDRESS}#key=5e5e", ".graph")
        self.requests("GET", "/records/0a1b2c3d/evidence", 1)
        self.assertEqual(self.text(".privately"), "")
        self.assertEqual(self.page.locator("[role=alert]:visible").count(), 0)


class CauseTests(SynchronousTestCase):
    def test_each_cause_has_its_sentence_in_both_languages(self) -> None:
        words = FILES.find("pages/why.js").content.decode()
        named = sorted(re.findall(r'^"?lost_([a-z-]+)"?: "', words, re.MULTILINE))
        self.assertEqual(named, sorted(2 * [cause for cause in Cause if cause is not Cause.BEATEN]))
