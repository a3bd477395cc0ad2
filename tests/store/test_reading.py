"""Reading a database without the right to write to it. Root has every right, so `os.access` is told what to say."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from unittest.mock import patch

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.store.database import Database
from gamed.store.query import Query
from gamed.store.reading import is_missing, readable
from tests.store.examples import record, summary


class ReadingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir(parents=True)
        self.file = self.folder / "games #1%.db"
        self.url = f"sqlite:///{self.folder}/games #1%25.db"

    def daemon(self) -> Database:
        store = Database(self.url)
        store.thd_open()
        return store

    def closed(self, *numbers: int) -> None:
        store = self.daemon()
        store.thd_keep([(record(number), summary(number)) for number in numbers])
        store.thd_close()

    def count(self, url: str) -> int:
        store = Database(url)
        store.thd_open()
        try:
            return len(store.thd_find(Query()))
        finally:
            store.thd_close()

    def forbid(self, *paths: Path) -> None:
        access = patch("gamed.store.reading.os.access", lambda path, _mode: path not in paths)
        access.start()
        self.addCleanup(access.stop)

    def test_who_may_write_reads_the_database_itself(self) -> None:
        self.closed(1)
        with readable(self.url) as url:
            self.assertEqual(url, self.url)

    def test_a_database_that_does_not_exist_is_empty_and_is_not_made(self) -> None:
        self.assertTrue(is_missing(self.url))
        with readable(self.url) as url:
            self.assertEqual(self.count(url), 0)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_one_that_is_not_open_is_copied_and_nothing_is_left_beside_it(self) -> None:
        self.closed(1, 2)
        before = self.file.read_bytes()
        for forbidden in (self.file, self.folder):
            self.forbid(forbidden)
            with readable(self.url) as url:
                self.assertNotIn(str(self.folder), url)
                self.assertEqual(self.count(url), 2)
        self.assertEqual((list(self.folder.iterdir()), self.file.read_bytes()), ([self.file], before))

    def test_what_a_killed_daemon_left_in_the_log_is_copied_with_it(self) -> None:
        store = self.daemon()
        store.thd_keep([(record(1), summary(1))])
        kept = {path.name: path.read_bytes() for path in self.folder.iterdir() if not path.name.endswith("-shm")}
        store.thd_close()
        self.assertEqual(len(kept), 2)
        for name, content in kept.items():
            (self.folder / name).write_bytes(content)
        self.forbid(self.file)
        with readable(self.url) as url:
            self.assertEqual(self.count(url), 1)

    def test_a_running_daemon_is_read_while_it_writes(self) -> None:
        daemon = self.daemon()
        self.addCleanup(daemon.thd_close)
        self.forbid(self.file)
        with readable(self.url) as url:
            self.assertIn("mode=ro", url)
            self.assertNotIn("immutable", url)
            reader = Database(url)
            reader.thd_open()
            self.addCleanup(reader.thd_close)
            for number in (1, 2, 3):
                daemon.thd_keep([(record(number), summary(number))])
                self.assertEqual(len(reader.thd_find(Query())), number)
            self.assertRaises(StoreError, reader.thd_keep, [(record(4), summary(4))])

    def test_another_schema_is_refused_where_it_cannot_be_brought_to_ours(self) -> None:
        self.closed(1)
        other = sqlite3.connect(self.file, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("UPDATE alembic_version SET version_num = 'other'")
        self.forbid(self.file)
        with readable(self.url) as url, self.assertRaisesRegex(StoreError, "may write to it"):
            Database(url).thd_open()

    def test_a_daemon_that_stops_while_the_database_is_copied(self) -> None:
        self.closed(1)
        self.forbid(self.file)
        ages = iter([(1, 1), (2, 2), (2, 2)])
        with patch("gamed.store.reading._age", lambda _: next(ages)), readable(self.url) as url:
            self.assertEqual(self.count(url), 1)
        self.assertRaises(StopIteration, next, ages)

    def test_a_file_that_cannot_be_read(self) -> None:
        self.closed(1)
        self.forbid(self.file)
        with (
            patch("gamed.store.reading.shutil.copyfile", side_effect=PermissionError(13, "Permission denied")),
            self.assertRaisesRegex(StoreError, "games #1%.db cannot be read: Permission denied"),
            readable(self.url),
        ):
            pass

    def test_a_directory_that_cannot_be_searched(self) -> None:
        with (
            patch.object(Path, "exists", side_effect=PermissionError(13, "Permission denied")),
            self.assertRaisesRegex(StoreError, "cannot be read: Permission denied"),
        ):
            is_missing(self.url)

    def test_other_urls_are_left_as_they_are(self) -> None:
        for other in ("sqlite://", "postgresql://nowhere/gamed", "sqlite:///file:x?mode=ro&uri=true", "nonsense"):
            with readable(other) as url:
                self.assertEqual(url, other)
