"""A segment that was cut, even at the end of a line, is noticed and kept; one that was not is never called so."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import DiskError
from gamed.core.history import Entry
from gamed.store.journal import FileJournal
from gamed.store.sizes import FILE, Sizes
from tests.store.examples import history, line
from tests.store.logs import sentences
from tests.store.pump import Pump


class SizesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    @given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 10**14))))
    def test_what_was_noted_last_is_known(self, noted: list[tuple[int, int]]) -> None:
        (self.folder / FILE).unlink(missing_ok=True)
        sizes = Sizes.of(self.folder)
        for number, size in noted:
            sizes.note(number, size)
        sizes.close()
        again = Sizes.of(self.folder)
        self.assertEqual({number: again.known(number) for number, _ in noted}, dict(noted))
        self.assertEqual(again.known(100), 0)
        again.close()

    def test_errors_are_ignored(self) -> None:
        (self.folder / FILE).write_bytes(b"garbage" * 100)
        sizes = Sizes.of(self.folder)
        self.assertEqual(sizes.known(1), 0)
        sizes.close()
        sizes.close()
        missing = Sizes.of(self.folder / "none")
        missing.note(1, 2)
        self.assertEqual(missing.known(1), 0)


class CutTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp())

    def started(self) -> tuple[FileJournal, list[str]]:
        journal = FileJournal(self.folder, durability="process", reactor=Pump(), interval=0.0)
        with capturedLogs() as logs:
            journal.start()
        return journal, [said for said in sentences(logs) if "has 1" in said or "its end is missing" in said]

    def played(self) -> Path:
        """Return the segment of a journal with a room whose game goes on."""
        journal, _ = self.started()
        journal.append([(history("room-a").room, (history("room-a").opened(), *self.lines()))])
        journal.stop()
        (segment,) = self.folder.glob("*.journal")
        return segment

    def lines(self) -> list[Entry]:
        return [line(at, b"(1,[0,%d])." % at) for at in range(1, 9)]

    def test_a_cut_at_the_end_of_a_line_is_said_and_the_segment_stays(self) -> None:
        segment = self.played()
        whole = segment.stat().st_size
        kept = b"".join(segment.read_bytes().splitlines(keepends=True)[:4])
        segment.write_bytes(kept)
        journal, said = self.started()
        text = f"journal: {segment.name} has {len(kept)} bytes, and had {whole}: its end is missing; games of which"
        self.assertEqual([one[: len(text)] for one in said], [text])
        self.assertEqual([path.name for path in journal.damaged], [f"{segment.stem}.damaged"])
        journal.stop()

    def test_a_whole_one_is_not_called_cut(self) -> None:
        self.played()
        for _ in range(3):
            journal, said = self.started()
            self.assertEqual((said, journal.damaged), ([], []))
            journal.stop()

    def test_a_write_that_was_undone_is_not_a_cut(self) -> None:
        journal, _ = self.started()
        journal.append([(history("room-a").room, (history("room-a").opened(),))])
        write = os.write

        def torn(descriptor: int, data: bytes) -> int:
            return write(descriptor, data[:5])

        self.patch(os, "write", torn)
        self.assertRaises(DiskError, journal.append, [(history("room-a").room, self.lines())])
        self.patch(os, "write", write)
        journal.append([(history("room-a").room, self.lines()[:1])])
        journal.stop()
        again, said = self.started()
        self.assertEqual(said, [])
        again.stop()

    def test_a_number_that_is_used_again_begins_anew(self) -> None:
        self.played().unlink()
        journal, said = self.started()
        journal.stop()
        _, said = self.started()
        self.assertEqual(said, [])
