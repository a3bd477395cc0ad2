"""Real Racket worlds over real TCP: names, the vote, whole games with walls, rejection, reset, leaving.

Source: docs/specs/quoridor.md. The worlds are told what to send; every mail that they receive is compared, and its
order.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from twisted.trial.unittest import TestCase

from gamed.registry import games
from tests.daemon import Daemon, free_port
from tests.interop.racket import World, worlds

LOBBY = "(wait-for-players 0 ())"
VOTE = "(wait-or-play 0 ())"
VOTED = "(voted 0 ())"
REJECTED = "(rejected 0 ())"

DOWN = (
    "player 4.0 1.0", "wall 0.0 1.0 horizontal",
    "player 4.0 2.0", "wall 8.0 3.0 vertical",
    "player 4.0 3.0", "player 4.0 7.0",
    "wall 2.0 6.0 horizontal", "player 4.0 6.0",
    "player 4.0 4.0", "player 4.0 5.0",
    "player 4.0 6.0", "player 4 4",
    "player 4.0 7.0", "player 4.0 3.0",
    "player 4.0 8.0",
)  # fmt: skip
"""A game that world 1 begins and wins: walls of both, two jumps, and a move in exact numbers."""

UP = (
    "player 4.0 7.0", "wall 2.0 8.0 horizontal",
    "player 4.0 6.0", "wall 1.0 0.0 vertical",
    "player 4.0 5.0", "player 3.0 0.0",
    "player 4.0 4.0", "player 2.0 0.0",
    "player 4.0 3.0", "player 1.0 0.0",
    "player 4.0 2.0", "player 1.0 1.0",
    "player 4.0 1.0", "player 1.0 2.0",
    "player 4.0 0.0",
)  # fmt: skip
"""A game that world 2 begins and wins."""

FOUR = (
    "player 4.0 1.0", "wall 0.0 1.0 horizontal", "player 1.0 4.0", "wall 8.0 6.0 vertical",
    "player 4.0 2.0", "player 3.0 8.0", "player 2.0 4.0", "wall 8.0 0.0 vertical",
    "player 4.0 3.0", "player 2.0 8.0", "player 3.0 4.0", "player 8.0 3.0",
    "player 4.0 4.0", "wall 6.0 1.0 horizontal", "player 5.0 4.0", "player 8.0 2.0",
    "player 4.0 5.0", "wall 0.0 8.0 horizontal", "wall 7.0 3.0 vertical", "player 8.0 1.0",
    "player 4.0 6.0", "player 2.0 7.0", "player 6.0 4.0", "player 8.0 0.0",
    "player 4.0 7.0", "player 2.0 6.0", "wall 4.0 2.0 horizontal", "wall 3.0 4.0 vertical",
    "player 4.0 8.0",
)  # fmt: skip
"""A game of four that world 1 begins and wins."""

SENSELESS = (
    "hello",
    "17",
    '"play"',
    "()",
    "(teapot)",
    "(move)",
    "(move player)",
    '(move player "a" "b")',
    "(move teapot 4.0 1.0)",
    "(move player 4.5 1.0)",
    "(move player +nan.0 1.0)",
    "(move wall 0.0 1.0)",
    "(move wall 0.0 1.0 diagonal)",
    "(move player 9.0 1.0)",
)
"""Messages that a world can send and that have no meaning at any time."""

STRANGE = (
    r'(play "\u7F\u201C\n" #"\377\0" #\λ #s((pt base 1) 1 2) |x y| a\|b || 1/3 -0.0 1e21 +nan.0 1+2i #t (quote x))'
)
"""A vote to play: the data after the first symbol are ignored. They are of all kinds, as a real world writes them."""


VOTES = (
    ((1, "(play)"),),
    ((2, "(play)"),),
    ((1, "(wait)"), (2, "(play)")),
    ((2, "(wait)"), (1, "(play)")),
    ((1, "(wait)"), (2, "(wait)")),
    ((2, "(wait)"), (1, "(wait)")),
)
"""All ways to vote: worlds and their messages, in order."""

NAMES = ('"Quoridor"', "world3117", "|foo bar|", r'"\"Ω\"\n\U1F600"', '""', "||")
"""What may stand in a big-bang's name clause: strings and symbols. Names need not be unique."""

ORIGINAL_RATE = 45
"""Moves a second between two worlds at the original server. Source: docs/specs/quoridor.md#transport."""


def starts(count: int, first: int) -> list[str]:
    """Return the mail to each world, in the order of ids, when world `first` begins."""
    return [f"(start{count}{'play' if number == first else 'wait'} {first} ())" for number in range(1, count + 1)]


def told(count: int, mover: int, move: str, *, wins: bool) -> list[str]:
    """Return the mail to each world, in the order of ids, about a move of world `mover`."""
    follower = mover % count + 1
    words = move.split()
    # A pawn's last coordinate is sent in the place of the orientation, too.
    forwarded = " ".join(words if words[0] == "wall" else [*words, words[-1]])
    at_mover, at_follower, at_others = ("won", "lost", "lost") if wins else ("wait", "play", "wait")
    symbols = {mover: at_mover, follower: at_follower}
    return [f"({symbols.get(number, at_others)} {mover} ({forwarded}))" for number in range(1, count + 1)]


