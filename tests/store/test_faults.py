"""The journal on a disk that fails and recovers: full, read-only, I/O errors on writing and on syncing."""

from __future__ import annotations

import contextlib
import errno
from itertools import count
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import DiskError
from gamed.core.history import Entry, History
from gamed.store.journal import FileJournal
from gamed.store.lines import encode, prefix
from gamed.store.recovery import read
from tests.store.examples import ROOM, history, line
from tests.store.faults import FaultyDisk
from tests.store.logs import sentences
from tests.store.pump import Pump

OTHER = "00000000-e89b-42d3-a456-426614174000"


NUMBERS = count()
"""For names that no room has had."""


class FaultCase(SynchronousTestCase):
    """A journal over a faulty disk."""

    durability = "process"
    segment_size = 100_000

    def setUp(self) -> None:
        self.directory = Path(self.mktemp())
        self.pump = Pump()
        self.disk = FaultyDisk(self)
        self.journal = self.fresh()
        self.journal.start()
        self.addCleanup(self.close)

    def close(self) -> None:
        self.disk.errors.clear()
        self.journal.stop()

    def fresh(self) -> FileJournal:
        journal = FileJournal(
            self.directory,
            durability=self.durability,
            reactor=self.pump,
            interval=0.0,
            segment_size=self.segment_size,
        )
        journal._sync.retry = 0.01
        return journal

    def opened(self, room: str = ROOM) -> History:
        opened = history(room)
        self.journal.append([(room, (opened.opened(),))])
        return opened

    def add(self, room: History, *entries: Entry) -> int:
        position = self.journal.append([(room.room, entries)])
        room.entries += entries
        return position

    def segments(self) -> list[int]:
        return sorted(int(path.stem) for path in self.directory.glob("*.journal"))

    def found(self) -> list[History]:
        """Return what another start would find now, without stopping this one."""
        rooms = read((number, self.directory / f"{number:08d}.journal") for number in self.segments())
        return [room.history for room in rooms.rooms.values()]


class WriteTests(FaultCase):
    def refused(self, room: History) -> None:
        self.assertRaises(DiskError, self.journal.append, [(room.room, (line(7),))])

    def test_a_full_disk_is_written_to_again_as_soon_as_there_is_room(self) -> None:
        room = self.opened()
        for left in (0, 1, 17, 60):
            self.disk.room = left
            self.refused(room)
            self.disk.room = None
            self.add(room, line(1), line(2))
            self.assertEqual(self.found(), [room])
        self.assertEqual(self.segments(), [1])

    def test_after_an_io_error_a_new_segment_is_tried(self) -> None:
        for number in (errno.EIO, errno.EROFS, errno.EFBIG):
            room = self.opened(f"room-{number}")
            self.disk.errors["write"] = number
            self.refused(room)
            del self.disk.errors["write"]
            self.add(room, line(1))
        self.assertEqual(self.segments(), [1, 2, 3, 4])
        self.assertEqual([len(room.entries) for room in self.found()], [1, 1, 1])

    def test_a_disk_that_fails_for_long_does_not_get_segment_after_segment(self) -> None:
        room = self.opened()
        self.disk.errors["write"] = errno.EIO
        for _ in range(5):
            self.refused(room)
        self.assertEqual(self.segments(), [1, 2])

    def test_torn_segments_without_a_whole_line_are_removed(self) -> None:
        room = self.opened()
        self.disk.errors["ftruncate"] = errno.EIO
        for _ in range(5):
            self.disk.room = 11
            self.refused(room)
        self.disk.room = None
        self.add(room, line(1))
        self.assertEqual(self.segments(), [1, 7 - 1])
        self.assertEqual(self.found(), [room])

    def test_a_directory_that_takes_no_segment(self) -> None:
        room = self.opened()
        self.disk.errors["write"] = errno.EIO
        self.refused(room)
        self.disk.errors = {"open": errno.EROFS}
        error = self.assertRaises(DiskError, self.journal.append, [(ROOM, (line(1),))])
        self.assertIn("cannot begin a segment", str(error))
        self.disk.errors = {}
        self.add(room, line(2))
        self.assertEqual(self.found(), [room])

    def test_a_probe_tells_whether_there_is_room_for_a_page(self) -> None:
        room = self.opened()
        self.disk.room = 4000
        self.assertRaises(DiskError, self.journal.probe)
        self.disk.room = None
        self.journal.probe()
        self.add(room, line(1))
        self.assertEqual(self.found(), [room])

    @settings(deadline=None, max_examples=40)
    @given(st.lists(st.tuples(st.integers(0, 1), st.none() | st.integers(0, 300), st.booleans()), max_size=12))
    def test_whatever_fails_what_is_offered_again_is_there_once(
        self, writes: list[tuple[int, int | None, bool]]
    ) -> None:
        names = [f"{next(NUMBERS)}-{number}" for number in range(2)]
        rooms = [self.opened(name) for name in names]
        for index, left, is_stuck in writes:
            self.disk.room = left
            if is_stuck:
                self.disk.errors["ftruncate"] = errno.EIO
            with contextlib.suppress(DiskError):
                self.journal.append([(names[index], (line(1), line(2)))])
                rooms[index].entries += [line(1), line(2)]
                continue
            self.disk.room = None
            self.disk.errors.clear()
            self.add(rooms[index], line(1), line(2))
        self.disk.room = None
        self.disk.errors.clear()
        self.add(rooms[0], line(9))
        found = {room.room: room for room in self.found()}
        self.assertEqual([found[name] for name in names], rooms)


