"""Wrong usage of `gamed play`: what is said, and the exit status."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner
from twisted.trial.unittest import SynchronousTestCase

from gamed.cli import main

TWO = ["bot:random", "bot:random", "--game"]
BLOKUS = ["bot:random", "bot:random", "--game", "blokus", "--preset", "software-challenge"]


class UsageTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        self.addCleanup(os.chdir, Path.cwd())
        os.chdir(folder)

    def test_wrong_usage_is_named_and_so_is_what_to_do(self) -> None:
        for words, status, text in (
            (["bot:random", "--game", "hive"], 2, "give at least two"),
            (["bot:random", "bot:random"], 2, "give the game with --game"),
            ([*TWO, "chess"], 2, "there is no game chess; the games are"),
            (["bot:random", "bot:nosuch", "--game", "hive"], 2, "hive has no bot:nosuch; it has bot:search"),
            ([*TWO, "hive", "--games", "2", "--pairs", "1"], 2, "--pairs or --games"),
            ([*TWO, "hive", "--option", "x=1"], 2, "x=1: write NAME=VALUE; hive has"),
            ([*TWO, "roborally", "--option", "players=3"], 2, "players=3: write"),
            (
                [*TWO, "roborally", "--option", "lives=x"],
                2,
                "lives: 'x' is not a valid",
            ),
            ([*TWO, "hive", "--csv", "nosuch/a.csv"], 1, "cannot write nosuch/a.csv: No such"),
            (
                [*TWO, "hive", "--sprt", "elo0=5", "elo1=nan"],
                2,
                "must be less than elo1",
            ),
            ([*TWO, "hive", "--sprt", "elo0=5", "x"], 2, "for example, elo0=0 elo1=10"),
            (
                ["a=bot:random", *TWO, "hive", "--sprt", "elo0=0", "elo1=1"],
                2,
                "two bots",
            ),
            (["--again", "1a2b", "--csv", "games.csv"], 2, "--csv: leave it out: --again plays no match"),
            (["--browse", "--dir", "nosuch"], 1, "there are no games in nosuch"),
            (["--again", "1a2b", "--dir", "nosuch"], 1, "there are no games in nosuch"),
            (
                [*TWO, "hive", "--preset", "x"],
                2,
                "no preset x; it has software-challenge",
            ),
            ([*TWO, "quoridor", "--preset", "x"], 2, "has no preset x; it has none"),
            ([*BLOKUS, "--time", "3"], 2, "--time: leave it out: the preset says it"),
            ([*BLOKUS, "--memory", "300"], 2, "--memory: leave it out"),
            ([*BLOKUS, "--start", "kept"], 2, "--start: leave it out"),
        ):
            with patch("gamed.cli.play.run", side_effect=AssertionError("it would be played")):
                done = CliRunner().invoke(main, ["play", *words])
            self.assertEqual(done.exit_code, status, (words, done.output))
            self.assertIn(text, " ".join(done.output.split()), words)

    def test_the_help_has_the_presets(self) -> None:
        said = " ".join(CliRunner().invoke(main, ["play", "--help"]).output.split())
        for text in (
            "software-challenge (blokus)",
            "2 s a move, 1500 MB, one processor for each bot, a ZIP unpacked for each game",
            "-r {code} -p {port} -h {host}",
            "sum of Siegpunkte, mean of Punkte",
        ):
            self.assertIn(text, said)
