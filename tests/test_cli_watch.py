"""`gamed watch` in a process next to `gamed bot`: an output channel with the resulting record, and an event stream."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from twisted.trial.unittest import SynchronousTestCase

from gamed.cli import main
from gamed.cli.watch import CLEAR, HOME, SceneFrame, Terminal, print_lines, show_scene
from gamed.games.roborally.screen import COLORS
from tests.daemon import SCRIPTS, Daemon, free_port, running, section
from tests.games.roborally.test_screen import frame
from tests.interop.programs import end

PLAYERS = ("Anna", "Bert", "Carl")
KEYS = (
    'courses = ["anlauf"]\nmin_players = 3\nmax_players = 3\nstart_delay = 2.0\n'
    "messages_per_second = 0.0\nlinger = 0.5\n"
)
"""The game starts with the third bot."""


def start(*arguments: str, port: int) -> subprocess.Popen[str]:
    """Start a `gamed` command that plays or watches."""
    command = [SCRIPTS / "gamed", *arguments, "--host", "127.0.0.1", "--port", str(port), "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class WatchTests(SynchronousTestCase):
    def test_a_watched_game_is_recorded_checked_and_imported_elsewhere(self) -> None:
        directory, port = Path(self.mktemp()).resolve(), free_port()
        section = f'[roborally]\nendpoint = "tcp:{port}:interface=127.0.0.1"\n{KEYS}'
        with running(directory, more=section) as daemon:
            self.play(port)
            daemon.settled(1)
            (listed,) = daemon.records()
            name = str(listed["id"])
            document = daemon.export(name)
            shown = daemon.gamed("records", "show", name)
            self.assertEqual(daemon.unexpected(), [])
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        for player in PLAYERS:
            self.assertIn(player, shown.stdout)
        self.carry(directory, document)

    def play(self, port: int) -> None:
        """Let a channel watch three bots, each in its own process."""
        channel = start("watch", "roborally", "--name", "Tafel", port=port)
        bots = [start("bot", "roborally", "--name", name, port=port) for name in PLAYERS]
        for process in (channel, *bots):
            self.addCleanup(end, process)
        told = [process.communicate(timeout=90) for process in (channel, *bots)]
        self.assertEqual(
            [(p.returncode, said[1]) for p, said in zip((channel, *bots), told, strict=True)], [(0, "")] * 4
        )
        frames = [json.loads(line) for line in told[0][0].splitlines()]
        self.assertGreater(len(frames), 5)

    def carry(self, directory: Path, document: bytes) -> None:
        """Check the record, modify it so that it is invalid, and import it into an empty store."""
        path = directory / "game.xml"
        path.write_bytes(document)
        other = Daemon(directory / "other")
        checked = other.gamed("check", str(path))
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        imported = other.gamed("import", str(path))
        self.assertEqual((imported.returncode, imported.stderr), (0, ""))
        self.assertEqual(len(other.records()), 1)
        path.write_bytes(document.replace(b"<", b"", 1))
        self.assertNotEqual(other.gamed("check", str(path)).returncode, 0)


class StreamTests(SynchronousTestCase):
    def test_a_game_without_output_channels(self) -> None:
        pages = free_port()
        web = section("web", pages, "")
        with running(Path(self.mktemp()).resolve(), more=web) as daemon:
            watching = start("watch", "battleship", port=pages)
            self.addCleanup(end, watching)
            self.addCleanup(end, start("bot", "battleship", port=daemon.port))
            assert watching.stdout is not None
            # Somebody waits for a second player.
            self.assertIsNone(json.loads(watching.stdout.readline())["board"])
            self.addCleanup(end, start("bot", "battleship", port=daemon.port))
            out, err = watching.communicate(timeout=90)
            self.assertEqual(daemon.unexpected(), [])
        self.assertEqual((watching.returncode, err), (0, ""))
        scenes = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(scenes[-1]["outcome"]["termination"], "victory")

    def test_who_waits_and_who_has_won(self) -> None:
        frames: list[SceneFrame] = []
        seats = [{"seat": 0, "name": "A\x1bnn"}, {"seat": 1, "name": ""}]
        scene: dict[str, Any] = {"seats": seats[:1], "board": None, "outcome": None}
        texts = ["waiting for the start: A\\x1bnn"]
        show_scene(lambda *_: "a\x1bb", frames.append, scene, [])
        for winner, text in ((0, "A\\x1bnn (seat 0) won"), (1, "(seat 1) won"), (None, "nobody won")):
            scene = {"seats": seats, "board": {}, "outcome": {"winner": winner, "termination": "victory"}}
            show_scene(lambda *_: "a\x1bb", frames.append, scene, [])
            texts.append(f"a\\x1bb\n\nthe game is over: {text} (victory)")
        self.assertEqual([frame.drawn(80, 24, colored=False) for frame in frames], texts)
        self.assertEqual(frames[-1].drawn(80, 3, colored=True), "a\\x1bb\n")

    def test_what_only_channels_take(self) -> None:
        done = CliRunner().invoke(main, ["watch", "battleship", "--pace", "1"])
        self.assertEqual(done.exit_code, 2)
        self.assertIn("has no output channels", done.output)


class Tty(io.StringIO):
    """Standard output on a terminal."""

    def isatty(self) -> bool:
        return True


class TerminalTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.out = Tty()
        self.patch(sys, "stdout", self.out)
        self.patch(shutil, "get_terminal_size", lambda: os.terminal_size((80, 40)))
        self.patch(os, "environ", {name: value for name, value in os.environ.items() if name != "NO_COLOR"})

    def drawn(self) -> str:
        """Return the output since the last call."""
        text = self.out.getvalue()
        self.out.truncate(0)
        self.out.seek(0)
        return text

    def test_it_is_redrawn_in_place(self) -> None:
        terminal = Terminal()
        terminal.draw(frame("treppe"))
        self.assertTrue(self.drawn().startswith(CLEAR + HOME))
        terminal.draw(frame("treppe", (2, 2)))
        text = self.drawn()
        self.assertTrue(text.startswith(HOME))
        self.assertNotIn(CLEAR, text)
        # The cursor ends in the last line, so nothing scrolls.
        self.assertEqual(text.count("\n"), 39)

    def test_each_robot_has_a_color_of_its_own(self) -> None:
        self.assertEqual(len(set(COLORS)), 8)
        Terminal().draw(frame("doppelhalle", names=("Anna", "Bert")))
        text = self.drawn()
        colors = re.findall(r"\x1b\[(\d+)m\x1b\[1m([AB])[ >]", text)
        self.assertEqual(len(set(colors)), 2, colors)
        self.assertEqual(len(colors), 4, colors)

    def test_no_color(self) -> None:
        os.environ["NO_COLOR"] = "1"
        Terminal().draw(frame("doppelhalle"))
        # Nothing but cursor movement.
        self.assertEqual(set(re.findall(r"\x1b\[[0-9;]*([A-Za-z])", self.drawn())), {"H", "J", "K"})

    def test_elsewhere_one_board_a_step_without_escape_codes(self) -> None:
        self.patch(sys, "stdout", io.StringIO())
        print_lines(frame("treppe"))
        text = sys.stdout.getvalue()  # type: ignore[attr-defined]
        self.assertNotIn("\x1b", text)
        self.assertEqual(max(map(len, text.splitlines()[:-3])), 112)
