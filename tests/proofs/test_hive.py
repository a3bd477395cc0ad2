"""Hive: deep perft counts, every well-formed move in many positions, and the strength of the players.

Source: docs/reference/software-challenge.md#the-bot, docs/specs/software-challenge.md#gameds-own-players,
docs/specs/software-challenge.md#recorded-data.
"""

from __future__ import annotations

import time
from random import Random
from xml.etree.ElementTree import fromstring

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import CHANCE, Seat
from gamed.games.softwarechallenge.seasons.hive.client import HiveBrain
from gamed.games.softwarechallenge.seasons.hive.generator import generated
from gamed.games.softwarechallenge.seasons.hive.moves import SkipMove
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from gamed.games.softwarechallenge.seasons.hive.strategy import Greedy, Search, Strategy, Uniform
from gamed.games.softwarechallenge.seasons.hive.wire import echo, memento, read
from tests.games.softwarechallenge.hive.recorded import counts, plays, spelled
from tests.games.softwarechallenge.hive.test_recorded import accepted, perft
from tests.proofs import amount, skip, whole  # noqa: F401 (trial looks for `skip`)

HIVE = Hive()


@define
class Match:
    """Games of two players that alternate colours. Every move is judged by the rules."""

    player: Strategy
    other: Strategy
    won: int = 0
    lost: int = 0
    seconds: list[float] = field(factory=list)

    def play(self, games: int) -> None:
        for number in range(games):
            winner = self._played(number % 2, Random(number))
            self.won += winner == number % 2
            self.lost += winner == 1 - number % 2

    def _played(self, seat: Seat, random: Random) -> Seat | None:
        state = HIVE.apply(HIVE.setup({}), CHANCE, HIVE.draw(HIVE.setup({}), random))
        while HIVE.outcome(state) is None:
            state = self._moved(state, seat, random)
        return HIVE.outcome(state).winner

    def _moved(self, state: State, seat: Seat, random: Random) -> State:
        if state.mover != seat:
            return HIVE.apply(state, 1 - seat, self.other.choose(state, 1 - seat, random))
        began = time.thread_time()
        move = self.player.choose(state, seat, random)
        self.seconds.append(time.thread_time() - began)
        return HIVE.apply(state, seat, move)


class RuleProofs(SynchronousTestCase):
    def test_the_long_counts(self) -> None:
        most = amount(600_000, 60_000)
        for scene in counts():
            expected = [lines for lines in scene.perft if lines <= most]
            self.assertEqual([perft(scene.state, depth + 1) for depth in range(len(expected))], expected, scene.turn)

    def test_every_well_formed_move_in_recorded_positions(self) -> None:
        """What is accepted is what is listed, of all sets, drags and the skip; but for C6, which adds sets."""
        scenes = [scene for play in plays() for scene in play.scenes[:-1]]
        Random(1).shuffle(scenes)
        for scene in scenes[: amount(400, 20)]:
            state = scene.state
            if state.turn > 1 and not state.owned[state.mover]:
                continue
            listed = spelled(generated(state) or [SkipMove()])
            self.assertEqual(accepted(state), listed, scene.name)


class StrengthProofs(SynchronousTestCase):
    AVERAGE = 0.25
    """Seconds a move that a search may take."""

    def test_the_search_beats_the_random_player(self) -> None:
        games = amount(100, 6)
        match = Match(Search(), Uniform())
        match.play(games)
        average = sum(match.seconds) / len(match.seconds)
        print(f"search against random: {match.won} of {games} won, {match.lost} lost; {average * 1000:.0f} ms a move")
        self.assertGreaterEqual(match.won * 100, games * 95)
        if whole():
            self.assertLess(average, self.AVERAGE)

    def test_the_greedy_player_beats_the_random_one(self) -> None:
        games = amount(400, 60)
        match = Match(Greedy(), Uniform())
        match.play(games)
        print(f"greedy against random: {match.won} of {games} won, {match.lost} lost")
        self.assertGreaterEqual(match.won * 100, games * 80)

    def test_the_search_beats_the_greedy_player(self) -> None:
        games = amount(40, 4)
        match = Match(Search(), Greedy())
        match.play(games)
        print(f"search against greedy: {match.won} of {games} won, {match.lost} lost")
        self.assertGreaterEqual(match.won * 100, games * 70)


class BotProofs(SynchronousTestCase):
    """The search bot as it plays: it reads the state that the server writes, and the server reads its move."""

    def test_it_never_sends_an_illegal_move(self) -> None:
        games, moves = amount(1_000, 6), 0
        for number in range(games):
            moves += self.played(HiveBrain(Search(), Random(number)), Random(-number), number % 2)
        print(f"{games} games of the search bot, {moves} moves of it, none illegal")
        self.assertGreater(moves, 5 * games)

    def played(self, brain: HiveBrain, random: Random, seat: Seat) -> int:
        """Play a game against a random player; return how many moves the bot has made. An illegal one raises."""
        state = HIVE.apply(HIVE.setup({}), CHANCE, HIVE.draw(HIVE.setup({}), random))
        echoed, moves = "", 0
        while HIVE.outcome(state) is None:
            if state.mover == seat:
                sent = read(brain.answer(fromstring(memento(state, ("", ""), echoed)), seat))
                moves += 1
                move, echoed = sent.move, sent.echo
            else:
                move = Uniform().choose(state, state.mover, random)
                echoed = echo(move)
            state = HIVE.apply(state, state.mover, move)
        return moves