class SyncCase(FaultCase):
    def turn_until(self, done: object) -> None:
        """Turn the reactor until a condition holds."""
        assert callable(done)
        for _ in range(500):
            if done():
                return
            self.pump.turn()
        self.fail("it did not come about")

    def break_sync(self) -> None:
        """Let syncing fail, and wait until that is known."""
        # Else the sync of what was appended before could fail first, and the append be refused.
        self.mend()
        self.disk.errors["fdatasync"] = errno.EIO
        self.journal.append([(ROOM, (line(99),))])
        self.turn_until(lambda: self.journal.failed is not None)

    def mend(self) -> None:
        self.disk.errors.clear()
        done: list[int] = []
        self.journal.on_disk(lambda: done.append(1))
        self.turn_until(lambda: bool(done))


class DiskTests(SyncCase):
    durability = "disk"

    def test_who_waited_gets_the_letters_when_the_disk_syncs_again(self) -> None:
        room = self.opened()
        called: list[int] = []
        self.mend()
        self.disk.errors["fdatasync"] = errno.EIO
        # In one go: the first of them could fail before the second is offered.
        position = self.add(room, line(1), line(2), line(3))
        for number in (1, 2, 3):
            self.journal.when_synced(position, lambda number=number: called.append(number))
        self.turn_until(lambda: self.journal.failed is not None)
        self.assertRaises(DiskError, self.journal.append, [(ROOM, (line(4),))])
        # Several attempts fail, too.
        for _ in range(3):
            self.pump.turn()
        self.assertEqual(called, [])
        self.disk.errors.clear()
        with capturedLogs() as logs:
            self.turn_until(lambda: len(called) == 3)
        self.assertEqual(called, [1, 2, 3])
        self.assertEqual(sentences(logs), [f"journal: {self.directory} is synced again"])
        self.assertIsNone(self.journal.failed)
        self.add(room, line(5))
        self.assertEqual(self.found(), [room])

    def test_what_a_failed_sync_has_lost_is_written_again(self) -> None:
        room = self.opened()
        self.mend()
        self.disk.lost = True
        self.disk.errors["fdatasync"] = errno.EIO
        room.entries += [line(1), line(2)]
        self.journal.append([(ROOM, (line(1), line(2)))])
        self.turn_until(lambda: self.journal.failed is not None)
        self.assertEqual(self.found()[0].entries, [])
        self.mend()
        self.assertEqual(self.found(), [room])
        self.add(room, line(3))
        self.assertEqual(self.found(), [room])

    def test_attempts_that_fail_leave_no_segments(self) -> None:
        room = self.opened()
        self.break_sync()
        room.entries.append(line(99))
        for _ in range(8):
            self.pump.turn()
        self.mend()
        self.assertEqual(len(self.segments()), 2)
        self.assertEqual(self.found(), [room])

    def test_a_disk_that_takes_no_new_segment_is_tried_again(self) -> None:
        room = self.opened()
        self.break_sync()
        room.entries.append(line(99))
        self.disk.room = 30
        for _ in range(4):
            self.pump.turn()
        self.disk.room = None
        self.mend()
        self.assertEqual(self.found(), [room])

    def test_no_descriptor_is_left_open(self) -> None:
        self.opened()
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(3):
            self.break_sync()
            for _ in range(4):
                self.pump.turn()
            self.mend()
        # The thread closes the last one after it has called.
        for _ in range(200):
            if len(list(Path("/proc/self/fd").iterdir())) <= before:
                return
            self.disk.wait()
        self.fail("descriptors are left open")

    def test_a_directory_that_cannot_be_synced_counts_as_well(self) -> None:
        room = self.opened()
        self.mend()
        self.break_sync()
        room.entries.append(line(99))
        self.disk.errors = {"fsync": errno.EIO}
        for _ in range(4):
            self.pump.turn()
        self.assertIsNotNone(self.journal.failed)
        self.mend()
        self.assertEqual(self.found(), [room])

    def test_a_stop_brings_to_the_disk_what_it_can(self) -> None:
        room = self.opened()
        self.break_sync()
        room.entries.append(line(99))
        self.disk.errors.clear()
        self.journal.stop()
        self.journal = self.fresh()
        self.journal.start()
        self.assertEqual(list(self.journal.open_rooms()), [room])

    def test_a_stop_while_it_fails_ends(self) -> None:
        self.opened()
        self.break_sync()
        self.journal.stop()
        self.disk.errors.clear()
        self.journal = self.fresh()
        self.journal.start()


