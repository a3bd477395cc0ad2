"""docs/howto/add-a-game.md builds a game that can be played: its code blocks are the game's files.

The game is built in a copy of the checkout, by a process that sees no other plugin file of gamed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs" / "howto" / "add-a-game.md"

COPIED = ("README.md", "gamed", "twisted", "schemas", "etc", "docs")
TESTS = ("__init__.py", "checklist.py", "test_checklist.py", "test_registry.py", "games/__init__.py")

STEP = re.compile(
    r"^(?P<verb>Write|Add to) `(?P<path>[^`]+)`(?P<where>, before `[^`]+`|, at its end)?:\n\n"
    r"(?P<fence>```+)\w+\n(?P<text>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)

MOST_FILES = 8
FOR_PEOPLE = 6
MOST_CONCEPTS = 10
OUR_OWN = ("tests/games/tictactoe/", "gamed/games/tictactoe/")


def put(folder: Path, step: re.Match[str]) -> None:
    """Do a step of the guide."""
    file, text = folder / step["path"], step["text"]
    if step["verb"] == "Write":
        assert not file.exists(), file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return
    before = step["where"].removeprefix(", before `").removesuffix("`")
    old = file.read_text()
    at = len(old) if step["where"] == ", at its end" else old.index(f"\n{before}") + 1
    file.write_text(old[:at] + text + old[at:])


def packages(folder: Path) -> None:
    """Fill a folder with links to all that is installed, but for gamed and its plugin file."""
    installed = Path(sysconfig.get_path("purelib"))
    plugins = folder / "twisted" / "plugins"
    plugins.mkdir(parents=True)
    for source, target, left_out in (
        (installed, folder, ("gamed", "twisted", "_editable_impl_gamed.pth")),
        (installed / "twisted", folder / "twisted", ("plugins",)),
        (installed / "twisted" / "plugins", plugins, ("gamed_plugin.py", "dropin.cache", "__pycache__")),
    ):
        for path in source.iterdir():
            if path.name not in left_out:
                (target / path.name).symlink_to(path)


class GuideTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.steps = list(STEP.finditer(GUIDE.read_text()))

    def checkout(self) -> Path:
        """Return a copy of the checkout."""
        folder = Path(self.mktemp()).resolve()
        packages(folder / "installed")
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            (folder / "checkout").mkdir(exist_ok=True)
            copy(ROOT / name, folder / "checkout" / name)
        for name in TESTS:
            target = folder / "checkout" / "tests" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / "tests" / name, target)
        return folder / "checkout"

    def run_in(self, folder: Path, *arguments: str) -> tuple[int, str]:
        """Run Python in the copy; return its status and what it says."""
        paths = f"{folder}:{folder.parent / 'installed'}"
        done = subprocess.run(
            [sys.executable, "-S", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONWARNINGS": "", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def test_each_block_is_a_step(self) -> None:
        """All but the commands."""
        fences = re.findall(r"^(```+)(\w+)$", GUIDE.read_text(), re.MULTILINE)
        self.assertEqual(len([one for one in fences if one[1] != "sh"]), len(self.steps))

    def test_it_takes_no_more_than_it_says(self) -> None:
        files = {step["path"] for step in self.steps if not step["path"].startswith(OUR_OWN)}
        self.assertLessEqual(len(files), MOST_FILES, files)
        self.assertLessEqual(len(files - {"twisted/plugins/gamed_plugin.py", "schemas/index.xml"}), FOR_PEOPLE)
        shown, _, concepts = GUIDE.read_text().partition("\n| Concept |")
        table = re.findall(r"^\| (`.*`) \|", shown.replace("NAME", "tictactoe"), re.MULTILINE)
        named = [path for cell in table for path in re.findall("`([^`]+)`", cell)]
        self.assertEqual({Path(path).name for path in named}, {Path(path).name for path in files})
        rows = re.findall(r"^\| `\w+` \| `([\w/.]+)` \|", concepts, re.MULTILINE)
        self.assertLessEqual(len(rows), MOST_CONCEPTS)
        self.assertEqual([path for path in rows if not (ROOT / path).is_file()], [])

    def test_the_game_is_there_and_can_be_played(self) -> None:
        folder = self.checkout()
        written: set[str] = set()
        for step in self.steps:
            put(folder, step)
            written.add(step["path"])
            if step["path"] == "twisted/plugins/gamed_plugin.py":
                self.check_list(folder, written)
        self.assertEqual(self.run_in(folder, "-m", "tests.checklist", "tictactoe", "--write")[0], 0)
        _, said = self.run_in(folder, "-m", "tests.checklist", "tictactoe")
        self.assertEqual(said, "nothing is missing\n")
        cases = [f"tests.test_registry.Tictactoe{name}Tests" for name in ("Game", "Match", "Rule", "Wire")]
        tests = ["tests.games.tictactoe", "tests.test_registry.RegistryTests", *cases]
        status, said = self.run_in(folder, "-m", "twisted.trial", *tests)
        self.assertEqual(status, 0, said[-3000:])
        self.assertGreater(int(re.findall(r"Ran (\d+) tests", said)[0]), 30)

    def check_list(self, folder: Path, written: set[str]) -> None:
        """Compare what the checklist asks people for, when the game is there, with what the guide writes after it."""
        status, said = self.run_in(folder, "-m", "tests.checklist", "tictactoe")
        self.assertEqual(status, 1)
        asked = {line.partition(":")[0] for line in said.splitlines()[:-1] if "--write" not in line}
        later = {step["path"] for step in self.steps if not step["path"].startswith("tests/")} - written
        self.assertEqual(asked, later)
