"""`gamed records …` with a real database file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import attrs
from click.testing import CliRunner, Result
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

import gamed
from gamed import cli
from gamed.cli import show
from gamed.cli.records import result
from gamed.cli.terminal import shortened
from gamed.core.errors import GamedError
from gamed.core.game import Outcome, Termination
from gamed.core.history import ATTESTED, LEFT, Entry, Word, ended
from gamed.records.index import index, validate
from gamed.records.record import Record, SeatSummary, Summary, document
from gamed.replayers import summary
from gamed.store.database import Database
from tests.games.pictures import draw
from tests.records.samples import LIE, ROOM, game, record, refused

OTHER = "11111111-7c7e-4c1b-9d5e-2f6d3a1b4c5d"
THIRD = "11111112-7c7e-4c1b-9d5e-2f6d3a1b4c5d"


class StoreTestCase(SynchronousTestCase):
    """A configuration, and a database with some games."""

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.config = self.folder / "gamed.toml"
        self.config.write_text('[store]\nurl = "sqlite:///games.db"\n')

    def keep(self, *records: Record) -> None:
        store = Database(f"sqlite:///{self.folder / 'games.db'}")
        store.thd_open()
        self.addCleanup(store.thd_close)
        store.thd_keep([(one, summary(one, index())) for one in records])

    def keep_three(self) -> None:
        lost = game(room=OTHER, started="2026-11-22T10:30:00.000Z", winner=None)
        lost.entries[0] = Entry(0, "joined", 0, data={"name": "10.0.0.9:5"})
        newest = game(room=THIRD, started="2026-11-23T11:00:00.000Z")
        self.keep(record(game(), LIE, unjudged=7), record(lost), record(newest))

    def run_gamed(self, *args: str, status: int = 0, env: dict[str, str | None] | None = None, **more: Any) -> Result:
        command = ["records", args[0], "--config", str(self.config), *args[1:]]
        found = CliRunner().invoke(cli.main, command, env={"COLUMNS": "120", "NO_COLOR": None, **(env or {})}, **more)
        self.assertEqual(found.exit_code, status, found.output)
        return found


class ListTests(StoreTestCase):
    def test_a_table_with_the_newest_first(self) -> None:
        self.keep_three()
        self.assertEqual(
            self.run_gamed("list", env={"COLUMNS": "110"}).stdout.split("\n"),
            [
                "ID        STARTED (UTC)     GAME        PLAYERS                     RESULT              LENGTH",
                "11111112  2026-11-23 11:00  battleship  127.0.0.1:4711, [::1]:4712  127.0.0.1:4711 won  4",
                "11111111  2026-11-22 10:30  battleship  10.0.0.9:5, [::1]:4712      gamed was stopped   4",
                "6f0c1f0e  2026-11-21 09:00  battleship  127.0.0.1:4711, [::1]:4712  127.0.0.1:4711 won  4",
                "",
            ],
        )
        wide = self.run_gamed("list", env={"COLUMNS": "130"}).stdout.split("\n")
        self.assertEqual(wide[0].split()[-2:], ["PUBLISHER", "VERSION"])
        self.assertEqual(wide[1].split()[-2:], ["gamed-battleship", "1.1"])

    def test_records_that_gamed_does_not_play(self) -> None:
        foreign = attrs.evolve(record(game(room=THIRD)), publisher="Chess Club", version="1.0b")
        self.keep(record(game()))
        self.keep(foreign)
        lines = self.run_gamed("list", env={"COLUMNS": "130"}).stdout.split("\n")
        self.assertEqual(lines[1][:8], record(game()).id[:8])
        self.assertEqual(" ".join(lines[2].split()), "11111112 Chess Club 1.0b not known Chess Club 1.0b")
        for args in (("--publisher", "Chess Club"), ("--version", "1.0b")):
            self.assertEqual(self.run_gamed("list", *args).stdout.count("\n"), 2)
            (found,) = json.loads(self.run_gamed("list", *args, "--json").stdout)
            self.assertEqual((found["id"], found["publisher"], found["kind"]), (foreign.id, "Chess Club", ""))
        self.assertIn("Chess Club 1.0b", self.run_gamed("list", env={"COLUMNS": "80"}).stdout)
        self.assertIn("matches", self.run_gamed("list", "--publisher", "Chess").stdout)

    def test_it_fits_the_terminal(self) -> None:
        self.keep_three()
        for width in (75, 79, 80, 93):
            lines = self.run_gamed("list", env={"COLUMNS": str(width)}).stdout.split("\n")
            self.assertEqual(len(lines[0]), width)
            self.assertIn("…", lines[1])
            self.assertTrue(lines[1].endswith(" 4"))
        self.assertNotIn("…", self.run_gamed("list", env={"COLUMNS": "94"}).stdout)

    def test_the_players_are_cut_before_the_result(self) -> None:
        self.keep_three()
        self.assertIn("  127.0.0.1:4…  127.0.0.1:4711 won  ", self.run_gamed("list", env={"COLUMNS": "80"}).stdout)
        self.assertIn("  gamed was s…  4\n", self.run_gamed("list", env={"COLUMNS": "20"}).stdout)

    def test_without_a_terminal_nothing_is_cut(self) -> None:
        self.keep_three()
        whole = self.run_gamed("list", env={"COLUMNS": "200"}).stdout
        self.assertEqual(self.run_gamed("list", env={"COLUMNS": None}).stdout, whole)

    def test_selections(self) -> None:
        self.keep_three()
        for args, ids in (
            (("--player", "10.0.0.9:5"), ["11111111"]),
            (("--player", "10.0.0.9"), []),
            (("--termination", "shutdown"), ["11111111"]),
            (("--game", "battleship", "--limit", "2"), ["11111112", "11111111"]),
            (("--game", "go"), []),
        ):
            lines = self.run_gamed("list", *args).stdout.split("\n")[1:-1]
            self.assertEqual([line[:8] for line in lines], ids, args)

    def test_a_game_that_there_is_not_names_those_that_there_are(self) -> None:
        found = self.run_gamed("list", "--game", "nosuch")
        self.assertIn("There is no game nosuch; there are ", found.stdout)
        self.assertTrue(found.stdout.endswith("battleship, go.\n"), found.stdout)

    def test_it_is_said_that_there_are_more(self) -> None:
        self.keep_three()
        found = self.run_gamed("list", "--limit", "2")
        self.assertEqual(len(found.stdout.splitlines()), 3)
        self.assertEqual(found.stderr, "There are more such games: --limit 4 prints more of them.\n")
        self.assertEqual(len(json.loads(self.run_gamed("list", "--limit", "2", "--json").stdout)), 2)
        self.assertEqual(self.run_gamed("list", "--limit", "3").stderr, "")

    def test_a_sentence_when_there_is_none(self) -> None:
        self.keep()
        database = self.folder / "games.db"
        self.assertEqual(
            self.run_gamed("list").stdout,
            f"No game is recorded yet. Games are recorded in {database} when they end.\n",
        )
        self.assertEqual(self.run_gamed("list", "--game", "go").stdout, f"No game in {database} matches.\n")
        self.assertEqual(self.run_gamed("list", "--json").stdout, "[]\n")

    def test_reading_makes_no_database(self) -> None:
        output = self.run_gamed("list").stdout
        self.assertIn(f"No game is recorded yet. There is no database {self.folder / 'games.db'}. If", output)
        self.assertIn("games.db. If", self.run_gamed("show", ROOM, status=1).stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["gamed.toml"])

    def test_json(self) -> None:
        self.keep_three()
        found = json.loads(self.run_gamed("list", "--json", "--limit", "1").stdout)
        self.assertEqual([item["id"] for item in found], [THIRD])
        self.assertEqual(found[0]["seats"][0], {"seat": 0, "name": "127.0.0.1:4711", "points": 1.0})
        self.assertEqual((found[0]["winner"], found[0]["length"], found[0]["kind"]), (0, 4, "battleship"))

    def test_names_cannot_command_the_terminal(self) -> None:
        history = game()
        history.entries[0] = Entry(0, "joined", 0, data={"name": "\x1b[2J\u202eevil"})
        self.keep(record(history))
        for args in (("list",), ("show", ROOM)):
            output = self.run_gamed(*args).stdout
            self.assertIn("\\x1b[2J\\u202eevil", output)
            self.assertNotIn("\x1b", output)


class ShowTests(StoreTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.keep_three()

    def test_facts_findings_and_the_last_boards(self) -> None:
        output = self.run_gamed("show", "6f0c").stdout
        for line in (
            f"id              {ROOM}",
            "game            battleship",
            "started         2026-11-21T09:00:00.012Z",
            "ended           2026-11-21T09:00:00.900Z",
            "seat 0          127.0.0.1:4711",
            "seat 1          [::1]:4712",
            "result          127.0.0.1:4711 won",
            "moves           4",
            "corner contact  true",
            "referee         observe",
            "roles           first-defends",
            "seed            7",
            "finding: no-legal-fleet, [::1]:4712 (seat 1), after 4 moves, entry 6: no fleet gives these answers",
            "unjudged from entry 7 on",
            "after 4 of 4 moves",
        ):
            self.assertIn(line, output.split("\n"))
        self.assertTrue(output.endswith(draw(game()) + "\n"))

    def test_a_clean_game_has_no_findings(self) -> None:
        output = self.run_gamed("show", OTHER).stdout
        self.assertIn("roles           first-defends\n", output)
        self.assertNotIn("finding", output)

    def test_what_was_refused(self) -> None:
        self.keep(record(refused(game(room="22222222-7c7e-4c1b-9d5e-2f6d3a1b4c5d"))))
        lines = self.run_gamed("show", "22222222").stdout.split("\n")
        at = lines.index("refused: illegible, 9 times, [::1]:4712 (seat 1): no full stop; no bracket")
        first, second = lines[at + 1 : at + 3]
        self.assertEqual(first, "  after 2 moves, 0.4 s; expected: (1,[X,Y]).; (1,[3,4])")
        self.assertEqual(second, "  after 3 moves, 0.5 s; expected: (1,[X,Y]).")
        found = json.loads(self.run_gamed("show", "22222222", "--json").stdout)["refused"]
        self.assertEqual([entry.get("body") for entry in found], ["(1,[3,4])", None, None])
        self.assertEqual(found[2]["data"], {"code": "illegible", "count": 7})

    def test_what_became_of_a_program(self) -> None:
        words: list[tuple[Word, str]] = [
            (
                {"status": 3, "cpu": 80, "memory": 9_100},
                "its program ended with exit status 3, after 0.08 s of CPU, with at most 9.1 MB",
            ),
            (
                {"status": -11, "cpu": 0, "memory": 0, "seated": False},
                "it never connected; its program ended with signal 11, after 0.00 s of CPU, with at most 0.0 MB",
            ),
            ({"running": True}, "its program had not ended"),
            (
                {"failed": "No such file", "seated": False},
                "it never connected; its program cannot be started: No such file",
            ),
        ]
        for number, (word, said) in enumerate(words):
            left = game(room=f"2222222{number}-7c7e-4c1b-9d5e-2f6d3a1b4c5d")
            left.entries[-1:] = [Entry(880, LEFT, 1, data={"why": "left"}), ended(900, Outcome(Termination.LEFT, 0))]
            left.attested = (Entry(870, ATTESTED, 1, data=word),)
            self.keep(record(left))
            output = self.run_gamed("show", left.room).stdout
            self.assertIn(f"left: [::1]:4712 (seat 1), after 4 moves, 0.9 s; {said}\n", output)
            found = json.loads(self.run_gamed("show", left.room, "--json").stdout)["attested"]
            self.assertEqual(found, [{"at": 870, "kind": "attested", "seat": 1, "data": word}])

    def test_the_boards_after_some_moves(self) -> None:
        for moves in (0, 2, 4):
            output = self.run_gamed("show", ROOM, "--move", str(moves)).stdout
            self.assertTrue(output.endswith(f"\nafter {moves} of 4 moves\n{draw(game(), moves)}\n"))
        self.assertNotEqual(draw(game(), 0), draw(game(), 2))

    def test_a_move_that_was_not_made(self) -> None:
        self.assertIn("the game has 4 moves", self.run_gamed("show", ROOM, "--move", "5", status=2).stderr)
        self.run_gamed("show", ROOM, "--move", "-1", status=2)

    def test_all_boards_one_after_the_other(self) -> None:
        output = self.run_gamed("show", ROOM, "--moves").stdout
        boards = "".join(f"\nafter {moves} of 4 moves\n{draw(game(), moves)}\n" for moves in range(5))
        self.assertTrue(output.endswith(boards))

    def test_json(self) -> None:
        self.keep(record(game(b"\xff", b"a\rb", room="22222222-7c7e-4c1b-9d5e-2f6d3a1b4c5d")))
        found = json.loads(self.run_gamed("show", "22222222", "--json").stdout)
        self.assertEqual(found["options"], {"roles": "first-defends", "referee": "observe", "corner_contact": True})
        self.assertEqual((found["seed"], found["findings"], found["unjudged"]), (7, [], None))
        self.assertEqual(
            found["entries"][1:5],
            [
                {"at": 12, "kind": "joined", "seat": 1, "data": {"name": "[::1]:4712"}},
                {"at": 12, "kind": "started"},
                {"at": 20, "kind": "line", "seat": 1, "base64": "/w=="},
                {"at": 21, "kind": "line", "seat": 0, "body": "a\rb"},
            ],
        )
        findings = json.loads(self.run_gamed("show", ROOM, "--json").stdout)["findings"]
        self.assertEqual([finding["code"] for finding in findings], ["no-legal-fleet"])

    def test_one_view_at_a_time(self) -> None:
        for args in (("--json", "--moves"), ("--json", "--move", "0"), ("--move", "1", "--moves")):
            self.assertIn("use only one of", self.run_gamed("show", ROOM, *args, status=2).stderr)

    def test_both_spellings_are_one_command(self) -> None:
        for name in ("show", "export"):
            self.assertIs(cli.main.commands[name], cli.records_group.commands[name])

    def test_an_id_in_capitals(self) -> None:
        self.assertIn(ROOM, self.run_gamed("show", ROOM.upper()[:9]).stdout)
        self.assertIn(ROOM, self.run_gamed("export", ROOM.upper()).stdout)

    def test_a_file_that_does_not_exist_is_named(self) -> None:
        for name in ("no/game.xml", "game.sgf"):
            found = self.run_gamed("show", name, status=1)
            self.assertRegex(found.stderr, rf"\Agamed: [^\n]*{name}[^\n]*\n\Z")

    def test_an_unknown_id_is_one_line(self) -> None:
        found = self.run_gamed("show", "99999999", status=1)
        self.assertEqual(found.stdout, "")
        self.assertRegex(found.stderr, r"\Agamed: there is no record 99999999[^\n]*\n\Z")

    def test_a_prefix_of_two_games_is_refused(self) -> None:
        self.assertRegex(self.run_gamed("show", "1111111", status=1).stderr, r"\Agamed: more than one record[^\n]*\n\Z")
        self.assertIn(THIRD, self.run_gamed("show", "11111112").stdout)

    def test_a_game_that_is_not_installed(self) -> None:
        with patch("gamed.cli.show.game_types", dict):
            found = self.run_gamed("show", ROOM, status=1)
        self.assertIn(ROOM, found.stdout)
        self.assertIn("gamed: the game battleship is not installed", found.stderr)

    def test_a_foreign_record(self) -> None:
        store = Database(f"sqlite:///{self.folder / 'games.db'}")
        store.thd_open()
        self.addCleanup(store.thd_close)
        store.thd_keep([(Record("33333333", "GoFans", "1.1", b"<header/>", b"<body/>"), None)])
        self.assertIn("not valid GoFans 1.1", self.run_gamed("show", "33333333", status=1).stderr)
        self.assertIn('publisher="GoFans"', self.run_gamed("export", "33333333").stdout)


class ExportTests(StoreTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.keep_three()
        self.document = document(record(game(), LIE, unjudged=7))

    def test_to_standard_output(self) -> None:
        self.assertEqual(self.run_gamed("export", "6f0c1f0e").stdout_bytes, self.document)
        validate(self.document)

    def test_to_a_file(self) -> None:
        target = self.folder / "game.xml"
        self.assertEqual(self.run_gamed("export", ROOM, "--output", str(target)).stdout, "")
        self.assertEqual(target.read_bytes(), self.document)
        self.assertEqual(etree.fromstring(target.read_bytes()).tag, "game")

    def test_to_a_file_that_cannot_be_written(self) -> None:
        found = self.run_gamed("export", ROOM, "--output", str(self.folder / "no" / "game.xml"), status=1)
        self.assertRegex(found.stderr, r"\Agamed: cannot write [^\n]*: No such file or directory\n\Z")

    def test_an_unknown_id_leaves_the_file_alone(self) -> None:
        target = self.folder / "game.xml"
        target.write_text("mine")
        self.run_gamed("export", "99999999", "--output", str(target), status=1)
        self.assertEqual(target.read_text(), "mine")


class CommandTests(StoreTestCase):
    def test_help_with_an_example_everywhere(self) -> None:
        for name in ("list", "show", "export"):
            output = self.run_gamed(name, "--help").stdout
            self.assertRegex(output, rf"Example: gamed (records )?{name}")
            self.assertIn("--config FILE", output)
        for args in ([], ["records"]):
            found = CliRunner().invoke(cli.main, [*args, "--help"])
            self.assertEqual(found.exit_code, 0)
            self.assertIn("records" if not args else "export", found.output)

    def test_the_version(self) -> None:
        self.assertEqual(CliRunner().invoke(cli.main, ["--version"]).output, f"gamed {gamed.__version__}\n")

    def test_wrong_usage_is_status_2(self) -> None:
        for args in (("list", "--limit", "0"), ("list", "--termination", "magic"), ("show",), ("list", "--nonsense")):
            self.run_gamed(*args, status=2)
        self.assertEqual(CliRunner().invoke(cli.main, ["nonsense"]).exit_code, 2)

    def test_a_configuration_that_is_not_there(self) -> None:
        self.config.unlink()
        self.assertRegex(
            self.run_gamed("list", status=1).stderr,
            r"\Agamed: cannot read the configuration [^\n]*gamed.toml[^\n]*\n\Z",
        )

    def test_a_database_that_is_none(self) -> None:
        (self.folder / "games.db").write_text("this is no database, and it is long enough to look like one" * 20)
        self.assertRegex(self.run_gamed("list", status=1).stderr, r"\Agamed: [^\n]+\n\Z")

    def test_an_error_is_always_one_line(self) -> None:
        with patch("gamed.cli.database.load", side_effect=GamedError("two\nlines \x1b[2J")):
            self.assertEqual(self.run_gamed("list", status=1).stderr, "gamed: two lines \\x1b[2J\n")

    def test_a_defect_is_not_hidden(self) -> None:
        with patch("gamed.cli.database.load", side_effect=ZeroDivisionError):
            self.assertIsInstance(self.run_gamed("list", status=1).exception, ZeroDivisionError)

    def test_colour_unless_no_color_is_set(self) -> None:
        self.keep_three()
        for args in (("list",), ("show", ROOM)):
            self.assertIn("\x1b[", self.run_gamed(*args, color=True).stdout)
            self.assertNotIn("\x1b[", self.run_gamed(*args, color=True, env={"NO_COLOR": "1"}).stdout)
            self.assertNotIn("\x1b[", self.run_gamed(*args).stdout)

    def test_importing_it_loads_nothing_heavy(self) -> None:
        program = (
            "import sys, gamed.cli; "
            "print([name for name in ('twisted', 'sqlalchemy', 'lxml', 'xmlschema') if name in sys.modules])"
        )
        root = str(Path(gamed.__file__).parents[1])
        found = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
        self.assertEqual(found.stdout, "[]\n")


class WordsTests(SynchronousTestCase):
    def words(self, termination: Termination, winner: int | None, names: str = "ab") -> str:
        seats = tuple(SeatSummary(seat, name.strip(), None) for seat, name in enumerate(names))
        return result(Summary("id", "gamed-x", "1.0", "x", "", "", str(termination), winner, 3, seats))

    def test_every_termination_has_words(self) -> None:
        for termination in Termination:
            self.assertRegex(self.words(termination, 1), r"\Ab won")
            self.assertFalse(self.words(termination, None).startswith(("a ", "b ")))
        self.assertEqual(self.words(Termination.LEFT, 0), "a won, other left")
        # Names that are not known, or that are equal, are left out.
        for names in ("a ", "bb"):
            self.assertEqual(self.words(Termination.LEFT, 1, names), "seat 1 won, other left")

    def test_a_game_of_go_says_by_how_much(self) -> None:
        def words(*points: float | None) -> str:
            seats = tuple(SeatSummary(seat, "ab"[seat], one) for seat, one in enumerate(points))
            return result(Summary("id", "GoFans", "2.2", "go", "", "", "victory", 1, 3, seats))

        self.assertEqual([words(40, 43.5), words(None, 3), words(-1, 0)], ["b won by 3.5", "b won", "b won"])

    def test_shortening(self) -> None:
        self.assertEqual([shortened("abcd", width) for width in (6, 4, 3, 1)], ["abcd  ", "abcd", "ab…", "…"])

    def test_boards_of_other_games_are_printable_too(self) -> None:
        with patch("click.echo") as echo:
            show.draw(show.Shown((), 0, lambda _: "a\x1bb\nc", dict), 0)
        self.assertEqual([call.args[0] for call in echo.call_args_list], ["\nafter 0 of 0 moves", "a\\x1bb", "c"])
