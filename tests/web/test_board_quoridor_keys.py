"""Quoridor's board in a browser, by keys alone."""

from __future__ import annotations

from gamed.games.quoridor.moves import PawnMove, Wall
from tests.web import test_board_quoridor
from tests.web.test_board_quoridor import START, after, last, scene


class KeyboardTests(test_board_quoridor.Board):
    def test_one_tab_stop_at_the_own_pawn(self) -> None:
        self.show(scene(START, seat=1))
        self.press("Tab")
        self.assertEqual(self.focused(), "4,8")
        self.assertEqual(self.page.locator(".q-board [tabindex='0']").count(), 1)

    def focused(self) -> str | None:
        found: str | None = self.page.evaluate("document.activeElement.dataset.cell ?? null")
        return found

    def test_a_move(self) -> None:
        self.show(scene(START))
        # The player's own side is down.
        self.press("Tab", "ArrowUp", "Enter")
        self.assertEqual(self.acted(), [{"do": "move", "to": [4, 1]}])
        self.press("ArrowDown", "ArrowDown", "ArrowLeft")
        self.assertEqual(self.focused(), "5,0")
        self.press(" ")
        self.assertEqual(self.acted(), [{"do": "move", "to": [5, 0]}])

    def test_what_cannot_be_is_said(self) -> None:
        self.show(scene(START))
        self.announced()
        self.press("Tab", "Enter")
        self.assertEqual(self.announced(), ["The pawn cannot go to e1."])
        self.update(scene(after(PawnMove(4, 1))))
        self.press("Enter", "h", "Enter")
        self.assertEqual(self.announced(), ["It is not your turn."] * 3)
        self.assertEqual(self.acted(), [])

    def test_a_wall(self) -> None:
        self.show(scene(after(Wall(4, 3, "horizontal"), PawnMove(4, 7))))
        self.announced()
        self.press("Tab", "ArrowUp", "ArrowUp", "h")
        self.assertEqual(self.announced(), ["Wall e2h: press Enter or tap again to place it."])
        self.assertEqual(self.preview, "4,2,horizontal")
        self.press("ArrowUp")
        self.assertEqual(self.announced(), ["Wall e3h: not possible."])
        self.assertIsNone(self.preview)
        self.press("Enter")
        self.assertEqual(self.acted(), [])
        self.announced()
        self.press("v")
        self.assertEqual(self.announced(), ["Wall d4v: press Enter or tap again to place it."])
        self.press("Enter")
        self.assertEqual(self.acted(), [{"do": "wall", "at": [4, 3, "vertical"]}])

    def test_back_to_the_pawn(self) -> None:
        self.show(scene(START))
        for key in ("Escape", "h"):
            self.press("Tab", "h", key)
            self.assertEqual(self.do("pawn").get_attribute("aria-pressed"), "true")
            self.assertIsNone(self.preview)
            self.page.evaluate("document.activeElement.blur()")

    def test_the_cursor_stays_on_the_board(self) -> None:
        self.show(scene(START))
        self.press("Tab", *["ArrowDown"] * 2, *["ArrowRight"] * 9)
        self.assertEqual(self.focused(), "0,0")
        self.press("h", *["ArrowLeft"] * 9)
        self.assertEqual((self.focused(), self.preview), ("8,0", "7,1,horizontal"))
        self.press("v", *["ArrowUp"] * 9)
        self.assertEqual((self.focused(), self.preview), ("8,8", "8,7,vertical"))

    def test_focus_stays_through_updates(self) -> None:
        self.show(scene(START))
        self.press("Tab", "ArrowUp", "Enter")
        self.update(scene(after(PawnMove(4, 1)), last=last(1, 0, PawnMove(4, 1))))
        self.assertEqual(self.focused(), "4,1")

    def test_a_whole_vote_by_keys_leads_to_the_board(self) -> None:
        self.show(scene(None, "voting", seat=None))
        self.press("Tab", "Enter")
        self.assertEqual(self.acted(), [{"do": "vote", "players": 2}])
        self.update(scene(START))
        self.assertEqual(self.focused(), "4,0")
