"""`gamed convert`, `export`, `show` and `record`: converting, showing and recording Go games."""

from __future__ import annotations

import errno
import gzip
import json
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner

from gamed import cli
from gamed.cli.recording import record
from gamed.core.errors import GamedError
from gamed.games.go import gofans
from gamed.records.importer import check
from gamed.records.index import index
from gamed.records.record import document
from gamed.registry import game_types
from gamed.testing.harness import Harness
from tests.records.documents import GOFANS, NESTED, UNKNOWN, outcome
from tests.records.gogames import read_sgf
from tests.terminal import on_terminal
from tests.test_cli_import import ILLEGAL, NOT_VALID, ImportCase


class GoCase(ImportCase):
    def read(self, name: str) -> gofans.GoGame:
        found = outcome((self.folder / name).read_bytes())
        self.assertEqual(found.code, "imported", found.sentence)
        assert found.record is not None
        return gofans.read(found.record)

    def version(self, name: str) -> str:
        record = check((self.folder / name).read_bytes(), index(), {}).record
        assert record is not None
        return f"{record.publisher} {record.version}"

    def path(self, name: str) -> str:
        return str(self.folder / name)


class ConvertTests(GoCase):
    def test_every_format(self) -> None:
        source = self.file("a.xml", GOFANS)
        for version in gofans.VERSIONS:
            self.run_gamed("convert", source, self.path("b.xml"), "--to", f"gofans-{version}")
            self.assertEqual(self.version("b.xml"), f"GoFans {version}")
            self.run_gamed("convert", self.path("b.xml"), self.path("c.sgf"))
            self.run_gamed("convert", self.path("c.sgf"), self.path("d.xml"), "--to", "gofans-2.1")
            moves = [(node.player, node.point, node.removes) for node in self.read("d.xml").main_line()]
            self.assertEqual(moves[1], (0, (2, 1), ((1, 1),)))
            self.assertEqual(len(moves), 4)

    def test_xml_holds_variations_if_nothing_is_said(self) -> None:
        self.run_gamed("convert", self.file("a.xml", NESTED), self.path("b.xml"))
        self.assertEqual(self.version("b.xml"), "GoFans 1.2")
        self.assertEqual(len(self.read("b.xml").roots[0].children), 2)

    def test_a_file_that_is_replaced_is_said(self) -> None:
        source, target = self.file("a.xml", GOFANS), self.path("b.sgf")
        self.assertNotIn("existed", self.run_gamed("convert", source, target).stderr)
        Path(target).chmod(0o640)
        self.assertIn(f"{target} existed, and is replaced", self.run_gamed("convert", source, target).stderr)
        self.assertEqual(Path(target).stat().st_mode & 0o777, 0o640)

    def test_a_full_disk_leaves_the_file_as_it_was(self) -> None:
        def full(path: Path, data: bytes) -> int:
            with path.open("wb") as file:
                file.write(data[:1])
            raise OSError(errno.ENOSPC, "No space left on device")

        source = self.file("a.xml", GOFANS)
        kept = self.file("kept.sgf", b"(;SZ[9])")
        with patch.object(Path, "write_bytes", full):
            for target in (self.path("new.sgf"), kept):
                self.assertIn("No space left on device", self.run_gamed("convert", source, target, status=1).stderr)
        self.assertEqual(sorted(file.name for file in self.folder.glob("*.sgf")), ["kept.sgf"])
        self.assertEqual([file.name for file in self.folder.glob(".*")], [])
        self.assertEqual(Path(kept).read_bytes(), b"(;SZ[9])")

    def test_what_is_not_a_file_is_written_to(self) -> None:
        found = self.run_gamed("convert", self.file("a.xml", GOFANS), "/dev/null", "--to", "sgf")
        self.assertNotIn("existed", found.stderr)
        self.assertTrue(Path("/dev/null").is_char_device())

    def test_what_is_left_out_is_said(self) -> None:
        found = self.run_gamed("convert", self.file("a.xml", NESTED), self.path("b.xml"), "--to", "gofans-1.1")
        self.assertIn("1 variation is left out", found.stderr)
        self.assertEqual(found.stdout, "")

    def test_several_games_become_several_files(self) -> None:
        self.file("club.sgf", b"(;FF[4]GM[1]SZ[9];B[aa])(;FF[4]GM[1]SZ[9];B[bb])")
        self.run_gamed("convert", self.path("club.sgf"), self.path("club.xml"))
        self.assertFalse((self.folder / "club.xml").exists())
        points = [self.read(f"club-{number}.xml").roots[0].point for number in (1, 2)]
        self.assertEqual(points, [(1, 1), (2, 2)])
        self.run_gamed("convert", self.path("club.sgf"), self.path("again.sgf"))
        self.assertEqual(len(read_sgf((self.folder / "again.sgf").read_bytes())), 2)

    def test_what_cannot_be_converted_is_one_line(self) -> None:
        for name, content, words in (
            ("a.xml", NOT_VALID, "a.xml:5: not-valid: "),
            ("b.xml", UNKNOWN, "not a known version of GoFans"),
            ("c.sgf", b"no game", "there is no game"),
            ("d.xml", ILLEGAL.replace(b'<remove x="1" y="1"/>', b"").replace(b"2.1", b"1.1"), "move 2"),
        ):
            found = self.run_gamed(
                "convert", self.file(name, content), self.path("x.xml"), "--to", "gofans-2.2", status=1
            )
            self.assertRegex(found.stderr, rf"\Agamed: [^\n]*{words}[^\n]*\n\Z")
            self.assertFalse((self.folder / "x.xml").exists())

    def test_a_bad_game_does_not_keep_the_others_out(self) -> None:
        source = self.file("club.sgf", b"(;GM[1]SZ[9];B[aa])\n(;GM[2])\n(;GM[1]SZ[9];B[zz])\n(;GM[1]SZ[9];B[bb])")
        said = (
            "line 2: game 2 cannot be read: it is not a game of Go: GM[2] (it is left out)\n"
            "line 3: game 3 cannot be read: 'zz' is not a point of a board of size 9 (it is left out)\n"
        )
        found = self.run_gamed("convert", source, self.path("new.xml"), status=1)
        self.assertEqual(found.stderr, said)
        self.assertEqual(sorted(path.name for path in self.folder.glob("new*")), ["new-1.xml", "new-4.xml"])
        self.run_gamed("convert", source, self.path("new.sgf"), status=1)
        self.assertEqual(len(read_sgf((self.folder / "new.sgf").read_bytes())), 2)
        shown = self.run_gamed("show", self.file("bad.sgf", b"(;GM[2])(;GM[1]SZ[9]PB[Anna];B[aa])"))
        self.assertIn("this is game 2, the first that can be read", shown.stderr)
        self.assertIn("Anna", shown.stdout)

    def test_a_game_that_a_version_cannot_hold(self) -> None:
        deep = b"(;SZ[19]" + b";B[];W[]" * 1_001 + b")"
        source = self.file("club.sgf", b"(;GM[1]SZ[9];B[aa])" + deep + b"(;GM[1]SZ[9];B[bb])")
        found = self.run_gamed("convert", source, self.path("new.xml"), "--to", "gofans-1.2", status=1)
        said = "moves would be nested more than 2,000 levels deep"
        others = "gofans-1.1 and gofans-2.1 and sgf can hold it"
        self.assertEqual(found.stderr, f"game 2: it is left out, gofans-1.2 cannot hold it: {said}; {others}\n")
        self.assertEqual(sorted(path.name for path in self.folder.glob("new*")), ["new-1.xml", "new-3.xml"])
        found = self.run_gamed("convert", self.file("one.sgf", deep), self.path("one.xml"), status=1)
        self.assertEqual(found.stderr, f"gamed: gofans-1.2 cannot hold the game: {said}; {others}\n")

    def test_a_collection_that_cannot_be_written_to_its_end(self) -> None:
        source = self.file("club.sgf", b"(;GM[1]SZ[9];B[aa])" * 3)
        (self.folder / "new-3.xml").mkdir()
        found = self.run_gamed("convert", source, self.path("new.xml"), status=1)
        self.assertRegex(
            found.stderr, r"cannot write \S+new-3.xml: .*; written before it: \S+new-1.xml to \S+new-2.xml"
        )

    def test_an_encoding_that_the_file_does_not_declare(self) -> None:
        source = self.file("a.sgf", "(;GM[1]SZ[9]CA[UTF-8]PB[\u8868\u4e00];B[aa])".encode("cp932"))
        named = ("--encoding", "Shift_JIS")
        self.assertIn("\u8868\u4e00", self.run_gamed("show", source, *named).stdout)
        self.run_gamed("convert", source, self.path("a.xml"), *named)
        self.assertEqual(self.read("a.xml").players[0].name, "\u8868\u4e00")
        self.run_gamed("check", source, *named)
        self.run_gamed("import", source, *named)
        self.assertIn("\u8868\u4e00", self.run_gamed("records", "list").stdout)
        for args in (("check", source), ("import", source), ("show", source), ("convert", source, self.path("b.xml"))):
            found = self.run_gamed(*args, "--encoding", "rot13", status=1)
            self.assertIn("the encoding 'rot13' is not known", found.stderr)

    def test_the_ending_must_say_what_it_shall_be(self) -> None:
        self.run_gamed("convert", self.file("a.xml", GOFANS), self.path("b.txt"), status=2)
        self.run_gamed("convert", self.path("a.xml"), self.path("b.txt"), "--to", "sgf")
        self.assertIn(b"RE[B+", (self.folder / "b.txt").read_bytes())

    def test_a_folder_that_is_not_there(self) -> None:
        found = self.run_gamed("convert", self.file("a.xml", GOFANS), self.path("no/b.xml"), status=1)
        self.assertIn("cannot write", found.stderr)


