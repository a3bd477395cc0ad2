"""Matches of bots in slots, refereed by a private daemon. Each runs in a PID namespace of its own.

Source: docs/topics/design.md#the-runner.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.arena.daemon import configuration
from gamed.arena.runner import Entrant, filled
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
