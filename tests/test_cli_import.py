"""`gamed import`, `check` and `records reindex` with files and a real database; killing an import."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner, Result
from sqlalchemy import create_engine, text
from twisted.trial.unittest import SynchronousTestCase

import gamed
from gamed import cli
from gamed.records.importer import TAKEN
from gamed.records.record import document
from gamed.store.database import Database
from gamed.store.query import Query
from tests.records.documents import BOMB, GOFANS, NESTED, UNKNOWN, outcome
from tests.records.samples import game, record
from tests.records.test_importer import same_nodes
from tests.terminal import on_terminal

ROOT = str(Path(gamed.__file__).parents[1])
ILLEGAL = GOFANS.replace(b'x="2" y="1"><remove', b'x="1" y="2"><remove')
NOT_VALID = GOFANS.replace(b'size="9"', b'size="many"')


class ImportCase(SynchronousTestCase):
    """A folder with a configuration, whose database is `games.db`."""

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.config = self.folder / "gamed.toml"
        self.config.write_text('[store]\nurl = "sqlite:///games.db"\n')

    def file(self, name: str, content: bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return str(path)

    def run_gamed(self, *args: str, status: int = 0, charset: str = "utf-8", **more: Any) -> Result:
        runner = CliRunner(charset=charset)
        found = runner.invoke(cli.main, [*args, "--config", str(self.config)], **more)
        self.assertEqual(found.exit_code, status, found.output)
        return found

    def store(self) -> Database:
        store = Database(f"sqlite:///{self.folder / 'games.db'}")
        store.thd_open()
        self.addCleanup(store.thd_close)
        return store


class ImportTests(ImportCase):
    def test_every_outcome_has_its_line(self) -> None:
        files = {
            "good.xml": (GOFANS, "imported"),
            "again.xml": (GOFANS, "duplicate"),
            "respelt.xml": (GOFANS.replace(b'x="1" y="2"', b'y="2"  x="1"') + b"<!-- other -->", "duplicate"),
            "packed.xml.gz": (gzip.compress(NESTED), "imported"),
            "club.xml": (UNKNOWN, "unknown-format"),
            "game.xml": (b"no game", "not-xml"),
            "bomb.xml": (BOMB, "forbidden"),
            "no-header.xml": (b'<game publisher="A" version="1"><body/></game>', "not-standard"),
            "wrong.xml": (NOT_VALID, "not-valid"),
            "ko.xml": (ILLEGAL, "illegal"),
            "broken.xml.gz": (gzip.compress(GOFANS)[:-9], "unreadable"),
        }
        names = [self.file(name, content) for name, (content, _) in files.items()]
        names.append(str(self.folder / "nowhere.xml"))
        lines = self.run_gamed("import", *names, status=1).stdout.splitlines()
        codes = [code for _, code in files.values()] + ["missing"]
        for line, code, name in zip(lines, codes, names, strict=False):
            self.assertRegex(line, rf"\A{code} {re.escape(name)}(:\d+)*: \S")
        self.assertEqual(
            lines[-1],
            "12 documents: 2 imported, 2 duplicate, 1 unknown-format, 1 not-xml, 1 forbidden, 1 not-standard, "
            "1 not-valid, 1 illegal, 1 unreadable, 1 missing",
        )
        self.assertEqual(len(list(self.store().thd_records())), 3)

    def test_sgf_is_taken_as_it_is_in_the_browser(self) -> None:
        game = "(;FF[4]SZ[9]CA[%s]PB[Ä]PW[B]RE[B+R];B[aa];W[bb])"
        for name, content in (
            ("utf-16.sgf", (game % "UTF-16").encode("utf-16")),
            ("packed.sgf.gz", gzip.compress((game % "UTF-8").encode())),
            ("latin.sgf", (game % "ISO-8859-1").encode("latin-1")),
            ("words.sgf", b"From the club:\n" + (game % "UTF-8").encode()),
        ):
            self.file(name, content)
        lines = self.run_gamed("import", str(self.folder)).stdout.splitlines()
        self.assertEqual(lines[-1], "4 documents: 1 imported, 3 duplicate")
        self.assertIn("latin.sgf: GoFans 2.2: go, 2 moves", lines[0])
        self.assertEqual([seat.name for seat in self.store().thd_find(Query())[0].seats], ["Ä", "B"])

    def test_a_resignation_is_not_a_move(self) -> None:
        for result, moves in (("B+R", 40), ("W+R", 40), ("B+1.5", 40)):
            nodes = "".join(f";{'BW'[n % 2]}[{chr(97 + n % 19)}{chr(97 + n // 19 * 2)}]" for n in range(40))
            found = self.run_gamed("check", self.file("game.sgf", f"(;SZ[19]RE[{result}]{nodes})".encode()))
            self.assertIn(f"go, {moves} moves", found.stdout)

    def test_an_empty_file_is_called_so(self) -> None:
        for name in ("empty.sgf", "empty.xml"):
            found = self.run_gamed("check", self.file(name, b""), status=1)
            self.assertIn("the file is empty", found.stdout)
            self.assertNotIn("XML", found.stdout.replace(name, ""))

    def test_xml_in_another_encoding_has_a_hint(self) -> None:
        found = self.run_gamed("check", self.file("latin.xml", "<game>Ärger</game>".encode("latin-1")), status=1)
        self.assertIn("convert it, for example with `iconv -f ISO-8859-1 -t UTF-8`", found.stdout)

    def test_each_game_of_a_collection_has_its_line(self) -> None:
        name = self.file("club.sgf", b"(;SZ[9]AP[x];B[aa])(;SZ[9];B[bb];W[bb])(;SZ[9];B[cc])")
        lines = self.run_gamed("import", name, status=1).stdout.splitlines()
        self.assertRegex(lines[0], r": game 1: GoFans 2.2: go, 1 move; id [0-9a-f-]{36} \(not kept: AP is left out\)$")
        self.assertIn(f"illegal {name}:1: game 2: ", lines[1])
        self.assertEqual(lines[3], "1 document, 3 games: 2 imported, 1 illegal")
        self.assertIn("valid", self.run_gamed("check", self.file("one.sgf", b"(;SZ[9];B[aa])")).stdout)

    def test_status_0_if_all_were_taken(self) -> None:
        names = [self.file("a.xml", GOFANS), self.file("b.xml", GOFANS), self.file("c.xml", UNKNOWN)]
        self.run_gamed("import", *names)
        self.assertEqual(self.run_gamed("import", *names).stdout.splitlines()[-1], "3 documents: 3 duplicate")

    def test_a_directory_and_the_standard_input(self) -> None:
        for name in ("club/b.xml", "club/deeper/a.xml.gz", "club/notes.txt", "club/z.xml.bak"):
            self.file(name, NESTED)
        found = self.run_gamed("import", str(self.folder / "club"), "-", input=GOFANS)
        self.assertEqual(found.stdout.splitlines()[-1], "3 documents: 2 imported, 1 duplicate")
        self.assertIn("imported -: GoFans 2.1: go, 4 moves", found.stdout)

    def test_an_empty_directory(self) -> None:
        (self.folder / "empty").mkdir()
        self.assertEqual(self.run_gamed("import", str(self.folder / "empty")).stdout, "0 documents\n")

    def test_what_is_lost_is_said(self) -> None:
        name = self.file("a.xml", b"<!-- from the club -->" + NESTED)
        self.assertIn("(not kept: comments outside header and body)", self.run_gamed("import", name).stdout)

    def test_the_record_comes_back(self) -> None:
        for name, content in (("a.xml", UNKNOWN), ("b.xml", GOFANS), ("c.xml", NESTED)):
            found = self.run_gamed("import", self.file(name, content), "--json")
            back = self.run_gamed("export", json.loads(found.stdout)["id"]).stdout_bytes
            self.assertTrue(same_nodes(content, back))

    def test_what_is_searched_of_it_is_stored(self) -> None:
        self.run_gamed("import", self.file("a.xml", GOFANS), self.file("b.xml", UNKNOWN))
        (found,) = self.store().thd_find(Query(player="Bert"))
        self.assertEqual((found.kind, found.started, found.length), ("go", "2026-11-21", 4))
        self.assertIn("Anna won", self.run_gamed("records", "list").stdout)

    def test_games_are_sorted_by_their_real_dates(self) -> None:
        dates = ("August 1, 2001", "2003-05-02", "2.1.1999", "1846", "of old")
        games = [GOFANS.replace(b"<date>2026-11-21</date>", b"<date>%s</date>" % date.encode()) for date in dates]
        self.run_gamed("import", *(self.file(f"{number}.xml", game) for number, game in enumerate(games)))
        lines = self.run_gamed("records", "list").stdout.splitlines()[1:]
        self.assertEqual(
            [line[10:20].strip() for line in lines], ["2003-05-02", "2001-08-01", "1999-01-02", "1846", ""]
        )

    def test_an_exported_record_of_the_daemon_is_a_duplicate(self) -> None:
        own = record(game())
        self.store().thd_keep([(own, None)])
        name = self.file("own.xml", document(own).replace(b"/>", b" />"))
        with patch("gamed.replayers.replayers", dict):
            found = self.run_gamed("import", name)
            self.assertTrue(found.stdout.startswith("duplicate "), found.stdout)
            other = self.file("other.xml", document(own).replace(b'at="20"', b'at="21"'))
            lines = self.run_gamed("import", other, self.file("c.xml", NESTED), status=1).stdout.splitlines()
        self.assertTrue(lines[0].startswith("conflict "), lines)
        self.assertIn("with other content", lines[0])
        self.assertEqual(lines[2], "2 documents: 1 conflict, 1 imported")

    def test_json_is_an_object_a_line(self) -> None:
        names = [self.file("a.xml", GOFANS), self.file("b.xml", NOT_VALID)]
        good, bad = map(json.loads, self.run_gamed("import", *names, "--json", status=1).stdout.splitlines())
        self.assertEqual((good["file"], good["code"], good["lost"]), (names[0], "imported", []))
        expected = outcome(GOFANS).record
        assert expected is not None
        self.assertEqual(good["id"], expected.id)
        self.assertEqual((bad["code"], bad["line"], bad["xpath"]), ("not-valid", 5, "/game/header/board"))
        self.assertIsNone(bad["id"])

    def test_the_largest_document_is_configured(self) -> None:
        name = self.file("a.xml", GOFANS)
        for size, status in ((len(GOFANS), 0), (len(GOFANS) - 1, 1)):
            self.config.write_text(f'[store]\nurl = "sqlite:///games.db"\nimport_bytes = {size}\n')
            self.run_gamed("check", name, status=status)
        self.config.write_text("[store]\nimport_bytes = 0\n")
        self.assertIn("'import_bytes' must be > 0", self.run_gamed("check", name, status=1).stderr)

    def test_further_formats_are_configured(self) -> None:
        self.config.write_text('[store]\nurl = "sqlite:///games.db"\nformats = "formats"\n')
        self.assertIn("there is no directory", self.run_gamed("import", "x.xml", status=1).stderr)
        (self.folder / "formats").mkdir()
        self.run_gamed("import", self.file("a.xml", GOFANS))

    def test_names_cannot_command_the_terminal(self) -> None:
        name = self.file("\x1b[2J.xml", UNKNOWN.replace("Löwe".encode(), "\u202e".encode()))
        output = self.run_gamed("import", name).stdout
        self.assertIn("\\x1b[2J", output)
        self.assertNotIn("\u202e", output)

    def test_a_progress_bar_on_a_terminal_only(self) -> None:
        name = self.file("a.xml", GOFANS)
        self.assertEqual(self.run_gamed("import", name).stderr, "")
        shown = on_terminal("check", name, name)
        self.assertIn("50%", shown)
        self.assertIn("100%", shown)
        self.assertIn("valid", shown)

    def test_the_bar_is_below_every_line_on_a_terminal(self) -> None:
        names = [self.file(f"{number}.xml", GOFANS) for number in range(3)]
        shown = on_terminal("import", *names, "--config", str(self.config))
        first, *lines = shown.split("\r\x1b[K")
        # How often the bar is drawn before the first line depends on the speed of the machine.
        self.assertEqual(set(re.findall(r"\d+%", first)), {"0%"})
        self.assertEqual(len(lines), 3)
        for number, line in enumerate(lines, 1):
            said = "(go, 4 moves; id [0-9a-f-]+|is in the store already)"
            self.assertRegex(line, rf"(?s)\A[^%]*{said}\r\n[^\n]*%.*{number} done")
        self.assertIn("33%", lines[0])
        self.assertIn("66%", lines[1])
        self.assertIn("100%", lines[2])

    def test_the_bar_moves_through_the_games_of_one_file(self) -> None:
        name = self.file("club.sgf", b"(;SZ[9];B[aa])" * 10)
        shown = on_terminal("check", name)
        found = list(map(int, re.findall(r"(\d+)%", shown)))
        self.assertEqual(found, sorted(found))
        self.assertLessEqual({10, 20, 50, 90, 100}, set(found))

    def test_a_named_pipe_in_a_directory_is_passed_over(self) -> None:
        self.file("club/a.xml", GOFANS)
        os.mkfifo(self.folder / "club" / "pipe.xml")
        (self.folder / "club" / "gone.xml").symlink_to("nowhere")
        lines = self.run_gamed("import", str(self.folder / "club"), status=1).stdout.splitlines()
        self.assertEqual(lines[-1], "2 documents: 1 imported, 1 missing")

    def test_a_database_is_made_only_for_something_to_store(self) -> None:
        (self.folder / "empty").mkdir()
        found = self.run_gamed("import", str(self.folder / "empty"))
        self.assertIn("empty: no file below this directory ends with .xml, .xml.gz, .sgf, .sgf.gz", found.stderr)
        self.run_gamed("import", self.file("a.xml", NOT_VALID), "nowhere.xml", status=1)
        self.assertFalse((self.folder / "games.db").exists())
        self.run_gamed("import", self.file("b.xml", GOFANS))
        self.assertTrue((self.folder / "games.db").exists())

    def test_standard_output_on_a_full_disk_is_one_line(self) -> None:
        for arguments in (["check", self.file("a.xml", GOFANS)], ["--help"]):
            command = [sys.executable, "-c", "from gamed.cli import main; main()", *arguments]
            with Path("/dev/full").open("w") as full:
                done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.stderr, "gamed: cannot write to standard output: No space left on device\n")
            self.assertEqual(done.returncode, 1)

    def test_another_error_of_the_system_is_not_taken_for_that(self) -> None:
        with patch("gamed.cli.checking.load", side_effect=IsADirectoryError(21, "Is a directory")):
            found = CliRunner().invoke(cli.main, ["check", "x.xml"])
        self.assertIsInstance(found.exception, IsADirectoryError)

    def test_a_name_outside_the_character_set_of_the_terminal(self) -> None:
        self.run_gamed("import", self.file("a.xml", GOFANS.replace(b"Bert", "囲碁".encode())))
        found = self.run_gamed("records", "list", charset="latin-1")
        self.assertIn("Anna, \\u56f2\\u7881", found.stdout)


class CheckTests(ImportCase):
    def test_it_stores_nothing(self) -> None:
        lines = self.run_gamed("check", self.file("a.xml", GOFANS), self.file("b.xml", ILLEGAL), status=1).stdout
        self.assertIn("valid ", lines.splitlines()[0])
        self.assertIn("illegal ", lines.splitlines()[1])
        self.assertFalse((self.folder / "games.db").exists())

    def test_one_document_twice_is_valid_twice(self) -> None:
        name = self.file("a.xml", GOFANS)
        self.assertEqual(self.run_gamed("check", name, name).stdout.splitlines()[-1], "2 documents: 2 valid")

    def test_help(self) -> None:
        for name in ("import", "check", "export", "convert", "show", "record"):
            self.assertIn(f"Example: gamed {name} ", CliRunner().invoke(cli.main, [name, "--help"]).output)


class ReindexTests(ImportCase):
    def damaged(self) -> None:
        """Import some documents, and spoil their search fields."""
        names = [self.file("a.xml", GOFANS), self.file("b.xml", NESTED), self.file("c.xml", UNKNOWN)]
        self.run_gamed("import", *names)
        self.store().thd_keep([(record(game()), None)])
        engine = create_engine(f"sqlite:///{self.folder / 'games.db'}")
        with engine.begin() as connection:
            connection.execute(text("DELETE FROM seats"))
            connection.execute(text("UPDATE summaries SET kind = 'chess', winner = 1"))
        engine.dispose()

    def test_what_is_searched_comes_back(self) -> None:
        self.damaged()
        counted = self.run_gamed("records", "reindex").stdout
        self.assertEqual(counted, "4 records: 3 by game and player, 1 by format only\n")
        found = {summary.publisher: summary for summary in self.store().thd_find(Query())}
        expected = outcome(GOFANS).summary
        self.assertIn(expected, self.store().thd_find(Query(kind="go")))
        self.assertEqual(found["gamed-battleship"].length, 4)
        self.assertEqual(self.store().thd_find(Query(kind="chess")), [])

    def test_a_record_that_is_not_of_its_format(self) -> None:
        own = record(game())
        bad = type(own)(own.id, own.publisher, own.version, b"<header/>", own.body)
        self.store().thd_keep([(bad, None)])
        found = self.run_gamed("records", "reindex")
        self.assertEqual(found.stdout, "1 record: 0 by game and player, 1 by format only\n")
        self.assertIn(own.id, found.stderr)

    def test_a_record_under_another_id_is_found_by_its_format_only(self) -> None:
        own = record(game())
        other = type(own)("11111111" + own.id[8:], own.publisher, own.version, own.header, own.body)
        self.store().thd_keep([(other, None)])
        self.assertIn("0 by game and player", self.run_gamed("records", "reindex").stdout)

    def test_without_a_database(self) -> None:
        self.assertIn("0 records", self.run_gamed("records", "reindex").stdout)
        self.assertFalse((self.folder / "games.db").exists())


class KillTests(ImportCase):
    GAMES = 400

    def test_a_killed_import_leaves_whole_records_only(self) -> None:
        for number in range(self.GAMES):
            title = b"<title>%d</title>" % number
            self.file(f"club/{number:04d}.xml", GOFANS.replace(b"<title>A ko</title>", title))
        command = [
            sys.executable,
            "-u",
            "-c",
            "from gamed.cli import main; main()",
            "import",
            str(self.folder / "club"),
        ]
        for lines in (1, 101):
            with subprocess.Popen(
                [*command, "--config", str(self.config)], cwd=ROOT, stdout=subprocess.PIPE, text=True
            ) as process:
                assert process.stdout is not None
                told = [process.stdout.readline() for _ in range(lines)]
                # At a random point while it works on the next documents.
                time.sleep(0.02)
                process.send_signal(signal.SIGKILL)
            self.assertTrue(all(line.split(" ")[0] in TAKEN for line in told), told)
            self.check_whole(lines)
        counts = self.run_gamed("import", str(self.folder / "club")).stdout.splitlines()[-1]
        found = re.fullmatch(rf"{self.GAMES} documents: (\d+) duplicate(?:, (\d+) imported)?", counts)
        assert found is not None, counts
        self.assertEqual(sum(int(count or 0) for count in found.groups()), self.GAMES)
        self.check_whole(self.GAMES)

    def check_whole(self, least: int) -> None:
        """Check that all stored records are complete, with their search fields, and include all that were reported."""
        store = self.store()
        records = list(store.thd_records())
        self.assertGreaterEqual(len(records), least)
        found = {summary.id: summary for summary in store.thd_find(Query(limit=self.GAMES))}
        for one in records:
            checked = outcome(document(one))
            self.assertEqual((checked.code, checked.record), ("imported", one))
            self.assertEqual(found.pop(one.id), checked.summary)
        self.assertEqual(found, {})