class ExportTests(GoCase):
    def setUp(self) -> None:
        super().setUp()
        self.id = json.loads(self.run_gamed("import", self.file("a.xml", GOFANS), "--json").stdout)["id"]

    def test_every_format(self) -> None:
        for chosen in ("gofans-1.1", "gofans-1.2", "gofans-2.1", "gofans-2.2", "sgf"):
            self.run_gamed("export", self.id[:6], "--format", chosen, "--output", self.path("out"))
            text = (self.folder / "out").read_bytes()
            games = [game for game, _ in read_sgf(text)] if chosen == "sgf" else [self.read("out")]
            self.assertEqual([len(list(game.main_line())) for game in games], [4])

    def test_without_a_file_it_goes_to_the_terminal(self) -> None:
        self.assertIn("(;FF[4]", self.run_gamed("export", self.id, "--format", "sgf").stdout)

    def test_an_unknown_record(self) -> None:
        self.assertIn("there is no record", self.run_gamed("export", "99999999", status=1).stderr)

    def test_a_record_that_is_no_go(self) -> None:
        club = json.loads(self.run_gamed("import", self.file("b.xml", UNKNOWN), "--json").stdout)["id"]
        found = self.run_gamed("export", club, "--format", "sgf", status=2)
        self.assertIn("Klub Löwe has no format sgf; it has xml", found.stderr)

    def test_a_go_game_has_its_formats_by_both_spellings(self) -> None:
        found = self.run_gamed("records", "export", self.id, "--format", "software-challenge", status=2)
        self.assertIn("GoFans has no format software-challenge; it has xml, gofans-1.1, ", found.stderr)
        found = self.run_gamed("records", "export", self.id, "--format", "sgf")
        self.assertEqual(found.stdout, self.run_gamed("export", self.id, "--format", "sgf").stdout)
        self.run_gamed("export", self.id, "--format", "sgf", "-o", self.path("a.sgf.gz"))
        self.assertEqual(gzip.decompress((self.folder / "a.sgf.gz").read_bytes()), found.stdout_bytes)


