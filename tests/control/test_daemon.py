"""The control listener of a real daemon: sockets are passed to it, and bots of ours play through them.

Source: docs/topics/design.md#control.
"""

from __future__ import annotations

import shutil
import socket
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import UNIXClientEndpoint, connectProtocol
from twisted.trial.unittest import TestCase

from gamed.arena.client import DaemonClient, Opening
from gamed.arena.runner import PLAYED
from gamed.control.listener import LONGEST_PATH, remove_unused
from gamed.core.errors import ConfigError
from tests.arena.match_trials import PATIENT
from tests.control.test_runners import KEY, Told
from tests.daemon import SCRIPTS, Daemon
from tests.lobby.test_entrances import ID

GAMES = ("battleship", "hive", "quoridor", "roborally")


class Waiting(Told):
    """Fires when it has been told of a record."""

    def __init__(self) -> None:
        super().__init__()
        self.done: Deferred[None] = Deferred()

    def recorded(self, room: str) -> None:
        super().recorded(room)
        self.done.callback(None)


class ControlTestCase(TestCase):
    timeout = 200

    def setUp(self) -> None:
        # A UNIX socket's path is short.
        self.folder = Path(tempfile.mkdtemp(prefix="control-"))
        self.addCleanup(shutil.rmtree, self.folder)


class PlayTests(ControlTestCase):
    async def test_bots_of_each_game(self) -> None:
        daemon = Daemon(self.folder / "state")
        self.addCleanup(daemon.kill)
        daemon.start()
        path = daemon.directory / "control.sock"
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        for number, game in enumerate(GAMES, 1):
            told = Waiting()
            client = await connectProtocol(UNIXClientEndpoint(reactor, str(path)), DaemonClient(told))
            self.assertEqual(await client.begin(KEY + game), [])
            ports = []
            for seat in range(2):
                with socket.create_server(("127.0.0.1", 0)) as listening:
                    ports.append(listening.getsockname()[1])
                    await client.adopt(seat, game, listening)
            options = {"max_moves": 30, **PATIENT.get(game, {})}
            await client.open(Opening(game, ID.format(number), 7, options, ("A", "B")), [0, 1], [0, 1])
            # Who comes first waits until it is due.
            bots = [self.bot(game, port, name) for port, name in zip(reversed(ports), ("Bert", "Anna"), strict=True)]
            await told.done
            (result,) = told.results
            self.assertIn(result.termination, PLAYED, (game, result))
            self.assertEqual(told.words[:3], [f"seated {number} 0", f"seated {number} 1", f"begun {number}"])
            self.assertEqual(await client.results([result.id]), [result])
            client.transport.loseConnection()
            for bot in bots:
                bot.wait(timeout=20)
        self.assertEqual(daemon.unexpected(), [])

    def bot(self, game: str, port: int, name: str) -> Any:
        more = {"roborally": ["--name", name], "quoridor": ["--pace", "0", "--stay", "0"]}.get(game, [])
        bot = subprocess.Popen(
            [SCRIPTS / "gamed", "bot", game, "--host", "127.0.0.1", "--port", str(port), *more],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(bot.wait, 20)
        self.addCleanup(bot.kill)
        return bot


class PathTests(ControlTestCase):
    def test_a_path_that_is_too_long(self) -> None:
        path = self.folder / ("x" * LONGEST_PATH)
        daemon = Daemon(self.folder / "state", more=f'[control]\nendpoint = "unix:{path}"\n')
        self.addCleanup(daemon.kill)
        with self.assertRaises(AssertionError):
            daemon.start()
        self.assertIn(
            f"[control] endpoint: its path has {len(str(path))} bytes, and that of a UNIX socket has at most 107",
            daemon.text(),
        )

    def test_left_out_it_costs_nobody_the_start(self) -> None:
        daemon = Daemon(self.folder / ("x" * LONGEST_PATH))
        self.addCleanup(daemon.kill)
        daemon.start()
        self.assertIn("no control listener: ", daemon.text())

    def test_where_somebody_listens_already(self) -> None:
        path = self.folder / "control.sock"
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(path))
            other.listen()
            said = str(self.assertRaises(ConfigError, remove_unused, path))
            self.assertIn(f'[control] endpoint "unix:{path}": another daemon listens there', said)
        remove_unused(path)
        self.assertFalse(path.exists())
        remove_unused(path)
        # What is no socket is not ours.
        path.write_text("mine")
        remove_unused(path)
        self.assertEqual(path.read_text(), "mine")

    def test_a_socket_that_a_killed_daemon_has_left(self) -> None:
        daemon = Daemon(self.folder / "state")
        self.addCleanup(daemon.kill)
        daemon.start()
        daemon.kill()
        self.assertTrue((daemon.directory / "control.sock").exists())
        daemon.start()
        daemon.stop()
        self.assertFalse((daemon.directory / "control.sock").exists())
