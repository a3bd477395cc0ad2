"""Moves in writing, and the shape that a move must have."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import InvalidMove
from gamed.games.quoridor.moves import (
    HORIZONTAL,
    HORIZONTAL_WALLS,
    PAWN_MOVES,
    VERTICAL,
    VERTICAL_WALLS,
    Move,
    PawnMove,
    Wall,
    cell_of,
    parse,
    to_notation,
    xy,
)
from gamed.games.quoridor.rules import Quoridor

SIZES = st.integers(0, 8)
MOVES = st.builds(PawnMove, SIZES, SIZES) | st.builds(Wall, SIZES, SIZES, st.sampled_from((HORIZONTAL, VERTICAL)))

WORDS = ("player", "wall", *"0123456789", HORIZONTAL, VERTICAL)


class NotationTests(SynchronousTestCase):
    def test_a_pawn_s_move(self) -> None:
        self.assertEqual(to_notation(PawnMove(4, 1)), "player 4 1")
        self.assertEqual(parse("player 4 1"), PawnMove(4, 1))

    def test_a_wall(self) -> None:
        self.assertEqual(to_notation(Wall(5, 6, HORIZONTAL)), "wall 5 6 horizontal")
        self.assertEqual(parse("wall 5 6 horizontal"), Wall(5, 6, HORIZONTAL))
        self.assertEqual(parse("wall 0 8 vertical"), Wall(0, 8, VERTICAL))

    @settings(deadline=None, max_examples=200)
    @given(MOVES)
    def test_what_is_written_is_read_again(self, move: Move) -> None:
        self.assertEqual(parse(to_notation(move)), move)

    def test_the_game_has_both(self) -> None:
        self.assertEqual(Quoridor().parse(Quoridor().to_notation(Wall(1, 2, VERTICAL))), Wall(1, 2, VERTICAL))

    def test_anything_else_is_no_move(self) -> None:
        for text in (
            "",
            "player",
            "player 4",
            "player 4 9",
            "player 4 -1",
            "player 4.0 1.0",
            "player 4 1 horizontal",
            "player 4 1 ",
            " player 4 1",
            "player  4 1",
            "player 4 1\n",
            "player \u0664 1",
            "Player 4 1",
            "wall 5 6",
            "wall 5 6 diagonal",
            "wall 9 6 horizontal",
            "wall 5 6 Horizontal",
            "tower 1 2",
            "(move player 4 1)",
        ):
            error = self.assertRaises(InvalidMove, parse, text)
            self.assertEqual(error.code, "notation", text)

    def test_of_a_long_text_the_error_shows_the_beginning(self) -> None:
        error = self.assertRaises(InvalidMove, parse, "x" * 10_000)
        self.assertLess(len(str(error)), 100)

    @settings(deadline=None, max_examples=200)
    @given(st.text(max_size=30) | st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join))
    def test_no_text_raises_anything_else(self, text: str) -> None:
        try:
            move = parse(text)
        except InvalidMove:
            return
        self.assertEqual(to_notation(move), text)


class ShapeTests(SynchronousTestCase):
    def test_a_cell_is_column_and_row(self) -> None:
        self.assertEqual(xy(cell_of(PawnMove(3, 7))), (3, 7))
        self.assertEqual(xy(cell_of(Wall(8, 0, VERTICAL))), (8, 0))

    def test_off_the_board_there_is_no_cell(self) -> None:
        for move in (PawnMove(9, 0), PawnMove(0, 9), PawnMove(-1, 0), Wall(0, -1, VERTICAL), Wall(9, 9, HORIZONTAL)):
            self.assertEqual(self.assertRaises(InvalidMove, cell_of, move).code, "off-board")

    def test_a_wall_has_one_of_two_orientations(self) -> None:
        self.assertEqual(self.assertRaises(InvalidMove, cell_of, Wall(1, 1, "oblique")).code, "orientation")

    def test_moves_can_be_compared_and_kept_in_sets(self) -> None:
        self.assertEqual(len({PawnMove(1, 2), PawnMove(1, 2), Wall(1, 2, VERTICAL), Wall(1, 2, HORIZONTAL)}), 3)

    def test_ready_made_moves_stand_under_their_cells(self) -> None:
        for moves in (PAWN_MOVES, HORIZONTAL_WALLS, VERTICAL_WALLS):
            self.assertEqual(len(moves), 81)
            self.assertEqual([cell_of(move) for move in moves.values()], list(moves))
        self.assertEqual({wall.orientation for wall in HORIZONTAL_WALLS.values()}, {HORIZONTAL})
        self.assertEqual({wall.orientation for wall in VERTICAL_WALLS.values()}, {VERTICAL})
