"""Lines of moves counted by the rules and by the slow second implementation."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.quoridor.rules import State
from tests.games.quoridor.positions import RULES, as_move, as_slow, read
from tests.games.quoridor.slow import Slow

FILE = Path(__file__).parent / "perft.txt"
FEW = 200
"""Lines that the slow rules count in no time."""


@frozen
class Case:
    """A written position, and how many lines there are by their length."""

    text: str
    depths: dict[int, int]


def cases() -> list[Case]:
    """Return the lines of the file."""
    found = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            text, *counts = line.split(" ; ")
            depths = [count.removeprefix("D").split() for count in counts]
            found.append(Case(text, {int(depth): int(lines) for depth, lines in depths}))
    return found


def perft(state: State, depth: int) -> int:
    """Count lines of legal moves."""
    if depth == 0:
        return 1
    moves = RULES.legal_moves(state, state.mover)
    return sum(perft(RULES.apply(state, state.mover, move), depth - 1) for move in moves)


def slow_perft(position: Slow, depth: int) -> int:
    """Count lines of legal moves with the slow rules."""
    if depth == 0:
        return 1
    return sum(slow_perft(then, depth - 1) for _, then in position.after())


class PerftTests(SynchronousTestCase):
    def test_the_start_and_middle_positions_are_there(self) -> None:
        texts = {case.text for case in cases()}
        self.assertEqual(len(texts), 6)
        self.assertTrue({"40.48 - - 10.10 1", "40.48.04.84 - - 5.5.5.5 1"} <= texts)

    def test_the_rules_count_what_the_file_says(self) -> None:
        for case in cases():
            for depth, lines in case.depths.items():
                self.assertEqual(perft(read(case.text), depth), lines, (case.text, depth))

    def test_so_do_the_slow_rules_where_it_takes_no_time(self) -> None:
        for case in cases():
            for depth, lines in case.depths.items():
                if lines <= FEW:
                    self.assertEqual(slow_perft(as_slow(read(case.text)), depth), lines, (case.text, depth))

    def test_the_moves_are_the_same_ones_and_lead_to_the_same_positions(self) -> None:
        for case in cases():
            state = read(case.text)
            found = {move: RULES.apply(state, state.mover, move) for move in RULES.legal_moves(state, state.mover)}
            slow = {as_move(move): then for move, then in as_slow(state).after()}
            self.assertEqual({move: as_slow(then) for move, then in found.items()}, slow)
