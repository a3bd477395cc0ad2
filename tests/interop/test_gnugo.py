"""GNU Go as a second referee: it must have the same boards after every tenth move, and the same legal moves.

GNU Go speaks GTP, the Go Text Protocol: a command is a line; an answer begins with "=" and ends with an empty line.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RuleError
from gamed.games.go.board import FIRST_COLORS, Board, points, ruleset
from gamed.games.go.hoshi import handicap
from gamed.games.go.tree import Point, name

Line = list[Point | None]

SEED = 20_261_121
PROGRAM = shutil.which("gnugo") or "/usr/games/gnugo"
_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def ask(commands: Iterable[str], *options: str) -> list[str]:
    """Send GNU Go all commands at once and return its answers."""
    lines = list(commands)
    process = subprocess.run(
        [PROGRAM, "--mode", "gtp", *options],
        input="\n".join([*lines, "quit", ""]),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers = process.stdout.split("\n\n")[: len(lines)]
    for command, answer in zip(lines, answers, strict=True):
        if not answer.startswith("="):
            raise AssertionError(f"{command}: {answer}")
    return [answer.removeprefix("=").strip() for answer in answers]


def vertex(point: Point | None, size: int) -> str:
    return "PASS" if point is None else name(point, size)


def read(text: str, size: int) -> set[Point]:
    """Return the points in a list of GTP's vertices."""
    return {Point(_LETTERS.index(word[0]) + 1, size + 1 - int(word[1:])) for word in text.split()}


def random_line(random: Random, size: int, length: int, rules: str = "japanese") -> Line:
    """Return random legal moves, a pass where no point was found."""
    of = Board.start(size, rules=ruleset(rules))
    line: Line = []
    for number in range(length):
        color = FIRST_COLORS[number % 2]
        line.append(next((point for point in tries(random, size) if is_played(of, point, color)), None))
        if line[-1] is None:
            of.play(None, color)
    return line


def tries(random: Random, size: int) -> Iterator[Point]:
    return iter(random.sample(points(size), size * size))


def is_played(of: Board, point: Point, color: str) -> bool:
    try:
        of.play(point, color)
    except RuleError:
        return False
    return True


def self_play(size: int, seed: int, length: int) -> Line:
    """Return a game of GNU Go against itself at its lowest level."""
    commands = [f"boardsize {size}", *(f"genmove {FIRST_COLORS[number % 2]}" for number in range(length))]
    answers = ask(commands, "--level", "0", "--seed", str(seed), "--never-resign")[1:]
    return [None if answer == "PASS" else read(answer, size).pop() for answer in answers]


class GnuGoTests(SynchronousTestCase):
    def setUp(self) -> None:
        if not Path(PROGRAM).exists() and "CI" not in os.environ:
            self.skipTest("GNU Go is not installed (Debian: gnugo); CI always has it")

    def compare(self, size: int, lines: list[Line]) -> int:
        """Compare the boards after every tenth move and the last; return how many were compared."""
        commands = [f"boardsize {size}"]
        expected: list[tuple[int, set[Point]]] = []
        for line in lines:
            commands.append("clear_board")
            of = Board.start(size)
            for number, point in enumerate(line, 1):
                color = FIRST_COLORS[(number - 1) % 2]
                of.play(point, color)
                commands.append(f"play {color} {vertex(point, size)}")
                if number % 10 == 0 or number == len(line):
                    for listed in FIRST_COLORS:
                        expected.append((len(commands), {at for at, its in of.stones.items() if its == listed}))
                        commands.append(f"list_stones {listed}")
        answers = ask(commands)
        for at, stones in expected:
            self.assertEqual(read(answers[at], size), stones, commands[at - 20 : at])
        return len(expected) // 2

    def test_random_games(self) -> None:
        random = Random(SEED)
        compared = 0
        for size, games, length in ((19, 120, 200), (13, 40, 200), (9, 40, 150), (5, 40, 100)):
            compared += self.compare(size, [random_line(random, size, length) for _ in range(games)])
        self.assertEqual(compared, 120 * 20 + 40 * 20 + 40 * 15 + 40 * 10)

    def test_games_of_gnu_go_itself(self) -> None:
        for size, games, length in ((19, 1, 80), (9, 3, 60)):
            lines = [self_play(size, SEED + seed, length) for seed in range(games)]
            self.assertEqual(len({tuple(line) for line in lines}), games)
            self.assertEqual(self.compare(size, lines), games * length // 10)

    def legal(self, rules: str, size: int, lines: list[Line], *options: str) -> None:
        """Compare the legal moves of both colours after every move."""
        commands = [f"boardsize {size}"]
        expected = []
        for line in lines:
            commands.append("clear_board")
            of = Board.start(size, rules=ruleset(rules))
            for number, point in enumerate(line):
                of.play(point, FIRST_COLORS[number % 2])
                commands.append(f"play {FIRST_COLORS[number % 2]} {vertex(point, size)}")
                for color in FIRST_COLORS:
                    expected.append((len(commands), set(of.legal(color))))
                    commands.append(f"all_legal {color}")
        answers = ask(commands, *options)
        for at, legal in expected:
            self.assertEqual(read(answers[at], size), legal, commands[:at][-200:])

    def test_legal_moves(self) -> None:
        """GNU Go does not look at the position after a suicide for superko: so not both at once."""
        random = Random(SEED)
        for rules, *options in (
            ("japanese", "--simple-ko", "--forbid-suicide"),
            ("chinese", "--positional-superko", "--forbid-suicide"),
            ("goe", "--simple-ko", "--allow-all-suicide"),
        ):
            for size in (2, 3, 4, 5, 9):
                lines = [random_line(random, size, 80, rules) for _ in range(10)]
                self.legal(rules, size, lines, *options)

    def test_handicap_stones(self) -> None:
        for size in (7, 9, 13, 18, 19):
            counts = range(2, 10 if size in {9, 13, 19} else 5)
            commands = (f for count in counts for f in (f"boardsize {size}", f"fixed_handicap {count}"))
            answers = ask(commands)[1::2]
            ours = [{stone.point for stone in handicap(size, count)} for count in counts]
            self.assertEqual([len(stones) for stones in ours], list(counts))
            self.assertEqual([read(re.sub(r"\s+", " ", answer), size) for answer in answers], ours, size)
