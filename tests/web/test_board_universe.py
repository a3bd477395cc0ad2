"""What Quoridor's board says of the universe, and what it shows after a reload."""

from __future__ import annotations

from gamed.games.quoridor.moves import PawnMove
from tests.web.test_board_quoridor import START, Board, after, last, shown


class UniverseTests(Board):
    def test_the_state_of_the_universe(self) -> None:
        table = {
            "worlds": [1, 2],
            "status": "2pw1a",
            "voted": [1],
            "awaited": [2],
            "last": [2, "(wall 3 4 horizontal)"],
        }
        self.show({**shown(None), "table": table}, mode="watch")
        universe = self.page.locator(".q-universe")
        said = (
            "status '2pw1a · last move of world 2: (wall 3 4 horizontal) · voted to wait: world 1 · waited for: world 2"
        )
        self.assertEqual(universe.inner_text(), f"Universe: worlds 1, 2 · {said}")


class ReloadTests(Board):
    def test_the_last_move_of_a_pawn_is_marked_without_the_position_before(self) -> None:
        step = PawnMove(4, 1)
        self.show(shown(after(step), last(1, 0, step)), mode="watch")
        self.assertEqual(self.page.locator('circle.q-trail[data-seat="0"]').count(), 1)
        self.show(shown(START), mode="watch")
        self.assertEqual(self.page.locator(".q-trail").count(), 0)