class ProcessTests(SyncCase):
    segment_size = 4_000

    def test_games_go_on_and_nothing_is_unsynced_for_ever(self) -> None:
        room = self.opened()
        self.break_sync()
        room.entries.append(line(99))
        for number in range(20):
            self.add(room, line(number))
        self.mend()
        self.assertIsNone(self.journal.failed)
        self.assertEqual(self.found(), [room])
        self.assertLess(len(self.journal._unsynced), 25)

    def test_what_is_held_for_writing_it_again_is_bounded(self) -> None:
        room = self.opened()
        self.break_sync()
        with self.assertRaises(DiskError):
            for number in range(1000):
                self.add(room, line(number))
        self.assertLess(sum(len(data) for _, data in self.journal._unsynced), 2 * self.segment_size)
        self.mend()
        self.add(room, line(1))

    def test_what_is_synced_is_not_held(self) -> None:
        room = self.opened()
        for number in range(5):
            self.add(room, line(number))
            self.mend()
        self.journal._trim()
        self.assertEqual(len(self.journal._unsynced), 0)


class RepeatedLineTests(SynchronousTestCase):
    """Reading what was written twice."""

    def read(self, *segments: list[tuple[int, Entry]]) -> tuple[list[Entry], list[str]]:
        directory = Path(self.mktemp())
        directory.mkdir()
        paths = []
        for number, lines in enumerate(segments):
            path = directory / f"{number}.journal"
            path.write_bytes(b"".join(encode(prefix(ROOM), seq, entry) for seq, entry in lines))
            paths.append((number, path))
        with capturedLogs() as logs:
            (room,) = read(paths).rooms.values()
        return room.history.entries, sentences(logs)

    def setUp(self) -> None:
        self.lines = list(enumerate([history().opened(), *(line(number) for number in range(1, 7))]))

    def test_lines_that_say_the_same_again_are_no_gap(self) -> None:
        entries, logs = self.read(self.lines[:5], self.lines[2:])
        self.assertEqual((entries, logs), ([entry for _, entry in self.lines[1:]], []))

    def test_a_hole_is_filled_by_the_segment_after_it(self) -> None:
        for hole in (self.lines[:2] + self.lines[4:6], self.lines[2:6], self.lines[:1] + self.lines[5:]):
            entries, logs = self.read(hole, self.lines)
            self.assertEqual((entries, logs), ([entry for _, entry in self.lines[1:]], []))

    def test_a_hole_that_is_not_filled_is_told(self) -> None:
        entries, logs = self.read(self.lines[:2] + self.lines[4:], self.lines[2:3])
        self.assertEqual(len(entries), 2)
        self.assertIn("the entries 3 to 3 are missing, and 3 after them are not used", logs[0])

    def test_what_was_refused_and_could_not_be_undone_is_not_used(self) -> None:
        entries, logs = self.read(self.lines[:5], [(2, line(77)), (3, line(78))])
        self.assertEqual((entries, logs), ([line(1), line(77), line(78)], []))

    def test_a_room_that_is_opened_twice_and_differently_is_told(self) -> None:
        entries, logs = self.read(self.lines[:4], [(0, Entry(0, "opened", data={}))])
        self.assertEqual(entries, [entry for _, entry in self.lines[1:4]])
        self.assertIn("its lines are not in their order", logs[0])
