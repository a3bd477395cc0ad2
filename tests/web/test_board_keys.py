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
