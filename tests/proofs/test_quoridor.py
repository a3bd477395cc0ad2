"""Quoridor: what must hold in every game, the slow rules' long counts, the rules' speed and the players' strength.

Source: docs/specs/quoridor.md#gameds-own-worlds, docs/specs/quoridor.md#walls, docs/specs/quoridor.md#pawns.
"""

from __future__ import annotations

import statistics
import time
from random import Random

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.quoridor.rules import State
from gamed.games.quoridor.strategy import AnyMove, Search, ShortestPath
from tests.games.quoridor.matches import Match
from tests.games.quoridor.positions import RULES, as_slow, corpus, read
from tests.games.quoridor.test_perft import cases, slow_perft
from tests.games.quoridor.test_rules import check_game
from tests.proofs import amount, skip, whole  # noqa: F401 (trial looks for `skip`)


class RuleProofs(SynchronousTestCase):
    def test_games_at_random_keep_what_must_hold(self) -> None:
        random = Random(2026)
        for number in range(amount(5_000, 100)):
            check_game(self, 2 + number % 2 * 2, random)

    def test_the_slow_rules_count_the_same_lines(self) -> None:
        most = amount(100_000, 6_000)
        for case in cases():
            for depth, lines in case.depths.items():
                if lines <= most:
                    self.assertEqual(slow_perft(as_slow(read(case.text)), depth), lines, (case.text, depth))


class SpeedProofs(SynchronousTestCase):
    def test_all_legal_moves_of_a_position_take_less_than_a_millisecond(self) -> None:
        seconds = [self.fastest(evolve(entry.state, left=(1,) * entry.state.players)) for entry in corpus()]
        mean, most = 1_000 * statistics.mean(seconds), 1_000 * max(seconds)
        print(f"\nall legal moves of {len(seconds)} positions: mean {mean:.3f} ms, max {most:.3f} ms")
        if whole():
            self.assertLess(most, 1.0)

    def fastest(self, state: State) -> float:
        """Return the seconds of CPU for one position, the best of three: others use the machine as well."""
        found = []
        for _ in range(3):
            began = time.thread_time()
            list(RULES.legal_moves(state, 0))
            found.append(time.thread_time() - began)
        return min(found)


class StrengthProofs(SynchronousTestCase):
    def played(self, match: Match, games: int) -> Match:
        match.play(games)
        names = f"{type(match.player).__name__} against {type(match.other).__name__}, {match.players} players"
        mean, most = 1_000 * statistics.mean(match.seconds), 1_000 * max(match.seconds)
        print(f"\n{names}: won {match.won}, lost {match.lost} of {games}; longest game {match.longest} moves;", end=" ")
        print(f"a move of the former mean {mean:.1f} ms, max {most:.1f} ms")
        return match

    def test_path_beats_random(self) -> None:
        games = amount(100, 10)
        self.assertGreaterEqual(self.played(Match(ShortestPath(), AnyMove()), games).won, 0.98 * games)

    def test_search_beats_path(self) -> None:
        games = amount(100, 10)
        match = self.played(Match(Search(), ShortestPath()), games)
        self.assertGreaterEqual(match.won, 0.8 * games)
        if whole():
            self.assertLess(statistics.mean(match.seconds), 0.05)

    def test_of_four_path_beats_three_at_random(self) -> None:
        games = amount(100, 10)
        self.assertGreaterEqual(self.played(Match(ShortestPath(), AnyMove(), 4), games).won, 0.98 * games)

    def test_of_four_search_wins_more_than_its_share_against_three_on_paths(self) -> None:
        games = amount(100, 12)
        match = self.played(Match(Search(), ShortestPath(), 4), games)
        self.assertGreater(match.won, 0.33 * games)
        if whole():
            self.assertLess(statistics.mean(match.seconds), 0.05)

    def test_games_between_searches_end(self) -> None:
        for players in (2, 4):
            match = self.played(Match(Search(), Search(), players), amount(20, 2))
            self.assertEqual(match.won + match.lost, amount(20, 2))
