"""The journal on the disk: one write an append, full disks, segments, the lock, and waiting for the disk."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import DiskError, StoreError
from gamed.core.history import Entry, History
from gamed.store import Journal
from gamed.store.journal import FileJournal
from gamed.store.recovery import read
from tests.store.contract import journal_tests
from tests.store.examples import ROOM, entries, history, line
from tests.store.logs import sentences
from tests.store.pump import Pump

OTHER = "00000000-e89b-42d3-a456-426614174000"


def _journal(directory: Path, **settings: Any) -> FileJournal:
    return FileJournal(directory, **{"durability": "process", "reactor": Pump(), "interval": 0.0, **settings})


def _restarted(journal: Journal) -> Journal:
    assert isinstance(journal, FileJournal)
    return attrs.evolve(journal)


FileJournalTests = journal_tests(_journal, _restarted)


class FileJournalCase(SynchronousTestCase):
    """A started journal in `self.journal`, whose segments hold about `segment_size` bytes."""

    segment_size = 1024 * 1024
    durability = "process"

    def setUp(self) -> None:
        self.directory = Path(self.mktemp())
        self.pump = Pump()
        self.journal = self.fresh()
        self.journal.start()
        self.addCleanup(lambda: self.journal.stop())  # noqa: PLW0108 (the one that is current at the end)

    def fresh(self) -> FileJournal:
        return _journal(self.directory, segment_size=self.segment_size, durability=self.durability, reactor=self.pump)

    def restart(self) -> list[History]:
        self.journal.stop()
        self.journal = self.fresh()
        self.journal.start()
        return list(self.journal.open_rooms())

    def opened(self, room: str = ROOM) -> History:
        opened = history(room)
        self.journal.append([(room, (opened.opened(),))])
        return opened

    def add(self, room: History, *entries: Entry) -> int:
        position = self.journal.append([(room.room, entries)])
        room.entries += entries
        return position

    def forget(self, *rooms: str) -> None:
        """Forget rooms, and have that on the disk."""
        for room in rooms:
            self.journal.forget(room)
        self.settle()

    def settle(self) -> None:
        """Have everything on the disk, and all done that waited for it."""
        done: list[bool] = []
        self.journal.on_disk(lambda: done.append(True))
        while not done:
            self.pump.turn()

    def segments(self) -> list[int]:
        return sorted(int(path.stem) for path in self.directory.glob("*.journal"))

    def content(self) -> bytes:
        return b"".join(path.read_bytes() for path in sorted(self.directory.glob("*.journal")))


class AppendTests(FileJournalCase):
    def test_an_append_is_one_write(self) -> None:
        room = self.opened()
        written: list[int] = []
        real = os.write

        def counted(descriptor: int, data: bytes) -> int:
            written.append(len(data))
            return real(descriptor, data)

        before = len(self.content())
        self.patch(os, "write", counted)
        self.add(room, line(1), line(2), line(3))
        self.assertEqual(written, [len(self.content()) - before])
        self.add(room, line(4))
        self.assertEqual(len(written), 2)
        self.journal.append([(ROOM, ())])
        self.assertEqual(len(written), 2)

    def test_what_was_appended_is_in_the_file_at_once(self) -> None:
        room = self.opened()
        self.add(room, line(1, b"(1,[3,4])."))
        self.assertIn(b'"seq":1,"at":1,"kind":"line","seat":1,"body":"(1,[3,4])."', self.content())

    def test_sequence_numbers_are_the_rooms_own(self) -> None:
        rooms = self.opened(), self.opened(OTHER)
        self.add(rooms[0], line(1))
        self.add(rooms[1], line(1), line(2))
        numbers = [text.split(b'"seq":')[1].split(b",")[0] for text in self.content().splitlines()]
        self.assertEqual(numbers, [b"0", b"0", b"1", b"1", b"2"])

    def test_the_position_counts_the_bytes(self) -> None:
        position = self.add(self.opened(), line(1))
        self.assertEqual(position, len(self.content()))

    def test_nothing_is_touched_before_the_start(self) -> None:
        directory = Path(self.mktemp())
        _journal(directory)
        self.assertFalse(directory.exists())

    def test_secrets_are_the_daemons_own(self) -> None:
        (segment,) = self.directory.glob("*.journal")
        self.assertEqual(segment.stat().st_mode & 0o077, 0)


class RepeatedBeginningTests(FileJournalCase):
    """What is needed to understand the moves stands twice once there is a result."""

    end = Entry(9, "ended", data={"termination": "victory", "winner": 1})

    def played(self) -> History:
        room = self.opened()
        self.add(room, Entry(1, "joined", 0, data={"name": "Ada"}), Entry(2, "started"))
        self.add(room, line(3))
        self.add(room, self.end)
        return room

    def test_the_beginning_stands_again_before_the_end(self) -> None:
        room = self.played()
        kinds = [text.split(b'"kind":"')[1].split(b'"')[0] for text in self.content().splitlines()]
        beginning = [b"opened", b"joined", b"started"]
        self.assertEqual(kinds, [*beginning, b"line", *beginning, b"ended"])
        self.assertEqual(self.restart(), [room])

    def test_one_damaged_line_of_the_beginning_costs_nothing(self) -> None:
        room = self.played()
        self.journal.stop()
        path = self.directory / "00000001.journal"
        whole = path.read_bytes().splitlines(keepends=True)
        for bad in (0, 1, 2, 4, 5, 6):
            path.write_bytes(b"".join([*whole[:bad], b"X" + whole[bad][1:], *whole[bad + 1 :]]))
            with capturedLogs():
                self.assertEqual([one.history for one in read([(1, path)]).rooms.values()], [room])
        self.journal = self.fresh()
        self.journal.start()

    def test_an_end_that_a_restart_writes_has_the_beginning_too(self) -> None:
        room = self.opened()
        self.add(room, Entry(1, "joined", 0, data={"name": "Ada"}), Entry(2, "started"), line(3))
        self.restart()
        self.add(room, self.end)
        self.assertEqual((self.directory / "00000002.journal").read_bytes().count(b"\n"), 4)

    def test_a_game_that_does_not_begin_for_long_is_bounded(self) -> None:
        room = self.opened()
        for _ in range(300):
            self.add(room, Entry(1, "joined", 0, data={"name": "x" * 500}))
        size = len(self.content())
        self.add(room, self.end)
        self.assertLess(len(self.content()) - size, 18_000)


class DamageTests(FileJournalCase):
    """A damaged segment is kept aside until somebody removes it."""

    def damage(self, number: int) -> bytes:
        path = self.directory / f"{number:08d}.journal"
        content = path.read_bytes().replace(b'"at":1,', b'"at":2,', 1)
        path.write_bytes(content)
        return content

    def restarted(self) -> list[str]:
        with capturedLogs() as events:
            self.restart()
        return sentences(events)

    def test_it_is_kept_whatever_becomes_of_its_rooms(self) -> None:
        self.add(self.opened(), line(1), line(2))
        self.assertEqual(self.journal.damaged, [])
        content = self.damage(1)
        aside = self.directory / "00000001.damaged"
        self.assertEqual(self.restarted()[-1], f"journal: {aside} is damaged; it is kept until you remove it")
        self.assertEqual(self.journal.damaged, [aside])
        self.assertEqual(self.segments(), [1, 2])
        self.forget(ROOM)
        self.assertEqual((self.segments(), aside.read_bytes()), ([2], content))
        self.assertIn("it is kept until you remove it", self.restarted()[0])
        aside.unlink()
        self.assertEqual(self.journal.damaged, [])
        self.assertEqual(self.restarted(), [])

    def test_a_start_that_finds_it_again_changes_nothing(self) -> None:
        self.add(self.opened(), line(1))
        content = self.damage(1)
        for _ in range(2):
            self.assertEqual(len(self.restarted()), 3)
            self.assertEqual((self.directory / "00000001.damaged").read_bytes(), content)

    def test_its_number_is_not_used_again(self) -> None:
        self.add(self.opened(), line(1))
        self.damage(1)
        self.restart()
        self.journal.stop()
        for path in self.directory.glob("*.journal"):
            path.unlink()
        self.journal = self.fresh()
        self.journal.start()
        self.assertEqual(self.segments(), [2])

    def test_a_filesystem_without_second_names_gets_a_copy(self) -> None:
        def refused(_path: Path, _aside: Path) -> None:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

        self.add(self.opened(), line(1))
        content = self.damage(1)
        self.patch(os, "link", refused)
        self.restart()
        self.assertEqual((self.directory / "00000001.damaged").read_bytes(), content)


class RoundTripTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=50)
    @given(st.lists(entries, max_size=6), st.integers(0, 6), st.sampled_from([1, 200, 10**6]))
    def test_every_history_comes_back(self, added: list[Entry], cut: int, segment_size: int) -> None:
        directory = Path(self.mktemp())
        journal = _journal(directory, segment_size=segment_size)
        journal.start()
        room = history()
        journal.append([(ROOM, (room.opened(), *added[:cut]))])
        for entry in added[cut:]:
            journal.append([(ROOM, (entry,))])
        journal.stop()
        again = _journal(directory)
        again.start()
        found = list(again.open_rooms())
        again.stop()
        self.assertEqual(found, [attrs.evolve(room, entries=added)])


class FullDiskTests(FileJournalCase):
    """ENOSPC and the like: nothing of a refused append stays."""

    def failing(self, taken: int | None) -> Callable[[], None]:
        """Let `write` take some bytes only, or none and raise; return what ends that."""
        real = os.write

        def write(descriptor: int, data: bytes) -> int:
            if taken is None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(descriptor, data[:taken])

        patched = self.patch(os, "write", write)
        return patched.restore

    def test_a_refused_write_is_a_store_error_in_words(self) -> None:
        room = self.opened()
        before = self.content()
        restore = self.failing(None)
        error = self.assertRaises(StoreError, self.add, room, line(1))
        restore()
        self.assertIn("No space left on device", str(error))
        self.assertIn(str(self.directory), str(error))
        self.assertEqual(self.content(), before)

    def test_a_partial_write_is_taken_back_wherever_it_stops(self) -> None:
        room = self.opened()
        before = self.content()
        for taken in range(1, 2 * len(b'{"room":""}') + 200):
            restore = self.failing(taken)
            error = self.assertRaises(StoreError, self.add, room, line(1), line(2), line(3))
            restore()
            self.assertIn(f"only {taken} of", str(error))
            self.assertEqual(self.content(), before)
        self.add(room, line(4))
        self.assertEqual(self.restart(), [room])

    def test_the_position_does_not_count_what_was_refused(self) -> None:
        room = self.opened()
        restore = self.failing(10)
        self.assertRaises(StoreError, self.add, room, line(1))
        restore()
        self.assertEqual(self.add(room, line(2)), len(self.content()))

    def test_a_room_whose_opening_was_refused_is_not_open(self) -> None:
        restore = self.failing(10)
        self.assertRaises(StoreError, self.opened)
        restore()
        self.assertRaises(StoreError, self.journal.append, [(ROOM, (line(1),))])
        self.assertEqual(self.opened().entries, [])
        self.assertEqual(self.restart(), [history()])

    def test_what_cannot_be_taken_back_stays_the_last_of_its_segment(self) -> None:
        room = self.opened()

        def stuck(_descriptor: int, _size: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        patched = self.patch(os, "ftruncate", stuck)
        restore = self.failing(10)
        self.assertRaises(StoreError, self.add, room, line(1))
        restore()
        patched.restore()
        self.add(room, line(2))
        self.assertEqual(self.segments(), [1, 2])
        self.assertEqual(self.restart(), [room])

    def test_forgetting_needs_no_space(self) -> None:
        self.opened()
        restore = self.failing(None)
        with capturedLogs() as events:
            self.journal.forget(ROOM)
        restore()
        self.assertIn(f"room={ROOM} is forgotten, but not on the disk", formatEvent(events[0]))
        self.assertRaises(StoreError, self.journal.append, [(ROOM, (line(1),))])
        self.assertEqual(self.restart(), [history()])


class SegmentTests(FileJournalCase):
    segment_size = 1

    def test_every_start_begins_a_segment(self) -> None:
        room = self.opened()
        self.assertEqual(self.segments(), [1])
        self.restart()
        self.assertEqual(self.segments(), [1, 2])
        self.add(room, line(1))
        self.assertEqual((self.directory / "00000001.journal").read_bytes().count(b"\n"), 1)

    def test_a_full_segment_is_followed_by_another(self) -> None:
        room = self.opened()
        self.add(room, line(1))
        self.add(room, line(2))
        self.assertEqual(self.segments(), [1, 2, 3])
        self.assertEqual(self.restart(), [room])

    def test_positions_go_on_over_segments(self) -> None:
        room = self.opened()
        self.add(room, line(1))
        self.assertEqual(self.add(room, line(2)), len(self.content()))

    def test_segments_stay_as_long_as_their_oldest_room(self) -> None:
        rooms = [self.opened(f"room-{number}") for number in range(4)]
        self.assertEqual(self.segments(), [1, 2, 3, 4])
        self.forget("room-1")
        self.assertEqual(self.segments(), [1, 2, 3, 4])
        self.forget("room-0")
        self.assertEqual(self.segments(), [3, 4])
        self.forget("room-3")
        self.assertEqual(self.segments(), [3, 4])
        self.assertEqual(self.restart(), [rooms[2]])

    def test_when_all_is_forgotten_only_the_current_segment_stays(self) -> None:
        for number in range(3):
            self.opened(f"room-{number}")
        self.forget(*(f"room-{number}" for number in range(3)))
        self.assertEqual(self.segments(), [3])
        self.opened()
        self.settle()
        self.assertEqual(self.segments(), [4])

    def test_a_start_removes_what_nobody_needs(self) -> None:
        self.opened()
        self.forget(ROOM)
        self.restart()
        self.settle()
        self.assertEqual(self.segments(), [2])

    def test_old_segments_stay_until_their_rooms_are_forgotten(self) -> None:
        self.opened()
        self.opened(OTHER)
        self.restart()
        self.restart()
        self.assertEqual(self.segments(), [1, 2, 3, 4])
        self.forget(ROOM)
        self.assertEqual(self.segments(), [2, 3, 4])
        self.forget(OTHER)
        self.assertEqual(self.segments(), [4])

    def test_a_segment_stays_until_it_is_on_the_disk_that_its_rooms_are_forgotten(self) -> None:
        self.opened()
        self.restart()
        self.journal.forget(ROOM)
        self.assertEqual(self.segments(), [1, 2])
        self.settle()
        self.assertEqual(self.segments(), [2])

    def test_other_files_are_left_alone(self) -> None:
        stranger = self.directory / "notes.journal"
        stranger.write_text("mine")
        self.restart()
        self.assertEqual(stranger.read_text(), "mine")

    def test_a_segment_that_cannot_be_removed_is_logged_once(self) -> None:
        self.opened()
        self.opened(OTHER)
        (self.directory / "00000001.journal").unlink()
        self.forget(ROOM)
        self.assertEqual(len(self.flushLoggedErrors(FileNotFoundError)), 1)
        self.forget(OTHER)
        self.assertEqual(self.segments(), [2])

    def test_a_segment_that_cannot_be_begun_refuses_the_append(self) -> None:
        room = self.opened()
        (self.directory / "00000002.journal").touch()
        self.assertIn("File exists", str(self.assertRaises(StoreError, self.add, room, line(1))))
        (self.directory / "00000002.journal").unlink()
        self.add(room, line(2))
        self.assertEqual(self.restart(), [room])


class TornTests(FileJournalCase):
    def test_after_a_kill_at_any_byte_the_journal_goes_on(self) -> None:
        room = self.opened()
        self.add(room, line(1), line(2))
        self.journal.stop()
        content = self.content()
        self.journal = _journal(Path(self.mktemp()))
        self.journal.start()
        for end in range(content.index(b"\n") + 1, len(content) + 1):
            self.check_from(content[:end])

    def check_from(self, content: bytes) -> None:
        directory = Path(self.mktemp())
        directory.mkdir()
        (directory / "00000001.journal").write_bytes(content)
        for count in (content.count(b"\n"), content.count(b"\n") + 1):
            journal = _journal(directory)
            journal.start()
            (found,) = journal.open_rooms()
            self.assertEqual(len(found.entries), count - 1)
            journal.append([(ROOM, (line(9),))])
            journal.stop()
        self.assertEqual([entry.at for entry in found.entries[:-1]], list(range(1, len(found.entries))))


class LockTests(FileJournalCase):
    def test_a_directory_has_one_daemon(self) -> None:
        second = self.fresh()
        text = str(self.assertRaises(StoreError, second.start))
        self.assertEqual(
            text,
            f"the journal {self.directory} is in use by another gamed (pid {os.getpid()}); "
            "stop it or set [store] state to another directory",
        )
        self.assertEqual(self.segments(), [1])

    def test_a_stop_frees_the_directory(self) -> None:
        self.restart()
        self.assertEqual((self.directory / "lock").read_bytes(), b"%d\n" % os.getpid())

    def test_the_lock_names_the_present_daemon_only(self) -> None:
        directory = Path(self.mktemp())
        directory.mkdir()
        (directory / "lock").write_text("4194304999\n")
        journal = _journal(directory)
        journal.start()
        self.addCleanup(journal.stop)
        self.assertEqual((directory / "lock").read_text(), f"{os.getpid()}\n")

    def test_a_start_that_fails_frees_the_directory(self) -> None:
        self.journal.stop()
        blocked = self.directory / "00000009.journal"
        blocked.mkdir()
        text = str(self.assertRaises(StoreError, self.fresh().start))
        self.assertIn("Is a directory", text)
        blocked.rmdir()
        self.journal = self.fresh()
        self.journal.start()

    def test_a_directory_that_cannot_be_made_is_told(self) -> None:
        occupied = Path(self.mktemp())
        occupied.touch()
        text = str(self.assertRaises(StoreError, _journal(occupied / "journal").start))
        self.assertIn(f"cannot open the journal {occupied}/journal: Not a directory", text)


class DiskTests(FileJournalCase):
    """Durability "disk"; `test_sync.py` holds the order and the holding back."""

    durability = "disk"

    def test_a_call_waits_for_the_sync(self) -> None:
        position = self.add(self.opened(), line(1))
        called: list[int] = []
        self.journal.when_synced(position, lambda: called.append(position))
        self.assertEqual(called, [])
        self.pump.turn()
        self.assertEqual(called, [position])

    def test_a_sync_is_not_put_off(self) -> None:
        journal = _journal(Path(self.mktemp()), durability="disk", interval=0.005)
        self.assertEqual(journal._sync.interval, 0.0)
        self.assertEqual(attrs.evolve(journal, durability="process")._sync.interval, 0.005)

    def test_a_failed_sync_is_seen(self) -> None:
        def broken(_descriptor: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        self.assertIsNone(self.journal.failed)
        noticed: list[Exception | None] = []
        self.journal.on_failure = lambda: noticed.append(self.journal.failed)
        patched = self.patch(os, "fdatasync", broken)
        self.journal.when_synced(self.add(self.opened(), line(1)), self.fail)
        self.pump.turn()
        self.assertIsInstance(noticed[0], OSError)
        self.assertRaises(DiskError, self.journal.append, [(ROOM, (line(2),))])
        self.assertRaises(DiskError, self.journal.probe)
        patched.restore()
