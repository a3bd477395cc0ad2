"""The list of moves in the notation of players, two in a row; a screen reader says the sentences."""

from __future__ import annotations

from typing import Any

from tests.web.browser import ORIGIN, BrowserTestCase
from tests.web.canned import TOY, TRICKY, ShellTestCase

BRIEF = """
async ([kind, language, texts]) => {
  const { brief, words } = await import(`/static/games/${kind}/board.js`);
  const moves = texts.map((text, n) => ({ n: n + 1, seat: n % 2, text }));
  return moves.map((move) => brief(move, (key) => words[language][key], moves) ?? null);
}
"""


class NotationTests(BrowserTestCase):
    def check(self, kind: str, moves: dict[str, str | None], language: str = "en") -> None:
        self.kind = kind
        self.page.goto(ORIGIN + "/")
        found: Any = self.page.evaluate(BRIEF, [kind, language, list(moves)])
        self.assertEqual(dict(zip(moves, found, strict=True)), moves)

    def test_quoridor(self) -> None:
        walls = {"wall 4 3 horizontal": "e3h", "wall 4 3 vertical": "d4v"}
        self.check("quoridor", {"player 4 1": "e2", "player 0 8": "a9", **walls, "dance": None})

    def test_battleship(self) -> None:
        answers = {"(2,[0,1,1]).": "≈", "(2,[0,1,2]).": "✕", "(2,[0,1,3]).": "✚"}
        self.check("battleship", {"(1,[9,2]).": "C10", **answers, "(2,[0,1,4]).": "⚑", "hello": None})

    def test_hive(self) -> None:
        moves = {"S Q 0,1": "Bi 0,1", "S b 1,1": "Kä 1,1", "D 0,1 0,0": "Bi 0,1→0,0", "P": "setzt aus"}
        self.check("hive", moves, "de")

    def test_go(self) -> None:
        self.check("go", {"C7": "C7", "pass": None})


class ListTests(ShellTestCase):
    def test_a_notation_is_shown_and_the_sentence_said(self) -> None:
        self.files["/static/games/toy/board.js"] = TOY + "export const brief = (move) => move.text.slice(0, 2);"
        for address in ("/rooms/r1", "/records/0a1b2c3d"):
            self.visit(address, ".moves.paired li")
            first, second = (one.bounding_box() for one in self.page.locator(".moves li").all()[:2])
            self.assertEqual(first["y"], second["y"])
            self.assertEqual(self.page.text_content(".moves li bdi"), "a1")
            self.assertIn(f"\u2068{TRICKY}\u2069 takes a1", self.page.text_content(".moves li .unseen") or "")
            self.assertTrue(self.page.locator(f'.moves li [title*="{TRICKY}"]').count())
            self.assertEqual(self.page.evaluate("document.documentElement.scrollWidth"), 1280)

    def test_where_one_cannot_jump_to_a_line_answers_do_not_count(self) -> None:
        self.files["/static/games/toy/board.js"] = TOY + "export const brief = (move) => (move.n % 2 ? 'a1' : '≈');"
        for address, numbers in (("/rooms/r1", ["1.", "1."]), ("/records/0a1b2c3d", ["1.", "2."])):
            self.visit(address, ".moves.paired li")
            self.assertEqual(self.page.locator(".moves .n").all_text_contents()[:2], numbers)
