"""What gamed plays, in memory, becomes records that are valid, whatever the end."""

from __future__ import annotations

from typing import Any

import attrs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import DRAWN, LINE
from gamed.records.index import validate
from gamed.records.own import judgement, summary, to_history
from gamed.records.record import Record, document
from gamed.registry import game_types
from gamed.testing.harness import Harness, Wire


class PlayedTests(SynchronousTestCase):
    def harness(self, **settings: Any) -> tuple[Harness, Wire, Wire]:
        harness = Harness("battleship", game_types()["battleship"].settings(**settings))
        first, second = harness.connect(), harness.connect()
        return harness, first, second

    def the_record(self, harness: Harness) -> Record:
        harness.settle()
        (record,) = harness.store.records.values()
        validate(document(record))
        # From where it was played is in no record.
        here = frozenset({"127.0.0.1"})
        self.assertEqual(harness.store.summaries[record.id], attrs.evolve(summary(record), owners=here))
        return record

    def ended(self, harness: Harness) -> tuple[str, int | None]:
        found = summary(self.the_record(harness))
        return found.termination, found.winner

    def test_a_victory(self) -> None:
        harness, first, second = self.harness()
        second.send(b"(1,[0,0]).\n")
        first.send(b"(2,[0,0,4]).\n")
        record = self.the_record(harness)
        self.assertEqual((summary(record).termination, summary(record).winner), ("victory", 1))
        self.assertEqual([entry.body for entry in to_history(record).of_kind(LINE)], [b"(1,[0,0]).", b"(2,[0,0,4])."])
        self.assertEqual([item.entry for item in judgement(record).findings], [4])

    def test_who_begins_was_drawn(self) -> None:
        harness, first, _ = self.harness(roles="random")
        first.session.connectionLost(None)  # type: ignore[arg-type]
        drawn = [entry.data for entry in to_history(self.the_record(harness)).of_kind(DRAWN)]
        self.assertEqual([list(data) for data in drawn], [["first"]])

    def test_a_player_leaves(self) -> None:
        harness, first, _ = self.harness()
        first.session.connectionLost(None)  # type: ignore[arg-type]
        self.assertEqual(self.ended(harness), ("left", 1))

    def test_a_forfeit(self) -> None:
        harness, first, _ = self.harness(referee="enforce")
        first.send(b"(1,[0,0]).\n")
        self.assertEqual(self.ended(harness), ("forfeit", 1))

    def test_silence(self) -> None:
        harness, _, _ = self.harness(waiting_seconds=5.0, idle_seconds=5.0)
        harness.clock.pump([6.0, 0.0, 0.0])
        self.assertEqual(self.ended(harness), ("idle", 0))

    def test_a_limit(self) -> None:
        harness, first, _ = self.harness(line_bytes=10)
        first.send(b"x" * 11)
        self.assertEqual(self.ended(harness), ("removed", 1))

    def test_hostile_lines(self) -> None:
        harness, first, second = self.harness()
        first.send(b"\0\xff]]><&\n\xef\xbf\xbe\n \t\n")
        second.send(b"</line>\n")
        harness.lobby.stopService()
        record = self.the_record(harness)
        lines = [entry.body for entry in to_history(record).of_kind(LINE)]
        self.assertEqual(lines, [b"\0\xff]]><&", b"\xef\xbf\xbe", b" \t", b"</line>"])
        found = [(finding.code, finding.entry) for finding in judgement(record).findings]
        self.assertEqual((summary(record).termination, judgement(record).unjudged), ("shutdown", None))
        self.assertEqual(found, [("illegible", entry) for entry in (3, 4, 5, 6)])
