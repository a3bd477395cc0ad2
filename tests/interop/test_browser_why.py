"""Why a bot lost: found from the lobby with the mouse alone, after a restart of the daemon."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from random import Random

from attrs import define
from playwright.sync_api import Page

from gamed.core.clients import Player
from gamed.core.errors import RemoteProtocolError
from gamed.registry import game_types
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
