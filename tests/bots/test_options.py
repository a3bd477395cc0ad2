"""What `gamed bot` and `gamed watch` do with their options and the reactor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click import testing
from click.testing import CliRunner
from twisted.internet import task
from twisted.trial.unittest import SynchronousTestCase

from gamed.bots.pace import UNTIL_KNOWN, Pace
from gamed.bots.play import Played
from gamed.cli import bot, main, watch
from gamed.games.quoridor.client import Player

Ended = Callable[[Played], None]


class OptionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.players: list[Any] = []
        self.lasts: tuple[float, ...] = ()
        self.reactor = task.Clock()
        self.installed = 0
        self.patch(bot, "install_reactor", self.install)
        self.patch(bot, "react", lambda call: call(self.reactor))
        self.patch(bot, "play", self.play)

    def install(self) -> None:
        self.installed += 1

    async def play(
        self,
        _reactor: Any,
        _host: str,
        _port: int,
        player: Any,
        *_: Any,
        ended: Callable[..., Any],
        discarded: Callable[[str], Any],
        pace: Pace,
    ) -> None:
        self.players.append(player)
        self.pace = pace
        for seconds in self.lasts:
            self.reactor.advance(seconds)
        discarded("the element '\x1b'")
        ended(Played(won=True, moves=3, seconds=1.0))
        ended(Played(won=False, moves=1, seconds=2.0))

    def run_bot(self, *arguments: str) -> Any:
        return CliRunner().invoke(main, ["bot", *arguments], color=True)

    def told(self, *arguments: str) -> tuple[float, float]:
        self.assertEqual(self.run_bot("quoridor", *arguments).exit_code, 0)
        player = self.players.pop()
        assert isinstance(player, Player)
        return player.stay, self.pace.seconds

    def test_a_quoridor_bot_stays_and_waits_for_people(self) -> None:
        self.assertEqual((self.told(), self.pace.is_fixed), ((30.0, UNTIL_KNOWN), False))
        self.assertEqual((self.told("--stay", "0", "--pace", "0.5"), self.pace.is_fixed), ((0.0, 0.5), True))

    def test_others_do_not_and_cannot(self) -> None:
        self.assertEqual(self.run_bot("battleship").exit_code, 0)
        for option in ("--stay", "--pace"):
            found = self.run_bot("battleship", option, "3")
            self.assertEqual(found.exit_code, 2)
            self.assertIn("bots of battleship do not take this option", found.output)

    def games(self, *arguments: str) -> list[bytes]:
        """Return what each game's bot sends against an enemy that shoots row by row and is never hit."""
        self.players.clear()
        self.assertEqual(self.run_bot("battleship", *arguments).exit_code, 0)
        sent = []
        for player in self.players:
            lines = player.receive_data(b"(3,[]).\r(5,[]).\r")
            for cell in range(20):
                lines += player.receive_data(b"(1,[%d,%d]).\r" % divmod(cell, 10))
                shot = lines[lines.rindex(b"(1,[") + 4 : lines.rindex(b"])")]
                lines += player.receive_data(b"(2,[%b,1]).\r" % shot)
            sent.append(lines)
        return sent

    def test_what_a_bot_discards_is_said_once(self) -> None:
        found = self.run_bot("hive", "--games", "3")
        self.assertEqual(found.stderr, "discarded the element '\\x1b': the protocol does not define it for clients\n")

    def test_a_seed_makes_each_game_repeatable(self) -> None:
        first = self.games("--seed", "4", "--games", "2")
        self.assertEqual(self.games("--seed", "4", "--games", "2"), first)
        self.assertEqual(len({*first, *self.games("--seed", "5")}), 3)

    def test_without_a_seed_no_two_games_are_alike(self) -> None:
        self.assertEqual(len(set(self.games("--games", "2"))), 2)

    def test_its_timers_do_not_follow_the_system_clock(self) -> None:
        self.run_bot("battleship")
        self.assertEqual(self.installed, 1)

    def test_a_terminal_shows_what_it_is_doing(self) -> None:
        self.patch(testing._NamedTextIOWrapper, "isatty", lambda _stream: True)
        self.lasts = (0.5, 0.5)
        found = self.run_bot("quoridor", "--pace", "2")
        shown = found.stderr.split("\r\x1b[K")
        self.assertEqual(shown[1], "game 1: no move yet, 0 s; each after 2 s (--pace 0: at once)")
        self.assertEqual(shown[3], "game 1: no move yet, 1 s; each after 2 s (--pace 0: at once)")
        # Each other line begins where the line of progress was removed.
        self.assertTrue(shown[4].startswith("discarded the element"), shown)
        self.assertIn("for clients\ngame 1: won after 3 moves", found.output)
        self.assertNotIn("no move yet", found.stdout)
        self.assertEqual(self.reactor.getDelayedCalls(), [])
        self.assertIn("game 1: no move yet, 1 s\r", self.run_bot("battleship").stderr)

    def test_games_after_a_reset_are_told_too(self) -> None:
        lines = self.run_bot("quoridor").stdout.splitlines()
        self.assertEqual(lines[:2], ["game 1: won after 3 moves in 1.000 s", "game 2: lost after 1 move in 2.000 s"])
        self.assertEqual(lines[2], "2 played, 1 won, 1 lost")


class WatchTests(SynchronousTestCase):
    def test_its_timers_do_not_follow_the_system_clock(self) -> None:
        """A held `ok` would come too late, and the manager would remove the channel."""
        reactor = task.Clock()

        async def nothing(*_: Any) -> None: ...

        installed: list[None] = []
        self.patch(watch, "install_reactor", lambda: installed.append(None))
        self.patch(watch, "react", lambda call: call(reactor))
        self.patch(watch, "watch_game", nothing)
        self.assertEqual(CliRunner().invoke(main, ["watch", "roborally"]).exit_code, 0)
        self.assertEqual(installed, [None])
