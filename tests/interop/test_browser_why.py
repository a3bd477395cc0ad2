"""Why a bot lost: found from the lobby with the mouse alone, after a restart of the daemon."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable
from random import Random
from subprocess import run

from attrs import define
from playwright.sync_api import Page

from gamed.arena.matches import secret_of
from gamed.core.clients import Player
from gamed.core.errors import RemoteProtocolError
from gamed.core.keys import key_of
from gamed.registry import game_types
from tests.arena.caged import NAMESPACE, why_not
from tests.daemon import ROOT, SCRIPTS
from tests.interop.browsing import LiveTestCase, until


@define(eq=False)
class Broken:
    """A player that sends something else instead of one of its moves, and then nothing more."""

    player: Player
    wrong: Callable[[bytes], bytes]
    move: bytes
    """What a move contains."""

    count: int
    """How many moves are left, with the broken one."""

    @property
    def is_done(self) -> bool:
        return self.count == 0

    def begin(self) -> bytes:
        return self.player.begin()

    def receive_data(self, data: bytes) -> bytes:
        answer = self.player.receive_data(data)
        if self.move not in answer:
            return answer
        self.count -= 1
        return answer if self.count else self.wrong(answer)


class WhyTests(LiveTestCase):
    def find(self, page: Page) -> str:
        """From the lobby to the reason of the newest game's end; return what the record's page says without a click."""
        page.goto("/")
        # The only click.
        page.locator("section:has(h2:text-is('Recent results')) a[href^='/records/']").first.click()
        page.wait_for_selector(".notes li")
        return str(page.inner_text("main"))

    def check(self, game: str, move: bytes, wrong: Callable[[bytes], bytes], told: str) -> None:
        players = game_types()[game].players
        strategy = list(players)[-1]
        names = [{"name": name} if game in ("roborally", "quoridor") else {} for name in ("Anna", "Bert")]
        # With one life a robot may be destroyed in the first turn.
        broken = Broken(players[strategy](Random(1), **names[0]), wrong, move, 1 if game == "roborally" else 3)
        first = self.guest(game, broken)
        self.guest(game, players[strategy](Random(2), **names[1]))
        until(lambda: broken.is_done or first.error, "the broken bot has not come to its move")
        with contextlib.suppress(RemoteProtocolError, OSError):
            first.finish()
        until(lambda: self.asked(self.page, f"/records?game={game}")["records"], "no record")
        self.daemon.stop()
        self.daemon.start()
        said = self.find(self.page)
        self.assertTrue(re.search(told, said), said)

    def test_hive(self) -> None:
        self.check("hive", b"move", lambda answer: re.sub(rb'"(set|drag)move"', b'"jumpmove"', answer), "jumpmove")

    def test_quoridor(self) -> None:
        self.check("quoridor", b"(move", lambda _answer: b"(move pawn to the left)\n", "pawn")

    def test_battleship(self) -> None:
        self.check("battleship", b"(1,", lambda _answer: b"shoot at (3,4)\n", "shoot at")

    def test_roborally(self) -> None:
        self.check("roborally", b"TRP", lambda answer: re.sub(rb"\(\d,\d,", b"(1,1,", answer), "two registers")


class KeyTests(LiveTestCase):
    """The page of a game of `gamed play` that a program has lost by a fault of its own."""

    def play(self) -> str:
        """Play a game in the folder of the daemon that shows it; return its id."""
        if why_not():
            self.skipTest(why_not())
        shows = self.daemon.config.read_text()
        self.daemon.stop()
        fails = f"fails={sys.executable} {ROOT / 'tests/proofs/broken.py'} traceback battleship {{host}} {{port}} x x 1"
        words = [SCRIPTS / "gamed", "play", fails, "bot:random", "--game", "battleship", "--games", "1"]
        command = [*NAMESPACE, *words, "--dir", self.daemon.directory, "--json"]
        (game,) = json.loads(run(command, check=False, capture_output=True, timeout=100).stdout)["games"]
        # The match's private daemon was configured by the same file.
        self.daemon.config.write_text(shows)
        self.daemon.start()
        return str(game["id"])

    def test_everybody_sees_the_cause_and_only_its_own_key_opens_what_a_program_wrote(self) -> None:
        address, secret = f"/records/{self.play()}", secret_of(self.daemon.directory)
        for key, is_opened in (
            ("", False),
            (key_of(secret, "random"), False),
            (key_of(secret, "fails"), True),
            (key_of(secret), True),
        ):
            page = self.tab(self.browser())
            page.goto(f"{address}#key={key}")
            page.wait_for_selector("text=has lost because its program crashed: its program ended with exit status 1")
            page.wait_for_load_state("networkidle")
            said = page.inner_text("main")
            self.assertEqual("IndexError: list index out of range" in said, is_opened, said)
            self.assertEqual(f"gamed play --again {address[9:17]}" in said, bool(key), said)
