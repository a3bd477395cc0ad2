"""Test an installed gamed in an environment without the checkout: `python tests/installed.py`.

Runs with the environment's own Python. Prints what it saw; ends with status 0 if all was right.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.daemon import SCRIPTS, free_port, running, section
from tests.test_howto import GUIDE, STEP, put

EXPORTED = b'<game publisher="gamed-battleship" version="1.1">'


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command of the environment, and return its output."""
    done = subprocess.run([SCRIPTS / command[0], *command[1:]], cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout


def main() -> None:
    """Start the daemon in a directory of its own, play, read the records, and validate one."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        where = run("python", "-c", "import gamed; print(gamed.__file__)", cwd=directory)
        assert str(SCRIPTS.parent) in where, f"gamed is not the installed one: {where}"
        with running(directory) as daemon:
            bot = [SCRIPTS / "gamed", "bot", "battleship", "--port", str(daemon.port)]
            with subprocess.Popen(bot, cwd=directory, stdout=subprocess.DEVNULL) as other:
                print(run("gamed", "bot", "battleship", "--port", str(daemon.port), cwd=directory), end="")
            assert other.returncode == 0
            daemon.settled(1)
            (record,) = daemon.records()
            document = daemon.export(str(record["id"]))
            assert EXPORTED in document, document[:300]
            validate = "import sys; from gamed.records.index import validate; validate(sys.stdin.buffer.read())"
            subprocess.run([SCRIPTS / "python", "-c", validate], cwd=directory, input=document, check=True)
            print(daemon.gamed("records", "list").stdout, end="")
            assert not daemon.unexpected(), daemon.unexpected()
        boards = (
            "from gamed.games.roborally.course_files import board_directory, course_names; "
            "print(board_directory(), *course_names())"
        )
        names = run("python", "-c", boards, cwd=directory).split()
        assert str(SCRIPTS.parent) in names[0], f"the boards are not the installed ones: {names[0]}"
        courses = [f"{names[0]}/{name}.course" for name in names[1:]]
        assert courses, "there are no courses"
        print(run("gamed", "check", "--board", *courses, cwd=directory), end="")
    print("the installed gamed plays, records and validates")
    another_game()


def another_game() -> None:
    """Install the game of the guide beside gamed, and have its bots play: its records and its board are there."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        for step in STEP.finditer(GUIDE.read_text()):
            put(directory / "package", step)
        run("python", "-m", "pip", "install", "--quiet", "--no-deps", str(directory / "package"), cwd=directory)
        try:
            port, web = free_port(), free_port()
            more = section("tictactoe", port, "") + f'[web]\nendpoint = "tcp:{web}:interface=127.0.0.1"\n'
            with running(directory, more=more) as daemon:
                bot = [SCRIPTS / "gamed", "bot", "tictactoe", "--port", str(port)]
                with subprocess.Popen(bot, cwd=directory, stdout=subprocess.DEVNULL) as other:
                    print(run("gamed", "bot", "tictactoe", "--port", str(port), cwd=directory), end="")
                assert other.returncode == 0
                daemon.settled(1)
                (record,) = daemon.records()
                print(daemon.gamed("show", str(record["id"])).stdout, end="")
                file = directory / "one.xml"
                file.write_bytes(daemon.export(str(record["id"])))
                checked = daemon.gamed("check", str(file)).stdout
                assert checked.startswith("valid "), checked
                with urlopen(f"http://127.0.0.1:{web}/static/games/tictactoe/board.js") as found:
                    assert b"export function create" in found.read()
                assert not daemon.unexpected(), daemon.unexpected()
        finally:
            run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "gamed-tictactoe", cwd=directory)
    print("a game of another package is played, recorded and shown")


main()
