"""The referee against honest and lying players: nobody honest is blamed, and a lie is found as soon as it can be.

Source: docs/reference/battleship.md#the-referee.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Sequence
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.events import Moved
from gamed.core.game import Outcome, Seat, Termination
from gamed.core.history import LINE, History
from gamed.core.relay import Relay
from gamed.games.battleship import game_type
from gamed.games.battleship.fleet import Sea
from gamed.games.battleship.wire import Opcode, decode
from tests.battleship_matches import play_history, play_match
from tests.proofs import amount, skip, whole  # noqa: F401 (trial looks for `skip`)
from tests.proofs.liars import LIES, Transcript, match
from tests.proofs.oracle import is_possible

STRATEGIES = [(one, other) for one in ("open-list", "density") for other in ("open-list", "density")]
MODES = ("batch", "each line", "enforce")
FIRST_LINE = 3
"""The number of the entry of the first line: two have joined, and the game has started."""

Lines = Sequence[tuple[Seat, bytes]]


def judged(lines: Lines, mode: str) -> Relay:
    """Return a table that got these lines, judged all at once at the end, after each line, or before each line."""
    settings = game_type.settings(referee="enforce" if mode == "enforce" else "observe")
    table = game_type.table(settings, game_type.options(settings), Random, 0.0)
    assert isinstance(table, Relay)
    for name in "ab":
        table.join(name, 0.0)
    for seat, body in lines:
        table.receive(seat, Moved(body), 0.0)
        if mode == "each line":
            table.review()
    while table.review().review:
        pass
    return table


def answers(lines: Lines, seat: Seat) -> list[tuple[int, int, int]]:
    """Return x, y and code of each answer of a seat."""
    commands = [decode(body) for sender, body in lines if sender == seat]
    return [
        (command.numbers[0], command.numbers[1], command.numbers[2])
        for command in commands
        if command is not None and command.opcode == Opcode.ANSWER
    ]


class HonestTests(SynchronousTestCase):
    def test_honest_games_give_no_finding(self) -> None:
        games = amount(2_000, 100)
        seconds: list[float] = []
        for seed in range(games):
            strategies = STRATEGIES[seed % len(STRATEGIES)]
            if seed % 8 >= 4:
                table = play_match(strategies, seed, roles="random")
                self.check_honest(table, seed)
                continue
            lines = self.lines(play_history(strategies, seed))
            for mode in MODES:
                self.check_honest(judged(lines, mode), seed)
            for seat in (0, 1):
                seconds += self.timed(lines, seat)
        self.report(games, seconds)

    def lines(self, history: History) -> Lines:
        return [(entry.seat or 0, entry.body or b"") for entry in history.of_kind(LINE)]

    def check_honest(self, table: Relay, seed: int) -> None:
        self.assertEqual((table.match.findings, table.match.unjudged), ([], None), seed)
        assert table.outcome is not None
        self.assertEqual(table.outcome.termination, Termination.VICTORY, seed)

    def timed(self, lines: Lines, seat: Seat) -> list[float]:
        sea, seconds = Sea.start(), []
        for x, y, code in answers(lines, seat):
            begun = time.thread_time()
            sea = sea.answered(x + 10 * y, code)
            seconds.append(time.thread_time() - begun)
        return seconds

    def report(self, games: int, seconds: list[float]) -> None:
        p99 = statistics.quantiles(seconds, n=100)[98]
        milliseconds = [1000 * figure for figure in (statistics.mean(seconds), p99, max(seconds))]
        text = "mean {:.4f} ms, p99 {:.4f} ms, max {:.3f} ms".format(*milliseconds)
        print(f"\n{games} honest games without a finding; {len(seconds)} answers judged one by one: {text}")
        if whole():
            self.assertLess(p99, 0.002)


class LiarTests(SynchronousTestCase):
    def test_a_lie_is_found_at_the_first_answer_that_no_fleet_gives(self) -> None:
        figures = []
        for name in LIES:
            ends = Counter(self.check(name, seed % 2, seed) for seed in range(amount(200, 10)))
            figures.append(f"{name}: {dict(ends)}")
            # A player that denies its last ship often wins, or that ship is sunk last. Then the lie cannot be found.
            self.assertGreater(ends["found"], sum(ends.values()) // 5)
        print("\n" + "; ".join(figures))

    def check(self, name: str, liar: Seat, seed: int) -> str:
        """Play one match with a liar, check all judgements of it, and return how it ended."""
        played = match(name, liar, seed)
        tables = [judged(played.lines, mode) for mode in MODES]
        for table in tables:
            self.assertEqual({finding.seat for finding in table.match.findings} - {liar}, set(), (name, seed))
        first = [(found.code, found.entry) for table in tables for found in table.match.findings[:1]]
        if not first:
            self.check_nothing_to_find(played, liar, (name, seed))
            return "never lied" if played.lied_at is None else "won before it showed"
        code, entry = first[0]
        self.assertEqual(first, [(code, entry)] * len(MODES), (name, seed))
        self.assertEqual(code, LIES[name][2], (name, seed))
        self.assertEqual(tables[-1].outcome, Outcome(Termination.FORFEIT, 1 - liar), (name, seed))
        self.check_first(played, liar, code, entry - FIRST_LINE)
        return "found"

    def check_nothing_to_find(self, played: Transcript, liar: Seat, which: object) -> None:
        self.assertTrue(self.is_possible(played.lines, liar), which)

    def check_first(self, played: Transcript, liar: Seat, code: str, number: int) -> None:
        """Check that the answers before the line are possible, and that with it they are not."""
        if code != "no-legal-fleet":
            self.assertEqual(number, played.lied_at)
            return
        self.assertTrue(self.is_possible(played.lines[:number], liar))
        self.assertFalse(self.is_possible(played.lines[: number + 1], liar))

    def is_possible(self, lines: Lines, seat: Seat) -> bool:
        return is_possible([((x, y), code) for x, y, code in answers(lines, seat)])
