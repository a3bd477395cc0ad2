"""What Quoridor's board says of the universe."""

from __future__ import annotations

from tests.web.test_board_quoridor import Board, shown


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
        universe = self.page.locator("#board > .q-help")
        said = (
            "status '2pw1a · last move of world 2: (wall 3 4 horizontal) · voted to wait: world 1 · waited for: world 2"
        )
        self.assertEqual(universe.inner_text(), f"Universe: worlds 1, 2 · {said}")
