"""Matches of bots in slots, refereed by a private daemon. Each runs in a PID namespace of its own.

Source: docs/topics/design.md#the-runner.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace

from twisted.internet.error import ProcessDone
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamed.arena.daemon import LOG, READY, PrivateDaemon, configuration
from gamed.arena.entrants import Entrant, filled
from gamed.config import structure
from gamed.registry import games
from tests.arena.caged import CagedTestCase, add_tests
from tests.arena.match_trials import TRIALS

NEEDS = {"of_prolog_programs": ("swipl",), "of_racket_worlds": ("racket", "Xvfb")}


class MatchTests(CagedTestCase):
    """Whole matches."""


add_tests(MatchTests, "tests.arena.match_trials", TRIALS, NEEDS)


class EntrantTests(SynchronousTestCase):
    def test_what_stands_in_braces_is_put_in_and_other_braces_stand(self) -> None:
        values = {"host": "127.0.0.1", "port": "4711"}
        self.assertEqual(filled("{host}:{port}", values), "127.0.0.1:4711")
        self.assertEqual(filled("{x} {} {{port}} '{\"a\": 1}'", values), "{x} {} {4711} '{\"a\": 1}'")
        start = Entrant("A", ["./bot", "--at={port}"], Path("/tmp")).start(values, {"memory": 64})
        self.assertEqual((start.command, start.folder, start.memory), (["./bot", "--at=4711"], Path("/tmp"), 64))


class PrivateDaemonTests(SynchronousTestCase):
    def test_it_listens_nowhere_else(self) -> None:
        config = structure(tomllib.loads(configuration(control="unix:/tmp/x/control.sock")), Path("/tmp/x"))
        self.assertEqual({settings.endpoint for settings in config.listeners.values()}, {""})
        self.assertEqual(set(config.listeners), set(games()))
        self.assertEqual((config.web.endpoint, config.console.telnet, config.console.ssh), ("", "", ""))
        self.assertEqual(config.control.endpoint, "unix:/tmp/x/control.sock")

    def test_a_full_disk_costs_lines_of_its_log_only(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        (folder / LOG).symlink_to("/dev/full")
        daemon = PrivateDaemon(SimpleNamespace(spawnProcess=lambda *_, **_options: None), folder)
        started = daemon.start()
        daemon.childDataReceived(1, READY + b"\n")
        self.assertEqual(self.successResultOf(started), daemon.socket)
        daemon.processEnded(Failure(ProcessDone(0)))