class ShowTests(GoCase):
    def test_facts_and_the_last_board(self) -> None:
        output = self.run_gamed("show", self.file("a.xml", GOFANS)).stdout
        for line in ("title  A ko", "black  Anna 45 points", "white  Bert 38.5 points", "komi   6.5"):
            self.assertIn(line, output)
        self.assertIn("after 4 of 4 moves\nblack pass\n", output)
        self.assertIn("  9 . X .", output)

    def test_a_move(self) -> None:
        name = self.file("a.xml", GOFANS)
        self.assertIn("white A9: in atari\n", self.run_gamed("show", name, "--move", "1").stdout)
        self.assertIn("  9(O). .", self.run_gamed("show", name, "--move", "1").stdout)
        self.assertIn("  9 . . .", self.run_gamed("show", name, "--move", "0").stdout)
        self.run_gamed("show", name, "--move", "5", status=2)

    def test_a_stored_record_and_an_sgf_file(self) -> None:
        id = json.loads(self.run_gamed("import", self.file("a.xml", GOFANS), "--json").stdout)["id"]  # noqa: A001
        self.assertEqual(self.run_gamed("show", id).stdout, self.run_gamed("show", self.path("a.xml")).stdout)
        self.run_gamed("export", id, "--format", "sgf", "--output", self.path("a.sgf"))
        self.assertIn("after 4 of 4 moves", self.run_gamed("show", self.path("a.sgf")).stdout)

    def test_sgf_is_told_by_its_content_too(self) -> None:
        for name, content in (("a.txt", b"(;SZ[9];B[aa])"), ("b.sgf.gz", gzip.compress(b"(;SZ[9];B[aa])"))):
            self.assertIn("black A9", self.run_gamed("show", self.file(name, content)).stdout)
            self.run_gamed("convert", self.path(name), self.path("c.xml"))
            self.assertEqual(len(self.read("c.xml").roots), 1)

    def test_a_game_of_gamed_itself(self) -> None:
        harness = Harness("battleship", game_types()["battleship"].settings())
        first, second = harness.connect(), harness.connect()
        second.send(b"(1,[0,0]).\n")
        first.send(b"(2,[0,0,4]).\n")
        harness.settle()
        (own,) = harness.store.records.values()
        output = self.run_gamed("show", self.file("own.xml", document(own))).stdout
        self.assertRegex(output, r"\nresult +(seat 1|\S+) won\n")
        self.assertIn("after 2 of 2 moves", output)

    def test_the_boards_after_each_move_and_json(self) -> None:
        name = self.file("a.xml", GOFANS)
        output = self.run_gamed("show", name, "--moves").stdout
        self.assertEqual([f"after {moves} of 4 moves" in output for moves in range(6)], [True] * 5 + [False])
        found = json.loads(self.run_gamed("show", name, "--json").stdout)
        self.assertEqual((found["kind"], found["title"], found["players"][0]["name"]), ("go", "A ko", "Anna"))
        self.assertEqual(found["moves"][1], {"player": 0, "color": "black", "point": [2, 1], "comment": None})

    def test_comments_of_several_lines(self) -> None:
        comment = GOFANS.replace(b"<title>A ko</title>", b"<title>A\nko</title>")
        output = self.run_gamed("show", self.file("a.xml", comment)).stdout
        self.assertNotIn("\\n", output)
        self.assertRegex(output, r"title +A\n +ko\n")

    def test_what_has_no_boards(self) -> None:
        file = self.file("a.xml", UNKNOWN)
        self.assertEqual(
            self.run_gamed("show", file).stdout.split("\n", 1)[1],
            """\
publisher  Klub Löwe
version    3.0
content    header {urn:klub}b="2" a="1"
             <!-- kept -->
             {urn:klub}who: Ä & <Ö>
             <raw>
           body
             <?pi kept?>
             text
             z
note       gamed does not play Klub Löwe 3.0: there are no boards, and no moves
""",
        )
        content = json.loads(self.run_gamed("show", file, "--json").stdout)["content"]
        self.assertEqual(content[2], {"depth": 1, "name": "{urn:klub}who", "attributes": {}, "text": "Ä & <Ö>"})
        for option in (("--moves",), ("--move", "0"), ("--move", "9")):
            self.assertIn("there are no boards", self.run_gamed("show", file, *option, status=1).stderr)

    def test_comments_cannot_command_the_terminal(self) -> None:
        evil = GOFANS.replace(b"in atari", "\u202e".encode()).replace(b"A ko", "\u202e".encode())
        output = self.run_gamed("show", self.file("a.xml", evil), "--move", "1").stdout
        self.assertEqual((output.count("\u202e"), output.count("\\u202e")), (0, 2))

    def test_keys_step_through_the_game_on_a_terminal(self) -> None:
        keys = (b"p", b"n", b"\x1b[C", b"\x1b[D", *[b"n"] * 4, b"x", b"p", b"q")
        shown = on_terminal("show", self.file("a.xml", GOFANS), keys=keys, prompt=b"q quit")
        places = [int(text.split(" ")[0]) for text in shown.split("after ")[1:]]
        self.assertEqual(places, [0, 0, 1, 2, 1, 2, 3, 4, 4, 4, 3])


