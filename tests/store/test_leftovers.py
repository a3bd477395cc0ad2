"""The journal of a daemon that was killed, and games that are deleted before it starts again."""

from __future__ import annotations

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.store.journal import FileJournal
from gamed.store.leftovers import thd_forget, thd_holding
from tests.store.contract import OTHER
from tests.store.examples import ROOM, history, line
from tests.store.pump import Pump


class LeftoverTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.journal = self.opened()
        self.addCleanup(lambda: self.journal.stop())  # noqa: PLW0108 (the current one)
        for room in (ROOM, OTHER):
            self.journal.append([(room, (history(room).opened(), line(1)))])

    def opened(self) -> FileJournal:
        journal = FileJournal(self.folder, durability="process", reactor=Pump())
        journal.start()
        return journal

    def rooms(self) -> list[str]:
        self.journal = self.opened()
        return [room.room for room in self.journal.open_rooms()]

    def test_a_stopped_daemon_does_not_find_them_again(self) -> None:
        self.journal.stop()
        thd_forget(self.folder, {ROOM, "unknown"})
        self.assertEqual(self.rooms(), [OTHER])
        self.assertEqual(self.journal.damaged, [])

    def test_after_a_torn_line(self) -> None:
        self.journal.stop()
        (segment,) = self.folder.glob("*.journal")
        segment.write_bytes(segment.read_bytes()[:-5])
        thd_forget(self.folder, {ROOM})
        self.assertEqual(self.rooms(), [OTHER])

    def test_what_is_not_there_is_not_written(self) -> None:
        self.journal.stop()
        (segment,) = self.folder.glob("*.journal")
        before = segment.read_bytes()
        thd_forget(self.folder, {"unknown"})
        self.assertEqual(segment.read_bytes(), before)
        self.assertEqual(len(self.rooms()), 2)

    def test_a_daemon_that_runs_is_let_alone(self) -> None:
        (segment,) = self.folder.glob("*.journal")
        before = segment.read_bytes()
        thd_forget(self.folder, {ROOM})
        self.assertEqual(segment.read_bytes(), before)

    def test_no_journal_is_no_error(self) -> None:
        thd_forget(self.folder / "none", {ROOM})
        self.assertFalse((self.folder / "none").exists())
        self.assertEqual(thd_holding(self.folder / "none", [ROOM]), [])

    def test_a_journal_that_cannot_be_read_is_said(self) -> None:
        self.journal.stop()
        (self.folder / "lock").unlink()
        (self.folder / "lock").mkdir()
        self.assertIn("cannot read the journal", str(self.assertRaises(StoreError, thd_forget, self.folder, {ROOM})))
        (self.folder / "lock").rmdir()
        self.rooms()

    def test_segments_that_hold_a_word(self) -> None:
        (segment,) = self.folder.glob("*.journal")
        aside = self.folder / "00000000.damaged"
        aside.write_bytes(b'{"data":{"name":"Zo\\u00eb"}')
        (self.folder / "notes.journal").write_bytes(ROOM.encode())
        self.assertEqual(thd_holding(self.folder, [ROOM]), [segment])
        self.assertEqual(thd_holding(self.folder, ["nobody", "Zoë"]), [aside])
        self.assertEqual(thd_holding(self.folder, ["nobody"]), [])
