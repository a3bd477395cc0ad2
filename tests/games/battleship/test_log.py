"""What the log says of a game: who broke a rule, also after the end, and which games become records."""

from __future__ import annotations

from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.battleship import Settings
from gamed.testing.harness import Harness


class LogTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = Harness("battleship", Settings())

    def logged(self, word: str, *lines: tuple[int, bytes], players: int = 2) -> list[str]:
        """Return what is logged of a game that ends when the first client leaves, as far as it begins with a word."""
        with capturedLogs() as events:
            wires = [self.harness.connect() for _ in range(players)]
            for seat, line in lines:
                wires[seat].send(line)
            wires[0].leave()
            self.harness.settle()
        return [text for event in events if (text := formatEvent(event)).startswith(word)]

    def test_a_finding_after_the_end_names_the_peer(self) -> None:
        game = (1, b"(1,[0,0]).\n"), (0, b"(2,[0,0,4]).\n")
        (finding,) = self.logged("finding", *game)
        self.assertIn("seat=0 peer=127.0.0.1:40001 entry=4: answer 4", finding)
        (refused,) = self.logged("refused", *game)
        self.assertIn("seat=0 peer=127.0.0.1:40003: (0,0) cannot have sunk a ship: ", refused)

    def test_only_a_game_that_began_has_a_record(self) -> None:
        (ended,) = self.logged("ended", players=1)
        self.assertIn("record=None game=battleship termination=left winner=None peers=127.0.0.1:40001", ended)
        self.assertEqual(self.harness.store.records, {})
        (ended,) = self.logged("ended")
        (record,) = self.harness.store.records
        self.assertIn(f"record={record} ", ended)
