"""Frozen positions, and the game of two."""

from __future__ import annotations

import json
from random import Random

from attrs.exceptions import FrozenInstanceError
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.core.game import CHANCE, Outcome, Termination
from gamed.games.go.board import ruleset
from gamed.games.go.rules import Go, Move, Position, State, Word
from gamed.games.go.tree import Point
from tests.games.go.test_board import stones
from tests.games.go.test_replay import KO

OPTIONS = {"size": 5, "handicap": 0, "rules": "japanese", "komi": "6.5"}
GAME = Go()
JAPANESE = ruleset("japanese")


def after(*moves: Move | tuple[int, int], **options: str | int) -> State:
    """Return the state after moves in turn."""
    state = GAME.setup({**OPTIONS, **options})
    for move in moves:
        (seat,) = GAME.to_move(state)
        state = GAME.apply(state, seat, move if isinstance(move, Word) else Point(*move))
    return state


class PositionTests(SynchronousTestCase):
    def test_a_move_makes_another_position(self) -> None:
        start = Position.start(3, stones("OX.", "...", "..."))
        then = start.play(Point(1, 2), "black", JAPANESE)
        self.assertEqual((then.removed, set(then.stones)), (((1, 1),), {(2, 1), (1, 2)}))
        self.assertEqual((start.removed, len(start.stones)), ((), 2))

    def test_equal_lines_reach_equal_positions(self) -> None:
        one, other = (Position.start(3).play(Point(1, 1), "black", JAPANESE) for _ in range(2))
        self.assertEqual((one, hash(one)), (other, hash(other)))
        self.assertNotEqual(one, Position.start(3))

    def test_it_is_frozen(self) -> None:
        self.assertRaises(FrozenInstanceError, setattr, Position.start(3), "cells", b"")

    def test_refusals(self) -> None:
        start = Position.start(3, stones(".X.", "X..", "..."))
        for x, y, code in ((1, 1, "suicide"), (2, 1, "occupied"), (4, 4, "off-board")):
            self.assertEqual(self.refusal(start, Point(x, y)), code)

    def refusal(self, position: Position, point: Point) -> str:
        try:
            position.play(point, "white", JAPANESE)
        except (IllegalMove, InvalidMove) as error:
            return error.code
        return ""

    def test_ko_lasts_one_move(self) -> None:
        state = after(*KO).position
        error = self.assertRaises(IllegalMove, state.play, Point(3, 2), "black", JAPANESE)
        self.assertEqual(error.code, "ko")
        later = state.play(None, "black", JAPANESE).play(None, "white", JAPANESE)
        self.assertEqual(later.play(Point(3, 2), "black", JAPANESE).removed, ((2, 2),))
        error = self.assertRaises(IllegalMove, later.play, Point(3, 2), "black", ruleset("chinese"))
        self.assertEqual(error.code, "superko")

    def test_placing_asks_no_rules(self) -> None:
        start = Position.start(3, stones("OX.", "...", "..."))
        self.assertEqual(len(start.place(Point(1, 2), "black", ()).stones), 3)
        then = start.place(Point(3, 3), "black", (Point(2, 1), Point(1, 1)))
        self.assertEqual((then.removed, set(then.stones)), (((1, 1), (2, 1)), {(3, 3)}))
        for point, removes, code in (((1, 1), (), "occupied"), ((3, 3), (Point(1, 3),), "remove-empty")):
            error = self.assertRaises(InvalidMove, start.place, Point(*point), "black", removes)
            self.assertEqual(error.code, code)


class SetupTests(SynchronousTestCase):
    def test_black_begins(self) -> None:
        self.assertEqual(GAME.to_move(after()), {0})
        self.assertEqual(after().position.stones, {})

    def test_with_a_handicap_white_begins(self) -> None:
        state = after(size=9, handicap=2)
        self.assertEqual(state.position.stones, {Point(7, 3): "black", Point(3, 7): "black"})
        self.assertEqual(GAME.to_move(state), {1})

    def test_options_that_are_none(self) -> None:
        for options, code in (({"size": 0}, "size"), ({"size": 53}, "size"), ({"handicap": 2}, "handicap")):
            error = self.assertRaises(InvalidMove, GAME.setup, {**OPTIONS, **options})
            self.assertEqual(error.code, code)


