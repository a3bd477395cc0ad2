"""The pages' files: types, ETags, and no way out of the folder."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamed.records.index import schema_directory
from gamed.registry import kinds
from gamed.web.static_files import FOLDER, TYPES, Files, all_files, is_page
from tests.web.harness import Reply, WebHarness


class FilesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.board = self.folder / "a-game" / "static" / "board.css"
        self.board.parent.mkdir(parents=True)
        (self.folder / "app.js").write_bytes(b"one")
        self.board.write_bytes(b"css")
        (self.folder / "notes.txt").write_bytes(b"secret")
        (self.folder / ".hidden.js").write_bytes(b"secret")
        (self.folder.parent / "outside.js").write_bytes(b"secret")
        self.files = self.opened()

    def opened(self) -> Files:
        return Files(self.folder, {"toy": self.board.parent})

    def test_what_is_there(self) -> None:
        found = self.files.find("games/toy/board.css")
        self.assertEqual((found.content, found.mime), (b"css", "text/css; charset=utf-8"))
        self.assertEqual(gzip.decompress(found.packed), b"css")
        self.assertIs(self.files.find("games/toy/board.css"), found)

    def test_a_changed_file_is_read_again(self) -> None:
        before = self.files.find("app.js")
        (self.folder / "app.js").write_bytes(b"two")
        os.utime(self.folder / "app.js", ns=(1, 1))
        after = self.files.find("app.js")
        self.assertEqual(after.content, b"two")
        self.assertNotEqual(before.tag, after.tag)

    def test_each_change_makes_another_version(self) -> None:
        before = self.files.version()
        self.assertEqual(self.opened().version(), before)
        self.board.write_bytes(b"new")
        os.utime(self.board, ns=(1, 1))
        self.files.find("games/toy/board.css")
        self.assertNotEqual(self.files.version(), before)

    def test_nothing_else(self) -> None:
        outside = ["../outside.js", "games/../app.js", "/app.js", "app.js/", "app.js\0", "games//board.css", "APP.JS"]
        outside += ["games/toy/../../app.js", "games/other/board.css"]
        for name in (
            "",
            ".",
            "..",
            "games",
            "games/",
            "games/toy",
            "notes.txt",
            ".hidden.js",
            "x" * 200 + ".js",
            "APP.JS",
            *outside,
        ):
            self.assertIsNone(self.files.find(name), name)

    @given(st.text("./\\abcjs%\0~:", max_size=30))
    @settings(deadline=None, max_examples=200)
    def test_no_name_leads_out(self, name: str) -> None:
        found = self.files.find(name)
        self.assertTrue(found is None or found.content in (b"one", b"two", b"css"))

    def test_every_file_of_the_pages_can_be_served(self) -> None:
        files = all_files()
        names = files.names
        folders = (FOLDER, *files.games.values())
        self.assertEqual(len(names), sum(path.is_file() for folder in folders for path in folder.rglob("*")))
        self.assertLessEqual({"index.html", "games/go/board.js"}, set(names))
        for name in names:
            self.assertIsNotNone(files.find(name), name)
        self.assertLessEqual({Path(name).suffix for name in names}, set(TYPES))

    def test_comments_and_indentation_are_not_sent(self) -> None:
        script = self.folder / "app.js"
        script.write_text(
            "// 1.\nconst a = 1; // two\n\n  /** Three.\n   * @type */\n  /* 4 */\n  b(`//`, a / 2);\n/* 5 */ c();\n"
        )
        self.assertEqual(self.files.find("app.js").content, b"const a = 1; // two\nb(`//`, a / 2);\n/* 5 */ c();\n")

    def test_no_literal_of_a_script_has_several_lines(self) -> None:
        """Their indentation would be lost."""
        scripts = [path for folder in (FOLDER, *all_files().games.values()) for path in folder.rglob("*.js")]
        lines = [
            line for path in scripts for line in path.read_text().splitlines() if not line.lstrip().startswith("//")
        ]
        self.assertGreater(len(lines), 5_000)
        self.assertEqual([line for line in lines if line.count("`") % 2], [])

    def test_each_game_has_a_picture_that_is_only_a_picture(self) -> None:
        files = all_files()
        for game in kinds():
            picture = files.find(f"games/{game}/icon.svg")
            names = {element.tag.rpartition("}")[2] for element in etree.fromstring(picture.content).iter()}
            self.assertLessEqual(names, {"svg", "g", "rect", "circle", "ellipse", "path", "polygon"}, game)
            self.assertLess(len(picture.content), 2_000, game)

    def test_no_style_depends_on_what_an_element_has(self) -> None:
        """A rule with `:has` made Chromium compute the styles of a whole page again at each move: 19 ms."""
        files = all_files()
        styles = [name for name in files.names if name.endswith(".css")]
        self.assertGreater(len(styles), 5)
        self.assertEqual([name for name in styles if b":has(" in files.find(name).content], [])


class SiteTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = WebHarness("battleship")
        self.addCleanup(self.harness.stop)

    def got(self, path: str, method: str = "GET", **headers: str) -> Reply:
        return self.harness.asked(method, path, **headers)

    def test_the_page_at_all_its_addresses(self) -> None:
        index = (FOLDER / "index.html").read_bytes().replace(b"/static/", f"/static/@{all_files().version()}/".encode())
        single = ["/", "/records", "/recorder", "/rooms/abc", "/seats/abc", "/records/abc", "/recorder/abc"]
        single += ["/records/", "/about", "/tv", "/login", "/rooms", "/seats/"]
        for path in (*single, "/rooms/abc?screen", "/records/abc?move=7"):
            answer = self.got(path)
            self.assertEqual((answer.status, answer.body), (200, index), path)
            self.assertEqual(answer.headers["content-type"], "text/html; charset=utf-8")
            self.assertIn("default-src 'self'", answer.headers["content-security-policy"])

    def test_a_browser_gets_the_page_for_an_unknown_address_too(self) -> None:
        browser = self.got("/nosuch", accept="text/html,*/*;q=0.8")
        self.assertEqual((browser.status, b"/app.js" in browser.body), (404, True))
        self.assertEqual(browser.headers["content-type"], "text/html; charset=utf-8")
        program = self.got("/nosuch", accept="*/*")
        self.assertEqual((program.status, b"/app.js" in program.body), (404, False))
        self.assertEqual(self.got("/about", accept="text/html").status, 200)

    def test_nothing_elsewhere(self) -> None:
        folders = ["/static", "/static/", "/static/../index.html", "/static/%2e%2e/site.py", "/api", "/api/v2/rooms"]
        for path in ("/nothing", "/rooms/a/b", "/index.html", "//", "/api/v1", *folders):
            self.assertEqual(self.got(path).status, 404, path)

    def test_who_has_it_is_told_so(self) -> None:
        answer = self.got("/static/dom.js")
        self.assertEqual(answer.headers["cache-control"], "no-cache")
        self.assertEqual(answer.headers["content-type"], "text/javascript; charset=utf-8")
        again = self.got("/static/dom.js", if_none_match=answer.headers["etag"])
        self.assertEqual((again.status, again.body), (304, b""))
        self.assertEqual(self.got("/static/dom.js", if_none_match='"other"').status, 200)

    def test_a_file_whose_address_names_its_version_is_kept_forever(self) -> None:
        address = re.search(r"/static/@\w+/", self.got("/").body.decode())[0]
        answer = self.got(f"{address}games/go/board.js")
        self.assertEqual(answer.body, all_files().find("games/go/board.js").content)
        self.assertEqual(answer.headers["cache-control"], "public, max-age=31536000, immutable")
        self.assertEqual(self.got("/").headers["cache-control"], "no-cache")

    def test_a_page_of_another_version_gets_the_files_of_today_and_keeps_none(self) -> None:
        answer = self.got("/static/@0123456789abcdef/games/go/board.js")
        self.assertEqual(answer.body, all_files().find("games/go/board.js").content)
        self.assertEqual(answer.headers["cache-control"], "no-cache")
        for path in ("/static/@0123456789abcdef", "/static/@/../site.py", "/static/@0123456789abcdef/no.js"):
            self.assertEqual(self.got(path).status, 404, path)

    def test_files_are_compressed_where_that_is_wanted(self) -> None:
        for path in ("/static/words.js", "/"):
            plain, packed = self.got(path), self.got(path, accept_encoding="br, gzip;q=0.5")
            self.assertEqual(gzip.decompress(packed.body), plain.body)
            self.assertEqual(packed.headers["content-encoding"], "gzip")
            self.assertNotEqual(packed.headers["etag"], plain.headers["etag"])
            self.assertEqual(packed.headers["vary"], plain.headers["vary"])
            again = self.got(path, if_none_match=packed.headers["etag"], accept_encoding="gzip")
            self.assertEqual(again.status, 304)
        for none in ("gzip;q=0", "gzip; q=0.0", "identity", "x-gzip-2"):
            self.assertNotIn("content-encoding", self.got("/static/words.js", accept_encoding=none).headers, none)

    def test_no_page_weighs_more_than_150_kilobytes(self) -> None:
        files = all_files()
        size = {name: len(files.find(name).packed) for name in files.names}
        shell = sum(size[name] for name in size if "/" not in name and name != "openapi.json")
        page = max(size[name] for name in size if name.startswith("pages/"))
        shared = [f"games/{name}/" for name in files.games if name not in kinds()]
        for game in kinds():
            self.assertLessEqual({f"games/{game}/board.js", f"games/{game}/board.css"}, size.keys())
            folders = (f"games/{game}/", *shared)
            board = sum(size[name] for name in size if name.startswith(folders))
            self.assertLess(shell + 2 * page + board, 100_000, game)

    def test_the_format_index_and_its_schemas(self) -> None:
        index = self.got("/schemas/index.xml")
        self.assertEqual((index.status, index.headers["content-type"]), (200, "application/xml"))
        self.assertEqual(index.body, (schema_directory() / "index.xml").read_bytes())
        self.assertEqual(self.got("/schemas/").body, index.body)
        root = etree.fromstring(index.body)
        for name in (root.attrib["standard"], *(one.attrib["schema"] for one in root), "gamed-common.xsd", "index.xsd"):
            found = self.got(f"/schemas/{name}")
            self.assertEqual((found.status, found.headers["content-type"]), (200, "application/xml"), name)
            self.assertEqual(found.body, (schema_directory() / name).read_bytes())
        for path in ("nothing.xsd", "..%2Fpyproject.toml", "../setup.cfg", "%2e%2e/Makefile", "index.xml/x"):
            self.assertEqual(self.got(f"/schemas/{path}").status, 404, path)

    def test_an_icon(self) -> None:
        answer = self.got("/favicon.ico")
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "image/svg+xml"))

    def test_other_methods(self) -> None:
        for path in ("/", "/static/dom.js"):
            self.assertEqual(self.got(path, "POST").status, 405)
            head = self.got(path, "HEAD")
            self.assertEqual((head.status, head.body), (200, b""))

    def test_machines_still_have_their_pages(self) -> None:
        self.assertEqual(self.got("/healthz").status, 200)
        self.assertFalse(is_page(b"/metrics"))
