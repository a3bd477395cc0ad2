"""A replay is left in its middle by "start from here": a new room, which is played to its end and becomes a record.

Source: docs/reference/web-api.md#calls (`POST /rooms`). Of all games Hive alone has reservations.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

from playwright.sync_api import Page

from gamed.core.clients import Player
from gamed.games.battleship.client import Player as Gunner
from gamed.games.battleship.strategy import strategies
from gamed.games.quoridor.client import Player as Walker
from gamed.games.quoridor.strategy import STRATEGIES
from gamed.registry import game_types
from tests.interop.administrator import codes_of
from tests.interop.browsing import PATIENCE, seated, until
from tests.interop.drivers import MOST_TURNS, MOVES, Mouse, move_hive, play_hive, waits
from tests.proofs.live import LiveProof

NAMED = re.compile(r"(RED|BLUE) +(?:\S+ +)?(hand)")
"""A player in the picture of a position of Hive."""

START = "main button:text-is('Start from here')"

STACKS = """
() => Object.fromEntries([...document.querySelectorAll("[data-cell][data-stack]")].map(
  cell => [cell.dataset.cell, cell.dataset.stack]))
"""


class FromHereTests(LiveProof):
    """Records are made by bots; the person opens them."""

    def played(self, game: str, *players: Player) -> dict[str, Any]:
        """Let clients of the test's own play a game, and return its record."""
        before = {record["id"] for record in self.records(game)}
        guests = [self.guest(game, player) for player in players]
        for guest in guests:
            guest.finish()
        (new,) = until(lambda: [one for one in self.records(game) if one["id"] not in before], "no record")
        record: dict[str, Any] = self.asked(self.page, f"/records/{new['id']}")
        return record

    def records(self, game: str) -> list[dict[str, Any]]:
        """Return the newest records of a game."""
        found: list[dict[str, Any]] = self.asked(self.page, f"/records?game={game}")["records"]
        return found

    def hive(self, seed: int) -> dict[str, Any]:
        """Return the record of a long game of Hive."""
        made = game_types()["hive"].players["random"]
        return self.played("hive", made(Random(seed)), made(Random(seed + 1)))

    def opened(self, record: dict[str, Any], move: int) -> None:
        """Show a replay in the middle."""
        self.page.goto(f"/records/{record['id']}?move={move}")
        self.page.wait_for_selector(f".moves li.here[data-n='{move}']" if move else ".steering button:disabled")
        self.page.wait_for_selector(".board[data-kind]")

    def position(self, record: dict[str, Any], move: int) -> dict[str, str]:
        """Return which pieces stand where in the middle of a game of Hive, and wait until the replay shows them."""
        (found,) = self.asked(self.page, f"/records/{record['id']}/positions?from={move}&to={move}")
        stacks: dict[str, str] = found["board"]["board"]
        self.assertGreater(len(stacks), 1)
        until(lambda: self.page.evaluate(STACKS) == stacks, "the replay shows another position")
        return stacks

    def fork(self) -> list[str]:
        """Press the button, and return the codes of both seats."""
        self.page.click(START)
        self.page.check("dialog input[value=codes]")
        self.page.click("dialog button[type=submit]")
        codes = codes_of(self.page)
        self.assertEqual(len(set(codes)), 2)
        return codes

    def sit(self, page: Page, seat: int) -> str:
        """Take one of the seats that the room's page shows, by its button."""
        page.click(f".codes > li:nth-child({seat + 1}) > button")
        page.fill("dialog input[name=name]", "Ann")
        page.click("dialog button[type=submit]")
        return seated(page)

    def shown(self, *arguments: str) -> str:
        """Return the output of `gamed records show`."""
        done = self.daemon.gamed("records", "show", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def starts_there(self, new: dict[str, Any], old: dict[str, Any], move: int) -> None:
        """Check that a record begins with the first moves of another one, and goes on from there."""
        self.assertNotEqual(new["id"], old["id"])
        self.assertGreater(new["length"], move)
        first, second = (json.loads(self.shown(record["id"], "--json"))["entries"] for record in (old, new))
        begun = [[one for one in entries if one["kind"] in ("drawn", "move")] for entries in (first, second)]
        drawn = sum(one["kind"] == "drawn" for one in begun[0])
        same = [[(one["kind"], one.get("seat"), one["body"]) for one in entries[: drawn + move]] for entries in begun]
        self.assertEqual(same[0], same[1])
        replayed = [one["data"].get("replayed", False) for one in begun[1][drawn:]]
        self.assertEqual(replayed, [n < move for n in range(new["length"])])
        boards = [self.shown(record["id"], "--move", str(move)).partition("\nafter ")[2] for record in (old, new)]
        # Names are those of the players of each game.
        self.assertEqual(*(NAMED.sub(r"\1 \2", board.partition("\n")[2]) for board in boards))
        self.assertGreater(len(boards[0]), 100)

    def test_against_a_bot(self) -> None:
        """The person takes the seat that is to move, the bot the other one."""
        page, old = self.page, self.hive(1)
        move = old["length"] // 2
        self.opened(old, move)
        before, turn = self.position(old, move), page.locator(".h-turn").inner_text()
        mover = old["moves"][move]["seat"]
        codes = self.fork()
        self.sit(page, mover)
        bot = self.bot("hive", "greedy", "--reservation", codes[1 - mover])
        waits(page, "play")
        self.assertEqual((page.evaluate(STACKS), page.locator(".h-turn").inner_text()), (before, turn))
        self.assertEqual(page.locator(MOVES).count(), move)
        # All moves are still there after a reload.
        page.reload()
        waits(page, "play")
        self.assertEqual((page.evaluate(STACKS), page.locator(MOVES).count()), (before, move))
        moves = play_hive(Mouse(page), Random(2))
        self.assertGreater(moves, 0)
        out, err = bot.communicate(timeout=PATIENCE)
        self.assertEqual((bot.returncode, err), (0, ""), out)
        new = self.record(page)
        self.assertIn(new["termination"], ("victory", "draw"))
        self.starts_there(new, old, move)
        # Its replay leads through the same position.
        self.opened(new, move)
        self.assertEqual(self.position(new, move), before)

    def test_two_persons(self) -> None:
        """One sits down from the room's page, the other one in the lobby with the code that was told."""
        page, old = self.page, self.hive(5)
        # Another side is to move than in the other test.
        move = old["length"] // 2 + 1
        self.opened(old, move)
        before = self.position(old, move)
        codes = self.fork()
        self.sit(page, 0)
        other = self.tab(self.browser())
        other.goto("/")
        other.click("[data-game=hive] button.primary")
        other.fill("dialog input[name=name]", "Ben")
        other.check("dialog input[value=code]")
        other.fill("dialog input[name=code]", codes[1])
        other.click("dialog button[type=submit]")
        seated(other)
        mover = old["moves"][move]["seat"]
        waits((page, other)[mover], "play")
        for tab in (page, other):
            # The other one's client may learn of the position a moment later.
            until(lambda tab=tab: tab.evaluate(STACKS) == before, "another position")
            self.assertEqual(tab.locator(MOVES).count(), move)
        waits((page, other)[1 - mover], "wait")
        self.play(page, other)
        new = self.record(page)
        self.assertEqual(self.record(other)["id"], new["id"])
        self.assertIn(new["termination"], ("victory", "draw"))
        self.starts_there(new, old, move)
        # A code is used once.
        third = self.tab(self.browser())
        third.goto("/")
        token = self.asked(third, "/session")["token"]
        answer = third.request.post(
            "/api/v1/seats",
            headers={"x-gamed-token": token},
            data={"game": "hive", "name": "Eve", "reservation": codes[1]},
        )
        if answer.ok:
            # The game's own wire refuses it.
            path = f"/seats/{answer.json()['id']}"
            until(lambda: not self.asked(third, path)["isLive"], "a code is taken twice")
            self.assertIsNone(self.asked(third, path)["room"])

    def play(self, *pages: Page) -> None:
        """Make any legal moves, in turns, until both pages say that the game is over."""
        random = Random(3)

        def turn() -> Page | str | None:
            """Return whose turn it is, or that it is over; None while the last move is on its way."""
            phases = [waits(page, "play", "wait", "over") for page in pages]
            if phases == ["over", "over"]:
                return "over"
            return pages[phases.index("play")] if "play" in phases else None

        for _ in range(2 * MOST_TURNS):
            page = until(turn, "nobody is to move")
            if page == "over":
                return
            # Chromium draws a tab behind another one once a second.
            page.bring_to_front()
            move_hive(Mouse(page), random)
        raise AssertionError("the game does not end")

    def test_from_the_beginning_and_not_from_the_end(self) -> None:
        old = self.hive(9)
        self.opened(old, 0)
        self.fork()
        self.opened(old, old["length"])
        self.page.click(START)
        self.page.check("dialog input[value=codes]")
        self.page.click("dialog button[type=submit]")
        self.page.wait_for_selector("dialog .complaint:has-text('ended')")

    def test_the_other_seat_is_a_programs(self) -> None:
        # So early that no move which is made here ends the game: then nobody would answer.
        page, old, move = self.page, self.hive(11), 4
        self.opened(old, move)
        before = self.position(old, move)
        mover = old["moves"][move]["seat"]
        page.click(START)
        page.fill("dialog input[name=name]", "Ann")
        page.select_option("dialog select[name=seat]", str(mover))
        page.select_option("dialog .bots select", "greedy")
        page.click("dialog button[type=submit]")
        seated(page)
        waits(page, "play")
        self.assertEqual((page.evaluate(STACKS), page.locator(MOVES).count()), (before, move))
        move_hive(Mouse(page), Random(2))
        page.wait_for_function("n => document.querySelectorAll('.moves li').length >= n", arg=move + 2)

    def test_games_without_reservations_have_no_such_button(self) -> None:
        games = self.asked(self.page, "/session")["games"]
        self.assertEqual([game["kind"] for game in games if "from" in game["can"]], ["hive", "blokus"])
        records = [
            self.played("battleship", *(Gunner(strategies["density"](), Random(n)) for n in (1, 2))),
            self.played(
                "quoridor", *(Walker(f"Bot {n}", strategy=STRATEGIES["path"](), random=Random(n)) for n in (1, 2))
            ),
        ]
        headers = {"x-gamed-token": self.asked(self.page, "/session")["token"]}
        for record in records:
            self.opened(record, 4)
            self.assertEqual(self.page.locator(START).count(), 0)
            body = {"game": record["game"], "from": {"record": record["id"], "move": 4}}
            answer = self.page.request.post("/api/v1/rooms", headers=headers, data=body)
            self.assertEqual((answer.status, answer.json()["error"]["code"]), (409, "no-reservations"))
            # Nor does another game take it.
            answer = self.page.request.post("/api/v1/rooms", headers=headers, data={**body, "game": "hive"})
            self.assertEqual((answer.status, answer.json()["error"]["code"]), (409, "room"))
