"""Ended games as files: whole ones, in a thread, and a disk that fails harms nothing."""

from __future__ import annotations

import errno
from pathlib import Path
from threading import Event, current_thread
from typing import Any

import attrs
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.config import structure
from gamed.core.errors import StoreError
from gamed.core.history import JOINED, Entry, History
from gamed.games.softwarechallenge.seasons.hive import game_type
from gamed.games.softwarechallenge.seasons.hive.replays import file_name, write
from gamed.records.record import Record
from gamed.registry import ReplayFormat
from gamed.store import replays
from gamed.store.replays import ReplayFolder, ReplayWriter, thd_write_file
from tests.games.softwarechallenge.hive.test_replays import history, whole
from tests.records.samples import record
from tests.store.logs import sentences
from tests.store.pump import Pump

ENDED = history(["a:bc"])


class FileTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.path = Path(self.mktemp()) / "games" / "one.xml"

    def test_it_is_written_as_a_whole_and_again(self) -> None:
        for data in (b"first", b"second"):
            thd_write_file(self.path, data)
            self.assertEqual(self.path.read_bytes(), data)
        self.assertEqual([path.name for path in self.path.parent.iterdir()], ["one.xml"])

    def test_what_cannot_be_written_leaves_what_is_there(self) -> None:
        def full(_descriptor: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        thd_write_file(self.path, b"first")
        self.patch(replays.os, "fsync", full)
        self.assertRaises(OSError, thd_write_file, self.path, b"second")
        self.assertEqual(self.path.read_bytes(), b"first")
        self.assertEqual([path.name for path in self.path.parent.iterdir()], ["one.xml"])


class FolderTests(SynchronousTestCase):
    """The file of a record that is deleted, or that another one takes the place of."""

    def setUp(self) -> None:
        replay = ReplayFormat("software-challenge", "protocol", b"", write, lambda _: ENDED, file_name)
        self.folder = ReplayFolder(Path(self.mktemp()), replay)
        self.folder.directory.mkdir()

    def played(self, *names: str) -> Record:
        ended = whole(1)
        ended.entries[:2] = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(names)]
        path = self.folder.directory / file_name(ended)
        path.write_bytes(write(ended))
        self.addCleanup(path.unlink, missing_ok=True)
        return record(ended)

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.directory.iterdir())

    def test_the_file_of_a_record_is_removed_and_no_other(self) -> None:
        one = self.played("Ada", "Bob")
        (first,) = self.names()
        self.played("Ada", "Cyd")
        self.folder.thd_remove(one)
        self.folder.thd_remove(one)
        self.assertEqual(len(self.names()), 1)
        self.assertNotIn(first, self.names())

    def test_another_takes_its_place(self) -> None:
        before = self.played("Ada", "Bob")
        (self.folder.directory / self.names()[0]).chmod(0o640)
        self.folder.thd_replace(before, record_with(before, b"Cyd"))
        (name,) = self.names()
        self.assertEqual((self.folder.directory / name).stat().st_mode & 0o777, 0o640)
        self.assertIn("Cyd_Bob", name)
        self.assertIn(b'"Cyd"', (self.folder.directory / name).read_bytes())
        self.folder.thd_replace(before, record_with(before, b"Eve"))
        self.assertEqual(self.names(), [name])

    def test_what_is_no_record_of_the_game_has_no_file(self) -> None:
        self.folder.thd_remove(Record("id", "gamed-hive", "1.0", b"<header/>", b"<body/>"))

    def test_a_file_that_cannot_be_removed_is_said(self) -> None:
        one = self.played("Ada", "Bob")
        path = self.folder.directory / self.names()[0]
        path.unlink()
        path.mkdir()
        self.addCleanup(path.rmdir)
        self.assertIn("its record stays", str(self.assertRaises(StoreError, self.folder.thd_remove, one)))

    def test_the_folders_of_a_configuration(self) -> None:
        config = structure({"softwarechallenge": {"replays": "kept"}}, Path("/srv"))
        found = replays.folders(config.listeners)
        self.assertEqual(
            {name: str(one.directory) for name, one in found.items()},
            dict.fromkeys(("gamed-hive", "gamed-blokus"), "/srv/kept"),
        )
        self.assertEqual(replays.folders(structure({}, Path("/srv")).listeners), {})