def messages(moves: Iterable[str]) -> list[str]:
    return [f"(move {move})" for move in moves]


def gone(leaver: int) -> str:
    return f"(disconnect {leaver} (wall 4 4 horizontal))"


async def receive(players: Iterable[World], events: Iterable[str]) -> None:
    for player, mail in zip(players, events, strict=True):
        await player.receives(mail)


async def play(players: Sequence[World], first: int, moves: Sequence[str], *, steered: bool = True) -> None:
    """Play a game that the last move wins; steered: the moves are sent now, and not by the worlds themselves."""
    await play_on(players, first, moves[:-1], steered=steered)
    winner = (first + len(moves) - 2) % len(players) + 1
    if steered:
        players[winner - 1].send(f"(move {moves[-1]})")
    await receive(players, told(len(players), winner, moves[-1], wins=True))


async def play_on(players: Sequence[World], first: int, moves: Sequence[str], *, steered: bool = True) -> None:
    """Play moves of which none wins."""
    for number, move in enumerate(moves, first - 1):
        mover = number % len(players) + 1
        if steered:
            players[mover - 1].send(f"(move {move})")
        await receive(players, told(len(players), mover, move, wins=False))


class QuoridorDaemon(Daemon):
    """A daemon with a Quoridor listener on a port of its own. `quoridor`: further keys of that section, as TOML."""

    def __init__(self, directory: Path, quoridor: str) -> None:
        super().__init__(directory)
        self.quoridor_port = free_port()
        endpoint = f'"tcp6:{self.quoridor_port}:interface=\\\\:\\\\:"'
        with self.config.open("a") as config:
            config.write(f"[quoridor]\nendpoint = {endpoint}\n{quoridor}\n")