class RecordTests(GoCase):
    def type(self, *lines: str, options: tuple[str, ...] = ("--size", "9"), status: int = 0) -> str:
        command = ["record", self.path("new.xml"), *options]
        found = CliRunner().invoke(cli.main, command, input="\n".join(lines) + "\n")
        self.assertEqual(found.exit_code, status, found.output)
        return found.output

    def test_a_game_is_written_as_gofans_2_2(self) -> None:
        options = ("--size", "9", "--black", "Anna", "--white", "Bert", "--komi", "6.5", "--rules", "japanese")
        output = self.type("title A game", "a8", "A9", "comment bold", "b9", "pass", "resign", "quit", options=options)
        self.assertIn("move 3, black B9", output)
        self.assertIn("Anna resigns", output)
        self.assertEqual(self.version("new.xml"), "GoFans 2.2")
        game = self.read("new.xml")
        self.assertEqual((game.title, game.komi, game.rules), ("A game", 6.5, "japanese"))
        self.assertEqual([(player.name, player.points) for player in game.players], [("Anna", -1.0), ("Bert", None)])
        nodes = list(game.main_line())
        self.assertEqual([node.removes for node in nodes], [(), (), ((1, 1),), (), ()])
        self.assertEqual([node.comment for node in nodes][1], "bold")

    def test_the_name_of_the_file_decides_as_in_convert(self) -> None:
        command = ["record", self.path("new.sgf"), "--size", "9"]
        found = CliRunner().invoke(cli.main, command, input="c3\nd4\nquit\n")
        self.assertEqual(found.exit_code, 0, found.output)
        ((game, _),) = read_sgf((self.folder / "new.sgf").read_bytes())
        self.assertEqual(len(list(game.main_line())), 2)

    def test_a_move_after_two_passes_is_noted(self) -> None:
        output = self.type("c3", "pass", "pass", "d4", "quit")
        self.assertIn("move 4, white D4, which comes after two passes: the game had ended", output)
        self.assertEqual(output.count("had ended"), 1)

    def test_taking_back_and_variations(self) -> None:
        output = self.type("c3", "d4", "back", "e5", "undo", "f6", "back", "forward", "g7", "quit")
        self.assertIn("move 2, white E5, a variation", output)
        self.assertIn("move 2, white D4, as recorded", output)
        (first,) = self.read("new.xml").roots
        self.assertEqual([child.point for child in first.children], [(4, 6), (6, 4)])
        self.assertEqual([child.point for child in first.children[0].children], [(7, 3)])

    def test_a_resignation_can_be_taken_back(self) -> None:
        self.type("resign", "undo", "c3", "quit")
        self.assertEqual([player.points for player in self.read("new.xml").players], [None, None])

    def test_what_is_refused_changes_nothing(self) -> None:
        output = self.type(
            "c3", "c3", "z99", "back", "resign", "back", "undo", "nonsense", "comment on the game", "quit"
        )
        for words in ("there is a stone", "enter a point", "at the end of a line", "no move has been made yet"):
            self.assertIn(words, output)
        game = self.read("new.xml")
        self.assertEqual((len(list(game.main_line())), game.comment), (1, "on the game"))

    def test_the_end_of_the_input_saves(self) -> None:
        self.assertIn("is written", self.type("help", "c3", "save", "d4", "forward", "show"))
        self.assertEqual(len(list(self.read("new.xml").main_line())), 2)

    def test_a_handicap(self) -> None:
        self.type("c5", "quit", options=("--size", "9", "--handicap", "2"))
        game = self.read("new.xml")
        self.assertEqual((game.handicap, len(game.setup), game.roots[0].player), (2, 2, 1))
        Path(self.path("new.xml")).unlink()
        self.assertIn("no handicap", self.type(options=("--size", "5", "--handicap", "2"), status=1))

    def test_a_file_that_is_there_is_left_alone(self) -> None:
        self.file("new.xml", b"mine")
        self.assertIn("exists already", self.type("c3", status=1))
        self.assertEqual((self.folder / "new.xml").read_bytes(), b"mine")

    def test_a_file_that_cannot_be_written_is_refused_before_the_first_move(self) -> None:
        found = CliRunner().invoke(cli.main, ["record", self.path("no/new.xml")], input="c3\n")
        self.assertEqual((found.exit_code, found.stdout), (1, ""))
        self.assertRegex(found.stderr, r"\Agamed: cannot write [^\n]*no/new.xml: No such file[^\n]*another name\n\Z")

    def test_checking_leaves_no_file(self) -> None:
        self.type("quit elsewhere")
        self.assertFalse((self.folder / "new.xml").exists())

    def test_another_file_is_offered_when_the_first_cannot_be_written(self) -> None:
        with patch(
            "gamed.cli.recording.written", side_effect=[GamedError("cannot write new.xml: full"), None]
        ) as write:
            output = self.type("c3", "quit", "d4", f"quit {self.path('other.xml')}")
        self.assertIn(
            "cannot write new.xml: full. The game is not lost yet: write it to another file with `save FILE`", output
        )
        self.assertEqual([call.args[0].name for call in write.call_args_list], ["new.xml", "other.xml"])
        self.assertEqual(output.count(" is written"), 1)

    def test_another_file_is_kept_to(self) -> None:
        self.type("c3", f"save {self.path('other.xml')}", "d4", "quit")
        self.assertEqual(len(list(self.read("other.xml").main_line())), 2)
        self.assertFalse((self.folder / "new.xml").exists())

    def test_what_nobody_can_name_a_file_for_is_printed(self) -> None:
        with patch("gamed.cli.recording.written", side_effect=GamedError("cannot write new.xml: full")):
            output = self.type("c3", status=1)
        self.assertIn('<game publisher="GoFans" version="2.2">', output)
        self.assertIn("printed on standard output", output)

    def test_at_a_terminal_another_file_can_be_named_after_the_end_of_the_input(self) -> None:
        typed = iter([["c3"], [f"quit {self.path('other.xml')}"]])
        full = [GamedError("cannot write new.xml: full"), None]
        with (
            patch("gamed.cli.recording.lines", lambda: next(typed)),
            patch("gamed.cli.recording.sys.stdin.isatty", lambda: True, create=True),
            patch("gamed.cli.recording.written", side_effect=full) as write,
        ):
            record.main([self.path("new.xml")], standalone_mode=False)
        self.assertEqual([call.args[0].name for call in write.call_args_list], ["new.xml", "other.xml"])
