"""The example session over the wire, line by line and per connection.

Source: docs/specs/roborally.md#7-example-session.
"""

from __future__ import annotations

import re
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.core.table import replay
from gamed.games.roborally.rules.game import RoboRally
from tests.games.roborally.gathering import Gathering, Peer, dealt, gathering, priorities

LINES = [
    (line[0], line[2], line[5:])
    for line in (Path(__file__).parent / "transcript.txt").read_text().splitlines()
    if re.match(r"[VABT]>[VABT]  ", line)
]


def hands() -> list[tuple[int, ...]]:
    """Return the deals of the turns: all MRP before the first answer, Anna's first."""
    turns: list[list[str]] = []
    before = ""
    for _, to, line in LINES:
        if line.startswith("MRP"):
            if not before.startswith("MRP"):
                turns.append([])
            turns[-1].append(f"{to} {line}")
        before = line
    return [tuple(card for line in sorted(turn) for card in priorities(line)) for turn in turns]


class SessionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.patch(RoboRally, "draw", dealt(*hands()))
        self.found: Gathering = gathering()
        self.peers: dict[str, Peer] = {}

    def test_it_goes_as_it_is_told(self) -> None:
        for number, (sender, to, line) in enumerate(LINES):
            if sender == "V":
                self.hears(number, to, line)
            else:
                self.says(sender, line)
        for peer in self.peers.values():
            self.assertEqual(peer.hears(), [])
            self.assertFalse(peer.is_closed)
        self.found.passes(self.found.settings.linger)
        for peer in self.peers.values():
            self.assertTrue(peer.is_closed)
        (history,) = self.found.records
        self.assertEqual(history.outcome, Outcome(Termination.VICTORY, 0))

    def says(self, who: str, line: str) -> None:
        if who not in self.peers:
            self.peers[who] = self.found.connects()
        self.peers[who].wire.send(f"{line}\n".encode())

    def hears(self, number: int, who: str, line: str) -> None:
        peer = self.peers[who]
        if line == "NTS" and len(peer.wire.received) == peer.read:
            self.found.passes(self.found.settings.start_delay)
        text = peer.wire.received[peer.read :].decode()
        heard = text.partition("\n")[0]
        self.assertEqual(heard, line, f"line {number} of the session, to {who}")
        peer.read += len(heard) + 1

    def test_its_record_replays_to_the_same_result(self) -> None:
        self.test_it_goes_as_it_is_told()
        (history,) = self.found.records
        table = gathering().harness.lobby.open("roborally", history.options).table
        for _ in replay(table, history):
            pass
        self.assertEqual(table.outcome, history.outcome)
        self.assertEqual(table.game.ranking(table.state), (0, 1))
