"""The texts of the command line: help, completion, boards on narrow terminals, and helpful error messages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import click
from click.testing import CliRunner
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamed import cli
from gamed.bots.play import BotError
from gamed.cli.fitting import fitted
from gamed.cli.manual import WHOLE
from gamed.cli.terminal import counted_of, one_line
from gamed.core.errors import StoreError
from gamed.records.index import _plain
from gamed.registry import game_types
from gamed.store import dialects
from gamed.store.database import Database
from tests.records.documents import GOFANS
from tests.test_cli_import import ImportCase


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command."""
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


class TableTests(SynchronousTestCase):
    def test_the_tables_say_what_the_commands_say(self) -> None:
        for group in (cli.main, cli.records_group, cli.store_group):
            for name, command in group.commands.items():
                self.assertEqual(group.table[name].help, command.get_short_help_str(WHOLE), name)


class UsageTests(SynchronousTestCase):
    """The error messages for arguments that a command does not accept."""

    def said(self, *words: str) -> str:
        found = CliRunner().invoke(cli.main, words)
        self.assertEqual(found.exit_code, 2)
        return found.output.splitlines()[-1]

    def test_a_game_that_cannot_be_watched(self) -> None:
        self.assertIn("Invalid value for 'GAME': 'go' is not one of 'battleship'", self.said("watch", "go"))

    def test_no_command_names_an_argument_by_its_choices(self) -> None:
        # click would say "Invalid value for '{roborally}'".
        for words in commands(cli.main):
            usage = CliRunner().invoke(cli.main, [*words, "--help"]).output.partition("\n\n")[0]
            self.assertTrue(usage.startswith("Usage: "), usage)
            self.assertNotIn("{", usage)
            self.assertNotIn("|", usage.replace("FILE|ID", "").replace("ID|DIR", ""), words)


class HelpTests(SynchronousTestCase):
    def help(self, *words: str, columns: int = 80) -> str:
        found = CliRunner().invoke(cli.main, [*words, "--help"], env={"COLUMNS": str(columns)})
        self.assertEqual(found.exit_code, 0)
        return found.output

    def test_no_summary_is_cut(self) -> None:
        for words in ((), ("records",)):
            for columns in (50, 80):
                _, _, summaries = self.help(*words, columns=columns).partition("Commands:")
                self.assertGreater(summaries.count("\n"), 5)
                self.assertNotIn("...\n", summaries)

    def test_no_usage_has_a_sign_of_its_own(self) -> None:
        for words in commands(cli.main):
            self.assertNotIn("\u2026", self.help(*words))
        self.assertIn("gamed import [OPTIONS] PATH...", self.help("import").replace("main", "gamed"))

    def test_the_bot_lists_games_and_strategies(self) -> None:
        output = self.help("bot")
        for kind, made in game_types().items():
            self.assertRegex(output, rf"\n  {kind} +{', '.join(made.players)}\n")