class MoveTests(SynchronousTestCase):
    def test_colours_take_turns(self) -> None:
        state = after((1, 1), (2, 2), Word.PASS)
        self.assertEqual(state.position.stones, {Point(1, 1): "black", Point(2, 2): "white"})
        self.assertEqual(GAME.to_move(state), {1})

    def test_out_of_turn(self) -> None:
        for seat in (1, CHANCE, 2):
            self.assertRaises(NotYourTurn, GAME.apply, after(), seat, Point(1, 1))

    def test_nothing_after_the_end(self) -> None:
        for state in (after(Word.RESIGN), after(Word.PASS, Word.PASS)):
            self.assertEqual(GAME.to_move(state), set())
            for seat in (0, 1):
                self.assertEqual(list(GAME.legal_moves(state, seat)), [])
                self.assertRaises(NotYourTurn, GAME.apply, state, seat, Word.PASS)

    def test_legal_moves(self) -> None:
        found = list(GAME.legal_moves(after((1, 2), (5, 5), (2, 1)), 1))
        self.assertEqual(len(found), 25 - 3 - 1 + 2)
        self.assertNotIn(Point(1, 1), found)
        self.assertEqual(found[-2:], [Word.PASS, Word.RESIGN])
        self.assertEqual(list(GAME.legal_moves(after(), 1)), [])

    def test_prisoners(self) -> None:
        self.assertEqual(after(*KO).prisoners, (0, 1))
        suicide = ((1, 2), (1, 1), (2, 2), (5, 5), (3, 1), (2, 1))
        self.assertEqual(after(*suicide, rules="nz").prisoners, (0, 0))

    def test_nothing_is_drawn_by_lot(self) -> None:
        self.assertRaises(IllegalMove, GAME.draw, after(), Random(1))


class OutcomeTests(SynchronousTestCase):
    def test_the_game_goes_on(self) -> None:
        for state in (after(), after(Word.PASS), after(Word.PASS, (1, 1), Word.PASS)):
            self.assertIsNone(GAME.outcome(state))

    def test_resignation(self) -> None:
        self.assertEqual(GAME.outcome(after(Word.RESIGN)), Outcome(Termination.RESIGNED, 1))
        self.assertEqual(GAME.outcome(after((1, 1), Word.RESIGN)), Outcome(Termination.RESIGNED, 0))

    def test_two_passes_and_more_points(self) -> None:
        ended = ((1, 1), Word.PASS, Word.PASS)
        for komi, rules, winner in (
            ("6.5", "japanese", 0),
            ("24.5", "japanese", 1),
            ("24", "japanese", None),
            ("24.5", "chinese", 0),
            ("25", "chinese", None),
        ):
            state = after(*ended, komi=komi, rules=rules)
            why = Termination.DRAW if winner is None else Termination.VICTORY
            self.assertEqual(GAME.outcome(state), Outcome(why, winner), (komi, rules))

    def test_prisoners_count_with_territory(self) -> None:
        state = after(*KO, Word.PASS, Word.PASS, komi="0")
        self.assertEqual(GAME.score(state), {"black": 1, "white": 2})


class ViewTests(SynchronousTestCase):
    def test_it_is_the_same_for_all_and_ready_for_json(self) -> None:
        state = after(*KO)
        seen = [GAME.view(state, seat) for seat in (0, 1, None)]
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])
        self.assertEqual(json.loads(json.dumps(seen[0])), seen[0])
        self.assertEqual(
            seen[0],
            {
                "size": 5,
                "stones": {"black": [[2, 1], [1, 2], [2, 3]], "white": [[3, 1], [2, 2], [4, 2], [3, 3]]},
                "removed": [[3, 2]],
                "prisoners": [0, 1],
                "to_move": [0],
                "passes": 0,
                "resigned": None,
            },
        )


class RandomPlayTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=30)
    @given(st.randoms(use_true_random=False), st.sampled_from(["japanese", "chinese", "nz"]), st.integers(1, 5))
    def test_what_is_legal_can_be_applied(self, random: Random, rules: str, size: int) -> None:
        state = after(rules=rules, size=size)
        for _ in range(60):
            if not GAME.to_move(state):
                break
            (seat,) = GAME.to_move(state)
            legal = list(GAME.legal_moves(state, seat))
            for x in range(1, size + 1):
                for y in range(1, size + 1):
                    if Point(x, y) not in legal:
                        self.assertRaises(IllegalMove, GAME.apply, state, seat, Point(x, y))
            state = GAME.apply(state, seat, random.choice(legal[:-1]))
            self.assertEqual(GAME.outcome(state) is None, bool(GAME.to_move(state)))
