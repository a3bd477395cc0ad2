"""A person in the browser against programs with their own protocols: a Prolog client, a Racket world.

Source: docs/specs/battleship.md#the-life-of-a-client, docs/specs/quoridor.md#what-a-world-does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import ClassVar

from tests.interop.browsing import PATIENCE, LiveTestCase, seated, until
from tests.interop.drivers import MOVES, Mouse, own_turn, place_ships, put_wall, shoot_all, waits
from tests.interop.programs import end
from tests.interop.racket import PROGRAM, XVFB
from tests.interop.test_prolog import prolog
from tests.interop.test_racket import DOWN, UP, messages, starts, told

STARTED = 60.0
"""Seconds within which a Racket world must connect."""


class PeerTests(LiveTestCase):
    """Whole games on one daemon, with one table of Quoridor as the original has it."""

    settings: ClassVar[Mapping[str, str]] = {"quoridor": ""}

    def needs(self, packages: str, *programs: str) -> None:
        """Skip the test if a program is not installed, except in CI."""
        for program in programs:
            if shutil.which(program) is None and "CI" not in os.environ:
                self.skipTest(f"{program} is not installed (Debian: {packages}); CI always has it")

    def join(self, game: str) -> None:
        """Take a seat at the open room of a game, from its card in the lobby."""
        room = self.room(self.page, game)
        self.page.goto("/")
        self.page.click(f"[data-key='play-{room}']")
        self.page.fill("dialog input[name=name]", "Ann")
        self.page.click("dialog button[type=submit]")
        seated(self.page)

    def verdict(self) -> str:
        """Return the page's text at the end."""
        return self.page.locator(".ending strong").inner_text().strip()

    def test_battleship_against_prolog(self) -> None:
        self.needs("swi-prolog-nox", "swipl")
        program = prolog(self.daemon.ports["battleship"], 1, "--host", "127.0.0.1")
        self.addCleanup(program.kill)
        self.join("battleship")
        hand = Mouse(self.page)
        place_ships(hand)
        shots = shoot_all(hand)
        out, err = program.communicate(timeout=PATIENCE)
        self.assertEqual((program.returncode, err), (0, ""))
        ((won, lost),) = re.findall(r"won (\d) times and lost (\d)", out)
        self.assertEqual(self.verdict(), {("0", "1"): "You won.", ("1", "0"): "You lost."}[won, lost])
        record = self.record(self.page)
        # The person connected last, so it begins. All shots of both sides are answered.
        self.assertIn(record["length"], (4 * shots - 2, 4 * shots))
        self.assertEqual((record["termination"], record["findings"]), ("victory", []))

    def world(self, *steps: str) -> subprocess.Popen[str]:
        """Start a Racket world that registers here and does these steps by itself."""
        screen = subprocess.Popen(XVFB, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(end, screen)
        display = f":{screen.stdout.readline().strip()}"
        joins = f'(join "127.0.0.1" {self.daemon.ports["quoridor"]} "Racket" {" ".join(steps)})'
        world = subprocess.Popen(
            ["racket", PROGRAM, joins],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "DISPLAY": display},
        )
        self.addCleanup(end, world)
        return world

    def test_quoridor_against_racket(self) -> None:
        """Two games with walls and jumps at one table: the world wins one, and the person the other."""
        self.needs("racket xvfb libgtk-3-0", "racket", "Xvfb")
        world = self.world("(play)", *messages(DOWN[0::2]), *messages(UP[1::2]), "(leave)")
        until(lambda: self.asked(self.page, "/rooms"), "no world has come", STARTED)
        self.join("quoridor")
        self.moves(DOWN[1::2])
        self.assertFalse(own_turn(self.page))
        self.assertEqual(self.verdict(), "You lost.")
        self.page.click("[data-do=reset]")
        waits(self.page, "play")
        self.page.wait_for_selector(MOVES, state="detached")
        self.moves(UP[0::2])
        waits(self.page, "won", "disconnect")
        self.assertEqual(self.verdict(), "You won.")
        self.assertEqual(self.record(self.page)["length"], len(UP))
        out, err = world.communicate(timeout=PATIENCE)
        self.assertEqual(err, "")
        events = [line.removeprefix("mail ") for line in out.splitlines() if line.startswith("mail ")]
        expected = ["(wait-for-players 0 ())", "(wait-or-play 0 ())"]
        for moves, first in ((DOWN, 1), (UP, 2)):
            expected.append(starts(2, first)[0])
            for n, move in enumerate(moves):
                # The person's client sends inexact numbers, as the authors' one does.
                sent = move.replace("player 4 4", "player 4.0 4.0")
                expected.append(told(2, (first - 1 + n) % 2 + 1, sent, wins=n == len(moves) - 1)[0])
        self.assertEqual(events, expected)
        self.assertEqual(out.splitlines()[-1], "left")

    def moves(self, moves: Sequence[str]) -> None:
        """Make these moves by the mouse, each when it is the person's turn."""
        hand = Mouse(self.page)
        for move in moves:
            self.assertTrue(own_turn(self.page))
            count = self.page.locator(MOVES).count()
            what, *words = move.split()
            x, y = (int(float(word)) for word in words[:2])
            if what == "wall":
                put_wall(hand, x, y, words[2])
            else:
                hand.cell(".q-board", "data-cell", (x, y))
            self.page.wait_for_selector(f"{MOVES} >> nth={count}", state="attached")
