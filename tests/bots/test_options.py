"""What `gamed bot` and `gamed watch` do with their options and the reactor."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from click.testing import CliRunner
from twisted.internet import task
from twisted.trial.unittest import SynchronousTestCase

from gamed.bots import play, watch
from gamed.bots.play import Played
from gamed.cli import main
from gamed.games.quoridor.client import Player

Ended = Callable[[Played], None]


class OptionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.players: list[Any] = []
        self.reactor = task.Clock()
        self.patch(task, "react", lambda call: call(self.reactor))
        self.patch(play, "play", self.play)

    async def play(
        self, _reactor: Any, _host: str, _port: int, player: Any, *_: Any, ended: Callable[..., Any]
    ) -> None:
        self.players.append(player)
        ended(Played(won=True, moves=3, seconds=1.0))
        ended(Played(won=False, moves=1, seconds=2.0))

    def run_bot(self, *arguments: str) -> Any:
        return CliRunner().invoke(main, ["bot", *arguments])

    def told(self, *arguments: str) -> tuple[float, float]:
        self.assertEqual(self.run_bot("quoridor", *arguments).exit_code, 0)
        player = self.players.pop()
        assert isinstance(player, Player)
        return player.stay, player.pace

    def test_a_quoridor_bot_stays_and_waits_for_people(self) -> None:
        self.assertEqual(self.told(), (30.0, 3.0))
        self.assertEqual(self.told("--stay", "0", "--pace", "0.5"), (0.0, 0.5))

    def test_others_do_not_and_cannot(self) -> None:
        self.assertEqual(self.run_bot("battleship").exit_code, 0)
        for option in ("--stay", "--pace"):
            found = self.run_bot("battleship", option, "3")
            self.assertEqual(found.exit_code, 2)
            self.assertIn("bots of battleship do not take this option", found.output)

    def test_its_timers_do_not_follow_the_system_clock(self) -> None:
        self.run_bot("battleship")
        self.assertIs(self.reactor.seconds, time.monotonic)

    def test_games_after_a_reset_are_told_too(self) -> None:
        lines = self.run_bot("quoridor").output.splitlines()
        self.assertEqual(lines[:2], ["game 1: won after 3 moves in 1.000 s", "game 2: lost after 1 move in 2.000 s"])
        self.assertEqual(lines[2], "2 played, 1 won, 1 lost")


class WatchTests(SynchronousTestCase):
    def test_its_timers_do_not_follow_the_system_clock(self) -> None:
        """A held `ok` would come too late, and the manager would remove the channel."""
        reactor = task.Clock()

        async def nothing(*_: Any) -> None: ...

        self.patch(task, "react", lambda call: call(reactor))
        self.patch(watch, "watch", nothing)
        self.assertEqual(CliRunner().invoke(main, ["watch", "roborally"]).exit_code, 0)
        self.assertIs(reactor.seconds, time.monotonic)
