"""What gamed plays, in memory, becomes records that are valid, whatever the end."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.history import DRAWN, LINE
from gamed.records.index import validate
from gamed.records.own import judgement, summary, to_history
from gamed.records.record import Record, document
from gamed.registry import game_types
from gamed.testing.house import House, Wire


class PlayedTests(SynchronousTestCase):
    def house(self, **settings: Any) -> tuple[House, Wire, Wire]:
        house = House("battleship", game_types()["battleship"].settings(**settings))
        first, second = house.connect(), house.connect()
        return house, first, second

    def the_record(self, house: House) -> Record:
        house.settle()
        (record,) = house.store.records.values()
        validate(document(record))
        self.assertEqual(house.store.summaries[record.id], summary(record))
        return record

    def ended(self, house: House) -> tuple[str, int | None]:
        found = summary(self.the_record(house))
        return found.termination, found.winner

    def test_a_victory(self) -> None:
        house, first, second = self.house()
        second.send(b"(1,[0,0]).\n")
        first.send(b"(2,[0,0,4]).\n")
        record = self.the_record(house)
        self.assertEqual((summary(record).termination, summary(record).winner), ("victory", 1))
        self.assertEqual([entry.body for entry in to_history(record).of_kind(LINE)], [b"(1,[0,0]).", b"(2,[0,0,4])."])
        self.assertEqual([item.entry for item in judgement(record).findings], [4])

    def test_who_begins_was_drawn(self) -> None:
        house, first, _ = self.house(roles="random")
        first.session.connectionLost(None)  # type: ignore[arg-type]
        drawn = [entry.data for entry in to_history(self.the_record(house)).of_kind(DRAWN)]
        self.assertEqual([list(data) for data in drawn], [["first"]])

    def test_a_player_leaves(self) -> None:
        house, first, _ = self.house()
        first.session.connectionLost(None)  # type: ignore[arg-type]
        self.assertEqual(self.ended(house), ("left", 1))

    def test_a_forfeit(self) -> None:
        house, first, _ = self.house(referee="enforce")
        first.send(b"(1,[0,0]).\n")
        self.assertEqual(self.ended(house), ("forfeit", 1))

    def test_silence(self) -> None:
        house, _, _ = self.house(waiting_seconds=5.0, idle_seconds=5.0)
        house.clock.pump([6.0, 0.0, 0.0])
        self.assertEqual(self.ended(house), ("idle", 0))

    def test_a_limit(self) -> None:
        house, first, _ = self.house(line_bytes=10)
        first.send(b"x" * 11)
        self.assertEqual(self.ended(house), ("limit", 1))

    def test_hostile_lines(self) -> None:
        house, first, second = self.house()
        first.send(b"\0\xff]]><&\n\xef\xbf\xbe\n \t\n")
        second.send(b"</line>\n")
        house.lobby.stopService()
        record = self.the_record(house)
        lines = [entry.body for entry in to_history(record).of_kind(LINE)]
        self.assertEqual(lines, [b"\0\xff]]><&", b"\xef\xbf\xbe", b" \t", b"</line>"])
        found = [(finding.code, finding.entry) for finding in judgement(record).findings]
        self.assertEqual((summary(record).termination, judgement(record).unjudged), ("shutdown", None))
        self.assertEqual(found, [("illegible", entry) for entry in (3, 4, 5, 6)])
