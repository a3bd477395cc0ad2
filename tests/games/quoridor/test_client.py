"""The bot: what it sends for each mail, whole games in memory, servers that err."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Seat
from gamed.games.quoridor import game_type
from gamed.games.quoridor.client import Player
from gamed.games.quoridor.moves import Move, PawnMove, Wall
from gamed.games.quoridor.rules import State
from gamed.games.quoridor.signup import Call
from gamed.games.quoridor.strategy import STRATEGIES
from gamed.records.index import validate
from gamed.records.own import judgement
from gamed.records.record import document
from gamed.testing.harness import Harness
from tests.games.quoridor.worlds import play_out, universe

OKAY = b"(OKAY)\n"
MOVE = re.compile(rb"\(move (player [0-8]\.0 [0-8]\.0|wall [0-8]\.0 [0-8]\.0 (horizontal|vertical))\)\n")


class Scripted:
    """A strategy that makes the moves that it was given."""

    def __init__(self, *moves: Move) -> None:
        self.moves = list(moves)
        self.asked: list[tuple[State, Seat]] = []

    def choose(self, state: State, seat: Seat, random: Random) -> Move:  # noqa: ARG002 (Strategy's signature)
        self.asked.append((state, seat))
        if not self.moves:
            raise LookupError
        return self.moves.pop(0)


def player(*moves: Move, players: int = 2) -> Player:
    return Player("gamed", strategy=Scripted(*moves), random=Random(1), players=players)


def bot(strategy: str, seed: int = 1, **options: Any) -> Player:
    made = game_type.players[strategy](Random(seed), **options)
    assert isinstance(made, Player)
    return made


class SignUpTests(SynchronousTestCase):
    def test_it_registers(self) -> None:
        self.assertEqual(player().begin(), b'(REGISTER ((name "gamed")))\n')
        self.assertEqual(bot("path", name='"Ω"').begin(), '(REGISTER ((name "\\"Ω\\"")))\n'.encode())

    def test_it_votes_as_it_was_told(self) -> None:
        for players, vote in ((2, b"(play)\n"), (4, b"(wait)\n")):
            for strategy in STRATEGIES:
                one = bot(strategy, players=str(players))
                self.assertEqual(one.receive_data(OKAY + b"(wait-for-players 0 ())\n"), b"")
                self.assertEqual(one.receive_data(b"(wait-or-play 0 ())\n"), vote)
                self.assertEqual(one.receive_data(b"(voted 0 ())\n(wait-for-players 0 ())\n"), b"")
                self.assertEqual((one.is_done, one.won, one.moves), (False, None, 0))

    def test_its_side_is_its_turn_in_the_game(self) -> None:
        one = Player("gamed", strategy=Scripted(PawnMove(4, 1)), random=Random(1), stay=1.0)
        self.assertEqual(one.side, "")
        one.receive_data(OKAY + b"(wait-or-play 0 ())\n(start2play 1 ())\n")
        self.assertEqual((one.seat, one.side), (0, "first"))
        # World 2 begins the next game.
        one.receive_data(b"(wait 1 (player 4.0 1.0 1))\n(lost 2 (player 4.0 0.0 1))\n(start2wait 2 ())\n")
        self.assertEqual((one.seat, one.side), (0, "second"))

    def test_two_is_the_default(self) -> None:
        self.assertEqual(bot("path").receive_data(OKAY + b"(wait-or-play 0 ())\n"), b"(play)\n")

    def test_whatever_the_segments(self) -> None:
        one, other = player(PawnMove(4, 1)), player(PawnMove(4, 1))
        text = OKAY + b"(wait-or-play 0 ())\n(start2play 1 ())\n"
        self.assertEqual(b"".join(one.receive_data(bytes([byte])) for byte in text), other.receive_data(text))


class GameTests(SynchronousTestCase):
    def test_numbers_are_floats_as_the_authors_world_sends_them(self) -> None:
        one = player(PawnMove(4, 1), Wall(0, 1, "horizontal"))
        self.assertEqual(one.receive_data(OKAY + b"(start2play 1 ())\n"), b"(move player 4.0 1.0)\n")
        self.assertEqual(one.receive_data(b"(wait 1 (player 4.0 1.0 1.0))\n"), b"")
        answer = one.receive_data(b"(play 2 (player 4.0 7.0 7.0))\n")
        self.assertEqual(answer, b"(move wall 0.0 1.0 horizontal)\n")
        self.assertEqual(one.moves, 2)

    def test_it_knows_the_position(self) -> None:
        strategy = Scripted(PawnMove(4, 7))
        one = Player("gamed", strategy=strategy, random=Random(1))
        one.receive_data(OKAY + b"(start2wait 1 ())\n(play 1 (wall 3 3 vertical))\n")
        ((state, seat),) = strategy.asked
        self.assertEqual((seat, one.seat, state.mover), (1, 1, 1))
        self.assertEqual((state.left, state.walls.vertical), ((9, 10), 1 << 33))

    def test_who_begins_after_a_reset(self) -> None:
        one = player(PawnMove(4, 7))
        self.assertEqual(one.receive_data(OKAY + b"(start2play 2 ())\n"), b"(move player 4.0 7.0)\n")
        self.assertEqual(one.seat, 1)

    def test_with_four_it_learns_its_seat_by_and_by(self) -> None:
        one = player(PawnMove(1, 4), players=4)
        self.assertEqual(one.receive_data(OKAY + b"(start4wait 1 ())\n(wait 1 (player 4 1 1))\n"), b"")
        self.assertIsNone(one.seat)
        self.assertEqual(one.receive_data(b"(play 2 (player 4 7 7))\n"), b"(move player 1.0 4.0)\n")
        self.assertEqual(one.seat, 2)

    def test_the_end(self) -> None:
        for text, won in ((b"(won 1 (player 4 8 8))\n", True), (b"(lost 1 (player 4 8 8))\n", False)):
            one = player(PawnMove(4, 1))
            one.receive_data(OKAY + b"(start2play 1 ())\n")
            self.assertEqual(one.receive_data(text), b"")
            self.assertEqual((one.is_done, one.won), (True, won))
            # Whatever comes then: the game is over.
            self.assertEqual(one.receive_data(b"(disconnect 2 (wall 4 4 horizontal))\n(start2play 2 ())\n"), b"")
            self.assertEqual(one.receive_data(b""), b"")

    def test_who_has_no_move_says_nothing(self) -> None:
        one = player(players=4)
        self.assertEqual(one.receive_data(OKAY + b"(start4play 1 ())\n"), b"")
        self.assertEqual((one.moves, one.is_done), (0, False))

    def test_illegal_moves_of_others_are_followed(self) -> None:
        one = player(PawnMove(4, 2))
        answer = one.receive_data(OKAY + b"(start2wait 1 ())\n(play 1 (player 8 7 7))\n")
        self.assertEqual(answer, b"(move player 4.0 2.0)\n")


class ErrorTests(SynchronousTestCase):
    def code(self, *pieces: bytes) -> str:
        one = player(*[PawnMove(4, 1)] * 9)

        def feed() -> None:
            for piece in pieces:
                one.receive_data(piece)

        return self.assertRaises(RemoteProtocolError, feed).code

    def test_what_ends_the_game_before_its_end(self) -> None:
        for text, code in (
            (b"(rejected 0 ())\n", "rejected"),
            (b"(disconnect 2 (wall 4 4 horizontal))\n", "disconnect"),
            (b"", "closed"),
        ):
            self.assertEqual(self.code(OKAY, text), code)
            self.assertEqual(self.code(OKAY + b"(start2play 1 ())\n", text), code)

    def test_what_is_no_universe(self) -> None:
        self.assertEqual(self.code(b"(wait-for-players 0 ())\n"), "not-accepted")
        self.assertEqual(self.code(b""), "closed")
        self.assertEqual(self.code(b")\n"), "malformed-datum")

    def test_what_is_no_mail(self) -> None:
        for text in (b"hello", b"(hello 0 ())", b"(play)", b"(play 1)", b"(play 1 x)", b"(play x ())", b"(play 1.0 ())",
                     b"(play 1 () ())", b'("play" 1 ())', b"#(play 1 ())"):  # fmt: skip
            self.assertEqual(self.code(OKAY + b"(start2wait 1 ())\n" + text + b"\n"), "no-mail", text)

    def test_what_is_out_of_step(self) -> None:
        begun = OKAY + b"(start2wait 1 ())\n"
        for text in (
            OKAY + b"(start2play 3 ())",
            OKAY + b"(start4play 0 ())",
            OKAY + b"(play 1 (player 4 1 1))",
            begun + b"(play 1 ())",
            begun + b"(play 1 (teapot 4 1 1))",
            begun + b"(play 2 (player 4 7 7))",
            begun + b"(play 1 (player 4 9 9))",
            begun + b"(play 1 (player 4 8 8))",
            begun + b"(wait 1 (player 4 8 8))\n(wait 2 (player 4 1 1))",
        ):
            self.assertEqual(self.code(text + b"\n"), "out-of-step", text)

    words = st.sampled_from([call.value for call in Call] + ["OKAY", "x"])
    moves = st.sampled_from(
        ["()", "(player 4 1 1)", "(player 4.0 7.0 7.0)", "(wall 0 1 horizontal)", "(wall 4 4 vertical)"]
    )
    events = st.builds("({} {} {})\n".format, words, st.integers(-1, 5), moves)

    @settings(deadline=None, max_examples=150)
    @given(st.lists(events, max_size=12), st.sampled_from(sorted(STRATEGIES)))
    def test_whatever_a_server_says_is_answered_or_refused(self, events: list[str], strategy: str) -> None:
        one = bot(strategy)
        try:
            for mail in ("(OKAY)\n", *events):
                for line in one.receive_data(mail.encode()).splitlines(keepends=True):
                    self.assertTrue(line in (b"(play)\n", b"(wait)\n") or MOVE.fullmatch(line), line)
        except RemoteProtocolError:
            return


class MatchTests(SynchronousTestCase):
    """Whole games in memory, a strict referee at the table: no move of ours is illegal."""

    def play(self, *strategies: str, seed: int = 1) -> tuple[Harness, list[Player]]:
        harness = universe(referee="strict")
        players = [
            bot(strategy, 10 * seed + number, players=str(len(strategies)))
            for number, strategy in enumerate(strategies)
        ]
        self.sent = play_out(harness, players)
        harness.settle()
        return harness, players

    def check(self, *strategies: str, seed: int = 1) -> list[Player]:
        harness, players = self.play(*strategies, seed=seed)
        (record,) = harness.store.records.values()
        (summary,) = harness.store.summaries.values()
        validate(document(record))
        self.assertEqual((judgement(record).findings, summary.termination), ((), "victory"))
        self.assertEqual([player.won for player in players].index(True), summary.winner)
        self.assertEqual([player.won for player in players].count(True), 1)
        self.assertEqual(sum(player.moves for player in players), summary.length)
        self.assertEqual([seat.name for seat in summary.seats], ["gamed"] * len(players))
        return players

    def test_two(self) -> None:
        for seed, strategies in enumerate(
            (("path", "path"), ("path", "random"), ("random", "path"), ("search", "path"))
        ):
            self.check(*strategies, seed=seed)

    def test_four(self) -> None:
        self.check("path", "random", "path", "random")
        self.check("path", "path", "path", "path")

    def test_what_they_send(self) -> None:
        self.play("path", "path")
        for sent in self.sent:
            register, *moves = sent.splitlines(keepends=True)
            self.assertEqual(register, b'(REGISTER ((name "gamed")))\n')
            self.assertTrue(all(line == b"(play)\n" or MOVE.fullmatch(line) for line in moves))

    def test_votes_that_differ(self) -> None:
        harness = universe()
        players = [bot("path", 1, players="4"), bot("path", 2, players="2")]
        play_out(harness, players)
        self.assertEqual([player.is_done for player in players], [True, True])
        self.assertEqual(players[0].state.players, 2)  # type: ignore[union-attr]