class RacketTests(TestCase):
    """Each test `rounds` times, with the same processes and the same daemon."""

    rounds = 1
    timeout = 900

    async def begin(self, count: int, quoridor: str = "") -> list[World]:
        """Start worlds and a daemon."""
        if "quoridor" not in games():
            self.skipTest("this version of gamed has no quoridor listener yet")
        started = await worlds(self, count)
        self.daemon = QuoridorDaemon(Path(self.mktemp()), quoridor)
        self.addCleanup(self.kill_daemon)
        self.daemon.start()
        self.port = self.daemon.quoridor_port
        return started

    def kill_daemon(self) -> None:
        if self.daemon.process.poll() is None:
            self.daemon.kill()

    def end(self, *, matches: int) -> None:
        """Stop the daemon. Check the number of records, and that nothing unexpected is in the log."""
        self.daemon.settled(matches)
        self.daemon.stop()
        self.assertEqual(self.daemon.unexpected(), [])
        self.assertEqual(self.daemon.text().count("#info] recorded: "), matches)

    async def meet(self, one: World, two: World, name: str = '"Quoridor"') -> None:
        """Let two worlds join and see the question."""
        await one.join(self.port, name=name)
        await one.receives(LOBBY)
        await two.join(self.port, name=name)
        await receive((one, two), (VOTE, VOTE))

    async def start(self, one: World, two: World) -> None:
        """Let two worlds join and play."""
        await self.meet(one, two)
        one.send("(play)")
        await receive((one, two), starts(2, 1))

    async def wait_for_four(self, one: World, two: World, three: World) -> None:
        """Let three worlds join and wait for a fourth."""
        await self.meet(one, two)
        one.send("(wait)")
        await one.receives(VOTED)
        two.send("(wait)")
        await receive((one, two), (LOBBY, LOBBY))
        await three.join(self.port)
        await receive((one, two, three), (LOBBY,) * 3)

    async def part(self, leaver: World, *others: World, number: int = 1) -> None:
        """Let world `number` leave, and the others be notified; then they leave without further notifications."""
        await leaver.leave()
        for other in others:
            await other.receives(gone(number))
        for other in others:
            await other.leave()

    async def is_rejected(self, world: World) -> None:
        """Let a world join: it gets `rejected`, and its connection is closed.

        When both come at once, 2htdp/universe sometimes ends the big-bang first and calls on-receive after it.
        """
        await world.join(self.port)
        lines = [await world.line(), await world.line()]
        self.assertEqual(sorted(lines), ["disappeared", f"mail {REJECTED}"])

    async def test_two_players(self) -> None:
        one, two = players = await self.begin(2, 'referee = "strict"')
        for _ in range(self.rounds):
            await self.meet(one, two)
            one.send(*SENSELESS, STRANGE)
            await receive(players, starts(2, 1))
            one.send(*SENSELESS)
            await play(players, 1, DOWN)
            # The second reset comes while the game is running.
            one.send("(reset)", "(reset)")
            await receive(players, starts(2, 2))
            await play(players, 2, UP)
            two.send("(reset)")
            await receive(players, starts(2, 1))
            await play_on(players, 1, DOWN[:3])
            # It is not its turn, so two hears nothing of this.
            one.send("(move player 4.0 4.0)")
            await self.part(one, two)
        self.end(matches=3 * self.rounds)

    async def test_two_players_by_themselves_and_how_fast(self) -> None:
        one, two = players = await self.begin(2)
        pairs = 10
        one_does = [*messages(DOWN[0::2]), "(reset)", *messages(UP[1::2]), "(reset)"] * pairs
        two_does = messages(DOWN[1::2] + UP[0::2]) * pairs
        seconds = []
        for _ in range(self.rounds):
            await one.join(self.port, "(play)", *one_does[:-1], "(leave)")
            await one.receives(LOBBY)
            begun = time.monotonic()
            await two.join(self.port, *two_does)
            await receive(players, (VOTE, VOTE))
            for _ in range(pairs):
                await receive(players, starts(2, 1))
                await play(players, 1, DOWN, steered=False)
                await receive(players, starts(2, 2))
                await play(players, 2, UP, steered=False)
            seconds.append(time.monotonic() - begun)
            await one.prints("left")
            await two.receives(gone(1))
            await two.leave()
        rate = pairs * len(DOWN + UP) / statistics.median(seconds)
        print(f"\n{rate:.0f} moves a second; the original reaches {ORIGINAL_RATE}")
        self.assertGreater(rate, ORIGINAL_RATE)
        self.end(matches=2 * pairs * self.rounds)

    async def test_four_players(self) -> None:
        *players, fifth = await self.begin(5, 'referee = "strict"')
        one, two, three, four = players
        for _ in range(self.rounds):
            await self.wait_for_four(one, two, three)
            # Nobody is to move yet.
            one.send(f"(move {FOUR[0]})", *SENSELESS)
            await four.join(self.port)
            await receive(players, starts(4, 1))
            await self.is_rejected(fifth)
            await play(players, 1, FOUR)
            await self.is_rejected(fifth)
            three.send("(reset)", "(reset)")
            await receive(players, starts(4, 2))
            await play_on(players, 2, ["player 4.0 7.0", "player 1.0 4.0"])
            await self.part(three, four, one, two, number=3)
        self.end(matches=2 * self.rounds)

    async def test_a_third_world_is_rejected(self) -> None:
        one, two, third = await self.begin(3)
        players = one, two
        for _ in range(self.rounds):
            await self.meet(*players)
            await self.is_rejected(third)
            one.send("(wait)")
            await one.receives(VOTED)
            await self.is_rejected(third)
            two.send("(play)")
            await receive(players, starts(2, 1))
            await self.is_rejected(third)
            await play(players, 1, DOWN)
            await self.is_rejected(third)
            two.send("(reset)")
            await receive(players, starts(2, 2))
            await self.part(two, one, number=2)
        self.end(matches=2 * self.rounds)

    async def test_votes(self) -> None:
        one, two = players = await self.begin(2)
        for _ in range(self.rounds):
            for (*waits, (last, vote)), name in zip(VOTES, NAMES, strict=True):
                await self.meet(*players, name=name)
                for number, wait in waits:
                    players[number - 1].send(wait)
                    await players[number - 1].receives(VOTED)
                players[last - 1].send(vote)
                await receive(players, starts(2, 1) if vote == "(play)" else (LOBBY, LOBBY))
                await self.part(*players)
            await self.meet(one, two)
            one.send("(wait)")
            await one.receives(VOTED)
            # A vote is final, so two hears nothing of this.
            one.send("(play)")
            await self.part(one, two)
        self.end(matches=4 * self.rounds)

    async def test_who_stays_is_told_and_a_newcomer_finds_a_fresh_table(self) -> None:
        one, two, three = await self.begin(3)
        for _ in range(self.rounds):
            await self.meet(one, two)
            await self.renew(one, two, three)
            await self.start(one, two)
            await self.renew(one, two, three)
            await self.start(one, two)
            await play((one, two), 1, DOWN)
            await self.renew(one, two, three)
            await self.wait_for_four(one, two, three)
            await self.part(one, two, three)
        await self.start(one, two)
        await one.kill()
        await two.receives(gone(1))
        await three.join(self.port)
        await three.receives(LOBBY)
        self.end(matches=2 * self.rounds + 1)
        await two.disappears()
        await three.disappears()

    async def renew(self, leaver: World, survivor: World, newcomer: World) -> None:
        """Let world 1 leave: a new world and the one that left get a new table, without the remaining world."""
        await leaver.leave()
        await survivor.receives(gone(1))
        await newcomer.join(self.port)
        await newcomer.receives(LOBBY)
        survivor.send("(play)", "(wait)", "(reset)", f"(move {DOWN[0]})", f"(move {UP[0]})")
        await leaver.join(self.port)
        await receive((newcomer, leaver), (VOTE, VOTE))
        await survivor.leave()
        leaver.send("(wait)")
        await leaver.receives(VOTED)
        await self.part(newcomer, leaver)
