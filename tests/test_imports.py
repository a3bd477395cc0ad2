"""What is not in memory until somebody needs it: of a daemon in which nobody plays, and of `gamed bot`.

Source: docs/topics/design.md#what-is-imported-when.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from twisted.trial.unittest import SynchronousTestCase

import gamed
from gamed.registry import game_types, games
from gamed.store.database import Database

UNUSED: Final = (
    "alembic",
    "chardet",
    "click",
    "gamed.cli",
    "gamed.console.shell",
    "gamed.core.clocks",
    "gamed.core.match",
    "gamed.core.relay",
    "gamed.games.go.formats",
    "gamed.games.go.gofans",
    "gamed.games.go.sgf",
    "gamed.testing",
    "gamed.web",
    "mako",
    "prometheus_client",
    "pygments",
    "segno",
    "sgfmill",
    "tests",
    "twisted.conch",
    "twisted.web",
    "xmlschema",
)
"""What a daemon has no use for before the first connection."""

NOT_FOR_BOTS: Final = (
    *(name for name in UNUSED if name not in ("click", "gamed.cli") and not name.startswith("gamed.core.")),
    "gamed.admin",
    "gamed.console",
    "gamed.lobby",
    "gamed.records",
    "gamed.store",
    "gamed.tap",
    "lxml",
    "sqlalchemy",
)
"""What a bot has no use for."""

DAEMON: Final = """
import json, sys
from threading import current_thread, main_thread
from twisted.internet import reactor
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Protocol
from gamed.tap import Options, makeService

class Imports:
    in_reactor = []
    def find_spec(self, name, path, target=None):
        if current_thread() is main_thread():
            self.in_reactor.append(name)

def report():
    print(json.dumps(sorted(sys.modules)), flush=True)

def begin():
    service.privilegedStartService()
    service.startService()
    # After "ready", which is called in the same way.
    reactor.callWhenRunning(rest)

def rest():
    report()
    sys.meta_path.insert(0, Imports())
    port = next(each.port for each in service.listeners if each.section == sys.argv[2]).getHost().port
    connectProtocol(TCP4ClientEndpoint(reactor, "127.0.0.1", port), Protocol())
    look(service.lobby.stats)

def look(stats):
    served = [session for factory in factories for session in factory.sessions]
    if not served:
        reactor.callLater(0.01, look, stats)
        return
    report()
    print(json.dumps(Imports.in_reactor))
    reactor.stop()

options = Options()
options.parseOptions(json.loads(sys.argv[1]))
service = makeService(options)
factories = [each.factory for each in service.listeners if hasattr(each.factory, "sessions")]
reactor.callWhenRunning(begin)
reactor.run()
"""

BOT: Final = """
import json, sys
from socket import create_server
from threading import Thread

listener = create_server(("127.0.0.1", 0))

def connected():
    connection, _ = listener.accept()
    print(json.dumps(sorted(sys.modules)))
    connection.close()

Thread(target=connected, daemon=True).start()
from gamed.cli import main
main(["bot", sys.argv[1], "--host", "127.0.0.1", "--port", str(listener.getsockname()[1])])
"""


COMMAND: Final = """
import json, sys
from gamed.cli import main
main(json.loads(sys.argv[1]), standalone_mode=False)
print(json.dumps(sorted(sys.modules)))
"""


def printed(program: str, *arguments: str, folder: str) -> list[list[str]]:
    """Run a program that prints lists of names; return them."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert found, done.stderr
    return found


def among(modules: list[str], unused: Iterable[str]) -> list[str]:
    """Return the modules that are, or are within, the unused ones."""
    return [name for name in modules if any(name == root or name.startswith(f"{root}.") for root in unused)]


def packages() -> dict[str, str]:
    """Return the package of each game, which describes it, by the game's kind."""
    root = Path(gamed.__file__).parent.parent
    return {kind: ".".join(made.folder.relative_to(root).parts) for kind, made in game_types().items()}


def parts_of_games(modules: list[str]) -> list[str]:
    """Return the modules of games beyond their descriptions."""
    descriptions = [f"{package}." for package in packages().values()]
    return [
        name for name in among(modules, ["gamed.games"]) if not any(one.startswith(f"{name}.") for one in descriptions)
    ]


class DaemonTests(SynchronousTestCase):
    def test_what_nobody_uses_is_not_imported_and_a_connection_imports_its_game_in_a_thread(self) -> None:
        with TemporaryDirectory() as folder:
            database = Database(f"sqlite:///{folder}/gamed.db")
            database.thd_open()
            database.thd_close()
            options = [
                word for name in (*games(), "console", "web") for word in (f"--{name}", "tcp:0:interface=127.0.0.1")
            ]
            at_rest, served, in_reactor = printed(DAEMON, json.dumps(options), "quoridor", folder=folder)
        self.assertEqual(among(at_rest, UNUSED), [])
        self.assertEqual(parts_of_games(at_rest), [])
        self.assertIn("gamed.games.quoridor.table", served)
        self.assertEqual({name.split(".")[2] for name in parts_of_games(served)}, {"quoridor"})
        self.assertEqual(among(in_reactor, ["gamed"]), [])


class CommandTests(SynchronousTestCase):
    def test_the_help_of_a_group_imports_no_command(self) -> None:
        for words in (["--help"], ["records", "--help"], ["store", "--help"]):
            (modules,) = printed(COMMAND, json.dumps(words), folder=".")
            self.assertEqual(
                among(modules, ["gamed", "twisted", "lxml", "sqlalchemy"]),
                ["gamed", "gamed.cli", "gamed.cli.terminal", "gamed.core", "gamed.core.errors", "gamed.core.texts"],
            )

    def test_checking_a_document_loads_no_database(self) -> None:
        with TemporaryDirectory() as folder:
            Path(folder, "game.sgf").write_text("(;SZ[19];B[aa])")
            (modules,) = printed(COMMAND, json.dumps(["check", "game.sgf"]), folder=folder)
        self.assertIn("gamed.games.go.sgf", modules)
        self.assertEqual(among(modules, ["sqlalchemy", "gamed.store"]), [])

    def test_the_match_command_loads_no_database(self) -> None:
        (modules,) = printed(COMMAND, json.dumps(["play", "--help"]), folder=".")
        self.assertIn("gamed.arena.runner", modules)
        self.assertEqual(among(modules, ["sqlalchemy", "gamed.store.database"]), [])


class BotTests(SynchronousTestCase):
    def test_a_bot_imports_its_own_game_and_nothing_of_the_daemon(self) -> None:
        for kind, module in packages().items():
            with TemporaryDirectory() as folder:
                modules, *_ = printed(BOT, kind, folder=folder)
            self.assertIn(f"{module}.client", modules)
            folder_of_game = ".".join(module.split(".")[:3])
            self.assertEqual(parts_of_games([name for name in modules if not name.startswith(folder_of_game)]), [])
            self.assertEqual(among(modules, NOT_FOR_BOTS), [])
            self.assertNotIn(f"{folder_of_game}.server", modules)
            self.assertNotIn(f"{module}.person", modules)