def record_with(before: Record, name: bytes) -> Record:
    """Return a record with another name in the place of Ada."""
    header, body = (node.replace(b'"Ada"', b'"%b"' % name) for node in (before.header, before.body))
    return attrs.evolve(before, header=header, body=body)


class WriterTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.threads: list[str] = []
        self.pump = Pump()

    def writer(self, write: Any = None) -> ReplayWriter:
        def written(ended: History) -> bytes:
            self.threads.append(current_thread().name)
            return b"replay" if write is None else write(ended)

        replay = ReplayFormat("software-challenge", "protocol", b"", written, lambda _: ENDED, file_name)
        writer = ReplayWriter(self.folder, replay, self.pump)
        writer.start()
        return writer

    def test_a_game_is_written_in_a_thread(self) -> None:
        writer = self.writer()
        writer.write(ENDED)
        self.pump.result(writer.stop())
        self.assertEqual((self.folder / file_name(ENDED)).read_bytes(), b"replay")
        self.assertNotIn(current_thread().name, self.threads)

    def test_a_directory_that_cannot_be_made_is_a_line_in_the_log(self) -> None:
        self.folder.write_bytes(b"a file")
        writer = self.writer()
        with capturedLogs() as logs:
            writer.write(ENDED)
            self.pump.result(writer.stop())
        (said,) = sentences(logs)
        self.assertRegex(said, r"^replay not written: .*File exists.*; `gamed records export 6f0c1f0e-[\w-]+ --format")
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_a_fault_in_one_game_is_logged_and_the_next_is_written(self) -> None:
        writer = self.writer(lambda _: b"" if len(self.threads) > 1 else {}["name"])
        writer.write(ENDED)
        writer.write(ENDED)
        self.pump.result(writer.stop())
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 1)
        self.assertTrue((self.folder / file_name(ENDED)).exists())

    def test_a_disk_that_hangs_fills_no_memory(self) -> None:
        self.patch(replays, "MOST_WAITING", 2)
        hangs = Event()
        writer = self.writer(lambda _: b"x" if hangs.wait(20) else b"")
        with capturedLogs() as logs:
            for _ in range(3):
                writer.write(ENDED)
        self.assertIn("2 games are waiting for the disk", sentences(logs)[0])
        hangs.set()
        self.pump.result(writer.stop())
        self.assertEqual(len(self.threads), 2)

    def test_nothing_to_write_stops_at_once(self) -> None:
        self.assertIsNone(self.successResultOf(self.writer().stop()))
        self.assertEqual(self.pump.calls, [])


class NameTests(SynchronousTestCase):
    def named(self, *names: str) -> str:
        made = history(["a:bc"])
        for entry, name in zip(made.entries, names, strict=False):
            entry.data["name"] = name
        return file_name(made)

    def test_it_is_the_official_servers_with_the_records_id(self) -> None:
        name = self.named("Ada Lovelace", "Bob")
        self.assertEqual(name, "replay_swc_2020_hive_Ada_Lovelace_Bob_1970.01.01_00_00_00_6f0c1f0e.xml")

    def test_whatever_the_names_are_it_is_one_files_name(self) -> None:
        for name in ("../../etc/passwd", "\0", "a\nb", "ß" * 10_000, "\U0001f41d" * 500, "C:\\x", ""):
            made = self.named(name, name)
            self.assertEqual(Path(made).name, made)
            self.assertTrue(made.replace("_", "").replace(".", "").isalnum(), ascii(made))
            self.assertLessEqual(len(f".{made}.part".encode()), 255)


class GameTests(SynchronousTestCase):
    def test_hive_has_this_format(self) -> None:
        (replay,) = game_type.replays
        self.assertEqual((replay.write.function, replay.file_name.function), (write, file_name))