class CompletionTests(SynchronousTestCase):
    def complete(self, line: str) -> list[str]:
        words = line.split(" ")
        env = {"_GAMED_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        found = CliRunner().invoke(cli.main, env=env, prog_name="gamed")
        return [answer.partition(",")[2] for answer in found.output.splitlines()]

    def test_games(self) -> None:
        self.assertEqual(self.complete("gamed bot ba"), ["battleship"])
        self.assertEqual(self.complete("gamed records list --game h"), ["hive"])
        self.assertEqual(self.complete("gamed records list --game g"), ["go"])
        self.assertNotIn("go", self.complete("gamed bot g"))
        self.assertEqual(self.complete("gamed export 1234 --format rep"), ["replay"])
        self.assertEqual(self.complete("gamed watch ro"), ["roborally"])

    def test_strategies_of_the_game_or_of_all(self) -> None:
        types = game_types()
        self.assertEqual(self.complete("gamed bot hive --strategy "), list(types["hive"].players))
        everything = {name for made in types.values() for name in made.players}
        self.assertEqual(set(self.complete("gamed bot --strategy ")), everything)

    def test_formats(self) -> None:
        for command in ("export", "records export"):
            self.assertEqual(self.complete(f"gamed {command} 1234 --format s"), ["sgf", "software-challenge"])


class FittingTests(SynchronousTestCase):
    def test_two_boards_come_one_below_the_other(self) -> None:
        left, right = ["seat 0", "  . . .", "  . x ."], ["seat 1", "  # # #", "  . . ."]
        both = [f"{one:<12}{other}" for one, other in zip(left, right, strict=True)]
        self.assertEqual(list(fitted(["before", *both, "legend"], 80)), ["before", *both, "legend"])
        self.assertEqual(list(fitted(["before", *both, "legend"], 15)), ["before", *left, "", *right, "legend"])

    def test_a_board_is_cut_between_its_columns(self) -> None:
        rows = [" ".join("abcdefgh")] * 3
        self.assertEqual(list(fitted(rows, 8)), ["a b c d"] * 3 + [""] + ["e f g h"] * 3)

    def test_a_board_without_gaps_is_cut_anywhere(self) -> None:
        self.assertEqual(list(fitted(["x" * 10] * 3, 8)), ["x" * 8] * 3 + [""] + ["xx"] * 3)

    def test_sentences_are_wrapped(self) -> None:
        self.assertEqual(list(fitted(["some words here", "", "a b"], 10)), ["some words", "here", "", "a b"])


class SentenceTests(ImportCase):
    def test_numbers(self) -> None:
        self.assertEqual([counted_of(number, "move") for number in (0, 1, 2)], ["0 moves", "1 move", "2 moves"])

    def test_sentences_of_several_lines_have_no_escapes(self) -> None:
        self.assertEqual(one_line("a\n  b\x1b"), "a b\\x1b")

    def test_no_class_of_xmlschema_is_shown(self) -> None:
        for said, shown in (
            ("value (Decimal('5'),) not found for XsdKey(name='player')", "there is no player 5"),
            ("duplicated value ('0', 'x') for XsdUnique(name='entry')", "there is more than one entry 0, x"),
            ("attribute a='b': value doesn't match any pattern of ['\\\\d']", r"attribute a='b': the value does not"),
            ("value doesn't match any pattern of ['x']", "the value does not match the pattern x"),
            ("missing required attribute 'y'", "missing required attribute 'y'"),
        ):
            self.assertTrue(_plain(said).startswith(shown), _plain(said))
        self.assertTrue(_plain("value doesn't match any pattern of ['\\\\d']").endswith(r"pattern \d"))

    def test_a_locked_database_says_what_to_do(self) -> None:
        store = self.store()
        other = sqlite3.connect(self.folder / "games.db", isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        with patch.object(dialects, "PRAGMAS", ("busy_timeout = 0",)):
            again = Database(store.url)
            self.assertRaisesRegex(StoreError, "another program is writing to it. Try again", again.thd_open)

    def test_a_bot_that_cannot_connect_has_no_summary(self) -> None:
        with patch("gamed.cli.bot.install_reactor"), patch("gamed.cli.bot.react") as react:

            def run(main: object) -> None:
                assert callable(main)
                with patch("gamed.cli.bot.play", side_effect=BotError("cannot connect")):
                    main(Clock())

            react.side_effect = run
            found = CliRunner().invoke(cli.main, ["bot", "battleship"])
        self.assertEqual((found.exit_code, found.stdout, found.stderr), (1, "", "gamed: cannot connect\n"))

    def test_notes_name_the_game_of_a_collection(self) -> None:
        name = self.file("club.sgf", b"(;SZ[9]AP[x];B[aa])(;SZ[9]AN[y];B[bb])")
        found = self.run_gamed("convert", name, str(self.folder / "club.xml"))
        self.assertEqual(found.stderr, "game 1: AP is left out\ngame 2: AN is left out\n")
        self.assertIn("club.sgf has 2 games; this is the first", self.run_gamed("show", name).stderr)

    def test_errors_of_files_name_them(self) -> None:
        for name, content in (("empty.sgf", b"nothing"), ("empty.xml", b"")):
            found = self.run_gamed("show", self.file(name, content), status=1)
            self.assertRegex(found.stderr, rf"\Agamed: [^\n]*{name}[^\n]*\n\Z")

    def test_one_move_is_one_move(self) -> None:
        one = GOFANS.partition(b"<move")[0] + b'<move playerId="1" x="1" y="1"/></body></game>'
        name = self.file("one.xml", one)
        self.assertIn("go, 1 move\n", self.run_gamed("check", name).stdout)
        self.assertIn("after 1 of 1 move\n", self.run_gamed("show", name).stdout)
        self.assertIn("the game has 1 move\n", self.run_gamed("show", name, "--move", "2", status=2).stderr)


class RecorderTests(SynchronousTestCase):
    def test_undo_names_the_move_that_was_taken_back_and_points_are_named_as_typed(self) -> None:
        file = Path(self.mktemp())
        typed = "q16\nd4\nundo\nq16\nquit\n"
        found = CliRunner().invoke(cli.main, ["record", str(file)], input=typed)
        self.assertIn("undone: move 2, white D4; now at move 1, black Q16\n", found.output)
        self.assertIn("there is a stone on Q16 already\n", found.output)
