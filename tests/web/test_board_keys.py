"""Keys with Ctrl, Alt or Meta are the browser's on every board: Alt+Left goes back a page, and moves no cursor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.games.roborally import scenes as roborally
from tests.web import test_board_battleship as battleship
from tests.web import test_board_go as go
from tests.web import test_board_hive as hive
from tests.web import test_board_quoridor as quoridor
from tests.web.browser import BrowserTestCase
from tests.web.canned import SESSION, ShellTestCase

KEYS = (
    *("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"),
    *("Enter", " ", "Escape", "Backspace", "1", "h", "v", "r", "s", "w"),
)

PRESS = """
([stop, keys, helds]) => {
  const board = document.getElementById("board");
  document.querySelector(stop).focus();
  const focused = document.activeElement;
  const before = board.innerHTML;
  const taken = [];
  for (const held of helds) {
    for (const key of keys) {
      const event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, [held]: true});
      const isLeft = document.activeElement.dispatchEvent(event);
      if (!isLeft || document.activeElement !== focused || board.innerHTML !== before) taken.push(`${held} ${key}`);
    }
  }
  return taken;
}
"""
"""Presses keys; returns those that the board has not left to the browser, or that changed something."""


class ChordTests(BrowserTestCase):
    """Each board leaves chords alone, and takes the same key by itself."""

    def check(self, kind: str, scene: Mapping[str, Any], *stops: str) -> None:
        """Press all keys at all stops of the Tab key."""
        self.mount(kind, scene)
        self.announced()
        for stop in stops:
            self.assertEqual(self.page.evaluate(PRESS, [stop, KEYS, ["altKey", "ctrlKey", "metaKey"]]), [], stop)
        self.assertEqual((self.acted(), self.announced()), ([], []))
        for stop in stops:
            self.assertEqual(self.page.evaluate(PRESS, [stop, ["ArrowRight"], ["repeat"]]), ["repeat ArrowRight"])

    def test_battleship(self) -> None:
        cell = '[data-board="enemy"] [data-cell="0,0"]'
        self.check("battleship", battleship.scene(battleship.at_work()), cell)

    def test_battleship_while_ships_are_placed(self) -> None:
        self.check("battleship", battleship.scene(battleship.person(ready=False)), '[data-ship="0"]')

    def test_go(self) -> None:
        self.check("go", go.recording("D4").scene(), "svg[tabindex]")

    def test_hive(self) -> None:
        state = hive.recorded(20).state
        self.check("hive", hive.scene(state, state.mover), '[data-cell="0,0"]')

    def test_quoridor(self) -> None:
        self.check("quoridor", quoridor.scene(quoridor.START), "[data-cell][tabindex='0']")

    def test_roborally(self) -> None:
        state = roborally.started("anlauf")
        cell, card = "[data-cell][tabindex='0']", ".rr-hand [tabindex='0']"
        self.check("roborally", roborally.scene(state, 0), cell, card, ".rr-registers [tabindex='0']")


class SittingDownTests(ShellTestCase):
    """The keys through the shell: it gives the focus to the heading of the page that it leads to."""

    def sit_down(self, phase: str) -> None:
        state = None if phase == "voting" else quoridor.race()
        scene = quoridor.scene(state, phase)
        games = [{"kind": "quoridor", "name": "Quoridor", "can": ["play"], "bots": [], "options": {}}]
        self.api["GET /session"] = {**SESSION, "games": games}
        self.api["POST /seats"] = lambda _: (200, {"id": "q1"})
        self.api["GET /seats/q1"] = {"id": "q1", "game": "quoridor", "name": "Me", "scene": scene, "moves": []}
        self.api["POST /seats/q1/act"] = lambda _: (200, {})
        self.visit("/", '[data-game="quoridor"]')
        self.page.click('[data-game="quoridor"] button')
        self.page.fill('input[name="name"]', "Me")
        self.page.click('dialog button[type="submit"]')
        self.page.wait_for_selector(".q-notice button")

    def acted(self, count: int = 0) -> list[Any]:
        return self.requests("POST", "/seats/q1/act", count)

    def test_vote_after_sitting_down(self) -> None:
        for key, players in (("s", 2), ("w", 4)):
            self.asked.clear()
            self.sit_down("voting")
            self.page.keyboard.press(key)
            self.assertEqual(self.acted(1), [{"do": "vote", "players": players}])

    def test_reset_after_sitting_down(self) -> None:
        self.sit_down("won")
        self.page.focus("header select")
        self.page.keyboard.press("r")
        self.assertEqual(self.acted(), [])
        self.page.focus("h1")
        self.page.keyboard.press("r")
        self.assertEqual(self.acted(1), [{"do": "reset"}])
