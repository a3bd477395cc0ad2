"""The client in docs/reference/quoridor.md plays a whole game against `gamed bot`, and so does the world of the tests.

Source: docs/specs/quoridor.md#what-a-world-does; the bot stays after a game, so that a world shows its result and may
reset.
"""

from __future__ import annotations

import re
from itertools import cycle
from pathlib import Path

from twisted.trial.unittest import TestCase

from tests.daemon import ROOT, SCRIPTS
from tests.interop.racket import Program, World, screen
from tests.interop.test_racket import LOBBY, VOTE, QuoridorDaemon, starts

WALKER = ROOT / "examples" / "quoridor" / "walker.rkt"
STAY = 5
BY_LINES = "(file-stream-buffer-mode (current-output-port) 'line)"


class ClientTests(TestCase):
    timeout = 300

    def setUp(self) -> None:
        self.directory = Path(self.mktemp())
        self.daemon = QuoridorDaemon(self.directory, 'referee = "strict"')
        self.addCleanup(self.daemon.kill)
        self.daemon.start()
        self.port = self.daemon.quoridor_port

    def bot(self, **environment: str) -> Program:
        port, stay = str(self.port), str(STAY)
        command = (str(SCRIPTS / "gamed"), "bot", "quoridor", "--port", port, "--pace", "0", "--stay", stay)
        return Program(self, *command, **environment)

    async def test_the_client_of_the_page_plays_a_whole_game_and_shows_its_result(self) -> None:
        display = await screen(self)
        text = WALKER.read_text()
        self.assertIn("(define PORT 4567)", text)
        program = self.directory / "walker.rkt"
        program.write_text(text.replace("(define PORT 4567)", f"(define PORT {self.port})"))
        world = Program(self, "racket", "-l", "racket/base", "-e", BY_LINES, "-u", str(program), DISPLAY=display)
        await world.prints(
            "trying to register with 127.0.0.1 ...", "... successfully registered and ready to receive", LOBBY
        )
        bot = self.bot()
        await world.prints(VOTE, starts(2, 1)[0])
        while not (line := await world.line()).startswith(("(won", "(lost")):
            self.assertTrue(line.startswith(("(play", "(wait")), line)
        self.assertGreater(len(world.seen), 15)
        # The result is its last message until the bot has stayed for long enough.
        said = await bot.line()
        self.assertRegex(said, r"^game 1: (won|lost) after \d+ moves")
        await bot.prints(f"1 played, {int('won' in said)} won, {int('lost' in said)} lost")
        await world.prints("(disconnect 2 (wall 4 4 horizontal))")
        self.assertNotIn("refused", self.daemon.text())
        self.assertEqual(self.daemon.unexpected(), [])
        self.assertEqual([record["termination"] for record in self.daemon.records()], ["victory"])

    async def test_a_world_of_the_authors_kind_sees_the_result_and_resets(self) -> None:
        world = World(self, await screen(self))
        await world.join(self.port)
        await world.receives(LOBBY)
        self.bot()
        await world.receives(VOTE)
        for game in (1, 2):
            await self.lose(world)
            if game == 1:
                world.send("(reset)")
        self.assertNotIn("refused", self.daemon.text())
        # The bot prints nothing during the stay, and leaves at its end.
        await world.receives("(disconnect 2 (wall 4 4 horizontal))")
        self.daemon.settled(2)

    async def lose(self, world: World) -> None:
        """Walk to and fro in the own row until the bot has won."""
        moves = cycle(["(move player 3.0 0.0)", "(move player 4.0 0.0)"])
        while not re.match(r"mail \((won|lost)", line := await world.line()):
            if re.match(r"mail \((start2play|play)", line):
                world.send(next(moves))
