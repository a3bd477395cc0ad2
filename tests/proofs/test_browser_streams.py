"""One browser with many windows, and networks, tabs and workers that go away without a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from playwright.sync_api import BrowserContext, Page

from gamed.games.battleship.client import Player
from gamed.games.battleship.strategy import strategies
from tests.interop.browsing import Line, sit_by_mouse, until
from tests.interop.drivers import (
    MOVES,
    Mouse,
    move_hive,
    move_roborally,
    own_turn,
    place_ships,
    shoot,
    step,
    votes,
    waits,
)
from tests.proofs.live import LiveProof
from tests.proofs.test_browser import ships_of

ENDED = ".ending a"
BOTS = {"quoridor": "path", "hive": "greedy", "roborally": "planner"}
MOST_ROUNDS = 200
SIX = 6
"""Connections that a browser holds to a host, whatever the number of its windows."""

NO_WORKERS = "delete window.SharedWorker;"
NO_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', {get: () => undefined});"
STOPPED = "(stopped: no connection)"

RETURNED = """
() => new MutationObserver(() => {
  window.hasReturned ||= Boolean(document.querySelector(".returned"));
}).observe(document.body, {childList: true, subtree: true})
"""
"""Notes that somebody is back: this is shown for some seconds only."""

Turn = Callable[[Page], bool]


class ManyWindowsTests(LiveProof):
    """A browser has six connections to a host for all its windows."""

    def test_eight_seats_and_six_spectators_windows(self) -> None:
        seats = [(game, self.tab(self.context)) for game in ("battleship", *BOTS) for _ in range(2)]
        rooms = [self.begin(game, page, f"Ann {'abcdefgh'[n]}") for n, (game, page) in enumerate(seats)]
        watching = [self.tab(self.context) for _ in range(SIX)]
        for page, room in zip(watching, rooms[::2] + rooms[1::4], strict=True):
            page.goto(f"/rooms/{room}{'?screen&pace=0' if page is watching[-1] else ''}")
            page.wait_for_selector(".board[data-phase]")
        self.assertLessEqual(connections(self.daemon.ports["web"]), SIX)
        playing = [(page, self.turns(game, n)) for n, (game, page) in enumerate(seats)]
        for _ in range(MOST_ROUNDS):
            playing = [(page, turn) for page, turn in playing if self.goes_on(page, turn)]
            if not playing:
                break
        for page in [page for _, page in seats] + watching[:-1]:
            # A room that closed while its page was hidden is followed by its record.
            page.wait_for_selector(f"{ENDED}, .steering", state="attached")
            # On a busy machine a stream may be late; the browser reconnects.
            page.wait_for_selector(".banner", state="hidden")
        watching[-1].bring_to_front()
        watching[-1].wait_for_selector(".ending:not([hidden])")
        for page, room in zip(watching, rooms[::2] + rooms[1::4], strict=True):
            # The list waits for the board's animations, which Chromium hardly draws in a tab behind another one.
            page.bring_to_front()
            until(lambda room=room: page.request.get(f"/api/v1/records/{room}").ok, "no record")  # noqa: B023
            record = page.request.get(f"/api/v1/records/{room}").json()
            self.assertIn(record["termination"], ("victory", "draw"))
            if page is not watching[-1]:
                page.wait_for_selector(f"{MOVES} >> nth={record['length'] - 1}", state="attached")
                self.assertEqual(page.locator(MOVES).count(), record["length"])

    def begin(self, game: str, page: Page, name: str) -> str:
        """Take a seat, and bring its game to the first turn; return its room."""
        page.bring_to_front()
        seat = sit_by_mouse(page, game, name, BOTS.get(game))
        if game == "battleship":
            place_ships(Mouse(page))
            self.guest(game, Player(strategies["density"](), Random(5)))
            waits(page, "shoot")
        elif game == "quoridor":
            votes(page, page.click)
        return str(until(lambda: self.asked(page, f"/seats/{seat}")["room"], "no room"))

    @staticmethod
    def goes_on(page: Page, turn: Turn) -> bool:
        # Chromium draws a tab behind another one once a second.
        page.bring_to_front()
        return turn(page)

    @staticmethod
    def turns(game: str, seed: int) -> Turn:
        """Return what makes one turn of a game on its page, and says whether there was one to make."""
        random, targets = Random(seed), iter(ships_of(5))

        def battleship(page: Page) -> bool:
            if waits(page, "shoot", "over", "broken") != "shoot":
                return False
            shoot(Mouse(page), next(targets))
            return True

        def quoridor(page: Page) -> bool:
            if not own_turn(page):
                return False
            step(Mouse(page))
            return True

        def hive(page: Page) -> bool:
            if waits(page, "play", "over") == "over":
                return False
            move_hive(Mouse(page), random)
            return True

        turns = {"battleship": battleship, "quoridor": quoridor, "hive": hive}
        return turns.get(game, lambda page: move_roborally(Mouse(page)))


class TakingOverTests(LiveProof):
    """Whoever holds the stream may go: another one takes over, and no event is lost."""

    def setUp(self) -> None:
        super().setUp()
        seat = sit_by_mouse(self.page, "quoridor", "Ann", "path")
        votes(self.page, self.page.click)
        self.room_id = self.asked(self.page, f"/seats/{seat}")["room"]

    def watching(self, context: BrowserContext, count: int) -> list[Page]:
        pages = [self.tab(context) for _ in range(count)]
        for page in pages:
            page.goto(f"/rooms/{self.room_id}")
            page.wait_for_selector(".board[data-phase]")
        self.follow(pages)
        return pages

    def follow(self, pages: Sequence[Page]) -> None:
        """Make a step; all of the pages show it, and all moves before it."""
        self.page.bring_to_front()
        self.assertTrue(own_turn(self.page))
        step(Mouse(self.page))
        length = self.page.locator(MOVES).count()
        for page in pages:
            page.wait_for_selector(f"{MOVES} >> nth={length - 1}", state="attached")

    def test_a_worker_that_dies(self) -> None:
        context = self.browser()
        pages = self.watching(context, SIX + 1)
        devtools = context.browser.new_browser_cdp_session()
        targets = devtools.send("Target.getTargets")["targetInfos"]
        workers = [
            one for one in targets if one["type"] == "shared_worker" and one["browserContextId"] == context_of(pages[0])
        ]
        self.assertEqual(len(workers), 1)
        self.assertIn("/static/@", workers[0]["url"])
        devtools.send("Target.closeTarget", {"targetId": workers[0]["targetId"]})
        self.follow(pages)
        self.follow(pages)

    def test_a_leader_that_is_closed(self) -> None:
        context = self.browser()
        context.add_init_script(NO_WORKERS)
        pages = self.watching(context, SIX + 2)
        for _ in range(2):
            pages.pop(0).close()
            self.follow(pages)

    def test_a_leader_that_says_nothing(self) -> None:
        """As one that sleeps: the lock is still its own."""
        context = self.browser()
        context.add_init_script(NO_WORKERS)
        leader, *pages = self.watching(context, 3)
        leader.evaluate("() => { BroadcastChannel.prototype.postMessage = () => {}; }")
        self.follow(pages)
        self.follow(pages)

    def test_each_window_for_itself(self) -> None:
        context = self.browser()
        context.add_init_script(NO_WORKERS + NO_LOCKS)
        first, second = self.watching(context, 2)
        first.close()
        self.follow([second])


class SilenceTests(LiveProof):
    """A network that swallows everything, and a tab that is closed."""

    def test_the_page_notices_stops_its_clocks_and_comes_back(self) -> None:
        line = Line(self.daemon.ports["web"])
        self.addCleanup(line.close)
        ann, ben = self.tab(self.browser(base_url=line.origin)), self.page
        sit_by_mouse(ann, "quoridor", "Ann")
        sit_by_mouse(ben, "quoridor", "Ben")
        votes(ann, ann.click)
        self.assertTrue(own_turn(ann))
        step(Mouse(ann))
        ben.bring_to_front()
        self.assertTrue(own_turn(ben))
        ann.wait_for_selector(".running")
        line.sleep()
        step(Mouse(ben))
        ann.wait_for_selector(".banner:not([hidden])")
        ann.wait_for_function("text => document.querySelector('.running').textContent.includes(text)", arg=STOPPED)
        before = ann.text_content(".running")
        self.assertEqual(ann.locator(MOVES).count(), 1)
        ann.wait_for_timeout(1_500)
        self.assertEqual(ann.text_content(".running"), before)
        line.wake()
        ann.wait_for_selector(f"{MOVES} >> nth=1", state="attached")
        ann.wait_for_selector(".banner", state="hidden")
        self.assertTrue(own_turn(ann))
        step(Mouse(ann))
        ben.wait_for_selector(f"{MOVES} >> nth=2", state="attached")

    def test_a_closed_tab_is_told_of_at_once_and_that_it_is_back(self) -> None:
        context = self.browser()
        ann = self.tab(context)
        # The browser is still open, and so is its worker.
        self.tab(context).goto("/")
        seat = sit_by_mouse(ann, "quoridor", "Ann")
        sit_by_mouse(self.page, "quoridor", "Ben")
        votes(self.page, self.page.click)
        watching = self.tab(self.browser())
        watching.goto(f"/rooms/{self.asked(ann, f'/seats/{seat}')['room']}")
        watching.wait_for_selector(".player bdi, .seats li")
        ann.close()
        for page in (self.page, watching):
            # Long before the minute after which the seat is lost, on a busy machine, too.
            page.wait_for_selector(".away:text-matches('away for ([2-9]|[12][0-9]) s')", timeout=30_000)
            page.evaluate(RETURNED)
        self.tab(context).goto(f"/seats/{seat}")
        for page in (self.page, watching):
            page.wait_for_function("() => window.hasReturned")
            page.wait_for_selector(".away", state="detached")


def connections(port: int) -> int:
    """Return how many connections to a port of this computer there are."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(line[1].endswith(f":{port:04X}") and line[3] == "01" for line in lines)


def context_of(page: Page) -> str:
    """Return what the browser calls the page's context."""
    target = page.context.new_cdp_session(page).send("Target.getTargetInfo")["targetInfo"]
    return str(target["browserContextId"])
