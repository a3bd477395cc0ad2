"""The lines that commands add to the audit log, and the permissions of the files that commands create."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner

from gamed import cli
from gamed.core.errors import StoreError
from gamed.process.audit import user
from gamed.store.database import Database
from tests.records.documents import GOFANS, NESTED
from tests.records.samples import game, record
from tests.test_cli_import import ILLEGAL, ImportCase

ROOM = game().room


class AuditCase(ImportCase):
    """A folder with a configuration, whose state directory is the folder itself."""

    def noted(self) -> list[str]:
        """Return the lines of the audit log, without their time."""
        path = self.folder / "audit.log"
        return [line.partition(" ")[2] for line in path.read_text().splitlines()] if path.exists() else []


class ImportAuditTests(AuditCase):
    def test_an_import_is_noted_when_it_begins_to_store_and_at_its_end(self) -> None:
        names = [self.file("a.xml", GOFANS), self.file("b c.xml", NESTED), self.file("ko.xml", ILLEGAL)]
        self.run_gamed("import", *names, names[0], status=1)
        head = f"{user()} did=import {names[0]} '{names[1]}' {names[2]} {names[0]}"
        self.assertEqual(self.noted(), [f"{head} result=begun", f"{head} result=2 imported, 1 illegal, 1 duplicate"])

    def test_an_import_that_stores_nothing_leaves_no_file(self) -> None:
        self.run_gamed("import", self.file("ko.xml", ILLEGAL), status=1)
        self.assertEqual(self.noted(), [])
        self.assertFalse((self.folder / "games.db").exists())

    def test_what_cannot_be_noted_is_not_imported(self) -> None:
        (self.folder / "audit.log").mkdir()
        found = self.run_gamed("import", self.file("a.xml", GOFANS), status=1)
        self.assertIn(f"gamed: cannot write the audit log {self.folder}/audit.log: Is a directory", found.stderr)
        self.assertFalse((self.folder / "games.db").exists())

    def test_an_import_that_fails_says_why(self) -> None:
        with patch.object(Database, "thd_keep", side_effect=StoreError("database is locked")):
            self.run_gamed("import", self.file("a.xml", GOFANS), status=1)
        self.assertTrue(self.noted()[1].endswith("result=failed: database is locked; so far: nothing known"))

    def test_a_reindex_is_noted(self) -> None:
        self.store().thd_keep([(record(game()), None)])
        self.run_gamed("records", "reindex")
        result = "1 record: 1 by game and player, 0 by format only"
        self.assertEqual(self.noted()[1], f"{user()} did=records reindex result={result}")

    def test_looking_is_not_noted(self) -> None:
        self.store().thd_keep([(record(game()), None)])
        self.run_gamed("records", "list")
        self.run_gamed("export", ROOM)
        self.run_gamed("check", self.file("a.xml", GOFANS))
        self.assertEqual(self.noted(), [])


class RightsTests(AuditCase):
    """Files with people's addresses can be read only by their owner, as those of the daemon."""

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(os.umask, os.umask(0o022))

    def check_private(self, path: Path) -> None:
        self.assertEqual(path.stat().st_mode & 0o777, 0o600, path)

    def test_the_database_and_the_audit_log_of_an_import(self) -> None:
        self.run_gamed("import", self.file("a.xml", GOFANS))
        self.check_private(self.folder / "games.db")
        self.check_private(self.folder / "audit.log")
        # The files that SQLite creates next to the open database.
        self.store().thd_keep([(record(game()), None)])
        self.check_private(self.folder / "games.db-wal")

    def test_exported_games(self) -> None:
        self.store().thd_keep([(record(game()), None)])
        target = self.folder / "out" / "game.xml.gz"
        target.parent.mkdir()
        self.run_gamed("export", ROOM, "--output", str(target))
        self.check_private(target)
        self.run_gamed("export", "--all", str(self.folder / "all"))
        self.check_private(self.folder / "all" / f"{ROOM}.xml")

    def test_other_files_have_the_usual_rights(self) -> None:
        source = self.file("game.sgf", b"(;SZ[9];B[aa])")
        found = CliRunner().invoke(cli.main, ["convert", source, str(self.folder / "game.xml")])
        self.assertEqual((found.exit_code, os.umask(0o022)), (0, 0o022))
        self.assertEqual((self.folder / "game.xml").stat().st_mode & 0o777, 0o644)

    def test_a_database_with_parameters_in_its_url_is_left_to_sqlite(self) -> None:
        store = Database(f"sqlite:///file:{self.folder}/other.db?uri=true")
        store.thd_open()
        self.addCleanup(store.thd_close)
        self.assertTrue((self.folder / "other.db").exists())
