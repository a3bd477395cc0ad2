"""Follow the how-tos to the letter: execute their code blocks step by step in a copy of the checkout.

Python runs there without the checkout's own installation, so it finds no other plugin file of gamed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from twisted.python.reflect import namedAny
from twisted.trial.unittest import SynchronousTestCase

ROOT = Path(__file__).resolve().parent.parent
HOWTO = ROOT / "docs" / "howto"
GUIDE = HOWTO / "add-a-game.md"
SEASON = HOWTO / "add-a-season.md"
COLUMN = HOWTO / "add-a-column.md"
COMMAND = HOWTO / "add-a-command.md"

COPIED = ("README.md", "gamed", "twisted", "schemas", "etc", "docs")

STEP = re.compile(
    r"(?P<verb>Write|Add to) `(?P<path>[^`]+)`(?:,\s+(?P<where>before|after|at its end)(?:\s+`(?P<line>[^`]+)`)?)?:\n\n"
    r"(?P<indent> *)(?P<fence>```+)\w+\n(?P<text>.*?)^(?P=indent)(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
"""A file that is written, or lines that are added before or after the line that begins so."""

MOST_CONCEPTS = 10


def put(folder: Path, step: re.Match[str]) -> None:
    """Execute a step."""
    file, text = folder / step["path"], re.sub(f"^{step['indent']}", "", step["text"], flags=re.MULTILINE)
    if step["verb"] == "Write":
        assert not file.exists(), file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return
    old = file.read_text()
    at = len(old)
    if step["line"]:
        at = old.index(f"\n{step['line']}") + 1
        assert old.count(f"\n{step['line']}") == 1, step["line"]
    if step["where"] == "after":
        at = old.index("\n", at) + 1
    file.write_text(old[:at] + text + old[at:])


def packages(folder: Path) -> None:
    """Fill a folder with links to everything that is installed, except gamed and its plugin file."""
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


class HowToCase(SynchronousTestCase):
    def steps(self, page: Path) -> list[re.Match[str]]:
        return list(STEP.finditer(page.read_text()))

    def checkout(self) -> Path:
        """Return a copy of the checkout. Of the tests, it includes only the code."""
        folder = Path(self.mktemp()).resolve()
        packages(folder / "installed")
        copy = folder / "checkout"
        shutil.copytree(ROOT / "tests", copy / "tests", ignore=lambda at, names: [
            name for name in names if not name.endswith(".py") and not (Path(at) / name).is_dir()
        ])  # fmt: skip
        # Other processes may be writing compiled modules, and rename them at the end.
        ignored = shutil.ignore_patterns("__pycache__", "dropin.cache")
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy / name, ignore=ignored)
            else:
                shutil.copy2(ROOT / name, copy / name)
        return copy

    def run_in(self, folder: Path, *arguments: str) -> tuple[int, str]:
        """Run Python in the copy; return its status and its output."""
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

    def check_tests(self, folder: Path, *tests: str) -> int:
        """Run tests in the copy; return their number."""
        status, said = self.run_in(folder, "-m", "twisted.trial", *tests)
        self.assertEqual(status, 0, said[-3000:])
        return int(re.findall(r"Ran (\d+) tests", said)[0])

    def check_blocks(self, page: Path) -> None:
        """All blocks are steps, except commands."""
        fences = re.findall(r"^ *(```+)(\w+)$", page.read_text(), re.MULTILINE)
        self.assertEqual(len([one for one in fences if one[1] != "sh"]), len(self.steps(page)))


class AddAGameTests(HowToCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        for step in self.steps(GUIDE):
            put(self.folder, step)

    def python(self, *arguments: str, cwd: Path = ROOT) -> str:
        """Run Python with the game's folder among its packages, and return its output."""
        paths = f"{self.folder}:{ROOT}"
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-3000:])
        return done.stdout + done.stderr

    def test_each_block_is_a_step(self) -> None:
        self.check_blocks(GUIDE)

    def test_it_takes_no_more_than_it_says(self) -> None:
        shown, _, concepts = GUIDE.read_text().partition("\n| Concept |")
        named = [
            path for row in re.findall(r"^\| (`.*?) \|", shown, re.MULTILINE) for path in re.findall("`(.+?)`", row)
        ]
        written = {step["path"] for step in self.steps(GUIDE)}
        for path in written:
            covered = any(Path(path).match(one) or path.startswith(one) or Path(one).name in path for one in named)
            self.assertTrue(covered or path.endswith(".xsd"), path)
        rows = re.findall(r"^\| `\w+` \| `([\w/.]+)` \|", concepts, re.MULTILINE)
        self.assertLessEqual(len(rows), MOST_CONCEPTS)
        self.assertEqual([path for path in rows if not (ROOT / path).is_file()], [])

    def test_its_own_tests_pass(self) -> None:
        said = self.python("-m", "twisted.trial", "tests", cwd=self.folder)
        self.assertGreater(int(re.findall(r"Ran (\d+) tests", said)[0]), 5)

    def test_the_tests_of_all_games_take_it(self) -> None:
        cases = [f"tests.test_registry.Tictactoe{name}Tests" for name in ("Game", "Match", "Rule", "Wire")]
        said = self.python("-m", "twisted.trial", "tests.test_registry.RegistryTests", *cases)
        self.assertGreater(int(re.findall(r"Ran (\d+) tests", said)[0]), 20)

    def test_its_board_and_its_schema_are_served(self) -> None:
        program = """
from gamed.web.static_files import all_files, all_schemas
for files, *names in (
    (all_files(), "board.js", "board.css"),
    (all_schemas(), "index.xml", "gamed-tictactoe-1.0.xsd"),
):
    print(*(files.find(f"games/tictactoe/{name}") is not None for name in names))
"""
        self.assertEqual(self.python("-c", program), "True True\nTrue True\n")


