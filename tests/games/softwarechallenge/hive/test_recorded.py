"""The official server's games, corner positions and counts, without a difference."""

from __future__ import annotations

from collections.abc import Iterator
from json import dumps

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RuleError
from gamed.core.game import CHANCE, Outcome, Seat, Termination
from gamed.games.softwarechallenge.seasons.hive.board import CELLS
from gamed.games.softwarechallenge.seasons.hive.checks import checked
from gamed.games.softwarechallenge.seasons.hive.generator import generated, is_stuck, must_set_bee
from gamed.games.softwarechallenge.seasons.hive.moves import (
    DragMove,
    Move,
    Obstructed,
    SetMove,
    SkipMove,
    parse,
    to_notation,
)
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from tests.games.softwarechallenge.hive.recorded import Scene, counts, fixtures, plays, spelled

HIVE = Hive()
RESULTS = {
    "RED_SURROUND": (0, "bee"),
    "BLUE_SURROUND": (1, "bee"),
    "RED_LIMIT": (0, "free"),
    "BLUE_LIMIT": (1, "free"),
    "DRAW_LIMIT": (None, "equal"),
    "DRAW_BOTH": (None, "equal"),
}
"""Winner and reason of what the files call results."""


def well_formed(seat: int) -> Iterator[Move]:
    """Yield all 455 sets of a seat, all 8281 drags, and the skip."""
    cells = [(x, y, -x - y) for x, y in CELLS]
    yield from (SetMove(letter, seat, *cell) for letter in "QSGBA" for cell in cells)
    yield from (DragMove(*start, *end) for start in cells for end in cells)
    yield SkipMove()


def accepted(state: State) -> list[str]:
    found = []
    for move in well_formed(state.mover):
        try:
            checked(state, move)
        except RuleError:
            continue
        found.append(to_notation(move))
    return sorted(found)


def perft(state: State, depth: int) -> int:
    """Count the lines of this many moves."""
    moves = HIVE.legal_moves(state, state.mover)
    if depth == 1:
        return len(moves)
    return sum(perft(checked(state, move), depth - 1) for move in moves)


def decided(winner: Seat | None) -> Outcome:
    """Return the outcome that the rules know."""
    return Outcome(Termination.DRAW if winner is None else Termination.VICTORY, winner)


class GameTests(SynchronousTestCase):
    def check(self, state: State, scene: Scene) -> None:
        """Compare a position of a game that was replayed up to it."""
        self.assertEqual(state.turn, scene.turn, scene.name)
        self.assertEqual(state.board(), scene.board, scene.name)
        self.assertEqual((state.hand(0), state.hand(1)), scene.hands, scene.name)
        self.assertEqual((state.free(0), state.free(1)), scene.free, scene.name)
        self.assertEqual(state.obstructed, scene.obstructed, scene.name)
        self.assertEqual(state, scene.state, scene.name)

    def test_all_games_replay_with_every_list_of_moves_and_the_result(self) -> None:
        positions = 0
        for play in plays():
            state = HIVE.apply(HIVE.setup({}), CHANCE, Obstructed(play.obstructed))
            for scene in play.scenes:
                if scene.last is not None:
                    self.assertIsNone(HIVE.outcome(state), scene.name)
                    state = HIVE.apply(state, state.mover, parse(scene.last))
                self.check(state, scene)
                listed = scene.legal if scene is play.scenes[-1] else scene.legal or ("P",)
                self.assertEqual(spelled(HIVE.legal_moves(state, state.mover)), list(listed), scene.name)
                positions += 1
            winner, reason = RESULTS[play.end["result"]]
            self.assertEqual(HIVE.outcome(state), decided(winner), play.name)
            self.assertEqual(HIVE.reason(state), reason, play.name)
        self.assertEqual(positions, 2734)

    def test_nothing_is_listed_twice(self) -> None:
        for play in plays():
            for scene in play.scenes[::6]:
                moves = generated(scene.state)
                self.assertEqual(len(moves), len(set(moves)), scene.name)

    def test_being_stuck_is_having_nothing_listed(self) -> None:
        for play in plays():
            for scene in play.scenes[:-1]:
                self.assertEqual(is_stuck(scene.state), scene.legal in {(), ("P",)}, scene.name)

    def test_every_kind_of_result_was_recorded(self) -> None:
        self.assertEqual({play.end["result"] for play in plays()}, set(RESULTS))

    def test_the_views_are_json(self) -> None:
        for play in plays():
            texts = {dumps(HIVE.view(scene.state, None)) for scene in play.scenes}
            self.assertEqual(len(texts), len(play.scenes), play.name)


class FixtureTests(SynchronousTestCase):
    def test_the_lists(self) -> None:
        for scene in fixtures():
            state = scene.state
            listed = generated(state) or ([] if must_set_bee(state) else [SkipMove()])
            self.assertEqual(spelled(listed), list(scene.legal), scene.name)

    def test_what_is_accepted(self) -> None:
        for scene in fixtures():
            self.assertEqual(accepted(scene.state), sorted((*scene.legal, *scene.also)), scene.name)

    def test_the_results(self) -> None:
        for scene in fixtures():
            outcome, reason = HIVE.outcome(scene.state), HIVE.reason(scene.state)
            if scene.result is None:
                self.assertEqual((outcome, reason), (None, None), scene.name)
            else:
                winner, why = RESULTS[scene.result]
                self.assertEqual((outcome, reason), (decided(winner), why), scene.name)


class PerftTests(SynchronousTestCase):
    """Up to what is counted in a few seconds; the proofs go to the end."""

    LINES = 50_000

    def test_the_counts(self) -> None:
        for scene in counts():
            expected = [lines for lines in scene.perft if lines <= self.LINES]
            self.assertGreaterEqual(len(expected), 2, scene.turn)
            self.assertEqual([perft(scene.state, depth + 1) for depth in range(len(expected))], expected, scene.turn)