class OtherHowToTests(HowToCase):
    def followed(self, page: Path) -> Path:
        """Return a copy of the checkout in which the steps of a page have been executed."""
        self.check_blocks(page)
        folder = self.checkout()
        for step in self.steps(page):
            put(folder, step)
        return folder

    def named_tests(self, page: Path) -> list[str]:
        """Return the tests that the page runs."""
        return re.findall(r"(?<= )tests\.[\w.]+", re.findall(r"\.venv/bin/trial(.*)", page.read_text())[0])

    def test_a_column_can_be_added(self) -> None:
        folder = self.followed(COLUMN)
        self.assertGreater(self.check_tests(folder, *self.named_tests(COLUMN)), 50)

    def test_a_command_can_be_added(self) -> None:
        folder = self.followed(COMMAND)
        self.assertEqual(self.run_in(folder, "-m", "tests.console.test_page"), (0, ""))
        self.assertIn("### longest", (folder / "docs" / "reference" / "console.md").read_text())
        self.assertGreater(self.check_tests(folder, *self.named_tests(COMMAND)), 20)

    def test_what_a_season_needs_is_what_the_code_asks_for(self) -> None:
        rows = re.findall(r"^ *\| `(gamed[\w.]+)` \| (.+) \| `([\w.]+)` \|$", SEASON.read_text(), re.MULTILINE)
        self.assertEqual(len(rows), 3)
        for name, members, example in rows:
            protocol = namedAny(name)
            asked = {*protocol.__annotations__, *(one for one in vars(protocol) if not one.startswith("_"))}
            self.assertEqual(set(re.findall(r"`(\w+)`", members)), asked, name)
            self.assertEqual([one for one in asked if one not in dir(namedAny(example))], [], example)

    def test_what_they_name_is_there(self) -> None:
        for page in [*sorted(HOWTO.glob("add-a-*.md")), HOWTO / "release.md"]:
            written = {step["path"] for step in self.steps(page)}
            text = re.sub(r"^( *```+)\w+\n.*?^\1$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
            for path in re.findall(r"`((?:gamed|tests|etc|schemas|docs|twisted)/[\w./-]+)`", text):
                self.assertTrue(path in written or "NAME" in path or (ROOT / path).exists(), (page.name, path))
            for name in re.findall(r"`(gamed(?:\.\w+)+)`", text):
                namedAny(name)
